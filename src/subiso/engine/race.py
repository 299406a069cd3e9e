"""A count on the candidate graph in a thread of its own, while another engine works at the same query."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from subiso.engine.base import Params
from subiso.engine.candidates import Counter, Found, count_candidates, fits, little_to_read, worth_racing
from subiso.filter.resolve import Resolved

_QUICK_STEPS = 10_000
"""Of backtracking, before there is a race."""


class Race:
    """The host's part in it."""

    def __init__(self, resolved: Resolved, params: Params, threads: int, made: Counter | None = None) -> None:
        """`made`: a counter that has the candidate graph already."""
        self._stopped = threading.Event()
        self._resolved, self._threads, self._counter = resolved, threads, made
        self._params = replace(params, progress=None, poll=self._stopped.is_set)
        self._pool = ThreadPoolExecutor(1)
        self._result = self._pool.submit(self._count)

    def _count(self) -> Found | None:
        if self._counter is None:
            self._counter = Counter(self._resolved, self._params, self._threads, aside=True)
        self._counter.params = self._params
        found = self._counter.searched()
        if found is not None or self._stopped.is_set():
            return found
        return self._counter.eliminated(lambda: math.inf)

    @property
    def won(self) -> bool:
        """Whether the count is there."""
        return self._result.done() and self.found is not None

    @property
    def found(self) -> Found | None:
        """What came of it, when it has ended."""
        if self._result.exception() is not None:  # the other engine will say it, or do better
            return None
        found = self._result.result()
        return None if found is None or found.stopped_by is not None else found

    def stop(self) -> None:
        """Ends it as soon as it looks up."""
        self._stopped.set()
        if self._counter is not None:
            self._counter.stop()
        self._pool.shutdown(wait=False)


def start(resolved: Resolved, params: Params, threads: int) -> Found | Race | None:
    """The count, where that takes less than a plan; a race where it may be had; None where other engines do better.

    >>> from subiso.engine.query import make_query
    >>> from subiso.filter.resolve import resolve
    >>> from subiso.graph import Graph
    >>> graph = Graph.from_edges([0, 1], [1, 2], vertex_labels=["A", "B", "A"])
    >>> start(resolve(make_query(graph, "(a:A)--(b:B)")), Params(), 1).count
    2
    """
    if params.switches.labelled != "auto":
        return count_candidates(resolved, params, threads, lambda: math.inf)
    if not fits(resolved) or not worth_racing(resolved):
        return None
    made = None
    if little_to_read(resolved):
        made = Counter(resolved, params, threads, aside=True)
        found = made.searched(_QUICK_STEPS)
        if found is not None:
            return found
    return Race(resolved, params, threads, made)
