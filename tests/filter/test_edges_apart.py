"""Edge-isomorphism: data edges are told apart only where two pattern edges may be the same one."""

from __future__ import annotations

import numpy as np
import pytest

from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.engine.together import count_together
from subiso.filter.candidate_graph import Choice, with_candidate_graph, with_common_candidate_graph
from subiso.filter.common import with_common_filters
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.storage.statistics import statistics_of

CASES = {
    "(a)-[:X]->(b)-[:Y]->(c)-[:Z]->(a)": 0,  # an edge has one label
    "(a)-[:X]->(b)-[:Y]->(c)-[:X]->(d)": 2,  # of which Y is none
    "(a)-[:X]->(b)-[:X|Y]->(c)-[:Z]->(d)": 2,
    "(a)-[:X]->(b)-->(c)-[:Z]->(d)": 3,
    "(a:A)-[:X]->(b:B)-[:X]->(c:C)": 0,  # neither end can be the same
    "(a:A)-[:X]->(b:B), (a)-[:X]->(c:C)": 0,
    "(a:A)-[:X]->(b:B), (a)-[:X]->(c:B)": 2,
    "(a:A)--(b:B), (c:B)--(d:A), (b)-[:Z]->(c)": 2,  # the other way round; B to B is another
    "(a:A)-[:X]->(b), (a)-[:X|Y]->(b)": 2,
    "(a)-[:X]->(a), (a)-[:X]->(b:B)": 2,
}


def data(seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges(
        *rng.integers(0, 12, (2, 200)),
        directed=True,
        num_vertices=12,
        vertex_labels=rng.choice(list("ABC"), 12),
        edge_labels=rng.choice(list("XYZ"), 200),
        parallel="keep",
        loops="keep",
    )


@pytest.mark.parametrize("text", CASES)
def test_edges_that_may_be_the_same(text: str) -> None:
    for seed in range(3):
        query = make_query(data(seed), text, mode="edge-isomorphism")
        wanted = reference.count(query).count
        assert len(resolve(query).problem.edges_to_tell_apart) == CASES[text]
        for labelled in ("auto", "plan"):
            assert cpu.count(query, Params(switches=Switches(labelled=labelled))).count == wanted > 0  # type: ignore[arg-type]
        rows = [tuple(row) for batch in cpu.stream(query) for row in batch.tolist()]
        assert len(rows) == len(set(rows)) == wanted


@pytest.mark.parametrize("labels", [[3, 3, 4], ["3", "3", "4"]])
def test_a_label_by_its_name_or_its_number(labels: list[int] | list[str]) -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], edge_labels=labels)
    query = make_query(graph, '(a)-[:3]-(b)-[:"3"]-(c)', mode="edge-isomorphism")
    assert cpu.count(query).count == reference.count(query).count == 2


@pytest.mark.parametrize("candidate_graph", ["never", "always"])
def test_candidates_that_several_queries_share_may_be_more(candidate_graph: Choice) -> None:
    """Filters may keep two edges apart that candidates for several queries do not."""
    rng = np.random.default_rng(1)
    low, middle, high = rng.integers(0, 60, 200), rng.integers(60, 66, 200), rng.integers(66, 126, 200)
    graph = Graph.from_edges(
        np.concatenate([low, middle]),
        np.concatenate([middle, high]),
        directed=True,
        num_vertices=126,
        vertex_labels=["A"] * 126,
    )
    texts = ["(a:A)-->(b:A)-->(c:A)", "(a:A)-->(b:A)"]
    queries = [make_query(graph, text, mode="edge-isomorphism") for text in texts]
    alone = [resolve(query) for query in queries]
    shared = with_common_filters(alone, [resolve(query, ()) for query in queries])
    assert [len(r.problem.edges_to_tell_apart) for r in (alone[0], shared[0])] == [0, 2]
    switches = Switches(merge="always", labelled="plan", candidate_graph=candidate_graph)
    found: dict[int, int] = {}
    count_together(queries, Params(switches=switches), found.__setitem__)
    assert found == {i: reference.count(query).count for i, query in enumerate(queries)}


def test_a_candidate_graph_has_no_relations_for_edges_that_are_apart() -> None:
    """Two edges with one label, which their ends tell apart: for one query, and for two that share a graph."""
    graph, text = data(0), "(a:A)-[:X]->(b:B)-[:X]->(c:C)"
    alone, shared = [], []
    for mode in ("edge-isomorphism", "homomorphism"):
        resolved = resolve(make_query(graph, text, mode=mode))
        alone.append(len(with_candidate_graph(resolved, statistics_of(graph), "always").csrs))
        both = with_common_candidate_graph([resolved, resolved])
        shared += [len(made.csrs) for made in both]
    assert alone[0] == alone[1]
    assert len(set(shared)) == 1
