"""Pass: the sets of a plan. Each is a chain of intersections, one link per depth, computed as early as its operands
allow (code motion) and shared between all that need it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from subiso.plan.plan import Operand, SetExpression, SetRef, SetStep, Source

Key = tuple[Operand, ...]
"""A set's operands in chain order, so that the sets on the way to it are prefixes of it."""


class Need(NamedTuple):
    """What a level or a block of the tail takes its elements from."""

    operands: Key
    after: frozenset[int]
    """Places in the order, transitively closed: p where the elements come after the vertex at position p, ~p where
    they come before it."""
    filter: tuple[int, ...]
    distinct: tuple[int, ...]


class Bounds(Protocol):
    """What the table asks about the order of matched vertices."""

    def reduced(self, after: Iterable[int]) -> tuple[int, ...]: ...

    def implied(self, bounds: Iterable[int]) -> set[int]: ...

    def bounds(self, positions: tuple[int, ...]) -> dict[str, tuple[int, ...]]: ...


def position_of(place: int) -> int:
    """The position that a place in the order speaks of.

    >>> position_of(3), position_of(~3)
    (3, 3)
    """
    return ~place if place < 0 else place


def in_chain_order(operands: Iterable[Operand]) -> Key:
    """The first positive list, then the others by the depth at which they can be applied."""
    ordered = sorted(operands)
    first = next((i for i, o in enumerate(ordered) if not o.negative), 0)
    # Lists to take out that are known before there is anything to take them out of come right after it.
    return (*ordered[first : first + 1], *ordered[:first], *ordered[first + 1 :])


class SetTable:
    """Decides which sets are computed, and tells levels and tail how to read them."""

    def __init__(
        self, order: Bounds, levels: Sequence[Need], blocks: Sequence[Need], last_depth: int
    ) -> None:
        self.order = order
        self.steps: list[SetStep] = []
        self.index: dict[Key, int] = {}
        self.promised: list[set[int]] = []
        """step -> places in the order that its elements are known to have"""
        users: dict[Key, list[Need]] = {}
        wanted_by_level = set()
        for need in levels:
            for key in _chain(need.operands):
                users.setdefault(key, []).append(need)
                wanted_by_level.add(key)
        for need in blocks:
            for key in _chain(need.operands):
                users.setdefault(key, []).append(need)
        for key in sorted(users, key=lambda k: (_depth(k), len(k))):
            only_counted = (
                key not in wanted_by_level
                and _depth(key) == last_depth
                and all(need.operands == key for need in users[key])
            )
            if not only_counted:
                self._add(key, users[key])

    def _add(self, key: Key, users: list[Need]) -> None:
        depth = _depth(key)
        source, operands = self._split(key)
        common = frozenset.intersection(*(need.after for need in users))
        bounds = {p for p in common if position_of(p) <= depth}
        same_filter = all(need.filter == users[0].filter for need in users)
        self.index[key] = len(self.steps)
        self.promised.append(self.order.implied(bounds))
        expression = SetExpression(
            source,
            operands,
            **self.order.bounds(self.order.reduced(bounds)),
            filter=users[0].filter if same_filter else (),
        )
        self.steps.append(SetStep(depth, expression))

    def _split(self, key: Key) -> tuple[Source, tuple[Operand, ...]]:
        """The part of a set that was there before its last depth, and the operands that come in at it."""
        depth = _depth(key)
        known = next((i for i, o in enumerate(key) if o.list.position == depth), len(key))
        if known > 1 and key[:known] in self.index:
            return SetRef(self.index[key[:known]]), key[known:]
        return key[0].list, key[1:]

    def expression(self, need: Need, *, counted: bool = False) -> SetExpression:
        """How a level or the tail reads its elements: a set or list, and what is still to be checked."""
        number = self.index.get(need.operands)
        source, operands = self._split(need.operands) if number is None else (SetRef(number), ())
        assert counted or not operands, "a level's set is always computed before it"
        done: set[int] = set()
        passed: tuple[int, ...] = ()
        if isinstance(source, SetRef):
            done, passed = self.promised[source.index], self.steps[source.index].expression.filter
        left = tuple(p for p in self.order.reduced(need.after) if p not in done)
        still = () if passed == need.filter else need.filter
        return SetExpression(source, operands, **self.order.bounds(left), filter=still)


def _depth(key: Key) -> int:
    return max(key[0].list.position, key[-1].list.position)


def _chain(key: Key) -> list[Key]:
    """The sets on the way to this one, and itself: what is known of it after each depth (single lists are no sets)."""
    start = key[0].list.position if key else 0
    return [
        key[:i]
        for i in range(2, len(key) + 1)
        if i == len(key) or key[i].list.position > max(key[i - 1].list.position, start)
    ]
