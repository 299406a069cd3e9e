"""Pass: plans for several counts that share their first levels, chosen together.

Levels that are the same loop (candidates, bounds, filters, conditions) below the same loops are searched once, and
equal sizes below all of them are found once: the plans are a trie. Every count has a few ways, each a sum of terms, and
every term a few plans (plan/alike.py). They are chosen greedily, dearest counts first and then each again while that
helps, by what they add to what the others do anyway; so all together never costs more, by the estimate, than one by
one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from subiso.plan.alike import Choice, choices, choices_beside
from subiso.plan.formula import Formula, Term
from subiso.plan.order import EXHAUSTIVE_UP_TO
from subiso.plan.plan import Plan
from subiso.plan.problem import Problem
from subiso.storage.statistics import Statistics

_ROUNDS = 4  # over all counts, each of which may then change its mind
LEAST_GAIN = 0.1
"""What a group must save of its cost: counts of one search are finished together, or not at all."""
_WORTH_LOOKING = 3e7
"""Operations per term from which on other orders than the best one are looked at: that takes milliseconds each."""
_PER_CHOICE = 1e6
"""Operations of a term that allow for one more order."""
_MOST_CHOICES = 48
_MOST_GUIDES = 8  # large patterns whose orders others may follow

Levels = tuple[int, ...]
"""A plan's levels, equal numbers for the same loops; or the first ones of them."""


@dataclass(frozen=True)
class Group:
    """Plans that run in one search; more than one where they share levels."""

    plans: tuple[Plan, ...]
    levels: tuple[Levels, ...]
    """Of each plan; () for one that shares nothing."""
    cost: float
    apart: float
    """What the cheapest plans for the same counts would cost, one by one."""


@dataclass(frozen=True)
class Together:
    """What is run for several counts."""

    formulas: tuple[Formula, ...]
    """Per count; the plans of their terms are those of the groups."""
    groups: tuple[Group, ...]
    """The cheapest first."""
    apart: float
    """The cost of the counts' cheapest formulas one by one, equal terms once."""

    @property
    def cost(self) -> float:
        return sum(group.cost for group in self.groups)


def merge(
    ways: Sequence[Sequence[Formula]],
    stats: Statistics,
    *,
    forced: bool = False,
    between: Callable[[], None] = lambda: None,
    **options: Any,
) -> Together:
    """Plans for several counts, each of which may be come by in any of its ways.

    The problems of all formulas must number relations, filters and keys alike. `forced`: share wherever that is
    possible, even where it saves nothing. `between` is called before each count is looked at, and may raise. The
    other options are those of `make_plan`.
    """
    chosen = [min(each, key=lambda way: way.cost) for each in ways]
    apart = sum({key_of(term): term.plan.cost for way in chosen for term in way.terms}.values())
    terms = {key_of(term) for each in ways for way in each for term in way.terms}
    each = apart / max(len(terms), 1)
    most = min(_MOST_CHOICES, int(each / _PER_CHOICE)) if each >= _WORTH_LOOKING else 1
    chooser = _Chooser(stats, _MOST_CHOICES if forced else most, forced, options)
    order = sorted(range(len(ways)), key=lambda i: -chosen[i].cost)
    chooser.guides = [p for i in order for p in _large(ways[i])][:_MOST_GUIDES]
    for i in order:
        between()
        chosen[i] = chooser.put_cheapest(ways[i])
    for _ in range(_ROUNDS):
        before = chooser.cost()
        for i in order:
            between()
            chooser.take_out(chosen[i])
            chosen[i] = chooser.put_cheapest(ways[i])
        if chooser.cost() >= before:
            break
    groups = chooser.groups()
    return Together(tuple(chooser.with_plans(formula) for formula in chosen), groups, apart)


def _large(ways: Sequence[Formula]) -> list[Problem]:
    """The patterns of the terms that are too large for all orders to be looked at."""
    problems = [term.problem for way in ways for term in way.terms if term.cut is None]
    return [problem for problem in problems if problem.num_vertices > EXHAUSTIVE_UP_TO]


def key_of(term: Term) -> Hashable:
    """Equal for terms with equal counts: they are counted once."""
    key = term.key
    return term.plan if key is None else key


@dataclass(frozen=True, eq=False)
class _Option:
    """A choice in numbers: what it does, piece by piece, and what each costs."""

    plan: Plan
    levels: Levels
    pieces: tuple[tuple[Hashable, float], ...]

    def added(self, known: Container[Hashable]) -> float:
        """Operations beside what is done anyway."""
        return sum(cost for piece, cost in self.pieces if piece not in known)

    @property
    def cost(self) -> float:
        return sum(cost for _, cost in self.pieces)


