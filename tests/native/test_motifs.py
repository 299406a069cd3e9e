"""Motif counts from sums over the graph: against one query per pattern, brute force and the oracle's counts."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest
from tests.data import load_graph, oracle

import subiso as si
from subiso.engine import cpu
from subiso.engine import sums as module
from subiso.engine.base import Params, Switches
from subiso.engine.motifs import count_motifs, run_job
from subiso.engine.query import make_query
from subiso.engine.sums import sums_job, sums_way
from subiso.errors import TimeoutReached
from subiso.graph import generators as gen
from subiso.pattern import Pattern
from subiso.plan.motif_sums import sums_of

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


def by_plans(graph: si.Graph, k: int) -> dict[Pattern, int]:
    """By searches, which have nothing in common with the sums."""
    params = Params(switches=Switches(sums=False))
    return {p: cpu.count(make_query(graph, p), params).count for p in si.connected_patterns(k)}


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", GRAPHS)
def test_the_same_as_one_query_per_pattern(kind: str, seed: int, k: int) -> None:
    graph = GRAPHS[kind](seed)
    found = si.motifs(graph, k)
    assert found == by_plans(graph, k) == {p: si.count(graph, p) for p in found}, graph


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
        assert si.motifs(rough, k) == si.motifs(plain, k) == by_plans(rough, k)


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


ALL = sums_of(pattern for k in (3, 4, 5) for pattern in si.connected_patterns(k))


def sums(graph: si.Graph, names: Iterable[str], threads: int = 2) -> dict[str, int]:
    found: dict[str, int] = run_job(sums_job(graph, list(names), Params(threads=threads)), Params())
    return found


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_sum_does_not_depend_on_what_else_is_wanted(kind: str) -> None:
    """Which passes make it does: alone, with one more (on one of the graphs), with some, with all."""
    graph = GRAPHS[kind](5)
    expected = sums(graph, ALL)
    assert sorted(expected) == ALL and sum(value > 0 for value in expected.values()) > 15
    some = [pick for size in ((1, 2) if kind == "skewed" else (1,)) for pick in combinations(ALL, size)]
    chance = random.Random(kind)
    some += [tuple(chance.sample(ALL, chance.randint(3, 12))) for _ in range(30)]
    for names in some:
        assert sums(graph, names) == {name: expected[name] for name in names}, names


def test_threads_that_share_an_array() -> None:
    """Where arrays of their own would take too much memory, as for so many threads (few of which are started)."""
    graph = gen.rmat(12, 32, seed=3)
    assert graph.num_edges * 2 * 4 * 1000 > 256 << 20
    assert sums(graph, ALL, threads=1000) == sums(graph, ALL, threads=1)


def test_unknown_sums_are_refused() -> None:
    with pytest.raises(ValueError, match="no sum squares"):
        sums(gen.complete(5), ["squares"])


@pytest.mark.parametrize("above", [3, 8192])
def test_bit_rows_within_bounds(above: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cliques among many neighbours of higher degree are left to plans."""
    monkeypatch.setattr(module, "_MOST_ABOVE", above)
    query = make_query(gen.complete(9), Pattern.clique(4))
    assert (sums_way(query) is None) == (above == 3) and cpu.count(query).count == 126


def test_large_cliques_are_left_to_pivots() -> None:
    """Loops over cliques of five take hours on some graphs; the sums with them are for small neighbourhoods."""
    assert sums_way(make_query(gen.complete(9), Pattern.clique(5))) is None
    for n, there in ((300, True), (520, False)):
        way = sums_way(make_query(gen.complete(n), Pattern.path(5), induced=True))
        assert way is None or "cliques5" in way.names
        assert (way is not None) == there
    assert si.count(gen.complete(400), Pattern.clique(5), timeout=20) == 83_218_600_080


def test_graphs_too_large_for_arrays_of_every_thread() -> None:
    graph = si.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], num_vertices=200_000)
    query = make_query(graph, Pattern.cycle(4))
    assert sums_way(query, Params(threads=8)) is not None
    assert sums_way(query, Params(threads=10**6)) is None
    assert cpu.count(query, Params(threads=8)).count == 1


@pytest.mark.parametrize("pattern", ["diamond", "bull"])
def test_lists_that_are_long_on_both_sides(pattern: str) -> None:
    """To read a list for every edge would take long: the triangles of edges are kept, and the sums come from those."""
    graph = gen.complete_bipartite(900, 1000)
    assert si.count(graph, Pattern.named(pattern), timeout=5) == 0
    extra = si.Graph.from_edges(
        *(np.append(ends, new) for ends, new in zip(graph.edge_endpoints(), (0, 1), strict=True))
    )
    assert si.count(extra, Pattern.diamond(), timeout=5) == 1000 * 999 // 2


@pytest.mark.parametrize("name", ["fans", "wheels", "tails"])
def test_no_pass_begins_after_a_stop(name: str) -> None:
    job = sums_job(gen.rmat(8, 8, seed=1), [name], Params(threads=2))
    job.stop()
    job.start()
    assert job.wait(10) and job.progress() == 0
    job.close()


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
