"""Pass: from an order to steps. Finds every set that the order needs, computes each as early as its operands allow
(code motion), shares equal ones, and attaches bounds, filters and distinctness checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
    SetRef,
    SetStep,
    Source,
    TailSize,
    Term,
)
from subiso.plan.problem import Problem
from subiso.plan.tail import tail_terms

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True)
class _Need:
    """What a level or a block of the tail takes its elements from."""

    operands: frozenset[Operand]
    after: frozenset[int]
    """Positions that the elements come after, transitively closed."""
    filter: tuple[int, ...]
    distinct: tuple[int, ...]


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
        self.around: list[list[tuple[int, Operand]]] = [[] for _ in range(problem.num_vertices)]
        """vertex -> (matched neighbour in the pattern, its list as an operand)"""
        for links, negative in ((problem.links, False), (problem.forbidden, True)):
            for link in links:
                for end, other, relation in ((link.a, link.b, link.backward), (link.b, link.a, link.forward)):
                    position = self.position.get(other)
                    if position is not None:
                        self.around[end].append((position, Operand(Neighbors(position, relation), negative)))

    def plan(self, divisor: int | None) -> Plan:
        prefix, tail = self.order.prefix, self.order.tail
        needs = [self.need((v,), depth) for depth, v in enumerate(prefix)]
        terms = tail_terms(self.problem, tail)
        blocks = {block: self.need(block, len(prefix)) for key in terms for block in key}
        sets = _SetTable(self, needs[1:], list(blocks.values()), len(prefix) - 1)
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

    def need(self, vertices: tuple[int, ...], depth: int) -> _Need:
        """What the vertices of a block share, once the positions before `depth` are matched."""
        operands = frozenset(o for v in vertices for position, o in self.around[v] if position < depth)
        after = frozenset(
            self.position[u] for v in vertices for u in self.before[v] if self.position.get(u, depth) < depth
        )
        filters = {self.problem.filters[v] for v in vertices} if self.problem.filters else {None}
        joined = {o.list.position for o in operands if not o.negative}
        known = after if self.problem.loops else after | joined
        distinct = tuple(p for p in range(depth) if p not in known) if self.problem.injective else ()
        return _Need(operands, after, tuple(sorted(f for f in filters if f is not None)), distinct)

    def surely_in(self, need: _Need, position: int) -> bool:
        """True when the vertex at the position meets the need, whatever it is: the pattern's own edges say so."""
        if need.filter:
            return False
        vertex = self.order.prefix[position]
        edges = {operand for _, operand in self.around[vertex]}
        below = {self.position[u] for u in self.before[vertex] if u in self.position}
        return need.operands <= edges and need.after <= below

    def reduced(self, after: Iterable[int]) -> tuple[int, ...]:
        """The bounds that imply all others."""
        positions = set(after)
        implied = {self.position[u] for p in positions for u in self.before[self.order.prefix[p]]}
        return tuple(sorted(positions - implied))

    def implied(self, bounds: Iterable[int]) -> set[int]:
        """All positions that elements above `bounds` are above."""
        bounds = set(bounds)
        return bounds | {self.position[u] for p in bounds for u in self.before[self.order.prefix[p]]}

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
        blocks: dict[tuple[int, ...], _Need],
        sets: _SetTable,
        divisor: int,
    ) -> CountTail:
        sizes: list[TailSize] = []
        number: dict[TailSize, int] = {}
        size_of = {}
        for block, need in blocks.items():
            sure = {p for p in need.distinct if self.surely_in(need, p)}
            looked_up = tuple(p for p in need.distinct if p not in sure)
            size = TailSize(sets.expression(need, counted=True), looked_up, len(sure))
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
        )


