"""Which columns are the ends of edges: every pair of names, what is a guess, what is refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from subiso.errors import GraphError
from subiso.graph import Graph
from subiso.graph.ends import MIXED, PAIRS, TIMES, Ends, find_ends, guess_note, kind_of

FIRST_TWO = "the first two"


@pytest.mark.parametrize(("source", "target"), (*PAIRS, *MIXED, *TIMES))
def test_every_pair_is_known_in_any_case_and_order(source: str, target: str) -> None:
    for change in (str.lower, str.upper, str.title, lambda name: f"#{name} ", lambda name: f"{name}_id"):
        names = ["tx", change(target), "amount", change(source)]
        assert find_ends(names)[:2] == ((1, 3) if source in ("head", "tail") else (3, 1)), names
    assert find_ends(["tx", "who", source])[:2] == (0, 1), "half a pair says nothing"
    assert find_ends(["tx", "who", target])[:2] == (0, 1), "half a pair says nothing"


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        (["FromNodeId", "ToNodeId"], (0, 1, "")),
        (["id", "node 1", "node 2"], (1, 2, "")),
        (["start", "end", "from", "to"], (2, 3, "")),
        (["name", "start", "end"], (1, 2, "by their names")),
        (["id", "a", "b", "w"], (0, 1, FIRST_TWO)),
        (["head", "payee", "amount"], (0, 1, FIRST_TWO)),
        (["a", "b"], (0, 1, "")),
        ([0, 1, 2], (0, 1, FIRST_TWO)),
        (["from", "target"], (0, 1, "")),
        (["tx", "source", "to"], (1, 2, "")),
        (["from", "to", "source"], (0, 1, "")),  # a whole pair before mixed ones
        (["head", "relation", "tail"], (0, 2, "")),
        (["tail", "head"], (0, 1, "")),  # either way round: the first is the source
        (["source", "target", "from", "to"], (0, 1, "")),  # as our writers begin
        (["source", "target", "source_id", "target_id", "u", "v"], (0, 1, "")),
        (["Unnamed: 0", "a", "b"], (1, 2, "")),
        (["a", "b", "__index_level_0__"], (0, 1, "")),
        (["Unnamed: 0", "a"], (0, 1, FIRST_TWO)),
    ],
)
def test_what_is_taken(names: list[Any], ends: tuple[int, int, str]) -> None:
    assert find_ends(names) == Ends(*ends)


@pytest.mark.parametrize(
    ("names", "chosen", "ends"),
    [
        (["a", "b", "start", "end"], [2, 3], (0, 1, "")),
        (["a", "b", "start", "end"], [2], (0, 1, FIRST_TWO)),
        (["tx", "who", "whom", "x"], [0], (1, 2, "the first two of the others")),
        (["tx", "start", "end"], [0], (1, 2, "")),
        (["from", "to", "payer", "payee"], [0, 1], (2, 3, "")),
        (["from", "to", "amount"], [0, 2], (0, 1, "")),  # known names are ends whatever else they are
        (["a", "b"], [0], (0, 1, FIRST_TWO)),
    ],
)
def test_what_is_chosen_is_no_end(names: list[str], chosen: list[int], ends: tuple[int, int, str]) -> None:
    assert find_ends(names, chosen=chosen) == Ends(*ends)


def test_one_end_that_is_named_finds_its_partner() -> None:
    assert find_ends(["tx", "payer", "payee"], source=1) == (1, 2, "")
    assert find_ends(["payer", "payee", "from", "to"], target=3) == (2, 3, "")
    assert find_ends(["tx", "payer", "payee"], source=2, target=0) == (2, 0, "")
    with pytest.raises(GraphError, match=r"go together(.|\n)*name both, or neither"):
        find_ends(["tx", "payer", "payee"], source=0)
    with pytest.raises(GraphError, match=r"both the column 'b'(.|\n)*source= and target= name other columns"):
        find_ends(["a", "b"], source=1, target=1)


@pytest.mark.parametrize(
    "names",
    [
        ["payer", "payee", "from", "to"],
        ["sender", "recipient", "receiver"],
        ["tx", "source", "target", "source_id", "target_id"],
        ["source", "src", "to"],
    ],
)
def test_two_pairs_are_a_question(names: list[str]) -> None:
    with pytest.raises(
        GraphError, match=r"several columns have names of ends(.|\n)*say which: source='\w+', target="
    ):
        find_ends(names)


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ("iii", True),  # another column of integers
        ("sss", True),
        ("sii", True),
        ("sis", True),
        ("ssii", True),  # two integers may be the ends as well
        ("--i", True),  # no ids at all
        ("s-i", True),
        ("ssi", False),  # a number beside names: years, amounts
        ("iis", False),
        ("ii-", False),
        ("ss-i", False),
    ],
)
def test_when_a_guess_is_said(kinds: str, said: bool) -> None:
    assert bool(guess_note("abcd", Ends(0, 1, FIRST_TWO), kinds + "-")) == said
    assert guess_note("abcd", Ends(0, 1), kinds + "-") == ()
    assert guess_note("abcd", Ends(0, 1, FIRST_TWO), "iiii", chosen=[2, 3]) == ()
    assert guess_note(["a", "b", "Unnamed: 0"], Ends(0, 1, FIRST_TWO), "iii") == ()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "i"),
        ([np.int32(1), None], "i"),
        ([1.0, float("nan"), 2.0], "i"),
        (["1", "-2"], "i"),
        (["ann", "1"], "s"),
        (["", "ann"], "s"),
        (["192.168.0.1"], "s"),
        ([("a", 1)], "s"),
        ([1.5, 2], "-"),
        (["1.5", "2", "1e5"], "-"),
        (["2020-01-31", "31.1.2020", "2020/1/1", "2020-01-01T12:00"], "-"),
        (["12:30", "12:30:01.5"], "-"),
        ([True, False], "-"),
        ([np.bool_(True)], "-"),
        ([dt.date(2020, 1, 1)], "-"),
        ([Decimal("1.5")], "-"),
        ([[1], [2]], "-"),
        ([float("inf")], "-"),
        ([], "-"),
        ([None, float("nan")], "-"),
    ],
)
def test_kinds_of_values(values: list[Any], kind: str) -> None:
    assert kind_of(values) == kind


NO_IDS = {
    "text": ["2020-01-01", "2020-01-02"],
    "words": ["x", "y"],
    "float": [1.0, 2.0],
    "date": [dt.date(2020, 1, 1), dt.date(2020, 1, 2)],
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_whose_first_columns_are_no_ends(make: Any) -> None:
    door = {pd.DataFrame: Graph.from_pandas, pl.DataFrame: Graph.from_polars}.get(make, Graph.from_arrow)
    ends = {"a": [1, 2], "b": [2, 3]}
    for first, second in (("text", "words"), ("words", "text"), ("float", "float"), ("date", "float")):
        table = {"x": NO_IDS[first], "y": NO_IDS[second], **ends}
        assert len([line for line in door(make(table)).report.lines() if "the ends of" in line]) == 1, table
    spans = {**ends, "start": [1.0, 2.0], "end": [2.0, 3.0]}
    assert [line.startswith("the ends of") for line in door(make(spans)).report.lines()] == [True]
    chosen = door(make(spans), edge_columns=["start", "end"], directed=True)
    assert not chosen.report and chosen.ids_of(chosen.edge_endpoints()[0]).tolist() == [1, 2]
    floats = {**ends, "c": [1.0, 2.0], "d": [0.5, 1.0]}
    assert door(make(floats)).report  # c may be ids
    assert not door(make({**floats, "c": [0.5, 1.0]})).report


def test_tables_say_what_they_guessed() -> None:
    table = pd.DataFrame({"tx": [1, 2], "who": [7, 8], "whom": [8, 9], "amount": [3.5, None]})
    note = "the ends of edges are the columns 'tx' and 'who', the first two; source= and target= name others"
    assert Graph.from_pandas(table).report.lines() == [note]
    assert Graph.from_pandas(table, edge_columns="whom").report.lines() == []
    assert Graph.from_pandas(table, edge_label="whom").report.lines() == []
    assert Graph.from_pandas(table, "who", "whom").report.lines() == []
    loop = pd.DataFrame({"tx": [1, 2], "who": [1, 8], "whom": [8, 9]})
    assert Graph.from_pandas(loop).report.lines() == ["dropped 1 self loop", note]


@pytest.mark.parametrize(
    ("columns", "options", "message", "hint"),
    [
        ({"w": [1.5, 2], "to": [1, 2]}, {}, "column 'w', row 0: 1.5 has a fraction", "pass integers or strings"),
        ({"x": [1, None], "y": [1, 2]}, {}, "column 'x', row 1: the value is missing", "drop the rows"),
        ({"x": [1, 2], "y": [True, False]}, {}, "column 'y' holds booleans", "convert them"),
        ({"x": [1, 5], "y": [1, 2]}, {"vertices": pd.DataFrame({"id": [1, 2]})},
         "column 'x', row 1: no vertex has the id 5", "Graph.ids lists them"),
        ({"x": ["a", "b"], "y": [1, 2]}, {"vertices": pd.DataFrame({"id": [1, 2]})},
         "column 'x' holds text, but the vertices' ids are integers", ""),
    ],
)  # fmt: skip
def test_ends_that_do_not_fit(
    columns: dict[str, Any], options: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(GraphError) as caught:
        Graph.from_pandas(pd.DataFrame(columns), **options)
    assert caught.value.message.startswith(message)
    assert caught.value.hint is not None and caught.value.hint.startswith(hint)
    assert caught.value.hint.endswith("source= and target= name other columns")


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (
            {"edge_label": ["t"]},
            "edge_label: a list is no name of a column",
            "the columns are: 'from', 'to', 't'",
        ),
        ({"edge_label": np.array(["t"])}, "edge_label: a ndarray is no name of a column", "the columns are"),
        ({"source": pd.Series([1])}, "source: a Series is no name of a column", "the columns are"),
        ({"edge_columns": [["t"]]}, "edge_columns: a list is no name of a column", "the columns are"),
        ({"edge_columns": 2}, "edge_columns= names columns, not 2 (int)", "a list: edge_columns=[...]"),
        ({"edge_columns": None}, "edge_columns= names columns, not None (NoneType)", "a list"),
    ],
)
def test_options_that_name_no_column(options: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(GraphError) as caught:
        Graph.from_pandas(pd.DataFrame({"from": [1], "to": [2], "t": [3]}), **options)
    assert caught.value.message == message
    assert caught.value.hint is not None and caught.value.hint.startswith(hint)


def test_other_errors_keep_their_hints() -> None:
    with pytest.raises(GraphError) as caught:
        Graph.from_pandas(pd.DataFrame({"x": [1], "y": [2]}), vertices=pd.DataFrame({"id": [1, 1]}))
    assert "source=" not in str(caught.value)
    with pytest.raises(
        GraphError, match=r"^src, row 0: 1.5 has a fraction\n  hint: pass integers or strings$"
    ):
        Graph.from_edges([1.5], [2])


def test_notes_are_added_and_pickled() -> None:
    import pickle

    graph = Graph.from_edges([0, 1, 1], [1, 0, 1])
    noted = graph.with_notes(["a note"])
    assert noted.report.lines() == ["dropped 1 self loop", "merged 1 duplicate edge", "a note"]
    assert graph.report.lines() == ["dropped 1 self loop", "merged 1 duplicate edge"]
    assert graph.with_notes([]) is graph and noted.equals(graph)
    assert pickle.loads(pickle.dumps(noted)).report == noted.report
