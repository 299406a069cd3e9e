"""Estimates a count by random walks: chooses how to walk, or to count exactly, and walks until the interval is narrow.

Every decision rests on work counted in elements looked at and on the planner's cost, never on a clock, so that a
seed gives one answer on any machine and for any number of threads.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from subiso.engine import cpu
from subiso.engine.base import Params, StoppedBy, part_of
from subiso.engine.clock import Deadline
from subiso.engine.estimate import Accuracy, Estimate, half_width, skewness
from subiso.engine.query import Query
from subiso.engine.sums import sums_way
from subiso.engine.waiting import threads_of
from subiso.engine.walks import Blocks, Walks
from subiso.engine.ways import Way, ways_to_walk
from subiso.errors import CountOverflowError, TimeoutReached
from subiso.filter.resolve import Resolved, resolve_for
from subiso.plan.plan import Plan
from subiso.storage.statistics import statistics_of

_WALKS = 128  # in a block
_PILOT = 48  # blocks that a proposal is judged by
_PILOT_NONZERO = 40  # walks that must count something before a pilot is believed
_FEWEST = 80  # blocks that an interval rests on
_FEWEST_NONZERO = 400
_SKEWED = 25  # Cochran's rule: as many blocks as this times the squared skewness of their means
_MARGIN = 1.1  # more blocks than the last look called for, so that one more look is mostly enough
_MOST_GROWTH = 16  # between two looks; the spread seen so far may mislead
# In elements that walks look at (about half a nanosecond each on two cores):
_PLANNED = 4.0  # one unit of the planner's cost
_PLANNED_LOCAL = 1.5  # the same for a search on bit rows
_PLANNED_PIVOTED = 0.5  # the same for cliques, by pivoting
_VISITED = 100.0  # one way to the innermost loop of a search on bit rows, which the planner underrates
_SUMMED = 2.0  # one unit of the cost of sums
_PREPARED = 10.0  # one entry of a relation, per vertex of the pattern, in preparing a proposal
_LEAST = 3e7  # a pilot and the fewest blocks, roughly
_LEAST_LOCAL = 1e6  # the same for a search on bit rows
_ROUNDING = 1e-9  # of the value: no interval is narrower
_TICK = 0.05  # seconds of walks between looks at the clock and for Ctrl-C


def estimate(query: Query, params: Params, accuracy: Accuracy) -> Estimate:
    """Estimate the query's count to the accuracy asked for, or count it where that is cheaper."""
    return _Estimation(query, params, accuracy).result()


def estimate_all(queries: list[Query], params: Params, accuracy: Accuracy) -> list[Estimate]:
    """Estimate several counts, independently of each other, within one timeout."""
    deadline, found = Deadline(params.timeout), list[Estimate]()
    for i, query in enumerate(queries):
        step = replace(params, timeout=deadline.left(), progress=part_of(params.progress, i, len(queries)))
        found.append(estimate(query, step, replace(accuracy, seed=(accuracy.seed + i) % 2**64)))
    return found


@dataclass(frozen=True)
class _Tried:
    """A way to walk, and what its pilot says of it."""

    way: Way
    pilot: Blocks
    needed: float
    """Blocks that the accuracy asks for; infinite when the pilot saw too little."""

    @property
    def work(self) -> float:
        """What these blocks will cost."""
        return self.needed * float(self.pilot.work.mean())

    @property
    def visited(self) -> float:
        """Ways to the innermost loop, each subgraph's once."""
        return float(self.pilot.reached.mean()) / self.way.divisor


def _effort(plan: Plan) -> float:
    """What counting by a plan costs."""
    if plan.local is None:
        return _PLANNED * plan.cost
    return (_PLANNED_PIVOTED if plan.local.cliques else _PLANNED_LOCAL) * plan.cost


class _Stop(Exception):
    """Carries the reason out of the walks."""

    def __init__(self, reason: StoppedBy) -> None:
        self.reason: StoppedBy = reason


