"""The layout that engines search: vertices renumbered by degree, one sorted neighbour list per relation.

The rank of a vertex in (degree, id) order is the one total order that restrictions speak of: vertices of low
degree come first, so "above v" lists are short. Results are mapped back where they leave the engine.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.errors import UnsupportedError
from subiso.graph import Graph
from subiso.storage.relation import Relation

_MOST_EDGES = 2**32 - 1  # edge ids take 32 bits in the lists of relations with conditions
_MAX_NAMED = 4096  # sets of labels whose bitmaps are kept
_MAX_FITTED = 64  # relations with an edge filter that are kept in any case; the unfiltered ones always are
_FITTED_BYTES = 1 << 28  # ... and further ones up to so many bytes
_SLICED_BYTES = 1 << 28  # lists by the neighbour's label that are kept
SLICED_VERTICES = 1 << 20  # of a graph that has such lists, each of which knows where every vertex's begins
_SLICED_ENTRIES = 1 << 22  # of a relation that is sliced for a single query; longer ones are when asked again


@dataclass(frozen=True, eq=False)
class RelationCsr:
    """Sorted distinct neighbours by rank.

    Those of v stand from bounds[2v] to bounds[2v + 2]; the ones above v begin at bounds[2v + 1].
    """

    bounds: NDArray[np.int64]
    neighbors: NDArray[np.uint32]

    @property
    def num_entries(self) -> int:
        """Of all lists."""
        return len(self.neighbors)

    @property
    def num_vertices(self) -> int:
        return len(self.bounds) // 2

    @property
    def nbytes(self) -> int:
        return self.bounds.nbytes + self.neighbors.nbytes

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Of the lists, by rank."""
        return np.diff(self.bounds[::2])

    @cached_property
    def owners(self) -> NDArray[np.uint64]:
        """The bitmap of the vertices that have a neighbour."""
        return pack_bits(self.lengths > 0)

    @cached_property
    def longest(self) -> tuple[int, int]:
        """The lengths of the longest and of the second longest list."""
        return _longest_two(self.lengths)

    @cached_property
    def longest_above(self) -> tuple[int, int]:
        """The same, of neighbours above the owner only."""
        return _longest_two(self.bounds[2::2] - self.bounds[1::2])

    def first_longer(self, length: int) -> int | None:
        """The first vertex that has a longer list; None where there is none."""
        return int((self.lengths > length).argmax()) if self.longest[0] > length else None


def _longest_two(lengths: NDArray[np.int64]) -> tuple[int, int]:
    """
    >>> _longest_two(np.array([3, 9, 4])), _longest_two(np.array([3])), _longest_two(np.array([], np.int64))
    ((9, 4), (3, 0), (0, 0))
    """
    if not len(lengths):
        return 0, 0
    at = int(lengths.argmax())  # then two maxima: ten times as fast as a partition
    second = max(lengths[:at].max(initial=0), lengths[at + 1 :].max(initial=0))
    return int(lengths[at]), int(second)


@dataclass(frozen=True, eq=False)
class Entities:
    """Data edges by rank: parallel ones stay, each with its id."""

    offsets: NDArray[np.int64]
    neighbors: NDArray[np.uint32]
    edge_ids: NDArray[np.uint32]


