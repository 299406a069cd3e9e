"""The reference engine against trying every map, over random graphs, patterns, modes and conditions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from tests.reference.brute_force import Case, cases

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.query import INJECTIVE_MODES, MODES, Query, make_query
from subiso.errors import PatternError


def make(case: Case, mode: str, unique: bool) -> Query:
    graph = case.graph()
    try:
        pattern = case.pattern(graph)
    except PatternError as error:
        assume("negated" not in str(error))
        raise
    note(f"pattern: {pattern}\nmode: {mode}")
    return make_query(graph, pattern, mode=mode, unique=unique, anchor=case.anchor())


@pytest.mark.parametrize("mode", MODES)
@given(case=cases())
@settings(max_examples=150, deadline=None)
def test_embeddings(mode: str, case: Case) -> None:
    query = make(case, mode, unique=False)
    rows = [tuple(row) for batch in reference.stream(query, Params(batch_rows=7)) for row in batch.tolist()]
    assert sorted(rows) == case.embeddings(mode)
    assert reference.count(query, Params()).count == len(rows)


@pytest.mark.parametrize("mode", INJECTIVE_MODES)
@given(case=cases())
@settings(max_examples=150, deadline=None)
def test_subgraphs(mode: str, case: Case) -> None:
    query = make(case, mode, unique=True)
    rows = [tuple(row) for batch in reference.stream(query, Params()) for row in batch.tolist()]
    assert sorted(rows) == sorted(min(orbit) for orbit in case.subgraphs(mode))


@given(case=cases())
@settings(max_examples=60, deadline=None)
def test_embeddings_are_subgraphs_times_automorphisms(case: Case) -> None:
    """The identity every engine relies on, with the group's order from the pattern itself."""
    for mode in INJECTIVE_MODES:
        unique, every = make(case, mode, unique=True), make(case, mode, unique=False)
        order = unique.pattern.automorphism_count(sorted(unique.anchors))
        assert order == len(case.automorphisms())
        assert reference.count(every, Params()).count == order * reference.count(unique, Params()).count


@given(case=cases(plain=True))
@settings(max_examples=60, deadline=None)
def test_renumbering_changes_nothing(case: Case) -> None:
    graph = case.graph()
    try:
        pattern = case.pattern(graph)
    except PatternError:
        assume(False)
    sources, targets = graph.edge_endpoints()
    turn = np.random.default_rng(case.n).permutation(case.n)
    assert graph.edge_labels is not None
    codes = graph.edge_labels.codes
    names = [graph.edge_labels.names[c] if c < len(graph.edge_labels.names) else None for c in codes.tolist()]
    renamed = type(graph).from_edges(
        turn[sources],
        turn[targets],
        num_vertices=case.n,
        directed=case.directed,
        vertex_labels=[sorted(case.vertex_labels[v]) for v in np.argsort(turn)],
        edge_labels=np.array(names, dtype=object),
        parallel="keep",
        loops="keep",
    )
    for mode in MODES:
        before = reference.count(make_query(graph, pattern, mode=mode), Params()).count
        assert before == reference.count(make_query(renamed, pattern, mode=mode), Params()).count
