"""The finished Graph: immutable, picklable, shared between threads, printable; and quick to import."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from subiso.errors import GraphError
from subiso.graph import Graph, VertexLabels


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def graph(request: Any) -> Graph:
    return Graph.from_edges(
        ["a", "b", "c", "a", "a"],
        ["b", "c", "a", "b", "a"],
        directed=request.param,
        vertex_labels=[["x", "y"], "x", None],
        edge_labels=[1, 2, None, 1, 3],
        vertex_columns={"age": [1.0, np.nan, 3.0]},
        edge_columns={"time": [5, 4, 3, 2, 1]},
        parallel="keep",
        loops="keep",
    )


def every_array(graph: Graph) -> dict[str, Any]:
    assert graph.vertex_labels is not None
    assert graph.edge_labels is not None
    return {
        "offsets": graph.out.offsets,
        "neighbors": graph.out.neighbors,
        "edge_ids": graph.out.edge_ids,
        "in offsets": graph.in_.offsets,
        "in neighbors": graph.in_.neighbors,
        "in edge_ids": graph.in_.edge_ids,
        "ids": graph.ids,
        "edge_rows": graph.edge_rows,
        "vertex codes": graph.vertex_labels.codes,
        "vertex offsets": graph.vertex_labels.offsets,
        "edge codes": graph.edge_labels.codes,
        "age": graph.vertex_columns["age"],
        "time": graph.edge_columns["time"],
    }


def test_nothing_can_be_changed(graph: Graph) -> None:
    for name, array in every_array(graph).items():
        assert not array.flags.writeable, name
    for change in (
        lambda: setattr(graph, "num_edges", 1),
        lambda: setattr(graph.out, "offsets", None),
        lambda: setattr(graph.vertex_labels, "names", ()),
        lambda: graph.edge_columns.__setitem__("time", None),  # type: ignore[attr-defined]
    ):
        with pytest.raises((AttributeError, TypeError)):
            change()
    with pytest.raises(TypeError, match=r"Graph\.from_edges"):
        Graph()


def test_the_callers_arrays_stay_writable() -> None:
    offsets, neighbors, ages = np.array([0, 1, 2]), np.array([1, 0], np.uint32), np.array([1, 2])
    made = Graph.from_csr(offsets, neighbors, vertex_columns={"age": ages})
    assert offsets.flags.writeable
    assert neighbors.flags.writeable
    assert ages.flags.writeable
    assert not made.vertex_columns["age"].flags.writeable


@pytest.mark.parametrize("touched", [False, True])
def test_pickle_and_copy(graph: Graph, touched: bool) -> None:
    if touched:
        every_array(graph)
    again = pickle.loads(pickle.dumps(graph))
    assert again.equals(graph)
    for name, array in every_array(again).items():
        assert np.array_equal(array, every_array(graph)[name], equal_nan=name == "age"), name
        assert array.dtype == every_array(graph)[name].dtype
        assert not array.flags.writeable
    assert again.report == graph.report
    assert again.index_of(["c"]).tolist() == [2]
    assert copy.copy(graph) is graph
    assert copy.deepcopy(graph) is graph
    lists = pickle.loads(pickle.dumps(graph.in_))
    assert np.array_equal(lists.edge_ids, graph.in_.edge_ids)


def test_threads_get_the_same_lazy_arrays() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        made = Graph.from_edges(*rng.integers(0, 500, (2, 20_000)), num_vertices=500, directed=True)
        with ThreadPoolExecutor(8) as pool:
            found = list(
                pool.map(lambda _, g=made: (id(g.in_), id(g.in_.edge_ids), id(g.out.edge_ids)), range(16))
            )
        assert len(set(found)) == 1


def test_derived_data_is_made_once_and_may_use_other_derived_data() -> None:
    made = Graph.from_edges([0, 1], [1, 2], directed=True)
    calls = []
    for _ in range(2):
        assert made.derived(("layout", 1), lambda: calls.append(1) or made.in_) is made.in_  # type: ignore[func-returns-value]
    assert calls == [1]
    assert pickle.loads(pickle.dumps(made)).num_edges == 2


def test_equals_sees_every_difference(graph: Graph) -> None:
    state = graph.__getstate__()

    def changed(**parts: Any) -> Graph:
        other = object.__new__(Graph)
        other.__setstate__({**state, **parts})
        return other

    assert graph.equals(changed())
    assert not graph.equals(changed(directed=not graph.directed))
    assert not graph.equals(changed(ids=None))
    assert not graph.equals(changed(vertex_labels=None))
    assert not graph.equals(changed(vertex_labels=VertexLabels(("x",), np.zeros(3, np.uint32))))
    assert not graph.equals(changed(edge_columns={}))
    assert not graph.equals(changed(edge_columns={"time": state["edge_columns"]["time"] + 1}))


def test_degrees_and_neighbors(graph: Graph) -> None:
    assert graph.degree().tolist() == ([3, 1, 1] if graph.directed else [4, 3, 2])
    assert graph.degree(0) == graph.degree([0, 1])[0]
    assert graph.neighbors(0).tolist() == ([0, 1, 1] if graph.directed else [0, 1, 1, 2])
    for ask in (graph.neighbors, graph.degree, lambda v: graph.degree([v])):
        for vertex in (3, -1):
            with pytest.raises(GraphError, match=f"{vertex}"):
                ask(vertex)
    with pytest.raises(GraphError, match=r"edge ids are integers in 0\.\.4"):
        graph.edge_endpoints([5])


def test_info(graph: Graph) -> None:
    info = graph.info()
    assert (info.num_vertices, info.num_edges, info.loops, info.has_parallel) == (3, 5, 1, True)
    assert info.vertex_labels == {"x": 2, "y": 1}
    assert (info.unlabeled_vertices, info.unlabeled_edges) == (1, 1)
    assert info.num_bytes == graph.num_bytes > 0
    shown = str(info)
    for words in (
        "5 ",
        "1 self loop",
        "some parallel",
        "x (2), y (1), none (1)",
        "time (int64)",
        "str: a, b, c",
    ):
        assert words in shown
    assert ("in-degree" in shown) == graph.directed
    before = graph.num_bytes
    _ = graph.in_.edge_ids
    assert graph.num_bytes > before


def test_info_of_degrees() -> None:
    rng = np.random.default_rng(1)
    made = Graph.from_edges(*rng.integers(0, 300, (2, 2000)), num_vertices=400)
    degrees, info = made.degree(), made.info().degrees
    assert (info.least, info.most, info.isolated) == (degrees.min(), degrees.max(), (degrees == 0).sum())
    assert info.median == np.median(degrees)
    assert info.mean == pytest.approx(degrees.mean())
    for low, high, count in info.bins:
        assert count == ((degrees >= low) & (degrees <= high)).sum()
    assert sum(count for _, _, count in info.bins) + info.isolated == 400
    assert "vertices" in str(Graph.from_edges([], []).info())


def test_import_needs_numpy_only() -> None:
    code = """
        import sys
        from subiso.graph import Graph
        g = Graph.from_edges(["a", "b"], ["b", "c"], vertex_labels=["x", "y", None], edge_labels=[1, 2])
        g.info(), g.in_.edge_ids, g.index_of(["a"])
        heavy = {"pyarrow", "pandas", "polars", "networkx", "scipy", "igraph", "torch"} & set(sys.modules)
        assert not heavy, heavy
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
