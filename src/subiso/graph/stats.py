"""Statistics of a graph that planning needs; computed once per graph, from degrees and a seeded sample of wedges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso.graph.graph import Graph

_SAMPLED_WEDGES = 1000


@dataclass(frozen=True)
class Statistics:
    """What the cost model knows of a graph."""

    num_vertices: int
    mean_degree: float
    """Neighbours of a random vertex."""
    edge_degree: float
    """Neighbours of a vertex reached over a random edge: larger, since hubs are reached more often."""
    closure: float
    """The chance that two neighbours of a vertex are neighbours of each other."""
    max_degree: int = 0


def statistics_of(graph: Graph) -> Statistics:
    """The graph's statistics, made on first use and kept with the graph.

    >>> statistics_of(Graph.from_edges([0, 1, 2], [1, 2, 0])).closure
    1.0
    """
    found: Statistics = graph.derived("statistics", lambda: _measure(graph))
    return found


def _measure(graph: Graph) -> Statistics:
    degrees = np.diff(graph.out.offsets).astype(np.float64)
    if graph.directed:
        degrees = degrees + np.diff(graph.in_.offsets)
    total = float(degrees.sum())
    if total == 0:
        return Statistics(graph.num_vertices, 0.0, 0.0, 0.0)
    return Statistics(
        num_vertices=graph.num_vertices,
        mean_degree=total / graph.num_vertices,
        edge_degree=float((degrees**2).sum() / total),
        closure=_sample_closure(graph),
        max_degree=int(degrees.max()),
    )


def _sample_closure(graph: Graph) -> float:
    """The share of closed wedges in a seeded sample (a directed graph is sampled along its arcs)."""
    offsets, neighbors = graph.out.offsets, graph.out.neighbors
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
    closed = sum(
        _contains(neighbors[offsets[u] : offsets[u + 1]], v) for u, v in zip(*ends, strict=True)
    )
    return closed / _SAMPLED_WEDGES


def _contains(sorted_list: NDArray[np.uint32], v: np.uint32) -> bool:
    at = int(sorted_list.searchsorted(v))
    return at < len(sorted_list) and sorted_list[at] == v
