"""The studies of schedule `pipeline` run, through the shim on small graphs, and notice what is wrong."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from bench.ablation import twigs
from bench.ablation.rehearse import kernels_of
from bench.ablation.stepwise import STEPS
from tests.ablation.test_studies import setting

from subiso.engine.base import Outcome
from subiso.engine.cuda.pipeline_kernel import BuildKernel, JoinKernel


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
    def off(*args: object) -> tuple[Outcome, dict[str, float]]:
        return Outcome(-1), dict.fromkeys(STEPS, 1.0)

    monkeypatch.setattr(twigs, "parts", off)
    assert twigs.study(setting()).wrong == 2


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
