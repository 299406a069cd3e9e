"""The 12-vertex queries on email-Enron with 16 labels: up to 10^17 embeddings, none of which is listed one by one."""

from __future__ import annotations

from typing import Any

import pytest
from tests.data import FOLDER, labelled_queries, load_graph

import subiso as si
from subiso.bench.data import with_labels
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.pattern import Pattern

NAME = "email-Enron/labels16"
OURS = {
    "q12_3": 2_920_588_148_652,
    "q12_7": 6_560_971_118_680,
    "q12_17": 45_271_473_548_111,
    "q12_18": 197_354_897_997_441,
    "q12_21": 836_399_847_477,
    "q12_39": 335_887_449_909_660_445,
}
"""Those that no other system finished: by elimination, and the same by plans."""


def queries() -> list[Any]:
    if not FOLDER.present:
        return [pytest.param({"name": ""}, id=NAME)]  # skipped with the reason
    return [pytest.param(query, id=query["name"]) for query in labelled_queries()[NAME]]


@pytest.fixture(scope="module")
def graph() -> si.Graph:
    return with_labels(load_graph("email-Enron"), 16)


@pytest.mark.parametrize("query", queries())
def test_embeddings(graph: si.Graph, query: dict[str, Any]) -> None:
    pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
    wanted = query["embeddings"] if query["embeddings"] is not None else OURS[query["name"]]
    assert si.count(graph, pattern, unique=False, timeout=60) == wanted


def test_plans_count_the_same(graph: si.Graph) -> None:
    """Of those that only we have counted, the ones that plans are quick at."""
    quick = {"q12_3", "q12_7", "q12_18", "q12_39"}
    for query in labelled_queries()[NAME]:
        if query["name"] not in quick:
            continue
        pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
        params = Params(timeout=60, switches=Switches(labelled="plan"))
        assert cpu.count(make_query(graph, pattern, unique=False), params).count == OURS[query["name"]]
