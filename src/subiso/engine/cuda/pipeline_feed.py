"""Relations listed beside the calling thread, which looks after time limits, Ctrl-C and progress meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso.engine.aside import begin_aside
from subiso.engine.cuda.watch import Stoppable, Watch
from subiso.engine.twigs import RowSource

_PATIENCE = 0.01
_FEW = 1 << 14
"""Rows up to which listing takes less time than handing it over to another thread."""


@dataclass
class _Pending:
    """Rows that another thread lists, as something that a watch waits for."""

    future: Future[int]

    def ready(self) -> bool:
        # Blocking here lets the other thread have Python's lock, which a loop that only looks would keep.
        wait([self.future], timeout=_PATIENCE)
        return self.future.done()

    def value(self) -> NDArray[np.uint8]:
        self.future.exception()
        return np.zeros(0, np.uint8)


class Feeder:
    """Lists rows for a run, in one thread at a time; threads of its own are native code's business."""

    def __init__(self, run: Stoppable) -> None:
        self.run = run
        self.latest: Future[int] | None = None
        self.source: RowSource | None = None
        self.listing = 0.0
        """Seconds that rows were listed."""
        self.waiting = 0.0
        """Seconds that somebody waited for them."""

    def start(self, source: RowSource, call: Callable[[], int]) -> Future[int]:
        """Runs `call`, which lists rows of the source and says how many."""
        self.source = source

        def timed() -> int:
            began = time.perf_counter()
            try:
                return call()
            finally:
                self.listing += time.perf_counter() - began

        if source.most_rows <= _FEW:
            done: Future[int] = Future()
            done.set_result(timed())
            return done
        self.latest = begin_aside(timed)
        return self.latest

    def wait(self, watch: Watch, future: Future[int]) -> int:
        """The number of rows; those that a stopped call has found so far are none."""
        began = time.perf_counter()
        if not future.done():
            watch.wait(self.run, _Pending(future))
        self.waiting += time.perf_counter() - began
        return 0 if watch.expired() else future.result()

    def stop(self) -> None:
        """Ends the call that is running."""
        if self.source is not None:
            self.source.stop()

    def close(self) -> None:
        """Ends the thread."""
        self.stop()
        if self.latest is not None:
            wait([self.latest])
        self.latest = self.source = None
