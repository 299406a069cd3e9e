"""The runner on tiny cases, with a matcher of this test in the place of ours."""

from __future__ import annotations

import dataclasses
import json
import math
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from subiso.bench import Case, Options, Query, load_suite, main, run_suite
from subiso.bench.report import Report
from subiso.bench.suite import Suite
from subiso.graph.graph import Graph

TINY = """
title = "Tiny"
peers = ["A", "B"]
threads = 2

[patterns]
triangle = "0-1 0-2 1-2"
path3 = "0-1 1-2"
ring3 = "0>1 1>2 2>0"

[graphs]
K5 = { generator = "complete", n = 5 }
D4 = { generator = "complete", n = 4, directed = true }

[[case]]
graph = "K5"
pattern = "triangle"
count = 10
peers = { A = 1000.0, B = ">40" }
tags = ["bar"]

[[case]]
graph = "D4"
pattern = "ring3"
count = 8

[[case]]
graph = "K5"
pattern = "path3"
count = 30
peers = { A = ">10", B = ">40" }
"""


EDGES = {"triangle": ((0, 1), (0, 2), (1, 2)), "path3": ((0, 1), (1, 2))}


class Slow:
    """Counts by trying all assignments: another matcher with the same face."""

    def __init__(self, wrong: str | None = None, late: str | None = None, broken: str | None = None) -> None:
        self.wrong, self.late, self.broken = wrong, late, broken
        self.calls: list[int | None] = []

    def pattern(self, query: Query) -> Any:
        return query

    def count(
        self, graph: Graph, pattern: Query, *, threads: int | None, unique: bool, timeout: float | None
    ) -> int:
        self.calls.append(threads)
        if pattern.name == self.late:
            raise TimeoutError
        if pattern.name == self.broken:
            raise RuntimeError("out of order")
        found = self._embeddings(graph, pattern)
        return found // (self._automorphisms(pattern) if unique else 1) + (pattern.name == self.wrong)

    def motifs(self, graph: Graph, k: int, *, threads: int | None, timeout: float | None) -> dict[Any, int]:
        names = {3: ["triangle", "path3"]}[k]
        queries = [Query(name, EDGES[name], 0) for name in names]
        options: Any = {"threads": threads, "unique": True, "timeout": timeout}
        return {query.edges: self.count(graph, query, **options) for query in queries}

    @staticmethod
    def _embeddings(graph: Graph, pattern: Query) -> int:
        src, dst = graph.edge_endpoints()
        edges = set(zip(src.tolist(), dst.tolist(), strict=True))
        edges |= set() if graph.directed else {(v, u) for u, v in edges}
        size = 1 + max(map(max, pattern.edges))
        return sum(
            all((image[u], image[v]) in edges for u, v in pattern.edges)
            for image in permutations(range(graph.num_vertices), size)
        )

    @staticmethod
    def _automorphisms(pattern: Query) -> int:
        edges = set(pattern.edges) if pattern.directed else {frozenset(edge) for edge in pattern.edges}
        kind: Any = tuple if pattern.directed else frozenset
        size = 1 + max(map(max, pattern.edges))
        return sum({kind((p[u], p[v])) for u, v in pattern.edges} == edges for p in permutations(range(size)))


QUICK = Options(scaling=False, startup=False)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return load_suite(_written(tmp_path))


def _written(folder: Path, text: str = TINY) -> Path:
    file = folder / "tiny.toml"
    file.write_text(text)
    return file


def statuses(report: Report) -> list[str]:
    return [row.status for row in report.rows]


def test_right_counts_pass(suite: Suite) -> None:
    report = run_suite(suite, QUICK, Slow())
    assert statuses(report) == ["ok"] * 3
    assert not report.failed
    assert [(row.case.graph, row.count) for row in report.rows] == [("K5", 10), ("K5", 30), ("D4", 8)]
    assert all(row.ours and row.first and row.first >= row.ours for row in report.rows)


def test_a_wrong_count_fails_and_says_which(suite: Suite) -> None:
    report = run_suite(suite, QUICK, Slow(wrong="path3"))
    assert statuses(report) == ["ok", "wrong", "ok"]
    assert "path3 is 30 but was counted as 31" in report.text()
    assert "WRONG" in report.markdown()


class ByEdges(Slow):
    """Gives motifs by edge list, as ours gives them by pattern."""

    def pattern(self, query: Query) -> Any:
        return query.edges


def test_motifs_are_one_call_checked_pattern_by_pattern(suite: Suite) -> None:
    queries = tuple(Query(name, EDGES[name], count) for name, count in (("triangle", 10), ("path3", 30)))
    case = Case("K5", "motifs 3", queries, motif_sizes=(3,))
    motifs = dataclasses.replace(suite, cases=(case,))
    (row,) = run_suite(motifs, QUICK, ByEdges()).rows
    assert (row.status, row.count) == ("ok", 40)
    (row,) = run_suite(motifs, QUICK, ByEdges(wrong="triangle")).rows
    assert (row.status, row.message) == ("wrong", "triangle is 10 but was counted as 11")


def test_late_and_broken_cases_fail_alone(suite: Suite) -> None:
    report = run_suite(suite, QUICK, Slow(late="triangle", broken="ring3"))
    assert statuses(report) == ["timeout", "ok", "error"]
    assert "K5 triangle: timeout: did not finish within 300 s" in report.text()
    assert "D4 ring3: error: RuntimeError: out of order" in report.text()


