"""Schedule `fine` on a real device against the reference: the shim's random queries, and what only it can show."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest
from random_cases import FINE, canonical, describe, expected_rows, random_query, rows_of

from subiso.engine.base import Params
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

WISHES = [
    Wishes(fixed=False),
    Wishes(fixed=False, tau=0, row_capacity=64),
    Wishes(fixed=False, blocks=3, warps_per_block=2, tau=1000, pool_capacity=7, row_capacity=50),
]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed, mode)
    wanted = expected_rows(query)
    engine = CudaEngine(open_device(), WISHES[seed % len(WISHES)])
    assert engine.count(query, FINE).count == len(wanted), describe(query, seed)
    assert canonical(query, rows_of(engine, query)) == wanted, describe(query, seed)


@pytest.mark.parametrize("pattern", [Pattern.clique(4), Pattern.cycle(5), Pattern.diamond(), Pattern.house()])
def test_fixed_plans(pattern: Pattern) -> None:
    """Plans that are compiled in give what tables give."""
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(*rng.integers(0, 300, (2, 4000)), num_vertices=300)
    query = make_query(graph, pattern)
    found = {
        CudaEngine(open_device(), Wishes(fixed=fixed, tau=tau)).count(query, FINE).count
        for fixed in (True, False)
        for tau in (0, None)
    }
    assert len(found) == 1


def test_complete_graph() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(60), 2), strict=True))
    engine = CudaEngine(open_device())
    assert engine.count(make_query(graph, Pattern.clique(5)), FINE).count == 5_461_512
    rows = sum(len(batch) for batch in engine.stream(make_query(graph, Pattern.clique(4)), Params()))
    assert rows == 487_635


def test_timeout_stops_a_running_kernel() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(400), 2), strict=True))
    engine = CudaEngine(open_device())
    query = make_query(graph, Pattern.clique(9))
    engine.count(query, replace(FINE, timeout=0.1))  # compiles
    started = time.perf_counter()
    outcome = engine.count(query, replace(FINE, timeout=0.5))
    assert outcome.stopped_by == "timeout"
    assert time.perf_counter() - started < 5


def test_a_closed_stream_lets_go() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(200), 2), strict=True))
    engine = CudaEngine(open_device())
    stream = engine.stream(make_query(graph, Pattern.clique(6)), Params())
    assert len(next(stream)) > 0
    stream.close()
    assert stream.stopped_by == "cancelled"
    assert engine.count(make_query(graph, Pattern.clique(3))).count == 1_313_400
