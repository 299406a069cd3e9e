"""A graph's copies on a device: relations and rank tables, made once, kept under a budget, oldest out first."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.far import DeviceCsr, FarCsr, FarLayout
from subiso.engine.cuda.hubs import Hubs, fill_hubs, hub_shape
from subiso.engine.cuda.machine import Buffer, Description, Machine, OutOfMemory, upload
from subiso.errors import DeviceMemoryError
from subiso.filter.candidate_graph import CandidateLayout
from subiso.storage.layout import Layout, RelationCsr

SHARE = 0.8
"""Of the device's memory that graphs may take; the rest is for searches."""


def room_on(machine: Description) -> int:
    """The bytes that graphs may take of a device; a size that is not known is room enough."""
    return int(machine.memory * SHARE) if machine.memory else sys.maxsize


@dataclass
class Ledger:
    """What a device's engines know of its filters from query to query (filters.py)."""

    loaded: bool = False
    """The kernels are."""
    lost: WeakKeyDictionary[Layout, float] = field(default_factory=WeakKeyDictionary)
    """Seconds that the device would have saved so far, had graph and kernels been there."""


class Cache:
    """Device copies by key. Those in use are kept alive by their users even when they leave the cache."""

    def __init__(self, machine: Machine, budget: int | None = None) -> None:
        self.machine = machine
        self.budget = room_on(machine.description) if budget is None else budget
        self.used = 0
        self.uploaded = 0
        """Bytes of all copies that were ever made."""
        self.ledger = Ledger()
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, key: Hashable, nbytes: int, make: Callable[[], Any]) -> Any:
        """The copy under `key`, made if it is not there; makes room for it first."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        made = self.make(nbytes, make)
        self._kept[key] = made, nbytes
        self.used += nbytes
        self.uploaded += nbytes
        return made

    def make(self, nbytes: int, make: Callable[[], Any]) -> Any:
        """What `make` makes, which is not kept here; lets the oldest copies go where there is no room for it."""
        while self._kept and self.used + nbytes > self.budget:
            self._drop_oldest()
        return self._make(nbytes, make)

    def _make(self, nbytes: int, make: Callable[[], Any]) -> Any:
        while True:
            try:
                return make()
            except OutOfMemory:
                if not self._kept:
                    raise DeviceMemoryError(
                        f"the graph does not fit on {self.machine.description.name}: a part of it needs "
                        f"{nbytes:,} bytes, the device has {self.machine.description.memory:,}",
                        hint='use device="cpu"',
                    ) from None
                self._drop_oldest()

    def clear(self) -> None:
        """Lets all copies go that nobody uses."""
        while self._kept:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        _, (_, nbytes) = self._kept.popitem(last=False)
        self.used -= nbytes


class GuestCache(Cache):
    """Copies for one query only: they take the room of another cache's oldest, and never stay in it."""

    def __init__(self, host: Cache) -> None:
        super().__init__(host.machine, host.budget)
        self.host = host

    def _make(self, nbytes: int, make: Callable[[], Any]) -> Any:
        while self.host._kept:
            try:
                return make()
            except OutOfMemory:
                self.host._drop_oldest()
        return super()._make(nbytes, make)


class DeviceGraph:
    """The parts of one graph's layout that searches ask for."""

    def __init__(self, cache: Cache, layout: Layout | CandidateLayout) -> None:
        self.cache = cache
        self.layout = layout

    def csr(self, csr: RelationCsr, *, wide: bool) -> DeviceCsr:
        """A relation; its bounds as 64-bit numbers if `wide`."""
        if isinstance(csr, FarCsr) and csr.machine is self.cache.machine and not wide:
            return csr.on_device
        offsets = np.int64 if wide else np.uint32
        nbytes = csr.neighbors.nbytes + len(csr.bounds) * np.dtype(offsets).itemsize
        machine = self.cache.machine
        made: DeviceCsr = self.cache.get(
            (id(csr), wide),
            nbytes,
            lambda: _Kept(csr, upload(machine, csr.bounds.astype(offsets)), upload(machine, csr.neighbors)),
        )
        return made

    def sources(self, csr: RelationCsr) -> Buffer:
        """The owner of every entry of a relation's lists: with the neighbours, its edges."""

        def make() -> tuple[Buffer, RelationCsr]:
            if isinstance(csr, FarCsr) and csr.machine is self.cache.machine:
                return csr.owners_on_device(), csr
            owners = np.repeat(self.layout.all_ranks, csr.lengths)
            return upload(self.cache.machine, owners), csr

        made: tuple[Buffer, RelationCsr] = self.cache.get((id(csr), "sources"), 4 * csr.num_entries, make)
        return made[0]

    def hubs(
        self, csr: RelationCsr, on_device: DeviceCsr, *, wide: bool, most_bytes: int, least: int
    ) -> Hubs | None:
        """The lists longer than `least` as bit rows, as many as `most_bytes` hold; None where there are none."""
        shape = hub_shape(csr.num_vertices, csr.first_longer(least), most_bytes)
        if shape is None:
            return None
        first, words = shape
        nbytes = 4 * words * (csr.num_vertices - first)
        machine = self.cache.machine

        def make() -> tuple[Hubs, RelationCsr]:
            hubs = Hubs(machine.allocate(nbytes), words, first)
            fill_hubs(machine, on_device, hubs, csr.num_vertices, wide=wide)
            return hubs, csr

        made: tuple[Hubs, RelationCsr] = self.cache.get((id(csr), "hubs", shape), nbytes, make)
        return made[0]

    def has(self, csr: RelationCsr) -> bool:
        """Whether a relation is there already."""
        return (id(csr), False) in self.cache

    def vertex_at(self) -> Buffer:
        """The vertices by rank, or by number in a candidate graph."""
        layout = self.layout
        if isinstance(layout, FarLayout) and layout.machine is self.cache.machine:
            return layout.translated
        return self.array(layout.vertex_at)

    def array(self, array: NDArray[Any]) -> Buffer:
        """A copy of one of the layout's arrays (they live as long as the graph)."""
        made: tuple[Buffer, NDArray[Any]] = self.cache.get(
            id(array), array.nbytes, lambda: (upload(self.cache.machine, array), array)
        )
        return made[0]


@dataclass(frozen=True)
class _Kept(DeviceCsr):
    """Holds the host's arrays too, so that their ids stay theirs."""

    csr: RelationCsr

    def __init__(self, csr: RelationCsr, bounds: Buffer, neighbors: Buffer) -> None:
        super().__init__(bounds, neighbors)
        object.__setattr__(self, "csr", csr)
