"""The labelled queries of hprd and yeast: embeddings as other systems count them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.data import FOLDER, labelled_queries, load_graph

import subiso as si
from subiso.pattern import Pattern

GRAPHS = ("hprd", "yeast")


def queries() -> list[Any]:
    if not FOLDER.present:
        return [pytest.param(name, {}, id=name) for name in GRAPHS]  # each is skipped with the reason
    return [pytest.param(g, q, id=f"{g}-{q['name']}") for g in GRAPHS for q in labelled_queries()[g]]


@pytest.mark.parametrize(("graph", "query"), queries())
def test_embeddings(graph: str, query: dict[str, Any]) -> None:
    data = load_graph(graph)
    pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
    assert si.count(data, pattern, unique=False) == query["embeddings"]


@pytest.mark.parametrize(("graph", "query"), queries())
def test_the_first_matches_are_matches(graph: str, query: dict[str, Any]) -> None:
    data = load_graph(graph)
    pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
    rows = si.match(data, pattern, unique=False, limit=20).to_numpy()
    assert len(rows) == min(20, query["embeddings"])
    labels = data.vertex_labels
    assert labels is not None
    for row in rows.tolist():
        assert len(set(row)) == len(row)
        assert [labels.names[labels.codes[v]] for v in row] == query["labels"]
        assert all(row[b] in data.neighbors(row[a]) for a, b in query["edges"])


@pytest.mark.parametrize("graph", GRAPHS)
def test_there_are_many(graph: str) -> None:
    load_graph(graph)
    assert len(labelled_queries()[graph]) >= 30
