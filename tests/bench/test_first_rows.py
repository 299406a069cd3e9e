"""bench/first_rows.py: every way is timed and stops are told; a way without a match is wrong."""

from __future__ import annotations

import pytest

from bench import first_rows
from subiso.graph.generators import rmat

GRAPH = rmat(8, 8, seed=3)


def test_a_row_per_size_and_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_rows, "SIZES", (3, 5))
    found = first_rows.study_of({"g": GRAPH}, [1, 10], queries=2, limit=5.0)
    assert [(row["vertices"], row["rows"]) for row in found.rows] == [(3, 1), (3, 10), (5, 1), (5, 10)]
    assert found.wrong == 0
    assert all(row["plans ms"] > 0 and row["auto ms"] > 0 and not row["auto stopped"] for row in found.rows)


def test_stopped_and_lost_matches_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_rows, "SIZES", (3,))
    warm = [(9.0, ""), (9.0, "")]
    said = iter([*warm, (5.0, ""), (3000.0, "stopped"), (1.0, ""), (1.0, "no match")])
    monkeypatch.setattr(first_rows, "first_rows", lambda *_: next(said))
    found = first_rows.study_of({"g": GRAPH}, [1], queries=2, limit=3.0)
    (row,) = found.rows
    assert (row["plans stopped"], row["plans ms"], row["auto ms"]) == (1, 1502.5, 1.0)
    assert found.wrong == 1 and "1 without a match" in row["state"]
