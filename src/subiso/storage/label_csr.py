"""Label-grouped CSR: a vertex's neighbours by edge label, then by their own label, sorted inside, with a directory of
the groups, so that a labelled neighbour list is a slice. And its baseline, a label beside every neighbour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.errors import GraphError
from subiso.graph.labels import NONE, VertexLabels
from subiso.storage.index import LINE, Found, Index, Trace, narrow, search_ranges
from subiso.storage.layout import Layout
from subiso.storage.partition import Side
from subiso.storage.sorting import run_starts, sort_rows


class LabelCsr:
    """One side of a graph. Group (edge label e, vertex label v) has the key e * `per_label` + v.

    Without `layout` groups are by edge label alone, and `per_label` is 1. With it a neighbour that has several labels
    stands in the group of each, one without labels in a group of its own, the last one.

    >>> from subiso.graph import Graph
    >>> from subiso.storage.layout import layout_of
    >>> from subiso.storage.partition import partitions_of
    >>> g = Graph.from_edges([0, 0, 0], [1, 2, 3], directed=True, vertex_labels=list("AABB"), edge_labels=list("xyx"))
    >>> layout, side = layout_of(g), partitions_of(g).sides["out"]
    >>> stored = LabelCsr(side, layout)
    >>> me, x, b = int(layout.rank[0]), 0, 1
    >>> layout.vertex_at[stored.slice(x, b).neighbors_of(me)].tolist()          # along x, to a B
    [3]
    >>> sorted(layout.vertex_at[LabelCsr(side).slice(x).neighbors_of(me)].tolist())     # along x
    [1, 3]
    """

    def __init__(self, side: Side, layout: Layout | None = None) -> None:
        labels = None if layout is None else layout.graph.vertex_labels
        self.per_label = 1 if labels is None else len(labels.names) + 1
        if side.num_labels * self.per_label > NONE:
            raise GraphError("there are too many pairs of an edge label and a vertex label for a label CSR")
        owners = np.repeat(side.keys, np.diff(side.offsets))
        keys = np.repeat(side.labels, np.diff(side.offsets)) * np.uint32(self.per_label)
        neighbors = side.neighbors
        if labels is not None and layout is not None:
            entry, codes = _labels_by_rank(labels, layout, neighbors)
            owners, neighbors, keys = owners[entry], neighbors[entry], keys[entry] + codes
        limits = side.num_vertices, side.num_labels * self.per_label, side.num_vertices
        owners, keys, self.neighbors = sort_rows([owners, keys, neighbors], limits)
        at = run_starts(owners, keys)
        self.directory = np.empty((len(at) + 1, 2), np.uint32)
        """Pairs: a group's key and where its neighbours begin; vertex by vertex, and a last one for the end."""
        self.directory[:-1, 0], self.directory[:, 1] = keys[at], narrow(np.append(at, len(keys)))
        self.directory[-1, 0] = NONE
        counts = np.bincount(owners[at], minlength=side.num_vertices)
        self.first = narrow(np.concatenate([[0], np.cumsum(counts)]))
        """rank -> its first pair of the directory"""

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        return self.first, self.directory, self.neighbors

    @property
    def bytes(self) -> int:
        """Size on a device, of all labels together."""
        return sum(array.nbytes for array in self.arrays)

    def slice(self, edge_label: int, vertex_label: int = 0) -> LabelSlice:
        """The lists of one group of every vertex."""
        return LabelSlice(self, edge_label * self.per_label + vertex_label)


class LabelSlice(Index):
    """One group of a label CSR, as a relation."""

    def __init__(self, whole: LabelCsr, key: int) -> None:
        self.whole, self.key = whole, key
        self.neighbors = whole.neighbors

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        return ()

    def find(self, vertices: NDArray[np.uint32]) -> Found:
        trace, at = Trace(len(vertices)), vertices.astype(np.int64)
        first, directory = trace.array(), self.whole.directory
        trace.read(first, at, 4)
        trace.read(first, at + 1, 4)
        begin, end = (self.whole.first[i].astype(np.int64) for i in (at, at + 1))
        entries = trace.array()
        place = search_ranges(trace, entries, directory[:, 0], begin, end, np.uint32(self.key), 8)
        there = (place < end) & (directory[place, 0] == self.key)
        trace.read(entries, place + 1, 8, there)
        offsets = directory[:, 1].astype(np.int64)
        following = np.minimum(place + 1, len(offsets) - 1)
        return Found(
            np.where(there, offsets[place], 0), np.where(there, offsets[following], 0), trace.lines()
        )

    def total_length(self, vertices: NDArray[np.uint32]) -> int:
        whole = self.whole
        return int(_native.look_up_label(whole.first, whole.directory.ravel(), self.key, vertices))


class LabelledCsr:
    """One CSR of all edges with a 32-bit label beside every neighbour: the smallest, and all of a list is read to
    find one label's part of it. Neighbours stand by (label, neighbour), so that parts can be compared."""

    def __init__(self, side: Side) -> None:
        grouped = LabelCsr(side)
        lengths = np.diff(grouped.directory[:, 1])
        self.labels = np.repeat(grouped.directory[:-1, 0], lengths)
        self.neighbors = grouped.neighbors
        self.offsets = grouped.directory[:, 1][grouped.first]

    @property
    def bytes(self) -> int:
        return self.offsets.nbytes + self.labels.nbytes + self.neighbors.nbytes

    def scan(self, label: int) -> LabelScan:
        """The lists of one label."""
        return LabelScan(self, label)


class LabelScan(Index):
    """One label of a CSR with labels, as a relation."""

    def __init__(self, whole: LabelledCsr, label: int) -> None:
        self.whole, self.label = whole, label
        self.neighbors = whole.neighbors
        self._mine = np.flatnonzero(whole.labels == label)

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        return ()

    def find(self, vertices: NDArray[np.uint32]) -> Found:
        trace, at = Trace(len(vertices)), vertices.astype(np.int64)
        offsets = trace.array()
        trace.read(offsets, at, 4)
        trace.read(offsets, at + 1, 4)
        begin, end = (self.whole.offsets[i].astype(np.int64) for i in (at, at + 1))
        scanned = np.where(end > begin, (end * 4 - 1) // LINE - begin * 4 // LINE + 1, 0)
        # Of an owner the label's entries stand together: the first of them, and how many there are.
        low, high = np.searchsorted(self._mine, begin), np.searchsorted(self._mine, end)
        there = high > low
        start = np.zeros(len(vertices), np.int64)
        start[there] = self._mine[low[there]]
        return Found(start, start + high - low, trace.lines() + scanned)

    def total_length(self, vertices: NDArray[np.uint32]) -> int:
        return int(_native.look_up_scan(self.whole.offsets, self.whole.labels, self.label, vertices))


def _labels_by_rank(
    labels: VertexLabels, layout: Layout, neighbors: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """For every neighbour and every label it has: the number of the neighbour, and the label's code."""
    vertices = layout.vertex_at[neighbors].astype(np.int64)
    none = np.uint32(len(labels.names))
    if labels.offsets is None:
        codes = labels.codes[vertices]
        return np.arange(len(vertices)), np.where(codes == NONE, none, codes)
    begin = labels.offsets[vertices]
    counts = labels.offsets[vertices + 1] - begin
    repeats = np.maximum(counts, 1)
    entry = np.repeat(np.arange(len(vertices)), repeats)
    within = np.arange(len(entry)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    bare = counts[entry] == 0
    at = np.where(bare, 0, begin[entry] + within)
    padded = np.append(labels.codes, none)
    return entry, np.where(bare, none, padded[at])
