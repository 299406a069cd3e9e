"""The definition of a match: obvious backtracking, straight from docs/semantics.md. The oracle of engines.

It shares no code with the planner and no idea with the fast engines: pattern vertices are taken one by one,
every data vertex that could stand there is tried, and every rule is checked as soon as all it speaks of is
known. Slow on purpose; right on purpose.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from subiso.engine.base import Outcome, Params, Rows, StoppedBy
from subiso.engine.clock import Clock, Stopped
from subiso.engine.query import Query
from subiso.engine.reference_data import Data, assign_distinct, compare
from subiso.pattern import Column, Comparison, PatternEdge


def count(query: Query, params: Params = Params()) -> Outcome:  # noqa: B008 (frozen)
    """Count the matches one by one.

    >>> from subiso.engine.query import make_query
    >>> from subiso.graph import Graph
    >>> g = Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> count(make_query(g, "(a)--(b), (b)--(c), (c)--(a)")).count
    1
    >>> count(make_query(g, "(a)--(b), (b)--(c), (c)--(a)", unique=False)).count
    6
    """
    clock = Clock(params)
    found = 0
    try:
        for _ in Search(query, clock).matches():
            found += 1
    except Stopped as stop:
        return Outcome(found, stop.reason, clock.seconds())
    clock.finish()
    return Outcome(found, None, clock.seconds())


def stream(query: Query, params: Params = Params()) -> ReferenceStream:  # noqa: B008 (frozen)
    """The matches in batches of `params.batch_rows` rows."""
    return ReferenceStream(query, params)


class ReferenceStream:
    """The matches in batches; there are no workers, so closing only drops the search."""

    def __init__(self, query: Query, params: Params) -> None:
        self.stopped_by: StoppedBy | None = None
        self._clock = Clock(params)
        self._width = query.pattern.num_vertices
        self._batch_rows = max(1, params.batch_rows)
        self._matches: Iterator[tuple[int, ...]] | None = Search(query, self._clock).matches()

    def __iter__(self) -> Iterator[Rows]:
        return self

    def __next__(self) -> Rows:
        if self._matches is None:
            raise StopIteration
        rows: list[tuple[int, ...]] = []
        try:
            rows.extend(itertools.islice(self._matches, self._batch_rows))
            if len(rows) < self._batch_rows:
                self._matches = None
                self._clock.finish()
        except Stopped as stop:
            self._matches = None
            self.stopped_by = stop.reason
        if not rows:
            raise StopIteration
        return np.array(rows, dtype=np.uint32).reshape(len(rows), self._width)

    def close(self) -> None:
        if self._matches is not None:
            self._matches = None
            self.stopped_by = "cancelled"


class Search:
    """One backtracking search; `map[i]` is the data vertex standing for pattern vertex i, None while open."""

    def __init__(self, query: Query, clock: Clock) -> None:
        self.query = query
        self.pattern = query.pattern
        self.clock = clock
        self.data = Data(query.graph)
        self.map: list[int | None] = [None] * query.pattern.num_vertices
        self.order = _connected_order(query)
        self.smaller = _restrictions(query) if query.unique else []
        self.vertex_codes = [
            [self.data.vertex_codes(alternatives) for alternatives in conjunction]
            for conjunction in self.pattern.vertex_labels
        ]
        self.edge_codes = {
            e: self.data.edge_codes(e.labels) for e in (*self.pattern.edges, *self.pattern.anti_edges)
        }

    def matches(self, depth: int = 0) -> Iterator[tuple[int, ...]]:
        """All maps that extend the present one, depth first."""
        if depth == len(self.order):
            yield tuple(v for v in self.map if v is not None)
            return
        i = self.order[depth]
        candidates = self.candidates(i)
        for position, v in enumerate(candidates):
            self.clock.tick()
            if depth == 0:
                self.clock.done = position / len(candidates)
            self.map[i] = v
            if self.allowed(i):
                yield from self.matches(depth + 1)
            self.map[i] = None

    def candidates(self, i: int) -> Sequence[int]:
        """A superset of the data vertices that may stand for i: its anchor, some neighbours, or all."""
        if i in self.query.anchors:
            return [self.query.anchors[i]]
        for e in self.pattern.edges:
            for end, other in ((e.source, e.target), (e.target, e.source)):
                anchor_point = self.map[other]
                if end == i and other != i and anchor_point is not None:
                    return sorted({*self.data.after(anchor_point), *self.data.before(anchor_point)})
        return range(self.query.graph.num_vertices)

    def allowed(self, i: int) -> bool:
        """True when the present map breaks no rule that speaks of i and of mapped vertices only."""
        return (
            self.vertex_fits(i)
            and self.distinct(i)
            and self.edges_fit(i)
            and self.no_forbidden_edge(i)
            and self.comparisons_hold(i)
            and self.is_representative(i)
        )

    def vertex_fits(self, i: int) -> bool:
        v = self.at(i)
        mask = self.pattern.masks[i]
        if mask is not None and not mask.array[v]:
            return False
        has = self.data.codes_of(v)
        return all(has & wanted for wanted in self.vertex_codes[i])

    def distinct(self, i: int) -> bool:
        return not self.query.injective or self.map.count(self.map[i]) == 1

    def edges_fit(self, i: int) -> bool:
        if self.query.mode == "edge-isomorphism":
            return (
                assign_distinct([self.fitting(e) for e in self.pattern.edges if self.is_mapped(e)])
                is not None
            )
        return all(
            self.fitting(e) for e in self.pattern.edges if i in (e.source, e.target) and self.is_mapped(e)
        )

    def no_forbidden_edge(self, i: int) -> bool:
        forbidden = [e for e in self.pattern.anti_edges if i in (e.source, e.target) and self.is_mapped(e)]
        if any(self.fitting(e) for e in forbidden):
            return False
        if self.query.mode != "induced":
            return True
        mapped = [j for j in self.order if self.map[j] is not None and j != i]
        return not any(self.is_further(a, b) for j in mapped for a, b in ((i, j), (j, i)))

    def is_further(self, a: int, b: int) -> bool:
        """True when the data has an arc from a's vertex to b's that no pattern edge accounts for."""
        accounted = any(
            (e.source, e.target) == (a, b)
            or (not (e.directed and self.query.graph.directed) and (e.target, e.source) == (a, b))
            for e in self.pattern.edges
        )
        return not accounted and bool(self.data.edges(self.at(a), self.at(b)))

    def comparisons_hold(self, i: int) -> bool:
        return all(self.holds(c) for c in self.pattern.comparisons if i in _vertices_of(c))

    def holds(self, c: Comparison) -> bool:
        if any(self.map[j] is None for j in _vertices_of(c)):
            return True
        sides = [
            self.data.vertex_value(side.column, self.at(side.owner))
            if isinstance(side, Column) and isinstance(side.owner, int)
            else side
            for side in (c.left, c.right)
        ]
        return compare(sides[0], c.op, sides[1])

    def is_representative(self, i: int) -> bool:
        return all(
            self.at(a) < self.at(b)
            for a, b in self.smaller
            if i in (a, b) and self.map[a] is not None and self.map[b] is not None
        )

    def fitting(self, e: PatternEdge) -> list[int]:
        """The data edges, by ascending id, that satisfy the pattern edge under the present map."""
        u, v = self.at(e.source), self.at(e.target)
        ids = set(self.data.edges(u, v))
        if not e.directed:
            ids.update(self.data.edges(v, u))
        return sorted(edge for edge in ids if self.edge_fits(e, edge))

    def edge_fits(self, e: PatternEdge, edge: int) -> bool:
        codes = self.edge_codes[e]
        if codes is not None and self.data.edge_code(edge) not in codes:
            return False
        if e.mask is not None and not e.mask.array[edge]:
            return False
        return all(
            compare(self.data.edge_value(c.left.column, edge), c.op, c.right)
            for c in self.pattern.comparisons
            if e.name is not None and c.left.owner == e.name
        )

    def at(self, i: int) -> int:
        v = self.map[i]
        assert v is not None
        return v

    def is_mapped(self, e: PatternEdge) -> bool:
        return self.map[e.source] is not None and self.map[e.target] is not None


def _connected_order(query: Query) -> list[int]:
    """Pattern vertices such that each but the first has an edge to an earlier one."""
    order = [min(query.anchors, default=0)]
    while len(order) < query.pattern.num_vertices:
        reached = {
            end
            for e in query.pattern.edges
            for end, other in ((e.source, e.target), (e.target, e.source))
            if other in order and end not in order
        }
        order.append(min(reached, key=lambda i: (i not in query.anchors, i)))
    return order


def _restrictions(query: Query) -> list[tuple[int, int]]:
    """Pairs (i, j) with map[i] < map[j] that keep the lexicographically smallest map of every orbit.

    Vertex 0 must be smaller than all it can be exchanged with; then, with 0 fixed, vertex 1; and so on.
    Anchored vertices cannot be exchanged with anything.
    """
    pairs = []
    fixed = sorted(query.anchors)
    for i in range(query.pattern.num_vertices):
        if i in query.anchors:
            continue
        for orbit in query.pattern.orbits_under(fixed):
            if i in orbit:
                pairs += [(i, j) for j in orbit if j != i]
        fixed.append(i)
    return pairs


def _vertices_of(c: Comparison) -> set[int]:
    return {s.owner for s in (c.left, c.right) if isinstance(s, Column) and isinstance(s.owner, int)}
