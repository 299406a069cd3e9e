"""Pass: plans for several counts that share their first levels, chosen together.

Levels that are the same loop (candidates, bounds, filters, conditions) below the same loops are searched once: the plans
are a trie. Every count has a few ways, each a sum of terms, and every term a few orders that cost little more than its
best one. Ways and orders are chosen greedily, dearest counts first and then each once more while that helps, by what
they add to what the others search anyway; so all together never costs more, by the estimate, than one by one.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from subiso.plan.choose import plan_in_order
from subiso.plan.formula import Formula, Term
from subiso.plan.order import orders_near_best
from subiso.plan.plan import Plan, SetExpression, SetRef
from subiso.plan.problem import Problem
from subiso.storage.statistics import Statistics

_ROUNDS = 4  # over all counts, each of which may then change its mind
_LEAST_GAIN = 0.05
"""What a group must save of its cost: counts of one search are finished together, or not at all."""

Levels = tuple[int, ...]
"""A plan's levels, equal numbers for the same loops; or the first ones of them."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A plan that a term may be counted by."""

    plan: Plan
    levels: Levels
    costs: tuple[float, ...]
    """What each level adds."""
    tail: float

    def added(self, known: Container[Levels]) -> float:
        """Operations beside levels that are searched anyway."""
        return self.tail + sum(cost for i, cost in enumerate(self.costs) if self.levels[: i + 1] not in known)


@dataclass(frozen=True)
class Group:
    """Plans that run in one search; more than one where they share levels."""

    plans: tuple[Plan, ...]
    levels: tuple[Levels, ...]
    """Of each plan."""
    cost: float
    apart: float
    """What the cheapest plans for the same counts would cost, one by one."""


@dataclass(frozen=True)
class Together:
    """What is run for several counts."""

    formulas: tuple[Formula, ...]
    """Per count; the plans of their terms are those of the groups."""
    groups: tuple[Group, ...]
    apart: float
    """The cost of the counts' cheapest formulas one by one, equal terms once."""

    @property
    def cost(self) -> float:
        return sum(group.cost for group in self.groups)


def merge(
    ways: Sequence[Sequence[Formula]], stats: Statistics, *, forced: bool = False, **options: Any
) -> Together:
    """Plans for several counts, each of which may be come by in any of its ways.

    The problems of all formulas must number relations, filters and keys alike. `forced`: share wherever that is
    possible, even where it saves nothing; the other options are those of `make_plan`.
    """
    chooser = _Chooser(stats, forced, options)
    order = sorted(range(len(ways)), key=lambda i: -ways[i][0].cost)
    chosen = [min(each, key=lambda way: way.cost) for each in ways]
    apart = sum({chooser.key(term): term.plan.cost for way in chosen for term in way.terms}.values())
    for i in order:
        chosen[i] = chooser.put_cheapest(ways[i])
    for _ in range(_ROUNDS):
        before = chooser.cost()
        for i in order:
            chooser.take_out(chosen[i])
            chosen[i] = chooser.put_cheapest(ways[i])
        if chooser.cost() >= before:
            break
    groups = chooser.groups()
    return Together(tuple(chooser.with_plans(formula) for formula in chosen), groups, apart)


