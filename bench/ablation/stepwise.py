"""A device that waits after every copy and launch, so that a run of schedule `pipeline` can be told apart by steps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from subiso.engine.cuda.machine import Buffer, Kernel, Machine
from subiso.engine.cuda.pipeline_kernel import BuildKernel, JoinKernel

STEPS = ("copying", "building", "joining")


class Stepwise:
    """Nothing overlaps here, and every step has its launch or copy waited for: together they take longer than a run."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._own = machine.allocate(8)
        self.seconds = dict.fromkeys(STEPS, 0.0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def write(self, buffer: Buffer, array: NDArray[Any], offset: int = 0) -> None:
        with self._timed("copying"):
            self._machine.write(buffer, array, offset)

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        step = {BuildKernel: "building", JoinKernel: "joining"}.get(type(kernel))
        with self._timed(step):
            self._machine.launch(kernel, blocks, shared, args)

    @contextmanager
    def _timed(self, step: str | None) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self._machine.snapshot(self._own, 8).value()
        if step is not None:
            self.seconds[step] += time.perf_counter() - started
