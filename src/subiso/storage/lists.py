"""Neighbour lists of the vertices that have any: what the storage layouts of one relation are made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso.storage.layout import RelationCsr


@dataclass(frozen=True, eq=False)
class Lists:
    """List number i belongs to the vertex `keys[i]` and is neighbors[offsets[i] : offsets[i + 1]].

    Vertices are ranks of the layout, neighbours are sorted and distinct, no list is empty.
    """

    num_vertices: int
    keys: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    neighbors: NDArray[np.uint32]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    def reordered(self, order: NDArray[np.int64]) -> Lists:
        """The same lists in another order.

        >>> lists = Lists(9, np.array([2, 5], np.uint32), np.array([0, 1, 3]), np.array([4, 6, 7], np.uint32))
        >>> turned = lists.reordered(np.array([1, 0]))
        >>> turned.keys.tolist(), turned.offsets.tolist(), turned.neighbors.tolist()
        ([5, 2], [0, 2, 3], [6, 7, 4])
        """
        lengths = self.lengths[order]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.repeat(self.offsets[order] - offsets[:-1], lengths) + np.arange(int(offsets[-1]))
        return Lists(self.num_vertices, self.keys[order], offsets, self.neighbors[at])


def lists_of(csr: RelationCsr) -> Lists:
    """The lists of a relation, by rank.

    >>> from subiso.graph import Graph
    >>> from subiso.storage.layout import layout_of
    >>> from subiso.storage.relation import Relation
    >>> star = layout_of(Graph.from_edges([0, 0], [1, 2], num_vertices=4))     # ranks 3 (the hub), 1 and 2
    >>> lists = lists_of(star.relation(Relation("out")))
    >>> lists.keys.tolist(), lists.offsets.tolist(), lists.neighbors.tolist()
    ([1, 2, 3], [0, 1, 2, 4], [3, 3, 1, 2])
    """
    keys = np.flatnonzero(csr.lengths).astype(np.uint32)
    offsets = np.append(csr.bounds[2 * keys.astype(np.int64)], csr.bounds[-1])
    return Lists(len(csr.lengths), keys, offsets, csr.neighbors)
