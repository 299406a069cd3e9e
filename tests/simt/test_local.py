"""Schedule `local` through the SIMT shim against the reference: every size class, forced by tiny limits."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest
from layouts import assert_same_layout
from local_cases import TINY, hub_query
from random_cases import describe
from shim import ShimMachine

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import local
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.layout import CONTROL
from subiso.engine.cuda.local import LocalReport
from subiso.engine.cuda.local_layout import LARGE, LOCAL_ARGS
from subiso.engine.cuda.local_tables import LOCAL_TABLES, lower_local
from subiso.engine.cuda.local_tune import LocalWishes, team_bytes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query, make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.statistics import statistics_of

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
ORDERS = ("forward", "reverse", "random")


def complete(n: int) -> Graph:
    return Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))


def fan(blades: int) -> list[tuple[int, int]]:
    """A hub joined to every vertex of a path."""
    return [(0, i) for i in range(1, blades + 1)] + [(i, i + 1) for i in range(1, blades)]


def fan_graph(blades: int) -> Graph:
    return Graph.from_edges(*zip(*fan(blades), strict=True))


def engine_of(order: str, seed: int, wishes: LocalWishes, **machine: object) -> CudaEngine:
    return CudaEngine(
        ShimMachine(order, seed=seed, **machine),  # type: ignore[arg-type]
        Wishes(blocks=2, warps_per_block=2, tau=0, fixed=False, local=wishes),
    )


def kinds(engine: CudaEngine) -> set[str]:
    assert isinstance(engine.last, LocalReport)
    return {c.kind for c in engine.last.classes} | ({"fallback"} if engine.last.fine_seeds else set())


def check(query: Query, seed: int) -> None:
    """Three of the ways to run, rotating with the seed, one per order."""
    wanted = reference.count(query).count
    for i, order in enumerate(ORDERS):
        engine = engine_of(order, seed, TINY[(seed + i) % len(TINY)])
        found = engine.count(query, Params(switches=Switches(expand="never"))).count
        assert found == wanted, f"{describe(query, seed)} {engine.wishes.local} {order}"


@pytest.mark.parametrize("seed", range(40))
def test_random_queries(seed: int) -> None:
    check(hub_query(seed), seed)


@pytest.mark.parametrize("seed", [12, 14, 27, 52])
def test_every_class_is_met(seed: int) -> None:
    """Chosen queries with neighbourhoods of many sizes."""
    query = hub_query(seed)
    wanted = reference.count(query).count
    seen = set()
    for wishes in TINY:
        engine = engine_of("random", seed, wishes)
        assert engine.count(query, Params(switches=Switches(expand="never"))).count == wanted, wishes
        seen |= kinds(engine)
    assert seen == {"warp", "block", "large", "fine", "fallback"}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limits", [(0, 256), (64, 256), (0, 40), (0, 0), (0, 0, 40), (0, 0, 5)], ids=str)
@pytest.mark.parametrize("k", [4, 5, 6])
def test_cliques_of_a_dense_graph(k: int, limits: tuple[int, ...], order: str) -> None:
    """More than one word per row, in every class; second vertices with and without rows of their own."""
    graph = complete(44)
    wishes = LocalWishes(
        warp_limit=limits[0],
        block_limit=limits[1],
        warps_per_block=2,
        blocks=2,
        inner_capacity=limits[2] if len(limits) > 2 else 256,
    )
    rng = np.random.default_rng(k)
    source, target = graph.edge_endpoints()
    kept = rng.random(len(source)) < (0.5 if k < 6 else 0.35)
    query = make_query(
        Graph.from_edges(source[kept], target[kept], num_vertices=graph.num_vertices), Pattern.clique(k)
    )
    engine = engine_of(order, k, wishes)
    assert engine.count(query).count == reference.count(query).count


@pytest.mark.parametrize("capacity", [4, 9, 256])
@pytest.mark.parametrize("seed", range(4))
def test_two_hubs_and_what_must_be_absent(seed: int, capacity: int) -> None:
    """Plans with loops enough for rows of the second vertex's own, labels and two relations among them."""
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(
        *rng.integers(0, 26, (2, 240)),
        num_vertices=26,
        directed=seed % 2 == 1,
        vertex_labels=[["A"] if rng.random() < 0.7 else ["A", "B"] for _ in range(26)],
    )
    arrow = "->" if graph.directed else "-"
    rim = "(c)--(d), (d:A)--(e), !(c)--(e)" if seed < 2 else "(c)--(d), (e:B)"
    hubs = ", ".join(
        f"({hub})-{arrow}({other})" for hub, others in (("a", "bcde"), ("b", "cde")) for other in others
    )
    query = make_query(graph, Pattern(f"{hubs}, {rim}"), mode="induced" if seed == 2 else "monomorphism")
    wishes = LocalWishes(warp_limit=0, block_limit=0, warps_per_block=2, blocks=2, inner_capacity=capacity)
    engine = engine_of(ORDERS[seed % len(ORDERS)], seed, wishes)
    switches = Switches(order="ri", expand="never", decompose="never", max_tail=1)
    assert engine.count(query, Params(switches=switches)).count == reference.count(query).count > 0
    assert isinstance(engine.last, LocalReport) and "inner" in engine.last.steps


