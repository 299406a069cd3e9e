"""Core numbers and the degeneracy order of a graph's vertices; made on first use, kept with the graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.storage.layout import Layout
from subiso.storage.relation import Relation


@dataclass(frozen=True, eq=False)
class Cores:
    """Of the vertices of a layout, by rank. Loops do not count."""

    order: NDArray[np.uint32]
    """The ranks, each with the fewest neighbours among those that come after it: at most `degeneracy` of them."""
    numbers: NDArray[np.uint32]
    """By rank the largest k so that the vertex is in a subgraph in which all have k neighbours."""

    @cached_property
    def degeneracy(self) -> int:
        """The largest core number."""
        return int(self.numbers.max(initial=0))

    def ordered_from(self, least: int) -> NDArray[np.uint32]:
        """The ranks with at least that core number, in degeneracy order, of which they are the end.

        >>> from subiso.graph import Graph
        >>> from subiso.storage.layout import layout_of
        >>> tailed_triangle = layout_of(Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]))
        >>> cores = cores_of(tailed_triangle, Relation("out"))
        >>> cores.degeneracy, sorted(tailed_triangle.vertex_at[cores.ordered_from(2)].tolist())
        (2, [0, 1, 2])
        """
        first = int(np.searchsorted(self.numbers[self.order], least))
        return self.order[first:]


def cores_of(layout: Layout, relation: Relation) -> Cores:
    """Of a relation that all edges are in, read from both ends."""

    def make() -> Cores:
        csr = layout.relation(relation)
        return Cores(*_native.peel(csr.bounds, csr.neighbors))

    assert relation.fit is None, "cores are kept for whole graphs"
    return layout.graph.derived(("cores", relation.direction), make)
