"""A count on the candidate graph in a thread of its own, while plans or a device work at the same query."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import Future
from dataclasses import replace

from subiso.engine.base import Params
from subiso.engine.candidates import Counter, Found, count_candidates, fits, worth_racing
from subiso.filter.resolve import Resolved

_PATIENCE = 3e-3
"""Seconds that a device has for its search before the host begins: most are over by then, and a thread beside them
would only delay them."""
_PLACES = threading.Semaphore(2)
"""Races at a time: making a candidate graph cannot be stopped, and many of them would take memory and cores."""


class Race:
    """The host's part in it; it takes place once the other engine has searched for `patience` seconds."""

    def __init__(self, resolved: Resolved, params: Params, threads: int, patience: float) -> None:
        self._stopped = threading.Event()
        self._resolved, self._threads, self._patience = resolved, threads, patience
        self._counter: Counter | None = None
        self._params = replace(params, progress=None, poll=self._stopped.is_set)
        self._result: Future[Found | None] | None = None
        self._due = math.inf

    def __enter__(self) -> Race:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def searching(self) -> None:
        """The other engine begins to search, perhaps one plan of several."""
        self._due = min(self._due, time.perf_counter() + self._patience)

    def begin(self) -> None:
        """Counts from now on, unless earlier races that were stopped have not come to their end yet."""
        if self._result is None and _PLACES.acquire(blocking=False):
            # Not by an executor: these take no work once the main thread has ended, while others may still count.
            result: Future[Found | None] = Future()
            try:
                threading.Thread(target=self._count, args=(result,)).start()
            except RuntimeError:  # no more threads
                _PLACES.release()
                self._due = math.inf
            else:
                self._result = result

    def _count(self, result: Future[Found | None]) -> None:
        try:
            result.set_result(self._counted())
        except BaseException as error:  # the other engine will say why, or do better
            result.set_exception(error)
        finally:
            _PLACES.release()

    def _counted(self) -> Found | None:
        self._counter = Counter(self._resolved, self._params, self._threads, aside=True)
        found = self._counter.searched()
        if found is not None or self._stopped.is_set():
            return found
        return self._counter.eliminated(lambda: math.inf)

    def overtakes(self) -> bool:
        """For those who search: begins when it is due; whether the count is there."""
        if time.perf_counter() >= self._due:
            self.begin()
        return self.found is not None

    def overtakes_compiler(self) -> bool:
        """For those who wait for a compiler: begins in any case; whether the count is there."""
        self.begin()
        return self.found is not None

    @property
    def found(self) -> Found | None:
        """The count, if it is there by now."""
        result = self._result
        if result is None or not result.done() or result.exception() is not None:
            return None  # the other engine will say why, or do better
        found = result.result()
        return None if found is None or found.stopped_by is not None else found

    def stop(self) -> None:
        """Ends it as soon as it looks up."""
        self._stopped.set()
        if self._counter is not None:
            self._counter.stop()


def start(resolved: Resolved, params: Params, threads: int) -> Found | Race | None:
    """A race beside a device where it may be had; the count, where it was asked for by name (`Switches.labelled`).

    >>> from subiso.engine.base import Switches
    >>> from subiso.engine.query import make_query
    >>> from subiso.filter.resolve import resolve
    >>> from subiso.graph import Graph
    >>> graph = Graph.from_edges([0, 1], [1, 2], vertex_labels=["A", "B", "A"])
    >>> start(resolve(make_query(graph, "(a:A)--(b:B)")), Params(switches=Switches(labelled="search")), 1).count
    2
    """
    if params.switches.labelled != "auto":
        return count_candidates(resolved, params, threads, lambda: math.inf)
    return may_race(resolved, params, threads, _PATIENCE)


def told(resolved: Resolved) -> str:
    """What `explain` says of the host's part beside a device; nothing where it has none."""
    if may_race(resolved, Params(), 1, _PATIENCE) is None:
        return ""
    return f"the host counts as well once the search has taken {1000 * _PATIENCE:.0f} ms"


def may_race(resolved: Resolved, params: Params, threads: int, patience: float) -> Race | None:
    """A race, unless the query cannot be counted so or something else was asked for."""
    if params.switches.labelled != "auto" or not fits(resolved) or not worth_racing(resolved):
        return None
    return Race(resolved, params, threads, patience)