class Layout:
    """A graph's degree-ordered copy, built relation by relation as plans ask for them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        degrees = np.diff(graph.out.offsets)
        if graph.directed:
            degrees = degrees + np.diff(graph.in_.offsets)
        self.rank: NDArray[np.uint32] = _native.degree_ranks(np.ascontiguousarray(degrees, np.int64))
        """vertex -> rank"""
        self.vertex_at: NDArray[np.uint32] = np.empty_like(self.rank)
        """rank -> vertex"""
        self.vertex_at[self.rank] = np.arange(len(self.rank), dtype=np.uint32)
        self.all_ranks: NDArray[np.uint32] = np.arange(len(self.rank), dtype=np.uint32)
        self._relations: OrderedDict[Relation, RelationCsr] = OrderedDict()
        self._slices: OrderedDict[tuple[Relation, frozenset[int | str]], RelationCsr | None] = OrderedDict()
        self._entry_edges: dict[Relation, NDArray[np.int64]] = {}
        self._label_bits: dict[int, NDArray[np.uint64]] = {}
        self._named_bits: dict[frozenset[int | str], NDArray[np.uint64]] = {}
        self._lock = threading.Lock()

    @property
    def num_vertices(self) -> int:
        return len(self.rank)

    @cached_property
    def everyone(self) -> NDArray[np.uint64]:
        """The bitmap of all vertices."""
        return pack_bits(np.ones(self.num_vertices, np.bool_))

    def relation(self, relation: Relation) -> RelationCsr:
        """The neighbour lists of a relation; built once, kept with the graph."""
        found = self._relations.get(relation)
        if found is not None:
            return found
        bounds, neighbors, _ = self._build(relation, keep_edge_ids=False)
        built = RelationCsr(bounds, neighbors)
        relation.forget()
        with self._lock:
            self._relations[relation] = built
            fitted = [r for r in self._relations if r.fit is not None]
            room = _FITTED_BYTES - sum(self._relations[r].nbytes for r in fitted)
            for oldest in fitted[:-_MAX_FITTED] if room < 0 else ():
                room += self._relations.pop(oldest).nbytes
                if room >= 0:
                    break
        return built

    def relation_to(
        self, relation: Relation, names: frozenset[int | str], threads: int = 0
    ) -> RelationCsr | None:
        """A relation's lists without the neighbours that carry none of the labels; None where that does not pay.

        It takes a look at all entries of the relation, so long ones are sliced for the second query that asks. By
        so many threads at most; 0 for no limit.
        """
        key = relation, names
        found = self._slices.get(key)
        if found is not None:
            return found
        csr, bits = self.relation(relation), self.named_bits(names)
        common = 2 * int(np.bitwise_count(bits).sum()) >= self.num_vertices
        given = relation.fit is not None and not callable(
            relation.fit.given
        )  # a key would hold a byte per data edge
        if common or given or self.num_vertices > SLICED_VERTICES:
            return None
        if len(csr.neighbors) <= _SLICED_ENTRIES or key in self._slices:
            arrays = [(csr.bounds, csr.neighbors)]
            (made,) = _native.restrict_relations(
                self.num_vertices, arrays, self.everyone, [(0, None, bits)], threads
            )
            found = RelationCsr(*made)
        with self._lock:
            self._slices[key] = found
            self._slices.move_to_end(key)
            room = _SLICED_BYTES - sum(kept.nbytes for kept in self._slices.values() if kept is not None)
            while (room < 0 or len(self._slices) > _MAX_NAMED) and len(self._slices) > 1:
                oldest = self._slices.popitem(last=False)[1]
                room += 0 if oldest is None else oldest.nbytes
        return found

    def entities(self, relation: Relation) -> Entities:
        """The data edges of a relation (edge-isomorphism only, so not kept)."""
        return Entities(*self._build(relation, keep_edge_ids=True))

    def entry_edges(self, relation: Relation) -> NDArray[np.int64]:
        """The edge id of every entry of the relation's lists: the smallest where several edges fit."""
        found = self._entry_edges.get(relation)
        if found is None:
            lists = self.entities(relation)
            first = np.ones(len(lists.neighbors), dtype=bool)
            first[1:] = lists.neighbors[1:] != lists.neighbors[:-1]
            starts = lists.offsets[:-1]
            first[starts[starts < len(first)]] = True
            at = np.flatnonzero(first)
            smallest = np.minimum.reduceat(lists.edge_ids, at) if len(at) else lists.edge_ids
            found = smallest.astype(np.int64)
            if relation.fit is None:
                self._entry_edges[relation] = found
        return found

    def bits(self, mask: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """A mask over the vertices as a bitmap over their ranks."""
        return pack_bits(mask[self.vertex_at])

    def named_bits(self, names: frozenset[int | str]) -> NDArray[np.uint64]:
        """The bitmap of the vertices that carry one of the labels, known or not; kept with the graph."""
        found = self._named_bits.get(names)
        if found is None:
            labels = self.graph.vertex_labels
            assert labels is not None, "labels on an unlabelled graph are refused earlier"
            codes = {code for name in names if (code := labels.code_of(name)) is not None}
            bits = [self.label_bits(code) for code in codes]
            empty = np.zeros((self.num_vertices + 63) // 64, np.uint64)
            found = bits[0] if len(bits) == 1 else np.bitwise_or.reduce([empty, *bits])
            if len(self._named_bits) < _MAX_NAMED:
                self._named_bits[names] = found
        return found

    def label_bits(self, code: int) -> NDArray[np.uint64]:
        """The bitmap of the vertices that carry a label; built once, kept with the graph."""
        found = self._label_bits.get(code)
        if found is None:
            labels = self.graph.vertex_labels
            assert labels is not None, "a query with labels on an unlabelled graph is refused earlier"
            found = self._label_bits[code] = self.bits(labels.mask(labels.names[code]))
        return found

    def _build(self, relation: Relation, *, keep_edge_ids: bool) -> tuple[NDArray, ...]:  # type: ignore[type-arg]
        graph, fit = self.graph, relation.fit
        # Lists of out-neighbours are dealt from the in-lists, see native/storage/relation.hpp.
        sides = {"out": [graph.in_], "in": [graph.out], "any": [graph.in_, graph.out]}[relation.direction]
        if not graph.directed:
            sides = [graph.out]
        wants_ids = keep_edge_ids or fit is not None
        if wants_ids and graph.num_edges > _MOST_EDGES:
            raise UnsupportedError(
                f"edge labels, masks and conditions on a graph of {graph.num_edges:,} edges",
                hint=f"they are supported up to {_MOST_EDGES:,} edges; leave them out, or split the graph",
            )
        views = [
            (
                side.offsets,
                side.neighbors,
                np.asarray(side.edge_ids, np.uint32) if wants_ids else None,
                None if fit is None else fit.edges,
            )
            for side in sides
        ]
        arrays: tuple[NDArray, ...] = _native.build_relation(  # type: ignore[type-arg]
            views, self.rank, self.vertex_at, keep_edge_ids
        )
        return arrays


def pack_bits(mask: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A bool array as 64-bit words, lowest bit first.

    >>> pack_bits(np.array([True, False, True]))
    array([5], dtype=uint64)
    """
    packed = np.packbits(mask, bitorder="little")
    words = np.zeros((len(mask) + 63) // 64, np.uint64)
    words.view(np.uint8)[: len(packed)] = packed
    return words


def layout_of(graph: Graph) -> Layout:
    """The graph's layout, made on first use and kept with the graph."""
    layout: Layout = graph.derived("layout", lambda: Layout(graph))
    return layout
