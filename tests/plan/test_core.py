"""The core-forest order: the smallest cycle first, the core before its forest, groups of the best matching pattern."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.plan.core import core_order
from subiso.plan.problem import Link, Problem
from subiso.storage.statistics import statistics_of

GENEVA = (5, 6, 7, 1, 3, 4, 2, 0)
"""Matching patterns, best first: section 5.5 of the paper."""
GROUPS = {
    0: [(0, "A")],
    1: [(0, "A"), (0, "A")],
    2: [(0, "A"), (1, "A")],
    3: [(0, "A"), (0, "B")],
    4: [(0, "A"), (1, "B")],
    5: [(0, "A"), (0, "A"), (0, "A")],
    6: [(0, "A"), (0, "A"), (0, "B")],
    7: [(0, "A"), (0, "A"), (1, "A"), (1, "A")],
}
"""Leaves (source, kind) that form each of them."""


def order_of(edges: list[tuple[int, int]], sizes: list[float] | None = None) -> tuple[int, ...]:
    pattern = Pattern.from_edges(edges)
    links = tuple(Link(e.source, e.target, 0, 0) for e in pattern.edges)
    return core_order(
        Problem(pattern, "monomorphism", False, links), tuple(sizes or [9.0] * pattern.num_vertices)
    )


def test_the_smallest_cycle_comes_first() -> None:
    square_and_triangle = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5), (5, 6), (6, 4)]
    assert set(order_of(square_and_triangle)[:3]) == {4, 5, 6}


def test_the_forest_comes_last() -> None:
    """Two triangles joined by a path, leaves on every vertex."""
    core = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 6), (6, 4)]
    leaves = [(v, 7 + v) for v in range(7)]
    order = order_of(core + leaves)
    assert set(order[:7]) == set(range(7))
    assert set(order[7:]) == set(range(7, 14))


def test_many_leaves_of_one_vertex_come_before_few_of_another() -> None:
    triangle = [(0, 1), (1, 2), (2, 0)]
    order = order_of([*triangle, (0, 3), (1, 4), (1, 5), (1, 6)])
    assert order[3:] == (4, 5, 6, 3)


def test_trees_start_where_candidates_are_few() -> None:
    order = order_of([(0, 1), (1, 2), (2, 3)], [100.0, 90.0, 4.0, 100.0])
    assert order[0] == 2


@pytest.mark.parametrize(("better", "worse"), list(combinations(GENEVA, 2)))
def test_of_two_matching_patterns_the_better_is_taken(better: int, worse: int) -> None:
    """Each of its own relation, at a triangle. The worse one has the first vertices and fewest candidates."""
    leaves = [(source, kind, 1) for source, kind in GROUPS[worse]]
    leaves += [(source, kind, 2) for source, kind in GROUPS[better]]
    triangle = [Link(0, 1, 0, 0), Link(1, 2, 0, 0), Link(2, 0, 0, 0)]
    links = [Link(source, 3 + i, relation, relation) for i, (source, _, relation) in enumerate(leaves)]
    pattern = Pattern.from_edges([(link.a, link.b) for link in (*triangle, *links)])
    filters = [(0,)] * 3 + [(1 + "AB".index(kind),) for _, kind, _ in leaves]
    problem = Problem(pattern, "monomorphism", False, (*triangle, *links), filters=tuple(filters))
    sizes = [1.0] * 3 + [2.0] * len(GROUPS[worse]) + [9.0] * len(GROUPS[better])
    order = core_order(problem, tuple(sizes))
    first = 3 + len(GROUPS[worse])
    assert set(order[:3]) == {0, 1, 2}
    assert sorted(order[3 : 3 + len(GROUPS[better])]) == list(range(first, first + len(GROUPS[better])))


def test_inside_the_core_no_more_than_two_come_from_a_vertex() -> None:
    """0 has three further neighbours in the core. After two of them 6 and 7, two of one vertex, are better than the
    third alone; in the forest, where 8, 9 and 10 hang from 1, three come at once."""
    core = [(0, 1), (1, 2), (2, 0), (0, 3), (0, 4), (0, 5), (4, 5), (3, 6), (3, 7), (6, 7)]
    forest = [(1, 8), (1, 9), (1, 10), (8, 11), (8, 12)]
    sizes = [1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0, 7.0, 7.0, 7.0, 7.0, 7.0]
    assert order_of(core + forest, sizes) == (0, 1, 2, 3, 4, 6, 7, 5, 8, 9, 10, 11, 12)


def test_nor_inside_the_smallest_cycle() -> None:
    """An anchor that is joined to all of a triangle, whose first vertex is of another kind than the others."""
    pattern = Pattern.clique(4)
    links = tuple(Link(e.source, e.target, 0, 0) for e in pattern.edges)
    filters = ((1,), (2,), (2,), (3,))
    problem = Problem(pattern, "monomorphism", False, links, filters=filters, anchored=frozenset([3]))
    assert core_order(problem, (1.0, 2.0, 2.0, 9.0)) == (3, 1, 2, 0)


@pytest.mark.parametrize("seed", range(20))
def test_every_vertex_has_a_matched_neighbor(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 12))
    edges = [(int(rng.integers(0, v)), v) for v in range(1, k)]
    edges += [tuple(sorted(rng.choice(k, 2, replace=False).tolist())) for _ in range(int(rng.integers(0, k)))]
    pattern = Pattern.from_edges(sorted(set(edges)))
    graph = Graph.from_edges(*rng.integers(0, 30, (2, 90)), num_vertices=30)
    problem = resolve(make_query(graph, pattern)).problem
    for counting in (True, False):
        plan = make_plan(problem, statistics_of(graph), counting=counting, order="core")
        seen = {plan.seed.vertex}
        near = {
            v: {e.source + e.target - v for e in pattern.edges if v in (e.source, e.target)} for v in range(k)
        }
        for extend in plan.extends:
            assert near[extend.vertex] & seen
            seen.add(extend.vertex)
