"""Random graph models: what defines them, independence of threads, fingerprints for ever."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

from subiso import _native
from subiso.graph import generators as gen
from subiso.graph.graph import Graph


def edges_of(graph: Graph) -> set[tuple[int, int]]:
    src, dst = graph.edge_endpoints()
    return set(zip(src.tolist(), dst.tolist(), strict=True))


def fingerprint(graph: Graph) -> str:
    src, dst = graph.edge_endpoints()
    table = np.stack([src, dst]).astype("<u4")
    return hashlib.sha256(table.tobytes()).hexdigest()[:16]


MADE: dict[str, tuple[Callable[[], Graph], str]] = {
    "rmat": (lambda: gen.rmat(10, seed=1), "dce68377d17b3450"),
    "rmat directed": (lambda: gen.rmat(9, 4, a=0.4, b=0.3, c=0.2, seed=2, directed=True), "d17ee60d34270b61"),
    "erdos_renyi m": (lambda: gen.erdos_renyi(1000, m=5000, seed=1), "74ec32a810e42b69"),
    "erdos_renyi p": (lambda: gen.erdos_renyi(1000, p=0.01, seed=1), "6993638dff96466c"),
    "erdos_renyi directed": (lambda: gen.erdos_renyi(300, m=5000, seed=3, directed=True), "3aa82c88402e7f5a"),
    "barabasi_albert": (lambda: gen.barabasi_albert(1000, 4, seed=1), "aa9b6ee8f3908542"),
    "barabasi_albert wide": (lambda: gen.barabasi_albert(300, 20, seed=1), "5b478e72c07e1f3e"),
    "watts_strogatz": (lambda: gen.watts_strogatz(1000, 6, 0.2, seed=1), "6dccb1eb7e8be334"),
    "random_regular": (lambda: gen.random_regular(1000, 5, seed=1), "29f62f5a852ac3ba"),
    "random_regular dense": (lambda: gen.random_regular(40, 30, seed=1), "d9a460351d368ba7"),
    "stochastic_block": (
        lambda: gen.stochastic_block([50, 80], [[0.2, 0.05], [0.05, 0.3]], seed=1),
        "e7f2a33820532428",
    ),
    "transactions": (lambda: gen.transactions(500, 3000, rings=5, seed=1), "2123c756bf95d955"),
    "planted_cliques": (lambda: gen.planted_cliques(500, 2000, size=6, copies=4, seed=1), "6feeeefc2b02e8b5"),
}


@pytest.mark.parametrize("name", MADE)
def test_a_seed_gives_the_same_graph_for_ever(name: str) -> None:
    make, expected = MADE[name]
    assert fingerprint(make()) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda seed, threads: gen.rmat(14, 16, seed=seed, threads=threads),
        lambda seed, threads: gen.erdos_renyi(100_000, m=300_000, seed=seed, threads=threads),
        lambda seed, threads: gen.stochastic_block(
            [600, 700], [[0.5, 0.5], [0.5, 0.5]], seed=seed, threads=threads
        ),
        lambda seed, threads: gen.transactions(10_000, 200_000, seed=seed, threads=threads),
        lambda seed, threads: gen.planted_cliques(10_000, 200_000, seed=seed, threads=threads),
    ],
)
def test_threads_change_nothing_and_seeds_do(make: Callable[[int, int], Graph]) -> None:
    assert fingerprint(make(5, 1)) == fingerprint(make(5, 2)) == fingerprint(make(5, 7))
    assert fingerprint(make(5, 1)) != fingerprint(make(6, 1))


def test_rmat_prefers_quadrants_as_told() -> None:
    a, b, c = 0.5, 0.3, 0.15
    bounds = [round(x * 2**32) for x in (a, a + b, a + b + c)]
    src, dst = _native.generate_rmat(2, 400_000, *bounds, 1, 2)
    share = np.bincount(src * 4 + dst, minlength=16) / 400_000
    levels = np.array([[a, b], [c, 1 - a - b - c]])
    expected = np.kron(levels, levels)  # the quadrant of a quadrant
    orders = permutations(range(4))  # ids are shuffled
    assert min(abs(share.reshape(4, 4)[np.ix_(order, order)] - expected).max() for order in orders) < 0.005


def test_rmat_at_its_limits() -> None:
    one = gen.rmat(1, 100, a=0.0, b=1.0, c=0.0, seed=1, directed=True)
    assert edges_of(one) in ({(0, 1)}, {(1, 0)})  # one cell, shuffled ids
    assert gen.rmat(5, 50, a=1.0, b=0.0, c=0.0).num_edges == 0  # one loop
    assert gen.rmat(0).num_vertices == 1
    assert gen.rmat(4, 0).num_edges == 0
    assert gen.rmat(3, 5000, a=0.25, b=0.25, c=0.25, directed=True).num_edges == 56  # the whole matrix


def test_rmat_is_skewed_and_uniform_rmat_is_not() -> None:
    skewed, even = gen.rmat(12, seed=1), gen.rmat(12, a=0.25, b=0.25, c=0.25, seed=1)
    assert skewed.degree().max() > 8 * even.degree().max()
    assert even.num_edges > 0.99 * 16 * 4096
    hubs = np.argsort(skewed.degree())[-50:]
    assert 800 < hubs.mean() < 3300  # shuffled: hubs are not the lowest ids


@pytest.mark.parametrize("directed", [False, True])
def test_erdos_renyi_has_exactly_m_edges(directed: bool) -> None:
    possible = 20 * 19 // (1 if directed else 2)
    for m in (0, 1, 100, possible):
        assert gen.erdos_renyi(20, m=m, seed=m, directed=directed).num_edges == m


@pytest.mark.parametrize("directed", [False, True])
def test_erdos_renyi_edges_are_equally_likely(directed: bool) -> None:
    counts: dict[tuple[int, int], int] = {}
    for seed in range(4000):
        for edge in edges_of(gen.erdos_renyi(5, m=3, seed=seed, directed=directed)):
            counts[edge] = counts.get(edge, 0) + 1
    cells = 20 if directed else 10
    expected = 12_000 / cells
    assert len(counts) == cells
    assert sum((c - expected) ** 2 / expected for c in counts.values()) < cells + 5 * np.sqrt(2 * cells)


def test_erdos_renyi_p_gives_about_p_of_all() -> None:
    sizes = [gen.erdos_renyi(200, p=0.1, seed=seed).num_edges for seed in range(200)]
    assert abs(np.mean(sizes) - 1990) < 5 * np.sqrt(1990 * 0.9 / 200)
    assert len(set(sizes)) > 50
    assert gen.erdos_renyi(50, p=0.0).num_edges == 0
    assert gen.erdos_renyi(0, m=0).num_vertices == gen.erdos_renyi(0, p=0.5).num_vertices == 0


def test_barabasi_albert_attaches_k_edges_and_prefers_the_old() -> None:
    for n, k in [(2, 1), (10, 9), (50, 3), (200, 40)]:
        graph = gen.barabasi_albert(n, k, seed=n)
        assert graph.num_edges == k * (n - k)
        assert graph.degree()[k + 1 :].min(initial=k) >= k
    graph = gen.barabasi_albert(20_000, 4, seed=1)
    degree = graph.degree()
    assert degree[:100].mean() > 10 * degree[-10_000:].mean()
    assert 0.02 < (degree >= 12).mean() < 0.2  # P(degree >= x) falls as about x**-2


def test_watts_strogatz_from_order_to_chance() -> None:
    ring = gen.watts_strogatz(20, 4, 0.0)
    assert edges_of(ring) == {tuple(sorted((i, (i + j) % 20))) for i in range(20) for j in (1, 2)}
    moved = gen.watts_strogatz(1000, 10, 0.3, seed=1)
    assert moved.num_edges == 5000
    kept = sum((v - u) % 1000 in range(1, 6) or (u - v) % 1000 in range(1, 6) for u, v in edges_of(moved))
    assert 0.66 < kept / 5000 < 0.75
    assert gen.watts_strogatz(7, 6, 1.0, seed=1).num_edges == 21  # complete: nowhere to go
    assert gen.watts_strogatz(300, 4, 1.0, seed=1).degree().min() >= 2  # an edge keeps its first end
    assert gen.watts_strogatz(3, 0, 0.5).num_edges == 0


def test_random_regular_is_regular_for_every_small_size() -> None:
    for n in range(1, 13):
        for d in range(n):
            if n * d % 2 == 0:
                for seed in range(3):
                    graph = gen.random_regular(n, d, seed=seed)
                    assert graph.num_edges == n * d // 2, (n, d, seed)
                    assert set(graph.degree().tolist()) == {d}, (n, d, seed)
    assert set(gen.random_regular(5000, 30, seed=1).degree().tolist()) == {30}


def test_random_regular_reaches_every_matching_alike() -> None:
    seen = [tuple(sorted(edges_of(gen.random_regular(4, 1, seed=seed)))) for seed in range(3000)]
    counts = [seen.count(one) for one in set(seen)]
    assert len(counts) == 3
    assert max(counts) - min(counts) < 200


def test_stochastic_block_joins_blocks_as_told() -> None:
    graph = gen.stochastic_block([3, 4, 5], [[1, 0, 1], [0, 0, 0], [1, 0, 0]])
    assert graph.num_edges == 3 + 15
    assert np.asarray(graph.vertex_labels.codes).tolist() == [0] * 3 + [1] * 4 + [2] * 5
    arcs = gen.stochastic_block([3, 4], [[0, 1], [0, 1]], directed=True)
    assert arcs.num_edges == 12 + 12
    assert all(v >= 3 for _, v in edges_of(arcs))
    some = gen.stochastic_block([300, 300], [[0.1, 0.02], [0.02, 0.1]], seed=4)
    inside = sum((u < 300) == (v < 300) for u, v in edges_of(some))
    assert abs(inside - 8970) < 500
    assert abs(some.num_edges - inside - 1800) < 220
    assert gen.stochastic_block([], []).num_vertices == 0


def test_planted_partition_is_a_block_model() -> None:
    graph = gen.planted_partition(4, 5, 1.0, 0.0)
    assert edges_of(graph) == {(u, v) for u in range(20) for v in range(u + 1, 20) if u // 5 == v // 5}
