"""Each counting technique switched on alone, and all together, against the reference engine and known counts."""

from __future__ import annotations

from dataclasses import fields

import pytest
from tests.data import load_graph, oracle
from tests.property.engines import PLAIN
from tests.property.techniques import ALONE, EACH, KINDS, MODES, TOGETHER, Technique, family

from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.candidates import count_candidates
from subiso.engine.query import Query, make_query
from subiso.engine.several import count_several
from subiso.engine.sums import is_sure, sums_way
from subiso.engine.together import plan_teams
from subiso.filter.clique_graph import searched_in
from subiso.filter.resolve import resolve_for
from subiso.pattern import Pattern
from subiso.storage.statistics import statistics_of

SEEDS = (0, 1)
LISTED = 3
"""Queries that are counted as a list, too."""
INSIDE = {"failing_sets", "twins", "setops", "signature"}
"""Switches of the native core: nothing on this side says that they were heeded."""
ON_DEVICES = {"haste"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", EACH)
def test_equal_to_the_reference(way: str, kind: str) -> None:
    params = EACH[way]
    for mode in MODES:
        for seed in SEEDS[: 1 if way in TOGETHER else None]:  # to plan with everything forced takes long
            asked = family(kind, mode, seed)
            found = tuple(cpu.count(query, params).count for query in asked.queries)
            assert found == asked.counts, (mode, seed)
            if params.switches.merge != "never" and seed == 0:
                found = tuple(count_several(list(asked.queries[:LISTED]), cpu, params))
                assert found == asked.counts[:LISTED], (mode, seed)


def test_the_queries_have_matches() -> None:
    """Most of them: a count of zero is found by engines that are wrong, too."""
    counts = [
        c for kind in KINDS for mode in MODES for seed in SEEDS for c in family(kind, mode, seed).counts
    ]
    assert sum(count > 0 for count in counts) > 0.75 * len(counts)


def test_every_switch_is_there() -> None:
    """A new switch is off in PLAIN, and has an entry with what it is when it is on."""
    assert {technique.switch for technique in ALONE} == {switch.name for switch in fields(Switches)}
    for technique in ALONE:
        assert technique.value != getattr(technique.without.switches, technique.switch), technique.name
    for switch in fields(Switches):
        assert getattr(PLAIN.switches, switch.name) != switch.default, f"{switch.name} is on in PLAIN"


@pytest.mark.parametrize(
    "technique",
    [t for t in ALONE if t.switch not in INSIDE | ON_DEVICES and t.value not in ("auto", None)],
    ids=lambda technique: technique.name,
)
def test_a_technique_alone_is_used(technique: Technique) -> None:
    """Some query is counted in another way than without it; else the test above compares PLAIN with itself."""
    teams = [family(kind, mode, seed).queries for kind in KINDS for mode in MODES for seed in SEEDS]
    assert any(trace(team, technique.params) != trace(team, technique.without) for team in teams)


def trace(team: tuple[Query, ...], params: Params) -> list[object]:
    """How the CPU engine counts queries, as far as this side decides."""
    found: list[object] = []
    stats = statistics_of(team[0].graph)
    hopeful = {}
    for i, query in enumerate(team):
        sums = sums_way(query, params)
        if is_sure(sums):
            found.append(sums.names)
            continue
        resolved = resolve_for(query, params)
        if resolved.hopeless:
            found.append("hopeless")
            continue
        hopeful[i] = resolved
        between = count_candidates(resolved, params, 1, lambda: 0.0)
        placed = searched_in(resolved, stats, params.switches)
        formula = cpu.formula_for(placed, params)
        plans = [str(term.plan) for term in formula.terms]
        where = len(placed.csrs), None if placed.cliques is None else placed.cliques.ways
        found.append((resolved.narrowed.used, where, between, formula.technique, plans))
    if params.switches.merge != "never":
        planned, _ = plan_teams(list(team), hopeful, params)
        found.append([len(group.plans) for each in planned for group in each.together.groups])
    return found


@pytest.mark.parametrize("name", ["search", "eliminate"])
def test_labelled_queries_are_counted_between_candidates(name: str) -> None:
    """By the one technique and by the other: neither leaves them to plans."""
    params = next(t.params for t in ALONE if t.value == name)
    for query in family("labelled", "monomorphism", 0).queries:
        resolved = resolve_for(query, params)
        assert resolved.hopeless or count_candidates(resolved, params, 1, lambda: 0.0) is not None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", EACH)
def test_published_counts(way: str, mode: str) -> None:
    """Of all patterns up to five vertices; those of up to four as a list as well, where it may be merged."""
    known = published("karate", mode)
    for name, (query, count) in known.items():
        assert cpu.count(query, EACH[way]).count == count, name
    if EACH[way].switches.merge != "never" and mode == "monomorphism":
        small = [each for each in known.values() if each[0].pattern.num_vertices < 5]
        assert count_several([q for q, _ in small], cpu, EACH[way]) == [count for _, count in small]


@pytest.mark.parametrize("way", EACH)
def test_published_counts_on_longer_lists(way: str) -> None:
    """Of all patterns but the sparse ones of five vertices, which take long when each match is visited."""
    for name, (query, count) in published("citeseer", "monomorphism").items():
        if query.pattern.num_vertices < 5 or len(query.pattern.edges) > 6:
            assert cpu.count(query, EACH[way]).count == count, name


def published(graph: str, mode: str) -> dict[str, tuple[Query, int]]:
    """By pattern: the query and the count that is known."""
    column = "induced" if mode == "induced" else "subgraphs"
    return {
        name: (make_query(load_graph(graph), Pattern.from_edges(known["edges"]), mode=mode), known[column])
        for name, known in oracle()[graph].items()
    }
