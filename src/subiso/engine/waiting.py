"""Waits for native runs: threads are native, and the calling thread looks for Ctrl-C, timeouts and progress."""

from __future__ import annotations

import os
import time
from typing import Any

from subiso.engine.base import Params, StoppedBy
from subiso.errors import QueryError

TICK = 0.05
"""Seconds between looks at the clock, the progress and Ctrl-C."""


def wait_for(run: Any, params: Params, started: float) -> StoppedBy | None:
    """Start a native run and wait for its end; what stopped it before, if anything."""
    try:  # Ctrl-C may come while it starts
        watch = Watch(run, params, started)
        run.start()
        while not run.wait(watch.patience()):
            watch.look()
    finally:
        run.close()
    check(run)
    return watch.stopped_by


class Watch:
    """Looks, from the calling thread, whether a run should stop."""

    def __init__(self, run: Any, params: Params, started: float) -> None:
        self.run = run
        self.params = params
        self.deadline = None if params.timeout is None else started + params.timeout
        self.stopped_by: StoppedBy | None = None
        self.next_look = 0.0

    def patience(self) -> float:
        """Seconds until the next look."""
        if self.deadline is None or self.stopped_by is not None:
            return TICK / 2
        return min(TICK / 2, max(self.deadline - time.perf_counter(), 0.0))

    def look(self) -> None:
        now = time.perf_counter()
        late = self.deadline is not None and now >= self.deadline and self.stopped_by is None
        if now < self.next_look and not late:
            return
        self.next_look = now + TICK
        if self.params.progress is not None:
            self.params.progress(self.run.progress())
        if self.stopped_by is not None or self.run.done():
            return
        if self.deadline is not None and now >= self.deadline:
            self.stopped_by = "timeout"
        elif self.params.poll is not None and self.params.poll():
            self.stopped_by = "cancelled"
        if self.stopped_by is not None:
            self.run.stop()


def check(run: Any) -> None:
    """An error where a run that has ended did not get its memory."""
    if run.failed():
        raise MemoryError("a worker of the CPU engine ran out of memory")


def threads_of(params: Params) -> int:
    """The threads to start: as asked for, or one per core that this process may use."""
    if params.threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if params.threads < 1:
        raise QueryError(f"threads is {params.threads}; it must be at least 1, or None for all cores")
    return params.threads
