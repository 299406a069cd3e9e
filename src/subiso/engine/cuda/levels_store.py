"""The graph as the stages of schedule `levels` read it: the whole store on the device, or the partition of one phase.

A partition is what a stage reads: the relations that its checks name, one edge label as a rule (GENEVA). It is uploaded
for its stage and gives way to that of a later one, so that the device never holds more than one or two of them. Every
stage has its place for good, in one of two slots: where a table says that candidates are, they are again whenever the
stage runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.hubs import Hubs
from subiso.engine.cuda.layout import CSR, FEW_RELATIONS
from subiso.engine.cuda.levels_shape import Shape
from subiso.engine.cuda.machine import Buffer, Machine, Mark
from subiso.engine.cuda.memory import DeviceCsr, DeviceGraph
from subiso.engine.cuda.relations import relation_entries
from subiso.engine.cuda.slices import Sliced
from subiso.engine.cuda.storage import Part, separate_parts, store_entries
from subiso.engine.cuda.tune import Wishes
from subiso.filter.resolve import Resolved

_ALIGNED = 256

Read = frozenset[int]
"""Numbers of relations."""


class StageStore(Protocol):
    """For runs to ask before each launch."""

    partitioned: bool
    uploaded: int
    """Bytes of the graph that were copied to the device."""
    resident: int
    """The most of them that were there at a time."""

    def use(self, stage: int, args: NDArray[Any]) -> None:
        """Sees to it that what a stage reads is on the device, and that its arguments say where."""


@dataclass
class WholeStore:
    """Everything was on the device before the first launch, and the arguments say where."""

    uploaded: int
    resident: int
    partitioned: bool = False

    def use(self, stage: int, args: NDArray[Any]) -> None: ...


class _Slot:
    """Room for one stage's partition at a time."""

    def __init__(self, machine: Machine, nbytes: int) -> None:
        self.buffer = machine.allocate(nbytes)
        self.holds: _Partition | None = None
        self.left: Mark | None = machine.mark()
        """Since then nothing that was launched reads it; None: it is being read."""


@dataclass(frozen=True, eq=False)
class _Partition:
    """What some stages read, at its place in a slot."""

    slot: int
    arrays: tuple[tuple[NDArray[Any], int], ...]
    """And where they stand in the slot."""
    args: NDArray[Any]
    """Where relations are, as arguments say it."""


