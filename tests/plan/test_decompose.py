"""Counts by cuts: every cut of every small pattern against plans without any, on random graphs."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace

import networkx as nx
import pytest

from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.query import Query, make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.pattern.generate import connected_patterns
from subiso.plan import formula as formulas
from subiso.plan.flatten import flatten
from subiso.plan.json import plan_from_json, plan_to_json
from subiso.plan.plan import Ends, Everyone, Plan
from subiso.storage.statistics import statistics_of

WITHOUT = Params(threads=1, switches=Switches(decompose="never", expand="never", sums=False))


def random_graph(seed: int, n: int, density: float, **options: object) -> Graph:
    data = nx.gnp_random_graph(n, density, seed=seed, directed=bool(options.get("directed")))
    edges = list(data.edges)
    chance = random.Random(seed)
    return Graph.from_edges(
        [u for u, _ in edges],
        [v for _, v in edges],
        num_vertices=n,
        vertex_labels=[chance.choice("AAB") for _ in range(n)],
        edge_labels=[chance.choice("XXY") for _ in edges],
        **options,  # type: ignore[arg-type]
    )


def every_cut(
    query: Query, monkeypatch: pytest.MonkeyPatch, looked_at: int = 1000, **options: object
) -> list[formulas.Formula]:
    """One formula for each cut of the pattern (the cheapest so many), whatever it costs."""
    monkeypatch.setattr(formulas, "_CUTS_LOOKED_AT", looked_at)
    problem = resolve(query).problem
    settings = {"codegrees": True, **options}
    codegrees = bool(settings.pop("codegrees"))
    ways = formulas._Ways("never", "never", codegrees, most_parts=99, wide_cuts=True, by_role=False)
    planner = formulas._Planner(statistics_of(query.graph), ways, settings)
    return planner.decomposed(problem, math.inf)


def count(query: Query, formula: formulas.Formula, threads: int = 1) -> int:
    outcome = cpu.run_formula(formula, resolve(query), Params(threads=threads), time.perf_counter())
    assert outcome.complete
    return outcome.count


PATTERNS = [p for k in (3, 4, 5) for p in connected_patterns(k)]


@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
@pytest.mark.parametrize("codegrees", [True, False])
def test_every_cut_counts_the_same(
    pattern: Pattern, codegrees: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed, n, density in ((1, 12, 0.5), (2, 25, 0.2)):
        query = make_query(random_graph(seed, n, density), pattern)
        expected = cpu.count(query, WITHOUT).count
        for max_tail in (99, 1, 0):
            for formula in every_cut(query, monkeypatch, codegrees=codegrees, max_tail=max_tail):
                assert count(query, formula) == expected, (formula.technique, max_tail)


@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
def test_parts_as_loops_count_the_same(pattern: Pattern, monkeypatch: pytest.MonkeyPatch) -> None:
    """What engines without parts run (plan/flatten.py)."""
    query = make_query(random_graph(1, 12, 0.5), pattern)
    expected = cpu.count(query, WITHOUT).count
    for formula in every_cut(query, monkeypatch):
        plans = [flatten(term.plan) for term in formula.terms]
        if None in plans:
            continue
        terms = [replace(t, plan=plan) for t, plan in zip(formula.terms, plans, strict=True)]
        assert not any(term.plan.parts for term in terms)
        assert count(query, replace(formula, terms=tuple(terms))) == expected, formula.technique


def test_two_parts_with_loops_stay_parts() -> None:
    """A plan whose parts both have loops is no single nest."""
    query = make_query(random_graph(1, 12, 0.5), Pattern.path(7))
    formula = formulas.make_formula(
        resolve(query).problem, statistics_of(query.graph), decompose="always", codegrees=False
    )
    looping = [t for t in formula.terms if sum(bool(p.extends) * p.power for p in t.plan.parts) > 1]
    assert looping and all(flatten(term.plan) is None for term in looping)


def test_patterns_of_six_vertices(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(3, 14, 0.4)
    ways = 0
    for pattern in connected_patterns(6):
        query = make_query(graph, pattern)
        expected = cpu.count(query, WITHOUT).count
        found = every_cut(query, monkeypatch, looked_at=2)
        ways += len(found)
        for formula in found:
            assert count(query, formula, threads=2) == expected, (str(pattern), formula.technique)
    assert ways > 200


SEVEN = {
    "path": Pattern.path(7),
    "cycle": Pattern.cycle(7),
    "tree": Pattern.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]),
    "two K4 at a vertex": Pattern.from_edges(
        [(a, b) for k in ((0, 1, 2, 3), (3, 4, 5, 6)) for a in k for b in k if a < b]
    ),
    "barbell": Pattern.from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (4, 6)]),
}


@pytest.mark.parametrize("name", SEVEN)
def test_patterns_of_seven_vertices(name: str) -> None:
    query = make_query(random_graph(4, 10, 0.75), SEVEN[name])
    expected = cpu.count(query, WITHOUT).count
    for codegrees in (True, False):
        switches = Switches(decompose="always", codegrees=codegrees, sums=False)
        assert cpu.count(query, Params(threads=2, switches=switches)).count == expected > 0


def test_induced_counts_are_cut_after_expansion() -> None:
    graph = random_graph(9, 14, 0.4)
    for pattern in (Pattern.path(5), Pattern.house(), Pattern.cycle(5)):
        query = make_query(graph, pattern, induced=True)
        expected = reference.count(query, Params()).count
        switches = Switches(expand="always", decompose="always", sums=False)
        assert cpu.count(query, Params(switches=switches)).count == expected


CONDITIONS = [
    "(a:A)--(b)--(c:B)--(d)--(e:A)",
    "(a:A)--(b:A)--(c)--(d)--(a)",
    "(a)--(b), (b)--(c:A), (c)--(d), (d)--(e:B), (e)--(a)",
    "(a)-[:X]-(b)-[:Y]-(c)-[:X]-(d)-[:X]-(a)",
    "(a)-[:X]-(b)-[:Y]-(c), (c)-[:X|Y]-(d)-[:X]-(e)",
    "(a)-->(b)-->(c)-->(d)-->(e)",
    "(a)-->(b)-->(c)<--(d)<--(a)",
    "(a)-->(b)--(c)-->(d)-->(e)-->(a)",
    "(a)-->(b), (a)-->(c), (b)-->(d), (c)-->(e), (b)-->(c)",
    "(a)--(b)--(c)--(d)--(e), !(b)--(d)",
    "(a)--(b)--(c)--(d)--(e), !(a)--(c)",
    "(a)-->(b)-->(c)-->(d)-->(e), !(b)-->(a), !(c)-->(e)",
    "(a:A)--(b)--(c)--(d)--(e:A), !(a)--(c), !(c)--(e)",
]


@pytest.mark.parametrize("text", CONDITIONS)
@pytest.mark.parametrize("mode", ["monomorphism", "homomorphism"])
def test_conditions(text: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = Pattern(text)
    for seed in (5, 6):
        graph = random_graph(seed, 13, 0.35, directed=pattern.is_directed)
        for options in ({}, {"anchor": {"b": 3}}, {"anchor": {"b": 3, "d": 5}}):
            for unique in (True, False) if mode == "monomorphism" else (False,):
                kind = {} if mode == "homomorphism" else {"unique": unique}
                query = make_query(graph, pattern, mode=mode, **kind, **options)
                expected = reference.count(query, Params()).count
                if resolve(query).hopeless:
                    assert expected == 0
                    continue
                found = every_cut(query, monkeypatch)
                assert found
                for formula in found:
                    assert count(query, formula) == expected, formula.technique


def test_masks_and_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(8)
    base = random_graph(8, 16, 0.35)
    edges = [(u, v) for u, v in nx.gnp_random_graph(16, 0.35, seed=8).edges]
    graph = Graph.from_edges(
        [u for u, _ in edges], [v for _, v in edges], num_vertices=16, vertex_columns={"age": list(range(16))}
    )
    assert graph.num_edges == base.num_edges
    mask = [rng.random() < 0.7 for _ in range(16)]
    for text in (
        "(a)--(b)--(c)--(d)--(e)",
        "(a)--(b)--(c)--(d)--(e)--(a)",
        "(a)--(b)--(c)--(a), (b)--(d)--(e)--(c)",
    ):
        for pattern in (
            Pattern(text).where(a=mask),
            Pattern(text).where("a.age < b.age"),
            Pattern(text).where("a.age < c.age", d=mask),
        ):
            query = make_query(graph, pattern)
            expected = reference.count(query, Params()).count
            for formula in every_cut(query, monkeypatch):
                assert count(query, formula) == expected, (str(pattern), formula.technique)


def always(pattern: Pattern, graph: Graph) -> formulas.Formula:
    query = make_query(graph, pattern)
    return formulas.make_formula(
        resolve(query).problem, statistics_of(graph), decompose="always", codegrees=True
    )


def plans(formula: formulas.Formula) -> list[Plan]:
    return [term.plan for term in formula.terms]


def test_a_4cycle_is_counted_from_pairs() -> None:
    (plan,) = plans(always(Pattern.cycle(4), random_graph(1, 30, 0.3)))
    assert isinstance(plan.extends[0].candidates.source, Ends)
    assert [size.table for size in plan.tail.sizes] == [0]  # type: ignore[union-attr]
    text = str(plan)
    assert "codegrees" in text and "total += n0*n0 - n0" in text


FAR_APART = {
    "6-cycle": Pattern.cycle(6),
    "7-cycle": Pattern.cycle(7),
    "directed 6-cycle": Pattern("(a)-->(b)-->(c)-->(d)-->(e)-->(f)-->(a)"),
    "labelled 6-cycle": Pattern("(a:A)--(b)--(c:B)--(d:A)--(e)--(f:A)--(a)"),
    "with a tail": Pattern("(a)--(b)--(c)--(d)--(e)--(f)--(a), (a)--(g)"),
    "with a triangle": Pattern("(a)--(b)--(c)--(d)--(e)--(f)--(a), (e)--(g), (f)--(g)"),
}


@pytest.mark.parametrize("pattern", FAR_APART.values(), ids=FAR_APART)
@pytest.mark.parametrize("mode", ["monomorphism", "homomorphism"])
def test_cuts_that_no_wedge_joins(pattern: Pattern, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two vertices three steps apart: the second one is looked for everywhere."""
    directed = pattern.edges[0].directed
    query = make_query(random_graph(4, 13, 0.2, directed=directed), pattern, mode=mode)  # type: ignore[arg-type]
    expected = cpu.count(query, WITHOUT).count
    assert expected > 0
    everywhere = 0
    for formula in every_cut(query, monkeypatch):
        found = [e for plan in plans(formula) for e in plan.extends if e.candidates.source == Everyone()]
        everywhere += bool(found)
        if found:
            assert count(query, formula) == expected, formula.technique
    assert everywhere


def test_a_6cycle_is_a_square_of_paths() -> None:
    formula = always(Pattern.cycle(6), random_graph(1, 60, 0.3))
    plan = formula.terms[0].plan
    assert "for d in V above a" in str(plan) or "for d in V below a" in str(plan)
    assert "total += m0^2" in str(plan)
    assert plan_from_json(plan_to_json(plan)) == plan
    # Restrictions from what keeps the cut in place leave the quotients without any.
    assert all(not term.problem.imposed for term in formula.terms)


def test_a_house_is_a_product_less_a_diamond() -> None:
    formula = always(Pattern.house(), random_graph(1, 30, 0.3))
    assert [term.pattern.is_isomorphic(Pattern.diamond()) for term in formula.terms] == [False, True]
    assert "m0 += " in str(formula.terms[0].plan) and "total += n0 * m0" in str(formula.terms[0].plan)


@pytest.mark.parametrize(
    "pattern", [Pattern.cycle(5), Pattern.house(), Pattern.path(6), Pattern.cycle(4)], ids=str
)
def test_plans_survive_json(pattern: Pattern) -> None:
    for plan in plans(always(pattern, random_graph(1, 30, 0.3))):
        assert plan_from_json(plan_to_json(plan)) == plan
