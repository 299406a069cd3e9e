"""Launches of motif sums: how many blocks, which of them work on which seeds, and their tables in device memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.local_tune import grouped_by
from subiso.engine.cuda.machine import Buffer, Machine
from subiso.engine.cuda.motif_kernel import MotifKernel, Pass
from subiso.engine.cuda.motif_seeds import MotifWishes, Seeds, TileSeeds, portions
from subiso.engine.cuda.tune import resident_blocks

_SUM_BYTES = 16 * 10  # of shared memory per warp: at most ten sums of a block are added up there
_BLOCK_UNITS = 4  # times as many units for blocks that deal out wedges: the last ones should not be long


@dataclass(frozen=True)
class Tables:
    """What every block of a launch has in device memory, in words."""

    home: Literal["table", "far"]
    """The part of the arguments that says where counts and ends are."""
    counts: int
    """Which are zero between seeds."""
    ends: int
    others: Mapping[str, int] = field(default_factory=dict)
    """By the names of arguments that say where they begin."""

    @property
    def scratch(self) -> int:
        """Words beside the counts."""
        return self.ends + sum(self.others.values())


@dataclass
class Launch:
    kernel: MotifKernel
    args: NDArray[Any]
    shared: int
    most: int
    """Blocks that are of use, or that there is memory for."""
    seeds: Seeds | TileSeeds | None = None
    """What teams work on; None where every lane has its own edge or vertex."""
    tables: Tables | None = None
    blocks: int = 0
    units: int = 0


class MotifLaunches(Buffers):
    """The launches of one run, in their order."""

    def __init__(self, machine: Machine, size: int, wishes: MotifWishes, *, wide: bool) -> None:
        super().__init__(machine)
        self.size, self.wishes, self.wide = size, wishes, wide
        self.launches: list[Launch] = []
        self._uploaded: dict[int, int] = {}

    def team_warps(self, shared: int) -> int:
        """Of a block with so much shared memory: many where a multiprocessor holds few."""
        held = self.machine.description.shared_per_multiprocessor // (shared + 1024)
        return self.wishes.team_warps * (4 if held < 2 else 2 if held < 4 else 1)

    def add_lanes(self, step: Pass, args: NDArray[Any], items: int, threads: int) -> None:
        """A launch in which every lane has items of its own."""
        kernel = MotifKernel(step, size=self.size, wide_offsets=self.wide, threads=threads)
        self.launches.append(Launch(kernel, args.copy(), _shared(kernel, 0), -(-items // threads)))

    def add_teams(
        self,
        step: Pass,
        block: bool,
        args: NDArray[Any],
        shared: int,
        seeds: Seeds | TileSeeds,
        tables: Tables | None = None,
        warps: int | None = None,
    ) -> None:
        """A launch in which teams take seeds, unless there are none. `shared` is what one team needs."""
        if not len(seeds.numbers):
            return
        wishes = self.wishes
        most = len(seeds.numbers)
        if tables is not None:
            most = min(most, max(1, wishes.table_bytes // max(4 * (tables.counts + tables.scratch), 1)))
        if warps is None:
            warps = wishes.team_warps if block else wishes.warps_per_block
            if tables is not None and most < 2 * self.machine.description.multiprocessors:
                warps *= 2
        kernel = MotifKernel(step, block, self.size, self.wide, 32 * warps)
        shared = _shared(kernel, shared if block else shared * warps)
        self.launches.append(
            Launch(kernel, args.copy(), shared, most if block else -(-most // warps), seeds, tables)
        )

    def settle(self) -> Buffer:
        """Once the kernels are there: blocks, seeds and tables for all launches. Returns their tickets."""
        for launch in self.launches:
            self._settle(launch)
        self._allocate_tables()
        tickets = self._allocate(8 * max(len(self.launches), 1))
        for number, launch in enumerate(self.launches):
            launch.args["ticket"] = tickets.address + 8 * number
        return tickets

    def _settle(self, launch: Launch) -> None:
        """As many blocks as the device holds at once, and the seeds in portions for them."""
        kernel, machine = launch.kernel, self.machine
        warps = kernel.threads // 32
        each = resident_blocks(machine.description, warps, launch.shared, machine.registers(kernel))
        held = machine.description.multiprocessors * each
        launch.blocks = min(held, launch.most, self.wishes.blocks or held)
        if launch.seeds is None:
            return
        teams = launch.blocks if kernel.block else launch.blocks * warps
        seeds, units = launch.seeds, teams * self.wishes.units_per_team
        if isinstance(seeds, Seeds):
            order, starts = portions(seeds.work, units)
            launch.args["seeds"] = self._upload(seeds.numbers[order].astype(np.uint32))
        else:
            starts = grouped_by(seeds.work.astype(np.float64), units * _BLOCK_UNITS)
            launch.args["seeds"] = self._once(seeds.items.seeds)
            launch.args["parts"] = self._once(seeds.items.parts)
        launch.args["starts"] = self._upload(starts)
        launch.args["num_units"] = launch.units = len(starts) - 1

    def _once(self, array: NDArray[Any]) -> int:
        """Where it is on the device: tiles have the same items."""
        if id(array) not in self._uploaded:
            self._uploaded[id(array)] = self._upload(array)
        return self._uploaded[id(array)]

    def _allocate_tables(self) -> None:
        """Launches come one after the other, so they share memory. Every one leaves its counts zero."""
        needed = [(launch, launch.tables) for launch in self.launches if launch.tables is not None]
        if not needed:
            return
        counts = self._allocate(4 * max(1, *(launch.blocks * tables.counts for launch, tables in needed)))
        self.machine.clear(counts)
        scratch = self._allocate(4 * max(1, *(launch.blocks * tables.scratch for launch, tables in needed)))
        for launch, tables in needed:
            home, at = launch.args[tables.home], scratch.address
            home["counts"], home["ends"] = counts.address, at
            at += 4 * launch.blocks * tables.ends
            for name, words in tables.others.items():
                launch.args[name] = at
                at += 4 * launch.blocks * words


def _shared(kernel: MotifKernel, wanted: int) -> int:
    """Bytes of shared memory of a block."""
    return max(wanted, _SUM_BYTES * kernel.threads // 32)
