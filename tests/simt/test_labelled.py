"""Labelled queries of real graphs with a known number of embeddings, by every schedule that takes any query."""

from __future__ import annotations

from dataclasses import replace

import pytest
from levels_cases import wishes
from shim import ShimMachine
from tests.data import labelled_queries, load_graph

from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import make_query
from subiso.pattern import Pattern

MOST = 400
"""Embeddings of a query that the shim lists soon enough."""


@pytest.mark.parametrize("graph", ["hprd", "yeast"])
@pytest.mark.parametrize("schedule", ["auto", "fine", "stack", "wedge", "local", "levels", "pipeline"])
def test_every_schedule_has_the_same_counts(schedule: str, graph: str) -> None:
    check(graph, schedule)


@pytest.mark.parametrize("storage", ["csr", "compressed", "label_csr", "hash_pcsr", "interval_pcsr"])
@pytest.mark.parametrize("schedule", ["fine", "levels"])
def test_every_storage_has_the_same_counts(schedule: str, storage: str) -> None:
    check("yeast", schedule, storage)


def check(graph: str, schedule: str, storage: str = "auto") -> None:
    data = load_graph(graph)
    asked = [query for query in labelled_queries()[graph] if query["embeddings"] <= MOST]
    assert len(asked) >= 6
    ways = replace(wishes(), blocks=2, warps_per_block=2)
    engine = CudaEngine(ShimMachine(), ways, schedule=schedule, storage=storage)
    for query in asked[:: len(asked) // 6]:
        pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
        found = engine.count(make_query(data, pattern, unique=False), Params())
        assert found.count == query["embeddings"], query["name"]
