"""What the readers' options mean, on small files written by hand."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from subiso.errors import FormatError
from subiso.formats import read, write
from subiso.graph import Graph

from .compare import edges_of, vertices_of


def make(folder: Path, name: str, content: str, **options: Any) -> Graph:
    (folder / name).write_bytes(content.encode())
    return read(folder / name, **options)


@pytest.mark.parametrize(
    ("top", "directed"),
    [
        ("", False),
        ("# Directed graph (each unordered pair of nodes is saved once): web.txt\n", True),
        ("# Undirected graph: ca.txt\n", False),
        ("% asym unweighted\n", True),
        ("% sym unweighted\n", False),
        ("# people who are directed by someone\n", False),
    ],
)
def test_direction_of_edge_lists(tmp_path: Path, top: str, directed: bool) -> None:
    assert make(tmp_path, "g.txt", top + "1 2\n2 1\n").directed == directed
    assert make(tmp_path, "g.txt", top + "1 2\n2 1\n", directed=True).num_edges == 2
    assert make(tmp_path, "g.txt", top + "1 2\n2 1\n", directed=False).num_edges == 1


def test_extra_columns(tmp_path: Path) -> None:
    text = "1 2 7 0.5\n2 3 8 1\n"
    graph = make(tmp_path, "g.txt", text)
    assert {k: v.tolist() for k, v in graph.edge_columns.items()} == {
        "column3": [7, 8],
        "column4": [0.5, 1.0],
    }
    graph = make(tmp_path, "g.txt", text, label=2, columns={"w": 3})
    assert graph.edge_labels.names == (7, 8)
    assert list(graph.edge_columns) == ["w"]
    assert not make(tmp_path, "g.txt", text, columns=()).edge_columns
    graph = make(tmp_path, "g.txt", "1 2 5\n1 2 6\n", parallel="keep")
    assert graph.has_parallel and graph.num_edges == 2


def test_ids(tmp_path: Path) -> None:
    assert make(tmp_path, "g.txt", "0 1\n1 2\n").ids is None
    assert make(tmp_path, "g.txt", "-5 1000000000000\n").ids.tolist() == [-5, 10**12]
    assert make(tmp_path, "g.txt", "ann bob\nbob ann\n").ids.tolist() == ["ann", "bob"]
    assert make(tmp_path, "g.txt", "7 ann\n").ids.tolist() == ["7", "ann"]
    assert make(tmp_path, "g.txt", "07 7\n", ids="text").ids.tolist() == ["07", "7"]
    assert make(tmp_path, "g.txt", "07 8\n").ids.tolist() == [7, 8]


def test_clean_up_is_reported(tmp_path: Path) -> None:
    report = make(tmp_path, "g.txt", "1 2\n2 1\n3 3\n1 2\n").report
    assert (report.loops_dropped, report.duplicates_merged) == (1, 2)


def test_csv_headers(tmp_path: Path) -> None:
    wanted = {(1, 2, None, ()): 1, (2, 3, None, ()): 1}
    for text in (
        "1,2\n2,3\n",
        "src,dst\n1,2\n2,3\n",
        "a,b\n1,2\n2,3\n",
        "To,From\n2,1\n3,2\n",
        "\ufeffsource,target\r\n1,2\r\n2,3",
    ):
        assert edges_of(make(tmp_path, "g.csv", text)) == wanted, text
    graph = make(tmp_path, "g.csv", "id,a,b,w\n9,1,2,5\n8,2,3,6\n", source="a", target="b", columns=["w"])
    assert edges_of(graph) == {(1, 2, None, (("w", 5),)): 1, (2, 3, None, (("w", 6),)): 1}
    graph = make(tmp_path, "g.csv", "u,v\nv,w\n")  # single letters may be vertices
    assert graph.num_edges == 2
    graph = make(tmp_path, "g.csv", "from;to;type\nx;y;\ny;z;KNOWS\n", delimiter=";")
    assert edges_of(graph) == {("x", "y", None, ()): 1, ("y", "z", "KNOWS", ()): 1}


def test_quoted_csv(tmp_path: Path) -> None:
    graph = make(tmp_path, "g.csv", 'source,target,label,n\n"a,1","b ""x""",,1\n"two\nlines",b,"L",2\n')
    assert edges_of(graph) == {
        ("a,1", 'b "x"', None, (("n", 1),)): 1,
        ("b", "two\nlines", "L", (("n", 2),)): 1,
    }


