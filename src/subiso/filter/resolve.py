"""From a query to a planning problem and what an engine needs to run its plan: relations, candidates, keys."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.query import Query
from subiso.filter.candidates import Bits, initial_candidates
from subiso.filter.relations import RelationTable, induced_edges
from subiso.pattern import Column
from subiso.plan.problem import Link, PairCheck, Problem
from subiso.storage.layout import Layout, RelationCsr, layout_of
from subiso.storage.relation import Relation

_ROUNDS = 3
_MOST_REFINING = 200_000_000  # neighbours looked at; beyond, refinement may cost more than it saves
NOT_A_NUMBER = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Resolved:
    """A problem, and the arrays that its numbers refer to."""

    problem: Problem
    layout: Layout
    relations: tuple[Relation, ...]
    csrs: tuple[RelationCsr, ...]
    reverse: list[int]
    """relation -> the relation of the same edges read from their other end"""
    filters: tuple[Bits, ...]
    """Candidate bitmaps by filter number (Problem.filters)."""
    keys: tuple[NDArray[np.int64], ...]
    """Vertex columns as comparable integers, by rank."""
    hopeless: bool
    """Some pattern vertex has no candidate: there is no match."""

    @property
    def longest(self) -> int:
        """No neighbour list of the query's relations is longer."""
        return max((csr.longest[0] for csr in self.csrs), default=0)

    def longest_list(self, relation: int, above: bool) -> tuple[int, int]:
        """The lengths of a relation's longest and second longest list, of neighbours above the owner or of all."""
        csr = self.csrs[relation]
        return csr.longest_above if above else csr.longest


def resolve(query: Query) -> Resolved:
    """Translate a query into the graph's vocabulary and compute its candidates."""
    layout = layout_of(query.graph)
    table = RelationTable(query)
    edges = [e for e in query.pattern.edges if e.source != e.target]
    links = [table.link(e.source, e.target, table.of_edge(e)) for e in edges]
    absent = [e for e in query.pattern.anti_edges if e.source != e.target]
    if query.mode == "induced":
        absent += induced_edges(query)
    forbidden = [table.link(e.source, e.target, table.of_edge(e)) for e in absent]
    entities: tuple[tuple[int, int, int], ...] = ()
    if query.mode == "edge-isomorphism":
        entities = tuple((e.source, e.target, table.number(table.of_edge(e))) for e in query.pattern.edges)
    reverse = table.reverse()
    csrs = tuple(layout.relation(r) for r in table.relations)
    bits = initial_candidates(query, layout, table)
    sizes, fans, overlaps = _refine(query, links, csrs, bits)
    filters, numbers = _number_filters(bits)
    pairs, keys = _pair_checks(query, layout)
    problem = Problem(
        pattern=query.pattern,
        mode=query.mode,
        unique=query.unique,
        links=tuple(links),
        forbidden=tuple(forbidden),
        absent=tuple(absent),
        pairs=pairs,
        filters=numbers,
        anchored=frozenset(query.anchors),
        sizes=sizes,
        fans=fans,
        overlaps=overlaps,
        loops=query.graph.has_loops,
        entities=entities,
    )
    hopeless = query.graph.num_vertices == 0 or 0 in sizes
    return Resolved(problem, layout, tuple(table.relations), csrs, reverse, filters, keys, hopeless)


