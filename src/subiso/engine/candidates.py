"""Counts on the candidate graph: by backtracking where few partial matches are expected, by eliminating the pattern's
vertices one after the other where there are many matches. Plans take over what is too much for both. Backtracking also
lists matches.

Backtracking needs no plan, so a small query is answered before one would be made. Elimination counts homomorphisms;
embeddings are a sum of these over the ways in which vertices may coincide (Moebius inversion), so it is for patterns of
which few vertices may.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import Params, StoppedBy
from subiso.errors import CountOverflowError
from subiso.filter.resolve import Resolved
from subiso.plan.order import EXHAUSTIVE_UP_TO
from subiso.plan.problem import Problem
from subiso.plan.restrictions import restrictions_for

_LITTLE_READ = 100_000  # list elements: less than making a plan takes
_MOST_READ = 20_000_000  # list elements that making the candidate graph may look at
_FIRST_STEPS = 50_000  # of backtracking, before anything else is tried: one or two milliseconds
_LONG_STEPS = 50_000_000  # ... beside a plan that takes long, after anything else: one or two seconds
_MOST_LISTED = 1_000_000  # rows that are held at once
_MOST_PARTITIONS = 1024
_FIRST_ROWS = 50_000_000  # that the first sum of an elimination may look at
_MOST_ROWS = 400_000_000  # ... and all of them: about ten seconds
_TICK = 0.05  # seconds
_CHUNK = 4_000_000  # rows between two looks at the clock
_OPERATIONS = 20.0
"""Operations of a plan, as the planner counts them, that take as long as one row of an elimination."""


@dataclass(frozen=True)
class Found:
    """A count, or what ended it early."""

    count: int
    stopped_by: StoppedBy | None = None


def count_candidates(
    resolved: Resolved, params: Params, threads: int, plan_cost: Callable[[], float]
) -> Found | None:
    """The count of the query's matches; None where plans should do it, which would take `plan_cost` operations."""
    wanted = params.switches.labelled
    if wanted == "plan" or not fits(resolved):
        return None
    if wanted == "auto" and not _worth_making(resolved, plan_cost):
        return None
    counter = Counter(resolved, params, threads)
    if wanted == "search":
        return counter.searched(None)
    if wanted == "eliminate":
        return counter.eliminated(lambda: math.inf)
    return counter.searched() or counter.eliminated(plan_cost)


def list_candidates(resolved: Resolved, params: Params) -> NDArray[np.uint32] | None:
    """The query's matches as rows of ranks, in no particular order; None where a plan should list them."""
    switches = params.switches
    if switches.labelled not in ("auto", "search") or not fits(resolved):
        return None
    always = switches.labelled == "search"
    if not always and not _worth_making(resolved, lambda: 0.0):  # first rows of a plan cost next to nothing
        return None
    return Lister(resolved, params).listed(_UNLIMITED if always else _FIRST_STEPS)


class Lister:
    """Lists one query's matches on its candidate graph."""

    def __init__(self, resolved: Resolved, params: Params) -> None:
        self.problem, self.params = resolved.problem, params
        self.graph = _candidate_graph(resolved)

    def run(self) -> NDArray[np.uint32] | None:
        """Beside a plan that takes long."""
        return self.listed(_LONG_STEPS)

    def stop(self) -> None:
        self.graph.stop()

    def listed(self, steps: int) -> NDArray[np.uint32] | None:
        """All rows, or as many as are enough; None where that takes more steps."""
        problem, enough = self.problem, self.params.enough
        rows, all_of_them, _ = self.graph.list(
            _forbidden(problem),
            problem.injective,
            self.params.switches.failing_sets,
            steps,
            _MOST_LISTED if enough is None else min(enough, _MOST_LISTED),
            _one_of_each(problem),
        )
        table: NDArray[np.uint32] = rows.reshape(-1, problem.num_vertices)
        return table if all_of_them or len(table) == enough else None


