"""bench/gpu/joins.py: every way is run as often as it tells something, on a machine that does nothing."""

from __future__ import annotations

import argparse

import pytest
from bench.ablation import rehearse
from bench.ablation.rehearse import Rehearsal
from bench.gpu import joins

from subiso.engine.base import Outcome, Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Description
from subiso.engine.query import Query, make_query
from subiso.graph.generators import erdos_renyi
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
