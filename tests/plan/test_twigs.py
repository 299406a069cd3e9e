"""The decomposition into twigs and the plans of their joins: every link covered, every condition tested, text, JSON."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from subiso.engine.query import MODES, make_query
from subiso.errors import QueryError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.hanging import hanging
from subiso.plan.joins import join_twigs, leaf_order, make_twig_plan
from subiso.plan.json import plan_from_json, plan_to_json
from subiso.plan.problem import Problem
from subiso.plan.twig_plan import Leaf
from subiso.plan.twigs import Twig, decompose


def random_problem(seed: int, mode: str = "monomorphism") -> Problem:
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(
        *rng.integers(0, 40, (2, 200)), num_vertices=40, vertex_labels=rng.integers(0, 3, 40)
    )
    k = int(rng.integers(2, 9))
    edges = {tuple(sorted((i, int(rng.integers(i))))) for i in range(1, k)}
    edges |= {tuple(sorted(rng.choice(k, 2, replace=False).tolist())) for _ in range(k)}
    labels = [int(x) if x < 3 else None for x in rng.integers(0, 5, k)]
    return resolve(
        make_query(graph, Pattern.from_edges(sorted(edges), vertex_labels=labels), mode=mode)
    ).problem


@pytest.mark.parametrize("seed", range(40))
def test_every_link_is_in_one_twig(seed: int) -> None:
    problem = random_problem(seed)
    twigs = decompose(problem)
    covered = [frozenset((t.root, leaf.vertex)) for t in twigs for leaf in t.leaves]
    assert len(covered) == len(set(covered))
    assert set(covered) == {frozenset((link.a, link.b)) for link in problem.links}
    matched = set(twigs[0].vertices)
    for twig in twigs[1:]:
        assert twig.root in matched
        matched.update(twig.vertices)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(10))
def test_plans_say_all_that_the_problem_asks(seed: int, mode: str) -> None:
    problem = random_problem(seed, mode)
    for most in (1.0, 1e9):
        plan = make_twig_plan(problem, most)
        assert sorted(plan.order) == list(range(problem.num_vertices))
        links = [(s.root, leaf.vertex) for s in plan.scans for leaf in s.leaves]
        assert {frozenset(pair) for pair in links} == {frozenset((x.a, x.b)) for x in problem.links}
        tests = [t for s in plan.scans for t in s.tests] + [t for j in plan.joins for t in j.tests]
        absent = {frozenset((t.vertex, t.other)) for t in tests if t.what == "absent"}
        assert absent == {frozenset((link.a, link.b)) for link in problem.forbidden}
        ordered = {(t.other, t.vertex) for t in tests if t.what == "above"}
        ordered |= {(t.vertex, t.other) for t in tests if t.what == "below"}
        assert ordered == set(plan.restrictions)
        for join in plan.joins:
            assert join.keys and set(join.build.columns) == {*join.keys, *join.fresh}
            assert join.build.columns == (*join.fresh, *join.keys)


def test_all_pairs_are_told_apart_in_injective_modes() -> None:
    graph = Graph.from_edges(*np.random.default_rng(0).integers(0, 30, (2, 100)), num_vertices=30)
    problem = resolve(make_query(graph, Pattern.cycle(6), unique=False)).problem
    plan = make_twig_plan(problem)
    tests = [t for s in plan.scans for t in s.tests] + [t for j in plan.joins for t in j.tests]
    apart = {frozenset((t.vertex, t.other)) for t in tests if t.what == "distinct"}
    joined = {frozenset((link.a, link.b)) for link in problem.links}
    assert apart | joined == {frozenset(pair) for pair in itertools.combinations(range(6), 2)}


def test_order_by_size_or_as_they_come() -> None:
    problem = random_problem(3)
    twigs = decompose(problem)
    rows = [float(10 * (len(twigs) - i)) for i in range(len(twigs))]
    plain = join_twigs(problem, twigs, rows, problem.sizes, by_size=False)
    assert [s.root for s in plain.scans] == [t.root for t in twigs]
    by_size = join_twigs(problem, twigs, rows, problem.sizes)
    assert by_size.cost <= plain.cost
    assert sorted(s.root for s in by_size.scans) == sorted(t.root for t in twigs)


def test_the_probe_is_where_joins_cost_least() -> None:
    """Of three relations in a row the middle one: all yield the same, and it is the largest, which is not built."""
    chain = [Twig(v, (Leaf(v + 1, (0,)),)) for v in range(3)]
    sizes = [100.0, 10.0, 10.0, 100.0]
    assert leaf_order(chain, [10.0, 1000.0, 500.0], sizes) == [1, 0, 2]
    assert leaf_order(chain[::-1], [500.0, 1000.0, 10.0], sizes) == [1, 2, 0]


def test_text_and_json() -> None:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], vertex_labels=["A", "B", "A", "B"])
    pattern = Pattern("(a:A)--(b), (b)--(c), (c)--(d), (d)--(a), !(a)--(c)")
    plan = make_twig_plan(resolve(make_query(graph, pattern)).problem)
    assert plan_from_json(plan_to_json(plan)) == plan
    assert str(plan) == TEXT
    with pytest.raises(QueryError, match="the plan has version 99, this subiso reads version 1"):
        plan_from_json(plan_to_json(plan).replace('"version": 1', '"version": 99'))


TEXT = """\
probe a(b in N, d in N) if d > b  # ~8 rows
join  d(c in N) on d if c != a, c not in N(a)  # ~8 rows in the table, ~16 after the join
join  c(b in N) on c, b  # ~8 rows in the table, ~8 after the join
emit"""


def hanging_names(text: str, **options: object) -> list[str]:
    rng = np.random.default_rng(1)
    labels = [("A", "B", "C", "D")[i % 4] for i in range(40)]
    graph = Graph.from_edges(*rng.integers(0, 40, (2, 300)), num_vertices=40, vertex_labels=labels)
    problem = resolve(make_query(graph, Pattern(text), **options)).problem  # type: ignore[arg-type]
    names = problem.pattern.names
    return [
        f"{names[h.vertex]}{'!' + ''.join(names[v] for v in h.without) if h.without else ''}"
        for h in hanging(problem)
    ]


def test_what_hangs() -> None:
    triangle = "(a:A)--(b:B), (b)--(c:C), (a)--(c)"
    assert hanging_names(f"{triangle}, (c)--(d:D)") == ["d"]
    assert hanging_names(f"{triangle}, (c)--(d:D), (d)--(e:A)") == [
        "e!a"
    ]  # d bears e, which may be a's vertex
    assert hanging_names(f"{triangle}, (c)--(d:D), (d)--(e:A)", mode="homomorphism") == ["e", "d"]
    assert hanging_names(f"{triangle}, (c)--(d:B)") == ["d!b"]
    assert hanging_names(f"{triangle}, (c)--(d), (d)--(e)") == ["e!abc"]
    assert hanging_names(f"{triangle}, (c)--(d:D), !(a)--(d)") == []
    assert hanging_names(f"{triangle}, (c)--(d:D)", mode="induced") == []
    assert hanging_names(f"{triangle}, (c)--(d:D)", mode="edge-isomorphism") == ["d"]
    assert hanging_names(f"{triangle}, (c)--(d:B)", mode="edge-isomorphism") == []  # may be the edge to b
    assert hanging_names(f"{triangle}, (c)--(d:D), (c)--(e:D)") == []  # symmetric
    assert hanging_names(f"{triangle}, (c)--(d:D), (c)--(e:D)", unique=False) == ["d!e"]
