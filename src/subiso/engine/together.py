"""Counts several queries on the CPU in as few searches as pays: plans that begin with the same loops run as one
(plan/merge.py chooses them, native/engine/trie.hpp merges them)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from subiso.engine import cpu
from subiso.engine.base import Params, part_of, stopped
from subiso.engine.clock import NEVER, Deadline
from subiso.engine.query import Query
from subiso.filter.candidate_graph import decide, with_common_candidate_graph
from subiso.filter.clique_ways import choose_ways
from subiso.filter.common import in_common, with_common_filters
from subiso.filter.resolve import Resolved, resolve, resolve_for
from subiso.plan.formula import ONE_PLAN, Formula
from subiso.plan.merge import LEAST_GAIN, Group, Together, merge
from subiso.plan.order import order_by_greed
from subiso.plan.plan import Plan
from subiso.storage.statistics import statistics_of

_WORTH_IT = {1: 2e6, 2: 2e6, 3: 2e6, 4: 2e6, 5: 1e7, 6: 2e8}
"""Operations per query, by its vertices, below which choosing plans together may take longer than it saves."""
_WORTH_LARGE = 2e7
"""The same for larger patterns, whose orders are not searched for."""
MOST = 256
"""Queries that are looked at together: what they need of the graph is held until they are done."""

Note = Callable[[int, int], None]
"""Gets the number of a query and its count, as soon as that is known."""


@dataclass(frozen=True)
class Team:
    """Queries whose plans run together, and how."""

    numbers: tuple[int, ...]
    """Which queries these are."""
    together: Together
    resolved: Resolved
    """With the arrays that the plans' numbers refer to."""
    apart: float
    """What the queries cost one by one."""


def count_together(queries: Sequence[Query], params: Params, note: Note) -> None:
    """Counts queries on one graph, within one timeout."""
    _Counting(params, note).run(queries)


def plan_teams(
    queries: Sequence[Query], resolved: dict[int, Resolved], params: Params, deadline: Deadline = NEVER
) -> tuple[list[Team], list[int]]:
    """The teams of those queries that need plans (by number), and the queries that are better left alone.

    Some run on the graph, some on a candidate graph: these are teams of their own.
    """
    teams, alone = [], []
    stats = statistics_of(queries[0].graph)
    together = params.switches.merge == "always"
    elsewhere = {i for i, r in resolved.items() if not together and _has_own_graph(r, params)}
    alone += sorted(elsewhere)
    for between in (False, True):
        members = {
            i: r
            for i, r in deadline.each(resolved.items())
            if i not in elsewhere and decide(r, stats, params.switches.candidate_graph).used == between
        }
        worth_it = _worth_it(members, params, deadline)
        team = _plan_team(queries, members, params, between, deadline) if worth_it else None
        teams += [team] if team is not None else []
        taken = team.numbers if team is not None else ()
        alone += [i for i in members if i not in taken]
    return teams, alone


def _has_own_graph(resolved: Resolved, params: Params) -> bool:
    """Whether it is a clique that is looked for in a graph of its own."""
    ways = choose_ways(resolved, statistics_of(resolved.layout.graph), params.switches)
    return ways is not None and ways.elsewhere


def _worth_it(members: dict[int, Resolved], params: Params, deadline: Deadline) -> bool:
    if params.switches.merge == "always" or len(members) < 2:
        return len(members) > 1
    least = sum(_WORTH_IT.get(r.problem.num_vertices, _WORTH_LARGE) for r in members.values())
    # A quick look first: the best plans cost less than these.
    quick = 0.0
    for resolved in deadline.each(members.values()):
        stats = statistics_of(resolved.layout.graph)
        quick += order_by_greed(resolved.problem, stats, counting=True).cost
    if quick < least:
        return False
    each = deadline.each(members.values())
    return sum(cpu.formula_for(resolved, params).cost for resolved in each) >= least


def _plan_team(
    queries: Sequence[Query],
    members: dict[int, Resolved],
    params: Params,
    between: bool,
    deadline: Deadline,
) -> Team | None:
    own = list(members.values())
    if not any(any(resolved.problem.filters) for resolved in own):
        common = in_common(own)
        together = _merged(common, params, deadline)
        return Team(tuple(members), together, common[0], together.apart)
    # Sums of plans would have to be searched for anew, with other candidates: they stay alone.
    formulas = {i: cpu.formula_for(resolved, params) for i, resolved in deadline.each(members.items())}
    single = [i for i, best in formulas.items() if best.technique == ONE_PLAN or _forced(params)]
    costs = {i: formulas[i].cost for i in single}
    if len(single) < 2:
        return None
    begun = [resolve(queries[i], (), params.threads) for i in deadline.each(single)]
    common = with_common_filters([members[i] for i in single], begun)
    taken = _taken(single, _merged(common, _direct(params), deadline), costs, params)
    if not taken:
        return None
    common = [r for i, r in zip(single, common, strict=True) if i in taken]
    if between:
        common = with_common_candidate_graph(common)
    merged = _merged(common, _direct(params), deadline)
    return Team(tuple(taken), merged, common[0], sum(costs[i] for i in taken))


