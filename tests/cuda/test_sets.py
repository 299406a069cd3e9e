"""Which sets are kept, how much room they take, and how edges fall into units: decisions without a device."""

from __future__ import annotations

import itertools

import numpy as np

from subiso.engine.cuda.choose import choose_schedule
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.pool import DEEP_UNITS, edge_classes, units_of
from subiso.engine.cuda.sets import choose_sets
from subiso.engine.query import make_query
from subiso.filter.resolve import Resolved, resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.plan.plan import Plan
from subiso.storage.layout import layout_of
from subiso.storage.statistics import statistics_of

H200 = Description("H200", "sm_90", 132)


def planned(graph: Graph, pattern: Pattern, *, counting: bool = True) -> tuple[Plan, Resolved]:
    resolved = resolve(make_query(graph, pattern))
    return make_plan(resolved.problem, statistics_of(graph), counting=counting, local=False), resolved


def random_graph() -> Graph:
    return Graph.from_edges(*np.random.default_rng(0).integers(0, 200, (2, 1500)), num_vertices=200)


def test_sets_that_are_read_twice_are_kept() -> None:
    plan, resolved = planned(random_graph(), Pattern.clique(5))
    choice = choose_schedule(plan, resolved, H200)
    assert choice.schedule == "stack" and "read more than once" in choice.why
    assert len(choice.sets.numbers) == 2  # common neighbours of two and of three vertices
    assert choose_schedule(plan, resolved, H200, "fine").sets.numbers == ()


def test_sets_that_are_read_once_are_not() -> None:
    plan, resolved = planned(random_graph(), Pattern.clique(3))
    assert choose_schedule(plan, resolved, H200).schedule == "fine"


def test_bounds_hold() -> None:
    """No set is larger than its bound, whatever the vertices: complete graphs come close, stars do not."""
    for edges in (itertools.combinations(range(12), 2), ((0, i) for i in range(1, 12))):
        plan, resolved = planned(Graph.from_edges(*zip(*edges, strict=True)), Pattern.clique(4))
        csr = resolved.csrs[0]
        above = [csr.neighbors[csr.bounds[2 * v + 1] : csr.bounds[2 * v + 2]] for v in range(12)]
        largest = max(len(np.intersect1d(above[u], above[v])) for u in range(12) for v in above[u])
        (kept,) = choose_sets(plan, resolved.longest_list, 1 << 30).bounds
        assert largest <= kept[1] <= 11


def test_what_has_no_room_is_not_kept() -> None:
    plan, resolved = planned(random_graph(), Pattern.clique(5))
    all_of_them = choose_sets(plan, resolved.longest_list, 1 << 30)
    fewer = choose_sets(plan, resolved.longest_list, all_of_them.words - 1)
    assert len(fewer.numbers) == len(all_of_them.numbers) - 1
    assert choose_sets(plan, resolved.longest_list, 0).numbers == ()
    limits = all_of_them.limits(plan, 1000, 4)
    assert limits == sorted(limits) and limits[-1] == 1000 and limits[0] == 1000 - all_of_them.words


def test_every_edge_is_in_one_unit() -> None:
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(*(rng.random((2, 4000)) ** 3 * 300).astype(int), num_vertices=300)
    csr = layout_of(graph).relation(resolve(make_query(graph, Pattern.clique(3))).relations[0])
    for warps in (1, 3, 5000):
        classes = edge_classes(csr, warps, DEEP_UNITS)
        rows = len(csr.neighbors)
        units = units_of(rows, classes)
        covered = []
        for unit in range(units):
            mine = max((c for c in classes if c.unit <= unit), key=lambda c: c.unit)
            later = [c.row for c in classes if c.row > mine.row]
            begin = mine.row + (unit - mine.unit) * mine.size
            covered += range(begin, min([begin + mine.size, rows, *later]))
        assert covered == list(range(rows))
