"""Matches listed between candidates, without a plan: by backtracking with failing sets, where that takes few steps."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.native.test_candidates import dead_end, made, random_tree_like, star
from tests.property.engines import cpu_rows, reference_rows

import subiso as si
from subiso.engine import candidate_lists, candidate_search, cpu
from subiso.engine.base import Params, Switches
from subiso.engine.candidate_lists import list_candidates
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph


@pytest.mark.parametrize("seed", range(40))
def test_matches_are_those_of_the_reference(seed: int) -> None:
    chance = random.Random(seed)
    rng = np.random.default_rng(seed)
    labels = chance.choice([1, 2, 3])
    graph = Graph.from_edges(
        *rng.integers(0, 16, (2, chance.choice([20, 40]))),
        num_vertices=16,
        vertex_labels=rng.integers(0, labels, 16),
    )
    pattern = random_tree_like(chance, chance.randint(2, 6), chance.randint(0, 3), labels)
    mode = chance.choice(["monomorphism", "homomorphism", "monomorphism", "induced"])
    unique = mode != "homomorphism" and chance.random() < 0.6
    query = make_query(graph, pattern, mode=mode, unique=unique)
    wanted = reference_rows(query)
    for labelled, failing_sets in (("search", True), ("search", False), ("auto", True), ("plan", True)):
        switches = Switches(labelled=labelled, failing_sets=failing_sets)  # type: ignore[arg-type]
        params = Params(threads=1, batch_rows=7, switches=switches)
        resolved = resolve(query)
        listed = resolved.hopeless or list_candidates(resolved, params) is not None
        assert listed or labelled in ("auto", "plan")
        assert cpu_rows(query, params) == wanted, (labelled, failing_sets)


def test_failing_sets_skip_siblings_of_listed_matches_too() -> None:
    query = make_query(*dead_end(1, 30, 40))
    graph = made(query, ())
    taken = {}
    for failing_sets in (True, False):
        rows, all_of_them, taken[failing_sets] = graph.list([], True, failing_sets, 10**6, 10, [])
        assert all_of_them and not len(rows)
    assert 10 * taken[True] < taken[False]
    assert not si.exists(query.graph, query.pattern)


def test_a_search_ends_with_enough_rows() -> None:
    graph, text = star(50), "(a:A)--(b:B), (a)--(c:B)"
    query = make_query(graph, text, unique=False)
    resolved = resolve(query)
    for enough, given in ((1, 1), (2450, 2450), (2451, 2450), (None, 2450)):
        listed = list_candidates(resolved, Params(enough=enough))
        assert listed is not None and len(listed.rows) == given
    assert len(si.match(graph, text, unique=False, limit=3).collect()) == 3
    assert si.match(graph, text, limit=1225).collect().complete
    assert si.match(graph, text, limit=1224).collect().stopped_by == "limit"


def test_rows_that_are_dropped_later_are_not_among_the_limit() -> None:
    """Two stars of 50 leaves: three rows would be of one of them."""
    graph = Graph.from_edges(
        [0] * 50 + [51] * 50, [*range(1, 51), *range(52, 102)], vertex_labels=(["A"] + ["B"] * 50) * 2
    )
    text = "(a:A)--(b:B), (a)--(c:B)"
    found = si.match(graph, text, columns=["a"], distinct=True, limit=2).collect()
    assert sorted(found.tuples()) == [(0,), (51,)]


def test_what_is_too_much_is_left_to_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    query = make_query(star(60), "(a:A)--(b:B), (a)--(c:B), (a)--(d:B)", unique=False)
    resolved = resolve(query)
    assert list_candidates(resolved, Params()) is None, "205,320 rows take more steps"
    assert sum(map(len, cpu.stream(query))) == 60 * 59 * 58
    assert list_candidates(resolved, Params(enough=9)) is not None
    assert list_candidates(resolved, Params(switches=Switches(labelled="search"))) is not None
    monkeypatch.setattr(candidate_lists, "_MOST_LISTED", 1000)
    assert list_candidates(resolved, Params(switches=Switches(labelled="search"))) is None
    for labelled in ("plan", "eliminate"):
        left = Params(enough=1, switches=Switches(labelled=labelled))  # type: ignore[arg-type]
        assert list_candidates(resolved, left) is None
    monkeypatch.setattr(candidate_search, "_LITTLE_READ", 0)
    assert list_candidates(resolved, Params(enough=1)) is None


def test_a_closed_stream_lists_nothing_more() -> None:
    stream = cpu.stream(make_query(star(50), "(a:A)--(b:B)"), Params(batch_rows=10))
    assert len(next(stream)) == 10
    stream.close()
    assert list(stream) == []


def test_wrong_listings_are_refused() -> None:
    graph = made(make_query(star(5), "(a:A)--(b:B)"))
    for rows, pairs, said in ((0, [], "some rows"), (2**63, [], "some rows"), (1, [(0, 2)], "a restriction")):
        with pytest.raises(ValueError, match=said):
            graph.list([], True, True, 100, rows, pairs)
    graph.merge_twins()
    with pytest.raises(ValueError, match="twins were merged"):
        graph.list([], True, True, 100, 1, [])
