"""The CPU engine against NetworkX's matchers on random graphs, where NetworkX can express the query."""

from __future__ import annotations

import random

import networkx as nx
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from networkx.algorithms import isomorphism as iso
from tests.property.engines import cpu_rows, random_params

from subiso.engine import cpu
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern


def random_graph(chance: random.Random, n: int, density: float, directed: bool) -> nx.Graph:
    graph = nx.gnp_random_graph(n, density, seed=chance.randrange(2**32), directed=directed)
    for v in graph:
        graph.nodes[v]["kind"] = chance.choice("AB")
    for u, v in graph.edges:
        graph.edges[u, v]["type"] = chance.choice("XY")
    return graph


def as_graph(data: nx.Graph) -> Graph:
    edges = list(data.edges)
    return Graph.from_edges(
        [u for u, _ in edges],
        [v for _, v in edges],
        num_vertices=len(data),
        directed=data.is_directed(),
        vertex_labels=[data.nodes[v]["kind"] for v in range(len(data))],
        edge_labels=[data.edges[e]["type"] for e in edges],
    )


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("labels", ["none", "vertex", "edge", "both"])
@pytest.mark.parametrize("induced", [False, True])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 11), k=st.integers(2, 5))
def test_embeddings(seed: int, n: int, k: int, induced: bool, labels: str, directed: bool) -> None:
    chance = random.Random(seed)
    data = random_graph(chance, n, chance.choice([0.2, 0.4, 0.7]), directed)
    query = random_graph(chance, k, chance.choice([0.4, 0.8]), directed)
    assume(nx.is_connected(nx.Graph(query)))
    vertex_label = "kind" if labels in ("vertex", "both") else None
    edge_label = "type" if labels in ("edge", "both") else None
    note(f"data = {list(data.nodes(data=True))} {list(data.edges(data=True))}")
    note(f"query = {list(query.nodes(data=True))} {list(query.edges(data=True))}")
    matcher = (iso.DiGraphMatcher if directed else iso.GraphMatcher)(
        data,
        query,
        node_match=iso.categorical_node_match("kind", None) if vertex_label else None,
        edge_match=iso.categorical_edge_match("type", None) if edge_label else None,
    )
    maps = matcher.subgraph_isomorphisms_iter() if induced else matcher.subgraph_monomorphisms_iter()
    expected = sorted(tuple(sorted((p, d) for d, p in found.items())) for found in maps)

    pattern = Pattern.from_networkx(query, vertex_label=vertex_label, edge_label=edge_label)
    order = [int(name) for name in pattern.names]
    question = make_query(as_graph(data), pattern, induced=induced, unique=False)
    params = random_params(chance)
    note(f"params = {params!r}")
    rows = cpu_rows(question, params)
    assert sorted(tuple(sorted(zip(order, row, strict=True))) for row in rows) == expected
    assert cpu.count(question, params).count == len(expected)
