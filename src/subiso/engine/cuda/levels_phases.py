"""Several positions in one step (GENEVA): groups the levels of a lowered plan into phases, and lets edges wait. Pure.

A phase adds positions whose vertices come from lists of one relation, of one or two earlier positions, in at most two
sets: positions of a set ask the same of the vertices matched before, so that they share its candidates. What positions
of a phase ask of each other is checked on their combinations. Optionally edges to earlier positions other than the one
that a vertex comes from (non-tree edges, and absent ones) are left to elimination, one edge label at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.tables import EDGE, MAX_LEVELS, NO_EDGE, Lowered
from subiso.plan.core import PRIORITY, core_of

MOST_SETS = 2
MOST_IN_CORE = 2
"""Positions of a phase inside the core: large phases would find much that its edges then take away."""

Op = tuple[int, int, int, int]
Ops = dict[int, list[Op]]
"""position -> operations"""
Waiting = dict[int, dict[int, Ops]]
"""edge label -> position -> its operations that wait"""


@dataclass(frozen=True)
class Check:
    """An elimination: levels of the tables beyond the plan's own, each for the vertex at a position."""

    label: int
    """The relations of an edge label, in either direction, have the number of the first of them."""
    level: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Phase:
    """Positions first .. first + len(members) - 1."""

    first: int
    members: tuple[int, ...] = (0,)
    """Per position its set of candidates."""
    levels: tuple[int, ...] = ()
    """Per set the level whose demands on earlier positions it meets."""
    pattern: int = 0
    checks: tuple[Check, ...] = ()

    @property
    def width(self) -> int:
        return len(self.members)


@dataclass
class _Group:
    """A phase in the making: its sets by (source, what is asked of earlier positions)."""

    sets: list[tuple[int, Any]]
    members: list[int]
    levels: list[int]
    trees: list[int]
    """Per position the source of its tree edge."""

    def pattern(self, filters: Sequence[int]) -> int:
        """GENEVA's number."""
        if len(self.members) == 1:
            return 0
        one_source = len({source for source, _ in self.sets}) == 1
        if len(self.members) > 2:
            return 5 if len(self.sets) == 1 else 6 if one_source else 7
        if len(self.sets) == 1:
            return 1
        same = filters[self.levels[0]] == filters[self.levels[1]]
        return 3 if one_source else 2 if same else 4


def single_phases(lowered: Lowered) -> tuple[Phase, ...]:
    """One position at a time: matching pattern 0 throughout."""
    return tuple(Phase(level, levels=(level,)) for level in range(1, lowered.num_levels))


def make_phases(
    lowered: Lowered, *, most: int, eliminate: bool, entries: Sequence[int], reverse: Sequence[int]
) -> tuple[Lowered, tuple[Phase, ...]]:
    """The phases of a plan, at most `most` positions each, and its tables with the checks of eliminations added.

    `entries` are sizes of relations: where there is a choice, vertices come from the lists of the smallest. `reverse`
    has for each the relation of the same edges read from their other end.
    """
    return _Phases(lowered, most, eliminate, entries, reverse).result()


