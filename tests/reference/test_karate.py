"""The reference engine on Zachary's karate club: all 29 connected patterns of 3 to 5 vertices, both ways."""

from __future__ import annotations

from tests.data import load_graph, oracle

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.query import make_query
from subiso.pattern import Pattern


def test_published_counts() -> None:
    graph = load_graph("karate")
    expected = oracle()["karate"]
    assert len(expected) == 29
    wrong = []
    for name, answer in expected.items():
        pattern = Pattern.from_edges(answer["edges"])
        for induced, count in ((False, answer["subgraphs"]), (True, answer["induced"])):
            found = reference.count(make_query(graph, pattern, induced=induced), Params()).count
            if found != count:
                wrong.append((name, induced, found, count))
        assert pattern.automorphism_count() == answer["automorphisms"], name
    assert wrong == []
