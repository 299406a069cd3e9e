"""Ends of edges and missing numbers: CSV, TSV, Parquet and DataFrames take the same columns and say the same."""

from __future__ import annotations

import ast
import re
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


@pytest.mark.parametrize("door", ["csv", "quoted", "parquet"])
def test_columns_that_the_caller_chose_are_no_ends(tmp_path: Path, door: str) -> None:
    table = ring("x", "y", "weight")
    assert through(door, tmp_path, table).report.lines() != []
    assert not through(door, tmp_path, table, columns=["weight"]).report
    assert not through(door, tmp_path, table, label="weight").report
    assert through(door, tmp_path, table, columns=[]).report.lines() != []
    spans = {"a": [1, 2], "b": [2, 3], "start": [10, 20], "end": [20, 30]}
    assert through(door, tmp_path, spans).ids.tolist() == [10, 20, 30]
    chosen = through(door, tmp_path, spans, columns=["start", "end"])
    assert chosen.ids.tolist() == [1, 2, 3] and list(chosen.edge_columns) == ["start", "end"]
    assert not chosen.report
    labelled = through(door, tmp_path, spans, label="start")
    assert labelled.ids.tolist() == [1, 2, 3] and labelled.edge_labels.names == (10, 20)
    assert labelled.report.lines()[0].startswith(
        "the ends of edges are the columns 'a' and 'b', the first two"
    )


DAY = ["2020-01-01", "2020-01-02"]


@pytest.mark.parametrize("door", ["csv", "quoted", "tsv", "parquet"])
@pytest.mark.parametrize(
    "names", [("day", "sum"), ("day", "time"), ("sum", "share"), ("kind", "day"), ("words", "kind")]
)
def test_ends_that_are_hardly_ids_are_said(tmp_path: Path, door: str, names: tuple[str, str]) -> None:
    some = {"day": DAY, "sum": ["12.5", "3.5"], "time": ["12:30", "7:00"], "share": ["0.5", "0.25"]}
    some |= {"kind": ["p", "q"], "words": ["x", "y"]}
    table = {**{name: some[name] for name in names}, "from_acct": [1, 2], "to_acct": [2, 3]}
    note = f"the ends of edges are the columns {names[0]!r} and {names[1]!r}, the first two"
    assert [line.split(";")[0] for line in through(door, tmp_path, table).report.lines()] == [note]
    spans = {"a": [1, 2], "b": [2, 3], "start": DAY, "end": DAY}
    assert "'start' and 'end', by their names" in through(door, tmp_path, spans).report.lines()[-1]


