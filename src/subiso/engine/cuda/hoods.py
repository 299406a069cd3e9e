"""Four-cycles in the neighbourhoods of all vertices, on the host's side: classes of hubs, rounds, launches.

The triangles of edges must be on the device (MotifRun, passes "tally" and "edges"). Hubs are taken up in rounds, so
that the lists of all neighbourhoods of a round fit into the memory for them (kernels/hoods*.cuh).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.hood_kernel import HoodKernel, Step
from subiso.engine.cuda.hood_layout import CURSOR_BYTES, HOOD_ARGS, HUB, MEMBER_BYTES
from subiso.engine.cuda.hood_tune import (
    ALIGNED,
    HoodClass,
    HoodWishes,
    ends_bytes,
    hood_classes,
    hub_bytes,
    rows_bytes,
    starts_of,
    within,
)
from subiso.engine.cuda.layout import CONTROL, offset_of
from subiso.engine.cuda.local_tune import rounds
from subiso.engine.cuda.motif_seeds import Work, portions
from subiso.engine.cuda.motifs import MotifRun
from subiso.engine.cuda.tune import TOTAL_BYTES, resident_blocks
from subiso.engine.cuda.watch import Watch


@dataclass
class _Launch:
    kernel: HoodKernel
    args: NDArray[Any]
    shared: int
    items: int
    blocks: int = 0


class HoodRun(Buffers):
    """The four-cycles of all neighbourhoods on one machine, ready to be counted again and again."""

    def __init__(self, run: MotifRun, wishes: HoodWishes = HoodWishes()) -> None:  # noqa: B008 (frozen)
        """`run` makes the triangles of edges, and must have done so before every count."""
        super().__init__(run.machine)
        wishes = within(wishes, run.machine.description.shared_per_block)
        self.run, self.wishes = run, wishes
        self.degrees, self.needed = run.work.degrees, run.work.inside
        self.launches: list[_Launch] = []
        if run.launches:
            self.args = self._args()
            self.machine.load(hood_kernels(run.work, wishes, wide=run.wide))
            self._plan(hood_classes(self.degrees, self.needed, wishes))
        self.state = self._allocate(CONTROL.itemsize + 8 * len(self.launches))
        for number, launch in enumerate(self.launches):
            launch.args["control"] = self.state.address
            launch.args["ticket"] = self.state.address + CONTROL.itemsize + 8 * number

    def count(self, watch: Watch) -> int:
        """The number of hubs with a four-cycle around them; worth nothing when the watch stopped the run."""
        self.machine.clear(self.state)
        for launch in self.launches:
            self.machine.launch(launch.kernel, launch.blocks, launch.shared, launch.args)
        snapshot = self.machine.snapshot(self.state, CONTROL.itemsize)
        watch.wait(self, snapshot)
        control = snapshot.value().view(CONTROL)[0]
        return (int(control["count_high"]) << 64 | int(control["count_low"])) // 2

    def stop(self) -> None:
        """Ends a running launch early, and those behind it."""
        self.machine.poke(self.state, offset_of("stop"), 1)

    def progress(self) -> float:
        """The fraction of all items that were taken up."""
        taken = self.machine.read(self.state, 8 * len(self.launches), CONTROL.itemsize).view(np.uint64)
        items = [launch.items for launch in self.launches]
        return sum(min(int(t), i) for t, i in zip(taken, items, strict=True)) / max(sum(items), 1)

    # ---- launches ----------------------------------------------------------------------------------------------
    def _plan(self, classes: list[HoodClass]) -> None:
        parts = {c: self._rounds(c) for c in classes if c.kind == "wedges"}
        lists = max((nbytes for some in parts.values() for _, nbytes in some), default=0)
        address = self._allocate(lists).address if lists else 0
        for c in classes:
            if c.kind == "rows":
                self._add_rows(c)
            elif c.kind == "unwritten":
                self._add_wedges("unwritten", c, self._hubs(c.hubs, c))
            else:
                for hubs, _ in parts[c]:
                    self._add_round(c, hubs, address)

    def _rounds(self, c: HoodClass) -> list[tuple[NDArray[np.int64], int]]:
        """The hubs of every round, and the memory that their lists take."""
        nbytes = hub_bytes(self.degrees[c.hubs], self.needed[c.hubs], _item(c))
        return [(c.hubs[i:j], int(nbytes[i:j].sum())) for i, j in rounds(nbytes, self.wishes.list_bytes)]

    def _add_rows(self, c: HoodClass) -> None:
        kernel = self._kernel("rows", c)
        each = rows_bytes(c.window)
        args = self.args.copy()
        args["capacity"] = c.window
        launch = self._add(kernel, args, each if c.block else each * c.warps, 0, len(c.hubs))
        teams = launch.blocks if c.block else launch.blocks * c.warps
        order, starts = portions(self.degrees[c.hubs] ** 2, teams * self.wishes.units_per_team)
        args["seeds"], args["starts"] = self._upload(c.hubs[order].astype(np.uint32)), self._upload(starts)
        args["num_items"] = launch.items = len(starts) - 1

    def _add_round(self, c: HoodClass, hubs: NDArray[np.int64], address: int) -> None:
        """Where lists begin, the lists, and the wedges: a launch each."""
        args = self._hubs(hubs, c)
        members = len(hubs) + int(self.degrees[hubs].sum())
        args["members"] = address
        args["cursors"] = address + MEMBER_BYTES * members
        args["lists"] = -(-(address + (MEMBER_BYTES + CURSOR_BYTES) * members) // ALIGNED) * ALIGNED
        batches = int((-(-self.degrees[hubs] // 32)).sum())
        own = ALIGNED * self.wishes.warps_per_block
        self._add(self._kernel("begins", c), args.copy(), own, len(hubs), len(hubs))
        self._add(self._kernel("fill", c), args.copy(), own, batches, batches)
        self._add_wedges("wedges", c, args)

    def _add_wedges(self, step: Step, c: HoodClass, args: NDArray[Any]) -> None:
        args["window"], args["chunk"] = c.window, 1 if c.block else self.wishes.chunk
        each = ends_bytes(c.window, _item(c))
        tasks = int(args["num_items"])
        self._add(self._kernel(step, c), args, each if c.block else each * c.warps, tasks, tasks)

    def _hubs(self, hubs: NDArray[np.int64], c: HoodClass) -> NDArray[Any]:
        """Arguments with the table of hubs; the number of items is that of their tasks."""
        sizes = self.degrees[hubs]
        table = np.zeros(len(hubs) + 1, HUB)
        table["vertex"][:-1], table["size"][:-1] = hubs, sizes
        table["first_item"] = starts_of(self.needed[hubs])
        table["first_member"] = starts_of(sizes + 1)
        table["first_batch"] = starts_of(-(-sizes // 32))
        table["first_task"] = starts_of(sizes * -(-sizes // c.window))
        args = self.args.copy()
        args["hubs"], args["num_hubs"] = self._upload(table), len(hubs)
        args["num_items"] = table["first_task"][-1]
        return args

    def _kernel(self, step: Step, c: HoodClass) -> HoodKernel:
        return _kernel(step, c, self.wishes, wide=self.run.wide)

    def _add(self, kernel: HoodKernel, args: NDArray[Any], shared: int, items: int, teams: int) -> _Launch:
        """`teams` many are of use."""
        machine, warps = self.machine, kernel.threads // 32
        shared = max(shared, TOTAL_BYTES * warps)
        each = resident_blocks(machine.description, warps, shared, machine.registers(kernel))
        held = machine.description.multiprocessors * each
        blocks = min(held, max(1, teams if kernel.block else -(-teams // warps)), self.wishes.blocks or held)
        args["num_items"] = items
        self.launches.append(_Launch(kernel, args, shared, items, blocks))
        return self.launches[-1]

    def _args(self) -> NDArray[Any]:
        args = np.zeros((), HOOD_ARGS)
        for name in ("relations", "triangles", "corners"):
            args[name] = self.run.args[name]
        return args


def hood_kernels(work: Work, wishes: HoodWishes, *, wide: bool) -> list[HoodKernel]:
    """All that a run on a graph with that work launches."""
    classes = hood_classes(work.degrees, work.inside, wishes)
    return [_kernel(step, c, wishes, wide=wide) for c in classes for step in _steps(c)]


def _kernel(step: Step, c: HoodClass, wishes: HoodWishes, *, wide: bool) -> HoodKernel:
    own = step in ("rows", "wedges", "unwritten")
    threads = 32 * (c.warps if own else wishes.warps_per_block)
    narrow = step not in ("fill", "wedges") or c.narrow
    return HoodKernel(step, c.block and own, narrow, wide, threads)


def _item(c: HoodClass) -> int:
    """Bytes of a list's entry, and of a counter."""
    return 2 if c.narrow else 4


def _steps(c: HoodClass) -> tuple[Step, ...]:
    return ("begins", "fill", "wedges") if c.kind == "wedges" else (c.kind,)
