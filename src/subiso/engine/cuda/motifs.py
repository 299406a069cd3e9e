"""Sums that motif counts are made of, on the host's side: passes over the graph as launches (kernels/motifs_*.cuh)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.layout import WIDE
from subiso.engine.cuda.local_tune import power_of_two
from subiso.engine.cuda.machine import Buffer, Kernel, Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.motif_kernel import MotifKernel, Pass
from subiso.engine.cuda.motif_layout import BOARD, MOTIF_ARGS, SUMS
from subiso.engine.cuda.motif_seeds import MotifWishes, Seeds, portions, work_of
from subiso.engine.cuda.relations import NO_HUB
from subiso.engine.cuda.tables import ABOVE, ALL, BELOW
from subiso.engine.cuda.tune import resident_blocks
from subiso.engine.cuda.watch import Watch
from subiso.storage.layout import RelationCsr

PASSES: dict[int, tuple[Pass, ...]] = {
    3: ("count", "vertices"),
    4: ("tally", "edges", "vertices"),
    5: ("tally", "edges", "vertices", "after", "cycles", "common"),
}
"""By the motifs' size."""
_SUM_BYTES = 16 * 10  # of shared memory per warp: at most ten sums of a block are added up there
_THREADS = 256  # of passes in which every lane works on its own
# Of shared memory per member: keys, and with places and counts (triangle_bytes in kernels/motifs_triangles.cuh).
_KEY_BYTES, _MEMBER_BYTES = 16, 28
_TEAM_BYTES = 32  # of shared memory beside a table (kernels/motifs_cycles.cuh)


@dataclass(frozen=True)
class _Tables:
    """What every block of a launch has in device memory, in words."""

    vertices: int
    """Of the graph: a count for each, and room to list those that have one."""
    pair_words: int = 0
    set_words: int = 0
    row_words: int = 0

    @property
    def others(self) -> int:
        """Words beside the counts."""
        return self.vertices + 2 * self.pair_words + self.set_words + self.row_words


@dataclass
class _Launch:
    kernel: MotifKernel
    args: NDArray[Any]
    shared: int
    most: int
    """Blocks that are of use, or that there is memory for."""
    seeds: Seeds | None = None
    """What teams work on; None where every lane has its own edge or vertex."""
    tables: _Tables | None = None
    blocks: int = 0
    units: int = 0


