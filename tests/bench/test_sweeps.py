"""Sweeps over labelled queries: seeded queries of the asked kind, agreement checked, stops told, plots drawn."""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bench import sweeps
from subiso.engine import cpu, reference
from subiso.engine.base import Outcome, Params
from subiso.engine.query import Query, make_query
from subiso.graph.generators import path, rmat
from subiso.pattern import Pattern

GRAPH = rmat(8, 8, seed=3)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    small = {
        "size": (3, 5),
        "density": ("walk", "sparse", "dense"),
        "labels": (4, 8),
        "skew": (0.0, 1.5),
    }
    monkeypatch.setattr(sweeps, "SWEEPS", small)
    monkeypatch.setattr(sweeps, "SIZE", 4)


def test_sweeps_agree_and_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engines = {"cpu": cpu.count, "reference": reference.count}
    assert (
        sweeps.run_all({"g": lambda: GRAPH}, list(sweeps.SWEEPS), engines, sweeps.Options(2), tmp_path) == 0
    )
    assert "holds: all that came to their end agree" in capsys.readouterr().out
    rows = json.loads((tmp_path / "sweep-density.json").read_text())["rows"]
    assert [row["value"] for row in rows] == ["walk", "sparse", "dense"]
    assert all(row["cpu ms"] > 0 and row["reference stopped"] == 0 for row in rows)
    assert len(list(tmp_path.glob("*.svg"))) == 4
    for file in tmp_path.glob("*.svg"):
        ET.parse(file)


def test_wrong_and_stopped_answers_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def off(query: Query, params: Params) -> Outcome:
        return Outcome(cpu.count(query, params).count + 1)

    def late(query: Query, params: Params) -> Outcome:
        return Outcome(1, "timeout")

    graphs = {"g": lambda: GRAPH}
    wrong = {"cpu": cpu.count, "off": off}
    assert sweeps.run_all(graphs, ["labels"], wrong, sweeps.Options(1), tmp_path) == 1
    assert "WRONG" in (tmp_path / "sweep-labels.txt").read_text()
    stopped = {"cpu": cpu.count, "late": late}
    assert sweeps.run_all(graphs, ["labels"], stopped, sweeps.Options(2, limit=3.0), tmp_path) == 0
    assert "8 runs, 4 stopped at the limit of 3 s" in capsys.readouterr().out
    answers = json.loads((tmp_path / "sweep-labels-answers.json").read_text())
    assert [a["state"] for a in answers[0]["answers"][0]] == ["", "timeout"]
    rows = json.loads((tmp_path / "sweep-labels.json").read_text())["rows"]
    assert [(row["late stopped"], row["all stopped"]) for row in rows] == [(2, 0), (2, 0)]
    assert sweeps.run_all(graphs, ["labels"], {"late": late}, sweeps.Options(2), tmp_path) == 0
    assert "g, labels 8: 2 of 2 queries stopped in all ways" in capsys.readouterr().out


def test_some_values_only(tmp_path: Path) -> None:
    options = sweeps.Options(1, values={"size": [4]})
    assert (
        sweeps.run_all({"g": lambda: GRAPH}, ["size", "labels"], {"cpu": cpu.count}, options, tmp_path) == 0
    )
    for sweep, values in (("size", ["4"]), ("labels", ["4", "8"])):
        rows = json.loads((tmp_path / f"sweep-{sweep}.json").read_text())["rows"]
        assert [row["value"] for row in rows] == values


def test_the_steeper_the_law_the_fewer_labels() -> None:
    options = sweeps.Options(1)
    shares = []
    for skew in (0.0, 1.0, 2.5):
        labels = sweeps.workload(GRAPH, "skew", skew, options)[0].vertex_labels
        assert labels is not None
        shares.append(labels.counts().max() / GRAPH.num_vertices)
    assert shares[0] < 0.15 < shares[1] < 0.4 < shares[2]


