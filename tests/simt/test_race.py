"""The host's count beside a kernel's: whoever is done first answers, the other one is stopped."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np
import pytest
from shim import ShimMachine

from subiso.engine import candidates, race, reference
from subiso.engine.base import Params
from subiso.engine.candidates import Counter, Found
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import Query, make_query
from subiso.errors import CountOverflowError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.queries import random_queries


@pytest.fixture(autouse=True)
def always_race(monkeypatch: pytest.MonkeyPatch) -> None:
    """No query is answered before the race."""
    monkeypatch.setattr(candidates, "_LITTLE_READ", 0)
    monkeypatch.setattr(race, "_MANY", 0.0)


def queries() -> list[Query]:
    rng = np.random.default_rng(8)
    graph = Graph.from_edges(
        rng.integers(0, 40, 120), rng.integers(0, 40, 120), vertex_labels=rng.choice(list("ABC"), 40)
    )
    return [make_query(graph, pattern) for pattern in random_queries(graph, 6, [3, 4, 5], seed=1)]


def test_answers_are_right() -> None:
    for query in queries():
        assert CudaEngine(ShimMachine(), host=True).count(query).count == reference.count(query).count


def test_the_host_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    there = threading.Event()

    def found(*_: Any) -> Found:
        there.set()
        return Found(77)

    monkeypatch.setattr(Counter, "searched", found)
    engine = CudaEngine(ShimMachine(), host=True)
    plan = engine.formula

    def slow_plan(*args: Any) -> Any:
        assert there.wait(10)
        return plan(*args)

    monkeypatch.setattr(engine, "formula", slow_plan)
    outcome = engine.count(queries()[0], Params(timeout=30))
    assert outcome.count == 77 and outcome.complete


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


def test_short_plans_have_no_race(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[float] = []
    monkeypatch.setattr(race, "_MANY", math.inf)
    monkeypatch.setattr(race.Race, "begin", lambda self: begun.append(1))
    for query in queries():
        CudaEngine(ShimMachine(), host=True).count(query)
    assert not begun
    monkeypatch.setattr(race, "_LONG_PLAN", 0.0)
    CudaEngine(ShimMachine(), host=True).count(queries()[0])
    assert begun


def test_expected_matches() -> None:
    """Exact where every candidate has as many neighbours as any other."""
    around = np.arange(30)
    ring = Graph.from_edges(around, (around + 1) % 30, vertex_labels=["A"] * 30)
    problem = resolve(make_query(ring, "(a:A)--(b:A)--(c:A)", mode="homomorphism")).problem
    assert race.expected_matches(problem) == pytest.approx(30 * 2 * 2)