class Partitions(Buffers):
    """One stage's relations at a time, uploaded while the stage before runs, if two slots are within the budget."""

    partitioned = True

    def __init__(
        self,
        machine: Machine,
        graph: DeviceGraph,
        parts: Sequence[Part],
        reads: Sequence[Read],
        args_type: np.dtype[Any],
        *,
        beside: bool = True,
    ) -> None:
        """`reads` are the relations that the stages read, in their order; `parts` are these relations."""
        super().__init__(machine)
        self.parts, self.reads = parts, reads
        common = {id(a): a for part in parts for a in part.arrays[: part.common]}
        arrays = {key: graph.array(array) for key, array in common.items()}
        self.kept += arrays.values()
        shared = sum(a.nbytes for a in common.values())
        places = slots_of(reads, 2)
        sizes = self._slot_sizes(places, 2)
        if not beside or sum(sizes) + shared > graph.cache.budget:
            places = [0] * len(reads)
            sizes = self._slot_sizes(places, 1)
        self.slots = graph.cache.make(sum(sizes), lambda: [_Slot(machine, max(size, 1)) for size in sizes])
        self.uploaded, self.resident = shared, shared + sum(sizes)
        known: dict[tuple[int, Read], _Partition] = {}
        self.partitions: list[_Partition | None] = []
        for slot, read in zip(places, reads, strict=True):
            key = slot, read
            if read and key not in known:
                known[key] = self._place(slot, read, arrays, args_type)
            self.partitions.append(known.get(key))
        self.current: _Slot | None = None

    def use(self, stage: int, args: NDArray[Any]) -> None:
        partition = self.partitions[stage]
        if partition is None:
            return
        slot = self.slots[partition.slot]
        if self.current is not slot:
            if self.current is not None:
                self.current.left = self.machine.mark()
            self.current = slot
        if slot.holds is not partition:
            self._upload_to(slot, partition)
        slot.left = None
        for name in ("relations", "more_relations"):
            args[name] = partition.args[name]

    def _upload_to(self, slot: _Slot, partition: _Partition) -> None:
        after = self.machine.mark() if slot.left is None else slot.left
        for array, offset in partition.arrays:
            if array.nbytes:
                self.machine.write_beside(slot.buffer, array, offset, after)
                self.uploaded += array.nbytes
        slot.holds = partition

    def _own(self, read: Read) -> list[NDArray[Any]]:
        """The arrays of some relations, each once."""
        found = {id(a): a for number in sorted(read) for a in self._arrays(number)}
        return list(found.values())

    def _arrays(self, number: int) -> tuple[NDArray[Any], ...]:
        part = self.parts[number]
        return part.arrays[part.common :]

    def _slot_sizes(self, places: Sequence[int], count: int) -> list[int]:
        sizes = [0] * count
        for slot, read in zip(places, self.reads, strict=True):
            sizes[slot] = max(sizes[slot], sum(_aligned(a.nbytes) for a in self._own(read)))
        return sizes

    def _place(
        self, slot: int, read: Read, common: dict[int, Buffer], args_type: np.dtype[Any]
    ) -> _Partition:
        addresses = {key: buffer.address for key, buffer in common.items()}
        placed, offset = [], 0
        for array in self._own(read):
            placed.append((array, offset))
            addresses[id(array)] = self.slots[slot].buffer.address + offset
            offset += _aligned(array.nbytes)
        nothing = np.zeros((), CSR)
        entries = [
            part.entry([addresses[id(a)] for a in part.arrays]) if number in read else nothing
            for number, part in enumerate(self.parts)
        ]
        args = np.zeros((), args_type)
        self._table(args, "relations", entries, FEW_RELATIONS)
        return _Partition(slot, tuple(placed), args)


def make_store(
    memory: Buffers,
    graph: DeviceGraph,
    resolved: Resolved,
    sliced: Sliced,
    reads: Sequence[Read],
    wishes: Wishes,
    shape: Shape,
    args: NDArray[Any],
) -> StageStore:
    """The relations that stages read, as `args` says where they are; parts of it live as long as `memory`."""
    only = frozenset[int]().union(*reads)
    storage, wide = shape.storage, shape.wide
    if shape.partitioned:
        parts = separate_parts(resolved, storage, sliced.slices, only=only, wide=wide)
        beside = wishes.levels.beside
        store = Partitions(memory.machine, graph, parts, reads, args.dtype, beside=beside)
        memory.kept.append(store)
        return store
    before = graph.cache.uploaded
    kept: list[Any] = []
    if storage == "csr":
        entries = relation_entries(graph, resolved, wishes, kept, wide=wide, only=only)
    else:
        entries = store_entries(graph, resolved, storage, kept, sliced.slices, only)
    memory._table(args, "relations", entries, FEW_RELATIONS)
    memory.kept += kept
    return WholeStore(graph.cache.uploaded - before, sum(b.nbytes for b in _distinct(kept)))


def _distinct(kept: Sequence[Any]) -> list[Buffer]:
    """The buffers behind what relations keep."""
    found: list[Buffer] = []
    for one in kept:
        if isinstance(one, DeviceCsr):
            found += [one.bounds, one.neighbors]
        elif one is not None:
            found.append(one.rows if isinstance(one, Hubs) else one)
    return list({buffer.address: buffer for buffer in found}.values())


def slots_of(reads: Sequence[Read], count: int) -> list[int]:
    """A slot for what each stage reads: a stage that reads what the one before does stays there, others go to the next.

    >>> x, y = frozenset([0]), frozenset([1])
    >>> slots_of([x, x, frozenset(), y, x, y], 2)
    [0, 0, 0, 1, 0, 1]
    """
    found, slot = [], 0
    last: Read | None = None
    for read in reads:
        if read and last is not None and read != last:
            slot = (slot + 1) % count
        last = read or last
        found.append(slot)
    return found


def _aligned(nbytes: int) -> int:
    return -(-nbytes // _ALIGNED) * _ALIGNED
