"""Timeout, cancellation and progress of a search that runs in the calling thread (the reference engine's), and timeouts
that several steps share."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from subiso.engine.base import Params, StoppedBy
from subiso.errors import TimeoutReached

Item = TypeVar("Item")


class Stopped(Exception):
    """Carries the reason out of the search."""

    def __init__(self, reason: StoppedBy) -> None:
        self.reason: StoppedBy = reason


class Clock:
    """Timeout, cancellation and progress: `tick` at every step, a look at the time every 256th."""

    def __init__(self, params: Params) -> None:
        self._params = params
        self._start = time.perf_counter()
        self._last = self._start
        self._ticks = itertools.count(1)
        self.done = 0.0

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def tick(self) -> None:
        if next(self._ticks) % 256 == 1:
            self._look()

    def finish(self) -> None:
        if self._params.progress is not None:
            self._params.progress(1.0)

    def _look(self) -> None:
        now = time.perf_counter()
        timeout = self._params.timeout
        if timeout is not None and now - self._start >= timeout:
            raise Stopped("timeout")
        if now - self._last >= 0.1:
            self._last = now
            if self._params.progress is not None:
                self._params.progress(self.done)
            if self._params.poll is not None and self._params.poll():
                raise Stopped("cancelled")


class Deadline:
    """A timeout shared by the steps of one call.

    >>> Deadline(None).left() is None, Deadline(0.0).left()
    (True, 0.0)
    """

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout

    def left(self) -> float | None:
        """The seconds that are left; None where there is no end."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """For use between steps that cannot be stopped: TimeoutReached when it has passed."""
        if self._timeout is not None and self.left() == 0:
            raise unfinished(self._timeout)

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, with a check before each.

        >>> list(Deadline(None).each("abc"))
        ['a', 'b', 'c']
        """
        for item in items:
            self.check()
            yield item


NEVER = Deadline(None)
"""Does not pass."""


def unfinished(timeout: float, count: int = 0, done: list[Any] | None = None) -> TimeoutReached:
    """What is raised when a count was stopped: so much of it was known, and the answers before it."""
    message = f"the count was not finished within {timeout:g} s ({count} so far)"
    return TimeoutReached(message, count=count, done=done)