class _Chooser:
    """The trie as it grows: the terms that are in it, and how often each piece of it is used."""

    def __init__(self, stats: Statistics, most: int, forced: bool, options: dict[str, Any]) -> None:
        self.stats, self.most, self.forced = stats, most, forced
        self.options = tuple(options.items())
        self.known: dict[Hashable, list[_Option]] = {}
        self.placed: dict[Hashable, tuple[_Option, int]] = {}
        """term -> its plan, and how many formulas use it"""
        self.uses: dict[Hashable, int] = {}
        self.numbers: dict[Hashable, int] = {}
        self.guides: list[Problem] = []

    def options_of(self, term: Term) -> list[_Option]:
        """The term's own plan, and those that may share levels."""
        key = key_of(term)
        found = self.known.get(key)
        if found is None:
            own = _Option(term.plan, (), (((key, None), term.plan.cost),))
            others: list[_Option] = []
            if term.cut is None:
                others = [self._numbered(choice) for choice in self._choices(term)]
            # The first of those that cost the same is taken, and others may still come to share it.
            found = self.known[key] = others if others and self.forced else [*others, own]
        return found

    def _choices(self, term: Term) -> tuple[Choice, ...]:
        if term.problem.num_vertices > EXHAUSTIVE_UP_TO:
            guides = [guide for guide in self.guides if guide is not term.problem][: self.most - 1]
            return choices_beside(term.problem, self.stats, guides, self.options)[: self.most]
        return choices(term.problem, self.stats, term.plan.cost, self.most, self.options)

    def _numbered(self, choice: Choice) -> _Option:
        number = self.numbers
        levels = tuple(number.setdefault(key, len(number)) for key in choice.levels)
        sizes = [number.setdefault(key, len(number)) for key in choice.sizes]
        pieces: list[tuple[Hashable, float]] = [
            (levels[: i + 1], cost) for i, cost in enumerate(choice.level_costs)
        ]
        pieces += [((levels, size), cost) for size, cost in zip(sizes, choice.size_costs, strict=True)]
        return _Option(choice.plan, levels, tuple(pieces))

    def put_cheapest(self, ways: Sequence[Formula]) -> Formula:
        """Adds the way that costs least beside what is there."""
        best, least = ways[0], float("inf")
        for way in ways if len(ways) > 1 else ():
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
            key = key_of(term)
            if key in self.placed:
                option, users = self.placed[key]
                self.placed[key] = option, users + 1
                continue
            option = min(self.options_of(term), key=self._price)
            total += option.added(self.uses)
            self.placed[key] = option, 1
            for piece, _ in option.pieces:
                self.uses[piece] = self.uses.get(piece, 0) + 1
        return total

    def _price(self, option: _Option) -> tuple[int, float]:
        """What is to be least: the cost or, where sharing is forced, the levels that nobody has."""
        lonely = sum(option.levels[: i + 1] not in self.uses for i in range(len(option.levels)))
        return lonely if self.forced else 0, option.added(self.uses)

    def take_out(self, formula: Formula) -> None:
        for term in formula.terms:
            key = key_of(term)
            option, users = self.placed.pop(key)
            if users > 1:
                self.placed[key] = option, users - 1
                continue
            for piece, _ in option.pieces:
                self.uses[piece] -= 1
                if self.uses[piece] == 0:
                    del self.uses[piece]

    def cost(self) -> float:
        return _cost_of(option for option, _ in self.placed.values())

    def groups(self) -> tuple[Group, ...]:
        """The terms by their first two levels; where that saves too little, each by itself and as cheap as can be."""
        together: dict[Hashable, list[Hashable]] = {}
        for key, (option, _) in self.placed.items():
            begins: Hashable = option.levels[:2] if len(option.levels) > 1 else (None, key)
            together.setdefault(begins, []).append(key)
        groups = []
        for members in together.values():
            staying = members if self.forced else self._gaining(members)
            groups += [self._group(staying)] if staying else []
            for key in members:
                if key not in staying:
                    self.placed[key] = min(self.known[key], key=lambda option: option.cost), 1
                    groups.append(self._group([key]))
        return tuple(sorted(groups, key=lambda group: group.cost))

    def _gaining(self, members: Sequence[Hashable]) -> list[Hashable]:
        """Those of a group that cost enough less beside the others; none where there are not two of them."""
        left = list(members)
        while len(left) > 1:
            uses: dict[Hashable, int] = {}
            for key in left:
                for piece, _ in self.placed[key][0].pieces:
                    uses[piece] = uses.get(piece, 0) + 1
            shared = {piece for piece, users in uses.items() if users > 1}
            gain = {key: 1 - self.placed[key][0].added(shared) / self._least(key) for key in left}
            worst = min(left, key=lambda key: gain[key])
            if gain[worst] >= LEAST_GAIN:
                group = self._group(left)
                return left if group.cost <= (1 - LEAST_GAIN) * group.apart else []
            left.remove(worst)
        return []

    def _least(self, key: Hashable) -> float:
        return max(min(option.cost for option in self.known[key]), 1e-9)

    def _group(self, members: Sequence[Hashable]) -> Group:
        options = [self.placed[key][0] for key in members]
        return Group(
            tuple(option.plan for option in options),
            tuple(option.levels for option in options),
            _cost_of(iter(options)),
            sum(map(self._least, members)),
        )

    def with_plans(self, formula: Formula) -> Formula:
        """The formula with the plans that its terms got."""
        terms = [replace(term, plan=self.placed[key_of(term)][0].plan) for term in formula.terms]
        return replace(formula, terms=tuple(terms))


def _cost_of(options: Iterator[_Option]) -> float:
    """What options cost together: each piece once."""
    seen: set[Hashable] = set()
    total = 0.0
    for option in options:
        total += option.added(seen)
        seen.update(piece for piece, _ in option.pieces)
    return total
