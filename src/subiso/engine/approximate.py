"""Estimates a count by random walks: chooses how to walk, or to count exactly, and walks until the interval is narrow.

Every decision rests on work counted in elements looked at and on the planner's cost, never on a clock, so that a
seed gives one answer on any machine and for any number of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from subiso.engine import cpu
from subiso.engine.base import Params, StoppedBy
from subiso.engine.estimate import Accuracy, Estimate, half_width, skewness
from subiso.engine.query import Query
from subiso.engine.walks import Blocks, Proposal, Tree, Walks
from subiso.errors import CountOverflowError, TimeoutReached
from subiso.filter.resolve import Resolved, resolve
from subiso.plan.choose import make_plan
from subiso.plan.formula import make_formula
from subiso.plan.plan import CountTail, Plan
from subiso.storage.statistics import statistics_of

_WALKS = 256  # in a block
_PILOT = 24  # blocks that a proposal is judged by
_PILOT_NONZERO = 40  # walks that must count something before a pilot is believed
_FEWEST = 40  # blocks that an interval rests on
_FEWEST_NONZERO = 400
_SKEWED = 25  # Cochran's rule: as many blocks as this times the squared skewness of their means
_MARGIN = 1.05  # more blocks than the last look called for, so that one more look is mostly enough
_MOST_GROWTH = 16  # between two looks; the spread seen so far may mislead
# In elements that walks look at (about half a nanosecond each on two cores):
_PLANNED = 4.0  # one unit of the planner's cost
_VISITED = 100.0  # one way to the innermost loop of a search on bit rows, which the planner underrates
_PREPARED = 10.0  # one entry of a relation, per vertex of the pattern, in preparing a proposal
_TICK = 0.05  # seconds of walks between looks at the clock and for Ctrl-C
_OPEN = (Proposal(closing=0.25), Proposal(closing=0.5))
_CLOSED = (Proposal(closing=0.25, triangles=1.0), Proposal(closing=0.0, triangles=0.9))


def estimate(query: Query, params: Params, accuracy: Accuracy) -> Estimate:
    """Estimate the query's count to the accuracy asked for, or count it where that is cheaper."""
    return _Estimation(query, params, accuracy).result()


@dataclass(frozen=True)
class _Way:
    """A way to walk, and what its pilot says of it."""

    walks: Walks
    divisor: int
    """The walks' estimates are this many times the count."""
    pilot: Blocks
    needed: float
    """Blocks that the accuracy asks for; infinite when the pilot saw too little."""

    @property
    def work(self) -> float:
        """What these blocks will cost."""
        return self.needed * float(self.pilot.work.mean())


class _Stop(Exception):
    """Carries the reason out of the walks."""

    def __init__(self, reason: StoppedBy) -> None:
        self.reason: StoppedBy = reason


