"""The reference engine against NetworkX's matcher, where NetworkX can express the query."""

from __future__ import annotations

import networkx as nx
import pytest
from networkx.algorithms import isomorphism as iso

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

SEEDS = range(6)


def random_graph(seed: int, n: int, p: float, directed: bool) -> nx.Graph:
    graph = nx.gnp_random_graph(n, p, seed=seed, directed=directed)
    for v in graph:
        graph.nodes[v]["kind"] = "AB"[(v * 7 + seed) % 2]
    for number, (u, v) in enumerate(graph.edges):
        graph.edges[u, v]["type"] = "XY"[(number + seed) % 2]
    return graph


def random_pattern(seed: int, directed: bool) -> nx.Graph:
    for attempt in range(100):
        pattern = random_graph(1000 * seed + attempt, 3 + seed % 2, 0.6, directed)
        if nx.is_connected(nx.Graph(pattern)) and pattern.number_of_edges():
            return pattern
    raise AssertionError("no connected pattern found")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("labels", ["none", "vertex", "edge", "both"])
@pytest.mark.parametrize("induced", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_embeddings(seed: int, induced: bool, labels: str, directed: bool) -> None:
    data, query = random_graph(seed, 8, 0.4, directed), random_pattern(seed, directed)
    vertex_label = "kind" if labels in ("vertex", "both") else None
    edge_label = "type" if labels in ("edge", "both") else None
    matcher = (iso.DiGraphMatcher if directed else iso.GraphMatcher)(
        data,
        query,
        node_match=iso.categorical_node_match("kind", None) if vertex_label else None,
        edge_match=iso.categorical_edge_match("type", None) if edge_label else None,
    )
    maps = matcher.subgraph_isomorphisms_iter() if induced else matcher.subgraph_monomorphisms_iter()
    expected = sorted(tuple(sorted((p, d) for d, p in found.items())) for found in maps)

    sources, targets = zip(*data.edges, strict=True)
    graph = Graph.from_edges(
        sources,
        targets,
        num_vertices=len(data),
        directed=directed,
        vertex_labels=[data.nodes[v]["kind"] for v in range(len(data))],
        edge_labels=[data.edges[e]["type"] for e in data.edges],
    )
    pattern = Pattern.from_networkx(query, vertex_label=vertex_label, edge_label=edge_label)
    order = [int(name) for name in pattern.names]
    question = make_query(graph, pattern, induced=induced, unique=False)
    rows = [row for batch in reference.stream(question, Params()) for row in batch.tolist()]
    assert sorted(tuple(sorted(zip(order, row, strict=True))) for row in rows) == expected
