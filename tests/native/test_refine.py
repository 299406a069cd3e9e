"""Candidate filters: they never drop a vertex that stands in a match, and they do drop others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.engines import reference_rows
from tests.property.instances import FEATURES, instances
from tests.property.test_engines_agree import ask

from subiso import _native
from subiso.engine.query import MODES, make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), feature=st.sampled_from(FEATURES))
def test_matched_vertices_are_candidates(mode: str, data: st.DataObject, feature: str) -> None:
    query = ask(data.draw(instances(mode=mode, feature=feature)))
    rows = reference_rows(query)
    resolved = resolve(query)
    assert not (rows and resolved.hopeless)
    for vertex, numbers in enumerate(resolved.problem.filters):
        if not numbers:
            continue
        (number,) = numbers
        ranks = _native.bit_positions(resolved.filters[number])
        candidates = set(resolved.layout.vertex_at[ranks].tolist())
        assert {row[vertex] for row in rows} <= candidates
        assert len(candidates) == resolved.problem.sizes[vertex]


def test_refinement_reaches_around_corners() -> None:
    """A path of labels A-B-C: only the A whose B has a C stays."""
    g = Graph.from_edges([0, 1, 3, 5], [1, 2, 4, 6], num_vertices=7, vertex_labels=list("ABCABBA"))
    problem = resolve(make_query(g, "(a:A)--(b:B)--(c:C)")).problem
    assert problem.sizes == (1, 1, 1)


def test_vertices_that_need_several_neighbors_of_a_kind() -> None:
    g = Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4], num_vertices=5, vertex_labels=list("ABBAB"))
    query = make_query(g, Pattern("(a:A)--(b:B), (a)--(c:B)"))
    assert resolve(query).problem.sizes[0] == 1
    assert resolve(make_query(g, query.pattern, mode="homomorphism")).problem.sizes[0] == 2


def test_bad_links_are_refused() -> None:
    bounds, neighbors = np.zeros(3, np.int64), np.zeros(0, np.uint32)
    bits = np.ones(1, np.uint64)
    rest = True, True, True, True, 1, 0
    for link in [(1, 0, 0, 0), (0, -1, 0, 0), (0, 0, 1, 0), (0, 0, 0, -1)]:
        with pytest.raises(ValueError, match="names what is not there"):
            _native.narrow((), 1, [(bounds, neighbors)], [bits], [None], [link], *rest)
    with pytest.raises(ValueError, match="filter does not fit"):
        _native.narrow((), 1, [(bounds, neighbors)], [np.zeros(0, np.uint64)], [None], [], *rest)
    with pytest.raises(ValueError, match="relation does not fit"):
        _native.narrow((), 2, [(bounds, neighbors)], [bits], [None], [], *rest)
    with pytest.raises(ValueError, match="one filter per vertex"):
        _native.narrow((), 1, [(bounds, neighbors)], [bits], [], [], *rest)
    with pytest.raises(ValueError, match="every vertex needs candidates"):
        _native.candidate_graph(_native.narrow((), 1, [(bounds, neighbors)], [None], [None], [], *rest))


def test_a_graph_without_vertices() -> None:
    empty = Graph.from_edges([], [], num_vertices=0, vertex_labels=[])
    for pattern in (Pattern("(a)--(b)").where(a=np.zeros(0, bool)), Pattern("(a:A)"), Pattern("(a)")):
        assert resolve(make_query(empty, pattern)).hopeless
