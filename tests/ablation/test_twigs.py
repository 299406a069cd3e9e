"""The studies of schedule `pipeline` run, through the shim on small graphs, and notice what is wrong."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from bench.ablation import twigs
from bench.ablation.rehearse import kernels_of
from bench.ablation.stepwise import Stepwise
from tests.ablation.test_studies import setting

from subiso.engine.base import Outcome
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.pipeline_kernel import BuildKernel, JoinKernel
from subiso.pattern import Pattern


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twigs, "QUERIES", 2)
    monkeypatch.setattr(twigs, "SIZES", (3, 4))
    monkeypatch.setattr(twigs, "MIDDLE", 4)
    monkeypatch.setattr(twigs, "CHUNKS", (8, 64))
    monkeypatch.setattr(twigs, "BASE", twigs.Data(4, 8, 2))
    monkeypatch.setattr(twigs, "CLOSE", twigs.Data(4, 16, 2))
    monkeypatch.setattr(
        twigs, "SWEEPS", {"vertices": (twigs.Data(4, 8, 2),), "labels": (twigs.Data(4, 8, 3),)}
    )


def test_steps_and_sweeps() -> None:
    found = twigs.study(setting())
    assert found.wrong == 0
    assert [row["vertices"] for row in found.rows] == [3, 4]
    assert all(row["queries"] == 2 and row["twigs"] >= 1 and row["listing"] > 0 for row in found.rows)
    assert all(row["copying"] > 0 and row["joining"] > 0 for row in found.rows)
    assert all((row["building"] > 0) == (row["twigs"] > 1) for row in found.rows)
    swept = twigs.sweeps(setting())
    assert swept.wrong == 0
    assert [row["value"] for row in swept.rows] == ["16", "3", "sparse", "dense"]
    assert all(row["queries"] == 2 and row["cpu / wait"] > 0 for row in swept.rows)
    for svg in (*found.plots.values(), *swept.plots.values()):
        ET.fromstring(svg)


def test_wrong_counts_step_by_step_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(self: CudaEngine, *args: Any) -> Outcome:
        outcome = count(self, *args)
        return replace(outcome, count=-1) if isinstance(self.machine, Stepwise) else outcome

    count = CudaEngine.count
    monkeypatch.setattr(CudaEngine, "count", off)
    assert twigs.study(setting()).wrong == 2


def test_runs_step_by_step_that_fail_or_are_late_are_left_out() -> None:
    graph, pattern, here = twigs.BASE.graph(), Pattern("(a:0)--(b:1)"), setting()
    assert twigs.parts(replace(here, deadline=0.0), graph, pattern, 1) == ({}, "")
    assert twigs.parts(replace(here, limit=0.0), graph, pattern, 1) == ({}, "")
    split, problem = twigs.parts(here, graph, Pattern.path(40), 1)
    assert split == {} and problem.startswith("error: ")


def test_switches_agree() -> None:
    found = twigs.switches(setting())
    assert found.wrong == 0
    assert len(found.rows) == 2
    for row in found.rows:
        assert row["embeddings"] >= 1
        assert all(isinstance(row[way.name], float) for way in twigs.SWITCHES)
        assert isinstance(row["chunk 8"], float)


def test_a_rehearsal_knows_the_kernels() -> None:
    found = kernels_of(setting(), [twigs.switches])
    assert {BuildKernel(), JoinKernel()} <= set(found)
