"""Several vertices per step and elimination (schedule `levels`) through the SIMT shim: GENEVA's matching patterns."""

from __future__ import annotations

import itertools
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from levels_cases import PHASES, wishes
from random_cases import canonical, describe, expected_rows, random_query, rows_of
from shim import ShimMachine

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import levels_phases
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport, LevelsRun
from subiso.engine.cuda.levels_prepare import Outline, outline
from subiso.engine.cuda.tables import EDGE
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import MODES, Query, make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan, plan_in_order
from subiso.plan.order import Order
from subiso.storage.statistics import statistics_of

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
ORDERS = ("forward", "reverse", "random")
CORE = Params(switches=Switches(order="core", max_tail=0, decompose="never", expand="never"))
SHAPES = {
    0: "(a)--(b)",
    1: "(a)--(b)--(c)--(a)",
    2: "(a)-[:X]-(b:B)-[:Y]-(c:B)-[:X]-(d)",
    3: "(a:A)--(b:B)--(c)--(a)",
    4: "(a)-[:X]-(b:B)-[:Y]-(c:B)-[:X]-(d:A)",
    5: "(a:B)--(b), (a)--(c), (a)--(d)",
    6: "(a:B)--(b), (a)--(c), (a)--(d:A)",
    7: "(b)--(c)--(g)--(b), (a)-[:X]-(b), (c)-[:X]-(d), (c)-[:X]-(e)",
}


def check(engine: CudaEngine, query: Query, what: str) -> LevelsReport | None:
    wanted = expected_rows(query)
    assert engine.count(query, CORE).count == len(wanted), what
    assert engine.count(query).count == len(wanted), what
    assert canonical(query, rows_of(engine, query, CORE)) == wanted, what
    assert engine.last is None or isinstance(engine.last, LevelsReport)
    return engine.last


def small_graph() -> Graph:
    rng = np.random.default_rng(7)
    labels = [["A"], ["B"], ["A", "B"], ["A"]]
    return Graph.from_edges(
        *rng.integers(0, 14, (2, 36)),
        num_vertices=14,
        vertex_labels=[labels[i % 4] for i in range(14)],
        edge_labels=np.array(["X", "Y"], dtype=object)[rng.integers(0, 2, 36)],
    )


@pytest.mark.parametrize("unique", [True, False])
@pytest.mark.parametrize("pattern", SHAPES)
def test_every_matching_pattern(pattern: int, unique: bool) -> None:
    query = make_query(small_graph(), Pattern(SHAPES[pattern]), unique=unique)
    assert expected_rows(query), "a test with nothing to find"
    for i, way in enumerate(PHASES[:2]):
        engine = CudaEngine(ShimMachine(ORDERS[(pattern + i) % 3], seed=i), way, schedule="levels")
        report = check(engine, query, f"{pattern} {unique} {way.levels}")
        assert report is not None
        assert pattern in report.patterns


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed + 300, mode)
    few = len(expected_rows(query)) < 100
    for i, order in enumerate(ORDERS if few else ORDERS[:1]):
        way = PHASES[(seed + 2 * i) % len(PHASES) if few else 0]
        engine = CudaEngine(ShimMachine(order, seed=seed), way, schedule="levels")
        check(engine, query, f"{describe(query, seed)} {way.levels} {order}")


def outline_of(query: Query, way: Wishes) -> Outline:
    resolved = resolve(query)
    plan = make_plan(resolved.problem, statistics_of(query.graph), counting=True, **CORE.switches.of_plans)
    return outline(1 << 40, resolved, plan, way)


def run_in_order(query: Query, names: str, way: Wishes) -> LevelsRun:
    """A run that matches the vertices as they are named."""
    resolved = resolve(query)
    order = Order(tuple(query.pattern.names.index(name) for name in names), (), 1.0)
    engine = CudaEngine(ShimMachine("random", seed=2), way, schedule="levels")
    run = engine.prepare_count(plan_in_order(resolved.problem, order, counting=True), resolved)
    assert isinstance(run, LevelsRun)
    return run


def asked(lowered: Any, level: int, vertex: int) -> set[tuple[int, int, tuple[int, ...]]]:
    """(position, earlier position, operation) of a level that speaks of the vertex at a position."""
    first = lowered.tables["first"][level].tolist()
    return {
        (vertex, position, op.item())
        for position, (begin, end) in enumerate(itertools.pairwise(first))
        for op in lowered.tables["ops"][begin:end]
    }