class _SetTable:
    """The sets of a plan: each a chain of intersections, one link per depth, shared between needs."""

    def __init__(
        self, assembler: _Assembler, levels: Sequence[_Need], blocks: Sequence[_Need], last_depth: int
    ) -> None:
        self.assembler = assembler
        self.steps: list[SetStep] = []
        self.index: dict[frozenset[Operand], int] = {}
        self.promised: dict[int, set[int]] = {}
        """step -> positions that its elements are known to come after"""
        users: dict[frozenset[Operand], list[_Need]] = defaultdict(list)
        wanted_by_level = set()
        for need in (*levels, *blocks):
            for key in _chain(need.operands):
                users[key].append(need)
        for need in levels:
            wanted_by_level.update(_chain(need.operands))
        finals = {need.operands for need in blocks}
        for key in sorted(users, key=lambda k: (_depth(k), len(k))):
            only_counted = (
                key in finals
                and key not in wanted_by_level
                and _depth(key) == last_depth
                and all(need.operands == key for need in users[key])
            )
            if not only_counted:
                self.add(key, users[key])

    def add(self, key: frozenset[Operand], users: list[_Need]) -> None:
        depth = _depth(key)
        source, operands = self.split(key)
        common = frozenset.intersection(*(need.after for need in users))
        bounds = {p for p in common if p <= depth}
        filters = {need.filter for need in users}
        number = len(self.steps)
        self.index[key] = number
        self.promised[number] = self.assembler.implied(bounds)
        self.steps.append(
            SetStep(
                depth,
                SetExpression(
                    source,
                    operands,
                    **self.assembler.bounds(self.assembler.reduced(bounds)),
                    filter=filters.pop() if len(filters) == 1 else (),
                ),
            )
        )

    def split(self, key: frozenset[Operand]) -> tuple[Source, tuple[Operand, ...]]:
        """The part of a set that was there before its last depth, and the operands that come in at it."""
        base = _base(key)
        depth = _depth(key)
        earlier = frozenset(o for o in key if max(o.list.position, base.position) < depth)
        now = sorted(key - earlier, key=lambda o: (o.negative, o.list.position, o.list.relation))
        if earlier in self.index:
            return SetRef(self.index[earlier]), tuple(now)
        return base, tuple(o for o in (*sorted(earlier, key=_by_position), *now) if o != Operand(base))

    def expression(self, need: _Need, *, counted: bool = False) -> SetExpression:
        """How a level or the tail reads its elements: a set or list, and what is still to be checked."""
        number = self.index.get(need.operands)
        source, operands = self.split(need.operands) if number is None else (SetRef(number), ())
        assert counted or not operands, "a level's set is always computed before it"
        done: set[int] = set()
        passed: tuple[int, ...] = ()
        if isinstance(source, SetRef):
            done, passed = self.promised[source.index], self.steps[source.index].expression.filter
        left = tuple(p for p in self.assembler.reduced(need.after) if p not in done)
        still = () if passed == need.filter else need.filter
        return SetExpression(source, operands, **self.assembler.bounds(left), filter=still)


def _by_position(o: Operand) -> tuple[int, int]:
    return o.list.position, o.list.relation


def _base(operands: Iterable[Operand]) -> Neighbors:
    """The list a set starts from: the first positive one."""
    return min((o for o in operands if not o.negative), key=_by_position).list


def _depth(operands: Iterable[Operand]) -> int:
    return max(o.list.position for o in operands)


def _chain(operands: frozenset[Operand]) -> list[frozenset[Operand]]:
    """The sets on the way to this one: what is known of it after each depth (single lists are not sets)."""
    if len(operands) < 2:
        return []
    start = _base(operands).position
    depths = sorted({max(o.list.position, start) for o in operands})
    chain = [frozenset(o for o in operands if max(o.list.position, start) <= d) for d in depths]
    return [key for key in chain if len(key) > 1]


def _closure(num_vertices: int, restrictions: Iterable[tuple[int, int]]) -> list[set[int]]:
    """vertex -> all vertices that come before it."""
    before: list[set[int]] = [set() for _ in range(num_vertices)]
    for a, b in restrictions:
        before[b].add(a)
    changed = True
    while changed:
        changed = False
        for reach in before:
            more = set().union(*(before[u] for u in reach)) - reach if reach else set()
            if more:
                reach |= more
                changed = True
    return before
