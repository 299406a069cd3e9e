"""Counts several queries on the CPU in as few searches as pays: plans that begin with the same loops run as one
(plan/merge.py chooses them, native/engine/trie.hpp merges them)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from subiso.engine import cpu
from subiso.engine.base import Outcome, Params, part_of
from subiso.engine.clock import Deadline
from subiso.engine.query import Query
from subiso.errors import TimeoutReached
from subiso.filter.candidate_graph import decide
from subiso.filter.common import in_common
from subiso.filter.resolve import Resolved, resolve
from subiso.plan.formula import ONE_PLAN, Formula
from subiso.plan.merge import Together, merge
from subiso.plan.plan import Plan
from subiso.storage.statistics import statistics_of

_WORTH_IT = 1e7  # operations of all plans; below, choosing orders costs more than it saves
MOST = 256
"""Queries that are looked at together: what they need of the graph is held until they are done."""

Note = Callable[[int, int], None]
"""Gets the number of a query and its count, as soon as that is known."""


def count_together(queries: Sequence[Query], params: Params, note: Note) -> None:
    """Counts queries on one graph, within one timeout."""
    _Counting(params, note).run(queries)


def plan_together(queries: Sequence[Resolved], params: Params) -> tuple[Together, list[Resolved]]:
    """What is run for queries that need plans, and the queries with the numbers that these plans use."""
    common = in_common(queries)
    switches = params.switches
    stats = statistics_of(common[0].layout.graph)
    forced = switches.merge == "always"
    ways = [_ways(resolved, params) for resolved in common]
    return merge(ways, stats, forced=forced, **switches.of_plans), common


def _ways(resolved: Resolved, params: Params) -> list[Formula]:
    """The cheapest formula, and the query's own plan where that is another: sharing may make it cheaper."""
    best = cpu.formula_for(resolved, params)
    switches = params.switches
    if best.technique == ONE_PLAN or "always" in (switches.expand, switches.decompose):
        return [best]
    plain = replace(params, switches=replace(switches, expand="never", decompose="never"))
    return [best, cpu.formula_for(resolved, plain)]


class _Counting:
    def __init__(self, params: Params, note: Note) -> None:
        self.params, self.note = params, note
        self.deadline = Deadline(params.timeout)

    def run(self, queries: Sequence[Query]) -> None:
        waiting: dict[int, Resolved] = {}
        for i, query in enumerate(queries):
            resolved = resolve(query, self.params.switches.filters)
            step = self.step(i, 2 * len(queries))
            outcome = cpu.count_without_plan(resolved, step, time.perf_counter())
            if outcome is None:
                waiting[i] = resolved
            else:
                self.settle(i, outcome)
        mergeable = [i for i, resolved in waiting.items() if self.may_merge(resolved)]
        if not self.worth_it([waiting[i] for i in mergeable]):
            mergeable = []
        alone = [i for i in waiting if i not in mergeable]
        for done, i in enumerate(alone):
            step = self.step(len(queries) + done, 2 * len(queries))
            self.settle(i, cpu.count_by_plans(waiting[i], step, time.perf_counter()))
        if mergeable:
            self.run_merged(mergeable, [waiting[i] for i in mergeable])

    def may_merge(self, resolved: Resolved) -> bool:
        """Candidate graphs are a query's own, and so are their plans."""
        stats = statistics_of(resolved.layout.graph)
        return not decide(resolved, stats, self.params.switches.candidate_graph).used

    def worth_it(self, queries: Sequence[Resolved]) -> bool:
        if self.params.switches.merge == "always" or len(queries) < 2:
            return len(queries) > 1
        return sum(cpu.formula_for(resolved, self.params).cost for resolved in queries) >= _WORTH_IT

    def run_merged(self, numbers: Sequence[int], queries: Sequence[Resolved]) -> None:
        together, common = plan_together(queries, self.params)
        open_ = dict(zip(numbers, together.formulas, strict=True))
        counts: dict[Plan, int] = {}
        for done, group in enumerate(together.groups):
            step = self.step(done + len(together.groups), 2 * len(together.groups))
            found, stopped_by = cpu.count_plans(group.plans, common[0], step, time.perf_counter())
            counts.update(zip(group.plans, found, strict=True))
            if stopped_by is not None:
                for i, formula in open_.items():  # the first one's is what a timeout tells of
                    self.settle(i, Outcome(_partial(formula, counts), stopped_by))
                return
            for i in [i for i, formula in open_.items() if counts.keys() >= set(_plans(formula))]:
                self.note(i, _value(open_.pop(i), counts))

    def step(self, done: int, steps: int) -> Params:
        return replace(
            self.params, timeout=self.deadline.left(), progress=part_of(self.params.progress, done, steps)
        )

    def settle(self, number: int, outcome: Outcome) -> None:
        if outcome.stopped_by == "timeout":
            raise TimeoutReached("", count=outcome.count)
        self.note(number, outcome.count)


def _plans(formula: Formula) -> list[Plan]:
    return [term.plan for term in formula.terms]


def _value(formula: Formula, counts: dict[Plan, int]) -> int:
    return sum(term.coefficient * counts[term.plan] for term in formula.terms) // formula.divisor


def _partial(formula: Formula, counts: dict[Plan, int]) -> int:
    """What is known of an unfinished count: parts of a sum are subtracted from each other, and say nothing."""
    known = len(formula.terms) == 1 and formula.terms[0].plan in counts
    return _value(formula, counts) if known else 0
