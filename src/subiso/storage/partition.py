"""A graph's edges by label, from both ends: one sort makes the neighbour lists of all labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso.graph import Graph
from subiso.graph.labels import NONE
from subiso.storage.layout import Layout, layout_of
from subiso.storage.lists import Lists
from subiso.storage.relation import Direction
from subiso.storage.sorting import run_starts, sort_rows


@dataclass(frozen=True, eq=False)
class Side:
    """The lists of all labels, read from one end of the edges.

    Those of a label are numbers first[code] to first[code + 1]; list i belongs to the rank `keys[i]` and is
    neighbors[offsets[i] : offsets[i + 1]]. Lists stand by (label, rank).
    """

    num_vertices: int
    first: NDArray[np.int64]
    keys: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    neighbors: NDArray[np.uint32]

    @property
    def num_labels(self) -> int:
        return len(self.first) - 1

    @property
    def labels(self) -> NDArray[np.uint32]:
        """The label of every list."""
        return np.repeat(np.arange(self.num_labels, dtype=np.uint32), np.diff(self.first))

    def label(self, code: int) -> Lists:
        """One label's lists."""
        begin, end = int(self.first[code]), int(self.first[code + 1])
        offsets = self.offsets[begin : end + 1]
        neighbors = self.neighbors[offsets[0] : offsets[-1]]
        return Lists(self.num_vertices, self.keys[begin:end], offsets - offsets[0], neighbors)


@dataclass(frozen=True, eq=False)
class Partitions:
    """A graph's labels by direction; an undirected graph has one side only."""

    sides: dict[Direction, Side]

    def lists(self, code: int, direction: Direction) -> Lists:
        """The neighbour lists of one label. In undirected graphs all directions are one."""
        side = self.sides["out"] if len(self.sides) == 1 else self.sides[direction]
        return side.label(code)


def partitions_of(graph: Graph) -> Partitions:
    """The graph's partitions by edge label, made on first use and kept with the graph.

    A graph without edge labels is one partition; edges without a label are in none.

    >>> g = Graph.from_edges([0, 0, 1], [1, 2, 2], directed=True, edge_labels=["x", "y", "x"])
    >>> layout = layout_of(g)
    >>> lists = partitions_of(g).lists(0, "out")
    >>> [(int(layout.vertex_at[v]), layout.vertex_at[lists.neighbors[i:j]].tolist())
    ...  for v, i, j in zip(lists.keys, lists.offsets, lists.offsets[1:])]
    [(0, [1]), (1, [2])]
    """
    return graph.derived("label partitions", lambda: _partition(graph, layout_of(graph)))


def one_label(lists: Lists) -> Side:
    """Any lists as the only label of a side."""
    first = np.array([0, len(lists.keys)], np.int64)
    return Side(lists.num_vertices, first, lists.keys, lists.offsets, lists.neighbors)


def _partition(graph: Graph, layout: Layout) -> Partitions:
    sources, targets = (layout.rank[np.asarray(ends, np.int64)] for ends in graph.edge_endpoints())
    if graph.edge_labels is None:
        labels, num_labels = np.zeros(graph.num_edges, np.uint32), 1
    else:
        labels, num_labels = graph.edge_labels.codes, len(graph.edge_labels.names)
        there = labels != NONE
        if not there.all():
            sources, targets, labels = sources[there], targets[there], labels[there]
    if not graph.directed:
        both = (
            np.concatenate([labels, labels]),
            np.concatenate([sources, targets]),
            np.concatenate([targets, sources]),
        )
        return Partitions({"out": _side(graph.num_vertices, num_labels, *both)})
    return Partitions(
        {
            "out": _side(graph.num_vertices, num_labels, labels, sources, targets),
            "in": _side(graph.num_vertices, num_labels, labels, targets, sources),
        }
    )


def _side(
    num_vertices: int,
    num_labels: int,
    labels: NDArray[np.uint32],
    sources: NDArray[np.uint32],
    targets: NDArray[np.uint32],
) -> Side:
    limits = num_labels, num_vertices, num_vertices
    labels, owners, neighbors = sort_rows([labels, sources, targets], limits, distinct=True)
    at = run_starts(labels, owners)
    first = np.searchsorted(labels[at], np.arange(num_labels + 1)).astype(np.int64)
    return Side(num_vertices, first, owners[at], np.append(at, len(labels)), neighbors)
