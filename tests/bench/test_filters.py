"""bench/filters.py: every choice of filters is tried and checked; stronger ones leave less."""

from __future__ import annotations

import pytest

from bench import filters
from subiso.engine.query import Query, make_query
from subiso.graph.generators import rmat, with_edge_labels, with_labels
from subiso.queries import random_queries


@pytest.fixture(scope="module")
def graphs() -> dict[str, list[Query]]:
    graph = with_edge_labels(with_labels(rmat(8, 8, seed=3), 6, seed=1), 3, seed=1)
    return {"g": [make_query(graph, p) for p in random_queries(graph, 2, (3, 5), seed=1)]}


def test_a_row_per_choice(graphs: dict[str, list[Query]]) -> None:
    found = filters.filters_of(graphs, 20.0)
    left = {row["filters"]: row["left"] for row in found.rows}
    assert list(left) == list(filters.WAYS) and found.wrong == 0
    assert 1 == left["none"] > left["degree"] >= left["frequency"] >= left["no signature"] >= left["all"] > 0
    assert left["signature"] < 1 and left["auto"] == left["no signature"]
    assert all(row["filter ms"] > 0 and row["count ms"] > 0 and not row["stopped"] for row in found.rows)


def test_a_column_per_shape(graphs: dict[str, list[Query]]) -> None:
    (row,) = filters.signatures_of(graphs, [(64, 32), (1024, 32)]).rows
    assert 1 >= row["64, 32"] > row["1024, 32"] > 0


def test_counts_that_differ_and_stops_are_told(
    graphs: dict[str, list[Query]], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = len(graphs["g"])
    said = [(n, 1.0) for n in range(number)] * len(filters.WAYS)
    said[number], said[2 * number] = (None, 20.0), (-1, 1.0)
    answers = iter(said)
    monkeypatch.setattr(filters, "counted", lambda *_: next(answers))
    rows = filters.filters_of(graphs, 20.0).rows
    assert [row["stopped"] for row in rows[:3]] == [0, 1, 0]
    assert [bool(row["state"]) for row in rows[:4]] == [False, False, True, False]
