"""Edge ids of matches satisfy the pattern's edges, are the smallest that do, and differ where they must."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from tests.reference.brute_force import Case, cases

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.query import MODES, make_query
from subiso.errors import PatternError
from subiso.pattern import Pattern
from subiso.result.canonical import Canonical
from subiso.result.edges import EdgeFinder, edge_column_names


@pytest.mark.parametrize("mode", MODES)
@given(case=cases())
@settings(max_examples=80, deadline=None)
def test_edges(mode: str, case: Case) -> None:
    graph = case.graph()
    try:
        pattern = case.pattern(graph)
    except PatternError:
        assume(False)
    query = make_query(graph, pattern, mode=mode, unique=False, anchor=case.anchor())
    finder = EdgeFinder(query)
    assert graph.edge_rows is not None
    input_rows = graph.edge_rows.tolist()
    for batch in reference.stream(query, Params()):
        for row, edges in zip(batch.tolist(), finder(batch).tolist(), strict=True):
            fitting = [[input_rows.index(r) for r in case.fitting(w, tuple(row))] for w in case.wants]
            if mode == "edge-isomorphism":
                assert all(e in choices for e, choices in zip(edges, fitting, strict=True))
                assert len(set(edges)) == len(edges)
            else:
                assert edges == [min(choices) for choices in fitting]


@given(case=cases())
@settings(max_examples=80, deadline=None)
def test_canonical_rows_are_the_smallest_of_their_orbits(case: Case) -> None:
    graph = case.graph()
    try:
        pattern = case.pattern(graph)
    except PatternError:
        assume(False)
    every = make_query(graph, pattern, unique=False, anchor=case.anchor())
    canonical = Canonical(make_query(graph, pattern, unique=True, anchor=case.anchor()))
    group = case.automorphisms()
    for batch in reference.stream(every, Params()):
        expected = [min(tuple(row[s[i]] for i in range(case.k)) for s in group) for row in batch.tolist()]
        assert [tuple(row) for row in canonical(batch).tolist()] == expected


def test_names_of_edge_columns() -> None:
    pattern = Pattern("(a)-[e:X]->(b), (a)-[:Y]->(b), (a)-[:Z]->(b), (b)-[]-(c)")
    assert edge_column_names(pattern) == ["e", "a-->b", "a-->b#2", "b--c"]
