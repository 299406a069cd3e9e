"""The default order: what filters and conditions leave says which vertex is first, and whose neighbours come next."""

from __future__ import annotations

import math

import numpy as np
import pytest

from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan import order as order_module
from subiso.plan.choose import make_plan
from subiso.plan.estimate import Estimator
from subiso.plan.greedy import greedy_order
from subiso.plan.order import _Exhaustive, order_by_cost
from subiso.plan.problem import Problem
from subiso.queries import random_queries
from subiso.storage.statistics import Statistics, statistics_of


def order_of(graph: Graph, pattern: Pattern | str, **conditions: object) -> tuple[int, ...]:
    query = make_query(graph, pattern, **conditions)  # type: ignore[arg-type]
    return make_plan(resolve(query).problem, statistics_of(graph), counting=False).order


@pytest.mark.parametrize("few", ["A", "C"])
def test_who_leads_to_few_comes_before_who_leads_to_many(few: str) -> None:
    """Equally many A, B and C; a B has one neighbour of one kind and ten of the other."""
    n, many = 30, "A" if few == "C" else "C"
    first = {name: n * i for i, name in enumerate("ABC")}
    edges = [(first["B"] + i, first[few] + i) for i in range(n)]
    edges += [(first["B"] + i, first[many] + (i + j) % n) for i in range(n) for j in range(10)]
    graph = Graph.from_edges(*zip(*edges, strict=True), vertex_labels=["A"] * n + ["B"] * n + ["C"] * n)
    order = order_of(graph, "(a:A)--(b:B)--(c:C)")
    place = {name: order.index(i) for i, name in enumerate("ABC")}
    assert place[few] < place[many]


@pytest.mark.parametrize("vertex", range(4))
def test_a_vertex_that_is_known_is_first(vertex: int) -> None:
    graph = Graph.from_edges(range(50), [*range(1, 50), 0])
    name = "abcd"[vertex]
    assert order_of(graph, "(a)--(b)--(c)--(d)", anchor={name: 7})[0] == vertex
    few = np.arange(50) < 3
    assert order_of(graph, Pattern("(a)--(b)--(c)--(d)").where(**{name: few}))[0] == vertex


def problem_of(seed: int, vertices: int, labels: int) -> tuple[Problem, Statistics]:
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(*rng.integers(0, 60, (2, 300)), vertex_labels=rng.integers(0, labels, 60))
    pattern = random_queries(graph, 1, vertices, edges="all", seed=seed)[0]
    plain = Pattern.from_edges([(e.source, e.target) for e in pattern.edges])
    chosen = pattern if labels > 1 else plain
    return resolve(make_query(graph, chosen)).problem, statistics_of(graph)


@pytest.mark.parametrize("counting", [True, False])
@pytest.mark.parametrize("labels", [1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_no_order_is_cheaper(seed: int, labels: int, counting: bool) -> None:
    """Orders that cost more than one that is known are not followed, which must not cost the best one."""
    problem, stats = problem_of(seed, 5, labels)
    found = order_by_cost(problem, stats, counting=counting)
    costs = [
        order.cost
        for descending in (False, True)
        for order in _Exhaustive(
            Estimator(problem, stats, descending=descending), counting, 99, math.inf
        ).found
    ]
    assert found.cost == min(costs) and len(costs) > 1


def test_six_vertices_whose_greedy_order_is_cheap_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, stats = problem_of(3, 6, 3)
    cheap = order_by_cost(problem, stats, counting=True)
    assert cheap.cost < 1e6 and (*cheap.prefix, *cheap.tail) == greedy_order(problem, stats)[0]
    monkeypatch.setattr(order_module, "_NOT_WORTH_IT", 0.0)
    assert order_by_cost(problem, stats, counting=True).cost <= cheap.cost


def test_what_cannot_match_has_an_order() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], vertex_labels=["A", "B", "C"])
    problem = resolve(make_query(graph, "(a:A)--(b:C)--(c:B)--(d:A)")).problem
    assert 0 in problem.sizes
    for counting in (True, False):
        order = order_by_cost(problem, statistics_of(graph), counting=counting)
        assert sorted((*order.prefix, *order.tail)) == [0, 1, 2, 3]