def test_repeats_and_threads(suite: Suite) -> None:
    face = Slow()
    run_suite(suite, Options(repeat=2, scaling=False, startup=False), face)
    assert face.calls == [2] * 6
    face = Slow()
    run_suite(suite, Options(repeat=1, threads=7, scaling=False, startup=False), face)
    assert face.calls == [7] * 3


def test_ratios_count_finished_peers_only(suite: Suite) -> None:
    report = run_suite(suite, QUICK, Slow())
    first, second, third = report.rows
    assert first.ours is not None and first.ratio() == pytest.approx(1000 / first.ours)
    assert second.ratio() is None  # both peers were stopped
    assert third.ratio() is None  # there are none
    assert report.mean_ratio() == report.mean_ratio("bar") == pytest.approx(first.ratio())
    assert ">40" in report.text()


def test_paired_peers_take_the_place_of_recorded_ones(suite: Suite) -> None:
    peers = {"K5": {"path3": {"A": 5.0, "B": 7.0}}}
    report = run_suite(suite, Options(scaling=False, startup=False, peers=peers), Slow())
    first, second, _ = report.rows
    assert (first.paired, second.paired) == (False, True)
    assert second.ours is not None and report.mean_ratio() == pytest.approx(5.0 / second.ours)
    assert "(1000)" in report.text()  # recorded, shown but not compared
    assert "measured in the same session" in report.markdown()


def test_scaling_is_compared_with_the_probe(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subiso.bench.run.LEAST_SCALED", 0.0)
    monkeypatch.setattr("subiso.bench.run.probe_scaling", lambda processes: 1.6 if processes == 2 else 0.0)
    face = Slow()
    report = run_suite(suite, Options(repeat=1, startup=False), face)
    assert face.calls == [2, 1] * 3
    for row in report.rows:
        row.ours, row.alone = 1.0, 1.5
    assert report.scaling() == pytest.approx(1.5)
    assert "1.50 times faster" in report.text() and "That is 94% of it; the bar is 85%" in report.text()


def test_memory_is_weighed(suite: Suite) -> None:
    report = run_suite(suite, QUICK, Slow())
    row = report.rows[0]
    if row.peak is None or report.bare is None:
        pytest.skip("no /proc here")
    assert row.graph == pytest.approx((6 * 8 + 20 * 4) / 1e6)
    assert row.beyond == pytest.approx(row.peak - report.bare - row.graph)
    assert 10 < report.bare < row.peak


def test_saved_tables(suite: Suite, tmp_path: Path) -> None:
    report = run_suite(suite, QUICK, Slow())
    first, again = report.save(tmp_path / "results"), report.save(tmp_path / "results")
    assert [path.name for path in first] == [f"{report.date}-tiny.md", f"{report.date}-tiny.json"]
    assert again[0].name == f"{report.date}-tiny-2.md"
    table = json.loads(first[1].read_text())
    assert [row["count"] for row in table["rows"]] == [10, 30, 8]
    assert table["machine"]["cpu"] and "| K5 | triangle | 10 |" in first[0].read_text()
    import platform

    if len(platform.node()) > 3:
        assert platform.node() not in first[0].read_text() + first[1].read_text()


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(_written(tmp_path))
    quick = ["--repeat", "1", "--no-scaling", "--no-startup"]
    results = tmp_path / "results"
    assert main(["run", file, *quick], face=Slow(), results=results) == 0
    assert "triangle" in capsys.readouterr().out and len(list(results.iterdir())) == 2
    assert main(["run", file, *quick, "--no-results"], face=Slow(wrong="ring3"), results=results) == 1
    assert main(["run", file, *quick, "--case", "tri*"], face=Slow(wrong="ring3")) == 0
    assert main(["run", file, *quick], face=Slow(late="ring3")) == 1
    assert len(list(results.iterdir())) == 2
    capsys.readouterr()
    assert main(["list"]) == 0
    assert "self_contained" in capsys.readouterr().out


def test_command_line_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(_written(tmp_path))
    assert main(["run", "nothing"]) == 2
    assert "there is no suite 'nothing'" in capsys.readouterr().err
    assert main(["run", file, "--case", "K9"]) == 2
    peers = tmp_path / "peers.json"
    assert main(["run", file, "--peer-results", str(peers)]) == 2
    assert "cannot be read" in capsys.readouterr().err
    peers.write_text('{"K5": {"triangle": {"A": "fast"}}}')
    assert main(["run", file, "--peer-results", str(peers)]) == 2
    assert "is not a table of peers' seconds" in capsys.readouterr().err
    assert main(["run", "small_cpu", "--data", str(tmp_path)]) == 2
    assert "folder of real graphs that small_cpu needs is missing" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main(["run", file, "--repeat", "0"])
    assert stop.value.code == 2


def test_peer_results_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    peers = tmp_path / "peers.json"
    peers.write_text('{"K5": {"triangle": {"A": 123.0, "B": ">5"}}}')
    arguments = ["--repeat", "1", "--no-scaling", "--no-startup", "--peer-results", str(peers)]
    assert main(["run", str(_written(tmp_path)), *arguments], face=Slow()) == 0
    assert "123" in capsys.readouterr().out


def test_the_probe_gives_a_believable_figure() -> None:
    from subiso.bench.probe import probe_scaling

    assert 0.3 < probe_scaling(2, repeat=1) < 4 and math.isfinite(probe_scaling(1, repeat=1))
