"""explain for a device: the formula that its kernels count by, every term or sum of it, and what else would do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.api.by_hand import count_part, evaluated, terms_of
from tests.api.test_explain_by_hand import CASES, random_graph

import subiso as si
from subiso.engine import auto, reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.choose import choose_schedule
from subiso.engine.cuda.explain import description
from subiso.engine.cuda.formula import fitting_formula
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.plan.choose import make_plan
from subiso.plan.explain import Explanation
from subiso.plan.sums_text import MEANINGS
from subiso.storage.statistics import statistics_of

GRAPH = si.generators.rmat(11, 16, seed=1)
FAN = si.Pattern.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)])
BY_SUMS = {
    "house": si.Pattern.house(),
    "5-cycle": si.Pattern.cycle(5),
    "fan": FAN,
    "triangle": si.Pattern.clique(3),
}


def number(text: str) -> float:
    return float(text.replace(",", ""))


@pytest.mark.parametrize(
    "name", ["5-cycle", "house", "4-cycle", "path", "embeddings", "absent edge", "labels", "ring"]
)
def test_formulas_of_kernels_can_be_redone_by_hand(name: str) -> None:
    """Parts of cuts are loops there, so that only the text can say that vertices may coincide."""
    pattern, options = CASES[name]
    query = make_query(random_graph(1, directed=name == "ring"), pattern, **options)
    resolved, stats = resolve(query), statistics_of(query.graph)
    params = Params(switches=Switches(decompose="always", expand="always"))
    formula = fitting_formula(resolved, params, codegrees=True)
    assert not any(term.plan.parts for term in formula.terms)
    told = Explanation(resolved, stats, formula, make_plan(resolved.problem, stats, counting=False))
    lines = count_part(told)
    assert evaluated(lines, terms_of(lines, resolved)) == reference.count(query).count > 0


@pytest.mark.parametrize("pattern", BY_SUMS.values(), ids=BY_SUMS)
def test_sums_are_told_with_their_passes_and_the_alternatives(pattern: si.Pattern) -> None:
    told = si.explain(GRAPH, pattern, device="cuda")
    heading, others, formula, *lines = count_part(told)
    cost = re.match(r"count     ~(\S+) operations, from sums over the whole graph: ", heading)
    assert cost is not None
    used = set(re.findall(r"[a-z]\w*", formula.removeprefix("  count = ")))
    assert {line.split(" = ")[0].strip() for line in lines if " = " in line} == used <= MEANINGS.keys()
    each = [re.search(r"  (?:pass|apart) \w+: .*, ~(\S+) operations$", line) for line in lines]
    assert number(cost[1]) == pytest.approx(sum(number(one[1]) for one in each if one), rel=0.01)
    assert others.startswith(f"  otherwise {told.formula.technique} ~{told.formula.cost:,.3g} operations (")
    assert all(f"{way} ~{others_cost:,.3g}" in others for way, others_cost in told.formula.alternatives[:1])
    on_host = si.explain(GRAPH, pattern, device="cpu").formula.cost
    assert f"or by the host (~{on_host:,.3g} operations" in others


def test_schedules_of_all_terms_and_what_else_would_do() -> None:
    told = si.explain(GRAPH, si.Pattern.path(6), device="cuda")
    lines = count_part(told)
    assert len(told.formula.terms) > 1
    for term, said in zip(told.formula.terms, told.device.schedules, strict=True):
        choice = choose_schedule(term.plan, told.resolved, description("cuda"))
        assert said.startswith(f"schedule {choice.schedule}: {choice.why}; ")
        assert f"    # {said}" in lines
    named = si.explain(GRAPH, si.Pattern.path(6), device="cuda", schedule="levels")
    assert f"schedule levels (~{named.formula.cost:,.3g} operations)" in lines[2]
    assert f"the host (~{si.explain(GRAPH, si.Pattern.path(6), device='cpu').formula.cost:,.3g} " in lines[2]


def test_a_named_schedule_counts_by_plans() -> None:
    """Even what would come from sums."""
    for schedule in ("fine", "wedge"):
        told = si.explain(GRAPH, si.Pattern.house(), device="cuda", schedule=schedule)
        lines = count_part(told)
        assert not told.device.instead and any(f"# schedule {schedule}: " in line for line in lines)
        assert f"schedule {schedule}" not in lines[2]
    assert not si.explain(
        GRAPH, si.Pattern.house(), device="cuda:0,1"
    ).device.instead  # nor do several devices


def test_plans_that_schedules_share_are_not_priced_twice() -> None:
    told = str(si.explain(GRAPH, si.Pattern.clique(5), device="cuda"))
    assert "  or by schedule fine or stack or levels (the same plans); the host (~" in told
    assert "  schedule local: " in told


def test_listing_has_its_schedule() -> None:
    lines = str(si.explain(GRAPH, si.Pattern.clique(5), device="cuda")).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("match"))
    assert lines[first + 1].startswith("  schedule stack: keeps S0")


def test_what_the_host_tries_is_told_once() -> None:
    labelled = si.generators.with_labels(GRAPH, 4, seed=1)
    options: dict[str, Any] = {"pattern": "(a:0)--(b:1)--(c:2)--(d:3)--(a)"}
    told = str(si.explain(labelled, device="cuda", **options))
    assert "the host counts as well once the search has taken" in told and "first without a plan" not in told
    assert "first without a plan" in str(si.explain(labelled, device="cpu", **options))
    assert "between candidates its tables cost more than they save" in told


def test_twigs_are_told_in_place_of_plans() -> None:
    labelled = si.generators.with_labels(GRAPH, 4, seed=1)
    told = si.explain(labelled, "(a:0)--(b:1)--(c:2)", device="cuda", schedule="pipeline")
    assert count_part(told)[0] == "count     schedule pipeline: asked for"


def test_lists_say_which_passes_are_shared_and_who_runs_alone() -> None:
    patterns = [
        si.Pattern.house(),
        si.Pattern.cycle(5),
        si.Pattern.path(4),
        si.Pattern("(x)--(y)--(z)--(w)"),
        si.Pattern.clique(3),
        si.Pattern.path(6),
    ]
    told = si.explain(GRAPH, patterns, device="cuda")
    text = str(told)
    assert text.startswith("set       6 patterns: 2 share passes over the graph, 3 run alone\ndevice    ")
    (team,) = told.teams
    assert sorted(team) == [0, 1] and sorted(told.alone) == [2, 4, 5] and told.same == {3: 2}
    legend = dict(re.findall(r"^p(\d) +.*  # (.*)$", text, re.MULTILINE))
    assert legend["0"] == "from sums: cycle_triangles - 4*books2" and legend["3"] == "the same as p2"
    assert legend["4"] == "from sums: cliques3" and re.match(r"by cut at .*: \(?(\d\*)?p5\.0 - ", legend["5"])
    together = re.search(r"^together  ~(\S+) operations; one by one ~(\S+): p0, p1$", text, re.MULTILINE)
    assert together is not None and number(together[1]) < number(together[2])
    part = text[together.end() :].split("\n\n", maxsplit=1)[0]
    passes = re.findall(r"^  pass (\w+): ", part, re.MULTILINE)
    assert passes == ["tally", "edges", "vertices", "after", "squares", "walks"]  # each once
    assert re.search(r"^  p5\.0 = maps of .*\n    # where .*\n    # schedule \w+: ", text, re.MULTILINE)
    assert text.endswith("patterns share passes only")


def test_lists_on_several_devices_or_with_a_schedule_share_nothing() -> None:
    patterns = [si.Pattern.house(), si.Pattern.cycle(5)]
    for options in ({"device": "cuda", "schedule": "fine"}, {"device": "cuda:0,1"}):
        told = si.explain(GRAPH, patterns, **options)
        assert told.teams == () and sorted(told.alone) == [0, 1]
        assert "0 share passes over the graph, 2 run alone" in str(told)


def test_lists_with_a_pattern_that_has_no_candidate() -> None:
    labelled = si.generators.with_labels(GRAPH, 2, seed=1)
    text = str(si.explain(labelled, ["(a:9)--(b)", "(a:0)--(b)"], device="cuda"))
    assert "0 share passes over the graph, 1 run alone" in text
    assert "p0        (a:9)--(b)  # 0, as some vertex of the pattern has no candidate" in text


def test_auto_tells_of_the_device_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it takes none, of the CPU's ways."""
    house, path = si.Pattern.house(), si.Pattern.path(6)
    assert (
        str(si.explain(GRAPH, house))
        .splitlines()[-1]
        .startswith("device    the CPU: sums over the graph, about ")
    )
    taken = lambda query: (query.pattern == house, "about 1e+11 operations")  # noqa: E731
    monkeypatch.setattr(auto, "on_device", taken)
    told = si.explain(GRAPH, house)
    assert "from sums over the whole graph" in count_part(told)[0]
    assert re.match(r"device    .*: about 1e\+11 operations$", told.device.lines[0])
    text = str(si.explain(GRAPH, [house, path]))
    assert text.startswith("set       2 patterns in 1 searches\n") and "\nalone     ~" in text
    assert f"{house}  # alone, on the first CUDA device\n" in text
    assert "CUDA" not in str(si.explain(GRAPH, [house, path], device="cpu"))
