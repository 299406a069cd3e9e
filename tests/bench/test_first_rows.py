"""bench/first_rows.py: every way is timed and stops are told; a way without a match is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from bench import first_rows
from subiso.engine.base import Switches
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.graph.generators import rmat

GRAPH = rmat(8, 8, seed=3)


def test_a_row_per_size_and_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_rows, "SIZES", (3, 5))
    found = first_rows.study_of({"g": GRAPH}, [1, 10, 0], queries=2, limit=5.0)
    assert [(row["vertices"], row["rows"]) for row in found.rows] == [
        (k, n) for k in (3, 5) for n in (1, 10, 0)
    ]
    assert found.wrong == 0
    assert all(row["plans ms"] > 0 and row["auto ms"] > 0 and not row["auto stopped"] for row in found.rows)


def test_stopped_and_lost_matches_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_rows, "SIZES", (3,))
    warm, unreasoned = [(9.0, "")] * 3, [(2.0, "")] * 2
    said = iter([*warm, (5.0, ""), (3000.0, "stopped"), *unreasoned, (1.0, ""), (1.0, "wrong")])
    monkeypatch.setattr(first_rows, "first_rows", lambda *_: next(said))
    found = first_rows.study_of({"g": GRAPH}, [1], queries=2, limit=3.0)
    (row,) = found.rows
    assert (row["plans stopped"], row["plans ms"], row["auto ms"]) == (1, 1502.5, 1.0)
    assert (row["plans / auto"], row["unreasoned / auto"]) == (1502.5, 2.0)
    assert found.wrong == 1 and "1 without matches" in row["state"]


def test_rows_are_looked_at() -> None:
    graph = Graph.from_edges([0, 1, 1], [1, 2, 3], vertex_labels=["A", "B", "A", "B"])
    query = make_query(graph, "(a:A)--(b:B)--(c:A)")
    good, twice, label, again = [0, 1, 2], [0, 1, 0], [0, 1, 3], [[0, 1, 2], [0, 1, 2]]
    assert first_rows.are_matches(query, np.array([good], np.uint32))
    for rows in ([twice], [label], again):
        assert not first_rows.are_matches(query, np.array(rows, np.uint32))
    with pytest.raises(AssertionError, match="no match"):
        first_rows.are_matches(query, np.array([[0, 3, 2]], np.uint32))


def test_nothing_found_is_wrong() -> None:
    graph = Graph.from_edges([0, 2], [1, 3], vertex_labels=["A", "B", "B", "C"])
    assert first_rows.first_rows(make_query(graph, "(a:A)--(b:B)--(c:C)"), Switches(), 1, 3.0)[1] == "wrong"
    assert first_rows.first_rows(make_query(graph, "(a:A)--(b:B)"), Switches(), 0, 3.0)[1] == ""
