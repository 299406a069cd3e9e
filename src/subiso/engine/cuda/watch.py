"""Looks after a running search from the calling thread: time limit, cancellation, progress, Ctrl-C."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Protocol

from subiso.engine.base import Params, StoppedBy, part_of
from subiso.engine.cuda.machine import Snapshot

_TICK = 0.05
"""Seconds between looks at progress and cancellation."""
_REMIND = 0.01
"""Seconds between two requests to stop."""
_BUSY = 0.002
"""Seconds of waiting without sleep: small queries are over by then."""


class Stoppable(Protocol):
    def stop(self) -> None: ...

    def progress(self) -> float: ...


class Rival(Protocol):
    """Somebody else who may have the answer first (engine/race.py)."""

    def searching(self) -> None: ...

    def overtakes(self) -> bool: ...


class Watch:
    """One per query; knows what ended it early."""

    def __init__(self, params: Params, started: float, rival: Rival | None = None) -> None:
        """Once the rival has the answer the run is stopped, as if cancelled."""
        self.params = params
        self.rival = rival
        self.deadline = None if params.timeout is None else started + params.timeout
        self.stopped_by: StoppedBy | None = None
        self.looked = started

    def begin(self) -> None:
        """The search begins."""
        if self.rival is not None:
            self.rival.searching()

    def look(self, run: Stoppable) -> None:
        """For runs of many short waits: asks and shows progress now and then, as a long wait does."""
        now = time.perf_counter()
        if now - self.looked >= _TICK:
            self.looked = now
            self._look(run)

    def over(self) -> bool:
        """For work in steps that cannot be stopped: whether there is to be no further one."""
        now = time.perf_counter()
        if now - self.looked >= _TICK:
            self.looked = now
            self._ask()
        return self.expired()

    def wait(self, run: Stoppable, snapshot: Snapshot) -> None:
        """Until the snapshot is ready. Ctrl-C stops the run before it is passed on."""
        try:
            self._wait(run, snapshot)
        except BaseException:
            run.stop()
            snapshot.value()
            raise

    def expired(self) -> bool:
        """Whether the run was stopped or its time is over (noted, then, as what stopped it)."""
        if self.stopped_by is None and self.deadline is not None and time.perf_counter() >= self.deadline:
            self.stopped_by = "timeout"
        return self.stopped_by is not None or self.answered()

    def answered(self) -> bool:
        """Whether somebody else has the answer, so that there is no need to prepare or to go on."""
        if self.stopped_by is None and self.rival is not None and self.rival.overtakes():
            self.stopped_by = "cancelled"
            return True
        return False

    def shared(self, workers: int) -> list[Watch]:
        """A watch for each of several threads. The first one asks and shows progress; what stops one stops all."""
        quiet = replace(self.params, progress=None, poll=None)
        return [self] + [_Follower(quiet, self) for _ in range(workers - 1)]

    def part(self, i: int, n: int) -> Watch:
        """For run i of n that follow each other: its progress is a part of the whole, what stops it stops all."""
        own = replace(self.params, progress=part_of(self.params.progress, i, n))
        return _Follower(own, self, self.rival)

    def _wait(self, run: Stoppable, snapshot: Snapshot) -> None:
        began = looked = time.perf_counter()
        told = -math.inf
        while not snapshot.ready():
            now = time.perf_counter()
            # Told again and again: a launch that waits behind another one clears the flag when it starts.
            if now - told >= _REMIND and self.expired():
                told = now
                run.stop()
            if now - looked >= _TICK:
                looked = now
                self._look(run)
            if now - began > _BUSY:
                time.sleep(min(0.002, (now - began) / 10))

    def _look(self, run: Stoppable) -> None:
        if self.params.progress is not None:
            self.params.progress(run.progress())
        if self._ask():
            run.stop()

    def _ask(self) -> bool:
        """Whether the run is cancelled just now."""
        if self.stopped_by is None and self.params.poll is not None and self.params.poll():
            self.stopped_by = "cancelled"
            return True
        return False


class _Follower(Watch):
    """Looks after one of several machines or runs, for the watch that the query knows."""

    def __init__(self, params: Params, leader: Watch, rival: Rival | None = None) -> None:
        self.leader = leader
        super().__init__(params, leader.looked, rival)
        self.deadline = leader.deadline

    @property
    def stopped_by(self) -> StoppedBy | None:
        return self.leader.stopped_by

    @stopped_by.setter
    def stopped_by(self, reason: StoppedBy | None) -> None:
        if reason is not None:
            self.leader.stopped_by = reason
