"""Shapes against NetworkX's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

from subiso.graph import generators as gen
from subiso.graph.graph import Graph


def as_networkx(graph: Graph) -> Any:
    out = nx.DiGraph() if graph.directed else nx.Graph()
    out.add_nodes_from(range(graph.num_vertices))
    src, dst = graph.edge_endpoints()
    out.add_edges_from(zip(src.tolist(), dst.tolist(), strict=True))
    return out


def numbered(graph: Any) -> Any:
    return nx.convert_node_labels_to_integers(graph, ordering="sorted")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda: gen.complete(1), lambda: nx.complete_graph(1)),
        (lambda: gen.complete(9), lambda: nx.complete_graph(9)),
        (lambda: gen.complete(6, directed=True), lambda: nx.complete_graph(6, nx.DiGraph())),
        (lambda: gen.complete_bipartite(3, 5), lambda: nx.complete_bipartite_graph(3, 5)),
        (lambda: gen.cycle(3), lambda: nx.cycle_graph(3)),
        (lambda: gen.cycle(8), lambda: nx.cycle_graph(8)),
        (lambda: gen.cycle(2, directed=True), lambda: nx.cycle_graph(2, nx.DiGraph())),
        (lambda: gen.path(1), lambda: nx.path_graph(1)),
        (lambda: gen.path(7, directed=True), lambda: nx.path_graph(7, nx.DiGraph())),
        (lambda: gen.star(0), lambda: nx.star_graph(0)),
        (lambda: gen.star(6), lambda: nx.star_graph(6)),
        (lambda: gen.wheel(5), lambda: nx.wheel_graph(6)),
        (lambda: gen.grid(1, 1), lambda: nx.grid_2d_graph(1, 1)),
        (lambda: gen.grid(4, 6), lambda: nx.grid_2d_graph(4, 6)),
        (lambda: gen.grid(3, 5, periodic=True), lambda: nx.grid_2d_graph(3, 5, periodic=True)),
        (lambda: gen.hypercube(0), lambda: nx.empty_graph(1)),
        (lambda: gen.hypercube(4), lambda: nx.hypercube_graph(4)),
    ],
)
def test_equals_networkx(ours: Callable[[], Graph], theirs: Callable[[], Any]) -> None:
    one, other = as_networkx(ours()), numbered(theirs())
    assert set(one.nodes) == set(other.nodes)
    assert {frozenset(e) if not one.is_directed() else e for e in one.edges} == {
        frozenset(e) if not other.is_directed() else e for e in other.edges
    }