def test_columns_that_are_not_read_may_be_ends(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("day,kind,acct\n2020-01-01,x,7\n")
    assert read(tmp_path / "g.csv", columns=[]).report.lines() != []
    (tmp_path / "g.csv").write_text("who,whom,since\nann,bob,7\n")
    assert read(tmp_path / "g.csv", columns=[]).report.lines() == []


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt"])
@pytest.mark.parametrize("word", ["nan", "NaN", "NA", "null", "-nan", ""])
def test_missing_numbers_are_no_names(tmp_path: Path, suffix: str, word: str) -> None:
    if not word and suffix == "txt":
        return
    apart = {"csv": ",", "tsv": "\t", "txt": " "}[suffix]
    path = tmp_path / f"g.{suffix}"
    path.write_text(f"ann,bob,{word}\nbob,cid,3\n".replace(",", apart))
    graph = read(path, directed=True)
    assert graph.ids.tolist() == ["ann", "bob", "cid"]
    assert known(graph.edge_columns["column3"]) == [None, 3]
    path.write_text(f"ann,bob,true\nbob,cid,{word}\n".replace(",", apart))
    assert read(path).num_edges == 2
    if suffix != "txt":
        (tmp_path / f"v.{suffix}").write_text(f"ann,{word}\nbob,3\ncid,4\n".replace(",", apart))
        assert read(path, vertices=tmp_path / f"v.{suffix}").num_vertices == 3


@pytest.mark.parametrize("names", ["from,target", "source,to", "SRC,To", "tx,source,to", "source,target,1"])
def test_headers_over_text(tmp_path: Path, names: str) -> None:
    row = {2: "{},{}", 3: "7,{},{}" if names[0] == "t" else "{},{},7"}[names.count(",") + 1]
    rows = [row.format(*pair) for pair in (("ann", "bob"), ("bob", "cid"))]
    (tmp_path / "g.csv").write_text("\n".join([names, *rows]) + "\n")
    graph = read(tmp_path / "g.csv")
    assert graph.ids.tolist() == ["ann", "bob", "cid"] and not graph.report


@pytest.mark.parametrize("names", ["u,v", "node1,node2", "who,whom"])
def test_text_over_text_is_an_edge_and_said(tmp_path: Path, names: str) -> None:
    path = tmp_path / "g.csv"
    path.write_text(f"{names}\nann,bob\nbob,cid\n")
    graph = read(path)
    assert graph.num_edges == 3
    note = f"the first line, {names!r}, was read as an edge; header=True takes it for a header"
    assert graph.report.lines() == [note]
    assert read(path, header=True).num_edges == 2 and not read(path, header=True).report
    assert read(path, header=False).num_edges == 3 and not read(path, header=False).report
    path.write_text(f"{names}\n1,2\n")
    assert read(path).num_edges == 1 and not read(path).report


LEFT_OUT = "the column 'Unnamed: 0' holds row numbers and was left out; columns= takes it"


@pytest.mark.parametrize("names", [("from", "to"), ("a", "b")])
def test_row_numbers_are_left_out(tmp_path: Path, names: tuple[str, str]) -> None:
    path, ids = tmp_path / "g.csv", ["ann", "bob", "cid"]
    frame = pd.DataFrame({names[0]: ids[:2], names[1]: ids[1:], "sum": [0.5, None]})
    r = [("", *names, "sum"), ("1", "ann", "bob", 0.5), ("2", "bob", "cid", "NA")]
    texts = [
        frame.to_csv(),
        "\n".join(",".join(f'"{x}"' if type(x) is str else str(x) for x in row) for row in r),
    ]
    for text in texts:
        path.write_text(text)
        graph = read(path, directed=True)
        assert graph.ids.tolist() == ids and graph.report.lines() == [LEFT_OUT], text
        assert {name: known(values) for name, values in graph.edge_columns.items()} == {"sum": [0.5, None]}
        kept = read(path, columns=["Unnamed: 0"])
        assert list(kept.edge_columns) == ["Unnamed: 0"] and not kept.report
    frame.set_axis([7, 3]).to_parquet(tmp_path / "g.parquet")
    graph = read(tmp_path / "g.parquet")
    assert graph.ids.tolist() == ids and list(graph.edge_columns) == ["sum"]
    assert graph.report.lines() == [LEFT_OUT.replace("Unnamed: 0", "__index_level_0__")]


@pytest.mark.parametrize("ident", ["id", "who"])
def test_row_numbers_of_vertices_are_left_out(tmp_path: Path, ident: str) -> None:
    people = pd.DataFrame({ident: [7, 8], "age": [41, 29]}, index=[1, 0])
    edges = {"from": [7], "to": [8]}
    people.to_csv(tmp_path / "v.csv")
    graph = through("csv", tmp_path, edges, vertices=tmp_path / "v.csv")
    assert graph.ids.tolist() == [7, 8] and list(graph.vertex_columns) == ["age"]
    assert graph.report.lines() == [LEFT_OUT]
    again = pd.read_csv(tmp_path / "v.csv")
    assert Graph.from_pandas(pd.DataFrame(edges), vertices=again).ids.tolist() == [7, 8]


def test_names_that_are_missing(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("from,,to\n1,2,3\n")
    with pytest.raises(FormatError, match=r"has no name\n  hint: write a name there, or pass header=False"):
        read(tmp_path / "g.csv")


OWN = [
    "from",
    "to",
    "src",
    "dst",
    "source_id",
    "target_id",
    "u",
    "v",
    "parent",
    "child",
    "SOURCE",
    "start",
    "1",
]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_what_we_wrote_is_read_whatever_columns_are_called(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"g.{suffix}"
    for ids in ([5, 6, 7], ["ann", "bob", "cid"]):
        columns = {name: [i, i + 1] for i, name in enumerate(OWN)}
        graph = Graph.from_edges(ids[:2], ids[1:], edge_columns=columns)
        write(graph, path)
        assert edges_of(read(path)) == edges_of(graph) and not read(path).report
        for name in ("label", "Type", "relation", "source", "Unnamed: 0", "__index_level_0__"):
            graph = Graph.from_edges(ids[:2], ids[1:], edge_columns={name: [1, 2]})
            with pytest.raises(
                FormatError, match=f"cannot be called '{name}' here(.|\n)*rename it first, or"
            ):
                write(graph, path)
        graph = Graph.from_edges(ids[:2], ids[1:], edge_columns={"type": [1, 2]}, edge_labels=["x", "y"])
        write(graph, path)
        assert edges_of(read(path)) == edges_of(graph)
        graph = Graph.from_edges(ids[:2], ids[1:], vertex_columns={"kind": [1, 2, 3]})
        with pytest.raises(FormatError, match="cannot be called 'kind' here"):
            write(graph, path, vertices=tmp_path / f"v.{suffix}")
        graph = Graph.from_edges(ids[:2], ids[1:], vertex_columns={"2020": [1, 2, 3], "name": [1, 2, 3]})
        write(graph, path, vertices=tmp_path / f"v.{suffix}")
        assert set(read(path, vertices=tmp_path / f"v.{suffix}").vertex_columns) == {"2020", "name"}


@pytest.mark.parametrize(
    ("table", "options", "hint"),
    [
        ({"from": ["a"], "to": ["b"], "w": [1]}, {"columns": ["from", "w"]}, "columns=['w'] leaves it out"),
        ({"from": [1], "to": [2], "type": ["x"]}, {"columns": ["type"], "label": "type"}, "columns=[] leaves it out"),
        ({"from": [1], "to": [2], "type": ["x"], "city": ["y"]}, {}, "columns=[] leaves it out"),
        ({"from": [1], "to": [2], "w": [1], "city": ["y"]}, {"columns": {"v": "w", "c": "city"}},
         "label='city' makes it the label, columns=['w'] leaves it out"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("door", ["csv", "quoted", "parquet"])
def test_hints_that_can_be_followed(
    tmp_path: Path, door: str, table: dict[str, Any], options: dict[str, Any], hint: str
) -> None:
    with pytest.raises(FormatError) as caught:
        through(door, tmp_path, table, **options)
    assert (
        caught.value.hint is not None and caught.value.hint.removesuffix("; or the line is damaged") == hint
    )
    for said in re.findall(r"(\w+)=('\w+'|\[.*?\])", hint):
        followed = {**options, said[0]: ast.literal_eval(said[1])}
        if said[0] == "label":
            followed.pop("columns", None)
        assert through(door, tmp_path, table, **followed).num_edges == 1


@pytest.mark.parametrize("door", ["csv", "quoted", "parquet"])
def test_ends_as_columns_are_of_64_bits(tmp_path: Path, door: str) -> None:
    columns = through(door, tmp_path, ring("from", "to"), columns=["from"]).edge_columns
    assert columns["from"].dtype == np.int64


def test_files_without_a_header_are_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("1,2,3\n2,3,4\n")
    assert not read(tmp_path / "g.csv").report
    (tmp_path / "g.txt").write_text("node1 node2\nnode2 node3\n")
    assert read(tmp_path / "g.txt").num_edges == 2 and not read(tmp_path / "g.txt").report


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


@pytest.mark.parametrize("word", ["NaN", "nan", "-nan", "-NaN", "NA", "na", "null", "NULL"])
def test_words_for_missing_numbers(tmp_path: Path, word: str) -> None:
    for quote in ("", '"'):
        (tmp_path / "g.csv").write_text(f"from,to,w\n{quote}a{quote},b,{word}\nb,c,2\nc,d, \n")
        assert known(read(tmp_path / "g.csv", directed=True).edge_columns["w"]) == [None, 2, None]
        (tmp_path / "g.csv").write_text(f"from,to,w\n{quote}a{quote},b,{word}x\n")
        with pytest.raises(FormatError, match=f"'{word}x' is not a"):
            read(tmp_path / "g.csv")


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
    with pytest.raises(
        FormatError, match=r"holds NaN or infinite values\n  hint: write CSV, .subiso or Parquet"
    ):
        write(graph, tmp_path / "g.txt")
    write(graph, tmp_path / "g.csv")
