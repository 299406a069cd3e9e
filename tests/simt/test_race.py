"""The host's count beside a kernel's: whoever is done first answers, the other one is stopped."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time
from dataclasses import replace
from itertools import combinations
from pathlib import Path
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
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.queries import random_queries

SEARCHING = race.Race[Found].searching


@pytest.fixture(autouse=True)
def always_race(monkeypatch: pytest.MonkeyPatch) -> None:
    """No query is answered before the race, which begins at once, and has its place."""
    for counter in list(race._ENDING):
        ended(counter)
    monkeypatch.setattr(cuda_engine, "HOST_COST", -1.0)
    monkeypatch.setattr(race, "done_soon", lambda _: False)
    monkeypatch.setattr(race.Race, "searching", lambda one: one.begin())


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


def endless(monkeypatch: pytest.MonkeyPatch) -> CudaEngine:
    """An engine whose kernels come to no end by themselves."""

    def search(_plan: Any, _resolved: Any, watch: Watch, _begun: Any) -> int:
        watch.begin()
        while not watch.expired():
            time.sleep(0.001)
        return 0

    engine = CudaEngine(ShimMachine(), Wishes(filters=FilterWishes(place="host")), host=True)
    monkeypatch.setattr(engine, "_count_plan", search)
    return engine


def test_the_host_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "found", Found(77))

    outcome = endless(monkeypatch).count(queries()[0], Params(timeout=30))
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


def test_the_device_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """... against counts that would take longer, and are stopped."""
    stopped: list[Counter] = []
    stop = Counter.stop

    def note(counter: Counter) -> None:
        stopped.append(counter)
        stop(counter)

    monkeypatch.setattr(Counter, "stop", note)
    monkeypatch.setattr(Counter, "found", None)
    for query in queries()[:3]:
        outcome = CudaEngine(ShimMachine(), host=True).count(query)
        assert outcome.complete and outcome.count == reference.count(query).count
    assert len(stopped) == 3
    for counter in stopped:
        ended(counter)


def ended(counter: Counter) -> None:
    """Waits until the thread of the native core has ended."""
    until = time.perf_counter() + 10
    while counter.graph.counted is None:
        assert time.perf_counter() < until, "the host goes on"
        time.sleep(0.001)


def test_nobody_waits_for_a_thread_that_ends() -> None:
    """Who lets go of what it counts on would."""
    one = race.CountRace(resolve(long_query()), Params(), 1, 0.0)
    with one:
        one.begin()
        counter = one._counter
    assert counter is not None and (counter.over or counter in race._ENDING)
    ended(counter)
    with race.CountRace(resolve(queries()[0]), Params(), 1, 0.0) as other:
        other.begin()
    assert counter not in race._ENDING


def long_query() -> Query:
    """One that backtracking and elimination are at for long."""
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(*rng.integers(0, 500, (2, 120_000)), vertex_labels=["A"] * 500)
    return make_query(graph, Pattern.from_edges([*combinations(range(9), 2)], vertex_labels=["A"] * 9))


def test_the_clock_ends_both(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Counter] = []
    begin = Counter.begin

    def note(counter: Counter) -> bool:
        begun.append(counter)
        return begin(counter)

    monkeypatch.setattr(Counter, "begin", note)
    query = long_query()
    resolve(query)  # what is made of the graph is there
    outcome = endless(monkeypatch).count(query, Params(timeout=0.5))
    assert outcome.stopped_by == "timeout" and len(begun) == 1
    ended(begun[0])
    assert begun[0].found is None


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[race.Race[Found]]:
    """Races that would have begun."""
    noted: list[race.Race[Found]] = []

    def note(one: race.Race[Found]) -> None:
        noted.append(one)

    monkeypatch.setattr(race.Race, "searching", SEARCHING)
    monkeypatch.setattr(race.CountRace, "begin", note)
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
    """Queries are answered before the race, where that is done at once, on however slow a machine."""
    monkeypatch.setattr(candidates, "_FIRST_SECONDS", 60.0)
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
    monkeypatch.setattr(race.CountRace, "wait", lambda _: pytest.fail("at once"))
    for query in queries():
        engine = CudaEngine(ShimMachine(), Wishes(filters=FilterWishes(place="device")), host=True)
        assert engine.count(query).count == reference.count(query).count


def test_what_takes_more_steps_goes_on_at_once(may_be_first: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """... beside what comes before a plan, which is not made then."""
    monkeypatch.setattr(candidates, "FIRST_STEPS", 0)
    engine = CudaEngine(ShimMachine(), host=True)
    on_candidates = engine._on_candidates

    def slowly(*arguments: Any) -> Any:
        time.sleep(0.3)
        return on_candidates(*arguments)

    monkeypatch.setattr(engine, "_on_candidates", slowly)
    monkeypatch.setattr(engine, "formula", lambda *_: pytest.fail("a plan"))
    for query in queries():
        assert engine.count(query).count == reference.count(query).count


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

    resolved = resolve(queries()[0])
    monkeypatch.setattr(threading.Thread, "start", refuse)
    for _ in range(3):
        lost = race.may_list(resolved, Params(), 0.0)
        assert lost is not None
        lost.begin()
        assert not lost.overtakes()
    far = race.CountRace(replace(resolved, narrowed=replace(resolved.narrowed, here=False)), Params(), 1, 0.0)
    far.begin()
    assert not far.overtakes()
    monkeypatch.undo()
    again = race.may_list(resolved, Params(), 0.0)
    assert again is not None
    again.begin()  # there is a place
    until = time.perf_counter() + 10
    while again.found is None:
        assert time.perf_counter() < until
        time.sleep(0.001)


def test_two_counts_at_a_time() -> None:
    """Others begin once there is a place."""
    long, short = resolve(long_query()), resolve(queries()[0])
    first, second = (Counter(long, Params(), 1) for _ in range(2))
    assert first.begin() and second.begin()
    with race.CountRace(short, Params(), 1, 0.0) as third:
        third.begin()
        assert not third.overtakes()
        for counter in (first, second):
            counter.stop()
            ended(counter)
        third.begin()
        until = time.perf_counter() + 10
        while third.found is None:
            assert time.perf_counter() < until
            time.sleep(0.001)
        assert third.found.count == reference.count(queries()[0]).count


def test_a_cancelled_count_on_the_host_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_engine, "HOST_COST", 1e5)
    monkeypatch.setattr(cpu, "run_formula", lambda *_: Outcome(0, "cancelled"))
    monkeypatch.setattr(Counter, "found", None)
    engine = CudaEngine(ShimMachine(), host=True)
    monkeypatch.setattr(engine, "_count_plan", lambda *_: pytest.fail("a kernel"))
    assert engine.count(queries()[0]).stopped_by == "cancelled"


FORKED = """
import os, sys, time
sys.path[:0] = {path!r}
from test_race import long_query, queries
from subiso.engine.base import Params
from subiso.engine.candidates import Counter
from subiso.filter.resolve import resolve

