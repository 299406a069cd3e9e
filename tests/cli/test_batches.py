"""Several patterns in one command: what is wrong with one names it, and what can be kept of the others is."""

from __future__ import annotations

import json
from pathlib import Path

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


def test_a_pattern_that_does_not_fit_is_named(graph: Path) -> None:
    wrong = run("count", graph, "triangle", "(a)--(b) WHERE a.age > 3", code=1)
    assert wrong.stdout == ""
    assert wrong.stderr.startswith(
        "error: (a)--(b) WHERE a.age > 3: a.age: the graph has no vertex column 'age'"
    )
    alone = run("count", graph, "(a)--(b) WHERE a.age > 3", code=1).stderr
    assert alone.startswith("error: a.age: the graph has no vertex column 'age'")
