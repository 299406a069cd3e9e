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
from subiso.engine.cuda.choose import choose_schedule, joins_twigs
from subiso.engine.cuda.explain import description
from subiso.engine.cuda.explain_levels import levels_text
from subiso.engine.cuda.formula import fitting_formula
from subiso.engine.cuda.levels_tune import LevelsWishes
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import SHARE
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.filter.candidate_graph import with_candidate_graph
from subiso.filter.resolve import Resolved, resolve
from subiso.plan.choose import make_plan
from subiso.plan.explain import Explanation
from subiso.plan.joins import make_twig_plan
from subiso.plan.plan import Plan
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


def listing_of_cliques() -> tuple[Plan, Resolved]:
    resolved = resolve(make_query(GRAPH, si.Pattern.clique(4)))
    return make_plan(resolved.problem, statistics_of(GRAPH), counting=False), resolved


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
    assert "  or by schedule fine or stack or levels (the same plans); schedule pipeline (" in told
    assert " operations) (auto takes levels and pipeline for graphs without room on the device)\n" in told
    assert "  schedule local: " in told


@pytest.mark.parametrize(
    ("pattern", "options", "spare"),
    [
        ("(a)-[:0]-(b)-[:1]-(c)", {}, ["levels", "pipeline"]),
        ("(a)-[:0]-(b)-[:1]-(c), !(a)--(c)", {}, ["levels"]),
        ("(a)-[:0]-(b)-[:1]-(c)", {"mode": "induced"}, ["levels"]),
        ("(a)-[:0]-(b)-[:0|1]-(c)", {"mode": "edge-isomorphism"}, []),
        ("(a)-[:0]-(b)-[:1]-(c)", {"device": "cuda:0,1"}, []),
    ],
)
def test_schedules_for_graphs_without_room_are_those_that_auto_takes(
    pattern: str, options: dict[str, str], spare: list[str]
) -> None:
    graph = si.generators.with_edge_labels(si.generators.rmat(9, 8, seed=1), 2, seed=1)
    notes = si.explain(graph, pattern, **{"device": "cuda", **options}).device
    told = re.search(r"\(auto takes (.*) for graphs without room on the device\)", notes.others)
    assert (told[1].split(" and ") if told else []) == spare
    if "device" not in options:
        resolved = resolve(make_query(graph, pattern, mode=options.get("mode", "monomorphism")))
        nbytes = sum(csr.nbytes for csr in set(resolved.csrs))
        small = Description("small", "sm_90", 132, memory=int(nbytes / SHARE) - 1)
        plan = make_plan(resolved.problem, statistics_of(graph), counting=True)
        assert ("levels" in spare) == (choose_schedule(plan, resolved, small).schedule == "levels")
        assert ("pipeline" in spare) == (joins_twigs(resolved, small) is not None)


def test_twigs_are_an_alternative_where_they_fit() -> None:
    """On one device, and in as many vertices as a run of them takes."""
    options: dict[str, Any] = {"pattern": "(a:0)--(b:1)--(c:2)--(d:3)--(a)", "device": "cuda"}
    labelled = si.generators.with_labels(GRAPH, 4, seed=1)
    told = si.explain(labelled, **options)
    problem = with_candidate_graph(told.resolved, told.stats).problem
    plan = make_twig_plan(problem, counting=True)
    assert f"; schedule pipeline (3 twigs, ~{plan.cost:,.3g} rows); the host (~" in told.device.others
    assert len(plan.scans) == 3
    named = si.explain(labelled, **options, schedule="levels")
    assert "; schedule pipeline (3 twigs, " in named.device.others
    assert "pipeline" not in si.explain(labelled, **options | {"device": "cuda:0,1"}).device.others
    line = si.Graph.from_edges(range(49), range(1, 50))
    for vertices, fits in ((32, True), (33, False)):
        others = si.explain(line, si.Pattern.path(vertices), device="cuda", schedule="levels").device.others
        assert ("schedule pipeline (30 twigs, ~" in others) == fits


