"""Maps of patterns of which some vertices may be anywhere: counted by elimination beside a plan that takes long."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import subiso as si
from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.candidate_search import with_everyone
from subiso.engine.candidates import Eliminator, first_tries
from subiso.engine.query import Query, make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern


def eliminated(query: Query) -> int:
    everyone = with_everyone(resolve(query))
    assert everyone is not None
    found = Eliminator(everyone, Params(), 1).run()
    assert found is not None
    return found.count


@pytest.mark.parametrize("seed", range(40))
def test_maps_of_random_patterns(seed: int) -> None:
    """With directions, loops and parallel edges, some vertices with a label or an anchor, some without."""
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    directed = chance.random() < 0.5
    graph = Graph.from_edges(
        *rng.integers(0, 9, (2, 24)),
        num_vertices=10,
        directed=directed,
        loops="keep",
        parallel="keep",
        vertex_labels=rng.integers(0, 2, 10),
    )
    k = chance.randint(3, 6)
    edges = [(v, chance.randrange(v)) for v in range(1, k)]
    edges += [(v, w) for v in range(k) for w in range(v) if chance.random() < 0.2 and (v, w) not in edges]
    labels = [chance.choice([None, None, None, 0, 1]) for _ in range(k)]
    labels[chance.randrange(k)] = None
    pattern = Pattern.from_edges(edges, directed=directed, vertex_labels=labels)
    anchor = {0: chance.randrange(10)} if labels.count(None) > k // 2 + 1 else None
    query = make_query(graph, pattern, mode="homomorphism", anchor=anchor)
    resolved = resolve(query)
    if resolved.hopeless or all(resolved.problem.filters):
        assert with_everyone(resolved) is None or resolved.hopeless
        return
    assert eliminated(query) == reference.count(query).count


def test_paths_as_powers_of_a_matrix() -> None:
    """10^26 maps; a plan would go through most of them."""
    graph = si.generators.rmat(11, 16, seed=1)
    edges = graph.edge_endpoints()
    walks = [1] * graph.num_vertices
    for _ in range(11):
        further = [0] * graph.num_vertices
        for u, v in zip(*(end.tolist() for end in edges), strict=True):
            further[u] += walks[v]
            further[v] += walks[u]
        walks = further
    path = Pattern.path(12)
    assert si.count(graph, path, mode="homomorphism", timeout=60) == sum(walks) > 10**24
    assert "elimination beside the plan" in str(si.explain(graph, path, mode="homomorphism"))


def test_only_where_nothing_else_is_asked() -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], vertex_columns={"x": [1, 2, 3]})
    for text, mode in (
        ("(a)--(b)--(c)", "monomorphism"),
        ("(a)--(b)--(c)", "induced"),
        ("(a)--(b)--(c)", "edge-isomorphism"),
        ("(a)--(b)--(c), !(a)--(c)", "homomorphism"),
        ("(a)--(b)--(c) WHERE a.x < c.x", "homomorphism"),
    ):
        resolved = resolve(make_query(graph, text, mode=mode))
        assert with_everyone(resolved) is None and not first_tries(resolved, "auto", lambda: math.inf), (
            text,
            mode,
        )


def test_the_switch_keeps_to_plans() -> None:
    query = make_query(si.generators.rmat(11, 16, seed=1), Pattern.path(12), mode="homomorphism")
    assert cpu.count(query, Params(timeout=0.5, switches=Switches(labelled="plan"))).stopped_by == "timeout"
