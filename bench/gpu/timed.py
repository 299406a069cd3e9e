"""A device that also measures: the time from a run's first kernel to the end of the copy of its result."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from subiso.engine.cuda.device import CudaMachine, CudaSnapshot
from subiso.engine.cuda.machine import Buffer, Kernel


class TimedMachine(CudaMachine):
    """Sums up the device's own time of runs; host time between launches is not in it."""

    def __init__(self, number: int = 0) -> None:
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
