"""explain of a list of patterns: what is shared is shown once, and costs are those of what count runs."""

from __future__ import annotations

import re
import time
from fractions import Fraction
from typing import Any

import pytest

import subiso as si
from subiso.engine import cpu, together
from subiso.engine import explain_set as module
from subiso.engine.base import Params, Switches
from subiso.engine.explain_set import explain_set
from subiso.engine.query import make_query
from subiso.engine.several import families_of
from subiso.engine.sums import sums_way
from subiso.errors import QueryError, UnsupportedError
from subiso.graph import generators as gen

GRAPH = gen.rmat(9, 8, seed=1)
PATTERNS = [si.Pattern.path(4), si.Pattern.diamond(), si.Pattern.cycle(4), si.Pattern.clique(4)]


@pytest.fixture(autouse=True)
def _small_sets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_WORTH_IT", dict.fromkeys(range(9), 0.0))
    monkeypatch.setattr(module, "families_of", lambda *_: {})
    monkeypatch.setattr(module, "sums_way", lambda *_: None)


def test_shared_loops_are_printed_once() -> None:
    params = Params(switches=Switches(merge="always", decompose="never"))
    told = explain_set([make_query(GRAPH, p) for p in PATTERNS], params)
    text = str(told)
    merged = max((g for team in told.teams for g in team.together.groups), key=lambda g: len(g.plans))
    assert len(merged.plans) > 1
    assert f"for a in V:  # shared by {len(merged.plans)}" in text
    assert text.count("for a in V") == len(
        [g for t in told.teams for g in t.together.groups if len(g.plans) > 1]
    )
    assert all(f"p{i}" in text for i in range(len(PATTERNS)))


def test_together_never_costs_more_by_the_estimate() -> None:
    for patterns in (PATTERNS, si.connected_patterns(4), si.connected_patterns(5)):
        for mode in ("monomorphism", "induced", "homomorphism"):
            told = explain_set([make_query(GRAPH, p, mode=mode) for p in patterns])
            assert told.cost <= told.apart * (1 + 1e-9)


def test_explain_takes_lists() -> None:
    told = si.explain(GRAPH, ["(a)--(b)--(c)", "(a)--(b)"])
    text = str(told)
    assert repr(told) == text
    assert text.startswith("set       2 patterns in ")
    with pytest.raises(UnsupportedError, match="schedules belong to CUDA devices"):
        si.explain(GRAPH, ["(a)--(b)"], schedule="fine")


def value(text: str, known: dict[str, int]) -> Fraction:
    """A formula of the text, with the counts that it is made of."""
    names = {name.replace(".", "_"): Fraction(count) for name, count in known.items()}
    assert re.fullmatch(r"[-+*/(). \w]+", text)
    return Fraction(eval(re.sub(r"(p\d+)\.(\d+)", r"\1_\2", text), names))


def test_sums_of_searches_are_told_by_their_terms() -> None:
    """Each pattern's formula from what its terms count, by their own plans."""
    patterns = [*PATTERNS, si.Pattern.path(6), si.Pattern.cycle(5)]
    queries = [make_query(GRAPH, p) for p in patterns]
    params = Params(switches=Switches(merge="always", decompose="always"))
    told = explain_set(queries, params)
    (team,) = told.teams
    plans = [plan for group in team.together.groups for plan in group.plans]
    totals = {p: cpu.count_plans([p], team.resolved, params, time.perf_counter())[0][0] for p in plans}
    known = {name: totals[plan] for plan, name in module._names(team).items()}
    lines = str(told).splitlines()
    sums = 0
    for i, query in enumerate(queries):
        (legend,) = [line for line in lines if line.startswith(f"p{i} ")]
        assert f" {query.pattern}  # " in legend
        formula = legend.split(": ")[-1] if ": " in legend else f"p{i}"
        assert value(formula, known) == cpu.count(query).count
        sums += "." in formula
        for name in re.findall(r"p\d+\.\d+", formula):
            assert any(
                re.match(rf"  {name} = (maps of|embeddings of|subgraphs|1/\d+ of) ?", x) for x in lines
            )
    assert sums > 1


def test_alone_and_the_same() -> None:
    """Queries of different labels have the same plan, on candidates of their own: each keeps its name."""
    graph = gen.with_labels(GRAPH, 2, seed=1)
    patterns = ["(a)--(b), (b)--(c:0)", "(a)--(b), (b)--(c:1)", "(x)--(y), (y)--(z:1)"]
    text = str(
        explain_set([make_query(graph, p) for p in patterns], Params(switches=Switches(merge="never")))
    )
    assert "(b)--(c:0)  # one plan\n" in text and "(b)--(c:1)  # one plan\n" in text
    assert "# the same as p1" in text and text.startswith("set       3 patterns in 2 searches\n")


def test_families_are_told_with_their_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "families_of", families_of)
    monkeypatch.setattr(module, "sums_way", sums_way)
    for induced in (False, True):
        told = explain_set([make_query(GRAPH, p, induced=induced) for p in PATTERNS])
        text = str(told)
        assert text.startswith("set       4 patterns in 0 searches, 4 from sums over the whole graph\n")
        (family,) = told.families
        apart = sum(si.explain(GRAPH, p, induced=induced, device="cpu").formula.cost for p in PATTERNS)
        assert family.numbers == (0, 1, 2, 3) and family.apart == pytest.approx(apart)
        assert f"sums      ~{family.cost:,.3g} operations; by plans ~{apart:,.3g}: p0, p1, p2, p3, " in text
        assert ("# from sums: books2 - 6*cliques4" if induced else "# from sums: books2\n") in text
        assert "\n  books2 = C(t, 2) over edges\n" in text


def test_sets_without_a_candidate() -> None:
    graph = gen.with_labels(gen.path(5), 1, seed=1)
    assert "0 searches" in str(si.explain(graph, ["(a:9)--(b)", "(a:8)--(b)"]))


@pytest.mark.parametrize(
    ("labelled", "first"), [("auto", (0, 1)), ("search", (0, 1)), ("eliminate", (0,)), ("plan", ())]
)
def test_what_is_tried_first(labelled: Any, first: tuple[int, ...]) -> None:
    """What must be absent is not eliminated; where vertices may be anywhere, nothing comes before the plan."""
    graph = gen.with_labels(GRAPH, 2, seed=1)
    queries = [make_query(graph, "(a:0)--(b:1)--(c:0)"), make_query(graph, "(a:0)--(b:1)--(c:0), !(a)--(c)")]
    queries.append(make_query(graph, si.Pattern.path(6), mode="homomorphism"))
    told = explain_set(queries, Params(switches=Switches(labelled=labelled)))
    assert told.first == first
    assert ("first     between their candidates" in str(told)) == bool(first)


def test_the_filters_are_those_of_the_switches() -> None:
    graph = gen.with_labels(GRAPH, 8, seed=1)
    pattern = "(a:0)--(b:1)--(c:2)--(d:3)--(a)"
    costs = {}
    for filters in ((), None):
        switches = Switches(filters=filters)
        costs[filters] = si.explain(graph, pattern, device="cpu", switches=switches).formula.cost
        told = si.explain(graph, [pattern], device="cpu", switches=switches)
        assert told.cost == pytest.approx(costs[filters])
    assert costs[None] < costs[()]
    with pytest.raises(QueryError, match="filter"):
        si.explain(graph, [pattern], device="cpu", switches=Switches(filters=("x",)))
