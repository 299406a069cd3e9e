"""motifs(labels=True): every labelled motif as count has it, none left out, none twice."""

from __future__ import annotations

import numpy as np
import pytest
from tests.data import load_graph

import subiso as si
from subiso.errors import QueryError, UnsupportedError
from subiso.graph import generators as gen
from subiso.result.motifs import Motifs


def rough(seed: int, labels: int) -> si.Graph:
    """Vertices with none, one or several labels; loops and parallel edges."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 16))
    u, v = rng.integers(0, n, (2, 4 * n))
    names = [[f"L{x}" for x in rng.integers(0, labels, rng.integers(0, 3))] for _ in range(n)]
    return si.Graph.from_edges(u, v, num_vertices=n, vertex_labels=names, loops="keep", parallel="keep")


@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("induced", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_same_as_one_query_per_labelling(seed: int, induced: bool, k: int) -> None:
    graph = rough(seed, 3)
    found = si.motifs(graph, k, labels=True, induced=induced)
    assert found == si.motifs(graph, k, labels=True, induced=induced, engine="cpu"), seed
    assert all(found.values())


@pytest.mark.parametrize("seed", range(2))
def test_many_labels(seed: int) -> None:
    """More than fit an array of all combinations."""
    graph = gen.with_labels(gen.barabasi_albert(60, 3, seed=seed), 60, "zipf", seed=seed)
    for induced in (False, True):
        found = si.motifs(graph, 4, labels=True, induced=induced)
        for pattern, count in list(found.items())[:: len(found) // 40]:
            assert si.count(graph, pattern, induced=induced) == count, (seed, pattern)


def by_shape(counts: Motifs) -> dict[str, int]:
    totals: dict[str, int] = {}
    for name, _, count in counts.rows():
        totals[name] = totals.get(name, 0) + count
    return totals


@pytest.mark.parametrize("graph", ["yeast", "cora", "citeseer", "lastfm-asia", "wordnet"])
@pytest.mark.parametrize("induced", [False, True])
def test_labels_split_the_plain_counts(graph: str, induced: bool) -> None:
    data = load_graph(graph)
    plain = {name: n for name, _, n in si.motifs(data, 3, induced=induced).rows() if n}
    assert by_shape(si.motifs(data, 3, labels=True, induced=induced)) == plain


@pytest.mark.parametrize("graph", ["cora", "citeseer", "wordnet"])
@pytest.mark.parametrize("induced", [False, True])
def test_labels_split_the_plain_counts_of_four(graph: str, induced: bool) -> None:
    data = load_graph(graph)
    plain = {name: n for name, _, n in si.motifs(data, 4, induced=induced).rows() if n}
    assert by_shape(si.motifs(data, 4, labels=True, induced=induced)) == plain


def test_threads_and_directions_make_no_difference() -> None:
    graph = gen.with_labels(gen.rmat(11, 6, seed=1), 4, seed=1)
    one = si.motifs(graph, 4, labels=True, threads=1)
    assert one == si.motifs(graph, 4, labels=True, threads=3)
    u, v = graph.edge_endpoints()
    turned = si.Graph.from_edges(
        v, u, num_vertices=graph.num_vertices, directed=True, vertex_labels=graph.vertex_labels
    )
    assert one == si.motifs(turned, 4, labels=True)


def test_table() -> None:
    graph = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3], vertex_labels=["x", "y", "y", "x"])
    assert str(si.motifs(graph, 3, labels=True, induced=True)).splitlines() == [
        "motif     count  pattern",
        "wedge         2  (a:x)--(b:x), (a)--(c:y)",
        "triangle      1  (a:x)--(b:y), (b)--(c:y), (a)--(c)",
    ]


def test_no_labels_no_edges() -> None:
    assert (
        si.motifs(si.Graph.from_edges([0, 1], [1, 2], vertex_labels=[None, None, None]), 3, labels=True) == {}
    )
    assert (
        si.motifs(si.Graph.from_edges([], [], num_vertices=3, vertex_labels=[1, 2, [1, 2]]), 4, labels=True)
        == {}
    )


def test_mistakes() -> None:
    plain = si.Graph.from_edges([0], [1])
    labelled = si.Graph.from_edges([0], [1], directed=True, vertex_labels=[1, 2])
    with pytest.raises(QueryError, match="has no vertex labels"):
        si.motifs(plain, 3, labels=True)
    with pytest.raises(UnsupportedError, match="motifs of 5 vertices with labels"):
        si.motifs(labelled, 5, labels=True)
    with pytest.raises(UnsupportedError, match="directions and labels at once"):
        si.motifs(labelled, 3, labels=True, directions=True)
