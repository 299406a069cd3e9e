"""What counting (candidates.py) and listing (candidate_lists.py) between candidates share: when it is tried, the search
and the clock beside it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import replace
from functools import partial
from typing import Any

from subiso import _native
from subiso.engine.aside import begin_aside
from subiso.engine.base import Params, StoppedBy
from subiso.filter.narrow import native_narrowed
from subiso.filter.resolve import Resolved
from subiso.plan.greedy import greedy_order
from subiso.plan.order import EXHAUSTIVE_UP_TO
from subiso.plan.problem import Problem
from subiso.storage.statistics import statistics_of

FIRST_STEPS = 50_000
"""Of backtracking, before anything else is tried: one or two milliseconds."""
LONG_STEPS = 50_000_000
"""The same beside a plan that takes long, after anything else: one or two seconds."""
_UNLIMITED = 2**63
_LITTLE_READ = 100_000  # list elements: less than making a plan takes
_LEAST_READ = 10_000
_LEAST_MATCHES = 1e6
"""List elements, and partial matches that are expected, up to which queries are mostly done within their first steps:
of 216 such queries on nine graphs 205 were."""
_MOST_READ = 20_000_000  # list elements that making the candidate graph may look at
_TICK = 0.05  # seconds


def fits(resolved: Resolved) -> bool:
    """Whether the query can be counted here: all vertices have candidates, and nothing but edges joins them."""
    filters = resolved.problem.filters
    return bool(filters) and all(filters) and _only_edges(resolved.problem)


def _only_edges(problem: Problem) -> bool:
    return not (problem.pairs or problem.imposed or problem.edges_to_tell_apart or problem.narrowed)


def with_everyone(resolved: Resolved) -> Resolved | None:
    """The same where all vertices are candidates of those pattern vertices that have none: maps may be counted so, as
    nothing need be taken out of their sum. None where that is too much, or something else is asked."""
    problem, csrs = resolved.problem, resolved.csrs
    if fits(resolved) or problem.injective or problem.forbidden or not _only_edges(problem):
        return None
    candidates = problem.num_vertices * resolved.layout.num_vertices
    if candidates + sum(csrs[link.forward].num_entries for link in problem.links) > _MOST_READ:
        return None

    def native() -> Any:
        everyone = resolved.whole.everyone
        bits = [resolved.filters[f[0]] if f else everyone for f in problem.filters]
        n = resolved.layout.graph.num_vertices
        return native_narrowed(n, False, problem.links, csrs, bits, [None] * len(bits), ())

    return replace(resolved, narrowed=replace(resolved.narrowed, native=native))


def worth_racing(resolved: Resolved) -> bool:
    """Whether making the candidate graph may come to an end before another engine has done everything."""
    return resolved.narrowed.reading <= _MOST_READ


def done_soon(resolved: Resolved) -> bool:
    """Whether the first steps are tried before a device is asked: in vain, they would only keep it waiting."""
    if not resolved.narrowed.here or resolved.narrowed.reading > _LEAST_READ:
        return False
    return sum(greedy_order(resolved.problem, statistics_of(resolved.layout.graph))[1]) <= _LEAST_MATCHES


def worth_making(resolved: Resolved, plan_cost: Callable[[], float]) -> bool:
    """Whether the candidate graph is made. Plans of small patterns, whose cost is known well, may be done by then."""
    if resolved.narrowed.reading <= _LITTLE_READ:
        return True
    if not worth_racing(resolved):
        return False
    return resolved.problem.num_vertices > EXHAUSTIVE_UP_TO or plan_cost() > 10 * resolved.narrowed.reading


class Searcher:
    """What runs on one query's candidate graph, and the clock beside it."""

    def __init__(
        self, resolved: Resolved, params: Params, *, started: float | None = None, aside: bool = False
    ) -> None:
        """`started`: the moment that the timeout counts from, if that is not now. `aside`: somebody else looks after
        the clock, and calls `stop`."""
        self.started = time.perf_counter() if started is None else started
        self.aside = aside
        self.problem, self.params = resolved.problem, params
        self.why: StoppedBy | None = None
        assert resolved.narrowed.native is not None, "some pattern vertex has no candidates"
        self.graph: Any = _native.candidate_graph(resolved.narrowed.native())
        self.reading = resolved.narrowed.reading

    @property
    def forbidden(self) -> list[tuple[int, int, int]]:
        """Pairs that must not be joined, as the native side reads them."""
        return [(k.a, k.b, k.forward) for k in self.problem.forbidden]

    def stop(self) -> None:
        """Ends what is running, and keeps the next from beginning."""
        self.graph.stop()

    def made(self) -> bool:
        """Makes the graph, unless that was done; False when it was stopped."""
        whole: bool = self.stoppable(self.graph.make, self.reading)
        return whole

    def stoppable(self, call: Callable[[], Any], reading: float) -> Any:
        """What a native call that looks at so many list elements gives; at once, where a thread would only delay it."""
        return call() if reading <= _LITTLE_READ else self.awaited(call)

    def backtracked(self, search: Callable[..., Any], steps: int | None, *further: object) -> Any:
        """What a search of the graph gives within so many steps; None: however many it takes."""
        most = _UNLIMITED if steps is None else steps
        reasons = self.params.switches.failing_sets
        call = partial(search, self.forbidden, self.problem.injective, reasons, most, *further)
        return self.awaited(call) if steps is None else call()

    def awaited(self, call: Callable[[], Any]) -> Any:
        """What the native call gives; in a thread of its own, so that this one hears Ctrl-C and sees the clock."""
        if self.aside:
            return call()
        if self.stopped():  # what came before cannot always be
            self.graph.stop()
        try:
            waiting = begin_aside(call)
        except RuntimeError:  # no more threads: better without a look at the clock than not at all
            return call()
        try:
            while not wait([waiting], timeout=_TICK).done:
                if self.stopped():
                    self.graph.stop()
        except BaseException:
            self.graph.stop()
            wait([waiting])
            raise
        return waiting.result()

    def stopped(self, done: float | None = None) -> bool:
        """Tells the progress; whether it is time to stop."""
        params = self.params
        if params.progress is not None and done is not None:
            params.progress(done)
        if params.timeout is not None and time.perf_counter() - self.started > params.timeout:
            self.why = "timeout"
        elif params.poll is not None and params.poll():
            self.why = "cancelled"
        return self.why is not None
