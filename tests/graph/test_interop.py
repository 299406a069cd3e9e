"""The doors to NetworkX, igraph, pandas, polars, Arrow, SciPy and tensors, in and out."""

from __future__ import annotations

from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from subiso.errors import GraphError
from subiso.graph import Graph


def pairs(graph: Graph) -> list[tuple[Any, Any]]:
    src, dst = graph.edge_endpoints()
    return list(zip(graph.ids_of(src).tolist(), graph.ids_of(dst).tolist(), strict=True))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.sampled_from([1, 2, None])),
        max_size=12,
    ),
    st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]),
)
def test_networkx_there_and_back(rows: list[Any], kind: Any) -> None:
    made = kind()
    made.add_nodes_from([("z", {"kind": ("p", "q")}), ("a", {"kind": "p", "age": 3.0})])
    for u, v, label in rows:
        made.add_edge(u, v, **({} if label is None else {"label": label}), time=len(made.edges))
    nx.set_node_attributes(made, {node: ord(node) for node in made}, "age")
    has_labels = any("label" in data for _, _, data in made.edges(data=True))
    graph = Graph.from_networkx(
        made,
        vertex_label="kind",
        edge_label="label" if has_labels else None,
        vertex_columns=["age"],
        edge_columns=["time"],
        parallel="keep",
        loops="keep",
    )
    assert graph.num_edges == made.number_of_edges()
    back = graph.to_networkx(vertex_label="kind")
    assert back.is_directed() == made.is_directed()
    assert {n: dict(d) for n, d in back.nodes(data=True)}.keys() == set(made.nodes)
    assert back.nodes["z"] == {"kind": ("p", "q"), "age": ord("z")}
    assert set(back.nodes["a"]["kind"]) == {"p"}
    assert edge_set(back) == edge_set(made)


def edge_set(graph: Any) -> list[Any]:
    order = (lambda u, v: (u, v)) if graph.is_directed() else (lambda u, v: tuple(sorted((u, v))))
    return sorted((*order(u, v), sorted(data.items())) for u, v, data in graph.edges(data=True))


def test_networkx_numbers_and_names() -> None:
    turned = nx.Graph([(2, 1), (1, 0)])
    graph = Graph.from_networkx(turned)
    assert graph.ids is None
    assert pairs(graph) == [(0, 1), (1, 2)]
    grid = Graph.from_networkx(nx.grid_2d_graph(2, 2))
    assert grid.ids is not None
    assert grid.ids.tolist() == [(0, 0), (0, 1), (1, 0), (1, 1)]
    mixed = Graph.from_networkx(nx.Graph([("a", 1), (1, (2, 3))]))
    assert mixed.ids is not None
    assert mixed.ids.tolist() == ["a", 1, (2, 3)]
    assert Graph.from_networkx(nx.Graph()).num_vertices == 0
    weighted = nx.DiGraph([(1, 0, {"w": 5}), (0, 1, {"w": 6})])
    single = Graph.from_networkx(weighted, edge_columns="w")
    assert single.edge_columns["w"].tolist() == [6, 5]
    assert Graph.from_networkx(weighted, keep_rows=True).edge_rows.tolist() == [1, 0]
    assert Graph.from_networkx(nx.MultiGraph([(0, 1), (0, 1)])).report.duplicates_merged == 1


def test_networkx_refusals() -> None:
    with pytest.raises(
        GraphError, match=r"vertex_label: no node has an attribute 'kin'(.|\n)*there are: 'kind'"
    ):
        Graph.from_networkx(_labelled(), vertex_label="kin")
    with pytest.raises(GraphError, match=r"edge_columns: edge \(1, 2\) has no attribute 'w'"):
        Graph.from_networkx(nx.Graph([(0, 1, {"w": 1}), (1, 2)]), edge_columns=["w"])
    with pytest.raises(GraphError, match="a list is no NetworkX graph"):
        Graph.from_networkx([(0, 1)])


def _labelled() -> Any:
    made = nx.Graph([(0, 1)])
    made.nodes[0]["kind"] = "x"
    return made


