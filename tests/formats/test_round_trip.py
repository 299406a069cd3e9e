"""Whatever a writer writes, the reader gives back: for every format, on random graphs with all the format
can hold.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from subiso.errors import FormatError
from subiso.formats import read, verify, write
from subiso.graph import Graph

from .compare import assert_same
from .graphs import HARD_WORDS, graphs

FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
KEEP: dict[str, Any] = {"parallel": "keep", "loops": "keep"}


@FEW
@given(
    graphs(
        vertex_labels=("none", "int", "text", "several"),
        gaps=True,
        vertex_columns=True,
        edge_columns=True,
        words=HARD_WORDS,
    )
)
def test_subiso(tmp_path: Path, graph: Graph) -> None:
    write(graph, tmp_path / "g.subiso")
    for found in (
        read(tmp_path / "g.subiso"),
        read(tmp_path / "g.subiso", check=False),
        verify(tmp_path / "g.subiso"),
    ):
        assert_same(found, graph)
        assert found.num_edges == graph.num_edges
        if graph.edge_rows is not None:
            assert np.array_equal(found.edge_rows, graph.edge_rows)
        assert np.array_equal(found.in_.neighbors, graph.in_.neighbors)


@FEW
@given(graphs(vertex_labels=("none",), edge_columns=True, ids=("none",)))
@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_edge_list_of_dense_ids(tmp_path: Path, suffix: str, graph: Graph) -> None:
    write(graph, tmp_path / f"g{suffix}")
    assert_same(read(tmp_path / f"g{suffix}", **KEEP), graph)


@FEW
@given(graphs(vertex_labels=("none",), edge_columns=True, isolated=False))
def test_edge_list_of_any_ids(tmp_path: Path, graph: Graph) -> None:
    write(graph, tmp_path / "g.edges")
    assert_same(read(tmp_path / "g.edges", **KEEP), graph)


@FEW
@given(graphs(vertex_labels=("none",), edge_columns=True, isolated=False, gaps=True, words=HARD_WORDS))
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
def test_csv(tmp_path: Path, suffix: str, graph: Graph) -> None:
    path = tmp_path / f"g{suffix}"
    write(graph, path)
    ids = "text" if graph.ids is not None and graph.ids.dtype.kind == "O" else "int"
    assert_same(read(path, directed=graph.directed, ids=ids, **KEEP), graph)


@FEW
@given(graphs(vertex_labels=("none", "text", "several"), vertex_columns=True, edge_columns=True, gaps=True))
def test_csv_with_vertices(tmp_path: Path, graph: Graph) -> None:
    names = {"vertices": tmp_path / "v.csv", "label_separator": ";"}
    write(graph, tmp_path / "e.csv", **names)
    ids = "text" if graph.ids is not None and graph.ids.dtype.kind == "O" else "int"
    if graph.num_vertices == 0:
        return
    assert_same(read(tmp_path / "e.csv", directed=graph.directed, ids=ids, **names, **KEEP), graph)


@FEW
@given(
    graphs(
        vertex_labels=("none", "int", "text", "several"), vertex_columns=True, edge_columns=True, gaps=True
    )
)
def test_parquet(tmp_path: Path, graph: Graph) -> None:
    names = {"vertices": tmp_path / "v.parquet"}
    write(graph, tmp_path / "e.parquet", **names)
    assert_same(read(tmp_path / "e.parquet", **names, **KEEP), graph)


@FEW
@given(graphs(vertex_labels=("none",), edge_labels=("none",), ids=("none",)))
def test_matrix_market(tmp_path: Path, graph: Graph) -> None:
    write(graph, tmp_path / "g.mtx")
    assert_same(read(tmp_path / "g.mtx", **KEEP), graph)
    for dtype in (np.int64, np.float64):
        ends = graph.edge_endpoints()
        weighted = Graph.from_edges(
            *ends,
            num_vertices=graph.num_vertices,
            directed=graph.directed,
            edge_columns={"weight": np.arange(graph.num_edges).astype(dtype)},
            **KEEP,
        )
        write(weighted, tmp_path / "w.mtx.gz")
        assert_same(read(tmp_path / "w.mtx.gz", **KEEP), weighted)


@FEW
@given(graphs(ids=("none",), vertex_labels=("int", "text")))
@pytest.mark.parametrize("dialect", ["rapidmatch", "gspan"])
def test_tve(tmp_path: Path, dialect: str, graph: Graph) -> None:
    if graph.num_vertices == 0:
        return
    write(graph, tmp_path / "g.lg", dialect=dialect)
    assert_same(read(tmp_path / "g.lg", directed=graph.directed, **KEEP), graph)


@FEW
@given(
    graphs(
        directed=False,
        ids=("none",),
        vertex_labels=("none",),
        edge_labels=("none",),
        loops=False,
        parallel=False,
    )
)
def test_metis(tmp_path: Path, graph: Graph) -> None:
    write(graph, tmp_path / "g.metis")
    assert_same(read(tmp_path / "g.metis"), graph)
    numbers = np.arange(graph.num_vertices)
    for vertex_columns in (
        {},
        {"weight": numbers},
        {"size": numbers + 1, "weight1": numbers, "weight2": -numbers},
    ):
        for edge_columns in ({}, {"weight": np.arange(graph.num_edges)}):
            weighted = Graph.from_edges(
                *graph.edge_endpoints(),
                num_vertices=graph.num_vertices,
                vertex_columns=vertex_columns,
                edge_columns=edge_columns,
            )
            write(weighted, tmp_path / "w.metis")
            assert_same(read(tmp_path / "w.metis"), weighted)


@FEW
@given(graphs(ids=("none",), vertex_labels=("none", "int"), edge_labels=("none", "int")))
def test_graphminer(tmp_path: Path, graph: Graph) -> None:
    write(graph, tmp_path / "folder", format="graphminer")
    assert_same(read(tmp_path / "folder", directed=graph.directed, **KEEP), graph)


def test_same_graph_same_bytes(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], num_vertices=3)
    for name in ("g.subiso", "g.txt.gz", "g.mtx"):
        write(graph, tmp_path / name)
        first = (tmp_path / name).read_bytes()
        write(graph, tmp_path / name)
        assert (tmp_path / name).read_bytes() == first
    assert gzip.decompress((tmp_path / "g.txt.gz").read_bytes()).startswith(b"# Undirected graph\n")


def test_nothing_is_lost_in_silence(tmp_path: Path) -> None:
    graph = Graph.from_edges(
        [0, 1],
        [1, 2],
        num_vertices=4,
        vertex_labels=[["a", "b"], "c", None, None],
        vertex_columns={"age": [1, 2, 3, 4]},
    )
    for name in ("g.txt", "g.csv", "g.parquet", "g.mtx", "g.metis", "g.lg"):
        with pytest.raises(FormatError, match=r"cannot hold|several labels"):
            write(graph, tmp_path / name)
        assert not (tmp_path / name).exists()
    write(graph, tmp_path / "g.txt", lossy=True)
    assert read(tmp_path / "g.txt").num_vertices == 4


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    graph = Graph.from_edges(["a b", "c"], ["c", "d"])
    (tmp_path / "g.txt").write_text("1 2\n")
    with pytest.raises(FormatError, match="quotes"):
        write(graph, tmp_path / "g.txt")
    assert [p.name for p in tmp_path.iterdir()] == ["g.txt"]
    assert (tmp_path / "g.txt").read_text() == "1 2\n"