@pytest.mark.parametrize("way", PHASES[:3:2], ids=["kept", "eliminated"])
@pytest.mark.parametrize("core", [4, 5, 6])
def test_large_groups_are_for_the_forest(core: int, way: Wishes) -> None:
    """A clique, all of whose vertices come from lists of its first; leaves that come from there too, and others."""
    edges = [*itertools.combinations(range(core), 2), *((i // 3, core + i) for i in range(6))]
    graph = Graph.from_edges(*zip(*itertools.combinations(range(14), 2), strict=True))
    query = make_query(graph, Pattern.from_edges(edges), unique=False)
    phases = outline_of(query, way).phases
    assert sum(phase.width for phase in phases) == core + 6 - 1
    inside = [phase for phase in phases if phase.first < core]
    assert {phase.pattern for phase in inside} <= {1, 3}
    assert all(phase.width == 2 for phase in inside)
    assert {phase.pattern for phase in phases[len(inside) :]} & {5, 6, 7}


def test_the_best_matching_pattern_comes_before_the_smallest_relation() -> None:
    """c and d: by X two of one source (1), by the rarer Y one each of two sources that look alike (2)."""
    pattern = Pattern("(a)-[:Z]-(b), (a)-[:X]-(c), (a)-[:Y]-(c), (a)-[:X]-(d), (b)-[:Y]-(d)")
    ends = np.array([*itertools.combinations(range(6), 2)] * 3).T[:, :40]
    labels = np.array(["X"] * 15 + ["Z"] * 15 + ["Y"] * 10, dtype=object)
    graph = Graph.from_edges(*ends, edge_labels=labels, parallel="keep")
    run = run_in_order(make_query(graph, pattern, mode="homomorphism"), "abcd", PHASES[2])
    assert [(phase.first, phase.pattern) for phase in run.outline.phases] == [(1, 0), (2, 1)]


def test_elimination_goes_relation_by_relation() -> None:
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(
        *rng.integers(0, 10, (2, 40)),
        num_vertices=10,
        edge_labels=np.array(["X", "Y"], dtype=object)[rng.integers(0, 2, 40)],
    )
    query = make_query(graph, Pattern("(a)-[:X]-(b)-[:Y]-(c)-[:X]-(a), (c)-[:X]-(d), (d)-[:Y]-(a)"))
    engine = CudaEngine(ShimMachine("random", seed=1), PHASES[2], schedule="levels")
    report = check(engine, query, "elimination")
    assert report is not None
    assert report.stages.count("sift") >= 2


WAITING = {
    "of a vertex": ("(a)-[:X]-(b)-[:X]-(c)-[:X]-(a), (d)-[:Y]-(a)", ((3, 1), (3, 2)), PHASES[4]),
    "of two vertices": ("(a)-[:Z]-(b), (a)-[:Y]-(c), (a)-[:Y]-(d)", ((2, 1), (3, 1)), PHASES[2]),
}
"""A pattern without two edges of label X, these two by the positions of their ends, and how the rest is matched."""


@pytest.mark.parametrize("which", WAITING)
def test_every_edge_of_a_label_is_eliminated(which: str) -> None:
    """Two edges of one label wait in the last phase: one check has both, and neither may be forgotten."""
    rest, ends, way = WAITING[which]
    edges = [f"({'abcd'[b]})-[:X]-({'abcd'[a]})" for a, b in ends]
    rng = np.random.default_rng(5)
    graph = Graph.from_edges(
        *np.array([*itertools.combinations(range(9), 2)]).T,
        edge_labels=np.array(["X", "X", "Y", "Z"], dtype=object)[rng.integers(0, 4, 36)],
    )
    query = make_query(graph, Pattern(", ".join([rest, *edges])), unique=False)
    run = run_in_order(query, "abcd", way)
    last = run.outline.phases[-1]
    assert last.first + last.width == 4
    (check,) = last.checks
    assert check.positions == tuple(dict.fromkeys(end for end, _ in ends))
    waiting = [asked(run.lowered, check.level + i, at) for i, at in enumerate(check.positions)]
    found = {(at, other) for some in waiting for at, other, op in some if op[0] == EDGE}
    assert found == set(ends)
    assert run.stages[-1].sifted == check.positions
    wanted = reference.count(query).count
    assert run.count(Watch(CORE, 0.0)) == wanted > 0
    for edge in edges:
        without = make_query(graph, Pattern(f"{rest}, {edge}"), unique=False)
        assert reference.count(without).count > wanted, "a test that would not miss the other edge"


def test_edges_of_a_label_are_eliminated_together_from_either_end() -> None:
    """c waits for a by X forward, d for b by X backward: one check of label X, not one per direction."""
    rng = np.random.default_rng(6)
    graph = Graph.from_edges(
        *np.array([*itertools.permutations(range(8), 2)]).T,
        directed=True,
        edge_labels=np.array(["X", "Y", "Z"], dtype=object)[rng.integers(0, 3, 56)],
        parallel="keep",
    )
    pattern = Pattern("(a)-[:Z]->(b), (a)-[:Y]->(c), (a)-[:Y]->(d), (b)-[:X]->(c), (d)-[:X]->(b)")
    query = make_query(graph, pattern)
    run = run_in_order(query, "abcd", PHASES[2])
    (check,) = run.outline.phases[-1].checks
    assert check.positions == (2, 3)
    assert run.count(Watch(CORE, 0.0)) == reference.count(query).count > 0


@pytest.mark.parametrize("room", [5, 6, 7])
@pytest.mark.parametrize(
    "way", [wishes(parallel=True, eliminate=True), wishes(parallel=True, partition=True)]
)
def test_edges_that_there_is_no_level_for_are_checked_at_once(
    way: Wishes, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """u and v would share their candidates, neighbours of a, were the edges from b and c to wait; these have only some
    levels, or none, beside the plan's five."""
    monkeypatch.setattr(levels_phases, "MAX_LEVELS", room)
    edges = [(0, 1, "P"), (0, 2, "Q"), (1, 2, "R"), (3, 4, "P"), (3, 5, "Q"), (4, 5, "R")]
    for new in range(6, 10):  # neighbours of both triangles, of b of one and of c of the other
        b, c = (1, 5) if new % 2 else (4, 2)
        edges += [(0, new, "X"), (3, new, "X"), (b, new, "Z"), (c, new, "W")]
    sources, targets, labels = zip(*edges, strict=True)
    graph = Graph.from_edges(sources, targets, edge_labels=np.array(labels, dtype=object))
    text = "(a)-[:P]-(b), (a)-[:Q]-(c), (b)-[:R]-(c), (a)-[:X]-(u), (a)-[:X]-(v), (b)-[:Z]-(u), (c)-[:W]-(v)"
    query = make_query(graph, Pattern(text), unique=False)
    run = run_in_order(query, "abcuv", way)
    checked = [at for phase in run.outline.phases for check in phase.checks for at in check.positions]
    assert len(checked) == room - 5
    assert run.count(Watch(CORE, 0.0)) == reference.count(query).count == 8


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mode", MODES[:3])
def test_what_waits_is_all_that_was_taken_out(mode: str, seed: int) -> None:
    query = random_query(seed + 300, mode)
    if resolve(query).hopeless:
        return
    plain = outline_of(query, wishes()).lowered
    wanted = {x for level in range(plain.num_levels) for x in asked(plain, level, level)}
    for way in (PHASES[2], PHASES[4]):
        made = outline_of(query, way)
        lowered, what = made.lowered, f"{describe(query, seed)} {way.levels}"
        kept = {x for level in range(plain.num_levels) for x in asked(lowered, level, level)}
        waiting = set()
        for phase in made.phases:
            labels = [check.label for check in phase.checks]
            assert len(set(labels)) == len(labels), what
            for check in phase.checks:
                for i, at in enumerate(check.positions):
                    waiting |= asked(lowered, check.level + i, at)
        trees = [at for at, _, op in kept if op[0] == EDGE]
        assert sorted(trees) == list(range(1, plain.num_levels)), what  # one each
        assert not kept & waiting, what
        assert kept | waiting == wanted, what


def test_combinations_go_through_windows() -> None:
    """A hub of 40 leaves, three of which are matched in one step, through tables of 500 rows: 59,280 combinations."""
    star = Graph.from_edges([0] * 40, range(1, 41))
    query = make_query(star, Pattern.star(3), unique=False)
    engine = CudaEngine(ShimMachine(), wishes(parallel=True, rows=500), schedule="levels")
    assert sum(len(batch) for batch in engine.stream(query, replace(CORE, batch_rows=999))) == 40 * 39 * 38
    assert isinstance(engine.last, LevelsReport)
    assert engine.last.patterns == (5,)
    assert engine.last.windows > 100
    assert engine.count(query, CORE).count == 40 * 39 * 38


def test_wide_groups_are_cut_where_combinations_would_overflow() -> None:
    star = Graph.from_edges([0] * 300, range(1, 301))
    query = make_query(star, Pattern.star(9))
    engine = CudaEngine(ShimMachine(), wishes(parallel=True), schedule="levels")
    engine.stream(query, CORE).close()  # it would not end
    assert isinstance(engine.last, LevelsReport)
    assert len(engine.last.patterns) > 1
    assert engine.last.patterns[0] == 5