class _Phases:
    def __init__(
        self,
        lowered: Lowered,
        most: int,
        eliminate: bool,
        entries: Sequence[int],
        reverse: Sequence[int],
    ) -> None:
        self.lowered, self.most, self.eliminate, self.entries = lowered, most, eliminate, entries
        self.labels = [min(pair) for pair in enumerate(reverse)]
        tables = lowered.tables
        self.num_levels = lowered.num_levels
        self.end = self.num_levels + int(tables["num_sizes"])
        self.ops = [_ops_of(tables, level) for level in range(self.end)]
        self.filters = [int(f) for f in tables["levels"]["filter"][: self.end]]
        self.added: list[Ops] = []
        """Levels of eliminations."""
        self.core = _core(self.ops[: self.num_levels])

    def result(self) -> tuple[Lowered, tuple[Phase, ...]]:
        phases = []
        first = 1
        while first < self.num_levels:
            relation, group = self.best_group(first, self.most)
            checks: tuple[Check, ...] = ()
            if self.eliminate:
                waiting = self.waiting(first, relation, group)
                if len(group.members) > 1 and self.room < sum(map(len, waiting.values())):
                    # Some of its edges have to stay, which those with whom a position shares its candidates do not ask.
                    relation, group = self.best_group(first, 1)
                    waiting = self.waiting(first, relation, group)
                checks = self.let_wait(waiting)
            phases.append(
                Phase(
                    first,
                    tuple(group.members),
                    tuple(group.levels),
                    group.pattern(self.filters),
                    checks,
                )
            )
            first += len(group.members)
        if not self.added:
            return self.lowered, tuple(phases)
        tables = _with_ops(self.lowered.tables, [*self.ops, *self.added])
        return replace(self.lowered, tables=tables), tuple(phases)

    @property
    def room(self) -> int:
        """Levels that eliminations may still have."""
        return MAX_LEVELS - self.end - len(self.added)

    def best_group(self, first: int, most: int) -> tuple[int, _Group]:
        """The relation and the group of highest priority, then the largest, then of the smallest relation."""
        relations = {op[1] for ops in self.ops[first].values() for op in ops if op[0] == EDGE}
        groups = [(relation, self.grow(first, relation, most)) for relation in sorted(relations)]
        return min(
            groups,
            key=lambda g: (
                PRIORITY.index(g[1].pattern(self.filters)),
                -len(g[1].members),
                self.entries[g[0]],
            ),
        )

    def grow(self, first: int, relation: int, most: int) -> _Group:
        group = _Group([], [], [], [])
        for level in range(first, self.num_levels):
            core = self.core & set(range(first, level + 1))
            if len(group.members) >= (min(most, MOST_IN_CORE) if core else most):
                break
            keys = [
                (source, self.asked(level, first, source, relation))
                for source, ops in self.ops[level].items()
                if source < first and any(op[:2] == (EDGE, relation) for op in ops)
            ]
            known = next((key for key in keys if key in group.sets), None)
            if known is None:
                if not keys or len(group.sets) == MOST_SETS:
                    break
                known = keys[0]
                group.sets.append(known)
                group.levels.append(level)
            group.members.append(group.sets.index(known))
            group.trees.append(known[0])
        return group

    def asked(self, level: int, first: int, source: int, relation: int) -> Any:
        """What a level asks of the positions before `first`, and of the vertex itself."""
        found = [
            (position, op)
            for position, ops in self.ops[level].items()
            if position < first
            for op in ops
            if not (self.eliminate and _waits(op, position, source, relation))
        ]
        return self.filters[level], tuple(found)

    def waiting(self, first: int, relation: int, group: _Group) -> Waiting:
        """The edges that may wait until the phase's vertices are matched."""
        found: Waiting = {}
        for level, source in enumerate(group.trees, first):
            for position, ops in self.ops[level].items():
                for op in ops:
                    if _waits(op, position, source, relation):
                        mine = found.setdefault(self.labels[op[1]], {}).setdefault(level, {})
                        mine.setdefault(position, []).append(op)
        return found

    def let_wait(self, waiting: Waiting) -> tuple[Check, ...]:
        """Takes them out of their levels, as far as there is room; the checks that make up for it, one per label."""
        checks = []
        for label, levels in sorted(waiting.items()):
            if self.room < len(levels):
                break  # these stay where they are
            checks.append(Check(label, self.end + len(self.added), tuple(levels)))
            for level, waits in levels.items():
                self.added.append(waits)
                for position, some in waits.items():
                    self.ops[level][position] = [op for op in self.ops[level][position] if op not in some]
        return tuple(checks)


def _waits(op: Op, position: int, source: int, relation: int) -> bool:
    return op[0] in (EDGE, NO_EDGE) and (position, op[1]) != (source, relation)


def _ops_of(tables: NDArray[Any], level: int) -> Ops:
    first = tables["first"][level].tolist()
    ops: list[Op] = tables["ops"][first[0] : first[-1]].tolist()
    return {
        position: ops[begin - first[0] : end - first[0]]
        for position, (begin, end) in enumerate(pairwise(first))
        if begin != end
    }


def _with_ops(tables: NDArray[Any], levels: Sequence[Ops]) -> NDArray[Any]:
    """The tables with these operations; levels beyond the plan's own have no filter."""
    found = tables.copy()
    found["ops"] = np.zeros((), found["ops"].dtype)
    number = 0
    for level, ops in enumerate(levels):
        first = found["first"][level]
        for position in range(len(first)):
            first[position] = number
            for op in ops.get(position, ()):
                found["ops"][number] = op
                number += 1
        found["levels"][level]["lowest"] = min((p for p, some in ops.items() if some), default=level)
    beyond = int(tables["num_levels"]) + int(tables["num_sizes"])
    found["levels"]["filter"][beyond : len(levels)] = 255
    return found


def _core(levels: Sequence[Ops]) -> set[int]:
    """Positions on cycles and between them."""
    near: dict[int, set[int]] = {level: set() for level in range(len(levels))}
    for level, ops in enumerate(levels):
        for position, some in ops.items():
            if any(op[0] == EDGE for op in some):
                near[level].add(position)
                near[position].add(level)
    return core_of(near)
