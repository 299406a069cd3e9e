"""The candidate graph made on a device, from candidates that are there (kernels/restrict.cuh, scan.cuh)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.far import FarBits, FarCsr, FarLayout, Lengths, Slice
from subiso.engine.cuda.filter_kernel import (
    NO_VERTEX,
    RESTRICT_ARGS,
    RESTRICTED,
    SCAN_ARGS,
    TILES,
    FilterKernel,
    Step,
)
from subiso.engine.cuda.filter_tune import FilterWishes, pieces_of
from subiso.engine.cuda.layout import WIDE
from subiso.engine.cuda.machine import Buffer, Machine, OutOfMemory, upload
from subiso.engine.cuda.memory import DeviceGraph
from subiso.errors import DeviceMemoryError
from subiso.filter.candidate_graph import Restricted, Wanted, restrict_on_host
from subiso.filter.candidates import Bits
from subiso.filter.resolve import Resolved

MOST_BYTES = 512 << 20
"""Of a candidate graph that is made on the device."""


@dataclass(frozen=True, eq=False)
class CandidatesThere:
    """What filters have left on a machine."""

    machine: Machine
    graph: DeviceGraph
    bitmaps: FarBits
    all: Buffer
    """Everybody's candidates as a bitmap, ..."""
    counts: Buffer
    """... and how many of them are in each word."""
    members: int
    wishes: FilterWishes
    hub_length: int
    """Lists that are longer may get a bit row."""


def candidates_there(
    machine: Machine, graph: DeviceGraph, bitmaps: Sequence[Bits], wishes: FilterWishes, hub_length: int
) -> CandidatesThere:
    """Candidates that the host has found, brought to a machine."""
    rows = np.stack(list(bitmaps))
    everybody = np.bitwise_or.reduce(rows)
    counts = np.bitwise_count(everybody.view(np.uint32)).astype(np.uint32)
    there = FarBits(machine, upload(machine, rows), rows.shape[1], range(len(rows)))
    parts = upload(machine, everybody), upload(machine, counts)
    return CandidatesThere(machine, graph, there, *parts, int(counts.sum()), wishes, hub_length)


def restrict_on_device(
    there: CandidatesThere | Callable[[], CandidatesThere], resolved: Resolved, wanted: Sequence[Wanted]
) -> Restricted:
    """The restricted relations; by the host where some pattern vertex may be any vertex, a relation needs wide offsets,
    or there is no room. `there` may be what brings the candidates there."""
    free = any(not numbers for numbers in resolved.problem.filters)
    if free or any(resolved.csrs[relation].num_entries >= WIDE for relation, _, _ in wanted):
        return restrict_on_host(resolved, wanted)
    try:
        return _Run(there if isinstance(there, CandidatesThere) else there(), resolved, wanted).made()
    except (OutOfMemory, DeviceMemoryError):
        return restrict_on_host(resolved, wanted)


