"""Schedule `local` on a real device against the reference and closed forms: the shim's queries, and real sizes."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from local_cases import TINY, hub_query
from random_cases import FINE, describe

import subiso
from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.local import LocalReport
from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

NEAR_CLIQUE = Pattern.from_edges([(i, j) for j in range(5) for i in range(j) if (i, j) != (3, 4)])
EVERY_CLASS = [
    LocalWishes(),
    LocalWishes(warp_limit=0, block_limit=0),
    LocalWishes(warp_limit=0, block_limit=256, passes=2),
    LocalWishes(warp_limit=16, block_limit=48, large_limits=(90, 8192), scratch_bytes=20_000),
    LocalWishes(warp_limit=0, block_limit=0, cliques=False),
    LocalWishes(warp_limit=0, block_limit=0, clique_capacities=(20, 40)),
]


@pytest.mark.parametrize("seed", range(60))
def test_random_queries(seed: int) -> None:
    query = hub_query(seed)
    engine = CudaEngine(open_device(), Wishes(fixed=False, local=TINY[seed % len(TINY)]))
    found = engine.count(query, Params(switches=Switches(expand="never"))).count
    assert found == reference.count(query).count, describe(query, seed)


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("pattern", [Pattern.clique(4), Pattern.clique(6), NEAR_CLIQUE])
def test_every_class_gives_what_fine_gives(pattern: Pattern, fixed: bool) -> None:
    rng = np.random.default_rng(1)
    skew = rng.random(400) ** 3
    graph = Graph.from_edges(*rng.choice(400, (2, 12_000), p=skew / skew.sum()), num_vertices=400)
    query = make_query(graph, pattern)
    wanted = CudaEngine(open_device()).count(query, FINE).count
    for wishes in EVERY_CLASS:
        engine = CudaEngine(open_device(), Wishes(fixed=fixed, local=wishes))
        assert engine.count(query).count == wanted, wishes
        assert isinstance(engine.last, LocalReport)


@pytest.mark.parametrize("density", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("k", [5, 6, 7])
def test_cliques_set_by_set(k: int, density: float) -> None:
    """Sets of up to 500 members, present edges or absent ones; the CPU counts by pivots."""
    n = {0.3: 900 if k > 5 else 1200, 0.5: 420 if k > 5 else 700, 0.9: 130 if k > 5 else 560}[density]
    rng = np.random.default_rng(k)
    source, target = np.triu_indices(n, 1)
    kept = rng.random(len(source)) < density
    graph = Graph.from_edges(source[kept], target[kept], num_vertices=n)
    wanted = subiso.count(graph, Pattern.clique(k), engine="cpu")
    for wishes in (LocalWishes(), LocalWishes(parts=3), LocalWishes(clique_capacities=(64, 300))):
        engine = CudaEngine(open_device(), Wishes(local=wishes))
        assert engine.count(make_query(graph, Pattern.clique(k))).count == wanted, wishes
        assert isinstance(engine.last, LocalReport) and "cliques" in engine.last.steps


@pytest.mark.parametrize(("n", "k"), [(40, 5), (40, 6), (300, 5), (300, 6), (500, 5), (500, 6), (520, 5)])
def test_cliques_of_complete_graphs(n: int, k: int) -> None:
    """Rows of every width; beyond 512 members there is no room for any."""
    graph = Graph.from_edges(*np.triu_indices(n, 1), num_vertices=n)
    engine = CudaEngine(open_device(), Wishes(local=LocalWishes(warp_limit=0, block_limit=0)))
    assert engine.count(make_query(graph, Pattern.clique(k))).count == math.comb(n, k)
    assert isinstance(engine.last, LocalReport) and "cliques" in engine.last.steps


@pytest.mark.parametrize("leaves", [6, 7, 9])
@pytest.mark.parametrize("wishes", EVERY_CLASS)
def test_stars_which_ask_for_no_rows(leaves: int, wishes: LocalWishes) -> None:
    """Six leaves at most are a tail; the loops of the others run over neighbours below the hub, too."""
    graph = Graph.from_edges([0] * 60 + [1] * 20, [*range(1, 61), *range(61, 81)])
    engine = CudaEngine(open_device(), Wishes(local=wishes))
    found = engine.count(make_query(graph, Pattern.star(leaves))).count
    assert found == math.comb(60, leaves) + math.comb(21, leaves)


def test_a_hub_of_many_neighbors() -> None:
    """A fan: one neighbourhood of 30,000, rows of 112 MB."""
    n = 30_000
    blades = [(0, i) for i in range(1, n + 1)] + [(i, i + 1) for i in range(1, n)]
    graph = Graph.from_edges(*zip(*blades, strict=True))
    pattern = Pattern.from_edges([(0, i) for i in range(1, 9)] + [(i, i + 1) for i in range(1, 8)])
    engine = CudaEngine(open_device())
    assert engine.count(make_query(graph, pattern)).count == n - 7
    assert isinstance(engine.last, LocalReport)
    assert engine.last.search_bytes < 512 << 20


def test_timeout_stops_running_kernels() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(200), 2), strict=True))
    engine = CudaEngine(open_device())
    query = make_query(graph, Pattern.clique(10))
    engine.count(query, Params(timeout=0.1))  # compiles
    started = time.perf_counter()
    assert engine.count(query, Params(timeout=0.5)).stopped_by == "timeout"
    assert time.perf_counter() - started < 5