class MotifRun(Buffers):
    """The sums of one size on one machine, ready to be launched again and again."""

    def __init__(
        self,
        machine: Machine,
        graph: DeviceGraph,
        lists: RelationCsr,
        size: int,
        wishes: MotifWishes = MotifWishes(),  # noqa: B008 (frozen)
        passes: tuple[Pass, ...] | None = None,
        beside: Iterable[Kernel] = (),
    ) -> None:
        """`passes` are those to make, in an order that they can be made in; None = all that the size needs.

        `beside` are kernels of runs that come behind it, to be compiled at the same time.
        """
        super().__init__(machine)
        self.passes = PASSES[size] if passes is None else passes
        self.size, self.lists, self.wishes = size, lists, wishes
        self.work = work_of(lists)
        self.wide = len(lists.neighbors) >= WIDE
        self.launches: list[_Launch] = []
        self.board = self._allocate(BOARD.itemsize)
        self.cleared: list[Buffer] = [self.board]
        self.args = self._args(graph)
        if len(lists.neighbors):
            self._prepare()
            machine.load([*(launch.kernel for launch in self.launches), *beside])
            for number, launch in enumerate(self.launches):
                self._settle(launch, number)
            self._allocate_tables()

    def sums(self, watch: Watch) -> dict[str, int]:
        """By the names that native/motifs has for them; worth nothing when the watch stopped the run."""
        for buffer in self.cleared:
            self.machine.clear(buffer)
        for launch in self.launches:
            self.machine.launch(launch.kernel, launch.blocks, launch.shared, launch.args)
        snapshot = self.machine.snapshot(self.board, BOARD.itemsize)
        watch.wait(self, snapshot)
        halves = snapshot.value().view(BOARD)[0]["sums"]
        totals = [
            int(high) << 64 | int(low) for low, high in zip(halves[:, 0], _signed(halves[:, 1]), strict=True)
        ]
        return {name: total // divisor for (name, divisor), total in zip(SUMS.items(), totals, strict=True)}

    def stop(self) -> None:
        """Ends a running pass early, and those behind it."""
        self.machine.poke(self.board, int(BOARD.fields["stop"][1]), 1)  # type: ignore[index]

    def progress(self) -> float:
        """The fraction of all units that were taken up."""
        taken = self.machine.read(self.board, 8 * len(self.launches)).view(np.uint64)
        units = [launch.units for launch in self.launches]
        done = sum(min(int(t), u) for t, u in zip(taken, units, strict=True))
        return min(1.0, done / max(sum(units), 1))

    # ---- passes ------------------------------------------------------------------------------------------------
    def _prepare(self) -> None:
        for step in self.passes:
            if step == "cycles":
                self._cycles()
            elif step == "common":
                self._common()
            elif step in ("books", "edges", "vertices"):
                self._all(step)
            else:
                self._triangles(step)

    def _all(self, step: Pass) -> None:
        """A pass in which every lane has its own edge or vertex."""
        items = len(self.work.degrees) if step == "vertices" else len(self.lists.neighbors)
        kernel = MotifKernel(step, size=self.size, wide_offsets=self.wide, threads=_THREADS)
        self.launches.append(_Launch(kernel, self.args.copy(), _shared(kernel, 0), -(-items // _THREADS)))

    def _triangles(self, step: Pass) -> None:
        above, wishes = self.work.above, self.wishes
        large = np.flatnonzero(above > wishes.capacity)
        small = np.flatnonzero((above >= 2) & (above <= wishes.capacity))
        for seeds, block in ((large, True), (small, False)):
            if len(seeds):
                room = power_of_two(max(int(above[seeds].max()), 16))
                args = self.args.copy()
                args["capacity"] = capacity = min(room, wishes.block_capacity) if block else room
                shared = 16 + (_KEY_BYTES if step == "count" else _MEMBER_BYTES) * capacity
                self._teams(step, block, args, shared, Seeds(seeds, self.work.triangles))

    def _cycles(self) -> None:
        work, slots = self.work.cycles, self.wishes.slots
        args = self._with_bounds(BELOW, BELOW)
        seeds = np.flatnonzero(work)
        small = work[seeds] <= slots // 2
        tables = _Tables(len(work))
        self._teams("cycles", True, args, _TEAM_BYTES, Seeds(seeds[~small], work), tables)
        self._teams("cycles", False, args, _TEAM_BYTES + 10 * slots, Seeds(seeds[small], work))

    def _common(self) -> None:
        """Seeds with very long bit rows get few blocks, each with room for them."""
        work, slots, wishes = self.work, self.wishes.slots, self.wishes
        args = self._with_bounds(ALL, ABOVE)
        seeds = np.flatnonzero((work.degrees >= 2) & (work.common >= 2))
        small = (work.common[seeds] <= slots // 2) & (work.degrees[seeds] <= 32)
        rows = work.degrees[seeds] * work.words[seeds]
        large = ~small & (rows > wishes.row_bytes // 4)
        for some, most in ((large, wishes.large_bytes // 4), (~small & ~large, wishes.row_bytes // 4)):
            mine = seeds[some]
            if len(mine):
                pairs, sets = int(work.pairs[mine].max()), int((work.pairs[mine] * work.words[mine]).max())
                room = min(int(rows[some].max()), most)
                tables = _Tables(len(work.degrees), pairs, sets, room)
                self._teams("common", True, args, _TEAM_BYTES, Seeds(mine, work.common), tables)
        shared = _TEAM_BYTES + 10 * slots + 4 * (3 * (slots // 4) + 32)
        self._teams("common", False, args, shared, Seeds(seeds[small], work.common))

    # ---- launches ----------------------------------------------------------------------------------------------
    def _teams(
        self,
        step: Pass,
        block: bool,
        args: NDArray[Any],
        shared: int,
        seeds: Seeds,
        tables: _Tables | None = None,
    ) -> None:
        """A launch in which teams take seeds, unless there are none. `shared` is what one team needs."""
        if not len(seeds.numbers):
            return
        wishes = self.wishes
        warps = wishes.team_warps if block else wishes.warps_per_block
        most = len(seeds.numbers)
        if tables is not None:
            most = min(most, max(1, wishes.table_bytes // (4 * (tables.vertices + tables.others))))
            if most < 2 * self.machine.description.multiprocessors:
                warps *= 2
        kernel = MotifKernel(step, block, self.size, self.wide, 32 * warps)
        shared = _shared(kernel, shared if block else shared * warps)
        self.launches.append(
            _Launch(kernel, args.copy(), shared, most if block else -(-most // warps), seeds, tables)
        )

    def _settle(self, launch: _Launch, number: int) -> None:
        """As many blocks as the device holds at once, and the seeds in portions for them."""
        kernel, machine = launch.kernel, self.machine
        warps = kernel.threads // 32
        each = resident_blocks(machine.description, warps, launch.shared, machine.registers(kernel))
        held = machine.description.multiprocessors * each
        launch.blocks = min(held, launch.most, self.wishes.blocks or held)
        launch.args["ticket"] = number
        if launch.seeds is not None:
            teams = launch.blocks if kernel.block else launch.blocks * warps
            order, starts = portions(launch.seeds, teams, self.wishes.units_per_team)
            launch.args["seeds"], launch.args["starts"] = self._upload(order), self._upload(starts)
            launch.args["num_units"] = launch.units = len(starts) - 1

    def _allocate_tables(self) -> None:
        """Launches come one after the other, so they share memory. Every one leaves its counts zero."""
        needed = [(launch, launch.tables) for launch in self.launches if launch.tables is not None]
        if not needed:
            return
        counts = self._allocate(max(4 * launch.blocks * tables.vertices for launch, tables in needed))
        self.machine.clear(counts)
        scratch = self._allocate(max(4 * launch.blocks * tables.others for launch, tables in needed))
        for launch, tables in needed:
            table, args = launch.args["table"], launch.args
            table["counts"], table["stride"] = counts.address, tables.vertices
            at = scratch.address
            table["ends"] = at
            at += 4 * launch.blocks * tables.vertices
            for name, words in (
                ("pairs", tables.pair_words),
                ("numbers", tables.pair_words),
                ("sets", tables.set_words),
                ("rows", tables.row_words),
            ):
                args[name] = at
                at += 4 * launch.blocks * words
            args["pair_words"], args["set_words"] = tables.pair_words, tables.set_words
            args["row_words"] = tables.row_words

    # ---- arguments ---------------------------------------------------------------------------------------------
    def _args(self, graph: DeviceGraph) -> NDArray[Any]:
        args = np.zeros((), MOTIF_ARGS)
        on_device = graph.csr(self.lists, wide=self.wide)
        self.kept.append(on_device)
        relation = args["relations"][0]
        relation["bounds"], relation["neighbors"] = on_device.bounds.address, on_device.neighbors.address
        relation["first_hub"], relation["symmetric"] = NO_HUB, 1
        args["control"] = self.board.address
        args["num_vertices"], args["num_entries"] = len(self.work.degrees), len(self.lists.neighbors)
        if self.passes[0] == "tally":
            corners = 0
            if "edges" in self.passes:
                sources = graph.sources(self.lists)
                self.kept.append(sources)
                args["sources"] = sources.address
                corners = 8 * len(self.work.degrees)
            arrays = self._allocate(2 * corners + 4 * len(self.lists.neighbors))
            self.cleared.append(arrays)
            args["corners"], args["reach"] = arrays.address, arrays.address + corners
            args["triangles"] = arrays.address + 2 * corners
        return args

    def _with_bounds(self, base: int, end: int) -> NDArray[Any]:
        """Arguments of a pass that counts wedges: where the lists of a seed, and of its neighbours, are read."""
        args = self.args.copy()
        args["table"]["slots"], args["table"]["base"], args["table"]["end"] = self.wishes.slots, base, end
        return args


def _shared(kernel: MotifKernel, wanted: int) -> int:
    """Bytes of shared memory of a block."""
    return max(wanted, _SUM_BYTES * kernel.threads // 32)


def _signed(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.ascontiguousarray(words).view(np.int64)