def test_late_answers_are_told_and_kernels_are_there_before_any_query(tmp_path: Path) -> None:
    order: list[str] = []

    def slow(query: Query, params: Params) -> Outcome:
        order.append("asked")
        time.sleep(0.03)
        return Outcome(1)

    options = sweeps.Options(2, limit=0.02, prepare=lambda queries: order.append(f"{len(queries)} prepared"))
    assert sweeps.run_all({"g": lambda: GRAPH}, ["labels"], {"slow": slow}, options, tmp_path) == 0
    assert order == 2 * ["2 prepared", "asked", "asked"]
    assert "DOES NOT HOLD: 4 answers came well after the limit" in (tmp_path / "sweep-labels.txt").read_text()


def test_quick_queries_are_asked_again_and_the_better_time_counts() -> None:
    asked = 0

    def warming_up(query: Query, params: Params) -> Outcome:
        nonlocal asked
        asked += 1
        time.sleep(0.05 if asked == 1 else 0)
        return Outcome(7)

    def unsteady(query: Query, params: Params) -> Outcome:
        nonlocal asked
        asked += 1
        return Outcome(asked)

    query = make_query(GRAPH, Pattern.clique(3))
    answer = sweeps.ask("warm", warming_up, query, sweeps.Options(limit=1.0))
    assert (asked, answer.count) == (2, 7)
    assert answer.ms is not None and answer.ms < 50
    asked = 0
    assert sweeps.ask("slow", warming_up, query, sweeps.Options(limit=0.1)).count == 7 and asked == 1
    assert sweeps.ask("off", unsteady, query, sweeps.Options()).state == "WRONG: 2, then 3"


def test_what_is_made_of_a_graph_once_is_there_before_a_query_is_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []

    def noted(who: str) -> sweeps.Engine:
        return lambda *_: calls.append(who) or Outcome(1)  # type: ignore[func-returns-value]

    monkeypatch.setattr(cpu, "count", noted("first"))
    sweeps.run_point(GRAPH, ("g", "size", 3), {"timed": noted("timed")}, sweeps.Options(2))
    assert calls == ["first", *["timed"] * 4]


def test_nothing_is_asked_after_the_deadline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = sweeps.Options(1, deadline=0.0)
    point = sweeps.run_point(GRAPH, ("g", "size", 3), {"cpu": cpu.count}, options)
    assert (point.answers[0][0].state, point.of("cpu")) == ("left out", [])
    assert sweeps.run_all({"g": lambda: GRAPH}, ["labels"], {"cpu": cpu.count}, options, tmp_path) == 1
    said = capsys.readouterr().out
    assert "DOES NOT HOLD: 0 runs, 0 stopped at the limit of 5 s, 2 left out" in said
    assert "DOES NOT HOLD: all that came to their end agree" in said
    rows = json.loads((tmp_path / "sweep-labels.json").read_text())["rows"]
    assert {row["state"] for row in rows} == {"left out"}


def test_every_sweep_and_graph_has_its_share_of_the_time(tmp_path: Path) -> None:
    """What takes long in the first sweep, on the first graph, leaves the others theirs."""
    asked: list[int] = []

    def slow(query: Query, params: Params) -> Outcome:
        asked.append(query.graph.num_vertices)
        time.sleep(0.05)
        return Outcome(1)

    graphs = {"g": lambda: GRAPH, "h": lambda: path(50)}
    options = sweeps.Options(20, deadline=time.perf_counter() + 1.0)
    sweeps.run_all(graphs, ["labels", "size"], {"slow": slow}, options, tmp_path)
    for sweep in ("labels", "size"):
        rows = json.loads((tmp_path / f"sweep-{sweep}.json").read_text())["rows"]
        assert {row["graph"] for row in rows if row["slow ms"]} == {"g", "h"}, sweep
    assert len(asked) < 80


def test_graphs_without_such_queries_have_empty_rows(tmp_path: Path) -> None:
    engines = {"cpu": cpu.count}
    assert sweeps.run_all({"path": lambda: path(20)}, ["density"], engines, sweeps.Options(1), tmp_path) == 0
    rows = json.loads((tmp_path / "sweep-density.json").read_text())["rows"]
    assert [(row["queries"], row["cpu ms"] is None) for row in rows] == [(1, False), (1, False), (0, True)]
