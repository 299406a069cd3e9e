"""bench/gpu/joins.py: every way is run as often as it tells something, on a machine that does nothing."""

from __future__ import annotations

import argparse
import math
import time
from types import SimpleNamespace

import pytest
from bench.ablation import rehearse
from bench.ablation.rehearse import Rehearsal
from bench.checked import share
from bench.gpu import joins

from subiso.engine.base import Outcome, Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Description
from subiso.engine.query import Query, make_query
from subiso.graph.generators import cycle, erdos_renyi
from subiso.pattern import Pattern

OPTIONS = argparse.Namespace(timeout=2.0, repeat=3, seed=0)
QUERIES = {"3/0": make_query(erdos_renyi(20, 40, seed=1), Pattern.path(3))}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Rehearsal:
    monkeypatch.setattr(rehearse, "compile_all", lambda kernels, architecture: None)
    return Rehearsal(Description("nothing", "sm_90", 132))


def run(machine: Rehearsal, names: list[str]) -> list[joins.Timing]:
    return joins.run_all(machine, "g", QUERIES, joins.engines_by_schedule(names), joins.COUNTING, OPTIONS)


def test_every_way_is_timed(machine: Rehearsal) -> None:
    found = run(machine, ["fine", "stack", "levels"])
    assert [t.way for t in found] == ["fine", "stack", "levels"]
    assert all(t.finished and t.warm and t.wait_ms and t.search_ms is not None for t in found)
    assert run(machine, []) == []


def test_counts_that_change_are_not_repeated_and_stopped_ones_once(
    machine: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def count(engine: CudaEngine, query: Query, params: Params) -> Outcome:
        runs.append(engine.schedule)
        stopped = engine.schedule == "stack"
        return Outcome(len(runs), "timeout" if stopped else None)

    monkeypatch.setattr(joins, "compile_counts", lambda *_: 0)
    monkeypatch.setattr(CudaEngine, "count", count)
    fine, stack = run(machine, ["fine", "stack"])
    assert runs.count("fine") == 2 and fine.error is not None and not fine.finished
    assert runs.count("stack") == 2 and stack.stopped_by == "timeout"


def test_queries_after_the_time_are_left_out(
    machine: Rehearsal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0

    def count(engine: CudaEngine, query: Query, params: Params) -> Outcome:
        nonlocal now
        now += 6.0
        return Outcome(1)

    monkeypatch.setattr(joins, "compile_counts", lambda *_: 0)
    monkeypatch.setattr(joins, "time", SimpleNamespace(perf_counter=lambda: now))
    monkeypatch.setattr(CudaEngine, "count", count)
    three = {f"3/{i}": QUERIES["3/0"] for i in range(3)}
    once = argparse.Namespace(timeout=2.0, repeat=0, seed=0)
    ways = joins.engines_by_schedule(["fine"])
    found = joins.run_all(machine, "g", three, ways, joins.COUNTING, once, until=10.0)
    assert [t.query for t in found] == ["3/0", "3/1"]
    joins.report_schedules(found, len(three))
    joins.report_switches(found, {"3/1": 2}, "any order", len(three))
    said = capsys.readouterr().out
    assert "of all 3 queries 2 were finished by anyone, 0 stopped in every way, 1 left out" in said
    assert "2 of 2 queries finished by all, 1 left out" in said
    assert "WRONG" in said, "one of them is known to have two matches"


def test_only_slow_ones_stay(machine: Rehearsal, monkeypatch: pytest.MonkeyPatch) -> None:
    def count(engine: CudaEngine, query: Query, params: Params) -> Outcome:
        assert engine.schedule == "auto" and params.timeout == 0.5
        return Outcome(1, "timeout" if query.pattern.num_vertices > 3 else None)

    monkeypatch.setattr(joins, "compile_counts", lambda *_: 0)
    monkeypatch.setattr(CudaEngine, "count", count)
    both = {**QUERIES, "4/0": make_query(QUERIES["3/0"].graph, Pattern.path(4))}
    options = argparse.Namespace(only_slow=0.5, seed=0)
    assert list(joins.slow_ones(machine, "g", both, options, math.inf)) == ["4/0"]
    assert not joins.slow_ones(machine, "g", both, options, 0.0), "nobody knows whether these are slow"


def test_graphs_without_such_queries_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    options = argparse.Namespace(edges="all", density="dense", seed=0)
    assert joins.drawn(cycle(30), 5, 2, options) == []
    assert "dense" in capsys.readouterr().out
    options.density = "any"
    assert [q.pattern.num_vertices for q in joins.drawn(cycle(30), 5, 2, options)] == [5, 5]


def test_every_part_has_its_share_of_the_time() -> None:
    now = time.perf_counter()
    assert now + 4 < share(now + 10, 2) < now + 6
    assert share(math.inf, 3) == math.inf
