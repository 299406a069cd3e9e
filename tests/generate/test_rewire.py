"""rewire: degrees stay, the graph stays simple, every graph with these degrees is equally likely."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

import subiso as si
from subiso.errors import GraphError
from subiso.graph import generators as gen

Edges = frozenset[tuple[int, int]]


def edges_of(graph: si.Graph) -> Edges:
    return frozenset(zip(*(ends.tolist() for ends in graph.edge_endpoints()), strict=True))


def mutual_degrees(graph: si.Graph) -> list[int]:
    edges = edges_of(graph)
    return [
        sum((u, v) in edges and (v, u) in edges for u in range(graph.num_vertices))
        for v in range(graph.num_vertices)
    ]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_degrees_stay_and_the_graph_stays_simple(seed: int, directed: bool) -> None:
    graph = gen.rmat(9, 8, seed=seed, directed=directed)
    other = si.rewire(graph, seed=seed)
    assert other.num_edges == graph.num_edges and not other.has_loops and not other.has_parallel
    assert other.directed == directed and not other.report.lines()
    assert (other.degree() == graph.degree()).all()
    assert (np.diff(other.in_.offsets) == np.diff(graph.in_.offsets)).all()
    kept = len(edges_of(other) & edges_of(graph))
    assert kept < 0.5 * graph.num_edges


def test_mutual_arcs_stay_mutual() -> None:
    graph = gen.erdos_renyi(80, m=1600, seed=2, directed=True)
    free, kept = si.rewire(graph, seed=1), si.rewire(graph, seed=1, keep_mutual=True)
    assert mutual_degrees(kept) == mutual_degrees(graph) != mutual_degrees(free)
    assert (kept.degree() == graph.degree()).all()
    assert (np.diff(kept.in_.offsets) == np.diff(graph.in_.offsets)).all()
    assert kept.num_edges == graph.num_edges and edges_of(kept) != edges_of(graph)


def test_what_belongs_to_vertices_stays() -> None:
    graph = si.Graph.from_edges(
        ["a", "b", "c", "d"],
        ["b", "c", "d", "a"],
        vertex_labels={"a": "x", "b": "y"},
        vertex_columns={"w": [1, 2, 3, 4]},
        edge_labels=[1, 2, 3, 4],
    )
    other = si.rewire(graph, seed=5)
    assert other.ids.tolist() == graph.ids.tolist() and other.vertex_columns["w"].tolist() == [1, 2, 3, 4]
    assert other.vertex_labels.mask("x").tolist() == [True, False, False, False]
    assert other.edge_labels is None


def test_seeds() -> None:
    graph = gen.barabasi_albert(200, 3, seed=1)
    same, again = si.rewire(graph, seed=3, sample=4), si.rewire(graph, seed=3, sample=4)
    assert same.equals(again)
    assert not same.equals(si.rewire(graph, seed=4, sample=4))
    assert not same.equals(si.rewire(graph, seed=3, sample=5))
    assert si.rewire(graph, 0).equals(graph)


def test_the_same_graph_on_every_platform() -> None:
    """A promise, as for the generators: these numbers must never change."""
    ring = si.rewire(gen.cycle(7), seed=1)
    assert sorted(edges_of(ring)) == [(0, 4), (0, 6), (1, 4), (1, 5), (2, 3), (2, 5), (3, 6)]
    arcs = si.Graph.from_edges([0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 0, 2], directed=True)
    assert sorted(edges_of(si.rewire(arcs, seed=1))) == [(0, 1), (0, 2), (1, 4), (2, 3), (3, 0), (4, 2)]


def all_simple(degrees: list[int]) -> set[Edges]:
    pairs = list(combinations(range(len(degrees)), 2))
    found = set()
    for chosen in combinations(pairs, sum(degrees) // 2):
        ends = Counter(v for pair in chosen for v in pair)
        if [ends[v] for v in range(len(degrees))] == degrees:
            found.add(frozenset(chosen))
    return found


def all_directed(out: list[int], in_: list[int]) -> set[Edges]:
    pairs = list(permutations(range(len(out)), 2))
    found = set()
    for chosen in combinations(pairs, sum(out)):
        sources, targets = Counter(u for u, _ in chosen), Counter(v for _, v in chosen)
        if [sources[v] for v in range(len(out))] == out and [targets[v] for v in range(len(in_))] == in_:
            found.add(frozenset(chosen))
    return found


def check_uniform(graph: si.Graph, possible: set[Edges], draws: int = 4000, **options: bool) -> None:
    """Pearson's chi-square, five standard deviations above its mean at most."""
    seen = Counter(edges_of(si.rewire(graph, 20, seed=7, sample=i, **options)) for i in range(draws))
    assert set(seen) == possible
    expected = draws / len(possible)
    chi = sum((seen[edges] - expected) ** 2 / expected for edges in possible)
    freedom = len(possible) - 1
    assert chi < freedom + 5 * (2 * freedom) ** 0.5, (chi, freedom)


def test_every_graph_is_equally_likely() -> None:
    graph = si.Graph.from_edges([0, 0, 0, 1, 2, 3], [1, 2, 3, 4, 4, 5], num_vertices=6)
    possible = all_simple(graph.degree().tolist())
    assert len(possible) > 10
    check_uniform(graph, possible)


def test_every_directed_graph_is_equally_likely() -> None:
    graph = si.Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 0, 0, 3], num_vertices=4, directed=True)
    possible = all_directed(graph.degree().tolist(), np.diff(graph.in_.offsets).tolist())
    assert len(possible) > 5
    check_uniform(graph, possible)


def test_rings_of_three_are_turned() -> None:
    """Switches alone cannot."""
    ring = si.Graph.from_edges([0, 1, 2], [1, 2, 0], directed=True)
    both = {frozenset({(0, 1), (1, 2), (2, 0)}), frozenset({(1, 0), (2, 1), (0, 2)})}
    check_uniform(ring, both, 1000)
    check_uniform(ring, both, 1000, keep_mutual=True)


@pytest.mark.parametrize("edges", [([], []), ([0], [1]), ([0, 0], [1, 2])])
def test_nothing_to_switch(edges: tuple[list[int], list[int]]) -> None:
    for directed in (False, True):
        graph = si.Graph.from_edges(*edges, num_vertices=4, directed=directed)
        assert si.rewire(graph, seed=1).equals(graph)


def test_mistakes() -> None:
    plain = si.Graph.from_edges([0], [1])
    with pytest.raises(GraphError, match="this one has self loops"):
        si.rewire(si.Graph.from_edges([0, 1], [1, 1], loops="keep"))
    with pytest.raises(GraphError, match="this one has parallel edges"):
        si.rewire(si.Graph.from_edges([0, 0], [1, 1], parallel="keep"))
    with pytest.raises(GraphError, match="keep_mutual is for directed graphs"):
        si.rewire(plain, keep_mutual=True)
    for swaps in (-1, float("inf"), float("nan"), "ten", True):
        with pytest.raises(GraphError, match="swaps is"):
            si.rewire(plain, swaps)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="takes a subiso"):
        si.rewire("graph")  # type: ignore[arg-type]