def _one_of_each(problem: Problem) -> tuple[tuple[int, int], ...]:
    """Pairs of vertices whose order tells the row to list from those of the same subgraph."""
    pattern, colors = problem.pattern, problem.colors()
    if not problem.unique or pattern.automorphism_count(extra_colors=colors) == 1:
        return ()
    return restrictions_for(pattern, range(problem.num_vertices), colors)


def _candidate_graph(resolved: Resolved) -> Any:
    assert resolved.narrowed.native is not None, "some pattern vertex has no candidates"
    return _native.make_candidates(resolved.narrowed.native())


def _forbidden(problem: Problem) -> list[tuple[int, int, int]]:
    return [(k.a, k.b, k.forward) for k in problem.forbidden]


def fits(resolved: Resolved) -> bool:
    """Whether the query can be counted here: all vertices have candidates, and nothing but edges joins them."""
    problem = resolved.problem
    if not problem.filters or not all(problem.filters) or problem.pairs or problem.imposed:
        return False
    return problem.mode != "edge-isomorphism" and not problem.narrowed


def worth_racing(resolved: Resolved) -> bool:
    """Whether making the candidate graph may come to an end before another engine has done everything."""
    return resolved.narrowed.reading <= _MOST_READ


def _worth_making(resolved: Resolved, plan_cost: Callable[[], float]) -> bool:
    """Whether the candidate graph is made. Plans of small patterns, whose cost is known well, may be done by then."""
    if resolved.narrowed.reading <= _LITTLE_READ:
        return True
    if not worth_racing(resolved):
        return False
    return resolved.problem.num_vertices > EXHAUSTIVE_UP_TO or plan_cost() > 10 * resolved.narrowed.reading


def first_tries(resolved: Resolved) -> str:
    """What `explain` says of a query that is tried here before a plan runs; nothing where none is."""
    if not fits(resolved) or not worth_racing(resolved):
        return ""
    said = f"first without a plan, between the candidates: up to {_FIRST_STEPS:,} steps of backtracking"
    terms = partitions(resolved.problem)
    if terms is not None:
        sums = len(terms[0])
        said += (
            f", then elimination ({sums} sum{'s' if sums > 1 else ''}) if that looks cheaper than the plan"
        )
    return f"{said}; also beside the plan, once that takes long"


