"""Local counts of the CPU engine, in every way it can run, against counting the rows of the reference engine."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from tests.property.engines import random_params
from tests.property.instances import FEATURES, Instance, dense_instance, instances

from subiso.engine import cpu, reference
from subiso.engine.base import Params
from subiso.engine.query import INJECTIVE_MODES, MODES, Query
from subiso.errors import PatternError
from subiso.result.local import Local, count_per
from subiso.result.roles import Roles

seeds = st.integers(0, 2**32 - 1)


def ask(instance: Instance) -> Query:
    """The instance's query; contradictory patterns are not instances."""
    note(instance.code())
    try:
        return instance.query()
    except PatternError as error:
        assume("contradict" not in str(error) and "negated" not in str(error))
        raise


def kinds(query: Query) -> list[str]:
    return ["vertex", "edge", "role"] if query.injective else ["role"]


def plain(counts: Local | None) -> object:
    if isinstance(counts, Roles):
        return {names: counts[names[0]].tolist() for names in counts.names}
    assert isinstance(counts, np.ndarray) and counts.dtype == np.int64
    return counts.tolist()


def check(query: Query, params: Params, per: str) -> None:
    note(f"per={per!r}, params = {params!r}")
    expected = count_per(query, per, reference, Params())
    found = count_per(query, per, cpu, params)
    assert plain(found.counts) == plain(expected.counts)
    assert found.count == expected.count


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), seed=seeds)
def test_local_counts_of_the_reference(mode: str, feature: str, data: st.DataObject, seed: int) -> None:
    query = ask(data.draw(instances(mode=mode, feature=feature)))
    chance = random.Random(seed)
    check(query, Params(), chance.choice(kinds(query)))
    for per in kinds(query):
        check(query, random_params(chance), per)


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("mode", INJECTIVE_MODES)
@given(seed=seeds, n=st.sampled_from([12, 20, 40]), degree=st.integers(3, 8), k=st.integers(2, 5))
def test_sums_of_local_counts(mode: str, feature: str, seed: int, n: int, degree: int, k: int) -> None:
    """Larger instances: all techniques agree, and the sums are multiples of the count."""
    query = ask(dense_instance(seed, mode, feature, n, min(0.7, degree / n), k))
    chance = random.Random(seed)
    count = cpu.count(query).count
    by_vertex, by_edge, roles = (count_per(query, per, cpu, Params()).counts for per in kinds(query))
    assert isinstance(by_vertex, np.ndarray) and isinstance(by_edge, np.ndarray) and isinstance(roles, Roles)
    assert by_vertex.sum() == count * query.pattern.num_vertices
    assert by_edge.sum() == count * len(query.pattern.edges)
    assert (roles.to_numpy().sum(axis=1) == by_vertex).all()
    for names in roles.names:
        assert roles[names[0]].sum() == count * len(names)
    for per, counts in zip(kinds(query), (by_vertex, by_edge, roles), strict=True):
        params = random_params(chance)
        note(f"per={per!r}, params = {params!r}")
        assert plain(count_per(query, per, cpu, params).counts) == plain(counts)
