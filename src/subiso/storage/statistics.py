"""Statistics of a graph that planning needs; computed once per graph, from the layout and a seeded sample of wedges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.graph import Graph
from subiso.storage.layout import layout_of
from subiso.storage.relation import Relation

_SAMPLED_WEDGES = 1000


@dataclass(frozen=True)
class Side:
    """Neighbours on one side of a vertex in the total order: above it (higher degrees), or below it."""

    pairs: float = 0.0
    """Neighbours on this side, seen from a random neighbour on this side."""
    reached: float = 0.0
    """All neighbours of a vertex reached over an edge to this side."""
    beyond: float = 0.0
    """Its neighbours that lie further on this side."""


@dataclass(frozen=True)
class Statistics:
    """What the cost model knows of a graph."""

    num_vertices: int
    mean_degree: float = 0.0
    """Neighbours of a random vertex."""
    edge_degree: float = 0.0
    """Neighbours of a vertex reached over a random edge: larger, since hubs are reached more often."""
    closure: float = 0.0
    """The chance that two neighbours of a vertex are neighbours of each other."""
    above: Side = Side()
    below: Side = Side()


def statistics_of(graph: Graph) -> Statistics:
    """The graph's statistics, made on first use and kept with the graph.

    >>> statistics_of(Graph.from_edges([0, 1, 2], [1, 2, 0])).closure
    1.0
    """
    return graph.derived("statistics", lambda: _measure(graph))


def _measure(graph: Graph) -> Statistics:
    """Directed graphs are measured along their arcs: cheaper than the union of both directions, and close to it."""
    csr = layout_of(graph).relation(Relation("out"))
    entries = len(csr.neighbors)
    if entries == 0:
        return Statistics(graph.num_vertices)
    squares, above, below = _native.degree_sums(csr.bounds, csr.neighbors)
    scale = 2.0 if graph.directed else 1.0
    return Statistics(
        num_vertices=graph.num_vertices,
        mean_degree=scale * entries / graph.num_vertices,
        edge_degree=scale * squares / entries,
        closure=_sample_closure(csr.bounds, csr.neighbors),
        above=_side(above, scale),
        below=_side(below, scale),
    )


def _side(sums: tuple[float, float, float, float], scale: float) -> Side:
    edges, squares, reached, beyond = sums
    if edges == 0:
        return Side()
    return Side(scale * squares / edges, scale * reached / edges, scale * beyond / edges)


def _sample_closure(bounds: NDArray[np.int64], neighbors: NDArray[np.uint32]) -> float:
    """The share of closed wedges in a seeded sample."""
    offsets = bounds[::2]
    degrees = np.diff(offsets).astype(np.float64)
    wedges = np.cumsum(degrees * (degrees - 1))
    if wedges[-1] <= 0:
        return 0.0
    rng = np.random.default_rng(0)
    centers = np.searchsorted(wedges, rng.random(_SAMPLED_WEDGES) * wedges[-1], side="right")
    spread = degrees[centers].astype(np.int64)
    first = (rng.random(_SAMPLED_WEDGES) * spread).astype(np.int64)
    second = (first + 1 + (rng.random(_SAMPLED_WEDGES) * (spread - 1)).astype(np.int64)) % spread
    ends = neighbors[offsets[centers] + first], neighbors[offsets[centers] + second]
    closed = sum(_contains(neighbors[offsets[u] : offsets[u + 1]], v) for u, v in zip(*ends, strict=True))
    return closed / _SAMPLED_WEDGES


def _contains(sorted_list: NDArray[np.uint32], v: np.uint32) -> bool:
    at = int(sorted_list.searchsorted(v))
    return at < len(sorted_list) and bool(sorted_list[at] == v)