counters = [Counter(resolve(long_query()), Params(), 1) for _ in range(2)]
assert all(counter.begin() for counter in counters)
child = os.fork()
if not child:
    assert all(counter.over and counter.found is None for counter in counters)
    del counters[:]
    counter = Counter(resolve(queries()[0]), Params(), 1)
    assert counter.begin()
    while not counter.over:
        time.sleep(0.001)
    print(counter.found.count, flush=True)
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
for counter in counters:
    counter.stop()
"""


def test_a_forked_process_counts_by_itself() -> None:
    path = [str(Path(__file__).parent), *sys.path]
    done = subprocess.run(
        [sys.executable, "-Wignore", "-c", FORKED.format(path=path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) == reference.count(queries()[0]).count


def test_candidates_on_the_device_have_their_place_once_there_is_one() -> None:
    here, long = resolve(queries()[0]), resolve(long_query())
    far = race.CountRace(replace(here, narrowed=replace(here.narrowed, here=False)), Params(), 1, 0.0)
    counters = [Counter(long, Params(), 1) for _ in range(2)]
    assert all(counter.begin() for counter in counters)
    far.begin()
    until = time.perf_counter() + 20
    while far._begun and time.perf_counter() < until:  # until it was refused
        time.sleep(0.001)
    for counter in counters:
        counter.stop()
        ended(counter)
    while not far.overtakes() and time.perf_counter() < until:
        far.begin()
        time.sleep(0.001)
    assert far.found is not None and far.found.count == reference.count(queries()[0]).count
