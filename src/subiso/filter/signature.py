"""GSI's signature table: per vertex a few words that say which labels it has and which (edge label, neighbour's label)
pairs it has once or more often. A candidate must have every bit of the pattern vertex's own signature.

The table is stored column-first and kept with the graph, so that filtering is a few ANDs down a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import Switches
from subiso.engine.query import Query
from subiso.errors import QueryError
from subiso.filter.candidates import Bits
from subiso.graph import Graph
from subiso.pattern import PatternEdge
from subiso.storage.layout import layout_of

SHAPE = Switches().signature
"""N and K, unless something else is asked for."""
_OUT, _IN = 0, 1

Pair = tuple[int, int, int]
"""(side, edge label's code, neighbour's label's code)"""


@dataclass(frozen=True, eq=False)
class SignatureTable:
    """The signatures of all vertices by rank, one column of words after the other."""

    words: NDArray[np.uint64]
    label_bits: int
    num_bits: int

    @property
    def nbytes(self) -> int:
        return self.words.nbytes

    def signature(self, labels: Sequence[int], pairs: Sequence[Pair]) -> list[int]:
        """The words of a vertex with these labels and pairs (each as often as it is listed)."""
        words: list[int] = _native.make_signature(self.label_bits, self.num_bits, list(labels), list(pairs))
        return words

    def narrow(self, bits: Bits, labels: Sequence[int], pairs: Sequence[Pair]) -> None:
        """Clears the bits of vertices without the labels or the pairs."""
        wanted = self.signature(labels, pairs)
        vertices = len(self.words) * 64 // self.num_bits
        _native.filter_by_signature(self.words, vertices, wanted, bits)


def signature_table(
    graph: Graph, num_bits: int = SHAPE[0], label_bits: int = SHAPE[1], *, threads: int = 0
) -> SignatureTable:
    """The graph's table with N = num_bits and K = label_bits, made on first use and kept with the graph.

    N is a multiple of 64 and K even, so that no group of two bits lies in two words.

    >>> graph = Graph.from_edges([0, 0], [1, 2], vertex_labels=["A", "B", "B"])
    >>> table = signature_table(graph, 64, 16)
    >>> bits = np.array([0b111], np.uint64)
    >>> table.narrow(bits, [0], [(0, 0, 1), (0, 0, 1)])        # an A with two B
    >>> layout_of(graph).vertex_at[_native.bit_positions(bits)].tolist()
    [0]
    """
    if num_bits < 64 or num_bits % 64 or label_bits % 2 or not 0 < label_bits < num_bits:
        raise QueryError(
            f"no signature has {num_bits} bits, {label_bits} of them for labels",
            hint="a multiple of 64 bits, an even number of them for labels, and some for neighbours",
        )
    return graph.derived(
        ("signatures", num_bits, label_bits), lambda: _build(graph, num_bits, label_bits, threads)
    )


def _build(graph: Graph, num_bits: int, label_bits: int, threads: int) -> SignatureTable:
    n = graph.num_vertices
    labels = graph.vertex_labels
    offsets = np.arange(n + 1, dtype=np.int64)
    codes = np.zeros(n, np.uint32)  # all the same where there are no labels
    if labels is not None:
        codes = labels.codes
        offsets = offsets if labels.offsets is None else labels.offsets
    edge_codes = None if graph.edge_labels is None else graph.edge_labels.codes
    adjacencies = [(_OUT, graph.out)] + ([(_IN, graph.in_)] if graph.directed else [])
    sides = [
        (
            side,
            csr.offsets,
            csr.neighbors,
            None if edge_codes is None else np.asarray(csr.edge_ids, np.uint32),
            edge_codes,
        )
        for side, csr in adjacencies
    ]
    rank = layout_of(graph).rank
    words = _native.build_signatures(label_bits, num_bits, sides, offsets, codes, rank, threads)
    return SignatureTable(words, label_bits, num_bits)


def filter_by_signature(query: Query, bits: list[Bits | None], table: SignatureTable) -> None:
    """Narrows the bitmaps (which must be the query's own) by the signatures of the pattern's vertices."""
    pairs = pattern_pairs(query)
    for vertex, own in enumerate(bits):
        if own is not None:
            table.narrow(own, _sure_labels(query, vertex), pairs[vertex])


def pattern_signatures(query: Query, table: SignatureTable) -> list[list[int]]:
    """Per pattern vertex the words that every match of it has the bits of."""
    pairs = pattern_pairs(query)
    return [table.signature(_sure_labels(query, v), mine) for v, mine in enumerate(pairs)]


def pattern_pairs(query: Query) -> list[list[Pair]]:
    """Per pattern vertex the pairs that every match of it has, each as often as it surely has it.

    Edges and neighbours without a label, or with a choice of them, are left out, and so are edges that may run either
    way. Where vertices may repeat, equal pairs may be one and the same.
    """
    found: list[list[Pair]] = [[] for _ in range(query.pattern.num_vertices)]
    seen: set[tuple[int, int, Pair]] = set()
    for edge in query.pattern.edges:
        label = _edge_label(query, edge)
        if edge.source == edge.target or label is None or (query.graph.directed and not edge.directed):
            continue
        back = _IN if query.graph.directed else _OUT
        for end, other, side in ((edge.source, edge.target, _OUT), (edge.target, edge.source, back)):
            for code in _sure_labels(query, other):
                pair = side, label, code
                key = end, other if query.injective else -1, pair
                if key not in seen:  # parallel edges between the same two vertices may be one
                    seen.add(key)
                    found[end].append(pair)
    return found


def _sure_labels(query: Query, vertex: int) -> list[int]:
    """The codes of the labels that every match of the vertex has."""
    labels = query.graph.vertex_labels
    if labels is None:
        return [0]
    names = [next(iter(names)) for names in query.pattern.vertex_labels[vertex] if len(names) == 1]
    return sorted({code for name in names if (code := labels.code_of(name)) is not None})


def _edge_label(query: Query, edge: PatternEdge) -> int | None:
    """The code of the label that every match of the edge has; 0 where edges have none, None where it is not known."""
    if query.graph.edge_labels is None:
        return 0
    if edge.labels is None or len(edge.labels) != 1:
        return None
    return query.graph.edge_labels.code_of(next(iter(edge.labels)))
