"""Random graphs of the literature, seeded: R-MAT, Erdős–Rényi, Barabási–Albert and others.

The random numbers are counter-based (native/generate/rng.hpp): a seed gives the same graph on every
platform and for every number of threads. This is a promise: tests hold fingerprints of generated graphs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from subiso.errors import GraphError
from subiso.graph.adjacency import native
from subiso.graph.generators.arguments import (
    MAX_EDGES,
    binomial,
    probability,
    random_bits,
    seed_of,
    threads_of,
    vertices,
    whole,
)
from subiso.graph.graph import Graph

UNORDERED, ORDERED, RECTANGLE = 0, 1, 2  # enum Pairs of native/generate


def _possible(kind: int, rows: int, columns: int) -> int:
    """How many pairs of that kind there are."""
    return {RECTANGLE: rows * columns, ORDERED: rows * (rows - 1), UNORDERED: rows * (rows - 1) // 2}[kind]


def rmat(
    scale: int,
    edge_factor: int = 16,
    *,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    seed: int = 0,
    directed: bool = False,
    threads: int | None = None,
) -> Graph:
    """R-MAT: a skewed graph of 2**scale vertices from edge_factor * 2**scale draws.

    Every draw descends `scale` times into a quadrant of the adjacency matrix: upper left with probability
    `a`, upper right `b`, lower left `c`, lower right the rest. Loops and repeated edges are dropped (the
    graph's `report` says how many), ids are shuffled.

    scale: log2 of the number of vertices
    edge_factor: draws per vertex
    a: probability of the upper left quadrant
    b: probability of the upper right quadrant
    c: probability of the lower left quadrant
    seed: the same seed gives the same graph
    directed: keep the direction of every draw
    threads: how many threads draw (default: all cores); no influence on the result

    >>> rmat(10, seed=1)
    Graph(1,024 vertices, 10,563 edges, undirected)
    """
    scale = whole("scale", scale, 0, 31)
    edge_factor = whole("edge_factor", edge_factor, 0, MAX_EDGES >> scale)
    a, b, c = probability("a", a), probability("b", b), probability("c", c)
    if a + b + c > 1 + 1e-9:
        raise GraphError(
            f"a + b + c must be at most 1, not {a + b + c:.6g}", hint="the fourth quadrant has the rest"
        )
    bounds = [min(round(x * 2**32), 2**32) for x in (a, a + b, a + b + c)]
    src, dst = native.generate_rmat(scale, edge_factor << scale, *bounds, seed_of(seed), threads_of(threads))
    return Graph.from_edges(src, dst, num_vertices=1 << scale, directed=directed, parallel="merge")


def erdos_renyi(
    n: int,
    m: int | None = None,
    p: float | None = None,
    *,
    seed: int = 0,
    directed: bool = False,
    threads: int | None = None,
) -> Graph:
    """Erdős–Rényi: `m` distinct edges drawn uniformly, or every possible edge with probability `p`.

    n: number of vertices
    m: number of edges; give either m or p
    p: probability of every edge
    seed: the same seed gives the same graph
    directed: draw from ordered pairs
    threads: how many threads draw (default: all cores); no influence on the result

    >>> erdos_renyi(100, m=250, seed=1).num_edges
    250
    >>> erdos_renyi(100, p=1.0).num_edges
    4950
    """
    n, seed = vertices("n", n), seed_of(seed)
    kind = ORDERED if directed else UNORDERED
    possible = _possible(kind, n, n)
    if (m is None) == (p is None):
        raise GraphError("give either m (number of edges) or p (probability of an edge)")
    if m is not None:
        if whole("m", m, 0) > possible:
            raise GraphError(f"m must be at most {possible:,}, the pairs of {n:,} vertices, not {m:,}")
    else:
        m = binomial(possible, probability("p", p if p is not None else 0), int(random_bits(1, seed, 0)[0]))
    src, dst = native.generate_pairs(kind, 0, n, 0, n, m, seed, 1, threads_of(threads))
    return Graph.from_edges(src, dst, num_vertices=n, directed=directed)


def barabasi_albert(n: int, k: int, *, seed: int = 0) -> Graph:
    """Barabási–Albert: vertices arrive one by one and bring `k` edges to older ones, drawn by degree.

    Begins with a star of k + 1 vertices; has k * (n - k) edges.

    n: number of vertices
    k: edges per new vertex, 1 to n - 1
    seed: the same seed gives the same graph

    >>> barabasi_albert(1000, 3, seed=1).num_edges
    2991
    """
    n = vertices("n", n, 2)
    k = whole("k", k, 1, n - 1)
    src, dst = native.generate_barabasi_albert(n, k, seed_of(seed))
    return Graph.from_edges(src, dst, num_vertices=n)


def watts_strogatz(n: int, k: int, p: float, *, seed: int = 0) -> Graph:
    """Watts–Strogatz: a ring in which everyone knows the `k` nearest, each edge rewired with probability `p`.

    A rewired edge keeps its first end; the other is drawn among all vertices not yet joined to the first.

    n: number of vertices
    k: nearest neighbours in the ring, even and less than n
    p: probability of rewiring an edge
    seed: the same seed gives the same graph

    >>> watts_strogatz(100, 4, 0.1, seed=1).num_edges
    200
    """
    n = vertices("n", n, 1)
    k, p = whole("k", k, 0, n - 1), probability("p", p)
    if k % 2:
        raise GraphError(f"k must be even, not {k}", hint="half of the nearest neighbours lie on either side")
    src, dst = native.generate_watts_strogatz(n, k, int(p * 2**64) % 2**64, p == 1.0, seed_of(seed))
    return Graph.from_edges(src, dst, num_vertices=n)


def random_regular(n: int, d: int, *, seed: int = 0) -> Graph:
    """A random graph in which every vertex has degree `d`.

    Stubs are paired at random, loops and repeated edges switched away: uniform in the limit of large n.

    n: number of vertices
    d: degree of every vertex; n * d must be even
    seed: the same seed gives the same graph

    >>> g = random_regular(50, 3, seed=1)
    >>> {int(d) for d in g.degree()}
    {3}
    """
    n = vertices("n", n, 1)
    d = whole("d", d, 0, n - 1)
    if n * d % 2:
        raise GraphError(f"n * d must be even, not {n} * {d}: every edge has two ends")
    src, dst = native.generate_random_regular(n, d, seed_of(seed))
    return Graph.from_edges(src, dst, num_vertices=n)


def stochastic_block(
    sizes: Sequence[int],
    p: Sequence[Sequence[float]],
    *,
    seed: int = 0,
    directed: bool = False,
    threads: int | None = None,
) -> Graph:
    """Stochastic block model: vertices in blocks, an edge between blocks i and j with probability p[i][j].

    The vertices of a block are consecutive; a vertex is labelled with the number of its block.

    sizes: number of vertices of each block: sizes=[30, 20]
    p: square matrix of probabilities, symmetric unless directed: p=[[0.9, 0.1], [0.1, 0.9]]
    seed: the same seed gives the same graph
    directed: p[i][j] is for arcs from block i to block j
    threads: how many threads draw (default: all cores); no influence on the result

    >>> stochastic_block([3, 4], [[1.0, 0.0], [0.0, 1.0]]).num_edges
    9
    """
    blocks = [vertices(f"sizes[{i}]", size) for i, size in enumerate(sizes)]
    matrix = _checked_matrix(p, len(blocks), directed)
    n, seed, threads = vertices("the sum of sizes", sum(blocks)), seed_of(seed), threads_of(threads)
    starts = [sum(blocks[:i]) for i in range(len(blocks))]
    counts = random_bits(len(blocks) ** 2, seed, 0)
    parts = []
    for i, rows in enumerate(blocks):
        for j in range(0 if directed else i, len(blocks)):
            cell, columns = i * len(blocks) + j, blocks[j]
            kind = RECTANGLE if i != j else ORDERED if directed else UNORDERED
            m = binomial(_possible(kind, rows, columns), matrix[i][j], int(counts[cell]))
            where = (starts[i], rows, starts[j], columns)
            parts.append(native.generate_pairs(kind, *where, m, seed, cell + 1, threads))
    none = np.zeros(0, np.uint32)
    src, dst = (np.concatenate([none, *(part[side] for part in parts)]) for side in (0, 1))
    labels = np.repeat(np.arange(len(blocks)), blocks)
    return Graph.from_edges(src, dst, num_vertices=n, directed=directed, vertex_labels=labels)


def _checked_matrix(p: Sequence[Sequence[float]], blocks: int, directed: bool) -> list[list[float]]:
    if len(p) != blocks or any(len(row) != blocks for row in p):
        raise GraphError(f"p must be a {blocks} x {blocks} matrix, one row and column per block")
    matrix = [[probability(f"p[{i}][{j}]", x) for j, x in enumerate(row)] for i, row in enumerate(p)]
    for i in range(blocks):
        for j in range(i):
            if not directed and matrix[i][j] != matrix[j][i]:
                raise GraphError(
                    f"p[{i}][{j}] is {matrix[i][j]} but p[{j}][{i}] is {matrix[j][i]}",
                    hint="an undirected graph needs a symmetric matrix; or make it directed",
                )
    return matrix


def planted_partition(
    groups: int, size: int, p_in: float, p_out: float, *, seed: int = 0, threads: int | None = None
) -> Graph:
    """Equal groups of vertices, densely joined inside and sparsely outside; labelled by group.

    groups: number of groups
    size: vertices per group
    p_in: probability of an edge inside a group
    p_out: probability of an edge between groups
    seed: the same seed gives the same graph
    threads: how many threads draw (default: all cores); no influence on the result

    >>> planted_partition(3, 10, 1.0, 0.0).num_edges
    135
    """
    groups, size = whole("groups", groups, 1, 1000), vertices("size", size, 1)
    matrix = [[p_in if i == j else p_out for j in range(groups)] for i in range(groups)]
    return stochastic_block([size] * groups, matrix, seed=seed, threads=threads)
