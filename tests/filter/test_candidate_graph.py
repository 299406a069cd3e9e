"""Candidate graphs: what is in them, when they are used, and that nobody notices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from subiso import _native
from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.filter import slices
from subiso.filter.candidate_graph import (
    CandidateLayout,
    decide,
    with_candidate_graph,
    with_common_candidate_graph,
)
from subiso.filter.common import with_common_filters
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.storage.layout import layout_of, pack_bits
from subiso.storage.relation import Relation
from subiso.storage.statistics import statistics_of


@pytest.fixture
def graph() -> Graph:
    rng = np.random.default_rng(3)
    return Graph.from_edges(
        *rng.integers(0, 400, (2, 3000)), num_vertices=400, vertex_labels=rng.integers(0, 12, 400)
    )


@pytest.mark.parametrize("lists", ["whole", "of one label"])
def test_lists_are_those_between_candidates(
    graph: Graph, lists: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "_LEAST", 1 if lists == "of one label" else 1 << 17)
    query = make_query(graph, "(a:1)--(b:2)--(c:3), (a)--(c)")
    whole = resolve(query)
    read: list[int] = []

    def note(n: int, arrays: list[Any], *further: Any) -> Any:
        read.extend(len(neighbors) for _, neighbors in arrays)
        return restrict_relations(n, arrays, *further)

    restrict_relations = _native.restrict_relations
    monkeypatch.setattr(_native, "restrict_relations", note)
    small = with_candidate_graph(whole, statistics_of(graph), "always")
    assert len(read) == 6 and all((n == whole.csrs[0].num_entries) == (lists == "whole") for n in read)
    layout = small.layout
    assert isinstance(layout, CandidateLayout)
    assert layout.num_vertices == len(
        np.unique(np.concatenate([_native.bit_positions(b) for b in whole.filters]))
    )
    assert (np.diff(layout.members.astype(np.int64)) > 0).all()
    everyone = [set(layout.members[_native.bit_positions(bits)].tolist()) for bits in small.filters]
    for before, link in zip(whole.problem.links, small.problem.links, strict=True):
        for old, new, at, to in (
            (before.forward, link.forward, link.a, link.b),
            (before.backward, link.backward, link.b, link.a),
        ):
            assert small.problem.narrowed[new] == small.problem.filters[to][0]
            mine, others = (everyone[small.problem.filters[v][0]] for v in (at, to))
            for number, rank in enumerate(layout.members.tolist()):
                bounds, lists = whole.csrs[old].bounds, whole.csrs[old].neighbors
                wanted = [u for u in lists[bounds[2 * rank] : bounds[2 * rank + 2]].tolist() if u in others]
                first, above, end = small.csrs[new].bounds[2 * number : 2 * number + 3].tolist()
                found = layout.members[small.csrs[new].neighbors[first:end]].tolist()
                assert found == (wanted if rank in mine else [])
                assert (small.csrs[new].neighbors[above:end] > number).all()
                assert (small.csrs[new].neighbors[first:above] <= number).all()
    assert [small.reverse[small.reverse[r]] for r in range(len(small.csrs))] == list(range(len(small.csrs)))


def test_queries_with_common_numbers_have_their_own_lists(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists of one label are known by numbers that queries have alone."""
    queries = [make_query(graph, f"(a:{i})--(b:{i + 1})--(c:{i + 2}), (a)--(c)") for i in (5, 3, 4)]
    made = []
    for least in (1, 1 << 17):
        monkeypatch.setattr(slices, "_LEAST", least)
        begun = [resolve(query, ()) for query in queries]
        common = with_common_filters([resolve(query) for query in queries], begun)
        made.append(with_common_candidate_graph(common)[0].csrs)
    for one, other in zip(*made, strict=True):
        assert np.array_equal(one.bounds, other.bounds) and np.array_equal(one.neighbors, other.neighbors)
        assert one.num_entries


def test_plans_check_no_filter_twice(graph: Graph) -> None:
    query = make_query(graph, "(a:1)--(b:2)--(c:3), (a)--(c)")
    small = with_candidate_graph(resolve(query), statistics_of(graph), "always")
    plan = cpu.formula_for(small, Params()).terms[0].plan
    assert plan.seed.filter
    assert " in C" not in str(plan).partition("\n")[2]


def test_when_it_is_used(graph: Graph) -> None:
    stats = statistics_of(graph)

    def why(pattern: str | Pattern, choice: str = "auto", **options: object) -> str:
        return str(decide(resolve(make_query(graph, pattern, **options)), stats, choice))  # type: ignore[arg-type]

    assert why(Pattern.clique(3)) == "not used: a may be any vertex"
    assert why("(a:1)--(b:2)", "never") == "not used: turned off"
    assert why("(a:1)", "always") == "not used: there is nothing to search"
    assert why("(a:1)--(b:2)--(c)", anchor={"a": 0}).startswith("not used: ")
    assert "than making it" in why("(a:1)--(b:2)--(c:3), (a)--(c)")
    long = "--".join(f"(v{i}:{i % 3})" for i in range(9))
    assert "times shorter" in why(long) and not why(long).startswith("not used")


def test_unlabelled_queries_pay_nothing(graph: Graph) -> None:
    query = make_query(graph, Pattern.house())
    resolved = resolve(query)
    assert with_candidate_graph(resolved, statistics_of(graph)).csrs is resolved.csrs


def test_data_edges_between_candidates() -> None:
    graph = Graph.from_edges(
        [0, 0, 1, 2, 3], [1, 1, 2, 0, 0], directed=True, parallel="keep", vertex_labels=list("ABAC")
    )
    query = make_query(graph, "(a:A)-->(b:B)", mode="edge-isomorphism")
    small = with_candidate_graph(resolve(query, ()), statistics_of(graph), "always")
    entities = small.layout.entities(Relation("out"))
    whole = layout_of(graph).entities(Relation("out"))
    assert len(entities.neighbors) == 4 and len(whole.neighbors) == 5
    params = Params(switches=Switches(candidate_graph="always"))
    assert cpu.count(query, params).count == reference.count(query).count > 0


def test_threads_make_the_same_lists() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(*rng.integers(0, 3000, (2, 800_000)), num_vertices=3000)
    csr = layout_of(graph).relation(Relation("out"))
    bits = [pack_bits(rng.random(3000) < 0.5) for _ in range(2)]
    every = bits[0] | bits[1]
    asked = [(0, bits[0], bits[1]), (0, None, bits[0])]
    alone, together = (
        _native.restrict_relations(3000, [(csr.bounds, csr.neighbors)], every, asked, threads)
        for threads in (1, 3)
    )
    for one, other in zip(alone, together, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(one, other, strict=True))


def test_wrong_arrays_are_refused() -> None:
    bounds, neighbors = np.zeros(3, np.int64), np.zeros(0, np.uint32)
    bits = np.ones(1, np.uint64)
    with pytest.raises(ValueError, match="relation that is not there"):
        _native.restrict_relations(1, [(bounds, neighbors)], bits, [(1, None, None)], 1)
    with pytest.raises(ValueError, match="filter does not fit"):
        _native.restrict_relations(1, [(bounds, neighbors)], bits, [(0, bits[:0], None)], 1)
