"""The core-forest order: the smallest cycle first, the core before its forest, groups of the best matching pattern."""

from __future__ import annotations

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
