"""Counts and listings between candidates that are stopped, closed, late or overflow: what they say; that they end."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from tests.native.test_candidates import hesitant_stream, made, star

import subiso as si
from subiso import _native
from subiso.engine import candidate_search, candidates, cpu
from subiso.engine.base import Params, Switches
from subiso.engine.candidate_lists import Lister, list_candidates
from subiso.engine.candidates import Counter, Eliminator, Found, count_candidates
from subiso.engine.query import make_query
from subiso.engine.race import JobRace, may_eliminate, may_list, may_race
from subiso.filter.resolve import resolve
from subiso.graph import Graph

SEARCH = Params(batch_rows=10, switches=Switches(labelled="search"))
GRAPH, TEXT = star(50), "(a:A)--(b:B), (a)--(c:B)"


def test_a_closed_match_is_cancelled() -> None:
    """Its rows were all there before the first batch was asked for."""
    found = si.match(star(300), TEXT, unique=False, device="cpu", switches=SEARCH.switches)
    taken = 0
    for batch in found.batches():
        taken += batch.num_rows
        found.close()
    assert 0 < taken < 300 * 299 and not found.complete and found.stopped_by == "cancelled"


def test_a_closed_stream_is_cancelled() -> None:
    stream = cpu.stream(make_query(GRAPH, TEXT), Params(batch_rows=10))
    assert len(next(stream)) == 10
    stream.close()
    assert list(stream) == [] and stream.stopped_by == "cancelled"


def test_a_match_that_overtook_its_plan_is_cancelled_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = cpu.stream(hesitant_stream(monkeypatch, 0, math.inf), Params(batch_rows=7))
    assert len(next(stream)) == 7
    stream.close()
    assert list(stream) == [] and stream.stopped_by == "cancelled"


@pytest.mark.parametrize("beside", [True, False])
def test_a_match_that_gave_all_its_rows_is_complete(monkeypatch: pytest.MonkeyPatch, beside: bool) -> None:
    query = hesitant_stream(monkeypatch, 0, math.inf) if beside else make_query(GRAPH, TEXT)
    stream = cpu.stream(query, Params())
    assert len(next(stream))
    stream.close()
    assert stream.stopped_by is None


class Endless:
    """Stands for a candidate graph: what runs on it ends when it is stopped."""

    def __init__(self) -> None:
        self.stopped, self.ended = threading.Event(), threading.Event()

    def stop(self) -> None:
        self.stopped.set()

    def run(self) -> None:
        self.stopped.wait(10)
        self.ended.set()


def test_ctrl_c_ends_a_native_call() -> None:
    looks = iter([False])  # before the call

    def interrupt() -> bool:
        for look in looks:
            return look
        raise KeyboardInterrupt

    searcher, graph = Counter(resolve(make_query(GRAPH, TEXT)), Params(poll=interrupt), 1), Endless()
    searcher.graph = graph
    with pytest.raises(KeyboardInterrupt):
        searcher.awaited(graph.run)
    assert graph.stopped.is_set() and graph.ended.is_set()


def test_a_race_that_is_over_stops_its_job() -> None:
    begun, graph = threading.Event(), Endless()

    class Job:
        stop = graph.stop

        def run(self) -> None:
            begun.set()
            graph.run()

    with JobRace(Job, 0.0) as race:
        race.begin()
        assert begun.wait(10)
    assert graph.stopped.is_set()


def test_a_job_that_was_stopped_soon_ends() -> None:
    resolved = resolve(make_query(star(100_000), TEXT, mode="homomorphism"))
    params = Params(switches=Switches(twins=False))
    jobs = [Lister(resolved, params, aside=True), Eliminator(resolved, params, 1, aside=True)]
    for job in jobs:
        job.stop()
        assert job.run() is None
    assert Eliminator(resolved, params, 1).run() == Found(100_000**2)


class Halting(Endless):
    """Gives its rows when it is stopped, and says that these are not all."""

    def __init__(self, graph: Any) -> None:
        super().__init__()
        self.graph = graph

    def make(self) -> bool:
        made: bool = self.graph.make()
        return made

    def list(self, *args: object) -> tuple[object, bool, int]:
        self.stopped.wait(10)
        rows, _, steps = self.graph.list(*args)
        return rows, False, steps


@pytest.mark.parametrize("why", ["timeout", "cancelled"])
def test_a_listing_that_is_stopped_gives_what_it_found(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    make = _native.candidate_graph
    monkeypatch.setattr(_native, "candidate_graph", lambda *args: Halting(make(*args)))
    monkeypatch.setattr(cpu, "prepare", lambda *_: pytest.fail("a plan"))
    ended = Params(timeout=0.0) if why == "timeout" else Params(poll=lambda: True)
    stream = cpu.stream(make_query(GRAPH, TEXT), replace(ended, batch_rows=10, switches=SEARCH.switches))
    rows = [tuple(row) for batch in stream for row in batch.tolist()]
    assert stream.stopped_by == why
    assert len(set(rows)) == len(rows) == 50 * 49 // 2 and {row[0] for row in rows} == {0}


def test_an_elimination_looks_up_between_its_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "_CHUNK", 1)
    told: list[float] = []
    resolved = resolve(make_query(GRAPH, TEXT + ", (a)--(d:B)"))
    counter = Counter(resolved, Params(progress=told.append), 1)
    assert counter.eliminated(lambda: math.inf) == Found(50 * 49 * 48 // 6)
    # Of five ways in which leaves may coincide.
    assert [done for done in told if done] == [0.2, 0.4, 0.6, 0.8]
    counter = Counter(resolved, Params(poll=lambda: True), 1)
    assert counter.eliminated(lambda: math.inf) == Found(0, "cancelled")


def test_no_elimination_where_pairs_alone_are_more_than_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "summed", lambda *_: pytest.fail("an elimination"))
    monkeypatch.setattr(Counter, "merge_twins", lambda *_: pytest.fail("an elimination"))
    assert Counter(resolve(make_query(GRAPH, TEXT)), Params(), 1).eliminated(lambda: 100.0) is None


def test_large_candidate_graphs_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the list elements that are read for them; where vertices may be anywhere, by the candidates as well."""
    labelled = resolve(make_query(GRAPH, TEXT))
    anywhere = resolve(make_query(GRAPH, "(a)--(b)--(c)", mode="homomorphism"))
    everywhere = 2 * 100 + 3 * 51
    monkeypatch.setattr(candidate_search, "_LITTLE_READ", -1)
    for most in (everywhere, everywhere - 1, 1):
        monkeypatch.setattr(candidate_search, "_MOST_READ", most)
        taken = [
            count_candidates(labelled, Params(), 1, lambda: math.inf),
            list_candidates(labelled, Params(enough=1)),
            may_race(labelled, Params(), 1, 0.0),
            may_list(labelled, Params(), 0.0),
            may_eliminate(anywhere, Params(), 0.0),
        ]
        wanted = [most > 1, False, most > 1, most > 1, most == everywhere]
        assert [way is not None for way in taken] == wanted, most


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


LATE = """
import threading
import numpy as np
import subiso as si

rng = np.random.default_rng(0)
graph = si.Graph.from_edges(*rng.integers(0, 600, (2, 6000)), vertex_labels=np.arange(600) % 10)
path = "--".join(f"(v{i}:{i})" for i in range(10))

def late():
    threading.main_thread().join()
    search, plan = si.Switches(labelled="search"), si.Switches(labelled="plan")
    print(len({si.count(graph, path, device="cpu", switches=way) for way in (search, plan)}))
    print(si.match(graph, "(a:0)--(b:1)", device="cpu", switches=search).to_numpy().shape[1])
    print(si.significance(graph, "(a)--(b)", samples=2)[0].p)

threading.Thread(target=late).start()
"""


def test_there_are_counts_when_the_main_thread_has_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("1\n2\n1.0\n", "")


def test_no_thread_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    counter = Counter(resolve(make_query(GRAPH, TEXT)), SEARCH, 1)
    found = counter.searched(None)
    assert found is not None and found.count == 50 * 49 // 2
