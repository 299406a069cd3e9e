"""Several counts in one search against the reference engine and against one by one: every mode, every feature."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import assume, event, given, note, settings
from hypothesis import strategies as st
from tests.property.engines import random_params
from tests.property.instances import FEATURES, Instance, teams
from tests.reference.brute_force import Case, cases

from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.query import INJECTIVE_MODES, MODES, Query, make_query
from subiso.engine.several import count_several
from subiso.engine.together import count_together, plan_teams
from subiso.errors import PatternError
from subiso.filter.resolve import resolve

seeds = st.integers(0, 2**32 - 1)
ALWAYS = Params(
    threads=2, switches=Switches(merge="always", labelled="plan", candidate_graph="never", filters=())
)

DEEP = replace(ALWAYS, switches=replace(ALWAYS.switches, max_tail=0))
"""With a loop for every vertex, so that there is more to share."""


def ask(team: list[Instance]) -> list[Query]:
    note("\n".join(instance.code() for instance in team))
    try:
        first = team[0].query()
        return [first, *(instance.query(first.graph) for instance in team[1:])]
    except PatternError as error:
        assume("contradict" not in str(error) and "negated" not in str(error))
        raise


def together(queries: list[Query], params: Params) -> list[int]:
    found: dict[int, int] = {}
    count_together(queries, params, found.__setitem__)
    return [found[i] for i in range(len(queries))]


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), seed=seeds)
@settings(max_examples=settings().max_examples // 2)
def test_reference_and_merged(mode: str, feature: str, data: st.DataObject, seed: int) -> None:
    queries = ask(data.draw(teams(mode=mode, feature=feature)))
    expected = [reference.count(query, Params()).count for query in queries]
    assert together(queries, ALWAYS) == expected
    assert together(queries, DEEP) == expected
    chance = random.Random(seed)
    for _ in range(2):
        params = random_params(chance)
        note(f"params = {params!r}")
        assert together(queries, params) == expected
        assert count_several(queries, cpu, params) == expected
    resolved = {i: resolve(query, ()) for i, query in enumerate(queries)}
    planned, _ = plan_teams(queries, {i: r for i, r in resolved.items() if not r.hopeless}, DEEP)
    sizes = [len(group.plans) for team in planned for group in team.together.groups]
    event("shared" if max(sizes, default=0) > 1 else "nothing shared")


@pytest.mark.parametrize("mode", MODES)
@given(case=cases(), unique=st.booleans(), seed=seeds)
def test_brute_force_and_merged(mode: str, case: Case, unique: bool, seed: int) -> None:
    """Against trying every map: one pattern with all that is asked of it, and with parts of that."""
    note(repr(case))
    graph = case.graph()
    asked = [case, replace(case, antis=()), replace(case, comparisons=()), replace(case, anchors=())]
    try:
        patterns = [each.pattern(graph) for each in asked]
    except PatternError as error:
        assume("negated" not in str(error))
        raise
    unique = unique and mode in INJECTIVE_MODES
    queries = [
        make_query(graph, pattern, mode=mode, unique=unique, anchor=each.anchor())
        for each, pattern in zip(asked, patterns, strict=True)
    ]
    expected = [len(each.subgraphs(mode) if unique else each.embeddings(mode)) for each in asked]
    assert together(queries, ALWAYS) == expected
    assert together(queries, random_params(random.Random(seed))) == expected
