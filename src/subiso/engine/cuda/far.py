"""What a device has made and the host has not seen: relations, bitmaps and layouts that are read when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.filter_kernel import OWNERS_ARGS, FilterKernel
from subiso.engine.cuda.machine import Buffer, Machine
from subiso.filter.candidate_graph import CandidateLayout
from subiso.filter.candidates import Bits
from subiso.storage.layout import Layout, RelationCsr


@dataclass(frozen=True)
class DeviceCsr:
    """One relation on the device."""

    bounds: Buffer
    neighbors: Buffer


@dataclass(frozen=True, eq=False)
class Slice:
    """A part of a buffer, and a buffer to those who want an address."""

    whole: Buffer
    offset: int
    nbytes: int

    @property
    def address(self) -> int:
        return self.whole.address + self.offset


def fetch(machine: Machine, part: Slice, dtype: type[np.generic], *, settled: bool = False) -> NDArray[Any]:
    """What is in it once everything asked for before has happened; at once where it is known to be `settled`, which
    another thread may ask for while a search is running."""
    if not settled:
        machine.snapshot(part.whole, 1).value()
    return machine.read(part.whole, part.nbytes, part.offset).view(dtype)


@dataclass(frozen=True)
class Lengths:
    """What is known of a relation's lists without having read it."""

    entries: int
    longest: tuple[int, int]
    longest_above: tuple[int, int]
    long_from: int
    first_long: int | None
    """The first vertex whose list is longer than `long_from`."""


class FarCsr(RelationCsr):
    """A relation on a machine, which the host reads where it has to."""

    def __init__(
        self, machine: Machine, num_vertices: int, bounds: Slice, neighbors: Slice, lengths: Lengths
    ) -> None:
        # The class it stands for is frozen; what it works out from whole lists is known here.
        self.__dict__.update(
            machine=machine,
            on_device=DeviceCsr(bounds, neighbors),
            known=lengths,
            _num_vertices=num_vertices,
            longest=lengths.longest,
            longest_above=lengths.longest_above,
        )

    machine: Machine
    on_device: DeviceCsr
    known: Lengths

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        part = self.on_device.bounds
        assert isinstance(part, Slice)
        return fetch(self.machine, part, np.uint32).astype(np.int64)

    @cached_property
    def neighbors(self) -> NDArray[np.uint32]:
        part = self.on_device.neighbors
        assert isinstance(part, Slice)
        return fetch(self.machine, part, np.uint32)

    @property
    def num_entries(self) -> int:
        return self.known.entries

    @property
    def num_vertices(self) -> int:
        count: int = self.__dict__["_num_vertices"]
        return count

    @property
    def nbytes(self) -> int:
        return self.on_device.bounds.nbytes + self.on_device.neighbors.nbytes

    def first_longer(self, length: int) -> int | None:
        if length == self.known.long_from or self.longest[0] <= length:
            return self.known.first_long if self.longest[0] > length else None
        return super().first_longer(length)

    def owners_on_device(self) -> Buffer:
        """The owner of every entry of the lists."""
        machine = self.machine
        owners = machine.allocate(max(4 * self.num_entries, 1))
        args = np.zeros((), OWNERS_ARGS)
        args["bounds"], args["owners"] = self.on_device.bounds.address, owners.address
        args["num_members"] = self.num_vertices
        kernel = FilterKernel("owners")
        warps = kernel.threads // 32
        blocks = min(-(-self.num_vertices // warps), 8 * machine.description.multiprocessors)
        machine.launch(kernel, max(blocks, 1), 0, args)
        return owners


class FarLayout(CandidateLayout):
    """Candidates in numbers of their own; who they are is known on a machine, and settled."""

    def __init__(
        self, base: Layout, machine: Machine, num_vertices: int, members: Buffer, translated: Buffer
    ) -> None:
        part = Slice(members, 0, 4 * num_vertices)
        super().__init__(base, num_vertices, lambda: fetch(machine, part, np.uint32, settled=True))
        self.machine = machine
        self.translated = translated
        """Number -> vertex, there."""


class FarBits(Sequence[Bits]):
    """Bitmaps that stand one behind the other in a buffer and are settled; the host reads those that it asks for."""

    def __init__(self, machine: Machine, whole: Buffer, words: int, rows: Sequence[int]) -> None:
        """`words` of 64 bits each; `rows` are those that count."""
        self.machine, self.whole, self.words, self.rows = machine, whole, words, tuple(rows)
        self._read: dict[int, Bits] = {}

    @overload
    def __getitem__(self, at: int) -> Bits: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Bits]: ...

    def __getitem__(self, at: int | slice) -> Bits | Sequence[Bits]:
        if isinstance(at, slice):
            return [self[number] for number in range(len(self))[at]]
        row = self.rows[at]
        if row not in self._read:
            part = Slice(self.whole, 8 * self.words * row, 8 * self.words)
            self._read[row] = fetch(self.machine, part, np.uint64, settled=True)
        return self._read[row]

    def __len__(self) -> int:
        return len(self.rows)

    def address(self, number: int) -> int:
        """Of one of them."""
        return self.whole.address + 8 * self.words * self.rows[number]
