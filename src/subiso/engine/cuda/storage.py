"""Which store a search reads neighbour lists through, and why; and its relations as kernels read them.

The plain CSR has an offset for every vertex in every relation: the quickest to look at, and large where a graph has
many edge labels. The others (kernels/stores.cuh) have an index of the vertices that a relation touches.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import CSR
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.relations import NO_HUB
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved
from subiso.storage.hash_pcsr import THETA, HashPcsr
from subiso.storage.index import Index
from subiso.storage.interval_pcsr import IntervalPcsr
from subiso.storage.label_csr import LabelCsr, LabelSlice
from subiso.storage.layout import Layout, RelationCsr
from subiso.storage.lists import Lists, lists_of
from subiso.storage.partition import one_label, partitions_of
from subiso.storage.plain_csr import CompressedCsr
from subiso.storage.relation import Relation
from subiso.storage.renaming import renaming_of

STORES = {
    "csr": "CsrStore",
    "label_csr": "LabelStore",
    "compressed": "CompressedStore",
    "hash_pcsr": "HashStore",
    "interval_pcsr": "IntervalStore",
}
"""Names, and what they are called in kernels/."""
STORAGES = ("auto", *STORES)
SMALL = 32 << 20
"""Bytes of offsets that a device's cache holds, about."""
MOST_RENAMED = 1 << 24
"""Edges of a graph whose vertices "auto" has renamed: a few seconds."""
GROUPS_PER_LIST = 1 / 8
"""Of a hash PCSR: groups are half full, hardly ever overflow, and take an eighth of the room that GSI gives them."""


@dataclass(frozen=True)
class StorageChoice:
    """A store and the reason in words."""

    name: str
    why: str


def choose_storage(
    resolved: Resolved, wanted: str = "auto", *, wide: bool = False, small: int = SMALL
) -> StorageChoice:
    """The wanted store, or for "auto" one that suits the query's relations. `wide`: they need 64-bit offsets."""
    if wanted not in STORAGES:
        raise UnsupportedError(f"there is no storage {wanted!r}", hint="there are " + ", ".join(STORAGES))
    if not isinstance(resolved.layout, Layout):
        return StorageChoice("csr", "its offsets are those of candidates only")
    if wide:
        return StorageChoice("csr", "some relation has 2**32 entries or more, which only it can hold")
    if wanted != "auto":
        return StorageChoice(wanted, "asked for")
    csrs = list(dict.fromkeys(resolved.csrs))
    offsets = sum(4 * len(csr.bounds) for csr in csrs)
    entries = sum(csr.neighbors.nbytes for csr in csrs)
    if offsets <= 2 * entries:
        return StorageChoice(
            "csr", f"its offsets ({_size(offsets)}) are small beside the lists ({_size(entries)})"
        )
    if offsets <= small:
        return StorageChoice("csr", f"its offsets are few ({_size(offsets)})")
    return _choose_index(resolved.whole, csrs, offsets)


def _choose_index(layout: Layout, csrs: list[RelationCsr], offsets: int) -> StorageChoice:
    keys = [np.flatnonzero(csr.lengths) for csr in csrs]
    lists = sum(map(len, keys))
    instead = f"instead of {_size(offsets)} of offsets"
    graph = layout.graph
    # Renaming looks at all edges of the graph, once: too long for a query on a very large one.
    worth_renaming = graph.edge_labels is not None and graph.num_edges <= MOST_RENAMED
    intervals = _count_intervals(keys, renaming_of(graph).new_of) if worth_renaming else lists
    if 4 * intervals <= lists:
        return StorageChoice("interval_pcsr", f"{lists} lists are {intervals} intervals, {instead}")
    groups = int(8 * THETA * GROUPS_PER_LIST * lists)
    if 2 * groups <= offsets:
        return StorageChoice("hash_pcsr", f"{_size(groups)} of groups, {instead}")
    return StorageChoice("compressed", f"{_size(8 * lists)} of keys and offsets, {instead}")


