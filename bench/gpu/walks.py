"""Random-walk queries on edge-labelled graphs, seeded: what GSI and GENEVA ask knowledge graphs."""

from __future__ import annotations

import numpy as np

from subiso.graph import Graph
from subiso.pattern import Pattern

_MOST_STEPS = 64
"""Per vertex of a walk; a walk that goes round in circles starts anew."""


def walk_query(graph: Graph, size: int, seed: int) -> Pattern:
    """The edges of a random walk over `size` different vertices, with their labels and directions.

    >>> ring = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=True, edge_labels=["x", "y", "z"])
    >>> len(walk_query(ring, 3, seed=1).names)
    3
    """
    rng = np.random.default_rng([seed, size])
    edges = _Edges.of(graph)
    while True:
        found = _walk(edges, size, rng)
        if found is not None:
            return found


class _Edges:
    """The edges at every vertex, whichever way they point."""

    def __init__(self, graph: Graph) -> None:
        self.source, self.target = (side.astype(np.int64) for side in graph.edge_endpoints())
        assert graph.edge_labels is not None, "queries take labels from the graph's edges"
        self.labels, self.names = graph.edge_labels.codes, graph.edge_labels.names
        ends = np.concatenate([self.source, self.target])
        self.order = np.argsort(ends, kind="stable") % max(len(self.source), 1)
        self.first = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=graph.num_vertices))])

    @staticmethod
    def of(graph: Graph) -> _Edges:
        made: _Edges = graph.derived(_Edges, lambda: _Edges(graph))
        return made


def _walk(edges: _Edges, size: int, rng: np.random.Generator) -> Pattern | None:
    at = int(edges.source[rng.integers(len(edges.source))])
    number = {at: 0}
    used: dict[tuple[int, int], int] = {}
    for _ in range(_MOST_STEPS * size):
        begin, end = edges.first[at], edges.first[at + 1]
        edge = int(edges.order[rng.integers(begin, end)])
        ends = int(edges.source[edge]), int(edges.target[edge])
        other = ends[1] if ends[0] == at else ends[0]
        if other == at:
            continue
        number.setdefault(other, len(number))
        pair = (min(ends), max(ends))
        used.setdefault(pair, edge)
        at = other
        if len(number) == size:
            chosen = list(used.values())
            pairs = [(number[int(edges.source[e])], number[int(edges.target[e])]) for e in chosen]
            labels = [edges.names[int(edges.labels[e])] for e in chosen]
            return Pattern.from_edges(pairs, edge_labels=labels, directed=True)
    return None