def test_igraph() -> None:
    made = igraph.Graph(
        [(2, 0), (0, 1)],
        directed=True,
        vertex_attrs={"age": [1, 2, 3]},
        edge_attrs={"kind": ["p", "q"], "w": [4, 5]},
    )
    graph = Graph.from_igraph(made, edge_label="kind", edge_columns=["w"], vertex_columns=["age"])
    assert graph.directed
    assert pairs(graph) == [(0, 1), (2, 0)]
    assert graph.edge_columns["w"].tolist() == [5, 4]
    assert graph.vertex_columns["age"].tolist() == [1, 2, 3]
    assert graph.edge_labels is not None
    assert [graph.edge_labels.names[c] for c in graph.edge_labels.codes] == ["q", "p"]
    assert Graph.from_igraph(igraph.Graph(n=3)).num_vertices == 3
    single = Graph.from_igraph(made, edge_columns="w", vertex_columns="age")
    assert list(single.edge_columns) == ["w"] and list(single.vertex_columns) == ["age"]
    assert Graph.from_igraph(made, keep_rows=True).edge_rows.tolist() == [1, 0]
    with pytest.raises(GraphError, match=r"vertex_label: no vertex has an attribute 'x'(.|\n)*'age'"):
        Graph.from_igraph(made, vertex_label="x")
    with pytest.raises(GraphError, match="no igraph Graph"):
        Graph.from_igraph(nx.Graph())


EDGES = {"from": ["b", "a"], "to": ["c", "b"], "kind": ["x", None], "w": [1.5, 2.5]}
VERTICES = {
    "name": ["c", "b", "a", "d"],
    "kind": ["p", None, "q", "p"],
    "role": ["r", "s", None, "p"],
    "age": [1, 2, 3, 4],
}


