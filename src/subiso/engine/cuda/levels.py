"""Schedule `levels` on the host's side: stages, windows, launches, totals and rows (see kernels/levels.cuh).

Stage by stage, the rows of a table are joined with the lists of their candidates, which gives the next table. All
candidates of a table's rows are numbered through, and a launch looks at a window of these numbers that is no larger
than the room in the next table: so memory is bounded whatever is found. What is left of a table waits until everything
below the window is done (depth first over windows, breadth first inside them).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso.engine.base import Rows
from subiso.engine.cuda.layout import CONTROL, offset_of
from subiso.engine.cuda.levels_kernel import LevelsKernel, Output
from subiso.engine.cuda.levels_launch import Launcher
from subiso.engine.cuda.levels_layout import LEVEL_STATE
from subiso.engine.cuda.levels_prepare import outline, prepare
from subiso.engine.cuda.levels_tune import Limits
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.filter.resolve import Resolved
from subiso.plan.plan import Plan

_EVERYTHING = (1 << 63) - 1


@dataclass(frozen=True)
class LevelsReport:
    """What a run did: for explain, tests and ablations."""

    kernel: LevelsKernel
    """The join's."""
    stages: tuple[str, ...]
    patterns: tuple[int, ...]
    """GENEVA's matching patterns, phase by phase."""
    capacities: tuple[int, ...]
    """Rows of the tables."""
    launches: int = 0
    windows: int = 0
    """Parts of tables that were joined."""
    waits: int = 0
    """Times that the host waited for the device."""
    search_bytes: int = 0
    """Device memory beside the graph."""
    limits: tuple[Limits, ...] = ()
    """Who joined the rows of each table."""
    copies: int = 0
    """Of lists that the warps of a block shared."""
    partitioned: bool = False
    """Only what a stage reads of the graph was on the device."""
    uploaded: int = 0
    """Bytes of the graph's relations that were copied to the device,"""
    resident: int = 0
    """and the most of them that were there at a time."""


