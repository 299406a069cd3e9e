"""Counts on the candidate graph: by backtracking where few partial matches are expected, by eliminating the pattern's
vertices one after the other where there are many matches. Plans take over what is too much for both.

Backtracking needs no plan, so a small query is answered before one would be made. Elimination counts homomorphisms;
embeddings are a sum of these over the ways in which vertices may coincide (Moebius inversion), so it is for patterns of
which few vertices may.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from subiso import _native
from subiso.engine.base import Params, StoppedBy
from subiso.engine.candidate_search import (
    FIRST_STEPS,
    LONG_STEPS,
    Searcher,
    fits,
    with_everyone,
    worth_making,
    worth_racing,
)
from subiso.errors import CountOverflowError
from subiso.filter.resolve import Resolved
from subiso.plan.order import EXHAUSTIVE_UP_TO
from subiso.plan.problem import Problem

_MOST_PARTITIONS = 1024
_FIRST_ROWS = 50_000_000  # that the first sum of an elimination may look at
_MOST_ROWS = 400_000_000  # ... and all of them: about ten seconds
_CHUNK = 4_000_000  # rows between two looks at the clock
_FIRST_SECONDS = 5e-4  # that a device is kept waiting: the thread goes on in any case
_OPERATIONS = 20.0
"""Operations of a plan, as the planner counts them, that take as long as one row of an elimination."""


@dataclass(frozen=True)
class Found:
    """A count, or what ended it early."""

    count: int
    stopped_by: StoppedBy | None = None


def count_candidates(
    resolved: Resolved,
    params: Params,
    threads: int,
    plan_cost: Callable[[], float],
    started: float | None = None,
) -> Found | None:
    """The count of the query's matches; None where plans should do it, which would take `plan_cost` operations.

    `started`: the moment that the timeout counts from; None: now.
    """
    wanted = params.switches.labelled
    if wanted == "plan" or not fits(resolved):
        return None
    if wanted == "auto" and not worth_making(resolved, plan_cost):
        return None
    counter = Counter(resolved, params, threads, started=started)
    if wanted == "search":
        return counter.searched(None)
    if wanted == "eliminate":
        return counter.eliminated(lambda: math.inf)
    return counter.searched() or counter.eliminated(plan_cost)


def tried_first(resolved: Resolved, labelled: str, plan_cost: Callable[[], float]) -> bool:
    """Whether a query is tried here before any plan runs (`labelled`: as in `Switches`)."""
    if labelled == "plan" or not fits(resolved):
        return False
    if labelled == "auto":
        return worth_making(resolved, plan_cost)
    return labelled == "search" or partitions(resolved.problem) is not None


def first_tries(resolved: Resolved, labelled: str, plan_cost: Callable[[], float]) -> str:
    """What `explain` says of what is tried here before a plan runs, or beside it; nothing where nothing is."""
    beside = "beside the plan, once that takes long"
    if labelled == "auto" and with_everyone(resolved) is not None:
        return f"elimination {beside}"
    if not tried_first(resolved, labelled, plan_cost):
        races = labelled == "auto" and fits(resolved) and worth_racing(resolved)
        return f"counts between the candidates {beside}" if races else ""
    if labelled == "search":
        return "not by the plan: by backtracking between the candidates, however many steps it takes"
    terms = partitions(resolved.problem)
    sums = "" if terms is None else f"elimination ({len(terms[0])} sum{'s' * (len(terms[0]) > 1)})"
    if labelled == "eliminate":
        return f"first without a plan, between the candidates: {sums}, unless that is too much"
    said = f"first without a plan, between the candidates: up to {FIRST_STEPS:,} steps of backtracking"
    if sums:
        said += f", then {sums} if that looks cheaper than the plan"
    return f"{said}; also {beside}"


class Counter(Searcher):
    """Counts one query on its candidate graph."""

    def __init__(
        self,
        resolved: Resolved,
        params: Params,
        threads: int,
        *,
        started: float | None = None,
        aside: bool = False,
    ) -> None:
        super().__init__(resolved, params, started=started, aside=aside)
        self.threads = threads

    def begin(self) -> bool:
        """Begins all that can be tried, in a thread of the native core: one of Python's would wait for the interpreter
        at every turn, while plans are made. False where enough such threads are running."""
        problem, switches = self.problem, self.params.switches
        begun: bool = self.graph.begin_count(
            self.forbidden,
            problem.injective,
            switches.failing_sets,
            switches.twins,
            may_coincide(problem),
            _MOST_PARTITIONS,
            FIRST_STEPS,
            LONG_STEPS,
            _FIRST_ROWS,
            _MOST_ROWS,
            self.threads,
        )
        return begun

    def wait(self) -> None:
        """Until the first steps of what was begun are over, unless they take long."""
        self.graph.wait_for_first_steps(_FIRST_SECONDS)

    @property
    def over(self) -> bool:
        """What was begun, if anything was, has come to its end."""
        over: bool = self.graph.ended
        return over

    @property
    def found(self) -> Found | None:
        """What was begun has come to, if it is there."""
        counted = self.graph.counted
        if counted is None or not counted[0]:
            return None
        high, low = counted[1]
        return Found(self.settled((high << 64) | low))

    def merge_twins(self) -> None:
        """Should that be stopped, what comes next ends at once."""
        if self.params.switches.twins and not self.problem.forbidden:
            self.stoppable(self.graph.merge_twins, self.graph.num_pairs)

    def searched(self, steps: int | None = FIRST_STEPS) -> Found | None:
        """By backtracking, unless that takes more steps."""
        if not self.made():
            return self.ended()
        if steps is None:
            self.merge_twins()
        total, _ = self.backtracked(self.graph.search, steps)
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
        if not self.made():
            return self.ended()
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

    def settled(self, embeddings: int) -> int:
        """Each subgraph once, where that is asked for."""
        problem = self.problem
        if not problem.unique:
            return embeddings
        return embeddings // problem.pattern.automorphism_count(extra_colors=problem.colors())


class Eliminator(Counter):
    """Counts by nothing but elimination: where all vertices are candidates, backtracking does what plans do better."""

    def run(self) -> Found | None:
        found = self.eliminated(lambda: math.inf)
        return None if found is None or found.stopped_by is not None else found


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