def test_quoted_numbers(tmp_path: Path) -> None:
    text = 'source,target,a,b,c\n"1", 2,3,true,"0.5"\n-5,"7",4,false,+1e3\n'
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(text.encode()))
    for graph in (make(tmp_path, "g.csv", text), read(tmp_path / "g.csv.gz")):
        assert graph.ids.tolist() == [-5, 1, 2, 7]
        columns = {k: v.tolist() for k, v in graph.edge_columns.items()}
        assert columns == {"a": [4, 3], "b": [False, True], "c": [1000.0, 0.5]}
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(text.replace("+1e3", "0x10").encode()))
    with pytest.raises(FormatError, match=r"g.csv.gz:3: field 'c': '0x10' is not a finite number"):
        read(tmp_path / "g.csv.gz")


def test_vertex_file(tmp_path: Path) -> None:
    (tmp_path / "v.tsv").write_text("id\tkind\tage\n5\tA;B\t3\n9\t\t4\n7\tB\t5\n")
    graph = make(
        tmp_path, "e.csv", "5,7\n", vertices=tmp_path / "v.tsv", label_separator=";", header=None, ids="int"
    )
    assert vertices_of(graph) == {
        5: (("A", "B"), (("age", 3),)),
        9: ((), (("age", 4),)),
        7: (("B",), (("age", 5),)),
    }


def test_matrix_market_kinds(tmp_path: Path) -> None:
    top = "%%MatrixMarket Matrix coordinate "
    graph = make(tmp_path, "g.mtx", top + "pattern symmetric\n% c\n3 3 2\n2 1\n3 1\n")
    assert not graph.directed and graph.num_edges == 2
    graph = make(
        tmp_path, "g.mtx", top + "real symmetric\n3 3 2\n2 1 0.5\n3 3 1\n", directed=True, loops="keep"
    )
    assert edges_of(graph) == {
        (0, 1, None, (("weight", 0.5),)): 1,
        (1, 0, None, (("weight", 0.5),)): 1,
        (2, 2, None, (("weight", 1.0),)): 1,
    }
    assert make(tmp_path, "g.mtx", top + "integer general\n2 2 1\n1 2 -7\n", column="w").edge_columns[
        "w"
    ].tolist() == [-7]


def test_several_graphs_in_one_tve_file(tmp_path: Path) -> None:
    text = "t # 0\nv 0 a\nv 1 b\ne 0 1 x\nt # 1\nv 3 c\nv 5 c\ne 5 3 y\nt # -1\n"
    assert edges_of(make(tmp_path, "g.txt", text, index=0)) == {(0, 1, "x", ()): 1}
    second = make(tmp_path, "g.txt", text, index=1)
    assert edges_of(second) == {(3, 5, "y", ()): 1}
    assert (second.vertex_labels.names, second.edge_labels.names) == (("c",), ("y",))
    assert make(tmp_path, "g.txt", "t # 0\nv 0 a\nv 1 b\ne 0 1\n").edge_labels is None


def test_metis_flags(tmp_path: Path) -> None:
    graph = make(tmp_path, "g.graph", "% c\n3 2 111 2\n1 10 20 2 7\n2 11 21 1 7 3 8\n3 12 22 2 8\n\n")
    assert {k: v.tolist() for k, v in graph.vertex_columns.items()} == {
        "size": [1, 2, 3],
        "weight1": [10, 11, 12],
        "weight2": [20, 21, 22],
    }
    assert graph.edge_columns["weight"].tolist() == [7, 8]
    assert make(tmp_path, "g.graph", "3 1\n3\n\n1\n").num_vertices == 3


def test_gzip_is_found_by_content(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_bytes(gzip.compress(b"1 2\n") + gzip.compress(b"2 3\n"))
    assert read(tmp_path / "g.txt").num_edges == 2


def test_opening_subiso_copies_nothing(tmp_path: Path) -> None:
    graph = Graph.from_edges(
        [0, 1], [1, 2], num_vertices=3, ids=["x", "y", "z"], edge_columns={"w": [1.0, 2.0]}
    )
    write(graph, tmp_path / "g.subiso")
    found = read(tmp_path / "g.subiso", check=False)
    for array in (found.out.offsets, found.out.neighbors, found.edge_columns["w"], found.ids):
        assert not array.flags.owndata and not array.flags.writeable
    assert found.index_of(["z", "x"]).tolist() == [2, 0]
    (tmp_path / "g.subiso").unlink()
    assert found.neighbors(1).tolist() == [0, 2]  # the mapping outlives the name
