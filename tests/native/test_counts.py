"""Counts with closed forms, far beyond 64 bits; overflow; bit rows against lists; patterns of many vertices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.native.programs import lowered
from tests.property.engines import PLAIN, SETOPS

import subiso as si
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.errors import CountOverflowError
from subiso.graph import Graph
from subiso.pattern import Pattern


def complete(n: int) -> Graph:
    u, v = np.triu_indices(n, 1)
    return Graph.from_edges(u, v, num_vertices=n)


def bipartite(a: int, b: int) -> Graph:
    return Graph.from_edges(np.repeat(np.arange(a), b), np.tile(np.arange(a, a + b), a), num_vertices=a + b)


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize("n", [1, 5, 9, 65, 130])
def test_cliques_of_a_complete_graph(n: int, k: int) -> None:
    g = complete(n)
    if math.comb(n, k) > 10**7:
        pytest.skip("too many to enumerate")
    assert si.cliques(g, k) == math.comb(n, k)
    assert si.count(g, Pattern.clique(k), unique=False) == math.perm(n, k)
    assert si.count(g, Pattern.clique(k), induced=True) == math.comb(n, k)


@pytest.mark.parametrize("k", range(3, 8))
def test_paths_cycles_and_stars_of_a_complete_graph(k: int) -> None:
    n = 12
    g = complete(n)
    assert si.count(g, Pattern.path(k)) == math.perm(n, k) // 2
    assert si.count(g, Pattern.cycle(k)) == math.perm(n, k) // (2 * k)
    assert si.count(g, Pattern.star(k - 1)) == n * math.comb(n - 1, k - 1)


@pytest.mark.parametrize(("leaves", "n"), [(6, 100_000), (5, 2_000_000)])
def test_stars_beyond_64_bits(leaves: int, n: int) -> None:
    star = Graph.from_edges(np.zeros(n, np.int64), np.arange(1, n + 1), num_vertices=n + 1)
    expected = math.comb(n, leaves)
    assert expected > 2**63
    assert si.count(star, Pattern.star(leaves)) == expected
    assert si.count(star, Pattern.star(leaves), unique=False) == math.perm(n, leaves)


def test_cliques_whose_vertices_are_told_apart() -> None:
    """A label that every vertex has restricts nothing, but one with it and one without are not the same."""
    ends = np.triu_indices(6, 1)
    g = si.Graph.from_edges(*ends, vertex_labels=["A"] * 6)
    one = Pattern("(a:A)--(b), (a)--(c), (a)--(d), (b)--(c), (b)--(d), (c)--(d)")
    assert si.count(g, one) == 4 * math.comb(6, 4)
    assert si.count(g, one, per="vertex").tolist() == [4 * math.comb(5, 3)] * 6


@pytest.mark.parametrize(("a", "b"), [(2, 2), (2, 3), (3, 3), (2, 5)])
def test_bicliques(a: int, b: int) -> None:
    """K(m, m) holds comb(m, a) * comb(m, b) of them, twice unless a = b (then each side serves both)."""
    m = 60
    expected = math.comb(m, a) * math.comb(m, b) * (1 if a == b else 2)
    assert si.count(bipartite(m, m), Pattern.biclique(a, b)) == expected


def test_homomorphisms_of_a_star_beyond_64_bits() -> None:
    m = 40_000
    star = Graph.from_edges(np.zeros(m, np.int64), np.arange(1, m + 1), num_vertices=m + 1)
    assert si.count(star, Pattern.star(5), mode="homomorphism") == m**5 + m


def test_more_than_128_bits_is_an_error() -> None:
    m = 2_000_000
    star = Graph.from_edges(np.zeros(m, np.int64), np.arange(1, m + 1), num_vertices=m + 1)
    assert m**6 < 2**127 < m**7
    assert si.count(star, Pattern.star(6), mode="homomorphism") == m**6 + m
    with pytest.raises(CountOverflowError, match="128-bit"):
        si.count(star, Pattern.star(7), mode="homomorphism")


@pytest.mark.parametrize("per", [None, "vertex"])
def test_an_overflow_ends_the_run(per: str | None) -> None:
    """Most of the vertices are matched one by one, which would last for days."""
    with pytest.raises(CountOverflowError, match="128-bit"):
        si.count(complete(400), Pattern.star(25), per=per)
    many = [Pattern.star(25), Pattern.star(26)]
    with pytest.raises(CountOverflowError, match="128-bit"):
        si.count(complete(400), many, switches=Switches(merge="always"))


def test_sums_are_of_embeddings() -> None:
    """What docs/semantics.md says of the limit."""
    assert si.count(complete(400), Pattern.star(12)) == 400 * math.comb(399, 12) > 1e25
    assert 400 * math.comb(399, 15) < 2**127 < 400 * math.perm(399, 15)
    with pytest.raises(CountOverflowError, match="128-bit"):
        si.count(complete(400), Pattern.star(15))
    assert si.cliques(complete(100), 20) == math.comb(100, 20) and math.perm(100, 20) > 2**127


LOCAL = [
    Pattern.clique(4),
    Pattern.clique(5),
    Pattern.clique(6),
    Pattern.wheel(4),
    Pattern.wheel(5),
    Pattern.gem(),
]


@pytest.mark.parametrize("pattern", LOCAL, ids=lambda p: p.usual_name or str(p))
@pytest.mark.parametrize("mode", ["monomorphism", "induced", "homomorphism"])
def test_bit_rows_equal_lists(pattern: Pattern, mode: str) -> None:
    """Sparse graphs with a hub, so that neighbourhoods have one word, two and three."""
    for n, degree in ((40, 10), (66, 12), (130, 8)):
        hub = np.zeros(n - 1, np.int64)  # joined to all others, on both sides of a word's border
        src, dst = np.random.default_rng(n).integers(1, n, (2, n * degree // 2))
        src, dst = np.concatenate([hub, src]), np.concatenate([np.arange(1, n), dst])
        query = make_query(Graph.from_edges(src, dst, num_vertices=n), pattern, mode=mode)
        rows = cpu.count(query, Params(switches=Switches(local=True, sums=False))).count
        assert rows == cpu.count(query, Params(switches=Switches(local=False, sums=False))).count
        assert rows == cpu.count(query, PLAIN).count


def test_bit_rows_are_used() -> None:
    for pattern in LOCAL:
        assert lowered(make_query(complete(8), pattern)).plan.local is not None


def test_neighborhoods_too_large_for_bit_rows() -> None:
    """A hub with more neighbours than bit rows hold, over a sparse ring of K4s."""
    m = 8200
    ring = np.arange(1, m + 1)
    src = np.concatenate([np.zeros(m, np.int64), ring])
    dst = np.concatenate([ring, np.roll(ring, -1)])
    g = Graph.from_edges(src, dst, num_vertices=m + 1)
    assert si.count(g, Pattern.wheel(5)) == 0
    assert si.count(g, Pattern.gem()) == m
    assert si.count(g, Pattern.clique(3)) == m
    for setops in SETOPS:
        query = make_query(g, Pattern.diamond())
        assert cpu.count(query, Params(switches=Switches(setops=setops, sums=False))).count == m


@pytest.mark.parametrize("pattern", ["path(64)", "cycle(64)", "grid(8, 8)", "wheel(63)"])
def test_patterns_of_64_vertices(pattern: str) -> None:
    """Each in a graph that is just that pattern, so that it has one subgraph."""
    p = eval(f"Pattern.{pattern}")
    edges = [(e.source, e.target) for e in p.edges]
    g = Graph.from_edges([u for u, _ in edges], [v for _, v in edges], num_vertices=64)
    assert si.count(g, p) == 1
    assert si.match(g, p).to_numpy().shape == (1, 64)


def test_stars_of_64_vertices() -> None:
    star = Graph.from_edges(np.zeros(66, np.int64), np.arange(1, 67), num_vertices=67)
    assert si.match(star, Pattern.star(63), limit=5).to_numpy().shape == (5, 64)


def test_more_pattern_edges_between_two_vertices_than_pattern_vertices_there_can_be() -> None:
    labels = [f"L{i}" for i in range(100)]
    g = Graph.from_edges(
        [0] * 100, [1] * 100, num_vertices=2, directed=True, edge_labels=labels, parallel="keep"
    )
    p = Pattern(", ".join(f"(a)-[:{label}]->(b)" for label in labels))
    assert [si.count(g, p, mode=mode) for mode in ("monomorphism", "homomorphism", "edge-isomorphism")] == [
        1,
        1,
        1,
    ]
    assert si.match(g, p).to_numpy().tolist() == [[0, 1]]
    with_absent = Pattern(f"{p}, !(b)-->(a)")
    assert si.count(g, with_absent) == 1


def test_signed_beside_unsigned_columns() -> None:
    """2**62 + 1 and 2**62 are one number as floats."""
    g = Graph.from_edges(
        [0],
        [1],
        num_vertices=2,
        vertex_columns={"x": np.array([2**62 + 1, 0], np.int64), "y": np.array([0, 2**62], np.uint64)},
    )
    for engine in ("cpu", "reference"):
        equal = Pattern("(a)--(b)").where("a.x == b.y")
        assert si.match(g, equal, unique=False, engine=engine).to_numpy().tolist() == [[1, 0]]
        larger = Pattern("(a)--(b)").where("a.x > b.y")
        assert si.match(g, larger, unique=False, engine=engine).to_numpy().tolist() == [[0, 1]]
