"""Lowers a Plan to the flat program of the native engine (native/engine/program.hpp reads it)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from subiso.plan.plan import CountTail, Ends, Extend, Neighbors, Part, Plan, SetExpression, SetRef, Source
from subiso.plan.tally import Tally

_OPS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}
_SEEDS, _LIST, _SET, _ENDS = range(4)


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


def lower(plan: Plan) -> tuple[NDArray[np.int64], list[tuple[int, ...]]]:
    """The program, and the combinations of candidate filters that it refers to by number."""
    return _Lowering(plan).result()


class _Lowering:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.code: list[int] = []
        self.filters: dict[tuple[int, ...], int] = {}
        self.moved = 0
        """The parts' own sets are numbered one part after the other."""

    def result(self) -> tuple[NDArray[np.int64], list[tuple[int, ...]]]:
        plan, code = self.plan, self.code
        counting = isinstance(plan.tail, CountTail)
        local = plan.local
        code += [1 + len(plan.extends), len(plan.sets)]
        code += (
            [local.relation, local.above, local.rows_above, local.least, local.cliques]
            if local
            else [-1, 0, 0, 0, 0]
        )
        code += [not counting, len(plan.codegrees)]
        self.seed()
        for depth, extend in enumerate(plan.extends, 1):
            self.level(depth, extend)
        for step in plan.sets:
            code.append(step.depth)
            self.expression(step.expression)
        for table in plan.codegrees:
            code.append(table.depth)
            self.expression(table.base)
            code.append(table.relation)
            self.numbers(table.lower)
            self.numbers(table.upper)
        if isinstance(plan.tail, CountTail):
            self.count_tail(plan.tail)
            self.parts()
        else:
            code += plan.order
        return np.array(code, np.int64), list(self.filters)

    def seed(self) -> None:
        # Seeds are filtered before the engine starts, so level 0 only carries its edge checks (loops).
        self.code += [_SEEDS, 0, 0, 0, -1, 0, 0]
        self.edge_checks(0)

    def level(self, depth: int, extend: Extend) -> None:
        self.expression(extend.candidates)
        self.numbers(extend.distinct)
        self.code.append(len(extend.checks))
        for c in extend.checks:
            self.code += [_OPS[c.op], c.left_key, c.position, c.right_key]
        self.edge_checks(depth)

    def parts(self) -> None:
        self.code.append(len(self.plan.parts))
        for part in self.plan.parts:
            self.part(part)
            self.moved += len(part.sets)

    def part(self, part: Part) -> None:
        self.code += [part.power, len(part.extends), len(part.sets)]
        for depth, extend in enumerate(part.extends, len(self.plan.order)):
            self.level(depth, extend)
        for step in part.sets:
            self.code.append(step.depth)
            self.expression(step.expression)
        self.count_tail(part.tail)

    def edge_checks(self, depth: int) -> None:
        done = [c for c in self.plan.edge_checks if max(c.source, c.target) == depth]
        self.code.append(len(done))
        for c in done:
            self.code += [c.source, c.target, c.relation]

    def count_tail(self, tail: CountTail) -> None:
        self.code.append(len(tail.sizes))
        for size in tail.sizes:
            self.expression(size.expression)
            self.numbers(size.distinct)
            self.code += [size.surely, -1 if size.table is None else size.table]
        self.code.append(len(tail.terms))
        for term in tail.terms:
            self.code.append(term.coefficient)
            self.numbers(term.factors)

    def expression(self, e: SetExpression) -> None:
        self.source(e.source)
        self.code.append(len(e.operands))
        for o in e.operands:
            self.code += [o.negative, o.list.position, o.list.relation]
        self.numbers(e.lower)
        self.numbers(e.upper)
        self.code.append(self.filters.setdefault(e.filter, len(self.filters)) if e.filter else -1)

    def source(self, source: Source) -> None:
        match source:
            case Neighbors(position, relation):
                self.code += [_LIST, position, relation]
            case SetRef(index):
                self.code += [_SET, index + self.moved if index >= len(self.plan.sets) else index]
            case Ends(table):
                self.code += [_ENDS, table]

    def numbers(self, values: Sequence[int] | Iterable[int]) -> None:
        values = list(values)
        self.code.append(len(values))
        self.code += values
