"""Candidates: per pattern vertex a bitmap over the data vertices that pass everything one vertex can be asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subiso.engine.compare import compare_columns, compare_constant
from subiso.engine.query import Query
from subiso.filter.relations import RelationTable
from subiso.pattern import Column, PatternEdge
from subiso.storage.layout import Layout

Bits = NDArray[np.uint64]


def initial_candidates(query: Query, layout: Layout, table: RelationTable) -> list[Bits | None]:
    """Labels, masks, comparisons with constants, self loops and anchors; None = every vertex."""
    found: list[Bits | None] = [None] * query.pattern.num_vertices
    for vertex, bits in _unary(query, layout, table):
        earlier = found[vertex]
        found[vertex] = bits if earlier is None else earlier & bits
    return found


def _unary(query: Query, layout: Layout, table: RelationTable) -> list[tuple[int, Bits]]:
    pattern, graph = query.pattern, query.graph
    parts: list[tuple[int, Bits]] = []
    for vertex, conjunction in enumerate(pattern.vertex_labels):
        for names in conjunction:
            parts.append((vertex, layout.named_bits(names)))
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
