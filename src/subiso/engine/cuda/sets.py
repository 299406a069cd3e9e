"""Which sets schedule `stack` keeps, and how much room they take: pure decisions from a plan and lengths of lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from subiso.plan.plan import CountTail, Neighbors, Plan, SetExpression, SetRef

Longest = Callable[[int, bool], tuple[int, int]]
"""(relation, only above the owner) -> the lengths of its longest and second longest list."""


@dataclass(frozen=True)
class KeptSets:
    """The sets that are kept, by their number in the plan, and an upper bound of each one's size."""

    bounds: tuple[tuple[int, int], ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(number for number, _ in self.bounds)

    @property
    def words(self) -> int:
        """Room for one entry of every level."""
        return sum(bound for _, bound in self.bounds)

    def limits(self, plan: Plan, words: int, levels: int) -> list[int]:
        """Per level: how far its entries may fill an arena, so that one entry of every deeper level finds room."""
        return [
            words - sum(bound for number, bound in self.bounds if plan.sets[number].depth > level)
            for level in range(levels)
        ]


def choose_sets(plan: Plan, longest: Longest, most_words: int) -> KeptSets:
    """Sets that are read more than once, as long as an arena of `most_words` holds one of each.

    A set that only the next level reads is not worth keeping: reading it computes it. The first and the last level
    keep none, which makes their work simpler.
    """
    uses = Counter(number for number, _ in _reads(plan))
    later = {number for number, level in _reads(plan) if level > plan.sets[number].depth + 1}
    bounds = [
        (number, _bound(plan, number, longest))
        for number, step in enumerate(plan.sets)
        if 0 < step.depth < len(plan.extends) and (uses[number] > 1 or number in later)
    ]
    while sum(bound for _, bound in bounds) > most_words:
        bounds.remove(max(bounds, key=lambda b: b[1]))
    return KeptSets(tuple(bounds))


def _reads(plan: Plan) -> Iterator[tuple[int, int]]:
    """(set, the level at which somebody reads it)"""
    readers: list[tuple[SetExpression, int]] = [
        (e.candidates, level) for level, e in enumerate(plan.extends, 1)
    ]
    readers += [(step.expression, step.depth) for step in plan.sets]
    if isinstance(plan.tail, CountTail):
        readers += [(size.expression, len(plan.extends) + 1) for size in plan.tail.sizes]
    for expression, level in readers:
        if isinstance(expression.source, SetRef):
            yield expression.source.index, level


def _bound(plan: Plan, number: int, longest: Longest) -> int:
    """The shortest of the lists that a set is made of, however unlucky the vertices are."""
    expression = plan.sets[number].expression
    lists, above = lists_of(plan, expression), _above(plan, expression)
    kinds = [(at.relation, at.position in above) for at in lists]
    bounds = [longest(*kind)[0] for kind in kinds]
    if plan.mode in ("monomorphism", "induced"):
        # Two lists of different vertices: at most one of them is the longest there is.
        owners = {
            kind: {at.position for at, k in zip(lists, kinds, strict=True) if k == kind} for kind in kinds
        }
        bounds += [longest(*kind)[1] for kind, positions in owners.items() if len(positions) > 1]
    return min(bounds)


def lists_of(plan: Plan, e: SetExpression) -> list[Neighbors]:
    """The lists that hold the elements of an expression, those of the sets it is made of included."""
    lists = [operand.list for operand in e.operands if not operand.negative]
    if isinstance(e.source, Neighbors):
        lists.append(e.source)
    if isinstance(e.source, SetRef):
        lists += lists_of(plan, plan.sets[e.source.index].expression)
    return lists


def _above(plan: Plan, e: SetExpression) -> set[int]:
    """The positions that the elements of an expression are known to be above."""
    inner = _above(plan, plan.sets[e.source.index].expression) if isinstance(e.source, SetRef) else set()
    return inner | set(e.lower)