@pytest.mark.parametrize("wishes", TINY, ids=range(len(TINY)))
@pytest.mark.parametrize("order", ORDERS)
def test_rows_after_the_seed_only(wishes: LocalWishes, order: str) -> None:
    """A hub joined to everyone: its row is asked for, those of its many neighbours of low degree are not."""
    rng = np.random.default_rng(8)
    edges = [(0, i) for i in range(1, 60)] + [tuple(e) for e in rng.integers(1, 20, (90, 2)) if e[0] != e[1]]
    graph = Graph.from_edges(*zip(*edges, strict=True))
    pattern = Pattern.from_edges([(i, j) for j in range(5) for i in range(j) if (i, j) != (3, 4)])
    query = make_query(graph, pattern)
    engine = engine_of(order, 8, wishes)
    resolved = resolve(query)
    upwards = Params(switches=Switches(order="ri", decompose="never"))
    plan = engine.formula(resolved, upwards).terms[0].plan
    assert lower_local(plan, resolved.reverse, 60).rows_after
    assert engine.count(query, upwards).count == reference.count(query).count > 0


@pytest.mark.parametrize("wishes", TINY, ids=range(len(TINY)))
@pytest.mark.parametrize("edges", [[(0, i) for i in range(1, 7)], [*((0, i) for i in range(1, 6)), (4, 5)]])
def test_second_vertices_below_the_seed(edges: list[tuple[int, int]], wishes: LocalWishes) -> None:
    """Stars ask for no rows, and with a chord for few: neighbours below the hub are there all the same."""
    graph = Graph.from_edges([0] * 12 + [1, 3, 5], [*range(1, 13), 2, 4, 6])
    query = make_query(graph, Pattern.from_edges(edges))
    short = Params(switches=Switches(max_tail=2, decompose="never", sums=False, order="ri"))
    engine = engine_of("forward", 1, wishes)
    assert engine.count(query, short).count == reference.count(query).count > 0
    assert isinstance(engine.last, LocalReport)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("pattern", "mode"),
    [
        (Pattern.clique(5), "monomorphism"),
        (Pattern.from_edges([(i, j) for j in range(5) for i in range(j) if (i, j) != (3, 4)]), "induced"),
        (Pattern("(a:A)--(b), (a)--(c:B), (a)--(d), (b)--(c), (c)--(d), (b)--(d), (d:A)"), "monomorphism"),
    ],
    ids=["5-clique", "near-clique", "labels"],
)
def test_compiled_plans(pattern: Pattern, mode: str, order: str) -> None:
    """Plans as NVRTC gets them: nested loops over registers, in every class."""
    rng = np.random.default_rng(4)
    labels = [["A"], ["B"], ["A", "B"]]
    graph = Graph.from_edges(
        *rng.integers(0, 40, (2, 330)), num_vertices=40, vertex_labels=[labels[i % 3] for i in range(40)]
    )
    query = make_query(graph, pattern, mode=mode)
    wanted = reference.count(query).count
    assert wanted, "a test with nothing to find"
    for wishes in (
        LocalWishes(warp_limit=10, block_limit=20, warps_per_block=2, blocks=2),
        LocalWishes(warp_limit=0, warps_per_block=2, blocks=2),
        LocalWishes(warp_limit=64, warps_per_block=2, blocks=2),
    ):
        machine = ShimMachine(order, seed=1)
        engine = CudaEngine(machine, Wishes(local=wishes))
        assert engine.count(query, Params(switches=Switches(expand="never"))).count == wanted, wishes
        assert isinstance(engine.last, LocalReport)
        assert engine.last.kernel is not None
        assert machine.compiled_launches == engine.last.launches >= 1


@pytest.mark.parametrize("limits", [(64, 64), (0, 64), (0, 0)], ids=["warp", "block", "large"])
def test_a_stop_ends_the_launches(limits: tuple[int, int]) -> None:
    query = make_query(complete(22), Pattern.clique(6))
    wishes = LocalWishes(warp_limit=limits[0], block_limit=limits[1], warps_per_block=2, blocks=2)
    stopped = engine_of("forward", 0, wishes, stop_after=1000)
    whole = engine_of("forward", 0, wishes)
    assert whole.count(query).count == 74_613
    assert stopped.count(query).count < 74_613
    assert stopped.machine.turns < whole.machine.turns / 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("limits", [(64, 64), (0, 64), (0, 0)], ids=["warp", "block", "large"])
