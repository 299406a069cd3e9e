"""Edge ids of matches, `match(..., edges=True)`: for every pattern edge the data edge that satisfies it.

It is the smallest edge id that fits; in edge-isomorphism mode, where pattern edges must take different data
edges, rows in which two smallest ones coincide get a consistent choice instead.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.base import Rows
from subiso.engine.compare import compare_constant
from subiso.engine.query import Query
from subiso.engine.reference_data import assign_distinct
from subiso.graph import Graph
from subiso.pattern import Pattern, PatternEdge

Ids = NDArray[np.int64]
NO_EDGE = np.iinfo(np.int64).max


def edge_column_names(pattern: Pattern) -> list[str]:
    """One name per pattern edge: its own, or its ends as in `a-->b`; numbered where two would be equal.

    >>> edge_column_names(Pattern("(a)-[e]->(b), (b)--(c)"))
    ['e', 'b--c']
    """
    names = []
    for e in pattern.edges:
        arrow = "-->" if e.directed else "--"
        names.append(e.name or f"{pattern.names[e.source]}{arrow}{pattern.names[e.target]}")
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[i] = f"{name}#{seen[name]}"
    return names


class EdgeFinder:
    """Finds the data edges of matches of one query."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._fits = [_edge_filter(query.graph, query.pattern, e) for e in query.pattern.edges]

    def __call__(self, rows: Rows) -> Ids:
        """Edge ids, one column per pattern edge."""
        edges = self._query.pattern.edges
        found = np.empty((len(rows), len(edges)), dtype=np.int64)
        for k, e in enumerate(edges):
            found[:, k] = self._smallest(k, e, rows)
        assert not (found == NO_EDGE).any(), "an engine gave a row that is no match"
        if self._query.mode == "edge-isomorphism" and len(edges) > 1:
            ordered = np.sort(found, axis=1)
            for r in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1)):
                found[r] = self._distinct(rows[r])
        return found

    def _smallest(self, k: int, e: PatternEdge, rows: Rows) -> Ids:
        graph, fits = self._query.graph, self._fits[k]
        u, v = rows[:, e.source], rows[:, e.target]
        best = _first_fitting(graph, u, v, fits)
        if graph.directed and not e.directed:
            best = np.minimum(best, _first_fitting(graph, v, u, fits))
        return best

    def _distinct(self, row: Rows) -> list[int]:
        choices = []
        for k, e in enumerate(self._query.pattern.edges):
            u, v = int(row[e.source]), int(row[e.target])
            ids = set(_all_between(self._query.graph, u, v))
            if not e.directed:
                ids.update(_all_between(self._query.graph, v, u))
            fits = self._fits[k]
            choices.append(sorted(i for i in ids if fits is None or fits[i]))
        chosen = assign_distinct(choices)
        assert chosen is not None, "an engine gave a row that is no match"
        return chosen


def _edge_filter(graph: Graph, pattern: Pattern, e: PatternEdge) -> NDArray[np.bool_] | None:
    """Which data edges fit e by label, mask and comparisons; None = all."""
    parts: list[NDArray[np.bool_]] = []
    if e.labels is not None:
        assert graph.edge_labels is not None
        codes = [graph.edge_labels.code_of(name) for name in e.labels]
        parts.append(np.isin(graph.edge_labels.codes, [c for c in codes if c is not None]))
    if e.mask is not None:
        parts.append(e.mask.array)
    for c in pattern.comparisons:
        if e.name is not None and c.left.owner == e.name:
            constant: Any = c.right
            parts.append(compare_constant(graph.edge_columns[c.left.column], c.op, constant))
    return None if not parts else np.asarray(np.logical_and.reduce(parts), dtype=bool)


def _all_between(graph: Graph, u: int, v: int) -> list[int]:
    first, last = (int(graph.out.offsets[u + d]) for d in (0, 1))
    start, stop = (first + int(i) for i in np.searchsorted(graph.out.neighbors[first:last], [v, v + 1]))
    ids: list[int] = graph.out.edge_ids[start:stop].tolist()
    return ids


def _first_fitting(graph: Graph, u: Rows, v: Rows, fits: NDArray[np.bool_] | None) -> Ids:
    """The smallest fitting edge id from u[r] to v[r], NO_EDGE where there is none."""
    offsets, neighbors, ids = graph.out.offsets, graph.out.neighbors, graph.out.edge_ids
    at, end = (
        _lower_bound(neighbors, offsets[u], offsets[u.astype(np.int64) + 1], v),
        offsets[u.astype(np.int64) + 1],
    )
    best = np.full(len(u), NO_EDGE, dtype=np.int64)
    open_rows = np.arange(len(u))
    while len(open_rows):  # once per parallel edge
        here = at[open_rows]
        inside = here < end[open_rows]
        open_rows, here = open_rows[inside], here[inside]
        same = neighbors[here] == v[open_rows]
        open_rows, here = open_rows[same], here[same]
        found = ids[here].astype(np.int64)
        good = np.ones(len(found), dtype=bool) if fits is None else fits[found]
        best[open_rows[good]] = found[good]
        open_rows = open_rows[~good]
        at[open_rows] += 1
    return best


def _lower_bound(values: NDArray[Any], low: Ids, high: Ids, wanted: NDArray[Any]) -> Ids:
    """The first position in [low, high) of the sorted spans whose value is not below `wanted`, else high."""
    low, high = low.astype(np.int64), high.astype(np.int64)
    while True:
        open_spans = low < high
        if not open_spans.any():
            return low
        middle = np.where(open_spans, (low + high) // 2, 0)
        below = open_spans & (values[middle] < wanted)
        low = np.where(below, middle + 1, low)
        high = np.where(open_spans & ~below, middle, high)
