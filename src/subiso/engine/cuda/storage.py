"""Which store a search reads neighbour lists through, and why; and its relations as kernels read them.

The plain CSR has an offset for every vertex in every relation: the quickest to look at, and large where a graph has
many edge labels. The others (kernels/stores.cuh) have an index of the vertices that a relation touches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import CSR
from subiso.engine.cuda.memory import DeviceGraph
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
) -> list[NDArray[Any]]:
    """One element of the relations' table per relation and slice, for a store other than the plain CSR.

    A slice is a relation's neighbours that carry a vertex label. What is pointed to is added to `kept`.
    """
    pairs = list(zip(resolved.relations, resolved.csrs, strict=True))
    indexes = [index_of(resolved.whole, relation, csr, name) for relation, csr in pairs]
    indexes += [index_of(resolved.whole, *pairs[number], name, label) for number, label in slices]
    return [part_of(graph, index, kept) for index in indexes]


_INDEXES: WeakKeyDictionary[RelationCsr, dict[tuple[str, int | None], Index]] = WeakKeyDictionary()


def index_of(
    layout: Layout, relation: Relation, csr: RelationCsr, name: str, label: int | None = None
) -> Index:
    """A relation in a layout, of a label CSR perhaps one vertex label; made once, kept as long as its lists are."""
    known = _INDEXES.setdefault(csr, {})
    key = name, label
    if key not in known:
        known[key] = _make_index(layout, relation, csr, name, label)
    return known[key]


def _make_index(layout: Layout, relation: Relation, csr: RelationCsr, name: str, label: int | None) -> Index:
    if name == "label_csr":
        return _label_slice(layout, relation, csr, label)
    lists: Lists = lists_of(csr)
    if name == "interval_pcsr":
        return IntervalPcsr(lists, renaming_of(layout.graph))
    return HashPcsr(lists, groups_per_list=GROUPS_PER_LIST) if name == "hash_pcsr" else CompressedCsr(lists)


def _label_slice(layout: Layout, relation: Relation, csr: RelationCsr, label: int | None) -> LabelSlice:
    """All labels of a direction share one label CSR; lists that are not simply a label's have one of their own."""
    graph = layout.graph
    code = 0 if graph.edge_labels is None and relation.fit is None else label_of(relation)
    sides = partitions_of(graph).sides
    grouped = None if label is None else layout
    if code is None or relation.direction not in sides or layout.relation(relation) is not csr:
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
    """A relation's part of a store (kernels/stores.cuh), as long as an element of the plain CSR's table."""
    arrays: list[NDArray[Any]]
    if isinstance(index, CompressedCsr):
        arrays, words = [index.keys, index.offsets, index.neighbors], [len(index.keys)]
    elif isinstance(index, HashPcsr):
        arrays, words = [index.groups, index.neighbors], [0, 0, index.num_groups, index.theta]
    elif isinstance(index, IntervalPcsr):
        arrays = [index.renaming.new_of, index.intervals, index.offsets, index.neighbors]
        words = [index.num_intervals]
    else:
        assert isinstance(index, LabelSlice), "the plain CSR has entries of its own"
        arrays, words = [*index.whole.arrays], [index.key]
    buffers = [graph.array(array) for array in arrays]
    kept += buffers
    part = np.zeros((), _part_type(len(arrays), CSR.itemsize // 4 - 2 * len(arrays)))
    part["pointers"] = [buffer.address for buffer in buffers]
    part["words"][: len(words)] = words
    return part.view(CSR)
