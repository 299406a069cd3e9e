"""Schedules `fine` and `stack` on the host's side: launches, totals and rows (kernels/search.cuh is the device's side).

They differ in the sets that the search keeps: none, or those that are read more than once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from subiso.engine.base import Rows
from subiso.engine.cuda.buffers import LEAST_ROWS
from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.layout import CONTROL, offset_of
from subiso.engine.cuda.machine import Buffer
from subiso.engine.cuda.pool import NEVER
from subiso.engine.cuda.search_prepare import PreparedSearch
from subiso.engine.cuda.state import RunState
from subiso.engine.cuda.tune import LaunchConfig
from subiso.engine.cuda.watch import Watch

_PATIENCE = 0.002
"""Seconds between looks at a run that should end."""


@dataclass(frozen=True)
class Report:
    """What a run did: for explain, tests and ablations."""

    kernel: SearchKernel
    config: LaunchConfig
    launches: int = 0
    steps: int = 0
    tasks: int = 0
    """Steps and tasks of all warps, where the kernel measures them: 1 - tasks / (32 * steps) of the lanes idle."""
    gifts: int = 0
    """Times that work was handed over."""
    search_bytes: int = 0
    """Device memory beside the graph."""


class SearchRun(PreparedSearch):
    """One query on one machine, ready to be launched: `count` (again and again, for benchmarks) or `rows`."""

    def count(self, watch: Watch) -> int:
        """The number of matches; a part of it when the watch stopped the run."""
        return self.settled(self.total(watch))

    def total(self, watch: Watch, units: range | None = None) -> int:
        """The kernel's total, over some units of the initial pool or over all."""
        self.begin(units)
        return self.finish(watch)

    def begin(self, units: range | None = None) -> None:
        """Launches a counting run; `finish` waits for it."""
        self._begin(units)
        self._launch()

    def finish(self, watch: Watch) -> int:
        """The total of the run that was begun."""
        control = self._finish(watch)
        high, low = int(control["count_high"]), int(control["count_low"])
        return ((high - (1 << 64) if high >> 63 else high) << 64) | low

    def abandon(self) -> None:
        """Ends the run that was begun, and waits for its end."""
        while not self.snapshot.ready():
            self.stop()
            time.sleep(_PATIENCE)

    def settled(self, total: int) -> int:
        """A total, put right for symmetry."""
        return total * self.lowered.coefficient // self.lowered.divisor

    def rows(self, watch: Watch, units: range | None = None) -> Iterator[Rows]:
        """Batches of matches. While one buffer is read, the search fills the other."""
        first, capacity = self._first_rows(), self.config.row_capacity
        buffer = self._row_buffer(first)
        buffers: list[Buffer | None] = [buffer, None]
        at, room = 0, buffer.nbytes // (self.columns * 4)
        self._begin(units)
        self._launch_rows(buffer, room)
        while True:
            control = self._finish(watch)
            full = bool(control["full"])
            found = int(control["rows_end"] if full else control["rows"])
            mine = buffers[at]
            assert mine is not None and found <= room, "rows beyond the buffer"
            at = 1 - at
            more = full and not watch.expired()
            if more:
                other = buffers[at]
                if other is None or other.nbytes < capacity * self.columns * 4:
                    other = buffers[at] = self._row_buffer(capacity)
                    capacity = other.nbytes // (self.columns * 4)
                room = capacity
                self.state.resume()
                self._launch_rows(other, room)
            if found:
                batch = self.machine.read(mine, found * self.columns * 4).view(np.uint32)
                table = batch.reshape(found, self.columns)
                for begin in range(0, found, self.batch_rows):
                    yield table[begin : begin + self.batch_rows]
            if not more:
                return

    def stop(self) -> None:
        """Ends a running launch early."""
        for state in self.states:
            self.machine.poke(state.buffer, offset_of("stop"), 1)

    def progress(self) -> float:
        """The fraction of the initial pool that was taken up."""
        return min(1.0, self._word(self.state, "next") / max(self.units, 1))

    def report(self) -> Report:
        return Report(
            self.kernel,
            self.config,
            self.launches,
            int(self.last["steps"]),
            int(self.last["tasks"]),
            int(self.last["gifts"]),
            self.search_bytes,
        )

    def _word(self, state: RunState, name: str) -> int:
        return int(self.machine.read(state.buffer, 8, offset_of(name)).view(np.uint64)[0])

    # ---- launching ---------------------------------------------------------------------------------------------
    def _begin(self, units: range | None) -> None:
        """Fresh control blocks and, where the plan has one, the initial pool. Nobody waits for it here."""
        for state in self.states:
            state.reset(units.start if units else 0)
        self.args["pool"]["last_unit"] = self.args["seeds"]["last_unit"] = units.stop if units else NEVER
        if self.grower is not None:
            g = self.grower
            self.machine.launch(g.kernel, g.config.blocks, g.config.shared_bytes, g.args)

    def _launch(self) -> None:
        self.launches += 1
        self.machine.launch(self.kernel, self.config.blocks, self.config.shared_bytes, self.args)
        self.snapshot = self.machine.snapshot(self.state.buffer, CONTROL.itemsize)

    def _launch_rows(self, buffer: Buffer, capacity: int) -> None:
        self.args["rows"], self.args["row_capacity"] = buffer.address, capacity
        self._launch()

    def _finish(self, watch: Watch) -> Any:
        watch.wait(self, self.snapshot)
        self.last = self.snapshot.value().view(CONTROL)[0]
        return self.last

    def _first_rows(self) -> int:
        """A small first launch, for those who want a few rows only; all of them where a row is a seed."""
        least = self.num_seeds if self.lowered.num_levels == 1 else 32
        return max(least, min(self.config.row_capacity, self.batch_rows))

    def _row_buffer(self, rows: int) -> Buffer:
        """A buffer of that many rows, or of fewer where memory is short."""
        least = self.num_seeds if self.lowered.num_levels == 1 else LEAST_ROWS
        return self._output(rows, 4 * self.columns, least)
