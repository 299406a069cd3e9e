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
    SetExpression,
    TailSize,
    Term,
)
from subiso.plan.problem import Problem
from subiso.plan.restrictions import closure
from subiso.plan.sets import Need, SetTable, in_chain_order, position_of
from subiso.plan.tail import tail_terms

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def assemble(
    problem: Problem, order: Order, restrictions: Iterable[tuple[int, int]], divisor: int | None
) -> Plan:
    """The plan for an order; `divisor` is the symmetry that the restrictions leave, None a plan that emits."""
    return Assembler(problem, order, tuple(restrictions)).plan(divisor)


class Assembler:
    """The passes' common ground: what each vertex needs once those before it are matched."""

    def __init__(self, problem: Problem, order: Order, restrictions: tuple[tuple[int, int], ...]) -> None:
        self.problem = problem
        self.order = order
        imposed = tuple((b, a) for a, b in problem.imposed) if order.descending else problem.imposed
        self.restrictions = (*restrictions, *(pair for pair in imposed if pair not in restrictions))
        self.position = {v: i for i, v in enumerate(order.prefix)}
        self.before = closure(problem.num_vertices, self.restrictions)
        self.behind = closure(problem.num_vertices, [(b, a) for a, b in self.restrictions])
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
        needs = self.level_needs()
        terms = tail_terms(self.problem, tail)
        blocks = {block: self.need(block, len(prefix)) for key in terms for block in key}
        sets = SetTable(self, needs[1:], list(blocks.values()), len(prefix) - 1)
        return Plan(
            names=self.problem.pattern.names,
            mode=self.problem.mode,
            unique=self.problem.unique,
            seed=Seed(prefix[0], needs[0].filter),
            extends=tuple(self.extend(depth, needs[depth], sets) for depth in range(1, len(prefix))),
            sets=tuple(sets.steps),
            tail=EmitTail() if divisor is None else self.count_tail(terms, blocks, sets, divisor),
            restrictions=self.absolute_restrictions(),
            edge_checks=self.edge_checks(),
            cost=self.order.cost,
        )

    def level_needs(self) -> list[Need]:
        return [self.need((v,), depth) for depth, v in enumerate(self.order.prefix)]

    def extend(self, depth: int, need: Need, sets: SetTable) -> Extend:
        vertex = self.order.prefix[depth]
        return Extend(vertex, sets.expression(need), need.distinct, self.column_checks(depth))

    def absolute_restrictions(self) -> tuple[tuple[int, int], ...]:
        """The restrictions as Plan has them, whichever way the order goes."""
        if self.order.descending:
            return tuple((b, a) for a, b in self.restrictions)
        return self.restrictions

    def need(self, vertices: tuple[int, ...], depth: int) -> Need:
        """What the vertices of a block share, once the positions before `depth` are matched."""
        problem = self.problem
        operands = in_chain_order({o for v in vertices for o in self.around[v] if o.list.position < depth})
        after = frozenset(p for v in vertices for p in self.places(v) if position_of(p) < depth)
        filters = {f for v in vertices for f in problem.filters[v]} if problem.filters else set()
        if problem.narrowed:  # lists of a candidate graph have no others
            filters.difference_update(problem.narrowed[o.list.relation] for o in operands if not o.negative)
        if problem.implied:
            lists = {
                (self.order.prefix[o.list.position], o.list.relation) for o in operands if not o.negative
            }
            filters = {f for f in filters if not any((*each, f) in problem.implied for each in lists)}
        distinct: tuple[int, ...] = ()
        if problem.injective:
            joined = () if problem.loops else [o.list.position for o in operands if not o.negative]
            distinct = tuple(
                p
                for p in range(depth)
                if p not in joined and not after & {p, ~p} and self.may_meet(vertices, p)
            )
        return Need(operands, after, tuple(sorted(filters)), distinct)

    def may_meet(self, vertices: tuple[int, ...], position: int) -> bool:
        """Whether all of them have candidates in common with the vertex at the position."""
        overlaps, matched = self.problem.overlaps, self.order.prefix[position]
        return not overlaps or all(overlaps[v] >> matched & 1 for v in vertices)

    def places(self, vertex: int) -> set[int]:
        """Where the vertex stands among the prefix: p after position p, ~p before it."""
        position = self.position
        after = {position[u] for u in self.before[vertex] if u in position}
        return after | {~position[u] for u in self.behind[vertex] if u in position}

    def surely_in(self, need: Need, position: int) -> bool:
        """True when the vertex at the position meets the need, whatever it is: the pattern's own edges say so."""
        if need.filter:
            return False
        vertex = self.order.prefix[position]
        return set(need.operands) <= set(self.around[vertex]) and need.after <= self.places(vertex)

    def reduced(self, after: Iterable[int]) -> tuple[int, ...]:
        """The places that imply all others."""
        places = set(after)
        further = {q for p in places for q in self.beyond(p)}
        return tuple(sorted(places - further))

    def implied(self, bounds: Iterable[int]) -> set[int]:
        """All places that elements at `bounds` have."""
        bounds = set(bounds)
        return bounds | {q for p in bounds for q in self.beyond(p)}

    def beyond(self, place: int) -> set[int]:
        """What coming after (or before) a position says of the others."""
        vertex = self.order.prefix[position_of(place)]
        if place >= 0:
            return {self.position[u] for u in self.before[vertex] if u in self.position}
        return {~self.position[u] for u in self.behind[vertex] if u in self.position}

    def bounds(self, places: Iterable[int]) -> dict[str, tuple[int, ...]]:
        """The bounds as SetExpression takes them: coming after means above, or below where the plan descends."""
        after = tuple(p for p in places if p >= 0)
        before = tuple(sorted(~p for p in places if p < 0))
        return (
            {"lower": before, "upper": after} if self.order.descending else {"lower": after, "upper": before}
        )

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
        return tuple(
            EdgeCheck(self.position[a], self.position[b], r) for a, b, r in self.problem.edges_to_tell_apart
        )

    def count_tail(
        self,
        terms: dict[tuple[tuple[int, ...], ...], int],
        blocks: dict[tuple[int, ...], Need],
        sets: SetTable,
        divisor: int,
    ) -> CountTail:
        number: dict[TailSize, int] = {}
        size_of = {
            block: self._numbered(number, self.tail_size(need, sets)) for block, need in blocks.items()
        }
        merged: dict[tuple[int, ...], int] = defaultdict(int)
        for key, coefficient in terms.items():
            merged[tuple(sorted(size_of[block] for block in key))] += coefficient
        return CountTail(
            self.order.tail,
            tuple(number),
            tuple(Term(c, factors) for factors, c in merged.items() if c),
            divisor,
            tuple(tuple(block for block, size in size_of.items() if size == i) for i in range(len(number))),
        )

    @staticmethod
    def _numbered(number: dict[TailSize, int], size: TailSize) -> int:
        return number.setdefault(size, len(number))

    def tail_size(self, need: Need, sets: SetTable) -> TailSize:
        """How the size of a block's set is found."""
        return self.without_matched(need, sets.expression(need, counted=True))

    def without_matched(self, need: Need, expression: SetExpression, table: int | None = None) -> TailSize:
        """The expression's size, less the matched vertices that meet the need."""
        sure = tuple(p for p in need.distinct if self.surely_in(need, p))
        return TailSize(expression, tuple(p for p in need.distinct if p not in sure), sure, table)
