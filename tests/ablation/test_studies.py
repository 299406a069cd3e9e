"""Every study of bench/ablation runs, through the shim on a tiny graph, and notices what is wrong."""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from bench.ablation import batching, hubs, split, tau
from bench.ablation.rehearse import kernels_of
from bench.ablation.run import STUDIES, run_all
from bench.ablation.setting import Setting, Trial, Way, agreed
from bench.ablation.study import Study, table
from bench.plot import bar_chart, line_chart
from shim import ShimMachine
from tests.ablation.tiny import TinyData

from subiso.engine.base import Outcome
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.tune import Wishes

WISHES = Wishes(blocks=1, warps_per_block=2)


def setting(*graphs: str, off: int = 0) -> Setting:
    return Setting(ShimMachine(), TinyData(off), graphs, limit=60, repeat=0, wishes=WISHES)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in ("batching", "hubs", "twigs")])
def test_study(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all(setting("tiny"), STUDIES[name], tmp_path, seconds=600) == 0
    assert "SIMT shim" in capsys.readouterr().out
    for file in tmp_path.glob("*.json"):
        found = json.loads(file.read_text())
        assert found["rows"] and found["date"].startswith("20")
        assert not [v for row in found["rows"] for v in row.values() if v in ("left out", "timeout")]
    for file in tmp_path.glob("*.svg"):
        ET.parse(file)


def test_batching_lowers_the_idle_rate() -> None:
    rows = batching.study(setting("tiny", "email-Enron/labels16")).rows
    assert Study("x", "x", rows).wrong == 0
    means = [row for row in rows if row["pattern"] == "mean"]
    assert [row["graph"] for row in means] == ["tiny", "email-Enron/labels16"]
    assert means[0]["fine+batch idle"] < means[0]["naive idle"]
    assert means[1]["fine+batch idle"] <= means[1]["naive idle"]


def test_hubs_equal_closed_forms() -> None:
    sizes = hubs.study(setting("tiny"))
    degrees = hubs.growing_hub(setting(), "rmat4", (16, 100))
    assert (sizes.wrong, degrees.wrong) == (0, 0)
    assert len(degrees.rows) == 12
    assert all(isinstance(row["stack ms"], float) for row in degrees.rows)


def test_split_adds_up() -> None:
    rows = split.study(setting("tiny")).rows
    assert [row["state"] for row in rows[:3]] == ["new", "other process", "again"]
    for row in rows:
        parts = [row[name] for name in ("filter", "plan", "compile", "transfer", "search", "rest")]
        assert sum(parts) == pytest.approx(row["wall"])
        assert min(parts) >= 0
        assert row["transfer"] > 0 and row["search"] > 0


def test_wrong_counts_are_noticed(tmp_path: Path) -> None:
    assert run_all(setting("tiny", off=1), STUDIES["tau"], tmp_path, seconds=600) == 1
    assert "WRONG" in (tmp_path / "tau.txt").read_text()


def test_trials_that_disagree_are_noticed() -> None:
    trials = {"a": Trial(count=1, ms=1.0), "b": Trial(count=2, ms=1.0), "c": Trial(state="timeout")}
    agreed(trials)
    assert [t.state for t in trials.values()] == ["WRONG: [1, 2] in one row"] * 2 + ["timeout"]
    assert Study("x", "x", [{"a": trials["a"].shown}]).wrong == 1


def test_nothing_is_tried_after_the_deadline() -> None:
    late = setting("tiny")
    late.deadline = time.perf_counter()
    assert late.try_out(late.graph("tiny"), late.patterns("P1")["P1"], Way("x")).state == "left out"


def test_a_rehearsal_finds_every_kernel() -> None:
    real = setting("tiny")
    launched = set()
    launch = ShimMachine.launch

    def note(kernel: Kernel, *rest: Any) -> None:
        launched.add(kernel)
        launch(real.machine, kernel, *rest)

    real.machine.launch = note  # type: ignore[method-assign,assignment]
    studies = [tau.study, hubs.study]
    found = kernels_of(real, studies)
    assert not launched
    for study in studies:
        study(real)
    assert launched == set(found)


def test_a_run_that_is_stopped_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CudaEngine, "count", lambda *_: Outcome(3, "timeout"))
    short = setting("tiny")
    trial = short.try_out(short.graph("tiny"), short.patterns("P9")["P9"], Way("x"))
    assert (trial.state, trial.ms) == ("timeout", None)


def test_tables_and_plots_of_nothing() -> None:
    assert "no rows" in table([])[0]
    ET.fromstring(line_chart("t", "x", "y", {}, log_x=True, log_y=True))
    ET.fromstring(bar_chart("t", "y", [], {}))


def test_plots_hold_their_values() -> None:
    line = ET.fromstring(
        line_chart("a & b", "x", "y", {"s": [(1, 1.0), (10, None), (100, 10.0)]}, log_x=True)
    )
    assert len(line.findall(".//{*}circle")) == 2
    bars = ET.fromstring(bar_chart("t", "y", ["g", "h"], {"s": [1.0, None], "t": [2.0, 4.0]}))
    heights = [
        float(r.attrib["height"]) for r in bars.findall("{*}rect") if r.attrib["width"] not in ("100%", "10")
    ]
    assert heights == pytest.approx([75, 150, 300])
