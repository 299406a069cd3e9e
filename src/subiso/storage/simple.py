"""The lists that motifs are counted in: neighbours in either direction, without self loops."""

from __future__ import annotations

import numpy as np

from subiso.graph import Graph
from subiso.storage.layout import RelationCsr, layout_of
from subiso.storage.relation import Relation


def simple_lists(graph: Graph) -> RelationCsr:
    """The graph's lists by rank; a copy, made once, only where there are loops to be dropped.

    >>> simple_lists(Graph.from_edges([0, 1], [1, 1])).neighbors.tolist()
    [1, 0]
    """
    lists: RelationCsr = graph.derived("simple lists", lambda: _without_loops(graph))
    return lists


def _without_loops(graph: Graph) -> RelationCsr:
    lists = layout_of(graph).relation(Relation("any" if graph.directed else "out"))
    vertices, below = np.arange(graph.num_vertices), lists.bounds[1::2]
    some = below > lists.bounds[:-1:2]  # lists with entries up to their vertex, of which a loop is the last
    if not (lists.neighbors[below[some] - 1] == vertices[some]).any():
        return lists
    owners = np.repeat(np.arange(len(lists.lengths), dtype=np.uint32), lists.lengths)
    kept = lists.neighbors != owners
    before = np.concatenate([[0], np.cumsum(kept)])
    return RelationCsr(before[lists.bounds], lists.neighbors[kept])
