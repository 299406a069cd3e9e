"""A count or listing on the candidate graph in a thread of its own, while plans or a device work at the same query."""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
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
"""Jobs at a time: many of them would take memory and cores."""
_ENDING: set[Counter] = set()
"""Counts that were stopped, until their threads have ended: who lets go of one before waits for that."""

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class Race(ABC, Generic[Result]):
    """The host's part in it; it takes place once the other engine has searched for `patience` seconds."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._due = math.inf

    def __enter__(self) -> Race[Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @abstractmethod
    def begin(self) -> None:
        """Takes part from now on, unless earlier races that were stopped have not come to their end yet."""

    @property
    @abstractmethod
    def found(self) -> Result | None:
        """The count or the rows, if they are there by now."""

    @abstractmethod
    def stop(self) -> None:
        """Ends it as soon as it looks up."""

    def searching(self) -> None:
        """The other engine begins to search, perhaps one plan of several."""
        self._due = min(self._due, time.perf_counter() + self._patience)

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


class CountRace(Race[Found]):
    """Counts."""

    def __init__(self, resolved: Resolved, params: Params, threads: int, patience: float) -> None:
        super().__init__(patience)
        self._make: Callable[[], Counter] = lambda: Counter(resolved, params, threads)
        self._here = resolved.narrowed.here
        self._counter: Counter | None = None
        self._begun = self._stopped = False

    def begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        if self._here or self._counter is not None:
            self._begin()
            return
        try:  # candidates that are on a device are brought by a thread
            begin_aside(self._begin)
        except RuntimeError:
            self._due = math.inf

    def _begin(self) -> None:
        _let_go()
        if self._counter is None:
            self._counter = self._make()
        self._begun = self._counter.begin()
        if self._stopped:
            self._counter.stop()

    def wait(self) -> None:
        """Until the first steps are over, where they have begun."""
        if self._begun and self._counter is not None:
            self._counter.wait()

    @property
    def found(self) -> Found | None:
        return None if self._counter is None else self._counter.found

    def stop(self) -> None:
        self._stopped = True
        counter = self._counter
        if counter is not None:
            counter.stop()
            _ENDING.add(counter)
            _let_go()


def _let_go() -> None:
    """Of counts whose threads have ended."""
    for counter in list(_ENDING):
        if counter.over:
            _ENDING.discard(counter)


class Job(Protocol[Result_co]):
    """What is done beside the other engine."""

    def run(self) -> Result_co | None:
        """None where it comes to nothing, or was stopped."""

    def stop(self) -> None:
        """From another thread."""


class JobRace(Race[Result]):
    """Does anything else, in a thread of the interpreter."""

    def __init__(self, make: Callable[[], Job[Result]], patience: float) -> None:
        """`make` is called in the thread."""
        super().__init__(patience)
        self._make = make
        self._job: Job[Result] | None = None
        self._result: Future[Result | None] | None = None
        self._stopped = False

    def begin(self) -> None:
        if self._result is None and _PLACES.acquire(blocking=False):
            try:
                self._result = begin_aside(self._run)
            except RuntimeError:  # no more threads
                _PLACES.release()
                self._due = math.inf

    def _run(self) -> Result | None:
        try:
            self._job = self._make()
            return None if self._stopped else self._job.run()
        finally:
            _PLACES.release()

    @property
    def found(self) -> Result | None:
        result = self._result
        if result is None or not result.done() or result.exception() is not None:
            return None  # the other engine will say why, or do better
        return result.result()

    def stop(self) -> None:
        self._stopped = True
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
    race = may_race(resolved, params, max(1, threads // 2), 0.0)  # planning takes a core, too
    if race is None:
        return None
    race.begin()
    if done_soon(resolved):
        race.wait()
    return race.found or race


def told(resolved: Resolved) -> str:
    """What `explain` says of the host's part beside a device; nothing where it has none."""
    if not _may(resolved, Params()):
        return ""
    if done_soon(resolved):
        steps = f"up to {FIRST_STEPS:,} steps of backtracking between the candidates"
        return f"the host first: {steps}; then it goes on beside the device"
    return "the host counts as well: whoever is done first answers"


def may_race(resolved: Resolved, params: Params, threads: int, patience: float) -> CountRace | None:
    """A race to count, unless the query cannot be counted so or something else was asked for."""
    return CountRace(resolved, params, threads, patience) if _may(resolved, params) else None


def may_eliminate(resolved: Resolved, params: Params, patience: float) -> Race[Found] | None:
    """The same for maps of patterns of which some vertices may be anywhere."""
    everyone = with_everyone(resolved) if params.switches.labelled == "auto" else None
    if everyone is None:
        return None
    return JobRace(lambda: Eliminator(everyone, params, 1, aside=True), patience)


def may_list(resolved: Resolved, params: Params, patience: float) -> Race[Listed] | None:
    """The same for listing."""
    if not _may(resolved, params):
        return None
    return JobRace(lambda: Lister(resolved, params, aside=True), patience)


def _may(resolved: Resolved, params: Params) -> bool:
    return params.switches.labelled == "auto" and fits(resolved) and worth_racing(resolved)
