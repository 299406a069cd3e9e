"""Schedule `fine` through the SIMT shim against the reference: every mode and condition, tiny capacities."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from math import comb

import numpy as np
import pytest
from random_cases import FINE, canonical, describe, expected_rows, random_query, rows_of
from shim import ShimMachine, simt

from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.layout import ARGS, BLOCK, CONTROL
from subiso.engine.cuda.tables import TABLES
from subiso.engine.cuda.tune import MAIL_BYTES, STACK_LEVEL_BYTES, Wishes
from subiso.engine.query import MODES, Query, make_query
from subiso.errors import SubisoError
from subiso.graph import Graph
from subiso.graph.generators import rmat
from subiso.pattern import Pattern

ORDERS = ("forward", "reverse", "random")
SCHEDULES = ("stack", "fine")
ENUMERATED = Switches(max_tail=1, expand="never", decompose="never", codegrees=False, local=False)
NESTED = Params(switches=Switches(local=False, decompose="never"))
"""One nest of loops, no bit rows."""
TINY = [
    Wishes(blocks=1, warps_per_block=1, tau=0, row_capacity=32, chunk=1, hub_length=1, edges=False),
    Wishes(blocks=3, warps_per_block=2, tau=0, row_capacity=40, chunk=2, arena_words=40),
    Wishes(blocks=2, warps_per_block=3, tau=1000, row_capacity=64, chunk=3, edges=False),
    Wishes(
        blocks=2,
        warps_per_block=2,
        tau=1000,
        pool_capacity=7,
        row_capacity=33,
        chunk=32,
        edges=False,
        arena_words=64,
    ),
    Wishes(blocks=2, warps_per_block=2, tau=0, row_capacity=50, batch=1, hub_length=4, hub_bytes=40),
    Wishes(blocks=2, warps_per_block=2, tau=0, row_capacity=50, batch=4, arena_words=24),
    Wishes(blocks=2, warps_per_block=2, tau=1000, row_capacity=50, share=False, hub_length=0),
]


def engines(seed: int) -> list[CudaEngine]:
    """Three of the ways to run, rotating with the seed, one per order."""
    return [
        CudaEngine(
            ShimMachine(order, seed=seed),
            TINY[(seed + i * 3) % len(TINY)],
            schedule=SCHEDULES[(seed + i) % 2],
        )
        for i, order in enumerate(ORDERS)
    ]


def check(query: Query, seed: int) -> None:
    wanted = expected_rows(query)
    for engine in engines(seed):
        what = f"{describe(query, seed)} {engine.wishes} {engine.machine.order}"
        assert engine.count(query, FINE).count == len(wanted), what
        assert canonical(query, rows_of(engine, query)) == wanted, what


def test_structures_are_the_same_on_both_sides() -> None:
    assert dict(simt.search_layout()) == {
        "args": ARGS.itemsize,
        "args.tables": ARGS.fields["tables"][1],
        "args.keep": ARGS.fields["keep"][1],
        "tables": TABLES.itemsize,
        "tables.ops": TABLES.fields["ops"][1],
        "tables.edges": TABLES.fields["edges"][1],
        "control": CONTROL.itemsize,
        "control.next": CONTROL.fields["next"][1],
        "control.stop": CONTROL.fields["stop"][1],
        "control.rows": CONTROL.fields["rows"][1],
        "control.busy_blocks": CONTROL.fields["busy_blocks"][1],
        "block": BLOCK.itemsize,
        "stack_level": STACK_LEVEL_BYTES,
        "mail": MAIL_BYTES,
    }


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("mode", MODES)
def test_rich_queries(mode: str, seed: int) -> None:
    check(random_query(seed, mode), seed)


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("mode", ["monomorphism", "induced"])
def test_plain_queries(mode: str, seed: int) -> None:
    check(random_query(1000 + seed, mode, rich=False), seed)


@pytest.mark.parametrize(
    ("order", "seed"), [("forward", 0), ("reverse", 0), *(("random", s) for s in range(6))]
)
def test_work_is_handed_over(order: str, seed: int) -> None:
    """One seed vertex only: whatever the other warps do was given to them."""
    n = 40
    graph = Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))
    query = make_query(graph, Pattern.clique(4), anchor={0: 0})
    engine = CudaEngine(ShimMachine(order, seed=seed), Wishes(blocks=3, warps_per_block=2, tau=0))
    assert engine.count(query, FINE).count == 39 * 38 * 37 // 6
    assert engine.last is not None
    assert engine.last.gifts >= 5


def test_sizes_that_take_long_are_handed_over() -> None:
    """One vertex with all others below it, and a long list to intersect below each of these."""
    n, warps = 200, 8
    graph = Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))
    query = make_query(graph, Pattern("(a)--(b)--(c)--(a), (b)--(d)--(a)"), anchor={0: 0})
    turns = {}  # of a warp: without sharing, one does everything
    for share in (True, False):
        machine = ShimMachine(fixed=True)
        wishes = Wishes(blocks=4, warps_per_block=2, tau=0, edges=False, fixed=True, hub_bytes=0, share=share)
        engine = CudaEngine(machine, wishes, schedule="fine")
        assert engine.count(query, NESTED).count == (n - 1) * comb(n - 2, 2)
        assert machine.compiled_launches == 1
        turns[share] = machine.turns // (warps if share else 1)
    assert turns[True] < turns[False] / 2


def test_rows_come_through_a_small_buffer() -> None:
    """Back-pressure: stacks are saved when the output is full and go on in the next launch."""
    graph = Graph.from_edges(*zip(*itertools.combinations(range(12), 2), strict=True))
    query = make_query(graph, Pattern.path(3), unique=False)
    engine = CudaEngine(ShimMachine("random", seed=1), Wishes(blocks=2, warps_per_block=2, row_capacity=64))
    rows = rows_of(engine, query)
    assert len(set(rows)) == len(rows) == 12 * 11 * 10
    assert engine.last is not None
    assert engine.last.launches >= 12 * 11 * 10 // 64


def test_a_stop_ends_the_launch() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(16), 2), strict=True))
    query = make_query(graph, Pattern.cycle(5))
    wishes = Wishes(blocks=2, warps_per_block=2, tau=0)
    machine = ShimMachine("forward", stop_after=3000)
    stopped = CudaEngine(machine, wishes).count(query, FINE).count
    whole = ShimMachine("forward")
    wanted = math.comb(16, 5) * 12
    assert CudaEngine(whole, wishes).count(query, FINE).count == wanted
    assert stopped < wanted
    assert machine.turns < whole.turns / 2


def test_tails_that_the_tables_do_not_hold_are_cut_short() -> None:
    """Eight leaves are a polynomial of degree eight on the CPU; kernels have six factors, and loops for the rest."""
    graph = Graph.from_edges([0] * 12 + [1], [*range(1, 13), 2])
    query = make_query(graph, Pattern.star(8))
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1))
    assert engine.count(query).count == math.comb(12, 8)


def test_batches_keep_lanes_busy() -> None:
    """The idle rate falls with the number of partial matches that are dealt together."""
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(*rng.integers(0, 60, (2, 150)), num_vertices=60)
    query = make_query(graph, Pattern.path(5))
    rates = []
    for batch in (1, 4, 32):
        engine = CudaEngine(
            ShimMachine(), Wishes(blocks=1, warps_per_block=1, tau=0, batch=batch), schedule="fine"
        )
        engine.count(query, NESTED)
        assert engine.last is not None
        rates.append(1 - engine.last.tasks / (32 * engine.last.steps))
    assert rates[0] > rates[1] > rates[2]
    assert rates[2] < rates[0] / 2


MEDIUM = rmat(7, 3, seed=3)
BOW = Pattern.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4), (4, 5)])
"""Two triangles at a vertex and a tail: its lists are short and of any length."""


@pytest.mark.parametrize("warps", [1, 3])
@pytest.mark.parametrize("tau", [0, 300])
def test_lanes_are_filled_from_above(warps: int, tau: int) -> None:
    """Where few tasks are left at a level, those that wait there are joined by others: hardly a lane is idle."""
    query = make_query(MEDIUM, BOW)
    wishes = Wishes(blocks=1, warps_per_block=warps, tau=tau, edges=False)
    engine = CudaEngine(ShimMachine("random", seed=warps), wishes, schedule="fine")
    assert engine.count(query, replace(FINE, switches=ENUMERATED)).count == cpu.count(query).count
    assert engine.last is not None
    assert 1 - engine.last.tasks / (32 * engine.last.steps) < 0.08


@pytest.mark.parametrize("warps", [1, 3])
@pytest.mark.parametrize("mode", MODES)
def test_filled_lanes_lose_no_row(mode: str, warps: int) -> None:
    """Entries that wait below, and those that were gathered, are saved with the others when the output is full."""
    small = rmat(5, 4, seed=1)
    query = make_query(small, BOW, mode=mode)
    engine = CudaEngine(
        ShimMachine("reverse"), Wishes(blocks=1, warps_per_block=warps, row_capacity=128), schedule="fine"
    )
    rows = rows_of(engine, query)
    assert canonical(query, rows) == expected_rows(query)
    assert engine.last is not None and engine.last.launches > 1


def test_large_patterns_and_hubs() -> None:
    """A path of 32 vertices through a path, and a star whose hub has more neighbours than a warp has lanes."""
    n = 40
    line = Graph.from_edges(range(n - 1), range(1, n))
    engine = CudaEngine(ShimMachine(), Wishes(blocks=2, warps_per_block=1))
    assert engine.count(make_query(line, Pattern.path(32))).count == n - 31
    star = Graph.from_edges([0] * 200, range(1, 201))
    assert engine.count(make_query(star, Pattern.star(3))).count == 200 * 199 * 198 // 6
    assert engine.count(make_query(star, Pattern.path(3))).count == 200 * 199 // 2


def test_wide_offsets() -> None:
    """The same kernels with 64-bit list bounds."""
    from subiso.engine.cuda import search

    query = random_query(3, "monomorphism", rich=False)
    wanted = reference.count(query).count
    original = search.SearchKernel
    try:
        search.SearchKernel = lambda **k: original(**{**k, "wide_offsets": True})  # type: ignore[misc,assignment]
        search.WIDE = 0
        engine = CudaEngine(ShimMachine(), Wishes(blocks=2, warps_per_block=2))
        assert engine.count(query, FINE).count == wanted
    finally:
        search.SearchKernel = original  # type: ignore[misc]
        search.WIDE = 1 << 32


def test_short_memory_makes_smaller_buffers() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(14), 2), strict=True))
    query = make_query(graph, Pattern.path(3), unique=False)
    wishes = Wishes(blocks=1, warps_per_block=1, row_capacity=8192)
    engine = CudaEngine(ShimMachine(room=20_000), wishes)
    rows = sum(len(batch) for batch in engine.stream(query, Params(batch_rows=8192)))
    assert rows == 14 * 13 * 12
    assert engine.last is not None and engine.last.launches > 1
    with pytest.raises(SubisoError, match="has no room for 1024 rows of output"):
        list(CudaEngine(ShimMachine(room=18_000), wishes).stream(make_query(graph, Pattern.path(5))))


def test_streams_stop() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(14), 2), strict=True))
    query = make_query(graph, Pattern.path(3), unique=False)
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1, row_capacity=64))
    closed = engine.stream(query, Params(batch_rows=64))
    next(closed)
    closed.close()
    assert (closed.stopped_by, list(closed)) == ("cancelled", [])
    late = engine.stream(query, Params(timeout=0, batch_rows=64))
    assert sum(len(batch) for batch in late) < 14 * 13 * 12
    assert late.stopped_by == "timeout"
    whole = engine.stream(query, Params())
    assert sum(len(batch) for batch in whole) == 14 * 13 * 12
    assert whole.stopped_by is None


def test_short_memory_makes_frugal_searches() -> None:
    """Where kept sets find no room the search goes without them; where nothing does, the error says so."""
    graph = Graph.from_edges(*zip(*itertools.combinations(range(30), 2), strict=True))
    query = make_query(graph, Pattern.clique(5))
    wishes = Wishes(warps_per_block=2, blocks=4)
    whole = CudaEngine(ShimMachine(), wishes, schedule="stack")
    short = CudaEngine(ShimMachine(room=20_000), wishes, schedule="stack")
    assert whole.count(query, NESTED).count == short.count(query, NESTED).count == comb(30, 5)
    assert whole.last is not None and whole.last.kernel.sets
    assert short.last is not None and not short.last.kernel.sets
    with pytest.raises(
        SubisoError, match="has no room for the search: beside the graph it takes a buffer of"
    ):
        CudaEngine(ShimMachine(room=9_000), wishes, schedule="stack").count(query, NESTED)
