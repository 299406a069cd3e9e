"""Schedule `levels` on a real device against the reference and other schedules: the shim's queries, and real sizes."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest
from levels_cases import PARTITIONS, PHASES, TINY
from random_cases import canonical, describe, expected_rows, random_query, rows_of

from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.cuda.levels_tune import LevelsWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import MODES, make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.graph.generators import rmat, with_labels
from subiso.pattern import Pattern

PLAIN = Params(switches=Switches(max_tail=0, decompose="never", expand="never"))
"""Every vertex is matched."""
CORE = replace(PLAIN, switches=replace(PLAIN.switches, order="core"))
WAYS = [
    LevelsWishes(),
    LevelsWishes(output="prealloc"),
    LevelsWishes(output="twice", first="rarest"),
    LevelsWishes(balance=False, cache=False),
    LevelsWishes(operands="copied"),
    LevelsWishes(operands="reused", output="prealloc", rows=5000),
    LevelsWishes(rows=5000),
    LevelsWishes(parallel=True),
    LevelsWishes(parallel=True, eliminate=True, rows=20_000),
    LevelsWishes(operands="shared"),
    LevelsWishes(operands="shared", output="prealloc", warps_per_block=4),
    LevelsWishes(at_once=True),
    LevelsWishes(at_once=True, rows=5000),
    LevelsWishes(partition=True),
    LevelsWishes(partition=True, beside=False, rows=20_000),
    LevelsWishes(partition=True, parallel=True, operands="shared"),
]
NAMES = [
    "default",
    "prealloc",
    "twice",
    "plain",
    "copies",
    "copies used again",
    "small tables",
    "parallel",
    "eliminate",
    "sharing",
    "sharing buffers",
]
NAMES += ["at once", "at once, small tables", "partitions", "one partition", "partitions, parallel"]


def levels(wishes: Wishes = Wishes()) -> CudaEngine:  # noqa: B008 (frozen)
    return CudaEngine(open_device(), wishes, schedule="levels")


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed, mode)
    wanted = expected_rows(query)
    ways = TINY + PHASES + PARTITIONS
    engine = levels(ways[seed % len(ways)])
    assert engine.count(query).count == len(wanted), describe(query, seed)
    assert engine.count(query, PLAIN).count == len(wanted), describe(query, seed)
    assert canonical(query, rows_of(engine, query)) == wanted, describe(query, seed)


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
@pytest.mark.parametrize("text", ["(a)--(b)--(c)--(a)", "(a:A)-[:X]-(b)-[:Y]-(c:B)--(d)-[:X]-(a)"])
def test_every_technique_gives_what_fine_gives(text: str, way: LevelsWishes) -> None:
    """Hubs of thousands of neighbours: every kind of row."""
    rng = np.random.default_rng(1)
    n, m = 3000, 20_000
    hubs = np.repeat(np.arange(3), n)
    src = np.concatenate([hubs, rng.integers(0, n, m)])
    dst = np.concatenate([np.tile(np.arange(n), 3), rng.integers(0, n, m)])
    labels = [["A"], ["B"], ["A", "B"]]
    graph = Graph.from_edges(
        src,
        dst,
        num_vertices=n,
        vertex_labels=[labels[i % 3] for i in range(n)],
        edge_labels=np.array(["X", "Y"], dtype=object)[rng.integers(0, 2, len(src))],
    )
    query = make_query(graph, Pattern(text))
    wanted = CudaEngine(open_device(), schedule="fine").count(query, PLAIN).count
    engine = levels(replace(Wishes(), levels=way))
    for params in (PLAIN, CORE):
        assert engine.count(query, params).count == wanted
        assert sum(len(batch) for batch in engine.stream(query, params)) == wanted


@pytest.mark.parametrize(
    "way",
    [
        LevelsWishes(parallel=True),
        LevelsWishes(parallel=True, eliminate=True, rows=3000),
        LevelsWishes(parallel=True, partition=True, rows=20_000),
        LevelsWishes(parallel=True, at_once=True),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "(a)--(b), (a)--(c), (a)--(d)",
        "(a:0)--(b:1), (a)--(c:1), (a)--(d:2)--(e:0)",
        "(a)--(b)--(c)--(a)--(d), (b)--(e)",
    ],
)
def test_combinations_of_several_vertices(text: str, way: LevelsWishes) -> None:
    """From few per row to thousands, many rows without any, up to 10^8 in all."""
    graph = with_labels(rmat(9, 6, seed=2), 3, seed=1)
    for unique in (True, False):
        query = make_query(graph, Pattern(text), unique=unique)
        wanted = cpu.count(query).count
        engine = levels(replace(Wishes(), levels=way))
        for params in (PLAIN, CORE):
            assert engine.count(query, params).count == wanted


def test_more_combinations_of_a_row_than_32_bits_count() -> None:
    n = 70_000
    graph = Graph.from_edges([0] * n, range(1, n + 1), vertex_labels=["A"] + ["B"] * n)
    query = make_query(graph, Pattern("(a:A)--(b:B), (a)--(c:B)"), unique=False)
    engine = levels(replace(Wishes(), levels=LevelsWishes(parallel=True)))
    assert engine.count(query, PLAIN).count == n * (n - 1) > 1 << 32


def test_results_larger_than_memory_allows() -> None:
    """5-cliques of a complete graph, 5.4 million rows through tables of a few megabytes."""
    graph = Graph.from_edges(*zip(*itertools.combinations(range(60), 2), strict=True))
    engine = levels(replace(Wishes(), levels=LevelsWishes(table_bytes=8 << 20)))
    query = make_query(graph, Pattern.clique(5))
    assert engine.count(query, PLAIN).count == 5_461_512
    assert isinstance(engine.last, LevelsReport)
    assert engine.last.search_bytes < 10 << 20
    assert sum(len(batch) for batch in engine.stream(query)) == 5_461_512


def test_timeout_stops_running_kernels() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(400), 2), strict=True))
    engine = levels()
    query = make_query(graph, Pattern.clique(9))
    engine.count(query, replace(PLAIN, timeout=0))  # compiles
    started = time.perf_counter()
    assert engine.count(query, replace(PLAIN, timeout=0.5)).stopped_by == "timeout"
    assert time.perf_counter() - started < 5


def test_a_closed_stream_lets_go() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(200), 2), strict=True))
    engine = levels()
    stream = engine.stream(make_query(graph, Pattern.clique(6)), Params())
    assert len(next(stream)) > 0
    stream.close()
    assert stream.stopped_by == "cancelled"
    assert engine.count(make_query(graph, Pattern.clique(3))).count == 1_313_400


def knowledge(num_labels: int, n: int = 3000, m: int = 1_000_000) -> Graph:
    rng = np.random.default_rng(3)
    names = np.array([f"r{i}" for i in range(num_labels)], dtype=object)
    return Graph.from_edges(
        *rng.integers(0, n, (2, m)),
        num_vertices=n,
        directed=True,
        edge_labels=names[rng.integers(0, num_labels, m)],
    )


RING = "(a)-[:r0]->(b)-[:r1]->(c)-[:r2]->(d)-[:r3]->(a), (a)-[:r4]->(c)"


@pytest.mark.parametrize("storage", ["csr", "compressed", "label_csr", "hash_pcsr", "interval_pcsr"])
def test_a_store_beyond_the_budget_is_read_in_partitions(storage: str) -> None:
    """Five labels of 100,000 edges; the budget has room for two of them, then for none."""
    query = make_query(knowledge(10), Pattern(RING))
    params = replace(PLAIN, switches=replace(PLAIN.switches, candidate_graph="never"))
    counts, resident = [], []
    for budget in (1 << 30, 1_500_000, 1):
        engine = CudaEngine(open_device(), schedule="levels", storage=storage, budget=budget)
        counts += [engine.count(query, params).count, sum(len(rows) for rows in engine.stream(query, params))]
        assert isinstance(engine.last, LevelsReport)
        assert engine.last.partitioned == (budget < 1 << 30)
        resident.append(engine.last.resident)
    assert len(set(counts)) == 1
    assert counts[0] > 0
    assert resident[0] > resident[1] >= resident[2] > 0


def test_a_first_descent_in_one_launch_again_and_again() -> None:
    """Hundreds of launches whose blocks meet between steps: a step that began too soon would count wrongly."""
    query = make_query(knowledge(10), Pattern("(a)-[:r0]->(b)-[:r1]->(c)-[:r2]->(a), (c)-[:r3]->(d)"))
    engine = levels(replace(Wishes(), levels=LevelsWishes(at_once=True)))
    resolved = resolve(query)
    run = engine.prepare_count(engine.formula(resolved, PLAIN).terms[0].plan, resolved)
    wanted = CudaEngine(open_device(), schedule="fine").count(query, PLAIN).count
    assert {run.count(Watch(Params(), time.perf_counter())) for _ in range(300)} == {wanted}
    assert run.report().launches == 300
