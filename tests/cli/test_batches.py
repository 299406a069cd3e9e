"""Several patterns in one command: what is wrong with one names it, and what can be kept of the others is."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import pyarrow.parquet
import pytest
from tests.cli.test_commands import run


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    file = tmp_path / "g.subiso"
    run("generate", "complete", "n=400", "-o", file)
    return file


def test_a_count_that_is_too_large_leaves_the_others_alone(graph: Path) -> None:
    done = run("count", graph, "triangle", "K40", "K4", "--format", "json", code=3)
    assert [row["count"] for row in json.loads(done.stdout)] == [10_586_800, None, 1_050_739_900]
    assert "incomplete: K40: the count left the range of the 128-bit accumulators\n" in done.stderr
    assert done.stderr.endswith("incomplete: 1 of 3 counts were not finished\n")
    alone = run("count", graph, "K40", code=1).stderr
    assert alone.startswith("error: the count left the range")
    # Each note says why; the last one must not say that it was the time.
    timed = run("count", graph, "triangle", "K40", "--timeout", "60", code=3).stderr
    assert timed.endswith("incomplete: 1 of 2 counts were not finished\n")


def test_a_count_that_is_too_large_leaves_those_beside_it(graph: Path) -> None:
    done = run("count", graph, "triangle", "K40", "K4", "--together", "--format", "json", code=3)
    found = [row["count"] for row in json.loads(done.stdout)]
    assert found[:2] == [10_586_800, None] and found[2] in (None, 1_050_739_900)
    why = "as the count left the range of the 128-bit accumulators"
    assert done.stderr == f"incomplete: {found.count(None)} of 3 counts were not finished {why}\n"


@pytest.mark.parametrize("order", [("triangle", "star40"), ("star40", "triangle")])
def test_estimates_beside_a_count_that_is_too_large(
    graph: Path, tmp_path: Path, order: tuple[str, str]
) -> None:
    asked = ("count", graph, *order, "--approx", "0.01", "--seed", "1")
    rows = json.loads(run(*asked, "--format", "json", code=3).stdout)
    columns = ["pattern", "count", "low", "high", "error", "exact", "samples", "seconds"]
    assert [list(row) for row in rows] == [columns, columns]
    found = dict(zip(order, rows, strict=True))
    assert found["triangle"]["low"] == found["triangle"]["count"] == 10_586_800
    assert [found["star40"][name] for name in columns[1:-1]] == [None] * 6
    table = run(*asked, "--format", "csv", code=3).stdout.splitlines()
    assert table[0] == ",".join(columns) and len(table) == 3
    run(*asked, "--output", tmp_path / "out.parquet", code=3)
    stored = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["high"] for row in stored] == [row["high"] for row in rows]


def test_a_count_that_is_missing_beside_one_beyond_arrow(graph: Path, tmp_path: Path) -> None:
    run("count", graph, "K40", "K20", "triangle", "--output", tmp_path / "out.parquet", code=3)
    counts = pyarrow.parquet.read_table(tmp_path / "out.parquet").column("count").to_pylist()
    assert counts == [None, str(comb(400, 20)), "10586800"]


def test_a_pattern_that_does_not_fit_is_named(graph: Path) -> None:
    wrong = run("count", graph, "triangle", "(a)--(b) WHERE a.age > 3", code=1)
    assert wrong.stdout == ""
    assert wrong.stderr.startswith(
        "error: (a)--(b) WHERE a.age > 3: a.age: the graph has no vertex column 'age'"
    )
    alone = run("count", graph, "(a)--(b) WHERE a.age > 3", code=1).stderr
    assert alone.startswith("error: a.age: the graph has no vertex column 'age'")
