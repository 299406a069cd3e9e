"""Where the seconds of a query go: filter, plan, compile, transfer, search."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Spent:
    """What a machine has spent since it was opened: seconds."""

    compile: float = 0.0
    """Making kernels ready: compiling them or reading them from the cache, and loading them."""
    transfer: float = 0.0
    """Copying arrays to the device."""
    hasty: int = 0
    """Not seconds: launches of kernels that were compiled in haste."""


@dataclass
class Times:
    """Seconds of one query. What is missing from the wall time is the host's own: buffers, arguments."""

    filter: float = 0.0
    """From the query to relations and candidates."""
    plan: float = 0.0
    compile: float = 0.0
    transfer: float = 0.0
    """The graph, where it is not there yet, and the plan's arguments."""
    search: float = 0.0
    """Launches, until their result is here."""
    hasty: int = 0
    """Not seconds: launches of kernels that were compiled in haste."""


@contextmanager
def adding(to: Spent | Times, name: str) -> Iterator[None]:
    """Adds the seconds that the block takes to a field.

    >>> times = Times()
    >>> with adding(times, "plan"):
    ...     pass
    >>> times.plan > 0, times.search
    (True, 0.0)
    """
    started = time.perf_counter()
    try:
        yield
    finally:
        setattr(to, name, getattr(to, name) + time.perf_counter() - started)
