"""The reference engine against formulas (complete graphs, grids, stars, walks) and counts of karate."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern


def count(graph: Graph, pattern: Pattern | str, **options: object) -> int:
    return reference.count(make_query(graph, pattern, **options), Params()).count  # type: ignore[arg-type]


def complete(n: int, directed: bool = False) -> Graph:
    pairs = itertools.permutations(range(n), 2) if directed else itertools.combinations(range(n), 2)
    sources, targets = zip(*pairs, strict=True)
    return Graph.from_edges(sources, targets, num_vertices=n, directed=directed)


@pytest.mark.parametrize(("n", "k"), [(5, 2), (6, 3), (7, 4), (7, 5)])
def test_cliques_of_a_complete_graph(n: int, k: int) -> None:
    assert count(complete(n), Pattern.clique(k)) == math.comb(n, k)
    assert count(complete(n), Pattern.clique(k), unique=False) == math.perm(n, k)
    assert count(complete(n), Pattern.clique(k), induced=True) == math.comb(n, k)


def test_paths_and_cycles_of_a_complete_graph() -> None:
    g = complete(6)
    assert count(g, Pattern.path(4)) == math.perm(6, 4) // 2
    assert count(g, Pattern.path(4), induced=True) == 0
    assert count(g, Pattern.cycle(5)) == math.perm(6, 5) // 10


def test_single_vertex_and_single_edge() -> None:
    g = Graph.from_edges([0, 1], [1, 2], num_vertices=5)
    assert count(g, "(a)") == 5
    assert count(g, "(a)--(b)") == 2
    assert count(g, "(a)--(b)", unique=False) == 4


def test_no_edges_and_no_vertices() -> None:
    empty = np.array([], dtype=np.int64)
    assert count(Graph.from_edges(empty, empty, num_vertices=3), "(a)--(b)") == 0
    assert count(Graph.from_edges(empty, empty, num_vertices=3), "(a)") == 3
    assert count(Graph.from_edges(empty, empty, num_vertices=0), "(a)") == 0


@pytest.mark.parametrize("leaves", [3, 6])
def test_stars(leaves: int) -> None:
    star = Graph.from_edges([0] * 7, range(1, 8), num_vertices=8)
    assert count(star, Pattern.star(leaves)) == math.comb(7, leaves)


def test_a_group_too_large_to_list() -> None:
    star = Graph.from_edges([0] * 13, range(1, 14), num_vertices=14)
    assert count(star, Pattern.star(12)) == 13


def test_squares_of_a_grid() -> None:
    edges = list(nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 6)).edges)
    g = Graph.from_edges(*zip(*edges, strict=True), num_vertices=24)
    assert count(g, Pattern.cycle(4)) == 3 * 5
    assert count(g, Pattern.cycle(4), induced=True) == 3 * 5
    assert count(g, Pattern.cycle(3)) == 0


@pytest.mark.parametrize("directed", [False, True])
def test_homomorphisms_are_walks(directed: bool) -> None:
    """Paths map to walks, counted by powers of the adjacency matrix; cycles to closed walks, by traces."""
    data = nx.gnp_random_graph(7, 0.4, seed=3, directed=directed)
    g = Graph.from_edges(*zip(*data.edges, strict=True), num_vertices=7, directed=directed)
    matrix = nx.to_numpy_array(data, nodelist=range(7), dtype=np.int64)
    arrow = "-->" if directed else "--"
    path = f"(a){arrow}(b){arrow}(c){arrow}(d)"
    assert count(g, path, mode="homomorphism") == np.linalg.matrix_power(matrix, 3).sum()
    cycle = f"{path}{arrow}(a)"
    assert count(g, cycle, mode="homomorphism") == np.trace(np.linalg.matrix_power(matrix, 4))


def test_edge_isomorphism_is_trails() -> None:
    """A path with all edges different, vertices free to repeat: the trails of three edges in a triangle."""
    triangle = complete(3)
    assert (
        count(triangle, Pattern.path(4), mode="edge-isomorphism") == 6
    )  # round the triangle, from each vertex
    assert count(triangle, Pattern.path(4), mode="homomorphism") == 3 * 2**3
    assert count(triangle, Pattern.path(4)) == 0


KARATE = {  # subgraphs and induced subgraphs of Zachary's karate club, published
    "triangle": (45, 45),
    "path3": (528, 393),
    "clique4": (11, 11),
}


@pytest.mark.parametrize("name", KARATE)
def test_karate(name: str) -> None:
    data = nx.karate_club_graph()
    g = Graph.from_edges(*zip(*data.edges, strict=True), num_vertices=34)
    pattern = Pattern.named(name)
    assert (count(g, pattern), count(g, pattern, induced=True)) == KARATE[name]


def test_directed_complete_graph() -> None:
    g = complete(4, directed=True)
    assert count(g, "(a)-->(b)-->(c)-->(a)") == 4 * 2
    assert count(g, "(a)--(b)--(c)--(a)") == 4
    assert count(g, "(a)-->(b)-->(c)-->(a)", induced=True) == 0
    assert count(g, "(a)<-->(b), (b)<-->(c), (c)<-->(a)", induced=True) == 4
