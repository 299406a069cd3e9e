"""Schedule `pipeline` through the SIMT shim against the reference: every mode and condition, tiny chunks and tables."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from math import ceil, comb, prod
from typing import Any

import numpy as np
import pytest
from random_cases import canonical, describe, expected_rows, random_query, rows_of
from shim import ShimMachine

from subiso import explain
from subiso.engine import cpu, reference, twigs
from subiso.engine.base import Params
from subiso.engine.cuda import runs, watch
from subiso.engine.cuda.by_twigs import plan_twigs
from subiso.engine.cuda.choose import joins_twigs
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.pipeline import PipelineReport
from subiso.engine.cuda.pipeline_tables import (
    BUILD_ARGS,
    JOIN_ARGS,
    JOIN_CONTROL,
    JOIN_STEP,
    JOIN_TABLES,
    JOIN_WEIGHT,
    MAX_STEPS,
)
from subiso.engine.cuda.pipeline_tune import PipelineWishes, part_rows
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, Query, make_query
from subiso.errors import DeviceMemoryError, UnsupportedError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.graph.generators import rmat
from subiso.pattern import Pattern
from subiso.plan.hanging import MOST_WEIGHTS
from subiso.plan.joins import make_twig_plan

ORDERS = ("forward", "reverse", "random")
TINY = [
    Wishes(blocks=1, warps_per_block=1, row_capacity=32, pipeline=PipelineWishes(chunk_rows=7, twig_rows=1)),
    Wishes(
        blocks=2,
        warps_per_block=2,
        row_capacity=40,
        pipeline=PipelineWishes(chunk_rows=64, first_chunk=5, table_bytes=4000, least_turns=2, unit=3),
    ),
    Wishes(
        blocks=2,
        warps_per_block=1,
        row_capacity=1000,
        pipeline=PipelineWishes(leaf_order=False, overlap=False, least_turns=40, twig_rows=30, weigh=False),
    ),
    Wishes(
        blocks=3,
        warps_per_block=2,
        row_capacity=60,
        pipeline=PipelineWishes(prune=False, chunk_rows=33, least_turns=8),
    ),
]


def engines(seed: int) -> list[CudaEngine]:
    """Three of the ways to run, rotating with the seed, one per order."""
    return [
        CudaEngine(ShimMachine(order, seed=seed), TINY[(seed + i) % len(TINY)], schedule="pipeline")
        for i, order in enumerate(ORDERS)
    ]


def check(query: Query, seed: int) -> None:
    wanted = expected_rows(query)
    for engine in engines(seed):
        what = f"{describe(query, seed)} {engine.wishes} {engine.machine.order}"
        assert engine.count(query).count == len(wanted), what
        assert canonical(query, rows_of(engine, query)) == wanted, what


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", MODES)
def test_rich_queries(mode: str, seed: int) -> None:
    check(random_query(seed, mode), seed)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("mode", ["monomorphism", "induced"])
def test_plain_queries(mode: str, seed: int) -> None:
    check(random_query(1000 + seed, mode, rich=False), seed)


@dataclass(frozen=True)
class Layouts:
    """A kernel that does not compile unless its structures are those of the host."""

    name: str = "layouts"
    threads: int = 32
    args_type: str = "subiso::BuildArgs"
    quick: bool = True

    def text(self) -> str:
        def place(dtype: np.dtype, name: str) -> int:  # type: ignore[type-arg]
            return int(dtype.fields[name][1])  # type: ignore[index]

        args, tables = "JoinArgs<CsrStore<u32>>", "JoinTables"
        equal = {
            f"sizeof({args})": JOIN_ARGS.itemsize,
            f"sizeof({tables})": JOIN_TABLES.itemsize,
            "sizeof(JoinStep)": JOIN_STEP.itemsize,
            "sizeof(JoinControl)": JOIN_CONTROL.itemsize,
            "sizeof(JoinWeight)": JOIN_WEIGHT.itemsize,
            f"offsetof({tables}, weights)": place(JOIN_TABLES, "weights"),
            "offsetof(JoinWeight, without)": place(JOIN_WEIGHT, "without"),
            "sizeof(BuildArgs)": BUILD_ARGS.itemsize,
            f"offsetof({tables}, tests)": place(JOIN_TABLES, "tests"),
            f"offsetof({tables}, steps)": place(JOIN_TABLES, "steps"),
            "offsetof(JoinStep, keys)": place(JOIN_STEP, "keys"),
            "kMaxSteps": MAX_STEPS,
            **{
                f"offsetof({args}, {name})": place(JOIN_ARGS, name)
                for name in ("control", "units", "translate")
            },
            **{
                f"offsetof(JoinControl, {name})": place(JOIN_CONTROL, name)
                for name in ("next", "stop", "full", "idle_warps", "rows", "taken", "extra", "units_left")
            },
        }
        lines = [f"static_assert({cpp} == {numpy});" for cpp, numpy in equal.items()]
        start = '#include <cstddef>\n#include "pipeline.cuh"\nusing namespace subiso;\n'
        return start + "\n".join(lines) + "\nvoid layouts(const BuildArgs&) {}\n"


def test_structures_are_the_same_on_both_sides() -> None:
    ShimMachine().launch(Layouts(), 1, 0, np.zeros((), BUILD_ARGS))


def complete(n: int) -> Graph:
    return Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))


def report_of(engine: CudaEngine) -> PipelineReport:
    assert isinstance(engine.last, PipelineReport)
    return engine.last


def test_large_relations_are_joined_in_parts() -> None:
    """Two tables that hold a part of their relation each: every combination of parts, once."""
    query = make_query(complete(9), Pattern.path(4))
    own = PipelineWishes(table_bytes=1400, twig_rows=1, leaf_order=False, weigh=False)
    engine = CudaEngine(
        ShimMachine("random", seed=3), Wishes(blocks=2, warps_per_block=1, pipeline=own), schedule="pipeline"
    )
    assert engine.count(query).count == 9 * 8 * 7 * 6 // 2
    report = report_of(engine)
    assert len(report.table_rows) == 2
    assert report.parts >= 4
    assert report.probe_rows >= report.parts * 36  # the probe goes through all of them


@pytest.mark.parametrize(
    ("rows", "share", "most"), [([1e8] + [1e6] * 6, 0.5, 3), ([1e6, 1e8, 1e6], 0.9, 2), ([1e6] * 2, 0.5, 4)]
)
def test_small_tables_stay_whole(rows: list[float], share: float, most: int) -> None:
    """Every combination of parts is a pass: those that are cut are the large ones."""
    widths = [3] * len(rows)
    budget = int(share * sum(4 * 5 * count for count in rows))
    parts = part_rows(rows, widths, budget)
    assert prod(ceil(count / part) for count, part in zip(rows, parts, strict=True)) <= most
    assert sum(4 * 5 * part for part in parts) <= budget + 32 * 4 * 5 * len(rows)


@pytest.mark.parametrize("looks", [1, 2, 3])
def test_a_run_that_was_stopped_counts_again(looks: int) -> None:
    """From the beginning: what its lanes had saved is gone."""
    query = make_query(complete(12), Pattern.path(5), anchor={0: 0})
    own = PipelineWishes(least_turns=16, twig_rows=1, leaf_order=False, weigh=False)
    wishes = Wishes(blocks=2, warps_per_block=2, pipeline=own)
    run = CudaEngine(ShimMachine(), wishes, schedule="pipeline").prepare_twigs(resolve(query))
    assert run is not None
    asked: list[int] = []
    short = watch.Watch(Params(poll=lambda: len(asked) == looks), 0.0)
    short.look = lambda run: asked.append(1) or short._look(run)  # type: ignore[func-returns-value, method-assign]
    wanted = reference.count(query).count
    assert run.count(short) < wanted and short.stopped_by == "cancelled"
    assert run.num_states > 0
    assert run.count(watch.Watch(Params(), 0.0)) == wanted


def test_work_is_dealt_out_anew() -> None:
    """A few probe rows have all the work: what their lanes save is split, and other warps go on with it."""
    query = make_query(complete(12), Pattern.path(5), anchor={0: 0})
    own = PipelineWishes(least_turns=16, twig_rows=1, leaf_order=False, weigh=False)
    wishes = Wishes(blocks=2, warps_per_block=2, pipeline=own)
    engine = CudaEngine(ShimMachine(), wishes, schedule="pipeline")
    assert engine.count(query).count == reference.count(query).count > 0
    report = report_of(engine)
    assert report.probe_rows < 32 < report.states
    assert 1 < report.launches < 60


@pytest.mark.parametrize("order", ORDERS)
def test_rows_come_through_a_small_buffer(order: str) -> None:
    """Lanes keep what does not fit, and go on with it in the next launch."""
    query = make_query(complete(9), Pattern.path(4), unique=False)
    wishes = Wishes(
        blocks=2, warps_per_block=1, row_capacity=64, pipeline=PipelineWishes(chunk_rows=40, unit=32)
    )
    engine = CudaEngine(ShimMachine(order, seed=1), wishes, schedule="pipeline")
    rows = rows_of(engine, query)
    assert len(set(rows)) == len(rows) == 9 * 8 * 7 * 6
    assert report_of(engine).launches >= 9 * 8 * 7 * 6 // 64


def test_large_patterns_and_hubs() -> None:
    """A path of 32 vertices through a path; a star whose relation is split into single links; a single vertex."""
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1), schedule="pipeline")
    line = Graph.from_edges(range(39), range(1, 40))
    assert engine.count(make_query(line, Pattern.path(32))).count == 40 - 31
    split = replace(engine.wishes, pipeline=PipelineWishes(twig_rows=100))
    star = Graph.from_edges([0] * 20, range(1, 21))
    hubs = CudaEngine(ShimMachine(), split, schedule="pipeline")
    assert hubs.count(make_query(star, Pattern.star(3))).count == comb(20, 3)
    assert len(report_of(hubs).plan.joins) == 2
    assert hubs.count(make_query(star, Pattern.clique(1))).count == 21


def test_a_stop_ends_the_launch() -> None:
    query = make_query(complete(12), Pattern.cycle(4))
    machine = ShimMachine(stop_after=2000)
    wishes = Wishes(blocks=1, warps_per_block=1)
    stopped = CudaEngine(machine, wishes, schedule="pipeline").count(query).count
    assert stopped < reference.count(query).count


def test_streams_and_counts_stop() -> None:
    query = make_query(complete(10), Pattern.path(4), unique=False)
    engine = CudaEngine(
        ShimMachine(), Wishes(blocks=1, warps_per_block=1, row_capacity=64), schedule="pipeline"
    )
    closed = engine.stream(query, Params(batch_rows=64))
    next(closed)
    closed.close()
    assert (closed.stopped_by, list(closed)) == ("cancelled", [])
    late = engine.stream(query, Params(timeout=0, batch_rows=64))
    assert sum(len(batch) for batch in late) < 10 * 9 * 8 * 7
    assert late.stopped_by == "timeout"
    assert engine.count(query, Params(timeout=0)).stopped_by == "timeout"
    asked = Params(poll=lambda: True)
    short = CudaEngine(
        ShimMachine(), replace(engine.wishes, pipeline=PipelineWishes(chunk_rows=32)), schedule="pipeline"
    )
    assert short.count(make_query(complete(30), Pattern.path(4)), asked).stopped_by == "cancelled"
    whole = engine.stream(query, Params())
    assert sum(len(batch) for batch in whole) == 10 * 9 * 8 * 7
    assert whole.stopped_by is None


def test_short_memory_makes_frugal_runs() -> None:
    query = make_query(complete(20), Pattern.clique(4))
    wishes = Wishes(blocks=2, warps_per_block=1, pipeline=PipelineWishes(table_bytes=1 << 22))
    short = CudaEngine(ShimMachine(room=100_000), wishes, schedule="pipeline")
    assert short.count(query).count == comb(20, 4)
    with pytest.raises(DeviceMemoryError, match="has no room for the search"):
        CudaEngine(ShimMachine(room=500), wishes, schedule="pipeline").count(query)


def test_what_it_does_not_do_is_refused() -> None:
    query = make_query(complete(5), Pattern.path(3))
    several = CudaEngine([ShimMachine(), ShimMachine()], schedule="pipeline")
    with pytest.raises(UnsupportedError, match="runs on one device"):
        several.count(query)
    line = make_query(Graph.from_edges(range(49), range(1, 50)), Pattern.path(33))
    with pytest.raises(UnsupportedError, match="schedule pipeline takes at most 32 vertices"):
        CudaEngine(ShimMachine(), schedule="pipeline").count(line)


REFUSED = {
    "vertices": (make_query(Graph.from_edges(range(49), range(1, 50)), Pattern.path(40)), 1),
    "devices": (make_query(complete(5), Pattern.path(3)), 2),
    "edges": (make_query(complete(13), Pattern.clique(12), mode="edge-isomorphism"), 1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_explain_refuses_what_a_run_refuses(name: str) -> None:
    query, devices = REFUSED[name]
    engine = CudaEngine([ShimMachine() for _ in range(devices)], schedule="pipeline")
    with pytest.raises(UnsupportedError) as ran:
        engine.count(query)
    device = "cuda" if devices == 1 else "cuda:0,1"
    with pytest.raises(UnsupportedError) as told:
        explain(query.graph, query.pattern, mode=query.mode, device=device, schedule="pipeline")
    assert told.value.message == ran.value.message
    assert told.value.hint == ran.value.hint


def test_explain_refuses_nothing_else() -> None:
    """A clique of 13 has 78 links: where its twigs are large they are split as long as there is room for more joins."""
    graph = complete(14)
    problem = resolve(make_query(graph, Pattern.clique(13))).problem
    assert len(make_twig_plan(problem, most_rows=1.0).joins) == MAX_STEPS
    busy = rmat(12, 60, seed=1)
    told = explain(busy, Pattern.clique(13), device="cuda", schedule="pipeline")
    assert told.device.instead[0] == "schedule pipeline: asked for"
    assert "schedule pipeline (" in explain(busy, Pattern.clique(13), device="cuda").device.others
    small = Description("small", "simt", multiprocessors=2, memory=500)
    assert joins_twigs(resolve(make_query(busy, Pattern.clique(13))), small) is not None


def weighty(core: int) -> Query:
    """A path of so many vertices, of two kinds each; two leaves at every one but the first, of the kinds before it."""
    kinds = [f"{kind}{i}" for i in range(core) for kind in "AB"]
    labels = [kind for kind in kinds for _ in range(2)]
    first = {kind: labels.index(kind) for kind in kinds}
    edges = [
        (first[f"{kind}{i}"] + twin, first[f"A{i + 1}"])
        for i in range(core - 1)
        for kind in "AB"
        for twin in (0, 1)
    ]
    graph = Graph.from_edges(*zip(*edges, strict=True), num_vertices=len(labels), vertex_labels=labels)
    parts = [f"(c{i}:A{i}|B{i})--(c{i + 1}:A{i + 1}|B{i + 1})" for i in range(core - 1)]
    parts += [f"(c{i + 1})--({kind.lower()}{i}:{kind}{i})" for i in range(core - 1) for kind in "AB"]
    return make_query(graph, Pattern(", ".join(parts)))


@pytest.mark.parametrize("core", [17, 18, 21])
def test_there_is_room_for_all_weights(core: int) -> None:
    """Patterns of 49, 52 and 61 vertices, most of which hang: no more than have places are weighed, others matched."""
    query = weighty(core)
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1), schedule="pipeline")
    count = engine.count(query).count
    assert count == cpu.count(query).count > 0
    hanging = report_of(engine).plan.hanging
    places = {~h.vertex if h.without else h.at for h in hanging} - {h.vertex for h in hanging}
    assert len(places) <= MOST_WEIGHTS
    assert (len(places) == MOST_WEIGHTS) == (core > 17)


def test_a_time_limit_ends_the_measuring() -> None:
    """Twigs go through the graph one after the other, where there are labels to narrow them first: none after it."""
    graph = complete(9)
    labelled = Graph.from_edges(*graph.edge_endpoints(), vertex_labels=["A", "B", "A"] * 3)
    own = PipelineWishes(weigh=False)
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1, pipeline=own), schedule="pipeline")
    looks: list[int] = []
    most = 1 << 30

    def over() -> bool:
        looks.append(1)
        return len(looks) > most

    found = []
    for query in (
        make_query(graph, Pattern.cycle(6)),
        make_query(labelled, "(a:A)--(b:B)--(c:A)--(d:A)--(a)"),
    ):
        resolved = resolve(query)
        looks.clear()
        assert engine.prepare_twigs(resolved, over=over) is not None
        found.append(len(looks))
        for most in range(found[-1]):
            looks.clear()
            assert engine.prepare_twigs(resolved, over=over) is None
            assert len(looks) == most + 1
        most = 1 << 30
    assert found[0] > 1 and found[1] > 2 * 2, "a test that looks at few twigs"


@pytest.mark.parametrize("listing", [False, True])
def test_counts_and_listings_measure_until_they_are_cancelled(
    listing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled = False

    def measure(*args: Any, listing: bool) -> object:
        nonlocal cancelled
        over = args[3]
        assert not over()
        cancelled = True
        assert over()
        return plan_twigs(*args, listing=listing)

    monkeypatch.setattr(runs, "plan_twigs", measure)
    monkeypatch.setattr(watch, "_TICK", 0.0)
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1), schedule="pipeline")
    query, params = make_query(complete(9), Pattern.cycle(6)), Params(poll=lambda: cancelled)
    if listing:
        stream = engine.stream(query, params)
        assert list(stream) == [] and stream.stopped_by == "cancelled"
    else:
        assert engine.count(query, params).stopped_by == "cancelled"


def test_what_hangs_is_weighed_in_time() -> None:
    """No weight after the time limit, and no run without those that are wanted."""
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1), schedule="pipeline")
    resolved = resolve(bushy_query(1))
    looks: list[int] = []
    assert engine.prepare_twigs(resolved, over=lambda: bool(looks.append(1))) is not None  # type: ignore[func-returns-value]
    looks.clear()
    assert engine.prepare_twigs(resolved, over=lambda: looks.append(1) is None) is None  # type: ignore[func-returns-value]
    assert len(looks) == 2, "one for the weights, one for the twigs"


def test_auto_takes_it_for_graphs_that_have_no_room() -> None:
    query = make_query(complete(12), Pattern.cycle(4))
    small = Description("small", "simt", multiprocessors=2, memory=500)
    engine = CudaEngine(ShimMachine(description=small), Wishes(blocks=2, warps_per_block=1))
    assert engine.count(query).count == reference.count(query).count
    assert isinstance(engine.last, PipelineReport)
    roomy = CudaEngine(ShimMachine(), Wishes(blocks=2, warps_per_block=1))
    roomy.count(query)
    assert not isinstance(roomy.last, PipelineReport)


def bushy_query(seed: int) -> Query:
    """A core with trees that hang from it, few labels: some branches are weighed, some kept apart from others."""
    rng = np.random.default_rng([seed, 11])
    n = int(rng.integers(10, 25))
    graph = Graph.from_edges(
        *rng.integers(0, n, (2, 3 * n)),
        num_vertices=n,
        vertex_labels=rng.integers(0, 4, n),
        directed=bool(rng.integers(2)),
        vertex_columns={"age": rng.integers(0, 5, n)},
        loops="keep" if rng.integers(2) else "drop",
    )
    k = int(rng.integers(3, 7))
    edges = [(int(rng.integers(i)), i) for i in range(1, k)] + ([(0, 2)] if seed % 3 and k > 2 else [])
    labels = rng.integers(0, 4, k).tolist()
    pattern = Pattern.from_edges(list(dict.fromkeys(edges)), vertex_labels=labels, directed=graph.directed)
    if seed % 4 == 0:
        pattern = pattern.where(f"{pattern.names[k - 1]}.age <= {pattern.names[0]}.age")
    mode = ("monomorphism", "homomorphism", "monomorphism", "edge-isomorphism")[seed % 4]
    return make_query(graph, pattern, mode=mode, unique=mode == "monomorphism" and bool(seed % 2))


@pytest.mark.parametrize("room", [1 << 63, 12])
def test_what_hangs_is_weighed(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Also where weights are too large for most of it."""
    monkeypatch.setattr(twigs, "_MOST_WEIGHT", room)
    plans = []
    for seed in range(40):
        query = bushy_query(seed)
        engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=2), schedule="pipeline")
        assert engine.count(query).count == reference.count(query).count, describe(query, seed)
        plans += [engine.last.plan] if isinstance(engine.last, PipelineReport) else []
    found = [h for plan in plans for h in plan.hanging]
    assert sum(bool(h.without) for h in found) >= (5 if room > 12 else 1)
    assert len(found) >= (30 if room > 12 else 5)
    if room > 12:
        assert any(h.at == other.vertex for plan in plans for h in plan.hanging for other in plan.hanging)


def test_large_counts_are_not_listed() -> None:
    """A spider of 8 legs, 1000 leaves of another label each: 10^24 matches, which 64 bits do not hold."""
    legs, leaves = 8, 1000
    edges = [(0, 1 + leg) for leg in range(legs)]
    edges += [(1 + leg, 1 + legs + leg * leaves + i) for leg in range(legs) for i in range(leaves)]
    labels = [
        "hub",
        *(f"leg{leg}" for leg in range(legs)),
        *(f"leaf{leg}" for leg in range(legs) for _ in range(leaves)),
    ]
    graph = Graph.from_edges(*zip(*edges, strict=True), vertex_labels=labels)
    spider = [(0, 1 + leg) for leg in range(legs)] + [(1 + leg, 1 + legs + leg) for leg in range(legs)]
    kinds = ["hub", *(f"leg{leg}" for leg in range(legs)), *(f"leaf{leg}" for leg in range(legs))]
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1), schedule="pipeline")
    assert (
        engine.count(make_query(graph, Pattern.from_edges(spider, vertex_labels=kinds))).count == leaves**legs
    )
    assert report_of(engine).launches < 400
