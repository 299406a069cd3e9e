"""What ends a search between candidates early: an overflow, the clock of the whole call, whoever wants it no more."""

from __future__ import annotations

import math
import time

import pytest
from tests.native.test_candidates import made, star

from subiso import _native
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.candidate_lists import Lister, list_candidates
from subiso.engine.candidates import Counter, Found, count_candidates
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph


def test_an_overflow_ends_the_search() -> None:
    """The first triangle has too many matches, and there are 20,000 of them."""
    kinds, leaves, triangles = 14, 1000, 20_000
    edges = [(0, 1), *((0, 2 + i) for i in range(kinds * leaves))]
    first = 2 + kinds * leaves
    edges += [(end, first + i) for i in range(triangles) for end in (0, 1)]
    labels = ["H", "D", *(f"L{i % kinds}" for i in range(kinds * leaves)), *["B"] * triangles]
    graph = Graph.from_edges(*zip(*edges, strict=True), vertex_labels=labels)
    text = "(h:H)--(d:D)--(b:B)--(h)" + "".join(f", (h)--(l{i}:L{i})" for i in range(kinds))
    (*_, overflow), steps = made(make_query(graph, text)).search([], True, True, 2**63)
    assert overflow and steps < 100_000


@pytest.mark.parametrize("switches", [Switches(labelled="search"), Switches(labelled="eliminate")])
def test_the_clock_is_the_calls(monkeypatch: pytest.MonkeyPatch, switches: Switches) -> None:
    """What came before the search counts: here the filters seem to have taken an hour."""
    query = make_query(star(50), "(a:A)--(b:B), (a)--(c:B), (a)--(d:B)")
    params, resolved = Params(timeout=60, switches=switches), resolve(query)
    earlier = time.perf_counter() - 3600
    assert count_candidates(resolved, params, 1, lambda: math.inf) == Found(50 * 49 * 48 // 6)
    assert count_candidates(resolved, params, 1, lambda: math.inf, earlier) == Found(0, "timeout")
    if switches.labelled == "search":
        listed = list_candidates(resolved, params, earlier)
        assert listed is not None and listed.stopped_by == "timeout"
    given: list[float | None] = []
    monkeypatch.setattr(cpu, "count_candidates", lambda *a: given.append(a[-1]))
    monkeypatch.setattr(cpu, "list_candidates", lambda *a: given.append(a[-1]))
    started = time.perf_counter()
    cpu.count(query, params)
    cpu.stream(query, params).close()
    assert all(at is not None and started <= at <= time.perf_counter() for at in given) and len(given) == 2


def test_making_a_graph_and_merging_its_twins_can_be_stopped() -> None:
    query = make_query(star(50), "(a:A)--(b:B), (a)--(c:B), (a)--(d:B)")
    stopped = _native.candidate_graph(resolve(query).narrowed.native())
    stopped.stop()
    assert not stopped.make() and stopped.num_points == 0
    for ask in (stopped.merge_twins, lambda: stopped.search([], True, True, 100)):
        with pytest.raises(ValueError, match="has not been made"):
            ask()
    graph = made(query)
    graph.stop()
    assert not graph.merge_twins() and graph.num_points == 51
    monitored = Counter(resolve(query), Params(poll=lambda: True), 1)
    monitored.reading = math.inf  # so that it is made in a thread of its own
    assert monitored.searched() == Found(0, "cancelled")
    lister = Lister(resolve(query), Params(poll=lambda: True))
    lister.reading = math.inf
    listed = lister.listed(None)
    assert listed is not None and (len(listed.rows), listed.stopped_by) == (0, "cancelled")
