"""explain of one pattern: the formula that is chosen, each of its terms, and what the other ways would cost."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.api.by_hand import count_part, evaluated

import subiso as si
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.plan.explain import Explanation
from subiso.plan.formula import ONE_PLAN

GRAPH = si.generators.rmat(11, 16, seed=1)
CUT = replace(si.explain(GRAPH, si.Pattern.cycle(5)), sums=None)
EXPANDED = si.explain(GRAPH, "(a)--(b)--(c)--(d)--(a), !(a)--(c)")
STAR = replace(si.explain(GRAPH, si.Pattern.star(4)), sums=None)
"""Plans, as if there were no sums over the graph."""
SUMS = {"cut": CUT, "linear combination": EXPANDED}


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_the_way_that_is_chosen_is_named() -> None:
    assert re.match(r"cut at [a-e](, [a-e])*$", CUT.formula.technique)
    assert EXPANDED.formula.technique == "inclusion and exclusion of absent edges"
    assert STAR.formula.technique == ONE_PLAN
    for told in SUMS.values():
        assert count_part(told)[1].startswith(f"  by {told.formula.technique}; otherwise ")


@pytest.mark.parametrize("told", SUMS.values(), ids=SUMS)
def test_the_other_ways_are_there_with_their_costs(told: Explanation) -> None:
    """Each with its own number, cheapest first, and none cheaper than the chosen one."""
    lines = count_part(told)
    chosen = re.fullmatch(r"count     ~(\S+) operations", lines[0])
    assert chosen is not None and number(chosen[1]) == pytest.approx(told.formula.cost, rel=0.01)
    said = lines[1].split("; otherwise ")[1]
    others = [(name, number(cost)) for name, cost in re.findall(r"(.+?) ~([\d.e+,]*\d)(?:, |$)", said)]
    assert {name for name, _ in others} == {name for name, _ in told.formula.alternatives}
    assert ONE_PLAN in dict(others)
    assert [cost for _, cost in others] == sorted(cost for _, cost in others)
    for name, cost in others:
        known = [c for way, c in told.formula.alternatives if way == name]
        assert cost == pytest.approx(min(known), rel=0.01)
        assert cost >= 0.99 * told.formula.cost


@pytest.mark.parametrize("told", SUMS.values(), ids=SUMS)
def test_every_term_is_there(told: Explanation) -> None:
    """With its coefficient, its pattern, its cost and the loops of its plan, in the order of the sum."""
    formula, lines = told.formula, count_part(told)
    assert len(formula.terms) > 1
    numbers = {f"t{i}": 10**6 + i**3 for i in range(len(formula.terms))}
    total = sum(t.coefficient * n for t, n in zip(formula.terms, numbers.values(), strict=True))
    assert evaluated(lines, numbers) == Fraction(total, formula.divisor)
    heads = [i for i, line in enumerate(lines) if re.match(r"  t\d+ = ", line)]
    assert len(heads) == len(formula.terms)
    for term, i, end in zip(formula.terms, heads, [*heads[1:], len(lines)], strict=True):
        head, cost = lines[i].split("  # ~")
        assert head.endswith(f" {term.pattern}")
        assert number(cost.removesuffix(" operations")) == pytest.approx(term.plan.cost, rel=0.01)
        rest = [line[4:] for line in lines[i + 1 : end] if not line.startswith("    # where ")]
        assert rest == str(term.plan).splitlines()
    assert formula.cost == pytest.approx(sum(term.plan.cost for term in formula.terms))


@pytest.mark.parametrize("name", SUMS)
def test_the_terms_make_up_the_count(name: str) -> None:
    """The plans that are shown, times their coefficients and over the divisor, against one plan."""
    told = SUMS[name]
    plans = [term.plan for term in told.formula.terms]
    totals = [cpu.count_plans([plan], told.resolved, Params(), time.perf_counter())[0][0] for plan in plans]
    coefficients = [term.coefficient for term in told.formula.terms]
    one_plan = Params(switches=Switches(expand="never", decompose="never", sums=False))
    expected = cpu.count(make_query(GRAPH, told.problem.pattern), one_plan).count
    assert (
        sum(c * n for c, n in zip(coefficients, totals, strict=True)) == told.formula.divisor * expected > 0
    )


def test_a_count_from_sums_says_so_and_what_plans_would_cost() -> None:
    """tests/plan/test_sums_text.py has what the formulas come to."""
    told = si.explain(GRAPH, si.Pattern.cycle(5))
    assert told.sums is not None
    lines = count_part(told)
    head = re.match(r"count     ~(\S+) operations, from sums over the whole graph: ", lines[0])
    assert head is not None and number(head[1]) == pytest.approx(told.sums.cost, rel=0.01)
    assert lines[1].startswith(f"  otherwise {told.formula.technique} ~{told.formula.cost:,.3g} operations, ")
    assert lines[2] == "  count = closed_walks5 + triangle_ends / 3 - tails_up"
    assert {line.split(" = ")[0].strip() for line in lines[3:6]} == set(told.sums.names)


def test_a_cut_shows_its_parts() -> None:
    lines = count_part(CUT)
    assert sum("may coincide" in line for line in lines) == 1
    assert any(line.strip() == "m0 = 0" for line in lines)
    assert any(line.strip().startswith("total += n0 * m0") for line in lines)
    assert re.match(r"  count = \(t0( - (\d+\*)?t\d+)+\) / \d+$", lines[2])


def test_a_tail_shows_its_sets_its_formula_and_its_divisor() -> None:
    """Inclusion and exclusion over the last vertices: no loop for them, but a polynomial of the sizes of sets."""
    assert [re.sub(r"  # ~[\d,]+$", "", line) for line in count_part(STAR)[1:]] == [
        "  for a in V:",
        "    n0 = |N(a)|",
        "    total += n0^4 - 6*n0^3 + 11*n0*n0 - 6*n0  # b, c, d, e",
        "  total / 24",
    ]


def test_what_is_left_out_of_a_formula_is_left_out_of_the_text() -> None:
    """The text is made from the formula: with fewer terms and no alternatives it says so."""
    less = replace(CUT, formula=replace(CUT.formula, terms=CUT.formula.terms[:2], alternatives=()))
    lines = count_part(less)
    assert lines[1] == f"  by {CUT.formula.technique}"
    assert re.match(r"  count = \(t0 - (\d+\*)?t1\) / \d+$", lines[2])


def test_nothing_is_planned_where_there_is_nothing() -> None:
    labelled = si.generators.with_labels(GRAPH, 2, seed=1)
    lines = str(si.explain(labelled, "(a:9)--(b)--(c)", device="cpu")).splitlines()
    assert (
        "count     0: some vertex of the pattern has no candidate" in lines
        and lines[-1] == "match     nothing"
    )
    edges = si.Graph.from_edges([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3], edge_labels=["X"] * 6)
    assert "count     0: " in str(si.explain(edges, "(a)--(b), (a)--(c), (a)-[:Y]-(d)"))


def test_lists_of_several_kinds_are_told_apart() -> None:
    directed = si.generators.rmat(8, 4, seed=1, directed=True)
    text = str(si.explain(directed, "(a)-->(b)-->(c)-->(a)"))
    assert "\nlists     N(a) = {b: (a)-->(b)}, N1(b) = {a: (a)-->(b)}\n" in text
    assert "lists " not in str(CUT)
    labelled = si.generators.with_edge_labels(directed, 3, seed=1)
    text = str(si.explain(labelled, "(a)-[:0]->(b)-[:1|2]->(c), (b)-[`e 1`]-(c), !(c)-[:2]->(a)"))
    for meaning in (
        "{c: (b)-[:1|2]->(c)}",
        "{b: (b)-[:1|2]->(c)}",
        "{c: (b)-[`e 1`]-(c)}",
        "{a: (c)-[:2]->(a)}",
    ):
        assert f" = {meaning}" in text


def test_orders_that_follow_are_left_out() -> None:
    assert "  # where a < b < c < d (by degree, then id)\n" in str(si.explain(GRAPH, si.Pattern.clique(4)))