class Counter:
    """Counts one query on its candidate graph."""

    def __init__(self, resolved: Resolved, params: Params, threads: int, *, aside: bool = False) -> None:
        """`aside`: somebody else looks after the clock, and calls `stop`."""
        self.aside = aside
        self.started = time.perf_counter()
        self.problem, self.params, self.threads = resolved.problem, params, threads
        self.why: StoppedBy | None = None
        self.graph = _candidate_graph(resolved)
        if params.switches.labelled == "search":
            self.merge_twins()

    def run(self) -> Found | None:
        """Beside a plan or a device, until it is there or `stop` is called."""
        found = self.searched() or self.eliminated(lambda: math.inf)
        if found is None and not self.stopped():
            self.merge_twins()
            found = self.searched(_LONG_STEPS)
        return None if found is None or found.stopped_by is not None else found

    def stop(self) -> None:
        """Ends what is running, and keeps the next from beginning."""
        self.graph.stop()

    def merge_twins(self) -> None:
        if self.params.switches.twins and not self.problem.forbidden:
            self.graph.merge_twins()

    def searched(self, steps: int | None = _FIRST_STEPS) -> Found | None:
        """By backtracking, unless that takes more steps."""
        problem, switches = self.problem, self.params.switches
        most = _UNLIMITED if steps is None else steps
        search = partial(
            self.graph.search, _forbidden(problem), problem.injective, switches.failing_sets, most
        )
        total, _ = self.awaited(search) if steps is None else search()
        if total is None:
            return self.ended()
        high, low, overflow = total
        if overflow:
            raise CountOverflowError(
                "the count left the range of the 128-bit accumulators",
                hint="count parts of the graph: anchor a vertex of the pattern, or add a mask",
            )
        return Found(self.settled((high << 64) | low))

    def eliminated(self, plan_cost: Callable[[], float]) -> Found | None:
        """By elimination, unless that is too much, or more than a plan.

        What elimination takes is known well once it was done for the first sum. What plans take is not, where patterns
        are large.
        """
        problem, graph = self.problem, self.graph
        terms = partitions(problem)
        if terms is None:
            return None
        (blocks, coefficients), sums = terms, len(terms[0])
        small = problem.num_vertices <= EXHAUSTIVE_UP_TO
        if small and _OPERATIONS * sums * graph.num_pairs > plan_cost():
            return None
        self.merge_twins()
        most = min(_FIRST_ROWS, _MOST_ROWS // sums)
        if small:
            most = int(min(most, plan_cost() / (_OPERATIONS * sums)))
        total, rows = self.summed(blocks[:1], coefficients[:1], most)
        if total is None:
            return self.ended()
        rows += graph.num_pairs + 1
        if rows * sums > _MOST_ROWS or (small and _OPERATIONS * sums * rows > plan_cost()):
            return None
        chunk = max(_CHUNK // rows, 1) * self.threads
        for begin in range(1, sums, chunk):
            if self.stopped(begin / sums):
                return self.ended()
            end = begin + chunk
            part, _ = self.summed(blocks[begin:end], coefficients[begin:end], _MOST_ROWS)
            if part is None:
                return self.ended()
            total += part
        return Found(self.settled(total))

    def ended(self) -> Found | None:
        """What ends without a result says: that it was stopped, or nothing."""
        return None if self.why is None else Found(0, self.why)

    def summed(self, blocks: list[list[int]], coefficients: list[int], rows: int) -> tuple[int | None, int]:
        """The sum of homomorphism counts with their coefficients, None where it is too much; rows looked at."""
        total, _, steps = self.awaited(
            partial(self.graph.eliminate, blocks, coefficients, rows, self.threads)
        )
        return None if total is None else (total[0] << 64) | total[1], steps

    def awaited(self, call: Callable[[], Any]) -> Any:
        """What the native call gives; in a thread of its own, so that this one hears Ctrl-C and sees the clock."""
        if self.aside:
            return call()
        with ThreadPoolExecutor(1) as aside:
            waiting = aside.submit(call)
            try:
                while not wait([waiting], timeout=_TICK).done:
                    if self.stopped():
                        self.graph.stop()
            except BaseException:
                self.graph.stop()
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

    def settled(self, embeddings: int) -> int:
        """Each subgraph once, where that is asked for."""
        problem = self.problem
        if not problem.unique:
            return embeddings
        return embeddings // problem.pattern.automorphism_count(extra_colors=problem.colors())


_UNLIMITED = 2**63


def may_coincide(problem: Problem) -> tuple[int, ...]:
    """Per pattern vertex the bits of those that may be the same data vertex, were they not told to differ."""
    k = problem.num_vertices
    # Neighbours are different vertices anyway, where no vertex is its own neighbour.
    near = [0] * k
    if not problem.loops:
        for link in problem.links:
            near[link.a] |= 1 << link.b
            near[link.b] |= 1 << link.a
    everyone = (1 << k) - 1
    return tuple((problem.overlaps[v] if problem.overlaps else everyone) & ~near[v] for v in range(k))


def partitions(problem: Problem) -> tuple[list[list[int]], list[int]] | None:
    """The ways in which pattern vertices may coincide, as block numbers by vertex, and the coefficient of each; None
    where there are too many, or something must be absent: then there is no elimination.

    Where all may coincide, nothing is to be taken out: one way, with every vertex alone.
    """
    k = problem.num_vertices
    if problem.forbidden:
        return None
    if not problem.injective:
        return [list(range(k))], [1]
    found: tuple[list[list[int]], list[int]] | None = _native.coincidences(
        may_coincide(problem), _MOST_PARTITIONS
    )
    return found