class _Chooser:
    """The trie as it grows: the terms that are in it, and how often each level is used."""

    def __init__(self, stats: Statistics, forced: bool, options: dict[str, Any]) -> None:
        self.stats, self.forced, self.options = stats, forced, options
        self.known: dict[Hashable, list[Choice]] = {}
        self.placed: dict[Hashable, tuple[Choice, int]] = {}
        """term -> its plan, and how many formulas use it"""
        self.uses: dict[Levels, int] = {}
        self.price: dict[Levels, float] = {}
        self.numbers: dict[Hashable, int] = {}

    @staticmethod
    def key(term: Term) -> Hashable:
        """Equal for terms with equal counts: they are counted once."""
        key = term.key
        return term.plan if key is None else key

    def choices(self, term: Term) -> list[Choice]:
        """The term's own plan first."""
        key = self.key(term)
        found = self.known.get(key)
        if found is None:
            own = Choice(term.plan, (), (), term.plan.cost)
            others = [] if term.cut else self._orders(term.problem)
            found = self.known[key] = others if others and self.forced else [own, *others]
        return found

    def _orders(self, problem: Problem) -> list[Choice]:
        """Plans that may share levels."""
        options = dict(self.options)
        max_tail, loose = options.pop("max_tail", 99), options.pop("loose", False)
        if options.pop("order", "cost") != "cost":
            return []
        choices = []
        for order in orders_near_best(problem, self.stats, max_tail=max_tail):
            plan = plan_in_order(problem, order, counting=True, loose=loose, **options)
            tail = order.cost - sum(order.by_level)
            choices.append(Choice(plan, self._numbered(plan), order.by_level, tail))
        return choices

    def _numbered(self, plan: Plan) -> Levels:
        return tuple(self.numbers.setdefault(key, len(self.numbers)) for key in level_keys(plan))

    def put_cheapest(self, ways: Sequence[Formula]) -> Formula:
        """Adds the way that costs least beside what is there."""
        best, least = ways[0], float("inf")
        for way in ways:
            cost = self.put(way)
            self.take_out(way)
            if cost < least:
                best, least = way, cost
        self.put(best)
        return best

    def put(self, formula: Formula) -> float:
        """Adds a formula's terms; what that costs."""
        total = 0.0
        for term in formula.terms:
            key = self.key(term)
            if key in self.placed:
                choice, users = self.placed[key]
                self.placed[key] = choice, users + 1
                continue
            choice = min(self.choices(term), key=lambda choice: choice.added(self.uses))
            total += choice.added(self.uses)
            self.placed[key] = choice, 1
            for i, cost in enumerate(choice.costs):
                levels = choice.levels[: i + 1]
                self.uses[levels] = self.uses.get(levels, 0) + 1
                self.price.setdefault(levels, cost)
        return total

    def take_out(self, formula: Formula) -> None:
        for term in formula.terms:
            key = self.key(term)
            choice, users = self.placed.pop(key)
            if users > 1:
                self.placed[key] = choice, users - 1
                continue
            for i in range(len(choice.costs)):
                levels = choice.levels[: i + 1]
                self.uses[levels] -= 1
                if self.uses[levels] == 0:
                    del self.uses[levels], self.price[levels]

    def cost(self) -> float:
        return sum(self.price.values()) + sum(choice.tail for choice, _ in self.placed.values())

    def groups(self) -> tuple[Group, ...]:
        """The terms by their first two levels; where that saves too little, each by itself and as cheap as can be."""
        together: dict[Hashable, list[Hashable]] = {}
        for key, (choice, _) in self.placed.items():
            begins: Hashable = choice.levels[:2]
            together.setdefault(begins if len(choice.levels) > 1 else (None, key), []).append(key)
        groups = []
        for members in together.values():
            group = self._group(members)
            gains = self.forced or group.cost <= (1 - _LEAST_GAIN) * group.apart
            if len(members) > 1 and not gains:
                for key in members:
                    self.placed[key] = min(self.known[key], key=_whole_cost), 1
                groups += [self._group([key]) for key in members]
            else:
                groups.append(group)
        return tuple(sorted(groups, key=lambda group: group.cost))

    def _group(self, members: Sequence[Hashable]) -> Group:
        choices = [self.placed[key][0] for key in members]
        seen: set[Levels] = set()
        cost = 0.0
        for choice in choices:
            cost += choice.added(seen)
            seen.update(choice.levels[: i + 1] for i in range(len(choice.levels)))
        apart = sum(min(map(_whole_cost, self.known[key])) for key in members)
        return Group(
            tuple(choice.plan for choice in choices),
            tuple(choice.levels for choice in choices),
            cost,
            apart,
        )

    def with_plans(self, formula: Formula) -> Formula:
        """The formula with the plans that its terms got."""
        terms = [replace(term, plan=self.placed[self.key(term)][0].plan) for term in formula.terms]
        return replace(formula, terms=tuple(terms))


def _whole_cost(choice: Choice) -> float:
    return choice.tail + sum(choice.costs)


def level_keys(plan: Plan) -> list[Hashable]:
    """The plan's levels; those of two plans are equal where they are the same loop, whatever the vertices are called.

    Sets are told by what they are, not by their number. Levels on bit rows are others than levels on lists.
    """
    checks: list[list[Hashable]] = [[] for _ in plan.order]
    for check in plan.edge_checks:
        checks[max(check.source, check.target)].append(check)
    keys: list[Hashable] = [(plan.seed.filter, tuple(checks[0]))]
    for depth, extend in enumerate(plan.extends, 1):
        rows = _rows(plan) if depth == 1 else None
        candidates = _expanded(plan, extend.candidates)
        keys.append((candidates, extend.distinct, extend.checks, tuple(checks[depth]), rows))
    return keys


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
