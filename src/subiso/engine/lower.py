"""Lowers Plans to the flat program of the native engine (native/engine/program.hpp reads it).

Plans of one program refer to sets and tables of one list, in which equal ones are one: levels that are the same loop
are then equal word for word, and the native side makes them one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from subiso.plan.plan import (
    CodegreeStep,
    CountTail,
    Ends,
    Everyone,
    Extend,
    Neighbors,
    Part,
    Plan,
    SetExpression,
    SetRef,
    SetStep,
    Source,
)
from subiso.plan.tally import Tally

_OPS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}
_SEEDS, _LIST, _SET, _ENDS, _EVERYONE = range(5)


def lower_tally(plan: Plan, tally: Tally, *, wide: bool = False) -> NDArray[np.int64]:
    """The tally of a plan as native/engine/tally_program.hpp reads it; `wide`: 128 bits for each count."""
    levels = 1 + len(plan.extends)
    code = [int(wide), len(tally.columns), *(-1 if r is None else r for _, r in tally.columns)]
    place = {position: (column, times) for position, column, times in tally.vertices}
    for level in range(levels):
        code += place.get(level, (-1, 0))
    for level in range(levels):
        edges = [rest for later, *rest in tally.edges if later == level]
        code += [len(edges), *(number for rest in edges for number in rest)]
    for positions in tally.sure:
        code += [len(positions), *positions]
    code.append(len(tally.tail))
    for share in tally.tail:
        code += [share.size, *((-1,) if share.origin is None else share.origin), share.column]
        code.append(len(share.terms))
        for term in share.terms:
            code += [term.coefficient, len(term.factors), *term.factors]
    return np.array(code, np.int64)


def lower(plans: Sequence[Plan]) -> tuple[NDArray[np.int64], list[tuple[int, ...]]]:
    """The program of one plan, or of several that count and have the same seeds; and the combinations of candidate
    filters that it refers to by number."""
    common = _Common()
    leaves = [_Leaf(plan, common).result() for plan in plans]
    code = [len(common.sets), len(common.tables), len(plans), not isinstance(plans[0].tail, CountTail)]
    for words in (*common.sets, *common.tables, *leaves):
        code += words
    return np.array(code, np.int64), list(common.filters)


class _Common:
    """What the plans of a program number together; sets and tables as the words that they are written in."""

    def __init__(self) -> None:
        self.filters: dict[tuple[int, ...], int] = {}
        self.sets: dict[tuple[int, ...], int] = {}
        self.tables: dict[tuple[int, ...], int] = {}


class _Leaf:
    """One plan."""

    def __init__(self, plan: Plan, common: _Common) -> None:
        self.plan = plan
        self.common = common
        self.set_number: dict[int, int] = {}
        """The plan's numbers of sets and tables -> the program's"""
        self.table_number: dict[int, int] = {}

    def result(self) -> list[int]:
        plan, local = self.plan, self.plan.local
        sets = self.sets(plan.sets, 0)
        tables = [self.table(i, step) for i, step in enumerate(plan.codegrees)]
        code = [1 + len(plan.extends)]
        code += (
            [local.relation, local.above, local.rows_above, local.least, local.cliques]
            if local
            else [-1, 0, 0, 0, 0]
        )
        # Seeds are filtered before the engine starts, so level 0 only carries its edge checks (loops).
        code += [_SEEDS, 0, 0, 0, -1, 1, 0, 0, *self.edge_checks(0)]
        for depth, extend in enumerate(plan.extends, 1):
            code += self.level(depth, extend)
        code += [*_counted(sets), *_counted(tables)]
        if isinstance(plan.tail, CountTail):
            code += self.count_tail(plan.tail)
            code.append(len(plan.parts))
            for part in plan.parts:
                code += self.part(part)
        else:
            code += plan.order
        return code

    def sets(self, steps: Sequence[SetStep], first: int) -> list[int]:
        """The program's numbers of the sets, whose numbers in the plan begin at `first`."""
        numbers = []
        for i, step in enumerate(steps, first):
            words = (step.depth, *self.expression(step.expression))
            self.set_number[i] = self.common.sets.setdefault(words, len(self.common.sets))
            numbers.append(self.set_number[i])
        return numbers

    def table(self, index: int, step: CodegreeStep) -> int:
        base = self.expression(step.base)
        words = (step.depth, *base, step.relation, *_counted(step.lower), *_counted(step.upper))
        number = self.table_number[index] = self.common.tables.setdefault(words, len(self.common.tables))
        return number

    def level(self, depth: int, extend: Extend) -> list[int]:
        code = [*self.expression(extend.candidates), extend.least]
        code += [*_counted(extend.distinct), len(extend.checks)]
        for c in extend.checks:
            code += [_OPS[c.op], c.left_key, c.position, c.right_key]
        return code + self.edge_checks(depth)

    def part(self, part: Part) -> list[int]:
        sets = self.sets(part.sets, len(self.plan.sets))  # parts number theirs alike
        code = [part.power, len(part.extends)]
        for depth, extend in enumerate(part.extends, len(self.plan.order)):
            code += self.level(depth, extend)
        return [*code, *_counted(sets), *self.count_tail(part.tail)]

    def edge_checks(self, depth: int) -> list[int]:
        done = [c for c in self.plan.edge_checks if max(c.source, c.target) == depth]
        return [len(done), *(word for c in done for word in (c.source, c.target, c.relation))]

    def count_tail(self, tail: CountTail) -> list[int]:
        code = [len(tail.sizes)]
        for size in tail.sizes:
            code += [*self.expression(size.expression), *_counted(size.distinct), size.surely]
            code.append(-1 if size.table is None else self.table_number[size.table])
        code.append(len(tail.terms))
        for term in tail.terms:
            code += [term.coefficient, *_counted(term.factors)]
        return code

    def expression(self, e: SetExpression) -> list[int]:
        code = [*self.source(e.source), len(e.operands)]
        for o in e.operands:
            code += [o.negative, o.list.position, o.list.relation]
        filters = self.common.filters
        number = filters.setdefault(e.filter, len(filters)) if e.filter else -1
        return [*code, *_counted(e.lower), *_counted(e.upper), number]

    def source(self, source: Source) -> list[int]:
        match source:
            case Neighbors(position, relation):
                return [_LIST, position, relation]
            case SetRef(index):
                return [_SET, self.set_number[index]]
            case Ends(table):
                return [_ENDS, self.table_number[table]]
            case Everyone():
                return [_EVERYONE]


def _counted(values: Iterable[int]) -> list[int]:
    """How many there are, then themselves."""
    values = list(values)
    return [len(values), *values]