class _Run(Buffers):
    def __init__(self, there: CandidatesThere, resolved: Resolved, wanted: Sequence[Wanted]) -> None:
        super().__init__(there.machine)
        self.there, self.resolved, self.wanted = there, resolved, wanted
        self.words = 2 * there.bitmaps.words
        self.count = there.members
        self.filter_words = 2 * (-(-self.count // 64))
        self.before = self._allocate(4 * (self.words + 1))
        self.members = self._allocate(4 * self.count)
        self.translated = self._allocate(4 * self.count)
        self.new_filters = self._allocate(4 * self.filter_words * len(there.bitmaps))
        self.lengths = self._allocate(8 * self.count * len(wanted))
        self.row = 2 * self.count + 1
        self.bounds = self._allocate(4 * self.row * len(wanted))
        self.bytes = 16 * self.count * len(wanted)
        self._stay_below_the_most()
        machine = self.machine.description
        self.chunk, self.blocks = pieces_of(self.words, len(wanted), machine, there.wishes)

    def made(self) -> Restricted:
        there, machine = self.there, self.machine
        machine.clear(self.lengths)
        self._scan(there.counts.address, self.before.address, 1, self.words, finish=True)
        args = self._args()
        for step in ("number", "gather", "count"):
            self._launch(step, args)
        tiles = self._scan(self.lengths.address, self.bounds.address, len(self.wanted), self.row - 1)
        totals = machine.snapshot(self.totals, TILES.itemsize * len(self.wanted)).value().view(TILES)
        entries = totals["sum"].astype(np.int64)
        begins = np.concatenate([[0], np.cumsum(-(-entries // 32) * 32)])
        self.bytes += 4 * int(begins[-1])
        self._stay_below_the_most()
        neighbors = self._allocate(max(4 * int(begins[-1]), 1))
        self._launch("write", tiles)
        self.relations["new_neighbors"] = neighbors.address + 4 * begins[:-1].astype(np.uint64)
        machine.write(self.tables, self.relations)
        self._launch("fill", args)
        csrs = tuple(
            FarCsr(
                machine,
                self.count,
                Slice(self.bounds, 4 * self.row * i, 4 * self.row),
                Slice(neighbors, 4 * int(begins[i]), 4 * int(entries[i])),
                self._lengths(totals[i]),
            )
            for i in range(len(self.wanted))
        )
        layout = FarLayout(self.resolved.whole, machine, self.count, self.members, self.translated)
        rows = range(len(there.bitmaps))
        return Restricted(layout, csrs, FarBits(machine, self.new_filters, self.filter_words // 2, rows))

    def _stay_below_the_most(self) -> None:
        """What is made here belongs to the query, so no cache can take it back."""
        if self.bytes > MOST_BYTES:
            raise OutOfMemory(self.bytes)

    def _lengths(self, total: NDArray[Any]) -> Lengths:
        first = int(total["first_long"])
        return Lengths(
            int(total["sum"]),
            (int(total["longest"]), int(total["next_longest"])),
            (int(total["above"]), int(total["next_above"])),
            self.there.hub_length,
            None if first == NO_VERTEX else first,
        )

    def _args(self) -> NDArray[Any]:
        there, graph = self.there, self.there.graph
        self.relations = np.zeros(len(self.wanted), RESTRICTED)
        for i, (relation, at, to) in enumerate(self.wanted):
            lists = graph.csr(self.resolved.csrs[relation], wide=False)
            self.kept.append(lists)
            one = self.relations[i]
            one["bounds"], one["neighbors"] = lists.bounds.address, lists.neighbors.address
            one["from"], one["to"] = self._bits(at), self._bits(to)
            one["lengths"] = self.lengths.address + 8 * self.count * i
            one["new_bounds"] = self.bounds.address + 4 * self.row * i
        filters = np.array([there.bitmaps.address(f) for f in range(len(there.bitmaps))], np.uint64)
        image = self.relations.tobytes() + filters.tobytes()
        self.tables = self._allocate(len(image))
        self.machine.write(self.tables, np.frombuffer(image, np.uint8))
        args = np.zeros((), RESTRICT_ARGS)
        args["relations"] = self.tables.address
        args["filters"] = self.tables.address + self.relations.nbytes
        args["all"], args["before"] = there.all.address, self.before.address
        args["vertex_at"] = graph.vertex_at().address
        args["members"], args["translated"] = self.members.address, self.translated.address
        args["new_filters"], args["num_members"] = self.new_filters.address, self.count
        args["num_filters"], args["filter_words"] = len(there.bitmaps), self.filter_words
        args["pieces"] = (self.words, self.chunk, len(self.wanted))
        return args

    def _bits(self, number: int) -> int:
        return self.there.all.address if number < 0 else self.there.bitmaps.address(number)

    def _scan(self, values: int, sums: int, rows: int, length: int, *, finish: bool = False) -> NDArray[Any]:
        """Sums of tiles and rows, and where `finish` says so of everything; the arguments."""
        tile = self.there.wishes.tile
        args = np.zeros((), SCAN_ARGS)
        tiles = self._allocate(TILES.itemsize * rows * -(-length // tile))
        self.totals = self._allocate(TILES.itemsize * rows)
        args["values"], args["sums"] = values, sums
        args["tiles"], args["totals"] = tiles.address, self.totals.address
        args["rows"], args["length"], args["tile"] = rows, length, tile
        args["long_from"] = self.there.hub_length
        for step in ("tiles", "carry", "write") if finish else ("tiles", "carry"):
            self._launch(step, args)
        return args

    def _launch(self, step: Step, args: NDArray[Any]) -> None:
        self.machine.launch(FilterKernel(step), self.blocks, 0, args)