class _Estimation:
    """One estimate in the making."""

    def __init__(self, query: Query, params: Params, accuracy: Accuracy) -> None:
        self.started = time.perf_counter()
        self.query, self.params, self.accuracy = query, params, accuracy
        self.resolved: Resolved = resolve(query)
        self.options = cpu.plan_options(params)
        self.way: _Way | None = None
        self.sampled: Blocks | None = None
        """The blocks that the estimate will rest on."""

    def result(self) -> Estimate:
        if self.resolved.hopeless:
            return self.exactly(0)
        problem, stats = self.resolved.problem, statistics_of(self.query.graph)
        formula = make_formula(problem, stats, expand=self.params.switches.expand, **self.options)
        local = any(term.plan.local for term in formula.terms)
        exact, preparing = _PLANNED * formula.cost, self.preparing()
        if not local and exact < 2 * preparing:
            return self.count()
        try:
            for way in self.ways(exact):
                self.way = way if self.way is None or way.work < self.way.work else self.way
                if self.way.work < 2 * preparing:  # trying another would cost more than it could save
                    break
            if self.way is None:
                return self.count()
            if local:
                exact = max(exact, _VISITED * float(self.way.pilot.reached.mean()) / self.way.divisor)
            return self.walk(self.way) if self.way.work < exact else self.count()
        except _Stop as stop:
            return self.stopped(stop.reason)

    def preparing(self) -> float:
        """What it costs to prepare one way to walk."""
        entries = max((len(csr.neighbors) for csr in self.resolved.csrs), default=0)
        return _PREPARED * self.resolved.problem.num_vertices * entries

    def ways(self, exact: float) -> Iterator[_Way]:
        """The ways to walk that are worth a try, the most promising first, each with its pilot."""
        # Walks that keep to restrictions often end in nothing; all embeddings are sampled, and divided by the symmetry.
        problem = replace(self.resolved.problem, unique=False)
        symmetry = 1
        if self.resolved.problem.unique:
            symmetry = problem.pattern.automorphism_count(extra_colors=problem.colors())
        stats = statistics_of(self.query.graph)
        known: list[Plan] = []
        number = 0
        for order in ("cost", "ri"):
            plan = make_plan(problem, stats, counting=True, **{**self.options, "local": False, "order": order})
            if any((plan.extends, plan.tail) == (other.extends, other.tail) for other in known):
                continue
            known.append(plan)
            run, seeds = cpu.prepare(plan, self.resolved, self.params), cpu.seeds_of(plan, self.resolved)
            assert isinstance(plan.tail, CountTail)
            for how in _CLOSED if Tree(plan, problem, hang=True).hanging else _OPEN:
                self.look()
                walks = Walks(run, plan, self.resolved, seeds, how)
                if not walks.possible:
                    return
                number += 1
                pilot, needed = self.pilot(walks, number, exact)
                yield _Way(walks, plan.tail.divisor * symmetry, pilot, needed)

    def pilot(self, walks: Walks, number: int, exact: float) -> tuple[Blocks, float]:
        """A few blocks that no estimate will rest on, more where few walks count anything; the blocks needed."""
        first = number << 40  # far from all blocks of other pilots and of the estimate
        seen = self.blocks(walks, first, _PILOT)
        while seen.nonzero.sum() < _PILOT_NONZERO and seen.work.sum() < exact / 100:
            seen = seen.and_then(self.blocks(walks, first + len(seen.mean), 3 * len(seen.mean)))
        return seen, self.needed(seen) if seen.nonzero.sum() >= _PILOT_NONZERO else math.inf

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

    def walk(self, way: _Way) -> Estimate:
        """Walk until the interval is as narrow as asked for."""
        wanted = way.needed
        while True:
            done = 0 if self.sampled is None else len(self.sampled.mean)
            more = min(math.ceil(_MARGIN * wanted), _MOST_GROWTH * max(done, _FEWEST)) - done
            self.extend(way.walks, done, max(more, 1))
            assert self.sampled is not None
            wanted = self.needed(self.sampled)
            if wanted <= len(self.sampled.mean):
                return self.estimate(way, self.sampled)

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
        found = walks.blocks(self.accuracy.seed, first, number, _WALKS, cpu.threads_of(self.params))
        if found.overflow:
            raise CountOverflowError("a part of the count left the range of the 128-bit accumulators")
        return found

    def look(self, progress: float = 0.0) -> None:
        """Reports progress, and ends the walks when time is up or the caller says so."""
        params = self.params
        if params.progress is not None:
            params.progress(progress)
        if params.timeout is not None and time.perf_counter() - self.started >= params.timeout:
            raise _Stop("timeout")
        if params.poll is not None and params.poll():
            raise _Stop("cancelled")

    def estimate(self, way: _Way, blocks: Blocks, stopped_by: StoppedBy | None = None) -> Estimate:
        value = float(blocks.mean.mean()) / way.divisor
        half = half_width(blocks.mean, self.accuracy.confidence) / way.divisor
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
        blocks = self.sampled if self.sampled is not None else self.way.pilot if self.way else None
        if self.way is None or blocks is None or blocks.nonzero.sum() < _PILOT_NONZERO:
            raise TimeoutReached(
                f"no estimate was reached within {self.params.timeout or 0:g} s",
                hint="allow more time; a rare pattern is counted exactly, which takes as long as it takes",
            )
        return self.estimate(self.way, blocks, reason)
