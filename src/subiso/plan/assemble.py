"""Pass: from an order to steps. Finds every set that the order needs, computes each as early as its operands allow
(code motion), shares equal ones, and attaches bounds, filters and distinctness checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from subiso.plan.order import Order
from subiso.plan.plan import (
    ColumnCheck,
    CountTail,
    EdgeCheck,
    EmitTail,
    Extend,
    Neighbors,
    Operand,
    Plan,
    Seed,
    TailSize,
    Term,
)
from subiso.plan.problem import Problem
from subiso.plan.sets import Need, SetTable, in_chain_order
from subiso.plan.tail import tail_terms

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def assemble(
    problem: Problem, order: Order, restrictions: Iterable[tuple[int, int]], divisor: int | None
) -> Plan:
    """The plan for an order; `divisor` is the symmetry that the restrictions leave, None a plan that emits."""
    return _Assembler(problem, order, tuple(restrictions)).plan(divisor)


class _Assembler:
    def __init__(self, problem: Problem, order: Order, restrictions: tuple[tuple[int, int], ...]) -> None:
        self.problem = problem
        self.order = order
        self.restrictions = restrictions
        self.position = {v: i for i, v in enumerate(order.prefix)}
        self.before = _closure(problem.num_vertices, restrictions)
        self.around: list[list[Operand]] = [[] for _ in range(problem.num_vertices)]
        """vertex -> the lists of its matched neighbours in the pattern"""
        for links, negative in ((problem.links, False), (problem.forbidden, True)):
            for link in links:
                for end, other, relation in ((link.a, link.b, link.backward), (link.b, link.a, link.forward)):
                    position = self.position.get(other)
                    if position is not None:
                        self.around[end].append(Operand(Neighbors(position, relation), negative))

    def plan(self, divisor: int | None) -> Plan:
        prefix, tail = self.order.prefix, self.order.tail
        needs = [self.need((v,), depth) for depth, v in enumerate(prefix)]
        terms = tail_terms(self.problem, tail)
        blocks = {block: self.need(block, len(prefix)) for key in terms for block in key}
        sets = SetTable(self, needs[1:], list(blocks.values()), len(prefix) - 1)
        extends = tuple(
            Extend(v, sets.expression(needs[depth]), needs[depth].distinct, self.column_checks(depth))
            for depth, v in enumerate(prefix)
            if depth
        )
        return Plan(
            names=self.problem.pattern.names,
            mode=self.problem.mode,
            unique=self.problem.unique,
            seed=Seed(prefix[0], needs[0].filter),
            extends=extends,
            sets=tuple(sets.steps),
            tail=EmitTail() if divisor is None else self.count_tail(terms, blocks, sets, divisor),
            restrictions=tuple((b, a) for a, b in self.restrictions)
            if self.order.descending
            else self.restrictions,
            edge_checks=self.edge_checks(),
            cost=self.order.cost,
        )

    def need(self, vertices: tuple[int, ...], depth: int) -> Need:
        """What the vertices of a block share, once the positions before `depth` are matched."""
        problem, position = self.problem, self.position
        operands = in_chain_order({o for v in vertices for o in self.around[v] if o.list.position < depth})
        after = frozenset(
            position[u] for v in vertices for u in self.before[v] if position.get(u, depth) < depth
        )
        filters = {f for v in vertices if (f := problem.filters[v]) is not None} if problem.filters else set()
        distinct: tuple[int, ...] = ()
        if problem.injective:
            joined = () if problem.loops else [o.list.position for o in operands if not o.negative]
            distinct = tuple(p for p in range(depth) if p not in joined and p not in after)
        return Need(operands, after, tuple(sorted(filters)), distinct)

    def surely_in(self, need: Need, position: int) -> bool:
        """True when the vertex at the position meets the need, whatever it is: the pattern's own edges say so."""
        if need.filter:
            return False
        vertex = self.order.prefix[position]
        below = {self.position[u] for u in self.before[vertex] if u in self.position}
        return set(need.operands) <= set(self.around[vertex]) and need.after <= below

    def reduced(self, after: Iterable[int]) -> tuple[int, ...]:
        """The bounds that imply all others."""
        positions = set(after)
        if not positions:
            return ()
        implied = {self.position[u] for p in positions for u in self.before[self.order.prefix[p]]}
        return tuple(sorted(positions - implied))

    def implied(self, bounds: Iterable[int]) -> set[int]:
        """All positions that elements above `bounds` are above."""
        bounds = set(bounds)
        return bounds and bounds | {
            self.position[u] for p in bounds for u in self.before[self.order.prefix[p]]
        }

    def bounds(self, positions: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        """The bounds as SetExpression takes them: coming after means above, or below where the plan descends."""
        return {"upper" if self.order.descending else "lower": positions}

    def column_checks(self, depth: int) -> tuple[ColumnCheck, ...]:
        vertex = self.order.prefix[depth]
        checks = []
        for c in self.problem.pairs:
            if c.a == vertex and self.position.get(c.b, depth) < depth:
                checks.append(ColumnCheck(c.op, c.left_key, self.position[c.b], c.right_key))
            elif c.b == vertex and self.position.get(c.a, depth) < depth:
                checks.append(ColumnCheck(FLIPPED[c.op], c.right_key, self.position[c.a], c.left_key))
        return tuple(checks)

    def edge_checks(self) -> tuple[EdgeCheck, ...]:
        return tuple(EdgeCheck(self.position[a], self.position[b], r) for a, b, r in self.problem.entities)

    def count_tail(
        self,
        terms: dict[tuple[tuple[int, ...], ...], int],
        blocks: dict[tuple[int, ...], Need],
        sets: SetTable,
        divisor: int,
    ) -> CountTail:
        sizes: list[TailSize] = []
        number: dict[TailSize, int] = {}
        size_of = {}
        for block, need in blocks.items():
            sure = {p for p in need.distinct if self.surely_in(need, p)}
            looked_up = tuple(p for p in need.distinct if p not in sure)
            size = TailSize(sets.expression(need, counted=True), looked_up, tuple(sorted(sure)))
            if size not in number:
                number[size] = len(sizes)
                sizes.append(size)
            size_of[block] = number[size]
        merged: dict[tuple[int, ...], int] = defaultdict(int)
        for key, coefficient in terms.items():
            merged[tuple(sorted(size_of[block] for block in key))] += coefficient
        return CountTail(
            self.order.tail,
            tuple(sizes),
            tuple(Term(c, factors) for factors, c in merged.items() if c),
            divisor,
            tuple(tuple(block for block, size in size_of.items() if size == i) for i in range(len(sizes))),
        )


def _closure(num_vertices: int, restrictions: Iterable[tuple[int, int]]) -> list[set[int]]:
    """vertex -> all vertices that come before it."""
    before: list[set[int]] = [set() for _ in range(num_vertices)]
    for a, b in restrictions:
        before[b].add(a)
    # Restrictions are few: repeat until nothing is added.
    while any(_grow(reach, before) for reach in before):
        pass
    return before


def _grow(reach: set[int], before: list[set[int]]) -> bool:
    size = len(reach)
    for u in list(reach):
        reach |= before[u]
    return len(reach) > size