def _count_intervals(keys: list[NDArray[np.int64]], new_of: NDArray[np.uint32]) -> int:
    """
    >>> _count_intervals([np.array([0, 1, 2]), np.array([0, 2])], np.array([5, 4, 3], np.uint32))
    3
    """
    new = [np.sort(new_of[mine]).astype(np.int64) for mine in keys if len(mine)]
    return sum(int((np.diff(numbers) != 1).sum()) + 1 for numbers in new)


def _size(count: int) -> str:
    """
    >>> _size(3_400_000), _size(0)
    ('3.4 MB', '0.0 MB')
    """
    return f"{count / 1e6:.1f} MB"


def store_entries(
    graph: DeviceGraph,
    resolved: Resolved,
    name: str,
    kept: list[Any],
    slices: Sequence[tuple[int, int]] = (),
    only: Collection[int] | None = None,
) -> list[NDArray[Any]]:
    """One element of the relations' table per relation and slice, for a store other than the plain CSR.

    A slice is a relation's neighbours that carry a vertex label. What is pointed to is added to `kept`. With `only` the
    others are left out, as elements that point nowhere.
    """
    indexes = _indexes(resolved, name, slices, only=only)
    return [np.zeros((), CSR) if index is None else part_of(graph, index, kept) for index in indexes]


def _indexes(
    resolved: Resolved,
    name: str,
    slices: Sequence[tuple[int, int]] = (),
    *,
    only: Collection[int] | None = None,
    alone: bool = False,
) -> list[Index | None]:
    """Per relation and slice; `alone`: each in arrays of its own. None for those that are not wanted."""
    pairs = list(zip(resolved.relations, resolved.csrs, strict=True))
    wanted: list[tuple[int, int | None]] = [(number, None) for number in range(len(pairs))]
    return [
        index_of(resolved.whole, *pairs[number], name, label, alone=alone)
        if only is None or place in only
        else None
        for place, (number, label) in enumerate([*wanted, *slices])
    ]


