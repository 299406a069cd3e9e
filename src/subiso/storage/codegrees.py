"""Codegrees of edges: how many vertices both ends are joined to. Made when first asked for, kept with the graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.storage.layout import Layout
from subiso.storage.relation import Relation


def edge_codegrees(
    layout: Layout, edges: Relation, at_first: Relation, at_second: Relation, threads: int = 0
) -> NDArray[np.uint32]:
    """By entry u -> v of `edges`: the vertices that are neighbours of u in `at_first` and of v in `at_second`.

    By so many threads at most; 0 for no limit.

    >>> from subiso.graph import Graph
    >>> from subiso.storage.layout import layout_of
    >>> layout, any_edge = layout_of(Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])), Relation("any")
    >>> edge_codegrees(layout, any_edge, any_edge, any_edge).tolist()    # one triangle, and the edge 0-3
    [0, 1, 1, 1, 1, 0, 1, 1]
    """

    def make() -> NDArray[np.uint32]:
        arrays = [(csr.bounds, csr.neighbors) for csr in map(layout.relation, (edges, at_first, at_second))]
        mirrored = edges == at_first == at_second and not layout.graph.has_loops
        mirrored = mirrored and (edges.direction == "any" or not layout.graph.directed)
        found: NDArray[np.uint32] = _native.edge_codegrees(*arrays, mirrored, threads)
        return found

    if any(r.fit is not None for r in (edges, at_first, at_second)):
        return make()  # conditions come and go with queries
    return layout.graph.derived(("codegrees", edges, at_first, at_second), make)
