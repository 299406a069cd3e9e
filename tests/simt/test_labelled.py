"""Labelled queries of real graphs with a known number of embeddings, by every schedule but `local`, which suits no plan
of theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from levels_cases import wishes
from shim import ShimMachine
from tests.data import labelled_queries, load_graph

from subiso.engine.base import Params
from subiso.engine.cuda.choose import Choice
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import make_query
from subiso.filter.resolve import Resolved
from subiso.pattern import Pattern
from subiso.plan.plan import Plan

MOST = 400
"""Embeddings of a query that the shim lists soon enough."""
BY_CODEGREES = {"hprd": ["query_dense_16_4", "dense_8_4"], "yeast": ["dense_16_0", "dense_8_4"]}
"""Queries whose plans have a table of codegrees; few have."""


class Telling(CudaEngine):
    """Remembers which schedules ran its plans."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.ran: list[str] = []

    def choose(self, plan: Plan, resolved: Resolved) -> Choice:
        choice = super().choose(plan, resolved)
        self.ran.append(choice.schedule)
        return choice


@pytest.mark.parametrize("graph", ["hprd", "yeast"])
@pytest.mark.parametrize("schedule", ["auto", "fine", "stack", "levels"])
def test_every_schedule_has_the_same_counts(schedule: str, graph: str) -> None:
    ran = check(graph, schedule)
    assert schedule == "auto" or schedule in ran
    assert "levels" not in ran or schedule == "levels"


@pytest.mark.parametrize("graph", ["hprd", "yeast"])
def test_tables_of_codegrees_have_the_same_counts(graph: str) -> None:
    assert set(check(graph, "wedge", names=BY_CODEGREES[graph])) == {"wedge"}


@pytest.mark.parametrize("graph", ["hprd", "yeast"])
def test_joins_of_twigs_have_the_same_counts(graph: str) -> None:
    assert check(graph, "pipeline") == [], "it has no plan to choose for"


@pytest.mark.parametrize("storage", ["csr", "compressed", "label_csr", "hash_pcsr", "interval_pcsr"])
@pytest.mark.parametrize("schedule", ["fine", "levels"])
def test_every_storage_has_the_same_counts(schedule: str, storage: str) -> None:
    check("yeast", schedule, storage)


def check(graph: str, schedule: str, storage: str = "auto", names: list[str] | None = None) -> list[str]:
    """Counts some queries, or the named ones; which schedules ran them."""
    data = load_graph(graph)
    known = [query for query in labelled_queries()[graph] if query["embeddings"] <= MOST]
    asked = known[:: len(known) // 6] if names is None else [q for q in known if q["name"] in names]
    assert len(asked) == len(names) if names is not None else len(asked) >= 6
    ways = replace(wishes(), blocks=2, warps_per_block=2)
    engine = Telling(ShimMachine(), ways, schedule=schedule, storage=storage)
    for query in asked:
        pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
        found = engine.count(make_query(data, pattern, unique=False), Params())
        assert found.count == query["embeddings"], query["name"]
    return engine.ran
