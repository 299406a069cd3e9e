"""Schedule `pipeline` on a real device against the reference and other schedules: random queries, real sizes."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from random_cases import canonical, describe, expected_rows, random_query, rows_of

from subiso.engine.base import Params
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.pipeline import PipelineReport
from subiso.engine.cuda.pipeline_tune import PipelineWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

WISHES = [
    Wishes(),
    Wishes(row_capacity=64, pipeline=PipelineWishes(chunk_rows=64, table_bytes=4000, least_turns=8)),
    Wishes(
        blocks=3, warps_per_block=2, row_capacity=50, pipeline=PipelineWishes(twig_rows=20, overlap=False)
    ),
]


def engine_of(wishes: Wishes) -> CudaEngine:
    return CudaEngine(open_device(), wishes, schedule="pipeline")


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed, mode)
    wanted = expected_rows(query)
    engine = engine_of(WISHES[seed % len(WISHES)])
    assert engine.count(query).count == len(wanted), describe(query, seed)
    assert canonical(query, rows_of(engine, query)) == wanted, describe(query, seed)


def labelled(n: int, degree: int, labels: int) -> Graph:
    rng = np.random.default_rng(1)
    skew = rng.random(n) ** 3
    ends = rng.choice(n, (2, n * degree // 2), p=skew / skew.sum())
    return Graph.from_edges(*ends, num_vertices=n, vertex_labels=rng.integers(0, labels, n))


@pytest.mark.parametrize(
    "wishes",
    [
        PipelineWishes(),
        PipelineWishes(chunk_rows=5000),
        PipelineWishes(table_bytes=1 << 20),
        PipelineWishes(least_turns=16),
    ],
)
def test_large_joins_give_what_fine_gives(wishes: PipelineWishes) -> None:
    graph = labelled(20_000, 20, 8)
    pattern = Pattern.from_edges(
        [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5)], vertex_labels=[0, 1, 2, 3, 4, 5]
    )
    query = make_query(graph, pattern)
    engine = engine_of(Wishes(pipeline=wishes))
    assert engine.count(query).count == CudaEngine(open_device()).count(query).count
    assert isinstance(engine.last, PipelineReport)
    rows = sum(len(batch) for batch in engine.stream(query, Params()))
    assert rows == engine.count(query).count


def test_one_row_with_all_the_work() -> None:
    """Lanes give their work back, and the next launch deals it out anew."""
    graph = Graph.from_edges(*zip(*itertools.combinations(range(120), 2), strict=True))
    query = make_query(graph, Pattern.path(5), anchor={0: 0, 1: 1})
    engine = engine_of(Wishes(pipeline=PipelineWishes(leaf_order=False)))
    assert engine.count(query).count == 118 * 117 * 116
    assert isinstance(engine.last, PipelineReport) and engine.last.states > 100


def test_timeout_stops_a_running_kernel() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(400), 2), strict=True))
    engine = engine_of(Wishes())
    query = make_query(graph, Pattern.clique(6))
    engine.count(query, Params(timeout=0.1))  # compiles
    started = time.perf_counter()
    assert engine.count(query, Params(timeout=0.5)).stopped_by == "timeout"
    assert time.perf_counter() - started < 5


def test_a_closed_stream_lets_go() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(200), 2), strict=True))
    engine = engine_of(Wishes())
    stream = engine.stream(make_query(graph, Pattern.path(5)), Params())
    assert len(next(stream)) > 0
    stream.close()
    assert stream.stopped_by == "cancelled"
    assert engine.count(make_query(graph, Pattern.clique(3))).count == 1_313_400
