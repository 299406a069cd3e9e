"""A count on the candidate graph in a thread of its own, while another engine works at the same query."""

from __future__ import annotations

import math
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from subiso.engine.base import Params
from subiso.engine.candidates import Counter, Found, count_candidates, fits, little_to_read, worth_racing
from subiso.filter.resolve import Resolved
from subiso.plan.problem import Problem

_FEW = 3e4
"""Matches up to which they are searched for before anything is planned; ..."""
_FEW_OF_LARGE = 1e6
"""... the same for patterns of more vertices than _SMALL, whose plans take longer to make."""
_SMALL = 8
_MANY = 1e8
"""Matches from which on a race begins before anything is planned."""
_LONG_PLAN = 3e6
"""Operations of a plan from which on there is a race at all: shorter ones are done when it begins."""
_PLACES = threading.Semaphore(2)
"""Races at a time: making a candidate graph cannot be stopped, and many of them would take memory and cores."""


class Race:
    """The host's part in it; it takes place if `begin` is called."""

    def __init__(self, resolved: Resolved, params: Params, threads: int, made: Counter | None = None) -> None:
        """`made`: a counter that has searched in vain already."""
        self._stopped = threading.Event()
        self._resolved, self._threads, self._counter = resolved, threads, made
        self._searched = made is not None
        self._params = replace(params, progress=None, poll=self._stopped.is_set)
        self._result: Future[Found | None] | None = None

    def planned(self, cost: float) -> None:
        """Begins, unless the other engine's plan is short."""
        if cost >= _LONG_PLAN:
            self.begin()

    def begin(self) -> None:
        """Counts from now on, unless earlier races that were stopped have not come to their end yet."""
        if self._result is None and _PLACES.acquire(blocking=False):
            pool = ThreadPoolExecutor(1)
            self._result = pool.submit(self._count)
            pool.shutdown(wait=False)  # the thread ends when it has counted

    def _count(self) -> Found | None:
        try:
            return self._counted()
        finally:
            _PLACES.release()

    def _counted(self) -> Found | None:
        if self._counter is None:
            self._counter = Counter(self._resolved, self._params, self._threads, aside=True)
        self._counter.params = self._params
        found = None if self._searched else self._counter.searched()
        if found is not None or self._stopped.is_set():
            return found
        return self._counter.eliminated(lambda: math.inf)

    def overtakes(self) -> bool:
        """For those who wait for a compiler: begins in any case; whether the count is there."""
        self.begin()
        return self.won

    @property
    def won(self) -> bool:
        """Whether the count is there."""
        return self._result is not None and self._result.done() and self.found is not None

    @property
    def found(self) -> Found | None:
        """What came of it, when it has ended."""
        if self._result is None or self._result.exception() is not None:
            return None  # the other engine will say why, or do better
        found = self._result.result()
        return None if found is None or found.stopped_by is not None else found

    def stop(self) -> None:
        """Ends it as soon as it looks up."""
        self._stopped.set()
        if self._counter is not None:
            self._counter.stop()


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
    made, matches = None, expected_matches(resolved.problem)
    few = _FEW if resolved.problem.num_vertices <= _SMALL else _FEW_OF_LARGE
    if little_to_read(resolved) and matches <= few:
        made = Counter(resolved, params, threads, aside=True)
        found = made.searched()
        if found is not None:
            return found
    race = Race(resolved, params, threads, made)
    if matches >= _MANY:
        race.begin()
    return race


def expected_matches(problem: Problem) -> float:
    """How many there are, were every pair of candidates joined as likely as any other."""
    found = sum(math.log(max(size, 1.0)) for size in problem.sizes)
    for k, (ahead, _) in zip(problem.links, problem.fans, strict=True):
        found += math.log(max(ahead, 1e-9) / max(problem.sizes[k.b], 1.0))
    return math.exp(min(found, 700.0))
