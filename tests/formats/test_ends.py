"""Ends of edges and missing numbers: CSV, TSV, Parquet and DataFrames take the same columns and say the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from subiso.errors import FormatError, SubisoError
from subiso.formats import read, write
from subiso.graph import Graph

from .compare import edges_of, known

DOORS = ("csv", "quoted", "tsv", "edgelist", "parquet", "pandas", "polars", "arrow")


def through(door: str, folder: Path, table: dict[str, list[Any]], **options: Any) -> Graph:
    """The graph of a table that comes as a file, or as a DataFrame."""
    if door in ("pandas", "polars", "arrow"):
        make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[door]
        return getattr(Graph, f"from_{door}")(make(table), **options)
    if door == "parquet":
        parquet.write_table(pa.table(table), folder / "g.parquet")
        return read(folder / "g.parquet", **options)
    apart = {"tsv": "\t", "edgelist": " "}.get(door, ",")
    rows = [list(map(str, row)) for row in (list(table), *zip(*table.values(), strict=True))]
    if door == "quoted":
        rows[1:] = [[f'"{field}"' for field in row] for row in rows[1:]]
    suffix = {"tsv": "tsv", "edgelist": "txt"}.get(door, "csv")
    (folder / f"g.{suffix}").write_text("".join(apart.join(row) + "\n" for row in rows))
    return read(folder / f"g.{suffix}", **options)


def ring(*names: str) -> dict[str, list[int]]:
    """A ring of payments 10, 20, 30 in the second and third column."""
    columns = [[1, 2, 3], [10, 20, 30], [20, 30, 10], [5, 6, 7]]
    return dict(zip(names, columns, strict=False))


@pytest.mark.parametrize("door", DOORS)
def test_ends_by_their_names(tmp_path: Path, door: str) -> None:
    for pair in (
        ("payer", "payee"),
        ("Sender", "RECEIVER"),
        ("Follower_ID", "followee_id"),
        ("source", "target"),
    ):
        graph = through(door, tmp_path, ring("tx", *pair, "amount"), directed=True)
        ends = graph.edge_endpoints()
        assert [graph.ids_of(end).tolist() for end in ends] == [[10, 20, 30], [20, 30, 10]], pair
        assert not graph.report
    turned = through(door, tmp_path, ring("tx", "payee", "payer"), directed=True)
    assert [turned.ids_of(end).tolist() for end in turned.edge_endpoints()] == [[10, 20, 30], [30, 10, 20]]


@pytest.mark.parametrize("door", DOORS)
def test_a_guess_is_said(tmp_path: Path, door: str) -> None:
    guessed = through(door, tmp_path, ring("tx", "who", "whom", "amount"))
    note = "the ends of edges are the columns 'tx' and 'who', the first two; source= and target= name others"
    assert guessed.report.lines() == [note] and guessed.num_vertices == 6
    said = through(door, tmp_path, ring("tx", "who", "whom", "amount"), source="who", target="whom")
    assert not said.report and said.num_vertices == 3
    assert not through(door, tmp_path, ring("tx", "who")).report
    friends = {"name": ["ann", "bob"], "knows": ["bob", "cid"], "since": [2011, 2015]}
    assert not through(door, tmp_path, friends).report


@pytest.mark.parametrize("door", DOORS)
def test_two_pairs_and_half_a_choice_are_refused(tmp_path: Path, door: str) -> None:
    with pytest.raises(SubisoError, match=r"'payer', 'payee', 'from', 'to'(.|\n)*say which: source='payer'"):
        through(door, tmp_path, ring("payer", "payee", "from", "to"))
    with pytest.raises(SubisoError, match=r"source= and target= go together(.|\n)*name both"):
        through(door, tmp_path, ring("tx", "who", "whom"), source="who")
    with pytest.raises(SubisoError, match="source and target are both the column 'who'"):
        through(door, tmp_path, ring("tx", "who", "whom"), source="who", target="who")
    assert through(door, tmp_path, ring("tx", "payer", "payee"), source="payer").num_vertices == 3


def test_columns_that_the_caller_chose_are_no_ends(tmp_path: Path) -> None:
    for door in ("csv", "quoted", "parquet"):
        table = ring("x", "y", "weight")
        assert through(door, tmp_path, table).report.lines() != []
        assert not through(door, tmp_path, table, columns=["weight"]).report
        assert not through(door, tmp_path, table, label="weight").report
        assert through(door, tmp_path, table, columns=[]).report.lines() != []


def test_files_without_a_header_are_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("1,2,3\n2,3,4\n")
    assert not read(tmp_path / "g.csv").report
    (tmp_path / "g.txt").write_text("node1 node2\nnode2 node3\n")
    assert read(tmp_path / "g.txt").num_edges == 2


MIXED = {"tx": [1, 2], "who": ["ann", "bob"], "whom": ["bob", "cid"], "amount": [5, 6]}
GAP = {"tx": [1, None], "who": [2, 3], "x": [3, 4]}
LATE = {"tx": [1, 2], "who": [5, "x"], "whom": [6, 7]}
ENDS = "the ends of edges are the columns 'tx' and 'who', the first two; source= and target= name others"


@pytest.mark.parametrize(
    ("door", "table", "options", "message", "hint"),
    [
        ("csv", MIXED, {}, "field 3 (whom): 'bob' is not a number", ENDS),
        ("quoted", MIXED, {}, "field 'whom': 'bob' is not a finite number", ENDS),
        ("parquet", MIXED, {}, "column 'whom' is text", ENDS),
        ("parquet", MIXED, {"columns": []}, "one end has integer ids and the other text", ENDS),
        ("parquet", {"tx": [1.5], "who": [2], "x": [3]}, {}, "column 'tx' has type double", ENDS),
        ("parquet", GAP, {}, "column 'tx', row 1: the value is missing", ENDS),
        ("csv", LATE, {}, "field 2 (who): 'x' is not an integer", "source=, target=, label= and columns= choose"),
        ("quoted", LATE, {"ids": "int"}, "field 'who': 'x' is not a 64-bit integer", ENDS),
    ],
)  # fmt: skip
def test_ends_that_do_not_fit(
    *, tmp_path: Path, door: str, table: dict[str, Any], options: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(FormatError) as caught:
        through(door, tmp_path, table, **options)
    assert message in caught.value.message
    assert caught.value.hint is not None and hint in caught.value.hint


def test_ends_that_are_not_among_the_vertices(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("id\n10\n20\n30\n")
    (tmp_path / "w.csv").write_text("id\nann\n")
    table = ring("tx", "who", "whom")
    with pytest.raises(
        FormatError, match=r"vertex 1 is not in the vertex file\n  hint: the ends of edges are the"
    ):
        through("csv", tmp_path, table, vertices=tmp_path / "v.csv")
    assert through("csv", tmp_path, table, vertices=tmp_path / "v.csv", source=1, target=2).num_edges == 3
    parquet.write_table(pa.table({"id": ["ann"]}), tmp_path / "w.parquet")
    with pytest.raises(
        FormatError, match=r"text in the other\n  hint: read both with .*; the ends of edges are"
    ):
        through("parquet", tmp_path, table, vertices=tmp_path / "w.parquet")


def test_all_columns_of_text_are_named_at_once(tmp_path: Path) -> None:
    table = {"from": [1], "to": [2], "note": ["hi"], "sum": [3], "city": ["Bern"]}
    rest = "columns=['sum'] leaves them out, label='note' makes one of them the label"
    for door in ("csv", "quoted", "tsv", "parquet"):
        with pytest.raises(FormatError) as caught:
            through(door, tmp_path, table)
        assert caught.value.hint is not None
        assert caught.value.hint.startswith(f"'note', 'city' are text: {rest}"), door
    assert caught.value.message.endswith("columns 'note', 'city' are text; graph columns are numbers")


@pytest.mark.parametrize("door", ["csv", "quoted", "tsv", "edgelist", "parquet"])
def test_ends_and_labels_of_text_are_no_columns(tmp_path: Path, door: str) -> None:
    table = {"from": ["a", "b"], "to": ["b", "c"], "type": ["x", "y"], "sum": [3, 4]}
    for name in ("from", "type"):
        with pytest.raises(FormatError, match=f"column '{name}' is text; graph columns are numbers"):
            through(door, tmp_path, table, columns=[name], label="type")
    numbers = {"from": [1, 2], "to": [2, 3], "sum": [3, 4]}
    columns = through(door, tmp_path, numbers, directed=True, columns=["from", "sum"]).edge_columns
    assert {name: known(values) for name, values in columns.items()} == {"from": [1, 2], "sum": [3, 4]}


@pytest.mark.parametrize("door", ["csv", "quoted", "tsv", "edgelist", "parquet"])
def test_missing_numbers_are_nan(tmp_path: Path, door: str) -> None:
    gap: Any = {"parquet": None, "edgelist": "nan"}.get(door, "")
    table = {
        "from": [1, 2, 3],
        "to": [2, 3, 4],
        "whole": [7, gap, 9],
        "real": [gap, 0.5, gap],
        "true": [True, gap, False],
        "none": [gap, gap, gap],
        "all": [1, 2, 3],
    }
    columns = through(door, tmp_path, table, directed=True).edge_columns
    assert {name: known(values) for name, values in columns.items()} == {
        "whole": [7, None, 9],
        "real": [None, 0.5, None],
        "true": [1, None, 0],
        "none": [None, None, None],
        "all": [1, 2, 3],
    }
    assert [values.dtype.kind for values in columns.values()] == list("ffffi")


def test_nan_as_a_word(tmp_path: Path) -> None:
    for quote in ("", '"'):
        (tmp_path / "g.csv").write_text(f"from,to,w\n{quote}a{quote},b,NaN\nb,c,2\nc,d, \n")
        assert known(read(tmp_path / "g.csv", directed=True).edge_columns["w"]) == [None, 2, None]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_missing_numbers_of_vertices_and_round_trip(tmp_path: Path, suffix: str) -> None:
    columns = {"age": np.array([31.0, np.nan, 7]), "fee": np.array([np.nan] * 3)}
    graph = Graph.from_edges(
        ["a", "b"], ["b", "c"], vertex_columns=columns, edge_columns={"w": np.array([np.nan, 2.5])}
    )
    edges, vertices = tmp_path / f"e.{suffix}", tmp_path / f"v.{suffix}"
    write(graph, edges, vertices=vertices)
    found = read(edges, vertices=vertices)
    assert edges_of(found) == edges_of(graph)
    assert {k: known(v) for k, v in found.vertex_columns.items()} == {"age": [31, None, 7], "fee": [None] * 3}


def test_gaps_that_cannot_be_nan(tmp_path: Path) -> None:
    big = {"from": [1, 2], "to": [2, 3], "when": [2**53 + 1, ""]}
    for door, table in (("csv", big), ("quoted", big), ("parquet", {**big, "when": [2**53 + 1, None]})):
        with pytest.raises(
            FormatError, match=r"no float holds exactly\n  hint: drop the rows without a value"
        ):
            through(door, tmp_path, table)
    graph = Graph.from_edges([0], [1], edge_columns={"w": [np.inf]})
    with pytest.raises(
        FormatError, match=r"column 'w' holds infinite values\n  hint: write .subiso or Parquet"
    ):
        write(graph, tmp_path / "g.csv")
    graph = Graph.from_edges([0], [1], edge_columns={"w": [np.nan]})
    with pytest.raises(FormatError, match="column 'w' holds NaN or infinite values"):
        write(graph, tmp_path / "g.txt")
