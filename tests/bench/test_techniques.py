"""bench/techniques.py: the ways differ as they say, counts are checked, what is stopped is told."""

from __future__ import annotations

from typing import Any

import pytest

from bench import techniques
from subiso.engine import cpu, reference
from subiso.engine.base import Outcome, Params, Switches
from subiso.engine.query import Query, make_query
from subiso.graph.generators import erdos_renyi
from subiso.pattern import Pattern

GRAPH = erdos_renyi(30, 90, seed=1)


class Data:
    """A folder with one graph and two patterns."""

    def oracle(self) -> dict[str, Any]:
        found = {}
        for name, pattern in (("4cycle", Pattern.cycle(4)), ("gem", Pattern.gem())):
            counts = {
                key: reference.count(make_query(GRAPH, pattern, mode=mode)).count
                for key, mode in (("subgraphs", "monomorphism"), ("induced", "induced"))
            }
            found[name] = {"edges": [(e.source, e.target) for e in pattern.edges], **counts}
        return {"g": found}


@pytest.fixture(autouse=True)
def one_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(techniques, "load_graph", lambda data, name: GRAPH)


def run(monkeypatch: pytest.MonkeyPatch, count: techniques.Count) -> list[dict[str, Any]]:
    ready: list[Any] = []
    monkeypatch.setattr(techniques, "counter", lambda device, cases: ready.extend(cases) or count)
    rows = techniques.study(Data(), ["g"], "cuda", 2.0, 0).rows  # type: ignore[arg-type]
    assert len(ready) == 3 * len(techniques.WAYS), "kernels of all counts are compiled before"
    return rows


def test_every_way_is_timed_and_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = run(monkeypatch, cpu.count)
    assert [row["pattern"] for row in rows] == ["4cycle", "4cycle induced", "gem", "times as long", "stopped"]
    assert all(isinstance(row[way], float) for row in rows[:3] for way in techniques.WAYS)
    assert rows[3]["all"] == 1.0 and set(rows[4].values()) == {"all", "stopped", 0}


def test_wrong_and_stopped_counts_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(query: Query, params: Params) -> Outcome:
        if params.switches == techniques.NONE:
            return Outcome(0, "timeout")
        return Outcome(cpu.count(query).count + (params.switches.max_tail == 1))

    rows = run(monkeypatch, off)
    assert rows[0]["none"] == "timeout" and rows[4]["none"] == 3
    assert rows[0]["cuts alone"].startswith("WRONG") and isinstance(rows[0]["all"], float)


def test_ways_differ_by_one_technique() -> None:
    changed = {
        name: [key for key in techniques.OFF if getattr(way, key) != getattr(techniques.NONE, key)]
        for name, way in techniques.WAYS.items()
    }
    for name, switches in techniques.TECHNIQUES.items():
        assert changed[f"{name} alone"] == list(switches)
        assert set(changed["all"]) - set(changed[f"all but {name}"]) == set(switches)
    assert techniques.WAYS["all"] == Switches() and not changed["none"]
