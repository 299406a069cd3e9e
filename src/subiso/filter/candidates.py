"""Candidates: per pattern vertex a bitmap over the data vertices that pass everything one vertex can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subiso.engine.compare import compare_columns, compare_constant
from subiso.engine.query import Query
from subiso.filter.relations import RelationTable
from subiso.pattern import Column, PatternEdge
from subiso.storage.layout import Layout

Bits = NDArray[np.uint64]


class Part(NamedTuple):
    """A bitmap that all candidates of a pattern vertex are in."""

    bits: Bits
    kept: bool
    """It lives with the graph, not with the query: the same array every time."""


def initial_parts(query: Query, layout: Layout, table: RelationTable) -> list[list[Part]]:
    """Per pattern vertex labels, masks, comparisons with constants, self loops and anchors; none = every vertex."""
    labels = query.pattern.vertex_labels
    found = [[Part(layout.named_bits(names), True) for names in conjunction] for conjunction in labels]
    for vertex, bits in _unary(query, layout, table):
        found[vertex].append(Part(bits, False))
    return found


def kind_of(parts: Sequence[Part]) -> tuple[int, ...]:
    """The same for pattern vertices of which the same is asked."""
    return tuple(sorted({id(part.bits) for part in parts}))


def intersected(parts: Sequence[Sequence[Part]]) -> list[Bits | None]:
    """The candidates of every pattern vertex, those of one kind as one array; None = every vertex.

    >>> a, b = (Part(np.array([bits], np.uint64), True) for bits in (0b1100, 0b0110))
    >>> one, two, three = intersected([[a, b], [], [b, a]])
    >>> one, two, one is three
    (array([4], dtype=uint64), None, True)
    """
    made: dict[tuple[int, ...], Bits] = {}
    found: list[Bits | None] = []
    for mine in parts:
        if len(mine) < 2:
            found.append(mine[0].bits if mine else None)
            continue
        kind = kind_of(mine)
        if kind not in made:
            made[kind] = (
                np.bitwise_and.reduce([part.bits for part in mine]) if len(kind) > 1 else mine[0].bits
            )
        found.append(made[kind])
    return found


def _unary(query: Query, layout: Layout, table: RelationTable) -> list[tuple[int, Bits]]:
    pattern, graph = query.pattern, query.graph
    parts: list[tuple[int, Bits]] = []
    parts.extend((v, layout.bits(mask.array)) for v, mask in enumerate(pattern.masks) if mask is not None)
    for c in pattern.comparisons:
        if isinstance(c.left.owner, str):
            continue
        left = graph.vertex_columns[c.left.column]
        if isinstance(c.right, Column):
            if c.right.owner == c.left.owner:
                mask = compare_columns(left, c.op, graph.vertex_columns[c.right.column])
                parts.append((c.left.owner, layout.bits(mask)))
        else:
            assert not isinstance(c.right, str), "refused earlier"
            parts.append((c.left.owner, layout.bits(compare_constant(left, c.op, c.right))))
    parts.extend((e.source, _with_loop(query, layout, table, e)) for e in pattern.edges if _is_loop(e))
    parts.extend(
        (e.source, _complement(_with_loop(query, layout, table, e), graph.num_vertices))
        for e in pattern.anti_edges
        if _is_loop(e)
    )
    for vertex, anchor in query.anchors.items():
        bits = np.zeros((graph.num_vertices + 63) // 64, np.uint64)
        rank = int(layout.rank[anchor])
        bits[rank // 64] = np.uint64(1 << (rank % 64))
        parts.append((vertex, bits))
    return parts


def _is_loop(edge: PatternEdge) -> bool:
    return edge.source == edge.target


def _with_loop(query: Query, layout: Layout, table: RelationTable, edge: PatternEdge) -> Bits:
    """The vertices that have a fitting self loop."""
    mask = np.zeros(query.graph.num_vertices, dtype=bool)
    if query.graph.has_loops:
        sources, targets = query.graph.edge_endpoints()
        loops = sources == targets
        fit = table.fit(edge)
        if fit is not None:
            loops &= fit.edges.view(np.bool_)
        mask[sources[loops]] = True
    return layout.bits(mask)


def _complement(bits: Bits, num_vertices: int) -> Bits:
    flipped = ~bits
    if num_vertices % 64:
        flipped[-1] &= np.uint64((1 << (num_vertices % 64)) - 1)
    return flipped