def _refine(
    query: Query, links: list[Link], csrs: tuple[RelationCsr, ...], bits: list[Bits | None]
) -> tuple[tuple[float, ...], tuple[tuple[float, float], ...], tuple[int, ...]]:
    """Shrink the bitmaps in place of the list; sizes, fans and overlaps as Problem wants them."""
    n = max(query.graph.num_vertices, 1)
    mean = [len(csr.neighbors) / n for csr in csrs]
    plain_fans = tuple((mean[link.forward], mean[link.backward]) for link in links)
    if all(b is None for b in bits):
        return (float(query.graph.num_vertices),) * len(bits), plain_fans, ()
    # Joint demands count candidates of several vertices at once, so they look at the bitmaps as they are now, not
    # at those of one vertex that refinement has narrowed since.
    together, unrefined = _joint_demands(query, links, bits)
    for v, b in enumerate(bits):
        bits[v] = None if b is None else b.copy()
    demands = [
        demand
        for link in links
        for demand in ((link.a, link.b, link.forward, 1), (link.b, link.a, link.backward, 1))
    ]
    arrays = [(csr.bounds, csr.neighbors) for csr in csrs]
    work = sum(mean) * n * (len(demands) + len(together))
    rounds = _ROUNDS if work < _MOST_REFINING else 1
    sizes, fans, overlaps = _native.refine(
        query.graph.num_vertices, arrays, bits + unrefined, together + demands, rounds
    )
    fans = fans[len(together) :]
    merged = tuple(
        (ahead if ahead >= 0 else plain[0], back if back >= 0 else plain[1])
        for ahead, back, plain in zip(fans[::2], fans[1::2], plain_fans, strict=True)
    )
    return tuple(map(float, sizes[: len(bits)])), merged, tuple(overlaps[: len(bits)])


def _joint_demands(
    query: Query, links: list[Link], bits: list[Bits | None]
) -> tuple[list[tuple[int, int, int, int]], list[Bits | None]]:
    """A vertex with several pattern neighbours that have the same candidates needs as many neighbours there.

    The demands name bitmaps that are to stand after `bits`; these come second.
    """
    if not query.injective:
        return [], []
    same: dict[bytes | None, int] = {}
    kind = [same.setdefault(None if b is None else b.tobytes(), v) for v, b in enumerate(bits)]
    wanted: Counter[tuple[int, int, int]] = Counter()
    pairs = {(link.a, link.b, link.forward) for link in links} | {
        (link.b, link.a, link.backward) for link in links
    }
    for a, b, relation in pairs:
        wanted[a, kind[b], relation] += 1
    joint = [(a, b, relation, count) for (a, b, relation), count in wanted.items() if count > 1]
    place = {b: len(bits) + i for i, b in enumerate(dict.fromkeys(b for _, b, _, _ in joint))}
    return [(a, place[b], r, count) for a, b, r, count in joint], [bits[b] for b in place]


def _number_filters(bits: list[Bits | None]) -> tuple[tuple[Bits, ...], tuple[tuple[int, ...], ...]]:
    """Vertices with equal bitmaps share a filter."""
    filters: list[Bits] = []
    number: dict[bytes, int] = {}
    numbers: list[tuple[int, ...]] = []
    for b in bits:
        if b is None:
            numbers.append(())
            continue
        key = b.tobytes()
        if key not in number:
            number[key] = len(filters)
            filters.append(b)
        numbers.append((number[key],))
    return tuple(filters), tuple(numbers)


def _pair_checks(query: Query, layout: Layout) -> tuple[tuple[PairCheck, ...], tuple[NDArray[np.int64], ...]]:
    """Comparisons between two vertices' columns, and the columns as integers that compare the same way."""
    checks: list[PairCheck] = []
    keys: list[NDArray[np.int64]] = []
    columns = query.graph.vertex_columns
    for c in query.pattern.comparisons:
        if not isinstance(c.right, Column) or isinstance(c.left.owner, str) or c.left.owner == c.right.owner:
            continue
        assert isinstance(c.right.owner, int), "comparisons with edges are refused earlier"
        left, right = _as_ranks(columns[c.left.column], columns[c.right.column])
        checks.append(PairCheck(c.left.owner, c.op, c.right.owner, len(keys), len(keys) + 1))
        keys += [left[layout.vertex_at], right[layout.vertex_at]]
    return tuple(checks), tuple(keys)


def _as_ranks(
    left: NDArray[np.generic], right: NDArray[np.generic]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two numeric columns as ranks in their common order: exact for 64-bit integers beside floats, NaN marked."""
    common = np.result_type(left, right)
    if common.kind == "f" and {left.dtype.kind, right.dtype.kind} != {"f"}:
        common = np.dtype(np.longdouble)  # integers beside floats, and signed beside unsigned ones
    both = np.concatenate([left.astype(common), right.astype(common)])
    ranks = np.unique(both, return_inverse=True)[1].astype(np.int64)
    if both.dtype.kind == "f":
        ranks[np.isnan(both)] = NOT_A_NUMBER
    return ranks[: len(left)], ranks[len(left) :]
