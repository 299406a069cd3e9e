"""Graphs without chance: complete graphs, cycles, grids ... Their pattern counts have closed forms."""

from __future__ import annotations

import numpy as np

from subiso.graph.arrays import Array
from subiso.graph.generators.arguments import MAX_VERTICES, vertices, whole
from subiso.graph.graph import Graph


def _triangle(n: int) -> tuple[Array, Array]:
    """All pairs u < v, sorted, without a matrix in between."""
    src = np.repeat(np.arange(n, dtype=np.uint32), np.arange(n - 1, -1, -1))
    first = np.cumsum(np.arange(n - 1, -1, -1)) - np.arange(n - 1, -1, -1)  # where u's pairs begin
    dst = np.arange(len(src), dtype=np.int64) - first[src] + src + 1
    return src, dst.astype(np.uint32)


def complete(n: int, directed: bool = False) -> Graph:
    """Every pair of `n` vertices is joined; directed: in both directions.

    n: number of vertices
    directed: one arc each way instead of an edge

    >>> complete(5)
    Graph(5 vertices, 10 edges, undirected)
    """
    n = vertices("n", n, 1)
    src, dst = _triangle(n)
    if directed:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    return Graph.from_edges(src, dst, num_vertices=n, directed=directed)


def complete_bipartite(a: int, b: int) -> Graph:
    """Every one of the first `a` vertices is joined to every one of the other `b`.

    a: vertices on the left, numbered from 0
    b: vertices on the right, numbered from a

    >>> complete_bipartite(2, 3).num_edges
    6
    """
    a, b = vertices("a", a, 1), vertices("b", b, 1)
    n = vertices("a + b", a + b)
    src = np.repeat(np.arange(a, dtype=np.uint32), b)
    dst = np.tile(np.arange(a, n, dtype=np.uint32), a)
    return Graph.from_edges(src, dst, num_vertices=n)


def cycle(n: int, directed: bool = False) -> Graph:
    """A ring of `n` vertices, each joined to the next.

    n: number of vertices, at least 3 (directed: 2)
    directed: every edge points to the next vertex

    >>> [int(v) for v in cycle(5).neighbors(0)]
    [1, 4]
    """
    n = vertices("n", n, 2 if directed else 3)
    src = np.arange(n, dtype=np.uint32)
    return Graph.from_edges(src, np.roll(src, -1), num_vertices=n, directed=directed)


def path(n: int, directed: bool = False) -> Graph:
    """A path of `n` vertices and n - 1 edges.

    n: number of vertices
    directed: every edge points to the next vertex

    >>> path(4).num_edges
    3
    """
    n = vertices("n", n, 1)
    src = np.arange(n - 1, dtype=np.uint32)
    return Graph.from_edges(src, src + np.uint32(1), num_vertices=n, directed=directed)


def star(leaves: int) -> Graph:
    """Vertex 0 in the middle, joined to each of the `leaves`.

    leaves: number of vertices around the middle

    >>> star(6).degree(0)
    6
    """
    leaves = whole("leaves", leaves, 0, MAX_VERTICES - 1)
    dst = np.arange(1, leaves + 1, dtype=np.uint32)
    return Graph.from_edges(np.zeros_like(dst), dst, num_vertices=leaves + 1)


def wheel(rim: int) -> Graph:
    """Vertex 0 in the middle of a cycle of `rim` vertices, joined to all of them.

    rim: number of vertices around the middle, at least 3

    >>> wheel(4).num_edges
    8
    """
    rim = whole("rim", rim, 3, MAX_VERTICES - 1)
    around = np.arange(1, rim + 1, dtype=np.uint32)
    src = np.concatenate([np.zeros_like(around), around])
    dst = np.concatenate([around, np.roll(around, -1)])
    return Graph.from_edges(src, dst, num_vertices=rim + 1)


def grid(rows: int, cols: int, periodic: bool = False) -> Graph:
    """A rectangular grid; vertex r * cols + c is joined to its neighbours in the same row and column.

    rows: number of rows
    cols: number of columns
    periodic: the last row is joined to the first, the last column to the first (a torus; needs 3 of each)

    >>> grid(3, 4).num_edges, grid(3, 4, periodic=True).num_edges
    (17, 24)
    """
    low = 3 if periodic else 1
    rows, cols = vertices("rows", rows, low), vertices("cols", cols, low)
    n = vertices("rows * cols", rows * cols, 1)
    v = np.arange(n, dtype=np.uint32).reshape(rows, cols)
    if periodic:
        pairs = [(v, np.roll(v, -1, axis=1)), (v, np.roll(v, -1, axis=0))]
    else:
        pairs = [(v[:, :-1], v[:, 1:]), (v[:-1], v[1:])]
    src = np.concatenate([one.ravel() for one, _ in pairs])
    dst = np.concatenate([other.ravel() for _, other in pairs])
    return Graph.from_edges(src, dst, num_vertices=n)


def hypercube(dimension: int) -> Graph:
    """2**dimension vertices; two are joined when their numbers differ in one bit.

    dimension: number of bits, 0 to 31

    >>> hypercube(3).num_edges
    12
    """
    dimension = whole("dimension", dimension, 0, 31)
    v = np.arange(1 << dimension, dtype=np.uint32)
    lower = [v[(v >> np.uint32(bit)) & np.uint32(1) == 0] for bit in range(dimension)]
    src = np.concatenate([*lower, v[:0]])
    dst = np.concatenate([*(low | np.uint32(1 << bit) for bit, low in enumerate(lower)), v[:0]])
    return Graph.from_edges(src, dst, num_vertices=1 << dimension)
