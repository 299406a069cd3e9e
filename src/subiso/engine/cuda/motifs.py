"""Sums that motif counts are made of, on the host's side: passes over the graph as launches (kernels/motifs_*.cuh)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import WIDE
from subiso.engine.cuda.local_tune import power_of_two
from subiso.engine.cuda.machine import Buffer, Kernel, Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.motif_kernel import Pass
from subiso.engine.cuda.motif_launches import MotifLaunches, Tables
from subiso.engine.cuda.motif_layout import BOARD, MOTIF_ARGS, SUMS
from subiso.engine.cuda.motif_seeds import MotifWishes, Seeds, TileSeeds, work_of
from subiso.engine.cuda.motif_tiles import MOST_FEW, PARTS, Items, Range, Ranges, cuts_of, dealt
from subiso.engine.cuda.relations import NO_HUB
from subiso.engine.cuda.tables import ABOVE, ALL
from subiso.engine.cuda.tune import resident_blocks
from subiso.engine.cuda.watch import Watch
from subiso.storage.layout import RelationCsr

PASSES: dict[int, tuple[Pass, ...]] = {
    3: ("count", "vertices"),
    4: ("tally", "edges", "vertices", "squares"),
    5: ("tally", "edges", "vertices", "after", "squares", "walks", "common"),
}
"""By the motifs' size."""
_THREADS = 256  # of passes in which every lane works on its own
# Of shared memory per member: keys, and with places and counts (triangle_bytes in kernels/motifs_triangles.cuh).
_KEY_BYTES, _MEMBER_BYTES = 16, 28
_TEAM_BYTES = 32  # of shared memory beside a table (kernels/motifs_tables.cuh, motifs_common.cuh)
# And of blocks that deal out lists and list ends (kernels/motifs_deal.cuh, motifs_tables.cuh).
_DEAL_BYTES = 1024 + 16 + 4 * MOST_FEW
_WALK_PARTS = 8  # of one seed: every one counts all of its wedges
_LISTED = 32  # of so many vertices in device memory, one may be listed as an end; where it is more, all are looked at