def _forced(params: Params) -> bool:
    return "always" in (params.switches.merge, params.switches.expand, params.switches.decompose)


def _direct(params: Params) -> Params:
    """One plan per query, unless something else is asked for."""
    if _forced(params):
        return params
    return replace(params, switches=replace(params.switches, expand="never", decompose="never"))


def _merged(common: Sequence[Resolved], params: Params, deadline: Deadline) -> Together:
    switches = params.switches
    stats = statistics_of(common[0].layout.graph)
    ways = [_ways(resolved, params) for resolved in deadline.each(common)]
    forced = switches.merge == "always"
    return merge(ways, stats, forced=forced, between=deadline.check, **switches.of_plans)


def _ways(resolved: Resolved, params: Params) -> list[Formula]:
    """The cheapest formula, and the query's own plan where that is another: sharing may make it cheaper."""
    best = cpu.formula_for(resolved, params)
    switches = params.switches
    if best.technique == ONE_PLAN or "always" in (switches.expand, switches.decompose):
        return [best]
    plain = replace(params, switches=replace(switches, expand="never", decompose="never"))
    return [best, cpu.formula_for(resolved, plain)]


def _taken(numbers: Sequence[int], together: Together, costs: dict[int, float], params: Params) -> list[int]:
    """The queries that gain, although filters that they share leave more candidates than their own."""
    if params.switches.merge == "always":
        return list(numbers)
    formulas = dict(zip(numbers, together.formulas, strict=True))
    owner = {plan: i for i, formula in formulas.items() for plan in _plans(formula)}

    def gains(group: Group) -> bool:
        members = {owner[plan] for plan in group.plans}
        return len(members) > 1 and group.cost <= (1 - LEAST_GAIN) * sum(costs[i] for i in members)

    good = {plan for group in together.groups if gains(group) for plan in group.plans}
    return [i for i, formula in formulas.items() if good.issuperset(_plans(formula))]


class _Counting:
    def __init__(self, params: Params, note: Note) -> None:
        self.params, self.note = params, note
        self.deadline = Deadline(params.timeout)

    def run(self, queries: Sequence[Query]) -> None:
        waiting: dict[int, Resolved] = {}
        steps = 2 * len(queries)
        for i, query in enumerate(self.deadline.each(queries)):
            resolved = resolve_for(query, self.params)
            outcome = cpu.count_without_plan(resolved, self.step(i, steps), time.perf_counter())
            if outcome is None:
                waiting[i] = resolved
            else:
                self.note(i, outcome.in_time())
        teams, alone = plan_teams(queries, waiting, self.params, self.deadline) if waiting else ([], [])
        for done, i in enumerate(alone, len(queries)):
            outcome = cpu.count_by_plans(waiting[i], self.step(done, steps), time.perf_counter())
            self.note(i, outcome.in_time())
        done = len(queries) + len(alone)
        for team in teams:
            self.run_team(team, done, steps)
            done += len(team.numbers)

    def run_team(self, team: Team, done: int, steps: int) -> None:
        """Runs the groups one after the other, which are so many of the steps."""
        left = dict(zip(team.numbers, team.together.formulas, strict=True))
        counts: dict[Plan, int] = {}
        share = len(team.numbers) / len(team.together.groups)
        for i, group in enumerate(team.together.groups):
            step = self.step(done + i * share, steps, share)
            found, stopped_by = cpu.count_plans(group.plans, team.resolved, step, time.perf_counter())
            counts.update(zip(group.plans, found, strict=True))
            if stopped_by is not None:
                first = next(iter(left.values()))  # what a timeout tells of
                raise stopped(stopped_by, _partial(first, counts))
            for number in [n for n, formula in left.items() if counts.keys() >= set(_plans(formula))]:
                self.note(number, _value(left.pop(number), counts))

    def step(self, done: float, steps: int, share: float = 1.0) -> Params:
        """For the next of the steps, or for so many of them."""
        progress = part_of(self.params.progress, done / share, steps / share)
        return replace(self.params, timeout=self.deadline.left(), progress=progress)


def _plans(formula: Formula) -> list[Plan]:
    return [term.plan for term in formula.terms]


def _value(formula: Formula, counts: dict[Plan, int]) -> int:
    return sum(term.coefficient * counts[term.plan] for term in formula.terms) // formula.divisor


def _partial(formula: Formula, counts: dict[Plan, int]) -> int:
    """What is known of an unfinished count: parts of a sum are subtracted from each other, and say nothing."""
    known = len(formula.terms) == 1 and formula.terms[0].plan in counts
    return _value(formula, counts) if known else 0