def test_levels_say_what_they_will_do() -> None:
    told = si.explain(GRAPH, si.Pattern.clique(4), device="cuda", schedule="levels")
    steps = "4 steps (seed, 3 join), a vertex each, edges checked with their vertex, output atomic, "
    assert told.device.schedules == (
        f"schedule levels: asked for; {steps}the whole graph on the device; read from tables",
    )
    assert told.device.listing == f"schedule levels: asked for; {steps}the whole graph on the device"
    assert " steps (" not in str(si.explain(GRAPH, si.Pattern.clique(4), device="cuda"))
    line = si.Graph.from_edges(range(49), range(1, 50))
    told = si.explain(line, si.Pattern.path(33), device="cuda", schedule="levels")
    assert "; 31 steps (seed, 30 join), " in told.device.schedules[0]


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (
            LevelsWishes(output="prealloc"),
            "edges checked with their vertex, output prealloc, the whole graph",
        ),
        (LevelsWishes(eliminate=True), "6 steps (seed, 2 join, sift, join, sift), a vertex each, edges elim"),
        (LevelsWishes(parallel=True), " (seed, lists, combine, join), up to 2 vertices each, edges checked "),
        (
            LevelsWishes(partition=True),
            "by steps of their own, output atomic, only what a step reads on the ",
        ),
        (LevelsWishes(at_once=True), "the whole graph on the device, the first descent in one launch"),
    ],
    ids=["output", "eliminate", "parallel", "partition", "at once"],
)
def test_levels_do_as_they_are_wished(wishes: LevelsWishes, said: str) -> None:
    assert said in levels_text(*listing_of_cliques(), description("cuda"), Wishes(levels=wishes))


def test_levels_on_a_small_device() -> None:
    """Where the graph has no room, parts of it are there in turn; a size that is not known is room enough."""
    for memory, parts in ((0, False), (100_000, True), (1 << 30, False)):
        machine = Description("small", "sm_90", 132, memory=memory)
        assert (
            "only what a step reads on the device" in levels_text(*listing_of_cliques(), machine)
        ) == parts


def test_listing_has_its_schedule() -> None:
    lines = str(si.explain(GRAPH, si.Pattern.clique(5), device="cuda")).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("match"))
    assert lines[first + 1].startswith("  schedule stack: keeps S0")


def test_what_the_host_tries_is_told_once() -> None:
    labelled = si.generators.with_labels(si.generators.rmat(8, seed=1), 12, seed=1)
    options: dict[str, Any] = {"pattern": "(a:0)--(b:1)--(c:2)--(d:3)--(a)"}
    told = str(si.explain(labelled, device="cuda", **options))
    assert told.count("backtracking between the candidates") == 1 and "first without a plan" not in told
    assert (
        "the host first: up to 50,000 steps of backtracking between the candidates; then it goes on" in told
    )
    assert "first without a plan" in str(si.explain(labelled, device="cpu", **options))


def test_where_the_host_has_much_to_read_it_counts_beside_the_device() -> None:
    labelled = si.generators.with_labels(GRAPH, 4, seed=1)
    told = str(si.explain(labelled, "(a:0)--(b:1)--(c:2)--(d:3)--(a)", device="cuda"))
    assert "the host counts as well: whoever is done first answers" in told and "the host first" not in told
    assert "between candidates its tables cost more than they save" in told


def test_twigs_are_told_in_place_of_plans() -> None:
    labelled = si.generators.with_labels(GRAPH, 4, seed=1)
    told = si.explain(labelled, "(a:0)--(b:1)--(c:2)", device="cuda", schedule="pipeline")
    assert count_part(told)[0] == "count     schedule pipeline: asked for"
    listed = next(part for part in str(told).split("\n\n") if part.startswith("match")).splitlines()
    problem = with_candidate_graph(told.resolved, told.stats).problem
    plan = make_twig_plan(problem)
    assert listed == [
        "match     schedule pipeline: asked for",
        *(f"  {row}" for row in str(plan).splitlines()),
    ]
    assert listed[-1] == "  emit"  # what a count only weighs is matched
    assert str(plan) != str(make_twig_plan(problem, counting=True))


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
