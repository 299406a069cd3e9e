"""Decisions of schedule `levels` without a device: the cost model's limits, phases, stages, columns of tables."""

from __future__ import annotations

import numpy as np

from subiso.engine.cuda.levels_phases import make_phases, single_phases
from subiso.engine.cuda.levels_stages import columns_of_tables, make_stages, positions_asked, rarest_list
from subiso.engine.cuda.levels_tune import most_positions
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.tables import Lowered
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.statistics import statistics_of

GRAPH = Graph.from_edges(
    *np.random.default_rng(5).integers(0, 60, (2, 400)),
    num_vertices=60,
    edge_labels=np.array(["X"] * 300 + ["Y"] * 100, dtype=object),
)


def lowered(text: str, *, counting: bool = True, max_tail: int = 0, mode: str = "homomorphism") -> Lowered:
    query = make_query(GRAPH, Pattern(text), mode=mode)
    plan = make_plan(
        resolve(query).problem, statistics_of(GRAPH), counting=counting, order="core", max_tail=max_tail
    )
    return lower_plan(plan, 60)


def test_combinations_are_counted_by_62_bits() -> None:
    for longest, rows in ((2, 100), (1000, 1 << 24), (58_593, 1 << 20)):
        most = most_positions(longest, rows)
        assert most == 1 or longest**most * rows <= 2**62


def test_one_position_at_a_time() -> None:
    plan = lowered("(a)--(b)--(c)--(a)")
    stages = make_stages(single_phases(plan))
    assert [s.kind for s in stages] == ["seed", "join", "join"]
    assert columns_of_tables(plan, stages) == [(0,), (0, 1), ()]


def test_dead_columns_are_left_out() -> None:
    plan = lowered("(a)-[:X]-(b), (b)-[:Y]-(c), (c)-[:X]-(d), (d)-[:Y]-(e)")
    stages = make_stages(single_phases(plan))
    widths = [len(columns) for columns in columns_of_tables(plan, stages)]
    assert max(widths) <= 2
    assert [len(c) for c in columns_of_tables(plan, stages, live=False)] == [1, 2, 3, 4, 0]


def test_edges_that_wait_are_checked_once_and_nowhere_else() -> None:
    plan = lowered("(a)-[:X]-(b)-[:Y]-(c)-[:X]-(a), (a)-[:Y]-(d), (d)-[:X]-(c)")
    tables, phases = make_phases(
        plan, most=4, eliminate=True, entries=[600, 600, 200, 200], reverse=[1, 0, 3, 2]
    )
    edges = sum(int(op["kind"] == 0) for op in plan.tables["ops"][: _num_ops(plan)])
    kept = sum(len(positions_asked(tables, level)) for level in range(1, plan.num_levels))
    waiting = sum(len(check.positions) for phase in phases for check in phase.checks)
    assert kept == plan.num_levels - 1, "one tree edge per position"
    assert kept + waiting == edges == 5
    relations = [[check.label for check in phase.checks] for phase in phases]
    assert all(len(r) == len(set(r)) for r in relations), "one relation at a time"


def _num_ops(plan: Lowered) -> int:
    return int(plan.tables["first"][plan.num_levels - 1][-1])


def test_phases_cover_every_position_once() -> None:
    plan = lowered("(a)--(b), (a)--(c), (a)--(d), (b)-[:X]-(e), (b)-[:X]-(f), (c)-[:X]-(g)")
    for most in (1, 2, 3, 32):
        _, phases = make_phases(plan, most=most, eliminate=False, entries=[800] * 4, reverse=[0, 1, 2, 3])
        covered = [p for phase in phases for p in range(phase.first, phase.first + phase.width)]
        assert covered == list(range(1, 7))
        assert max(phase.width for phase in phases) <= most
        stages = make_stages(phases)
        assert stages[-1].end == 7
        assert sum(stage.width for stage in stages) == 7


def test_the_rarest_list_is_of_the_smallest_relation() -> None:
    plan = lowered("(a)-[:X]-(b)-[:Y]-(c)-[:X]-(a)")
    first = int(plan.tables["first"][2][0])
    relations = [int(op["a"]) for op in plan.tables["ops"][first : first + 2]]
    assert len(set(relations)) == 2
    for wanted in range(2):
        entries = [100] * 4
        entries[relations[wanted]] = 7
        assert rarest_list(plan, 2, 2, entries) == wanted