class MotifRun(MotifLaunches):
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
        super().__init__(machine, size, wishes, wide=len(lists.neighbors) >= WIDE)
        self.passes = PASSES[size] if passes is None else passes
        self.lists, self.work = lists, work_of(lists)
        self.board = self._allocate(BOARD.itemsize)
        self.cleared: list[Buffer] = [self.board]
        self.args = self._args(graph)
        if len(lists.neighbors):
            self._prepare()
            machine.load([*(launch.kernel for launch in self.launches), *beside])
            self.tickets = self.settle()
            self.cleared.append(self.tickets)

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
        if not self.launches:
            return 1.0
        taken = self.machine.read(self.tickets, 8 * len(self.launches)).view(np.uint64)
        units = [launch.units for launch in self.launches]
        done = sum(min(int(t), u) for t, u in zip(taken, units, strict=True))
        return min(1.0, done / max(sum(units), 1))

    # ---- passes ------------------------------------------------------------------------------------------------
    def _prepare(self) -> None:
        for step in self.passes:
            if step in ("squares", "walks") and not self.work.cycles.any():
                continue  # no wedges, perhaps no vertex that may be an end
            if step == "squares":
                self._squares()
            elif step == "walks":
                self._walks()
            elif step == "common":
                self._common()
            elif step in ("books", "edges", "vertices"):
                self._all(step, self.args)
            else:
                self._triangles(step)

    def _all(self, step: Pass, args: NDArray[Any]) -> None:
        """A pass in which every lane has its own edge or vertex."""
        items = len(self.work.degrees) if step in ("vertices", "cut") else len(self.lists.neighbors)
        self.add_lanes(step, args, items, _THREADS)

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
                self.add_teams(step, block, args, shared, Seeds(seeds, self.work.triangles[seeds]))

    def _squares(self) -> None:
        """Tile by tile; seeds with very few wedges are done with all of their ends at once."""
        degrees = self.work.degrees
        tiles = Ranges(degrees).tiles(self._tile_bytes)
        shared = self._block_bytes(max(tile.words for tile in tiles))
        items = self._items("squares", shared, PARTS)
        if items is None:
            return
        args, tile = self.args.copy(), self.args["tile"].copy()
        cursors = [self._allocate(4 * len(degrees)).address for _ in tiles[:2] if tiles[0].begin]
        for number, ends in enumerate(tiles):
            tile["range"], tile["cuts"] = _as_range(ends), self._upload(cuts_of(degrees, ends))
            tile["upper"] = tile["lower"]
            tile["lower"] = cursors[number % 2] if ends.begin else 0
            args["tile"] = tile
            if ends.begin:
                self._all("cut", args)
            share = float(degrees[ends.begin : ends.end].sum()) / len(self.lists.neighbors)
            seeds = TileSeeds(items, share, ends.words)
            self.add_teams("squares", True, args, shared, seeds, warps=self.team_warps(shared))

    def _walks(self) -> None:
        """With a table of all ends: a tile, and what is below it."""
        ranges = Ranges(self.work.degrees)
        tile = ranges.tiles(self._tile_bytes)[0]
        far = ranges.below(tile)
        shared = self._block_bytes(tile.words)
        items = self._items("walks", shared, _WALK_PARTS)
        if items is None:
            return
        args, listed = self.args.copy(), -(-(far.end - far.begin) // _LISTED)
        args["tile"]["range"], args["far"]["range"] = _as_range(tile), _as_range(far)
        args["far"]["capacity"] = listed
        seeds = TileSeeds(items, 1.0, tile.words)
        tables = Tables("far", far.words, listed)
        self.add_teams("walks", True, args, shared, seeds, tables, self.team_warps(shared))

    @property
    def _tile_bytes(self) -> int:
        return min(self.wishes.tile_bytes, self.machine.description.shared_per_block - self._block_bytes(0))

    def _block_bytes(self, words: int) -> int:
        """Of shared memory, for a table of that size."""
        return _TEAM_BYTES + _DEAL_BYTES + 4 * words

    def _items(self, step: Pass, shared: int, most: int) -> Items | None:
        """A launch for seeds with very few wedges; and the others, for blocks with so much shared memory."""
        work, slots, wishes = self.work.cycles, self.wishes.slots, self.wishes
        seeds = np.flatnonzero(work)
        mine, others = seeds[work[seeds] <= slots // 2], seeds[work[seeds] > slots // 2]
        args = self.args.copy()
        args["table"]["slots"] = slots
        self.add_teams(step, False, args, _TEAM_BYTES + 10 * slots, Seeds(mine, work[mine]))
        if not len(others):
            return None
        machine = self.machine.description
        held = machine.multiprocessors * resident_blocks(machine, self.team_warps(shared), shared, 1)
        return dealt(others, work[others], wishes.blocks or held, most, min(wishes.few_wedges, MOST_FEW))

    def _common(self) -> None:
        """Seeds with very long bit rows get few blocks, each with room for them."""
        work, slots, wishes = self.work, self.wishes.slots, self.wishes
        args = self.args.copy()
        args["table"]["slots"], args["table"]["base"], args["table"]["end"] = slots, ALL, ABOVE
        args["table"]["stride"] = len(work.degrees)
        seeds = np.flatnonzero((work.degrees >= 2) & (work.common >= 2))
        small = (work.common[seeds] <= slots // 2) & (work.degrees[seeds] <= 32)
        rows = work.degrees[seeds] * work.words[seeds]
        large = ~small & (rows > wishes.row_bytes // 4)
        for some, most in ((large, wishes.large_bytes // 4), (~small & ~large, wishes.row_bytes // 4)):
            mine = seeds[some]
            if len(mine):
                pairs, sets = int(work.pairs[mine].max()), int((work.pairs[mine] * work.words[mine]).max())
                room = min(int(rows[some].max()), most)
                args["pair_words"], args["set_words"], args["row_words"] = pairs, sets, room
                others = {"pairs": pairs, "numbers": pairs, "sets": sets, "rows": room}
                tables = Tables("table", len(work.degrees), len(work.degrees), others)
                self.add_teams("common", True, args, _TEAM_BYTES, Seeds(mine, work.common[mine]), tables)
        shared = _TEAM_BYTES + 10 * slots + 4 * (3 * (slots // 4) + 32)
        self.add_teams("common", False, args, shared, Seeds(seeds[small], work.common[seeds[small]]))

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


def _as_range(given: Range) -> tuple[int, ...]:
    return (given.begin, given.end, given.narrow_end, given.half_end, given.words, 0)


def _signed(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.ascontiguousarray(words).view(np.int64)