class LevelsRun(Launcher):
    """One query on one machine, ready to be launched again and again."""

    def __init__(
        self,
        machine: Machine,
        graph: DeviceGraph,
        resolved: Resolved,
        plan: Plan,
        seeds: NDArray[np.uint32],
        *,
        wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
        batch_rows: int = 65_536,
        later: bool = False,
    ) -> None:
        """`later` says that `prepare` will be called, when the kernels of several runs have been compiled."""
        super().__init__(machine, outline(graph.cache.budget, resolved, plan, wishes), wishes.levels)
        self.graph, self.resolved, self.plan, self.seeds = graph, resolved, plan, seeds
        self.all_wishes, self.batch_rows = wishes, batch_rows
        self.num_seeds = len(seeds)
        self.listing = self.lowered.tail == "rows"
        self.windows = self.waits = 0
        self.descent: tuple[Callable[[], None], dict[int, int]] | None = None
        """What launches the first descent, where that is one launch, and where its windows end."""
        if not later:
            machine.load(self.kernels)
            self.prepare()

    def prepare(self) -> None:
        """Everything between knowing the kernels and launching them."""
        self.prepared = prepare(
            self.machine, self.graph, self.resolved, self.plan, self.seeds, self.all_wishes, self.outline
        )
        self.args, self.memory = self.prepared.args, self.prepared.memory
        self._begin()

    # ---- the face of a run ---------------------------------------------------------------------------------------
    def count(self, watch: Watch) -> int:
        """The number of matches; a part of it when the watch stopped the run."""
        for _ in self._walk(watch):
            pass
        high, low = int(self.control["count_high"]), int(self.control["count_low"])
        total = ((high - (1 << 64) if high >> 63 else high) << 64) | low
        return total * self.lowered.coefficient // self.lowered.divisor

    def rows(self, watch: Watch) -> Iterator[Rows]:
        """Batches of matches, window by window."""
        columns = self.lowered.num_levels
        for found in self._walk(watch):
            if found:
                batch = self.machine.read(self.prepared.out, found * columns * 4).view(np.uint32)
                table = batch.reshape(found, columns)
                for begin in range(0, found, self.batch_rows):
                    yield table[begin : begin + self.batch_rows]

    def stop(self) -> None:
        """Ends a running launch early, and those behind it."""
        self.machine.poke(self.memory.state, offset_of("stop"), 1)

    def progress(self) -> float:
        """The fraction of the seeds that were taken up."""
        return min(1.0, self.done[0] / max(self.num_seeds, 1))

    def report(self) -> LevelsReport:
        return LevelsReport(
            self._kernel("join", self._outputs(min(1, self.last))[-1]),
            tuple(stage.kind for stage in self.stages),
            tuple(phase.pattern for phase in self.outline.phases),
            tuple(self.prepared.capacities),
            self.launches,
            self.windows,
            self.waits,
            self.memory.search_bytes,
            tuple(Limits(*map(int, self._state(number)["limits"])) for number in range(self.last)),
            int(self.control["copies"]),
            self.prepared.store.partitioned,
            self.prepared.store.uploaded,
            self.prepared.store.resident,
        )

    @property
    def columns(self) -> int:
        return self.lowered.num_levels

    # ---- windows ---------------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        self.totals = [self.num_seeds] + [0] * self.last
        """Per stage what there is to look at: seeds, candidates, rows or combinations."""
        self.done = [0] * len(self.stages)
        self.seed_window = self.wishes.first_seeds if self.listing else _EVERYTHING
        self.control = np.zeros((), CONTROL)
        self.states = np.zeros(self.memory.num_states, LEVEL_STATE)

    def _walk(self, watch: Watch) -> Iterator[int]:
        """Goes through all windows; after each descent, how many rows are ready to be read."""
        self._begin()
        if not self.outline.at_once:
            self.machine.write(self.memory.state, np.zeros(self.memory.state_bytes, np.uint8))
        stage, first = 0, True
        while self.num_seeds and not watch.expired():
            self._descend(stage, first, watch)
            first = False
            if watch.stopped_by is None and not self.control["stop"]:
                yield int(self._state(self.last)["rows"]) if self.listing else 0
            left = [at for at in range(self.last + 1) if self.done[at] < self.totals[at]]
            if not left or self.control["stop"]:
                return
            stage = left[-1]

    def _descend(self, stage: int, first: bool, watch: Watch) -> None:
        """Does the next window of a stage, then the first ones of all stages below; waits once, at the end.

        Apart from the first time, windows of the stage are added up until they have filled half of the next table:
        lists say how many candidates there are, not how many will do.
        """
        if first and self.outline.at_once:
            ends = self._first_at_once()
            self._wait(watch)
            self._note(ends)
            return
        self._clear(*self.memory.cleared(stage))
        whole = first or stage == self.last or self.stages[stage].kind == "lists"
        base = 0
        while True:
            ends = {stage: self._window(stage, base, self.done[stage])}
            if whole:
                break
            self._wait(watch)
            self._note(ends)
            base = int(self._state(stage)["rows"])
            if self.done[stage] >= self.totals[stage] or 2 * base > self.prepared.capacities[stage]:
                break
            if watch.expired():
                return
        if base == 0 and not whole:
            return
        self._all_below(stage, ends, watch.over)
        self._wait(watch)
        self._note(ends)

    def _all_below(self, stage: int, ends: dict[int, int], over: Callable[[], bool]) -> None:
        """The first windows of the stages below one; where they end is added to `ends`.

        No further one once it is `over`: stages may have to wait for their part of the graph.
        """
        for below in range(stage + 1, self.last + 1):
            if over():
                return
            self._number(below - 1)
            ends[below] = self._window(below, 0, 0)
        if self.lowered.tail == "sizes" and not over():
            self._launch("tail", self.prepared.tail_args, reads=len(self.stages))

    def _first_at_once(self) -> dict[int, int]:
        """The first descent as one launch, which begins with nothing noted on the device."""
        if self.descent is None:
            self.noted = []
            self._clear(*self.memory.everything)
            ends = {0: self._window(0, 0, 0)}
            self._all_below(0, ends, lambda: False)
            noted, self.noted = self.noted, None
            self.descent = self._make_descent(noted), ends
        launch, ends = self.descent
        for number, stage in enumerate(self.stages):
            if stage.kind == "lists":
                for args in self.args[number]:
                    args["first_row"] = 0  # as the noted ones have it; later windows begin elsewhere
        self.windows += len(self.stages)
        self.launches += 1
        launch()
        return ends

    def _note(self, ends: dict[int, int]) -> None:
        """What the states say of the stages that were run, up to `ends`."""
        for number, end in ends.items():
            stage = self.stages[number]
            if number - 1 in ends:
                rows = stage.kind in ("lists", "sift")
                self.totals[number] = int(self._state(number - 1)["rows" if rows else "total"])
            reached = int(self._state(number)["rows"]) if stage.kind == "lists" else end
            self.done[number] = min(reached, self.totals[number])

    def _number(self, number: int) -> None:
        """Numbers the candidates of a table through, for the stage after it."""
        stage, after = self.stages[number], self.stages[number + 1]
        if stage.kind == "lists" or after.kind == "sift":
            return
        for args in self.prepared.offsets_args[number]:
            self._launch("offsets", args)

    def _window(self, number: int, base: int, begin: int) -> int:
        """Launches a window of a stage; where it ends."""
        self.windows += self.noted is None
        stage = self.stages[number]
        if stage.kind == "lists":
            return self._lists(number, begin)
        args = self.args[number][0]
        end = begin + self.prepared.capacities[number] - base
        if stage.kind == "seed":
            end = min(end, begin + self.seed_window, self.num_seeds)
            self.seed_window *= 2
        outputs = self._outputs(number)
        if outputs == ("total",):
            end = self.num_seeds if stage.kind == "seed" else _EVERYTHING
        args["begin"], args["end"], args["base"] = begin, end, base
        if stage.kind == "combine":
            args["first_row"] = self.args[number - 1][0]["first_row"]
        for output in outputs:
            if output in ("counts", "buffer", "write"):
                self._clear(*self.prepared.counts)
            self._launch(stage.kind, args, output, number)
            if output in ("counts", "buffer"):
                self._launch("places", args)
        if outputs != ("total",):
            found: Output = "tuples" if stage.kind == "combine" else outputs[-1]
            self._launch("link", args, found, reads=number + 1 if args["next_level"] else None)
        return end

    def _lists(self, number: int, begin: int) -> int:
        """Lists for as many rows as there is room for; the device says how many that is."""
        address, words = self.prepared.hand_counts[number]
        self._clear(address, words)
        for args in self.args[number]:
            args["first_row"] = begin
            self._launch("join", args, "buffer", number)
        self._launch("tally", self.args[number][0])
        self._launch("products", self.args[number][0])
        return begin

    def _state(self, number: int) -> NDArray[np.void]:
        state: NDArray[np.void] = self.states[self.memory.first_state[number]]
        return state

    def _wait(self, watch: Watch) -> None:
        self.waits += 1
        snapshot = self.machine.snapshot(self.memory.state, self.memory.state_bytes)
        watch.wait(self, snapshot)
        found = snapshot.value()
        self.control = found[: CONTROL.itemsize].view(CONTROL)[0]
        self.states = found[CONTROL.itemsize :].view(LEVEL_STATE)
        watch.look(self)