class OnlyStream:
    """Something that has nothing but the Arrow PyCapsule interface."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow", "batches", "capsule"])
def test_tables(kind: str) -> None:
    make: Any = {
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "lazy": lambda data: pl.DataFrame(data).lazy(),
        "arrow": pa.table,
        "batches": lambda data: pa.table(data).to_reader(),
        "capsule": lambda data: OnlyStream(pa.table(data)),
    }[kind]
    door: Any = {"pandas": Graph.from_pandas, "polars": Graph.from_polars, "lazy": Graph.from_polars}.get(
        kind, Graph.from_arrow
    )
    graph = door(make(EDGES), "from", "to", directed=True, edge_label="kind", edge_columns=["w"])
    assert pairs(graph) == [("a", "b"), ("b", "c")]
    assert graph.edge_columns["w"].tolist() == [2.5, 1.5]
    assert graph.edge_labels.names == ("x",)
    full = door(make(EDGES), vertices=make(VERTICES), vertex_label=["kind", "role"], vertex_columns=["age"])
    assert full.ids.tolist() == ["c", "b", "a", "d"]
    assert [set(full.vertex_labels.of(v)) for v in range(4)] == [{"p", "r"}, {"s"}, {"q"}, {"p"}]
    assert full.vertex_columns["age"].tolist() == [1, 2, 3, 4]
    one = door(make(EDGES), vertices=make(VERTICES), vertex_label="kind")
    assert one.vertex_labels.offsets is None
    single = door(
        make(EDGES), vertices=make(VERTICES), edge_columns="w", vertex_columns="age", keep_rows=True
    )
    assert list(single.edge_columns) == ["w"] and list(single.vertex_columns) == ["age"]
    bare = door(make(EDGES), directed=True, keep_rows=True)
    assert bare.edge_rows.tolist() == [1, 0]
    assert door(make(EDGES)).edge_rows is None
    turned = make({"w": [1.5, 2.5], "To": ["c", "b"], "FROM": ["b", "a"]})
    assert pairs(door(turned, directed=True)) == [("a", "b"), ("b", "c")]
    if kind == "batches":
        return
    with pytest.raises(GraphError, match=r"source: edges has no column 'x'(.|\n)*'from', 'to', 'kind', 'w'"):
        door(make(EDGES), "x", "to")
    with pytest.raises(GraphError, match="go together"):
        door(make(EDGES), "kind")
    with pytest.raises(GraphError, match="vertices=, which is missing"):
        door(make(EDGES), vertex_label="kind")
    with pytest.raises(GraphError, match="two are needed"):
        door(make({"a": [1]}))


def test_what_is_no_table() -> None:
    with pytest.raises(GraphError, match="edges: a list is no table"):
        Graph.from_arrow([1, 2])
    with pytest.raises(GraphError, match="pandas Series"):
        Graph.from_pandas(pd.Series([1]))
    with pytest.raises(GraphError, match="several columns 'a'"):
        Graph.from_pandas(pd.DataFrame([[1, 2]], columns=["a", "a"]))


@pytest.mark.parametrize("kind", [sp.csr_array, sp.coo_array, sp.csc_matrix])
def test_scipy(kind: Any) -> None:
    upper = np.array([[0, 5, 0], [0, 7, 2], [0, 0, 0]])
    for matrix in (upper, upper.T, np.maximum(upper, upper.T)):
        graph = Graph.from_scipy(kind(matrix), values="w", loops="keep")
        assert pairs(graph) == [(0, 1), (1, 1), (1, 2)]
        assert graph.edge_columns["w"].tolist() == [5, 7, 2]
        assert not graph.report
    arcs = Graph.from_scipy(kind(upper), directed=True, ids=["x", "y", "z"])
    assert pairs(arcs) == [("x", "y"), ("y", "z")]


def test_scipy_refusals() -> None:
    with pytest.raises(GraphError, match=r"an entry at \(2, 0\) but none at \(0, 2\)"):
        Graph.from_scipy(sp.csr_array([[0, 1, 0], [1, 0, 0], [1, 0, 0]]))
    with pytest.raises(GraphError, match=r"entries at \(0, 1\) and \(1, 0\) differ"):
        Graph.from_scipy(sp.csr_array([[0, 1], [2, 0]]), values="w")
    with pytest.raises(GraphError, match="square"):
        Graph.from_scipy(sp.csr_array(np.ones((2, 3))))
    with pytest.raises(GraphError, match="no SciPy sparse matrix"):
        Graph.from_scipy(np.ones((2, 2)))
    stored_zero = sp.coo_array(([0, 1], ([0, 1], [1, 2])), shape=(3, 3))
    assert pairs(Graph.from_scipy(stored_zero)) == [(1, 2)]


class OnlyDlpack:
    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


class OnlyInterface:
    def __init__(self, array: Any) -> None:
        self._array = array
        self.__array_interface__ = array.__array_interface__


class OnDevice:
    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("lives on a device")

    def __dlpack_device__(self) -> Any:
        return (2, 0)


@pytest.mark.parametrize("wrap", [np.asarray, OnlyDlpack, OnlyInterface, np.ndarray.tolist])
def test_edge_index(wrap: Any) -> None:
    index = np.array([[0, 1, 1, 3], [1, 0, 3, 1]])
    graph = Graph.from_edge_index(wrap(index), num_vertices=5)
    assert pairs(graph) == [(0, 1), (1, 3)]
    assert graph.num_vertices == 5
    assert graph.report.duplicates_merged == 2
    if wrap is not np.ndarray.tolist:
        assert pairs(Graph.from_edges(wrap(index[0].copy()), wrap(index[1].copy()), num_vertices=4)) == pairs(
            graph
        )


def test_edge_index_objects_and_refusals() -> None:
    class Data:
        edge_index = np.array([[0], [1]])
        num_nodes = 3

    assert Graph.from_edge_index(Data(), directed=True).num_vertices == 3
    with pytest.raises(GraphError, match=r"shape \(3, 2\)(.|\n)*transpose"):
        Graph.from_edge_index(np.zeros((3, 2), int))
    with pytest.raises(GraphError, match=r"lives on a device(.|\n)*move it to the CPU"):
        Graph.from_edge_index(OnDevice())
    with pytest.raises(GraphError, match=r"src: a OnDevice could not be read(.|\n)*move it to the CPU"):
        Graph.from_edges(OnDevice(), [0])
