"""The two baselines: an offset per vertex (plain), and sorted vertices with offsets, searched (compressed)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.storage.index import Found, Index, Trace, list_at, narrow, search
from subiso.storage.lists import Lists


class PlainCsr(Index):
    """An offset for every vertex of the graph, whether it has a list or not: one look, and n + 1 offsets per label.

    >>> lists = Lists(4, np.array([1, 3], np.uint32), np.array([0, 1, 3]), np.array([3, 0, 1], np.uint32))
    >>> plain = PlainCsr(lists)
    >>> plain.offsets.tolist(), plain.neighbors_of(3).tolist(), plain.neighbors_of(2).tolist(), plain.bytes
    ([0, 0, 1, 1, 3], [0, 1], [], 32)
    """

    def __init__(self, lists: Lists) -> None:
        lengths = np.zeros(lists.num_vertices, np.int64)
        lengths[lists.keys] = lists.lengths
        self.offsets = narrow(np.concatenate([[0], np.cumsum(lengths)]))
        self.neighbors = lists.neighbors

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        return self.offsets, self.neighbors

    def find(self, vertices: NDArray[np.uint32]) -> Found:
        trace, at = Trace(len(vertices)), vertices.astype(np.int64)
        offsets = trace.array()
        trace.read(offsets, at, 4)
        trace.read(offsets, at + 1, 4)
        bounds = self.offsets.astype(np.int64)
        return Found(bounds[at], bounds[at + 1], trace.lines())

    def total_length(self, vertices: NDArray[np.uint32]) -> int:
        return int(_native.look_up_plain(self.offsets, vertices))


class CompressedCsr(Index):
    """The vertices that have a list, sorted, and their offsets; a vertex is found by binary search.

    >>> lists = Lists(4, np.array([1, 3], np.uint32), np.array([0, 1, 3]), np.array([3, 0, 1], np.uint32))
    >>> compressed = CompressedCsr(lists)
    >>> compressed.neighbors_of(3).tolist(), compressed.neighbors_of(2).tolist(), compressed.bytes
    ([0, 1], [], 32)
    """

    def __init__(self, lists: Lists) -> None:
        self.keys = lists.keys
        self.offsets = narrow(lists.offsets)
        self.neighbors = lists.neighbors

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        return self.keys, self.offsets, self.neighbors

    def find(self, vertices: NDArray[np.uint32]) -> Found:
        trace = Trace(len(vertices))
        at = search(trace, self.keys, vertices, 4, strict=True)
        there = at < len(self.keys)
        there[there] = self.keys[at[there]] == vertices[there]
        return list_at(trace, self.offsets, at, there)

    def total_length(self, vertices: NDArray[np.uint32]) -> int:
        return int(_native.look_up_compressed(self.keys, self.offsets, vertices))
