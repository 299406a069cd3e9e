"""The CPU engine, in every way it can run, against the reference engine and against trying every map.

A failing instance is printed as code: paste it into a test.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, event, given, note
from hypothesis import strategies as st
from tests.property.engines import PLAIN, cpu_rows, random_params, reference_rows
from tests.property.instances import FEATURES, Instance, dense_instance, instances
from tests.reference.brute_force import Case, cases

from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.query import INJECTIVE_MODES, MODES, Query, make_query
from subiso.errors import PatternError

seeds = st.integers(0, 2**32 - 1)


def ask(instance: Instance, **changes: object) -> Query:
    """The instance's query; contradictory patterns are not instances."""
    note(instance.code())
    try:
        return instance.query(**changes)
    except PatternError as error:
        assume("contradict" not in str(error) and "negated" not in str(error))
        raise


def check(query: Query, expected: list[tuple[int, ...]], params: Params) -> None:
    note(f"params = {params!r}")
    assert cpu.count(query, params).count == len(expected)
    assert cpu_rows(query, params) == expected


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), seed=seeds)
def test_reference_and_cpu(mode: str, feature: str, data: st.DataObject, seed: int) -> None:
    query = ask(data.draw(instances(mode=mode, feature=feature)))
    expected = reference_rows(query)
    event("no match" if not expected else "matches")
    check(query, expected, Params())
    chance = random.Random(seed)
    for _ in range(3):
        check(query, expected, random_params(chance))


@pytest.mark.parametrize("mode", MODES)
@given(case=cases(), unique=st.booleans(), seed=seeds)
def test_brute_force_and_cpu(mode: str, case: Case, unique: bool, seed: int) -> None:
    """Against an oracle that shares nothing with the engines, not even the reference's idea of a search."""
    graph = case.graph()
    note(repr(case))
    try:
        pattern = case.pattern(graph)
    except PatternError as error:
        assume("negated" not in str(error))
        raise
    unique = unique and mode in INJECTIVE_MODES
    query = make_query(graph, pattern, mode=mode, unique=unique, anchor=case.anchor())
    expected = sorted(min(orbit) for orbit in case.subgraphs(mode)) if unique else case.embeddings(mode)
    check(query, expected, random_params(random.Random(seed)))


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("mode", MODES)
@given(seed=seeds, n=st.sampled_from([12, 20, 40, 100, 250]), degree=st.integers(3, 12), k=st.integers(2, 5))
def test_every_technique_against_none(
    mode: str, feature: str, seed: int, n: int, degree: int, k: int
) -> None:
    """Larger instances: lists long enough for vectors, bitmaps and bit rows."""
    query = ask(dense_instance(seed, mode, feature, n, min(0.7, degree / n), k if degree < 8 else min(k, 4)))
    chance = random.Random(seed)
    params = random_params(chance)
    note(f"params = {params!r}")
    expected = cpu.count(query, PLAIN).count
    assert cpu.count(query, Params()).count == expected
    assert cpu.count(query, params).count == expected
    if expected < 20_000:
        assert cpu_rows(query, params) == cpu_rows(query, PLAIN)


@pytest.mark.parametrize("mode", INJECTIVE_MODES)
@given(data=st.data(), feature=st.sampled_from(FEATURES), seed=seeds)
def test_embeddings_are_subgraphs_times_automorphisms(
    mode: str, data: st.DataObject, feature: str, seed: int
) -> None:
    instance = data.draw(instances(mode=mode, feature=feature, max_vertices=12))
    subgraphs, embeddings = ask(instance, unique=True), ask(instance, unique=False)
    anchored = sorted(subgraphs.anchors)
    order = subgraphs.pattern.automorphism_count(fixed=anchored)
    params = random_params(random.Random(seed))
    note(f"params = {params!r}")
    assert cpu.count(embeddings, params).count == order * cpu.count(subgraphs, params).count


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), feature=st.sampled_from(FEATURES), seed=seeds)
def test_renumbering_changes_nothing(mode: str, data: st.DataObject, feature: str, seed: int) -> None:
    instance = data.draw(instances(mode=mode, feature=feature, max_vertices=12))
    n = instance.graph["num_vertices"]
    turn = data.draw(st.permutations(range(n)))
    query, renamed = ask(instance), ask(instance.renumbered(turn))
    params = random_params(random.Random(seed))
    note(f"params = {params!r}")
    assert cpu.count(query, params).count == cpu.count(renamed, params).count
    images = [tuple(turn[v] for v in row) for row in cpu_rows(query, params)]
    if query.unique:  # the smallest embedding of a subgraph may be another one now
        assert sorted(map(sorted, images)) == sorted(map(sorted, cpu_rows(renamed, params)))
    else:
        assert sorted(images) == cpu_rows(renamed, params)
