"""A device that also measures, the time from a run's first kernel to the end of the copy of its result; and what
benchmarks of single techniques do with it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from numpy.typing import NDArray

from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import CudaMachine, CudaSnapshot, open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Buffer, Kernel
from subiso.engine.query import Query

_LONG = 2000.0
"""Milliseconds from which on a run is not repeated."""


class TimedMachine(CudaMachine):
    """Sums up the device's own time of runs; host time between launches is not in it."""

    def __init__(self, number: int = 0) -> None:
        open_device(number)  # says why where there is none
        super().__init__(number)
        self.began: Any = None
        self.intervals: list[tuple[Any, Any]] = []

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        self._kernel(kernel)  # compiled before the clock starts
        if self.began is None:
            self.began = self._event()
        super().launch(kernel, blocks, shared, args)

    def snapshot(self, buffer: Buffer, nbytes: int) -> CudaSnapshot:
        taken = super().snapshot(buffer, nbytes)
        if self.began is not None:
            self.intervals.append((self.began, self._event()))
            self.began = None
        return taken

    def milliseconds(self) -> float:
        """Of all runs since the last call."""
        self.stream.synchronize()
        elapsed = self.cupy.cuda.get_elapsed_time
        total = sum(elapsed(began, ended) for began, ended in self.intervals)
        self.intervals.clear()
        return float(total)

    def _event(self) -> Any:
        with self.device:
            event = self.cupy.cuda.Event()
            event.record(self.stream)
        return event


def best_by_plans(
    engine: CudaEngine, machine: TimedMachine, query: Query, repeat: int, limit: float
) -> tuple[int | None, float]:
    """The count and the least time after a run to warm up; (None, inf) where it does not end within the limit."""
    least = math.inf
    for number in range(repeat + 1):
        machine.milliseconds()
        outcome = engine.count(query, Params(timeout=limit, switches=Switches(sums=False)))
        spent = machine.milliseconds()
        if outcome.stopped_by is not None:
            return None, math.inf
        least = min(least, spent if number else math.inf)
        if number and spent > _LONG:
            break
    return outcome.count, least


def print_launches(
    machine: TimedMachine, state: Buffer, launches: Iterable[Any], name: Callable[[Any], str]
) -> None:
    """Runs them one by one: a line per name with its launches, blocks of the last, milliseconds in all."""
    machine.milliseconds()
    lines: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for launch in launches:
        machine.launch(launch.kernel, launch.blocks, launch.shared, launch.args)
        machine.snapshot(state, 8)
        line = lines[name(launch)]
        line[:] = [line[0] + 1, launch.blocks, line[2] + machine.milliseconds()]
    for what, (count, blocks, spent) in lines.items():
        print(f"    {what:48} {count:4.0f} launches {blocks:6.0f} blocks {spent:10.3f} ms", flush=True)