class _Estimation:
    """One estimate in the making."""

    def __init__(self, query: Query, params: Params, accuracy: Accuracy) -> None:
        self.started = time.perf_counter()
        self.query, self.params, self.accuracy = query, params, accuracy
        self.resolved: Resolved = resolve_for(query, params)
        self.told = 0.0
        self.best: _Tried | None = None
        self.sampled: Blocks | None = None
        """The blocks that the estimate will rest on."""

    def result(self) -> Estimate:
        if self.resolved.hopeless:
            return self.exactly(0)
        plans = [term.plan for term in cpu.formula_for(self.resolved, self.params).terms]
        local = all(plan.local is not None for plan in plans)
        pivoted = all(plan.local is not None and plan.local.cliques for plan in plans)
        exact = sum(_effort(plan) for plan in plans)
        sums = sums_way(self.query, self.params)
        if sums is not None and (sums.sure or _SUMMED * sums.cost < exact):
            local, exact = False, _SUMMED * sums.cost
        preparing = self.preparing()
        if exact < (_LEAST_LOCAL if local else 2 * preparing + _LEAST):
            return self.count()
        try:
            self.best = self.choose(exact, preparing)
            if self.best is None:
                return self.count()
            if local and not pivoted:
                exact = max(exact, _VISITED * self.best.visited)
            return self.walk(self.best, exact)
        except _Stop as stop:
            return self.stopped(stop.reason)

    def preparing(self) -> float:
        """What it costs to prepare one way to walk."""
        entries = max((len(csr.neighbors) for csr in self.resolved.csrs), default=0)
        return _PREPARED * self.resolved.problem.num_vertices * entries

    def choose(self, exact: float, preparing: float) -> _Tried | None:
        """Try the ways until another would cost more than it could save; the best."""
        self.look()
        stats = statistics_of(self.query.graph)
        for number, way in enumerate(ways_to_walk(self.resolved, stats, self.params), 1):
            tried = self.pilot(way, number, exact)
            self.best = tried if self.best is None or tried.work < self.best.work else self.best
            if self.best.work < 2 * (preparing + float(tried.pilot.work.sum())):
                break
            self.look()
        return self.best

    def pilot(self, way: Way, number: int, exact: float) -> _Tried:
        """A few blocks that no estimate rests on; more of them where few walks count anything."""
        first = number << 40  # far from all blocks of other pilots and of the estimate
        seen = self.blocks(way.walks, first, _PILOT)
        while seen.nonzero.sum() < _PILOT_NONZERO and seen.work.sum() < exact / 100:
            self.look()
            seen = seen.and_then(self.blocks(way.walks, first + len(seen.mean), 3 * len(seen.mean)))
        enough = seen.nonzero.sum() >= _PILOT_NONZERO
        return _Tried(way, seen, self.needed(seen) if enough else math.inf)

    def needed(self, seen: Blocks) -> float:
        """How many blocks the accuracy takes, as far as these tell; no more than these when it is reached."""
        number, mean = len(seen.mean), float(seen.mean.mean())
        if mean == 0:
            return math.inf
        reached = half_width(seen.mean, self.accuracy.confidence) / mean
        return max(
            _FEWEST,
            number * (reached / self.accuracy.error) ** 2,
            _FEWEST_NONZERO / float(seen.nonzero.mean()),
            _SKEWED * skewness(seen.mean) ** 2,
        )

    def walk(self, tried: _Tried, exact: float) -> Estimate:
        """Walk until the interval is as narrow as asked for, or counting would be cheaper."""
        wanted, done = tried.needed, 0
        while wanted * float(tried.pilot.work.mean()) < exact:
            more = min(math.ceil(_MARGIN * wanted), _MOST_GROWTH * max(done, _FEWEST)) - done
            self.extend(tried.way.walks, done, max(more, 1))
            assert self.sampled is not None
            wanted, done = self.needed(self.sampled), len(self.sampled.mean)
            if wanted <= done:
                return self.estimate(tried.way, self.sampled)
        return self.count()

    def extend(self, walks: Walks, first: int, number: int) -> None:
        """Adds blocks to those sampled, a few at a time."""
        last, some = first + number, 8
        while first < last:
            self.look(first / last)
            begun = time.perf_counter()
            more = self.blocks(walks, first, min(some, last - first))
            self.sampled = more if self.sampled is None else self.sampled.and_then(more)
            first += len(more.mean)
            if time.perf_counter() - begun < _TICK / 2:
                some *= 2

    def blocks(self, walks: Walks, first: int, number: int) -> Blocks:
        found = walks.blocks(self.accuracy.seed, first, number, _WALKS, threads_of(self.params))
        if found.overflow:
            raise CountOverflowError("a part of the count left the range of the 128-bit accumulators")
        return found

    def look(self, progress: float = 0.0) -> None:
        """Reports progress, and ends the walks when time is up or the caller says so."""
        params = self.params
        if params.progress is not None:
            self.told = max(self.told, progress)  # more blocks may turn out to be needed
            params.progress(self.told)
        if params.timeout is not None and time.perf_counter() - self.started >= params.timeout:
            raise _Stop("timeout")
        if params.poll is not None and params.poll():
            raise _Stop("cancelled")

    def estimate(self, way: Way, blocks: Blocks, stopped_by: StoppedBy | None = None) -> Estimate:
        value = float(blocks.mean.mean()) / way.divisor
        half = max(half_width(blocks.mean, self.accuracy.confidence) / way.divisor, _ROUNDING * value)
        return Estimate(
            value,
            low=max(0.0, value - half),
            high=value + half,
            error=half / value,
            samples=_WALKS * len(blocks.mean),
            seconds=time.perf_counter() - self.started,
            confidence=self.accuracy.confidence,
            seed=self.accuracy.seed,
            stopped_by=stopped_by,
        )

    def exactly(self, count: int) -> Estimate:
        seconds = time.perf_counter() - self.started
        return Estimate.of_count(
            count, seconds=seconds, confidence=self.accuracy.confidence, seed=self.accuracy.seed
        )

    def count(self) -> Estimate:
        """Count exactly instead; when that is not finished in time, what the pilots saw is better than nothing."""
        left = self.params.timeout
        if left is not None:
            left = max(0.0, left - (time.perf_counter() - self.started))
        outcome = cpu.count(self.query, replace(self.params, timeout=left))
        return self.exactly(outcome.count) if outcome.stopped_by is None else self.stopped(outcome.stopped_by)

    def stopped(self, reason: StoppedBy) -> Estimate:
        """What has been reached by now."""
        blocks = self.sampled
        if blocks is None and self.best is not None:
            blocks = self.best.pilot
        if self.best is None or blocks is None or blocks.nonzero.sum() < _PILOT_NONZERO:
            raise TimeoutReached(
                f"no estimate was reached within {self.params.timeout or 0:g} s; rare patterns are counted exactly"
            )
        return self.estimate(self.best.way, blocks, reason)
