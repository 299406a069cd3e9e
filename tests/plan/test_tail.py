"""Counting tails: vertices of one kind take few products, whatever their number; against sums over degrees."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import subiso as si
from subiso.engine.query import make_query
from subiso.errors import CountOverflowError
from subiso.filter.resolve import resolve
from subiso.plan.tail import tail_kinds, tail_terms


@pytest.fixture(scope="module")
def graph() -> si.Graph:
    """With hubs of a few hundred neighbours."""
    return si.generators.rmat(scale=9, edge_factor=8, seed=1)


def degrees(graph: si.Graph) -> list[int]:
    found: list[int] = np.diff(graph.out.offsets).tolist()
    return found


@pytest.mark.parametrize("leaves", [5, 6, 8, 12])
def test_stars_are_a_sum_over_degrees(graph: si.Graph, leaves: int) -> None:
    expected = sum(math.comb(d, leaves) for d in degrees(graph))
    star = si.Pattern.star(leaves)
    # Listing would take ages: there are 10^12 stars of eight leaves, and far more of twelve.
    assert si.count(graph, star, timeout=20) == expected
    assert si.count(graph, star, timeout=20, unique=False) == expected * math.factorial(leaves)


def test_leaves_at_two_centers(graph: si.Graph) -> None:
    """Leaves of two kinds: an edge, and four leaves at each end that may not coincide."""
    pattern = si.Pattern("(a)--(b), " + ", ".join(f"(a)--(x{i}), (b)--(y{i})" for i in range(4)))
    shared = Counter[tuple[int, int, int]]()
    for u, v in zip(*graph.edge_endpoints(), strict=True):
        near = [set(graph.neighbors(int(w)).tolist()) - {int(u), int(v)} for w in (u, v)]
        shared[len(near[0]), len(near[1]), len(near[0] & near[1])] += 1
    expected = 0
    for (left, right, both), times in shared.items():
        # By how many of the left leaves are neighbours of the right end, too.
        ways = sum(
            math.comb(both, i) * math.comb(left - both, 4 - i) * math.comb(right - i, 4)
            for i in range(min(both, 4) + 1)
        )
        expected += times * ways
    assert si.count(graph, pattern, timeout=60) == expected


def test_kinds_are_told_apart_by_labels_and_directions() -> None:
    g = si.generators.with_labels(si.generators.rmat(scale=7, seed=2, directed=True), ["A", "B"], seed=1)
    labels = np.asarray(g.vertex_labels.codes)  # type: ignore[union-attr]
    pattern = si.Pattern(
        "(h), " + ", ".join([f"(h)-->(a{i}:A)" for i in range(6)] + [f"(b{i}:B)-->(h)" for i in range(3)])
    )
    expected = 0
    for v in range(g.num_vertices):
        ahead = int((labels[g.out[v]] == 0).sum())
        back = int((labels[g.in_[v]] == 1).sum())
        expected += math.comb(ahead, 6) * math.comb(back, 3)
    assert si.count(g, pattern, timeout=20) == expected
    problem = resolve(make_query(g, pattern)).problem
    assert sorted(map(len, tail_kinds(problem, tuple(range(1, 10))).values())) == [3, 6]


def test_equal_candidates_of_different_labels_are_no_kind() -> None:
    """Restrictions speak of the pattern's symmetry, and that knows labels only."""
    g = si.Graph.from_edges([0] * 8, range(1, 9), vertex_labels=[[]] + [["A", "B"]] * 8)
    pattern = si.Pattern("(h)--(a:A), (h)--(b:A), (h)--(c:B), (h)--(d:B), (h)--(e:A), (h)--(f:B)")
    problem = resolve(make_query(g, pattern)).problem
    assert sorted(map(len, tail_kinds(problem, tuple(range(1, 7))).values())) == [3, 3]
    assert si.count(g, pattern) == math.perm(8, 6) // (6 * 6)


def test_a_marked_vertex_stands_for_itself(graph: si.Graph) -> None:
    problem = resolve(make_query(graph, si.Pattern.star(3))).problem
    assert tail_terms(problem, (1, 2, 3)) == {((1,), (1,), (1,)): 1, ((1,), (1,)): -3, ((1,),): 2}
    marked = tail_terms(problem, (1, 2, 3), marked=2)
    assert all(sum(2 in block for block in blocks) == 1 for blocks in marked)
    assert marked == {
        ((1,), (1,), (2,)): 1, ((1,), (1, 2)): -2, ((1,), (2,)): -1, ((1, 2),): 2
    }  # fmt: skip


@pytest.mark.parametrize("leaves", [4, 7])
def test_local_counts_of_long_tails(graph: si.Graph, leaves: int) -> None:
    star, degree = si.Pattern.star(leaves), degrees(graph)
    roles = si.count(graph, star, per="role", timeout=30)
    assert roles["a"].tolist() == [math.comb(d, leaves) for d in degree]
    leaf = [sum(math.comb(degree[u] - 1, leaves - 1) for u in graph.neighbors(v)) for v in range(len(degree))]
    assert roles["b"].tolist() == leaf
    ends = zip(*graph.edge_endpoints(), strict=True)
    edges = [sum(math.comb(degree[int(w)] - 1, leaves - 1) for w in pair) for pair in ends]
    assert si.count(graph, star, per="edge", timeout=30).tolist() == edges


@pytest.mark.parametrize("leaves", [20, 21, 25])
def test_coefficients_beyond_a_program_are_not_planned(leaves: int) -> None:
    n = leaves + 2
    star = si.Graph.from_edges([0] * n, range(1, n + 1))
    assert si.count(star, si.Pattern.star(leaves), timeout=20) == math.comb(n, leaves)


def test_products_beyond_the_accumulators_are_an_error_at_once() -> None:
    n = 20_000
    star = si.Graph.from_edges([0] * n, range(1, n + 1))
    assert si.count(star, si.Pattern.star(8), timeout=20) == math.comb(n, 8) and n**9 > 2**127
    with pytest.raises(CountOverflowError, match="128-bit"):
        si.count(star, si.Pattern.star(9), timeout=20)