def test_many_levels(limits: tuple[int, int]) -> None:
    """A fan of 26 blades in a fan of 30: the hub's neighbourhood is a path."""
    wishes = LocalWishes(warp_limit=limits[0], block_limit=limits[1], warps_per_block=2, blocks=3)
    engine = engine_of("random", 2, wishes)
    query = make_query(fan_graph(30), Pattern.from_edges(fan(26)))
    assert engine.count(query).count == 5
    assert isinstance(engine.last, LocalReport)


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_help_each_other(order: str) -> None:
    """One seed only: whatever other blocks count they took from its pairs."""
    query = make_query(complete(40), Pattern.clique(5), anchor={0: 0})
    wishes = LocalWishes(warp_limit=0, warps_per_block=1, blocks=4, passes=6)
    engine = engine_of(order, 1, wishes)
    assert engine.count(query).count == 39 * 38 * 37 * 36 // 24
    alone = engine_of(order, 1, LocalWishes(warp_limit=0, warps_per_block=1, blocks=1, passes=0))
    assert alone.count(query).count == 39 * 38 * 37 * 36 // 24


def test_a_run_counts_again_and_again() -> None:
    """Counters and tickets start anew, and tell how far it is."""
    engine = engine_of("random", 3, TINY[1])
    query = make_query(complete(14), Pattern.clique(5))
    resolved = resolve(query)
    plan = make_plan(resolved.problem, statistics_of(query.graph), counting=True)
    run = engine.prepare_count(plan, resolved)
    for _ in range(2):
        assert run.count(Watch(Params(), 0.0)) == 2002
        assert run.progress() == 1.0


def test_switched_off() -> None:
    query = make_query(complete(8), Pattern.clique(4))
    engine = engine_of("forward", 0, LocalWishes())
    assert engine.count(query, Params(switches=Switches(local=False))).count == 70
    assert not isinstance(engine.last, LocalReport)
    assert engine.count(query).count == 70
    assert isinstance(engine.last, LocalReport)


def test_no_seed_is_large_enough() -> None:
    engine = engine_of("forward", 0, LocalWishes())
    assert engine.count(make_query(complete(4), Pattern.clique(5))).count == 0
    assert isinstance(engine.last, LocalReport)
    assert engine.last.launches == 0


def test_wide_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "WIDE", 0)
    query = make_query(complete(12), Pattern.clique(5))
    for wishes in (TINY[1], TINY[2]):
        engine = engine_of("forward", 0, wishes)
        assert engine.count(query).count == 792
        assert isinstance(engine.last, LocalReport)
        assert engine.last.kernel is not None
        assert engine.last.kernel.wide_offsets


def test_plans_beyond_the_tables_run_fine() -> None:
    """More relations inside the neighbourhood than there are matrices."""
    pairs = list(itertools.combinations(range(9), 2))
    labels = np.array(["TUVWXYZ"[i % 7] for i in range(len(pairs))], dtype=object)
    graph = Graph.from_edges(*zip(*pairs, strict=True), edge_labels=labels)
    inner = ["(b)-[:T]-(c)", "(b)-[:U]-(d)", "(c)-[:V]-(d)", "(b)-[:W]-(e)", "(c)-[:X]-(e)", "(d)-[:Y]-(e)"]
    query = make_query(graph, Pattern(", ".join([*(f"(a)--({v})" for v in "bcde"), *inner])))
    engine = engine_of("forward", 0, LocalWishes())
    found = engine.count(query, Params(switches=Switches(expand="never"))).count
    assert found == reference.count(query).count
    assert not isinstance(engine.last, LocalReport)


def test_short_memory_falls_back() -> None:
    """Where not even the smallest scratch can be had, schedule `fine` does it."""
    query = make_query(fan_graph(500), Pattern.from_edges(fan(8)))
    wishes = LocalWishes(warps_per_block=2, blocks=2)
    for room, fine_seeds in ((20_000, 1), (None, 0)):
        engine = engine_of("forward", 0, wishes, room=room)
        assert engine.count(query).count == 493
        assert isinstance(engine.last, LocalReport)
        assert engine.last.fine_seeds == fine_seeds


def test_structures_are_the_same_on_both_sides(tmp_path: Path) -> None:
    kinds = {
        "LocalArgs<CsrStore<u32>>": LOCAL_ARGS,
        "LocalTables": LOCAL_TABLES,
        "LargeSeed": LARGE,
        "Control": CONTROL,
    }
    rooms = [
        f"sizeof(TeamShared) + 4 * team_words{numbers} == {team_bytes(*numbers)}"
        for numbers in ((64, 64, 2), (37, 77, 4))
    ]
    skipped = ("more_", "count_", "relations", "filters")
    assert_same_layout(tmp_path, ["local"], kinds, skip=skipped, more=rooms)
