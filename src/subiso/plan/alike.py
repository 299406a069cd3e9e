"""Plans that a term may be counted by when others share its levels, and how levels of different plans compare."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, zip_longest
from typing import Any

from subiso.plan.choose import plan_in_order
from subiso.plan.follow import follow
from subiso.plan.greedy import greedy_order
from subiso.plan.order import Order, order_by_cost, order_by_greed, orders_below
from subiso.plan.plan import CountTail, Plan, SetExpression, SetRef, TailSize
from subiso.plan.problem import Problem
from subiso.storage.statistics import Statistics

_SLACK = 2.0
"""How many times as much as the best order others may cost."""
_DOUBT = 1.25
"""An order that is not the best one may cost so many times its estimate, for all that is known."""
_PER_OPERAND = 8.0
"""An intersection costs so many times as much as the length of a list."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A plan, and what each of its levels and of its tail's sizes costs."""

    plan: Plan
    levels: tuple[Hashable, ...]
    level_costs: tuple[float, ...]
    sizes: tuple[Hashable, ...]
    size_costs: tuple[float, ...]


Options = tuple[tuple[str, Any], ...]
"""Of `make_plan`."""


def choices_beside(
    problem: Problem, stats: Statistics, guides: Sequence[Problem], options: Options
) -> tuple[Choice, ...]:
    """Plans for a large pattern: its own, and those that begin as the plans of other patterns do."""
    given = dict(options)
    if given.pop("order", "cost") != "cost":
        return ()
    max_tail = given.pop("max_tail", 99)
    best = order_by_greed(problem, stats, counting=True, max_tail=max_tail)
    orders = {best.prefix: best}
    for guide in guides:
        begin = follow(problem, guide, greedy_order(guide, stats)[0])
        if len(begin) > 1:
            order = order_by_greed(problem, stats, counting=True, max_tail=max_tail, begin=begin)
            orders.setdefault(order.prefix, order)
    free = replace(problem, unique=False)
    freed = [free] if problem.unique and not problem.imposed and _symmetry(problem) > 1 else []
    return tuple(
        _choice(problem, each, order, 1.0 if order is best else _DOUBT, given)
        for order in orders.values()
        for each in (problem, *freed)
    )


def choices(
    problem: Problem, stats: Statistics, cost: float, most: int, options: Options
) -> tuple[Choice, ...]:
    """Plans for the problem's count that cost little more than `cost`, its best plan's."""
    masked = any(mask is not None for mask in problem.pattern.masks)
    masked |= any(e.mask is not None for e in (*problem.pattern.edges, *problem.pattern.anti_edges))
    return (_choices if masked else _choices_once)(problem, stats, cost, most, options)


def _choices(
    problem: Problem, stats: Statistics, cost: float, most: int, options: Options
) -> tuple[Choice, ...]:
    given = dict(options)
    if given.pop("order", "cost") != "cost":
        return ()
    max_tail = given.pop("max_tail", 99)
    limit = _SLACK * cost
    best = cost * (1 + 1e-9)
    if most == 1:
        own = order_by_cost(problem, stats, counting=True, max_tail=max_tail)
        return (_choice(problem, problem, own, 1.0, given),)
    ordered = [(problem, order) for order in orders_below(problem, stats, limit, max_tail=max_tail)]
    freed = []
    if problem.unique and not problem.imposed and _symmetry(problem) > 1:
        # Without restrictions every subgraph is counted as often as it is symmetric. More levels are then the same.
        free = replace(problem, unique=False)
        freed = [(free, order) for order in orders_below(free, stats, limit, max_tail=max_tail)]
    mixed = [pair for pair in chain(*zip_longest(ordered, freed)) if pair is not None]
    return tuple(
        _choice(problem, each, order, 1.0 if order.cost <= best else _DOUBT, given)
        for each, order in mixed[:most]
    )


_choices_once = lru_cache(maxsize=512)(_choices)


def _choice(
    problem: Problem, planned: Problem, order: Order, doubt: float, options: dict[str, Any]
) -> Choice:
    plan = plan_in_order(planned, order, counting=True, **options)
    assert isinstance(plan.tail, CountTail)
    if planned is not problem:
        tail = replace(plan.tail, divisor=plan.tail.divisor * _symmetry(problem))
        plan = replace(plan, unique=problem.unique, tail=tail)
    sizes = plan.tail.sizes if isinstance(plan.tail, CountTail) else ()
    weights = [1 + _PER_OPERAND * len(size.expression.operands) for size in sizes]
    left = doubt * (order.cost - sum(order.by_level))
    return Choice(
        plan,
        tuple(level_keys(plan)),
        tuple(doubt * cost for cost in order.by_level),
        tuple(_size_key(plan, size) for size in sizes),
        tuple(left * weight / sum(weights) for weight in weights),
    )


def _symmetry(problem: Problem) -> int:
    return problem.pattern.automorphism_count(extra_colors=problem.colors())


def level_keys(plan: Plan) -> Iterator[Hashable]:
    """The plan's levels; those of two plans are equal where they are the same loop, whatever the vertices are called.

    Sets are told by what they are, not by their number. Levels on bit rows are others than levels on lists.
    """
    checks: list[list[Hashable]] = [[] for _ in plan.order]
    for check in plan.edge_checks:
        checks[max(check.source, check.target)].append(check)
    yield plan.seed.filter, tuple(checks[0])
    for depth, extend in enumerate(plan.extends, 1):
        rows = _rows(plan) if depth == 1 else None
        candidates = _expanded(plan, extend.candidates)
        yield candidates, extend.distinct, extend.checks, tuple(checks[depth]), rows


def _size_key(plan: Plan, size: TailSize) -> Hashable:
    return _expanded(plan, size.expression), size.distinct, size.surely


def _rows(plan: Plan) -> Hashable:
    local = plan.local
    if local is None:
        return None
    return object() if local.cliques else (local.relation, local.above, local.rows_above)


def _expanded(plan: Plan, e: SetExpression) -> Hashable:
    """The expression, with the sets that it reads spelled out."""
    source: Hashable = e.source
    if isinstance(e.source, SetRef):
        step = plan.sets[e.source.index]
        source = step.depth, _expanded(plan, step.expression)
    return source, e.operands, e.lower, e.upper, e.filter
