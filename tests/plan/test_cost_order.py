"""The default order: what filters and conditions leave says which vertex is first, and whose neighbours come next."""

from __future__ import annotations

import numpy as np
import pytest

from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.statistics import statistics_of


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
