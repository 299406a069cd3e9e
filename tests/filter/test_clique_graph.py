"""Cliques along either order, pruned or not, by pivots or not: the same counts, rows and local counts."""

from __future__ import annotations

import itertools
import math
import random
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from tests.data import load_graph, oracle
from tests.property.engines import cpu_rows, reference_rows
from tests.storage.rough import rough_graph

import subiso as si
from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.query import Query, make_query
from subiso.engine.several import count_several
from subiso.filter import clique_graph
from subiso.filter.clique_graph import CliqueLayout, searched_in, with_clique_graph
from subiso.filter.clique_ways import CliqueWays, choose_ways
from subiso.filter.resolve import Resolved, resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.json import plan_from_json, plan_to_json
from subiso.result.local import Local, count_per
from subiso.result.roles import Roles
from subiso.storage.statistics import statistics_of

WAYS = [
    Switches(orientation=orientation, prune=prune, pivots=pivots, sums=False)
    for orientation in ("degree", "degeneracy")
    for prune in ("never", "sets", "cores", "edges")
    for pivots in (True, False)
]


def name_of(way: Switches) -> str:
    return f"{way.orientation}-{way.prune}-{'pivots' if way.pivots else 'loops'}"


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Small and often dense, so that there are cliques to find; some with loops and parallel edges."""
    n, density = draw(st.integers(1, 11)), draw(st.sampled_from([0.2, 0.5, 0.8]))
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    pairs = [
        (u, v) for u in range(n) for v in range(u + 1) if chance.random() < density * (1 if u != v else 0.3)
    ]
    pairs += chance.choices(pairs, k=3) if pairs else []
    pairs = [pair if chance.random() < 0.5 else pair[::-1] for pair in pairs]
    return rough_graph(draw, n, pairs)


def joined(graph: Graph) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in zip(*(e.tolist() for e in graph.edge_endpoints()), strict=True)}


def cliques(graph: Graph, k: int) -> list[tuple[int, ...]]:
    """The definition: every set of k vertices that are all joined."""
    edges = joined(graph)
    return [
        some
        for some in itertools.combinations(range(graph.num_vertices), k)
        if all(frozenset(pair) in edges for pair in itertools.combinations(some, 2))
    ]


@given(graph=graphs(), k=st.integers(3, 6), threads=st.sampled_from([1, 2]))
def test_counts_and_rows_by_brute_force(graph: Graph, k: int, threads: int) -> None:
    note(f"{graph} {joined(graph)}")
    expected = cliques(graph, k)
    query, every = (make_query(graph, Pattern.clique(k), unique=unique) for unique in (True, False))
    for way in WAYS:
        note(name_of(way))
        params = Params(threads=threads, batch_rows=7, switches=way)
        assert cpu.count(query, params).count == len(expected)
        assert cpu_rows(query, params) == expected
        assert cpu.count(every, params).count == len(expected) * math.factorial(k)


@pytest.mark.parametrize("per", ["vertex", "edge", "role"])
@given(graph=graphs(), k=st.integers(3, 5))
def test_local_counts_of_the_reference(per: str, graph: Graph, k: int) -> None:
    note(f"{graph} {joined(graph)}")
    query = make_query(graph, Pattern.clique(k))
    expected = plain(count_per(query, per, reference, Params()).counts)
    for way in WAYS:
        note(name_of(way))
        assert plain(count_per(query, per, cpu, Params(threads=1, switches=way)).counts) == expected


def plain(counts: Local | None) -> list[int]:
    assert counts is not None
    return (counts["a"] if isinstance(counts, Roles) else counts).tolist()


@given(
    graph=graphs(),
    k=st.integers(3, 5),
    way=st.sampled_from([w for w in WAYS if w.prune in ("cores", "edges")]),
)
def test_pruning_drops_nothing_that_a_clique_needs(graph: Graph, k: int, way: Switches) -> None:
    """And of a small graph everything that cannot be in one by its core number, or by its triangles."""
    note(f"{graph} {joined(graph)} {way}")
    resolved = with_clique_graph(resolve(make_query(graph, Pattern.clique(k))), statistics_of(graph), way)
    if resolved.cliques is None:
        return
    csr, layout = resolved.csrs[0], resolved.layout
    owners = np.repeat(layout.vertex_at, csr.lengths).tolist()
    kept = {frozenset(pair) for pair in zip(owners, layout.vertex_at[csr.neighbors].tolist(), strict=True)}
    needed = {frozenset(pair) for some in cliques(graph, k) for pair in itertools.combinations(some, 2)}
    assert needed <= kept <= joined(graph)
    around = {v: {u for edge in kept if v in edge for u in edge} - {v} for v in layout.vertex_at.tolist()}
    assert all(len(others) >= k - 1 for others in around.values())
    if way.prune == "edges":
        assert all(len(around[u] & around[v]) >= k - 2 for u, v in kept)
    gone = resolved.cliques.of_edges - resolved.cliques.edges
    assert resolved.cliques.vertices == layout.num_vertices and gone >= 0


@pytest.mark.parametrize("way", WAYS, ids=name_of)
@pytest.mark.parametrize("name", ["karate", "citeseer", "wiki-Vote"])
def test_published_counts(name: str, way: Switches) -> None:
    for key in ("triangle", "K4", "K5"):
        known = oracle()[name][key]
        query = make_query(load_graph(name), Pattern.from_edges(known["edges"]))
        assert cpu.count(query, Params(threads=2, switches=way)).count == known["subgraphs"], key


@cache
def dense() -> Graph:
    """So dense that the degeneracy order is taken, with hubs and with vertices that are in no large clique."""
    rng = np.random.default_rng(4)
    u, v = np.triu_indices(70, 1)
    kept = rng.random(len(u)) < np.where(v < 50, 0.85, 0.1)
    return Graph.from_edges(u[kept], v[kept], num_vertices=70)


DEFAULT = Switches()


def ways_of(
    graph: Graph, pattern: Pattern | str, switches: Switches = DEFAULT, **options: object
) -> CliqueWays | None:
    query = make_query(graph, pattern, **options)  # type: ignore[arg-type]
    return choose_ways(resolve(query), statistics_of(graph), switches, device=False)


def test_the_order_is_chosen_by_size_and_density() -> None:
    sparse = si.generators.watts_strogatz(300, 8, 0.2, seed=1)
    assert statistics_of(sparse).above.pairs < 20 < statistics_of(dense()).above.pairs
    chosen = {
        (name, k): (ways.orientation, ways.prune)
        for name, graph in (("sparse", sparse), ("dense", dense()))
        for k in (3, 4, 5, 8)
        if (ways := ways_of(graph, Pattern.clique(k)))
    }
    by_cores = {key: ("degeneracy", "cores") for key in chosen if key[0] == "dense" and key[1] >= 5}
    assert chosen == {key: by_cores.get(key, ("degree", "sets")) for key in chosen} and len(chosen) == 8


def test_on_a_device_nothing_is_changed_unless_asked_for() -> None:
    resolved, stats = resolve(make_query(dense(), Pattern.clique(6))), statistics_of(dense())
    ways = choose_ways(resolved, stats, Switches(), device=True)
    assert ways is not None and not ways.elsewhere
    ways = choose_ways(resolved, stats, Switches(orientation="degeneracy"), device=True)
    assert ways is not None and (ways.orientation, ways.prune) == ("degeneracy", "cores")


def test_only_plain_cliques_have_graphs_of_their_own() -> None:
    graph = Graph.from_edges(
        *np.triu_indices(8, 1),
        vertex_labels=["A", "B"] * 4,
        edge_labels=np.array(["X", "Y"] * 14, dtype=object),
    )
    asked = Switches(orientation="degeneracy", prune="edges")
    assert ways_of(graph, Pattern.clique(4), asked) is not None
    triangle = "(a)--(b), (b)--(c), (c)--(a)"
    others: list[tuple[Pattern | str, dict[str, object]]] = [
        (Pattern.diamond(), {}),
        (Pattern.clique(2), {}),
        (triangle + ", (a:A)", {}),
        ("(a)-[:X]-(b), (b)--(c), (c)--(a)", {}),
        (triangle, {"anchor": {"a": 0}}),
        (triangle, {"mode": "homomorphism"}),
        (triangle, {"mode": "edge-isomorphism"}),
    ]
    for pattern, options in others:
        query = make_query(graph, pattern, **options)  # type: ignore[arg-type]
        assert ways_of(graph, pattern, asked, **options) is None, pattern
        expected = reference.count(query).count
        assert cpu.count(query, Params(threads=1, switches=asked)).count == expected, pattern
        assert cpu_rows(query, Params(threads=1, switches=asked)) == reference_rows(query), pattern
    assert ways_of(graph, triangle, asked, mode="induced") is not None


def clique_graph_of(graph: Graph, k: int, switches: Switches) -> Resolved:
    return searched_in(resolve(make_query(graph, Pattern.clique(k))), statistics_of(graph), switches)


def test_a_graph_is_made_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph.from_edges(*np.triu_indices(12, 1))
    ordered, pruned = Switches(orientation="degeneracy", prune="never"), Switches(prune="cores")
    first = clique_graph_of(graph, 4, ordered)
    assert isinstance(first.layout, CliqueLayout)
    assert clique_graph_of(graph, 7, ordered).layout is first.layout  # an order is good for every size
    small, large = clique_graph_of(graph, 4, pruned), clique_graph_of(graph, 7, pruned)
    assert small.layout is not large.layout
    assert clique_graph_of(graph, 4, pruned).layout is small.layout
    monkeypatch.setattr(clique_graph, "_KEPT_BYTES", 0)
    assert clique_graph_of(graph, 7, pruned).layout is large.layout  # the last one stays
    assert clique_graph_of(graph, 4, pruned).layout is not small.layout


def test_nothing_is_left() -> None:
    """Of a graph whose vertices are all in too small a core."""
    tree = Graph.from_edges(range(20), range(1, 21))
    query = make_query(tree, Pattern.clique(3))
    for way in WAYS:
        assert cpu.count(query, Params(switches=way)).count == 0
        assert cpu_rows(query, Params(switches=way)) == []
        assert plain(count_per(query, "edge", cpu, Params(switches=way)).counts) == [0] * 20


def test_lists_of_cliques() -> None:
    """Those with a graph of their own are counted alone, unless all are to be merged."""
    queries: list[Query] = [make_query(dense(), Pattern.clique(k)) for k in (3, 4, 5, 6)]
    expected = [
        cpu.count(q, Params(switches=Switches(orientation="degree", prune="never"))).count for q in queries
    ]
    for merge in ("auto", "always", "never"):
        assert (
            count_several(list(queries), cpu, Params(threads=2, switches=Switches(merge=merge, sums=False)))
            == expected
        )


@pytest.mark.parametrize("prune", ["never", "sets"])
def test_loops_ask_for_as_many_as_are_still_to_come(prune: str) -> None:
    from subiso.plan.choose import make_plan

    problem = resolve(make_query(dense(), Pattern.clique(5))).problem
    options = Switches(prune=prune).of_plans  # type: ignore[arg-type]
    plan = make_plan(problem, statistics_of(dense()), counting=False, **options)
    assert [e.least for e in plan.extends] == ([4, 3, 2, 1] if prune == "sets" else [1, 1, 1, 1])
    assert plan_from_json(plan_to_json(plan)) == plan
    assert ("if there are 4" in str(plan)) == (prune == "sets")
    diamond = resolve(make_query(dense(), Pattern.diamond())).problem
    assert {e.least for e in make_plan(diamond, statistics_of(dense()), counting=False).extends} == {1}


def test_cliques_whose_vertices_are_not_alike() -> None:
    """A path counted by cuts asks for triangles with an edge twice, whose candidates are not one within the other."""
    source = [1, 8, 5, 11, 11, 8, 6, 4, 11, 5, 11, 4, 0, 2, 0, 6, 7, 6]
    target = [7, 1, 10, 6, 3, 4, 1, 10, 8, 3, 2, 11, 2, 10, 11, 8, 2, 9]
    path = "(a), (b), (c), (d), (e), (b)-[e0]-(a), (c)-[e1]-(b), (a)-[e2]-(d), (e)-[e3]-(d)"
    query = make_query(Graph.from_edges(source, target), path, mode="induced")
    forced = Switches(order="core", expand="always", decompose="always", labelled="plan", sums=False)
    assert cpu.count(query, Params(threads=1, switches=forced)).count == reference.count(query).count == 43


def test_explain_tells() -> None:
    text = str(si.explain(dense(), Pattern.clique(12), device="cpu"))
    assert "(by core number, in degeneracy order)" in text
    assert "oriented  by degeneracy: a vertex has" in text
    gone = re.search(
        r"vertices with core numbers below 11: the order has them first; (\d+) of 70 vertices", text
    )
    assert gone is not None and int(gone[1]) > 0
    assert "  by pivoting: whole families" in text
    text = str(si.explain(dense(), Pattern.clique(3), device="cpu"))
    assert "oriented  by degree: another order pays from 5 vertices on" in text
    assert "pruned    sets too small for the vertices to come: more would cost" in text
    assert "from sums over the whole graph" in text and "(by degree, then id)" in text
    assert "oriented" not in str(si.explain(dense(), Pattern.diamond(), device="cpu"))
