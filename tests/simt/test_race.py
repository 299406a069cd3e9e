"""The host's count beside a kernel's: whoever is done first answers, the other one is stopped."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from shim import ShimMachine

from subiso.engine import candidates, cpu, race, reference
from subiso.engine.base import Outcome, Params, Switches
from subiso.engine.candidate_search import done_soon
from subiso.engine.candidates import Counter, Found
from subiso.engine.cuda import engine as cuda_engine
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.filter_tune import FilterWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query, make_query
from subiso.errors import CountOverflowError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.queries import random_queries

SEARCHING = race.Race.searching


@pytest.fixture(autouse=True)
def always_race(monkeypatch: pytest.MonkeyPatch) -> None:
    """No query is answered before the race, which begins at once."""
    monkeypatch.setattr(cuda_engine, "HOST_COST", -1.0)
    monkeypatch.setattr(race, "done_soon", lambda _: False)
    monkeypatch.setattr(race.Race, "searching", race.Race.begin)


def queries(*, unique: bool = True) -> list[Query]:
    rng = np.random.default_rng(8)
    graph = Graph.from_edges(
        rng.integers(0, 40, 120), rng.integers(0, 40, 120), vertex_labels=rng.choice(list("ABC"), 40)
    )
    patterns = random_queries(graph, 6, [3, 4, 5], seed=1)
    return [make_query(graph, pattern, unique=unique) for pattern in patterns]


def race_of(query: Query) -> race.Race[Found]:
    found = race.may_race(resolve(query), Params(), 1, patience=0.0)
    assert found is not None
    return found


def test_answers_are_right() -> None:
    for query in queries():
        assert CudaEngine(ShimMachine(), host=True).count(query).count == reference.count(query).count


def test_the_host_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "searched", lambda *_: Found(77))

    def endless_search(_plan: Any, _resolved: Any, watch: Watch, _begun: Any) -> int:
        watch.begin()
        while not watch.expired():
            time.sleep(0.001)
        return 0

    engine = CudaEngine(ShimMachine(), host=True)
    monkeypatch.setattr(engine, "_count_plan", endless_search)
    outcome = engine.count(queries()[0], Params(timeout=30))
    assert outcome.count == 77 and outcome.complete


def test_the_host_wins_against_a_plan_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a plan takes far longer than it seems, elimination is tried beside it."""
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(*rng.integers(0, 300, (2, 12_000)), vertex_labels=rng.choice(list("AB"), 300))
    tree = "(a:A)--(b:B)--(c:A)--(d:B)--(e:A)--(f:B)--(g:A)"
    query = make_query(graph, tree, mode="homomorphism")
    expected = candidates.count_candidates(
        resolve(query), Params(switches=Switches(labelled="eliminate")), 1, lambda: math.inf
    )
    monkeypatch.setattr(cpu, "count_without_plan", lambda *_: None)
    started = time.perf_counter()
    outcome = cpu.count(
        query, Params(timeout=60, threads=2, switches=Switches(max_tail=0, decompose="never"))
    )
    assert expected is not None and outcome.complete and outcome.count == expected.count > 10**11
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize("what", ["nothing", "error", "late"])
def test_the_device_wins(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    stopped = threading.Event()

    def counts(counter: Counter, *_: Any) -> Found | None:
        if what == "error":
            raise CountOverflowError("too many")
        while what == "late" and not counter.stopped():
            time.sleep(0.001)
        stopped.set()
        return Found(-1, "cancelled") if what == "late" else None

    monkeypatch.setattr(Counter, "searched", counts)
    monkeypatch.setattr(Counter, "eliminated", counts)
    for query in queries()[:3]:
        outcome = CudaEngine(ShimMachine(), host=True).count(query)
        assert outcome.complete and outcome.count == reference.count(query).count
    assert stopped.is_set() == (what != "error")


def test_the_host_is_stopped_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def waits(counter: Counter, *_: Any) -> Found | None:
        while not counter.stopped():
            time.sleep(0.001)
        return counter.ended()

    monkeypatch.setattr(Counter, "searched", waits)
    monkeypatch.setattr(Counter, "eliminated", waits)
    before, query = threading.active_count(), queries()[0]
    outcome = CudaEngine(ShimMachine(), host=True).count(query, Params(timeout=0))
    assert outcome.stopped_by == "timeout" or outcome.count == reference.count(query).count
    until = time.perf_counter() + 10
    while threading.active_count() > before:
        assert time.perf_counter() < until, "the host goes on"
        time.sleep(0.01)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[race.Race[Found]]:
    """Races that would have begun."""
    noted: list[race.Race[Found]] = []

    def note(one: race.Race[Found]) -> None:
        noted.append(one)

    monkeypatch.setattr(race.Race, "searching", SEARCHING)
    monkeypatch.setattr(race.Race, "begin", note)
    return noted


def test_the_race_begins_before_anything_is_planned(
    begun: list[race.Race[Found]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = CudaEngine(ShimMachine(), host=True)
    monkeypatch.setattr(engine, "formula", lambda *_: pytest.fail("a plan"))
    with pytest.raises(pytest.fail.Exception, match="a plan"):
        engine.count(queries()[0])
    assert len(begun) == 1


def test_a_race_may_begin_later(begun: list[race.Race[Found]]) -> None:
    """Beside plans of the CPU it does."""
    for patience, at_once in ((1e3, False), (0.0, True)):
        late = race.may_race(resolve(queries()[0]), Params(), 1, patience)
        assert late is not None and not late.overtakes() and not begun  # nobody searches yet
        late.searching()
        assert not late.overtakes() and begun == [late] * at_once


def test_short_plans_run_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_engine, "HOST_COST", 1e5)
    machine = ShimMachine()
    engine = CudaEngine(machine, host=True)
    monkeypatch.setattr(engine, "prepare_count", lambda *_: pytest.fail("a kernel"))
    monkeypatch.setattr(engine, "prepare_sums", lambda *_: pytest.fail("a kernel"))
    for query in queries():
        assert engine.count(query).count == reference.count(query).count
    monkeypatch.setattr(cuda_engine, "HOST_SECONDS", 0.0)  # it takes longer than it may
    for query in queries():
        assert CudaEngine(machine, host=True).count(query).count == reference.count(query).count


@pytest.fixture
def may_be_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries are answered before the race, where that is done at once."""
    monkeypatch.setattr(race, "done_soon", done_soon)


def test_few_candidates_need_no_plan(may_be_first: None, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = CudaEngine(ShimMachine(), host=True)
    monkeypatch.setattr(engine, "formula", lambda *_: pytest.fail("a plan"))
    for query in queries():
        assert engine.count(query).count == reference.count(query).count
    kernels = CudaEngine(ShimMachine())
    monkeypatch.setattr(kernels, "formula", lambda *_: pytest.fail("a plan"))
    with pytest.raises(pytest.fail.Exception, match="a plan"):
        kernels.count(queries()[0])


def test_candidates_on_the_device_wait_for_the_race(
    may_be_first: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[bool] = []

    def note(counter: Counter, *_: Any) -> None:
        searched.append(counter.aside)

    monkeypatch.setattr(Counter, "searched", note)
    monkeypatch.setattr(Counter, "eliminated", lambda *_: None)
    for query in queries():
        engine = CudaEngine(ShimMachine(), Wishes(filters=FilterWishes(place="device")), host=True)
        assert engine.count(query).count == reference.count(query).count
    assert searched and all(searched)


def test_what_takes_more_steps_goes_on_at_once(may_be_first: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """... from where it was, beside the device."""
    searched: list[Counter] = []
    eliminated: list[Counter] = []

    def in_vain(counter: Counter, *_: Any) -> None:
        searched.append(counter)
        counter.tried = True

    def finds(counter: Counter, *_: Any) -> Found:
        assert counter.aside
        eliminated.append(counter)
        return Found(77)

    monkeypatch.setattr(Counter, "searched", in_vain)
    monkeypatch.setattr(Counter, "eliminated", finds)
    engine = CudaEngine(ShimMachine(), host=True)
    real = engine.formula

    def later(*arguments: Any) -> Any:
        while not eliminated:
            time.sleep(0.001)
        time.sleep(0.05)
        return real(*arguments)

    monkeypatch.setattr(engine, "formula", later)
    assert engine.count(queries()[0]).count == 77
    assert searched == eliminated and len(searched) == 1


def test_the_clock_stops_the_first_try(may_be_first: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "searched", lambda *_: Found(0, "timeout"))
    assert CudaEngine(ShimMachine(), host=True).count(queries()[0]).stopped_by == "timeout"


def test_few_matches_are_listed_without_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = CudaEngine(ShimMachine(), host=True)
    monkeypatch.setattr(cuda_engine, "make_plan", lambda *_, **__: pytest.fail("a plan"))
    for query in queries(unique=False):
        stream = engine.stream(query, Params(batch_rows=3))
        batches = list(stream)
        assert all(len(batch) <= 3 for batch in batches) and stream.stopped_by is None
        found = [row for batch in batches for row in batch.tolist()]
        expected = np.concatenate(list(reference.stream(query)) or [np.empty((0, 1))]).tolist()
        assert sorted(found) == sorted(expected) and engine.last is None
    early = engine.stream(max(queries(), key=lambda q: engine.count(q).count), Params(batch_rows=1))
    next(early)
    early.close()
    assert early.stopped_by == "cancelled"
    with pytest.raises(pytest.fail.Exception, match="a plan"):
        CudaEngine(ShimMachine()).stream(queries()[0])


LATE = """
import threading, time
from subiso.engine.base import Params
from subiso.engine.query import make_query
from subiso.engine.race import may_race
from subiso.filter.resolve import resolve
from subiso.graph import Graph

def late():
    threading.main_thread().join()
    time.sleep(0.2)
    graph = Graph.from_edges([0, 1], [1, 2], vertex_labels=["A", "B", "A"])
    with may_race(resolve(make_query(graph, "(a:A)--(b:B)")), Params(), 1, 0.0) as race:
        race.begin()
        while race.found is None:
            time.sleep(0.01)
        print(race.found.count)

threading.Thread(target=late).start()
"""


def test_there_are_races_when_the_main_thread_has_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATE], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "2\n" and not done.stderr


def test_no_thread_no_race(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    for _ in range(3):
        lost = race_of(queries()[0])
        lost.begin()
        assert not lost.overtakes()
    monkeypatch.undo()
    again = race_of(queries()[0])
    again.begin()  # there is a place
    until = time.perf_counter() + 10
    while again.found is None:
        assert time.perf_counter() < until
        time.sleep(0.001)


def test_a_cancelled_count_on_the_host_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_engine, "HOST_COST", 1e5)
    monkeypatch.setattr(cpu, "run_formula", lambda *_: Outcome(0, "cancelled"))
    monkeypatch.setattr(Counter, "run", lambda *_: None)
    engine = CudaEngine(ShimMachine(), host=True)
    monkeypatch.setattr(engine, "_count_plan", lambda *_: pytest.fail("a kernel"))
    assert engine.count(queries()[0]).stopped_by == "cancelled"
