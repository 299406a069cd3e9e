"""Which columns are the ends of edges: every pair of names, what is a guess, what is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from subiso.errors import GraphError
from subiso.graph import Graph
from subiso.graph.ends import PAIRS, TIMES, Ends, find_ends, guess_note

FIRST_TWO = "the first two"


@pytest.mark.parametrize(("source", "target"), (*PAIRS, *TIMES))
def test_every_pair_is_known_in_any_case_and_order(source: str, target: str) -> None:
    for change in (str.lower, str.upper, str.title, lambda name: f"#{name} ", lambda name: f"{name}_id"):
        names = ["tx", change(target), "amount", change(source)]
        assert find_ends(names)[:2] == (3, 1), names
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
    ],
)
def test_what_is_taken(names: list[Any], ends: tuple[int, int, str]) -> None:
    assert find_ends(names) == Ends(*ends)


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
        ["source", "target", "source_id", "target_id"],
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
        ("iis", True),  # names, beside what may be numbers of rows
        ("sss", True),
        ("sii", True),
        ("ii?", True),  # not looked at
        ("ssi", False),  # numbers beside names: years, amounts
        ("iif", False),
        ("iib", False),
        ("ii-", False),  # the caller chose it for something else
    ],
)
def test_when_a_guess_is_said(kinds: str, said: bool) -> None:
    assert bool(guess_note("abc", Ends(0, 1, FIRST_TWO), kinds)) == said
    assert guess_note("abc", Ends(0, 1), kinds) == ()


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
