"""The labelled queries with a known number of embeddings, by every filter, order and way of counting on the CPU."""

from __future__ import annotations

import pytest
from tests.data import FOLDER, labelled_queries, load_graph

from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.filter.narrow import FILTERS
from subiso.pattern import Pattern

WAYS = {
    "no filter": Switches(filters=()),
    **{f"{name} alone": Switches(filters=(name,)) for name in FILTERS},
    "backtracking": Switches(labelled="search"),
    "backtracking, nothing pruned": Switches(labelled="search", failing_sets=False, twins=False),
    "elimination": Switches(labelled="eliminate"),
    "plans": Switches(labelled="plan"),
    "plans on candidate graphs": Switches(labelled="plan", candidate_graph="always"),
    "plans on the graph": Switches(labelled="plan", candidate_graph="never"),
    "plans in GSI's order": Switches(labelled="plan", order="gsi"),
    "plans, core first": Switches(labelled="plan", order="core"),
}
MOST = 20_000
"""Embeddings of a query that every way counts in milliseconds."""


@pytest.mark.parametrize("graph", ["hprd", "yeast"])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_has_the_same_counts(way: str, graph: str) -> None:
    data = load_graph(graph)
    asked = [query for query in labelled_queries()[graph] if query["embeddings"] <= MOST]
    assert len(asked) >= 15
    for query in asked[::3]:
        pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
        found = cpu.count(make_query(data, pattern, unique=False), Params(switches=WAYS[way]))
        assert found.count == query["embeddings"], query["name"]


@pytest.mark.skipif(not FOLDER.present, reason="the folder of real graphs is not there")
def test_wordnet() -> None:
    data = load_graph("wordnet")
    for query in labelled_queries()["wordnet"]:
        pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
        assert cpu.count(make_query(data, pattern, unique=False)).count == query["embeddings"], query["name"]
