"""Motif counts from sums over the graph: against one query per pattern, brute force and the oracle's counts."""

from __future__ import annotations

import numpy as np
import pytest
from tests.data import load_graph, oracle

import subiso as si
from subiso.engine.base import Params
from subiso.engine.motifs import count_motifs
from subiso.errors import TimeoutReached
from subiso.graph import generators as gen
from subiso.pattern import Pattern

QUICK = (
    *("karate", "citeseer", "cora", "hprd", "yeast", "ca-GrQc", "ca-CondMat", "lastfm-asia", "email-Eu-core"),
    *("usroads", "p2p-Gnutella31", "wordnet", "as-caida20071105", "facebook_combined", "musae-facebook"),
    *("wiki-Vote", "email-Enron", "dblp-2010", "gemsec-deezer-HU"),
)
LARGE = (
    "ca-AstroPh",
    "cit-HepPh",
    "soc-Slashdot0902",
    "loc-Gowalla",
    "BlogCatalog",
    "ego-Twitter",
    "brain-fMRI",
)

GRAPHS = {
    "sparse": lambda seed: gen.erdos_renyi(40, m=60, seed=seed),
    "dense": lambda seed: gen.erdos_renyi(18, p=0.7, seed=seed),
    "hubs": lambda seed: gen.barabasi_albert(150, 4, seed=seed),
    "skewed": lambda seed: gen.rmat(7, 8, seed=seed),
    "cliques": lambda seed: gen.planted_partition(4, 9, 0.9, 0.05, seed=seed),
    "wide": lambda seed: gen.erdos_renyi(150, p=0.5, seed=seed),  # neighbourhoods of more than one word
}


def by_form(counts: dict[Pattern, int]) -> dict[object, int]:
    return {pattern.canonical_form(): count for pattern, count in counts.items()}


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", GRAPHS)
def test_the_same_as_one_query_per_pattern(kind: str, seed: int, k: int) -> None:
    graph = GRAPHS[kind](seed)
    assert si.motifs(graph, k) == si.motifs(graph, k, engine="cpu"), graph


@pytest.mark.parametrize("k", [3, 4, 5])
def test_the_same_as_the_reference(k: int) -> None:
    graph = gen.erdos_renyi(14, p=0.5, seed=3)
    for induced in (False, True):
        assert si.motifs(graph, k, induced=induced) == si.motifs(
            graph, k, induced=induced, engine="reference"
        )


@pytest.mark.parametrize("seed", range(4))
def test_loops_parallel_edges_and_directions_make_no_difference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, 20, (2, 90))
    rough = si.Graph.from_edges(u, v, num_vertices=23, directed=True, loops="keep", parallel="keep")
    plain = si.Graph.from_edges(u, v, num_vertices=23)
    for k in (3, 4, 5):
        assert si.motifs(rough, k) == si.motifs(plain, k) == si.motifs(rough, k, engine="cpu")


def test_complete_graphs_and_stars() -> None:
    """Closed forms, and hubs that are alone at the top."""
    import math

    whole = si.motifs(gen.complete(9), 5)
    assert all(n == math.comb(9, 5) * 120 // p.automorphism_count() for p, n in whole.items())
    star = {p: n for p, n in si.motifs(gen.star(300), 5).items() if n}
    assert list(star.values()) == [math.comb(300, 4)]
    assert si.motifs(gen.complete_bipartite(70, 80), 5)[Pattern("(a)--(x)--(b)--(y)--(a)--(z)--(b)")] == (
        math.comb(70, 2) * math.comb(80, 3) + math.comb(70, 3) * math.comb(80, 2)
    )


@pytest.mark.parametrize("edges", [([], []), ([0], [1])])
def test_tiny_graphs(edges: tuple[list[int], list[int]]) -> None:
    for n in (2, 6):
        graph = si.Graph.from_edges(*edges, num_vertices=n)
        assert [sum(si.motifs(graph, k).values()) for k in (3, 4, 5)] == [0, 0, 0]


def test_threads_make_no_difference() -> None:
    graph = gen.rmat(13, 8, seed=2)
    patterns = si.connected_patterns(5)
    assert len({tuple(count_motifs(graph, patterns, Params(threads=t))) for t in (1, 2, 5)}) == 1


def test_timeout_and_progress() -> None:
    graph = gen.rmat(14, 16, seed=1)
    with pytest.raises(TimeoutReached, match="not finished within 0"):
        si.motifs(graph, 5, timeout=0)
    seen: list[float] = []
    si.motifs(graph, 5, progress=seen.append)
    assert seen == sorted(seen) and all(0 <= x <= 1 for x in seen)


@pytest.mark.parametrize("graph", [*QUICK, *(pytest.param(g, marks=pytest.mark.slow) for g in LARGE)])
def test_published_counts(graph: str) -> None:
    """All 29 patterns, as subgraphs and induced."""
    for what, induced in (("subgraphs", False), ("induced", True)):
        found = {
            f: n
            for k in (3, 4, 5)
            for f, n in by_form(si.motifs(load_graph(graph), k, induced=induced)).items()
        }
        for name, answer in oracle()[graph].items():
            form = Pattern.from_edges(answer["edges"]).canonical_form()
            if form in found and answer[what] is not None:
                assert found[form] == answer[what], (name, what)
