"""bench/cliques.py: every way is timed, counts are checked, what is stopped is told and not tried again."""

from __future__ import annotations

import argparse

import pytest
from bench.ablation.study import Study

from bench import cliques
from subiso.engine import cpu
from subiso.engine.base import Outcome, Params
from subiso.engine.query import Query
from subiso.graph.generators import erdos_renyi

GRAPH = erdos_renyi(25, 150, seed=1)
ASKED = argparse.Namespace(sizes=[3, 4, 5], limit=2.0, repeat=2)


def rows(run: cliques.Run, ways: str, known: dict[int, int] | None = None) -> list[dict[str, object]]:
    found = Study("test", "")
    chosen = {"count": cliques.COUNTED, "list": cliques.LOOPS}[ways]
    cliques.study(found, "g", GRAPH, known or {}, run, chosen, ASKED)
    return found.rows


def test_counting_and_listing_agree() -> None:
    counted, listed = rows(cpu.count, "count"), rows(cliques.list_rows, "list")
    assert [row["cliques"] for row in counted] == [row["cliques"] for row in listed]
    assert all(isinstance(row[way], float) for row in counted for way in cliques.COUNTED)
    assert all(isinstance(row[way], float) for row in listed for way in cliques.LOOPS)


def test_wrong_counts_are_told() -> None:
    def off(query: Query, params: Params) -> Outcome:
        return Outcome(7 + params.switches.pivots)

    assert all(str(row["pivots"]).startswith("WRONG") for row in rows(off, "count"))
    known = rows(lambda *_: Outcome(7), "count", {3: 8})
    assert str(known[0]["pivots"]).startswith("WRONG: 7, not 8") and known[1]["pivots"] != "over"


def test_ways_over_the_limit_are_not_tried_again() -> None:
    tried = []

    def slow(query: Query, params: Params) -> Outcome:
        if params.switches == cliques.COUNTED["loops"]:
            tried.append(query.pattern.num_vertices)
            return Outcome(0, "timeout")
        return Outcome(1)

    found = rows(slow, "count")
    assert tried == [3] and [row["loops"] for row in found] == ["over", None, None]


def test_making_is_timed() -> None:
    found = Study("test", "")
    cliques.making(found, "g", GRAPH, [4, 12], 1)
    assert all(isinstance(row[f"{way} ms"], float) for row in found.rows for way in cliques.MADE)
    shares = [row["degeneracy, edges %"] for row in found.rows]
    assert 0 < shares[0] <= 100 and shares[1] == pytest.approx(0, abs=60)
