"""The directed triad census and directed motifs: against NetworkX, the engines, and each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.data import load_graph

import subiso as si
from subiso.errors import QueryError, UnsupportedError
from subiso.graph import generators as gen
from subiso.plan.triads import CONNECTED, TRIADS, triad_pattern

nx = pytest.importorskip("networkx")


def to_networkx(graph: si.Graph) -> nx.DiGraph:
    data = nx.DiGraph()
    data.add_nodes_from(range(graph.num_vertices))
    data.add_edges_from(zip(*(ends.tolist() for ends in graph.edge_endpoints()), strict=True))
    return data


def rough(seed: int) -> si.Graph:
    """Loops, parallel arcs, mutual arcs, isolated vertices."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    u, v = rng.integers(0, n, (2, int(rng.integers(0, 5 * n))))
    return si.Graph.from_edges(u, v, num_vertices=n + 2, directed=True, loops="keep", parallel="keep")


@pytest.mark.parametrize("seed", range(25))
def test_the_census_is_that_of_networkx(seed: int) -> None:
    graph = rough(seed)
    expected = nx.triadic_census(nx.DiGraph([e for e in to_networkx(graph).edges if e[0] != e[1]]))
    census = si.triads(graph)
    # NetworkX was given the joined vertices only: the rest is in the first three kinds
    assert {name: census[name] for name in CONNECTED} == {name: expected[name] for name in CONNECTED}
    assert sum(census.values()) == math.comb(graph.num_vertices, 3)


@pytest.mark.parametrize("directed_seed", range(3))
def test_all_sixteen_kinds_with_isolated_vertices(directed_seed: int) -> None:
    graph = gen.erdos_renyi(60, m=400, seed=directed_seed, directed=True)
    assert dict(si.triads(graph)) == nx.triadic_census(to_networkx(graph))
    sparse = gen.erdos_renyi(60, m=30, seed=directed_seed, directed=True)
    assert dict(si.triads(sparse)) == nx.triadic_census(to_networkx(sparse))


@pytest.mark.parametrize("name", TRIADS)
def test_each_kind_is_what_networkx_calls_so(name: str) -> None:
    arcs = list(nx.triad_graph(name).edges)
    number = {"a": 0, "b": 1, "c": 2}
    ends = [[number[arc[i]] for arc in arcs] for i in (0, 1)]
    graph = si.Graph.from_edges(*ends, num_vertices=3, directed=True)
    assert {kind for kind, count in si.triads(graph).items() if count} == {name}


@pytest.mark.parametrize("induced", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_directed_motifs_are_counts_of_their_patterns(seed: int, induced: bool) -> None:
    graph = rough(seed)
    found = si.motifs(graph, 3, directions=True, induced=induced)
    assert len(found) == 13
    for engine in ("cpu", "reference"):
        assert found == si.motifs(graph, 3, directions=True, induced=induced, engine=engine)
    assert [row[0] for row in found.rows()] == list(CONNECTED)
    assert found[si.Pattern("(x)-->(y)-->(z)-->(y)-->(x)")] == found[triad_pattern("201")]


def test_directed_and_undirected_motifs_agree() -> None:
    graph = gen.rmat(9, 8, seed=4, directed=True)
    names = {name: n for name, _, n in si.motifs(graph, 3, directions=True, induced=True).rows()}
    plain = si.motifs(graph, 3, induced=True)
    assert sum(n for name, n in names.items() if name[2] == "1") == plain[si.Pattern.path(3)]
    assert sum(n for name, n in names.items() if name[2] == "0") == plain[si.Pattern.clique(3)]


@pytest.mark.parametrize("name", ["wiki-Vote-directed", "higgs-retweet", "cit-HepPh-directed"])
def test_real_graphs(name: str) -> None:
    """Several identities at once: all triples, all open and closed ones, and two kinds by the engine."""
    graph = load_graph(name)
    census = si.triads(graph)
    assert sum(census.values()) == math.comb(graph.num_vertices, 3)
    plain = si.motifs(graph, 3, induced=True)
    assert sum(n for kind, n in census.items() if kind[2] == "0") == plain[si.Pattern.clique(3)]
    assert census["030C"] == si.count(graph, triad_pattern("030C"), induced=True)
    assert census["120U"] == si.count(graph, triad_pattern("120U"), induced=True)


def test_threads_make_no_difference() -> None:
    graph = gen.rmat(13, 8, seed=4, directed=True)
    assert si.triads(graph, threads=1) == si.triads(graph, threads=4)


def test_tiny() -> None:
    for n in range(4):
        assert si.triads(si.Graph.from_edges([], [], num_vertices=n, directed=True))["003"] == math.comb(n, 3)


def test_table_and_pickle() -> None:
    import pickle

    graph = si.Graph.from_edges([0, 1, 2], [1, 2, 0], directed=True)
    census = si.triads(graph)
    lines = str(census).splitlines()
    assert lines[0].split() == ["triad", "count", "arcs"] and len(lines) == 17
    assert "030C       1  a>b b>c c>a" in lines
    assert str(pickle.loads(pickle.dumps(census))) == str(census)
    motifs = si.motifs(graph, 3, directions=True)
    assert str(pickle.loads(pickle.dumps(motifs))) == str(motifs)


def test_mistakes() -> None:
    undirected = si.Graph.from_edges([0], [1])
    with pytest.raises(QueryError, match="the graph is undirected"):
        si.triads(undirected)
    with pytest.raises(QueryError, match="the graph is undirected"):
        si.motifs(undirected, 3, directions=True)
    with pytest.raises(UnsupportedError, match="motifs of 4 vertices with directions"):
        si.motifs(gen.erdos_renyi(5, m=4, directed=True), 4, directions=True)
    with pytest.raises(QueryError, match="not a subiso"):
        si.triads("graph")  # type: ignore[arg-type]
