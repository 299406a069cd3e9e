"""The showcases of bench/gpu run, through the shim on small graphs, and their closed forms are those of the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.ablation.run import run_all
from bench.ablation.setting import Setting
from bench.gpu import showcases
from shim import ShimMachine
from tests.ablation.tiny import TinyData

from subiso.engine.base import Outcome
from subiso.engine.cuda.tune import Wishes


def setting(*graphs: str, off: int = 0) -> Setting:
    wishes = Wishes(blocks=1, warps_per_block=2)
    return Setting(ShimMachine(), TinyData(off), graphs, limit=60, repeat=0, wishes=wishes)  # type: ignore[arg-type]


def test_hub() -> None:
    found = showcases.hub(setting(), "rmat4", degree=300)
    assert found.wrong == 0
    assert [row["count"] for row in found.rows] == [row["expected"] for row in found.rows]


def test_thirty_vertices() -> None:
    found = showcases.thirty(setting(), length=60)
    assert found.wrong == 0
    assert [row["count"] for row in found.rows] == [60, 2, 240]


def test_labelled_and_papers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all(setting("email-Enron/labels16"), [showcases.labelled], tmp_path, seconds=600) == 0
    studies = [lambda s: showcases.papers(s, labels=2)]
    assert run_all(setting("tiny"), studies, tmp_path, seconds=600) == 0
    assert "holds: 28 of 28 rows confirmed by the oracle or the CPU engine" in capsys.readouterr().out


def test_what_the_cpu_says_is_believed() -> None:
    line = {"count": 3, "expected": None}
    assert not showcases.settle(line, Outcome(4))
    assert line["confirmed by"] == "WRONG: the CPU engine counts 4"
    late = {"count": 3, "expected": None}
    assert not showcases.settle(late, Outcome(1, "timeout"))
