"""Cliques along the degeneracy order and in pruned graphs through the shim, by every schedule: as by brute force."""

from __future__ import annotations

import itertools
import shutil
from functools import cache

import numpy as np
import pytest
from shim import ShimMachine

from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import Query, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.result.canonical import Canonical
from subiso.result.local import count_per

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
WAYS = [
    Switches(orientation="degeneracy", prune="never", sums=False),
    Switches(orientation="degeneracy", prune="cores", sums=False),
    Switches(orientation="degeneracy", prune="edges", pivots=False, sums=False),
    Switches(orientation="degree", prune="cores", sums=False),
    Switches(orientation="degree", prune="edges", sums=False),
    Switches(orientation="degree", prune="never", pivots=False, sums=False),
]
ORDERS = ("forward", "reverse", "random")
LARGE = LocalWishes(warp_limit=0, block_limit=0, warps_per_block=2, blocks=2)
"""Every neighbourhood is a large one."""


@cache
def case(directed: bool = False) -> tuple[Graph, dict[int, list[tuple[int, ...]]]]:
    """A graph whose two orders differ, with a dense middle and a fringe; and its cliques by size."""
    rng = np.random.default_rng(3)
    pairs = [
        (u, v) for u, v in itertools.combinations(range(22), 2) if rng.random() < (0.75 if v < 11 else 0.2)
    ]
    source, target = zip(*(pair[:: rng.choice([1, -1])] for pair in pairs), strict=True)
    edges = set(pairs)
    found = {
        k: [c for c in itertools.combinations(range(22), k) if edges.issuperset(itertools.combinations(c, 2))]
        for k in (3, 4, 5)
    }
    return Graph.from_edges(source, target, num_vertices=22, directed=directed), found


def engine_of(schedule: str, seed: int, wishes: LocalWishes = LARGE) -> CudaEngine:
    machine = ShimMachine(ORDERS[seed % 3], seed=seed)
    return CudaEngine(
        machine, Wishes(blocks=2, warps_per_block=2, fixed=False, local=wishes), schedule=schedule
    )


def rows(engine: CudaEngine, query: Query, params: Params) -> list[tuple[int, ...]]:
    canonical = Canonical(query)
    return sorted(tuple(row) for batch in engine.stream(query, params) for row in canonical(batch).tolist())


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.orientation}-{way.prune}-{way.pivots}")
@pytest.mark.parametrize("schedule", ["auto", "local", "fine", "stack", "levels"])
def test_counts(schedule: str, way: Switches) -> None:
    graph, cliques = case()
    engine = engine_of(schedule, WAYS.index(way))
    for k, found in cliques.items():
        if schedule == "local" and k == 3:
            continue  # too small for it
        assert (
            engine.count(make_query(graph, Pattern.clique(k)), Params(switches=way)).count == len(found) > 0
        )


@pytest.mark.parametrize("schedule", ["fine", "levels"])
@pytest.mark.parametrize("way", WAYS[1:4], ids=lambda way: f"{way.orientation}-{way.prune}")
def test_rows_of_a_directed_graph(way: Switches, schedule: str) -> None:
    """Small batches; the same machine meets the pruned graphs of two sizes, and keeps their copies apart."""
    graph, cliques = case(directed=True)
    engine = engine_of(schedule, 1)
    for k in (4, 5, 4):
        query = make_query(graph, Pattern.clique(k))
        assert rows(engine, query, Params(batch_rows=5, switches=way)) == cliques[k]


@pytest.mark.parametrize("per", ["vertex", "edge"])
def test_local_counts(per: str) -> None:
    graph, cliques = case()
    ends = [frozenset(pair) for pair in zip(*(e.tolist() for e in graph.edge_endpoints()), strict=True)]
    places = ends if per == "edge" else [frozenset([v]) for v in range(graph.num_vertices)]
    expected = [sum(place <= set(clique) for clique in cliques[4]) for place in places]
    for seed, way in enumerate(WAYS):
        found = count_per(
            make_query(graph, Pattern.clique(4)), per, engine_of("auto", seed), Params(switches=way)
        )
        assert found.counts is not None and found.counts.tolist() == expected  # type: ignore[union-attr]


def test_copies_of_clique_graphs_are_kept() -> None:
    """A second count of the same size copies nothing of the graph."""
    graph, _ = case()
    engine, params = engine_of("fine", 0), Params(switches=WAYS[1])
    query = make_query(graph, Pattern.clique(4))
    engine.count(query, params)
    copied = engine.caches[0].uploaded
    engine.count(query, params)
    assert engine.caches[0].uploaded == copied > 0


def test_nothing_is_left() -> None:
    tree = Graph.from_edges(range(9), range(1, 10))
    engine, query = engine_of("auto", 0), make_query(tree, Pattern.clique(4))
    for way in WAYS:
        assert engine.count(query, Params(switches=way)).count == 0
        assert rows(engine, query, Params(switches=way)) == []