@dataclass(frozen=True, eq=False)
class Part:
    """One relation of a store (kernels/stores.cuh): its arrays, and the words beside their addresses."""

    arrays: tuple[NDArray[Any], ...] = ()
    words: tuple[int, ...] = ()
    common: int = 0
    """So many of the arrays, the first ones, are the same for all relations."""

    def entry(self, addresses: Sequence[int]) -> NDArray[Any]:
        """As long as an element of the plain CSR's table."""
        entry = np.zeros((), _part_type(len(addresses), CSR.itemsize // 4 - 2 * len(addresses)))
        entry["pointers"] = addresses
        entry["words"][: len(self.words)] = self.words
        return entry.view(CSR)


def separate_parts(
    resolved: Resolved,
    name: str,
    slices: Sequence[tuple[int, int]] = (),
    *,
    only: Collection[int],
    wide: bool = False,
) -> list[Part]:
    """Per relation and slice a part that needs nothing of the others, for any store; empty ones but for `only`."""
    if name != "csr":
        indexes = _indexes(resolved, name, slices, only=only, alone=True)
        return [Part() if index is None else _part(index) for index in indexes]
    offsets = np.int64 if wide else np.uint32
    bounds = {csr: csr.bounds.astype(offsets) for n, csr in enumerate(resolved.csrs) if n in only}
    return [
        Part((bounds[csr], csr.neighbors), (0, 0, 0, NO_HUB, resolved.reverse[number] == number))
        if number in only
        else Part()
        for number, csr in enumerate(resolved.csrs)
    ]


def store_bytes(resolved: Resolved, name: str, only: Collection[int], *, wide: bool = False) -> int:
    """What some relations take on a device, all together."""
    if name == "csr":
        csrs = {csr for number, csr in enumerate(resolved.csrs) if number in only}
        return sum(4 * csr.num_entries + (8 if wide else 4) * (2 * csr.num_vertices + 1) for csr in csrs)
    parts = [_part(index) for index in _indexes(resolved, name, only=only) if index is not None]
    return sum({id(array): array.nbytes for part in parts for array in part.arrays}.values())


_INDEXES: WeakKeyDictionary[RelationCsr, dict[tuple[str, int | None, bool], Index]] = WeakKeyDictionary()


def index_of(
    layout: Layout,
    relation: Relation,
    csr: RelationCsr,
    name: str,
    label: int | None = None,
    *,
    alone: bool = False,
) -> Index:
    """A relation in a layout, of a label CSR perhaps one vertex label; made once, kept as long as its lists are.

    A label CSR has all labels of a direction, unless the relation is to be `alone` in it.
    """
    known = _INDEXES.setdefault(csr, {})
    key = name, label, alone and name == "label_csr"
    if key not in known:
        known[key] = _make_index(layout, relation, csr, name, label, alone=alone)
    return known[key]


def _make_index(
    layout: Layout, relation: Relation, csr: RelationCsr, name: str, label: int | None, *, alone: bool
) -> Index:
    if name == "label_csr":
        return _label_slice(layout, relation, csr, label, alone=alone)
    lists: Lists = lists_of(csr)
    if name == "interval_pcsr":
        return IntervalPcsr(lists, renaming_of(layout.graph))
    return HashPcsr(lists, groups_per_list=GROUPS_PER_LIST) if name == "hash_pcsr" else CompressedCsr(lists)


def _label_slice(
    layout: Layout, relation: Relation, csr: RelationCsr, label: int | None, *, alone: bool
) -> LabelSlice:
    """All labels of a direction share one label CSR; lists that are not simply a label's have one of their own."""
    graph = layout.graph
    code = 0 if graph.edge_labels is None and relation.fit is None else label_of(relation)
    sides = partitions_of(graph).sides
    grouped = None if label is None else layout
    if alone or code is None or relation.direction not in sides or layout.relation(relation) is not csr:
        return LabelCsr(one_label(lists_of(csr)), grouped).slice(0, label or 0)
    side = sides[relation.direction]
    key = "label_csr", relation.direction, label is not None
    whole: LabelCsr = graph.derived(key, lambda: LabelCsr(side, grouped))
    return whole.slice(code, label or 0)


def label_of(relation: Relation) -> int | None:
    """The edge label that a relation consists of; None where it is something else.

    >>> from subiso.storage.relation import EdgeFit
    >>> label_of(Relation("out", EdgeFit((3,), np.zeros(0, np.uint8)))), label_of(Relation("out"))
    (3, None)
    """
    key = None if relation.fit is None else relation.fit.key
    return key[0] if isinstance(key, tuple) and len(key) == 1 else None


def _part_type(pointers: int, words: int) -> np.dtype[Any]:
    return np.dtype([("pointers", np.uint64, pointers), ("words", np.uint32, words)])


def part_of(graph: DeviceGraph, index: Index, kept: list[Any]) -> NDArray[Any]:
    """A relation's element of the relations' table, with its arrays on the device."""
    part = _part(index)
    buffers = [graph.array(array) for array in part.arrays]
    kept += buffers
    return part.entry([buffer.address for buffer in buffers])


def _part(index: Index) -> Part:
    if isinstance(index, CompressedCsr):
        return Part((index.keys, index.offsets, index.neighbors), (len(index.keys),))
    if isinstance(index, HashPcsr):
        return Part((index.groups, index.neighbors), (0, 0, index.num_groups, index.theta))
    if isinstance(index, IntervalPcsr):
        arrays = index.renaming.new_of, index.intervals, index.offsets, index.neighbors
        return Part(arrays, (index.num_intervals,), common=1)
    assert isinstance(index, LabelSlice), "the plain CSR has parts of its own"
    return Part(tuple(index.whole.arrays), (index.key,))
