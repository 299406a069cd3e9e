"""Every message of make_query, and what is no error but has no matches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.query import make_query
from subiso.errors import PatternSyntaxError, QueryError, UnsupportedError
from subiso.graph import Graph
from subiso.pattern import Pattern

PLAIN = Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
NAMED = Graph.from_edges(["ann", "bob"], ["bob", "cid"], vertex_labels=["P", "P", "Q"])
RICH = Graph.from_edges(
    [0, 1, 2],
    [1, 2, 0],
    num_vertices=3,
    directed=True,
    vertex_labels=["P", "Q", "P"],
    edge_labels=["X", "Y", "X"],
    vertex_columns={"age": [1.0, 2.0, 3.0]},
    edge_columns={"time": [5, 6, 7]},
)
ERRORS: list[tuple[Graph, Any, dict[str, Any], str, str]] = [
    # graph, pattern, options, message, hint
    ("x", "(a)", {}, "first argument is a str, not a subiso.Graph", "Graph.from_edges"),
    (PLAIN, 7, {}, "the pattern is a int", "write it as text"),
    (
        PLAIN,
        "(a)",
        {"mode": "monomorphic"},
        "unknown mode 'monomorphic'; did you mean 'monomorphism'?",
        "induced",
    ),
    (
        PLAIN,
        "(a)",
        {"mode": "homomorphism", "induced": True},
        'contradicts mode="homomorphism"',
        "another way",
    ),
    (PLAIN, "(a)", {"unique": "yes"}, "unique is 'yes'", ""),
    (
        PLAIN,
        "(a)",
        {"mode": "homomorphism", "unique": True},
        "unique=True has no meaning",
        "leave unique= out",
    ),
    (
        PLAIN,
        "(a)",
        {"mode": "edge-isomorphism", "unique": True},
        "unique=True has no meaning",
        "leave unique",
    ),
    (
        PLAIN,
        "(a)-->(b)",
        {},
        "edge (a)-->(b) has a direction, but the graph is undirected",
        "to_undirected()",
    ),
    (PLAIN, "(a)--(b)--(c), !(a)-->(c)", {}, "(a)-->(c) has a direction", "to_undirected()"),
    (
        PLAIN,
        "(a:P)--(b)",
        {},
        "wants label 'P' at vertex 'a', but the graph has no vertex labels",
        "vertex_labels=",
    ),
    (PLAIN, "(a)-[:X|Y]-(b)", {}, "wants label 'X' or 'Y' at the edge between 'a' and 'b'", "edge_labels="),
    (PLAIN, "(a)--(b)--(c), !(a)-[:X]-(c)", {}, "edge between 'a' and 'c'", "edge_labels="),
    (
        PLAIN,
        Pattern("(a)--(b)").where(a=np.ones(3, bool)),
        {},
        "mask of vertex 'a' has 3 entries, the graph 4",
        "one bool",
    ),
    (
        PLAIN,
        Pattern("(a)--(b)").where(edge=np.ones(9, bool)),
        {},
        "has 9 entries, the graph 4 edges",
        "edge_rows",
    ),
    (
        RICH,
        "(a)-->(b) WHERE a.agee > 2",
        {},
        "no vertex column 'agee'; did you mean 'age'?",
        "columns are age",
    ),
    (PLAIN, "(a)--(b) WHERE a.age > 2", {}, "no vertex column 'age'", "vertex_columns={'age': array}"),
    (
        RICH,
        "(a)-[e]->(b) WHERE e.tim > 2",
        {},
        "e.tim: the graph has no edge column 'tim'",
        "columns are time",
    ),
    (
        RICH,
        "(a)-->(b) WHERE a.age > 'x'",
        {},
        "a.age holds numbers, but is compared with the text 'x'",
        "select the vertices with a mask, one bool per vertex in the order of graph.ids: where(a=array)",
    ),
    (PLAIN, "(a)--(b)", {"anchor": {"z": 1}}, "anchor: the pattern has no vertex 'z'", "vertices are a, b"),
    (PLAIN, "(a)--(b)", {"anchor": {2: 1}}, "the pattern has 2 vertices, so no vertex number 2", ""),
    (PLAIN, "(a)--(b)", {"anchor": {None: 1}}, "None is neither a pattern vertex's name nor its number", ""),
    (PLAIN, "(a)--(b)", {"anchor": 3}, "anchor is a int", 'anchor={"a": 17}'),
    (
        PLAIN,
        "(a)--(b)",
        {"anchor": {"a": 9}},
        "anchor['a']: the graph has no vertex 9",
        "vertices are 0 to 3",
    ),
    (PLAIN, "(a)--(b)", {"anchor": {"a": "x"}}, "anchor['a']: the graph has no vertex 'x'", "0 to 3"),
    (PLAIN, "(a)--(b)", {"anchor": {"a": 1.5}}, "anchor['a']: the graph has no vertex 1.5", "0 to 3"),
    (NAMED, "(a)--(b)", {"anchor": {"a": "dan"}}, "anchor['a']: the graph has no vertex 'dan'", "built with"),
    (
        PLAIN,
        "(a)--(b)",
        {"anchor": {"a": [1, 2]}},
        "anchor['a'] is a list, one vertex was expected",
        "list of anchors",
    ),
    (PLAIN, "(a)--(b)", {"anchor": {"a": 1, 0: 2}}, "'a' is anchored twice", ""),
    (PLAIN, "(a)--(b)", {"anchor": {"a": 1, "b": 1}}, "'a' and 'b' are both anchored at 1", "homomorphism"),
]


@pytest.mark.parametrize(("graph", "pattern", "options", "message", "hint"), ERRORS)
def test_errors(graph: Graph, pattern: Any, options: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        make_query(graph, pattern, **options)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    "condition", ["e.time < f.time", "e.time < a.age", "a.age < e.time", "e.time < e.time"]
)
def test_comparisons_between_edges_are_refused_by_name(condition: str) -> None:
    with pytest.raises(UnsupportedError, match=r"compared with a constant only"):
        make_query(RICH, Pattern("(a)-[e]->(b)-[f]->(c)").where(condition))


def test_pattern_text_errors_come_through() -> None:
    with pytest.raises(PatternSyntaxError):
        make_query(PLAIN, "(a)--")


def test_defaults() -> None:
    assert make_query(PLAIN, "(a)").unique and not make_query(PLAIN, "(a)", mode="homomorphism").unique
    assert make_query(PLAIN, "(a)", induced=True).mode == "induced"
    assert make_query(PLAIN, "(a)", mode="induced", induced=True).mode == "induced"


@pytest.mark.parametrize(
    ("pattern", "anchor"),
    [("(a:Nobody)-->(b)", None), ("(a)-[:Nothing]->(b)", None), ("(a:Q)-->(b)", {"a": 0}), ("(a:P:Q)", None)],
)
def test_what_no_vertex_can_be_has_no_matches(pattern: str, anchor: dict[str, int] | None) -> None:
    assert reference.count(make_query(RICH, pattern, anchor=anchor), Params()).count == 0


def test_anchors_are_the_graphs_own_ids() -> None:
    assert make_query(NAMED, "(a)--(b)", anchor={"b": "cid"}).anchors == {1: 2}
    assert make_query(NAMED, "(a)--(b)", anchor={1: "cid"}).anchors == {1: 2}
    assert make_query(PLAIN, "(a)--(b)", anchor={"a": np.int64(3)}).anchors == {0: 3}
    both = make_query(PLAIN, "(a)--(b)", mode="homomorphism", anchor={"a": 1, "b": 1})
    assert both.anchors == {0: 1, 1: 1}
