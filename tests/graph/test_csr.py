"""Graph.from_csr: no copies, and lists that form no graph are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subiso.errors import GraphError
from subiso.graph import EdgeLabels, Graph, VertexLabels


def test_arrays_are_shared_not_copied(tmp_path: Path) -> None:
    offsets = np.array([0, 1, 3, 4])
    np.array([1, 0, 2, 1], np.uint32).tofile(tmp_path / "neighbors")
    mapped = np.memmap(tmp_path / "neighbors", np.uint32, "r")
    labels = VertexLabels(("x", "y"), np.array([0, 1, 0], np.uint32))
    graph = Graph.from_csr(offsets, mapped, vertex_labels=labels, checked=True)
    assert np.shares_memory(graph.out.neighbors, mapped)
    assert np.shares_memory(graph.out.offsets, offsets)
    assert graph.vertex_labels is labels
    assert graph.num_edges == 2


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_round_trip(directed: bool, checked: bool) -> None:
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(
        *rng.integers(0, 9, (2, 60)),
        num_vertices=10,
        directed=directed,
        edge_labels=rng.integers(0, 3, 60),
        edge_columns={"w": rng.random(60)},
        parallel="keep",
        loops="keep",
    )
    parts: dict[str, Any] = (
        {"in_offsets": graph.in_.offsets, "in_neighbors": graph.in_.neighbors} if directed else {}
    )
    again = Graph.from_csr(
        graph.out.offsets,
        graph.out.neighbors,
        directed=directed,
        edge_labels=graph.edge_labels,
        edge_columns=graph.edge_columns,
        edge_rows=graph.edge_rows,
        has_loops=True,
        has_parallel=True,
        checked=checked,
        **parts,
    )
    assert again.equals(graph)
    assert np.array_equal(again.in_.edge_ids, graph.in_.edge_ids)
    assert (again.has_loops, again.has_parallel) == (graph.has_loops, graph.has_parallel) == (True, True)
    assert again.num_edges == graph.num_edges == 60


@pytest.mark.parametrize(
    ("offsets", "neighbors", "message"),
    [
        ([], [], "offsets has 0 entries"),
        ([1, 2], [0, 0], r"offsets\[0\] is 1"),
        ([0, 2, 1], [0, 1], r"offsets\[2\] is below offsets\[1\]"),
        ([0, 1, 5], [1, 0], "offsets end at 5 but there are 2 neighbors"),
        ([0, 1, 2], [1, 2], "neighbor 2 of vertex 1 is not below 2"),
        ([0, 2, 3, 4], [2, 1, 0, 0], "the list of vertex 0 is not sorted"),
        ([0, 1, 2, 2], [1, 2], "0 stands in the list of 1|1 stands in the list of 0"),
        ([0, 1, 1], [1], "1 stands in the list of 0 but 0 not as often in the list of 1"),
        ([0, 2, 3], [1, 1, 0], "1 stands in the list of 0 but 0 not as often in the list of 1"),
        ([0, 1], [-1], "neighbors holds values outside uint32"),
        ([0, 1], [0.5], "one-dimensional array of integers"),
    ],
)
def test_lists_that_form_no_graph(offsets: Any, neighbors: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_csr(offsets, neighbors)


def test_in_lists_must_belong_to_the_out_lists() -> None:
    out: Any = [0, 1, 2, 2], [2, 2]
    assert Graph.from_csr(*out, directed=True, in_offsets=[0, 0, 0, 2], in_neighbors=[0, 1]).in_[
        2
    ].tolist() == [0, 1]
    with pytest.raises(GraphError, match=r"0 stands in the in-list of 1|2 stands in the list of 0"):
        Graph.from_csr(*out, directed=True, in_offsets=[0, 0, 1, 2], in_neighbors=[0, 1])
    with pytest.raises(GraphError, match="in_offsets has 3 entries, offsets has 4"):
        Graph.from_csr(*out, directed=True, in_offsets=[0, 1, 2], in_neighbors=[0, 1])
    with pytest.raises(GraphError, match="go together"):
        Graph.from_csr(*out, directed=True, in_offsets=[0, 0, 0, 2])
    with pytest.raises(GraphError, match="undirected"):
        Graph.from_csr([0, 1, 2], [1, 0], in_offsets=[0, 1, 2], in_neighbors=[1, 0])


def test_edge_values_go_by_edge_id() -> None:
    with pytest.raises(GraphError, match="edge_labels has 2 entries for 1 edges"):
        Graph.from_csr([0, 1, 2], [1, 0], edge_labels=[1, 2])
    graph = Graph.from_csr(
        [0, 1, 2], [1, 0], edge_labels=EdgeLabels((5,), np.zeros(1, np.uint32)), ids=["p", "q"]
    )
    assert graph.edge_labels is not None
    assert graph.edge_labels.names == (5,)
    assert graph.index_of(["q"]).tolist() == [1]


def test_a_truncated_array_is_seen_even_when_vouched_for() -> None:
    with pytest.raises(GraphError, match="offsets end at 4 but there are 3 neighbors"):
        Graph.from_csr([0, 1, 3, 4], [1, 0, 2], checked=True)
