"""Filters that neighbour lists imply: leaves of a pattern of which nothing else is asked need not be checked."""

from __future__ import annotations

import numpy as np
import pytest

from subiso import _native
from subiso.engine import cpu, reference
from subiso.engine.query import make_query
from subiso.filter.resolve import Resolved, resolve
from subiso.graph import Graph
from subiso.plan.plan import CountTail
from subiso.queries import random_queries


def knowledge_graph(seed: int, loops: bool = False) -> Graph:
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, 30, (2, 150))
    kept = np.ones(150, bool) if loops else sources != targets
    labels = rng.choice(list("rst"), 150)
    return Graph.from_edges(sources[kept], targets[kept], edge_labels=labels[kept], directed=True)


def broken(resolved: Resolved) -> list[tuple[int, int, int]]:
    """What is said to be implied and is not."""
    wrong = []
    for vertex, relation, number in resolved.problem.implied:
        csr, passing = resolved.csrs[relation], set(_native.bit_positions(resolved.filters[number]).tolist())
        for own in resolved.problem.filters[vertex]:
            for v in _native.bit_positions(resolved.filters[own]):
                begin, end = csr.bounds[2 * v], csr.bounds[2 * v + 2]
                if not passing.issuperset(csr.neighbors[begin:end].tolist()):
                    wrong.append((vertex, relation, number))
    return wrong


@pytest.mark.parametrize("mode", ["monomorphism", "induced", "homomorphism"])
@pytest.mark.parametrize("seed", range(4))
def test_they_hold(seed: int, mode: str) -> None:
    graph = knowledge_graph(seed, loops=seed % 2 == 1)
    seen = 0
    for pattern in random_queries(graph, 5, [3, 4, 5], edges="visited", seed=seed):
        query = make_query(graph, pattern, mode=mode)
        resolved = resolve(query)
        seen += len(resolved.problem.implied)
        assert not broken(resolved)
        assert cpu.count(query).count == reference.count(query).count
    assert seen


def test_tails_do_not_check_them() -> None:
    graph = knowledge_graph(1)
    path = "(a)-[:r]->(b)<-[:s]-(c)"
    plan = cpu.formula_for(resolve(make_query(graph, path)), cpu.Params()).terms[0].plan
    assert isinstance(plan.tail, CountTail)
    assert all(not size.expression.filter for size in plan.tail.sizes)


def test_conditions_are_checked() -> None:
    """A leaf with a condition of its own, or with two edges, may be any neighbour."""
    graph = knowledge_graph(1)
    anchored = make_query(graph, "(a)-[:r]->(b)<-[:s]-(c)", anchor={0: 3, 2: 5})
    assert not resolve(anchored).problem.implied
    twice = make_query(graph, "(a)-[:r]->(b), (a)-[:s]->(b)")
    assert not resolve(twice).problem.implied
