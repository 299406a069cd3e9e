"""A count or listing on the candidate graph in a thread of its own, while plans or a device work at the same query."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar

from subiso.engine.aside import begin_aside
from subiso.engine.base import Params
from subiso.engine.candidate_lists import Listed, Lister
from subiso.engine.candidate_search import FIRST_STEPS, done_soon, fits, with_everyone, worth_racing
from subiso.engine.candidates import Counter, Eliminator, Found, count_candidates
from subiso.filter.resolve import Resolved

_PLACES = threading.Semaphore(2)
"""Races at a time: many of them would take memory and cores."""


Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class Job(Protocol[Result_co]):
    """What is done beside the other engine."""

    def run(self) -> Result_co | None:
        """None where it comes to nothing, or was stopped."""

    def stop(self) -> None:
        """From another thread."""


class Race(Generic[Result]):
    """The host's part in it; it takes place once the other engine has searched for `patience` seconds."""

    def __init__(self, make: Callable[[threading.Event], Job[Result]], patience: float) -> None:
        """`make` is called in the thread; the event says that the race is over."""
        self._stopped = threading.Event()
        self._make, self._patience = make, patience
        self._job: Job[Result] | None = None
        self._result: Future[Result | None] | None = None
        self._due = math.inf

    def __enter__(self) -> Race[Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def searching(self) -> None:
        """The other engine begins to search, perhaps one plan of several."""
        self._due = min(self._due, time.perf_counter() + self._patience)

    def begin(self) -> None:
        """Takes part from now on, unless earlier races that were stopped have not come to their end yet."""
        if self._result is None and _PLACES.acquire(blocking=False):
            try:
                self._result = begin_aside(self._run)
            except RuntimeError:  # no more threads
                _PLACES.release()
                self._due = math.inf

    def _run(self) -> Result | None:
        try:
            self._job = self._make(self._stopped)
            return None if self._stopped.is_set() else self._job.run()
        finally:
            _PLACES.release()

    def look(self) -> Result | None:
        """For those who search: begins when it is due; what was found, if it is there."""
        if time.perf_counter() >= self._due:
            self.begin()
        return self.found

    def overtakes(self) -> bool:
        """The same; whether it is there."""
        return self.look() is not None

    def overtakes_compiler(self) -> bool:
        """For those who wait for a compiler: begins in any case; whether the count is there."""
        self.begin()
        return self.found is not None

    @property
    def found(self) -> Result | None:
        """The count or the rows, if they are there by now."""
        result = self._result
        if result is None or not result.done() or result.exception() is not None:
            return None  # the other engine will say why, or do better
        return result.result()

    def stop(self) -> None:
        """Ends it as soon as it looks up."""
        self._stopped.set()
        if self._job is not None:
            self._job.stop()


def start(
    resolved: Resolved, params: Params, threads: int, started: float | None = None
) -> Found | Race[Found] | None:
    """A race beside a device where it may be had; the count, where it was asked for by name (`Switches.labelled`) or
    takes no longer than a plan.

    `started`: the moment that the timeout counts from; None: now.

    >>> from subiso.engine.base import Switches
    >>> from subiso.engine.query import make_query
    >>> from subiso.filter.resolve import resolve
    >>> from subiso.graph import Graph
    >>> graph = Graph.from_edges([0, 1], [1, 2], vertex_labels=["A", "B", "A"])
    >>> start(resolve(make_query(graph, "(a:A)--(b:B)")), Params(switches=Switches(labelled="search")), 1).count
    2
    """
    if params.switches.labelled != "auto":
        return count_candidates(resolved, params, threads, lambda: math.inf, started)
    race = may_race(resolved, params, threads, 0.0)
    if race is not None and done_soon(resolved):
        counter = Counter(resolved, params, threads, started=started)
        found = counter.searched()
        if found is not None:
            return found
        race = Race(counter.beside, 0.0)
    if race is not None:
        race.begin()  # planning takes time as well
    return race


def told(resolved: Resolved) -> str:
    """What `explain` says of the host's part beside a device; nothing where it has none."""
    if not _may(resolved, Params()):
        return ""
    if done_soon(resolved):
        steps = f"up to {FIRST_STEPS:,} steps of backtracking between the candidates"
        return f"the host first: {steps}; then it goes on beside the device"
    return "the host counts as well: whoever is done first answers"


def may_race(resolved: Resolved, params: Params, threads: int, patience: float) -> Race[Found] | None:
    """A race to count, unless the query cannot be counted so or something else was asked for."""
    if not _may(resolved, params):
        return None

    return Race(lambda over: Counter(resolved, params, threads).beside(over), patience)


def may_eliminate(resolved: Resolved, params: Params, patience: float) -> Race[Found] | None:
    """The same for maps of patterns of which some vertices may be anywhere."""
    everyone = with_everyone(resolved) if params.switches.labelled == "auto" else None
    if everyone is None:
        return None
    return Race(lambda _: Eliminator(everyone, params, 1, aside=True), patience)


def may_list(resolved: Resolved, params: Params, patience: float) -> Race[Listed] | None:
    """The same for listing."""
    if not _may(resolved, params):
        return None
    return Race(lambda _: Lister(resolved, params, aside=True), patience)


def _may(resolved: Resolved, params: Params) -> bool:
    return params.switches.labelled == "auto" and fits(resolved) and worth_racing(resolved)
