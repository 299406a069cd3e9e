"""Pass: from a cut to a plan. The cut's vertices are loops, single vertices left over are the tail, and every larger
component is a part with loops of its own. Vertices of the cut that only meet in a common neighbour are found, and that
neighbour counted, through a codegree table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from subiso.plan.assemble import Assembler
from subiso.plan.order import Order
from subiso.plan.plan import (
    CodegreeStep,
    CountTail,
    Ends,
    Everyone,
    Extend,
    Neighbors,
    Part,
    Plan,
    Seed,
    SetExpression,
    SetRef,
    SetStep,
    TailSize,
)
from subiso.plan.problem import Problem
from subiso.plan.sets import Need, SetTable, position_of
from subiso.plan.tail import Blocks, tail_terms


@dataclass(frozen=True)
class PartOrder:
    """The vertices of a component to match one by one, and those to count at the end."""

    inner: tuple[int, ...]
    tail: tuple[int, ...]


@dataclass(frozen=True)
class Hop:
    """The pattern vertex `end` is reached from the one at `start` over the pattern vertex `via`, in two steps.

    As a rule it is the one at `depth`. Where nothing leads to that one from the cut, it is looked for everywhere, and
    `end` is a vertex of a part next to it: then the number of vertices between is looked up.
    """

    depth: int
    start: int
    via: int
    end: int
    everywhere: bool = False


@dataclass(frozen=True)
class Cut:
    """A way to take a pattern apart: `order` is matched, the rest counted for each of its matches."""

    order: tuple[int, ...]
    singles: tuple[int, ...]
    parts: tuple[PartOrder, ...]
    hops: tuple[Hop, ...]
    restrictions: tuple[tuple[int, int], ...]
    """Along the order; whatever they restrict, they begin at the cut."""
    descending: bool
    cost: float
    split: bool = False
    """Single vertices may coincide in the plan; otherwise its tail takes care that they do not."""
    kept: bool = False
    """Restrictions come from the automorphisms that keep the cut in place, not from all."""

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Vertices of different groups may coincide."""
        groups = [part.inner + part.tail for part in self.parts]
        if self.split:
            return groups + [(v,) for v in self.singles]
        return [*groups, self.singles] if self.singles else groups


def assemble_cut(problem: Problem, cut: Cut) -> Plan:
    """The plan for a cut: it counts the maps that are injective on the cut with each of its groups."""
    order = Order(cut.order, cut.singles, cut.cost, cut.descending)
    main = _CutAssembler(problem, order, cut, ())
    made = [main.codegree_step(hop) for hop in cut.hops]
    main.codegrees = steps = tuple(dict.fromkeys(made))
    main.hops = {hop.depth: (hop, steps.index(step)) for hop, step in zip(cut.hops, made, strict=True)}
    extends, sets, tail = main.from_depth(1, split=cut.split)
    raw = []
    for part in cut.parts:
        inner = Order((*cut.order, *part.inner), part.tail, cut.cost, cut.descending)
        raw.append(_CutAssembler(problem, inner, cut, steps).from_depth(len(cut.order)))
    shared, parts = _share_sets(list(sets), raw, len(cut.order))
    return Plan(
        names=problem.pattern.names,
        mode=problem.mode,
        unique=problem.unique,
        seed=Seed(cut.order[0], main.need((cut.order[0],), 0).filter),
        extends=extends,
        sets=shared,
        tail=tail,
        restrictions=main.absolute_restrictions(),
        codegrees=steps,
        parts=_with_powers(parts),
        cost=cut.cost,
    )


Loops = tuple[tuple[Extend, ...], tuple[SetStep, ...], CountTail]


class _CutAssembler(Assembler):
    """Assembles the loops of the cut, or those of one part after them."""

    def __init__(self, problem: Problem, order: Order, cut: Cut, codegrees: tuple[CodegreeStep, ...]) -> None:
        super().__init__(problem, order, cut.restrictions)
        self.hops: dict[int, tuple[Hop, int]] = {}
        """How vertices of the cut are reached, and by which table."""
        self.codegrees = codegrees

    def from_depth(self, first: int, *, split: bool = False) -> Loops:
        """The loops from a depth on, their sets and their tail."""
        depth = len(self.order.prefix)
        needs = self.level_needs()
        tail = self.order.tail
        apart: dict[Blocks, int] = {tuple((v,) for v in tail): 1}
        terms = apart if split else tail_terms(self.problem, tail)
        blocks = {block: self.need(block, depth) for key in terms for block in key}
        in_sets = [need for need in blocks.values() if self.table_of(need) is None]
        sets = SetTable(self, needs[max(first, 1) :], in_sets, depth - 1)
        extends = tuple(self.extend(d, needs[d], sets) for d in range(first, depth))
        return extends, tuple(sets.steps), self.count_tail(terms, blocks, sets, 1)

    def codegree_step(self, hop: Hop) -> CodegreeStep:
        start, end = self.order.prefix[hop.start], hop.end
        links = self.problem.links
        to_via = min(k.seen_from(start) for k in links if {k.a, k.b} == {start, hop.via})
        to_end = min(k.seen_from(hop.via) for k in links if {k.a, k.b} == {hop.via, end})
        via = self.need((hop.via,), hop.start + 1)
        base = SetExpression(
            Neighbors(hop.start, to_via), (), **self.bounds(self.reduced(via.after)), filter=via.filter
        )
        known = self.need((end,), hop.start + 1).after
        return CodegreeStep(hop.start, base, to_end, **self.bounds(self.reduced(known)))

    def extend(self, depth: int, need: Need, sets: SetTable) -> Extend:
        if depth not in self.hops:
            return super().extend(depth, need, sets)
        hop, number = self.hops[depth]
        source: Ends | Everyone = Everyone() if hop.everywhere else Ends(number)
        # A table has no others than its bounds allow.
        left = [p for p in self.reduced(need.after) if hop.everywhere or position_of(p) > hop.start]
        candidates = SetExpression(source, (), **self.bounds(left), filter=need.filter)
        return Extend(self.order.prefix[depth], candidates, need.distinct, self.column_checks(depth))

    def table_of(self, need: Need) -> tuple[int, SetExpression] | None:
        """The codegree table that has the need's size, and the size's expression."""
        if len(need.operands) != 2 or any(o.negative for o in need.operands):
            return None
        for number, step in enumerate(self.codegrees):
            for first, second in (need.operands, need.operands[::-1]):
                base = SetExpression(
                    first.list, (), **self.bounds(self.reduced(need.after)), filter=need.filter
                )
                if base != step.base or self.problem.reverse[second.list.relation] != step.relation:
                    continue
                if second.list.position > step.depth and self._within(step, second.list.position):
                    return number, replace(base, operands=(second,))
        return None

    def _within(self, step: CodegreeStep, position: int) -> bool:
        """True when the vertex at the position is always among those that the table counts for."""
        places = self.places(self.order.prefix[position])
        mine = self.bounds([p for p in places if position_of(p) <= step.depth])
        return set(step.lower) <= set(mine["lower"]) and set(step.upper) <= set(mine["upper"])

    def tail_size(self, need: Need, sets: SetTable) -> TailSize:
        found = self.table_of(need)
        if found is None:
            return super().tail_size(need, sets)
        table, expression = found
        return self.without_matched(need, expression, table)


def _share_sets(
    shared: list[SetStep], loops: list[Loops], depth: int
) -> tuple[tuple[SetStep, ...], list[Part]]:
    """Sets of the parts that depend on the cut alone move out of them, each once."""
    numbers: list[dict[int, int]] = []
    for _, steps, _ in loops:
        moved: dict[int, int] = {}
        for i, step in enumerate(steps):
            if step.depth >= depth:
                continue
            outer = replace(step, expression=_renumbered(step.expression, moved))
            if outer not in shared:
                shared.append(outer)
            moved[i] = shared.index(outer)
        numbers.append(moved)
    parts = []
    for (extends, steps, tail), moved in zip(loops, numbers, strict=True):
        own = [i for i, step in enumerate(steps) if step.depth >= depth]
        number = {**moved, **{i: len(shared) + j for j, i in enumerate(own)}}
        parts.append(
            Part(
                tuple(replace(e, candidates=_renumbered(e.candidates, number)) for e in extends),
                tuple(replace(steps[i], expression=_renumbered(steps[i].expression, number)) for i in own),
                replace(
                    tail,
                    sizes=tuple(replace(s, expression=_renumbered(s.expression, number)) for s in tail.sizes),
                ),
            )
        )
    return tuple(shared), parts


def _renumbered(expression: SetExpression, number: dict[int, int]) -> SetExpression:
    if isinstance(expression.source, SetRef):
        return replace(expression, source=SetRef(number[expression.source.index]))
    return expression


def _with_powers(parts: list[Part]) -> tuple[Part, ...]:
    """Parts that count the same are counted once."""
    powers: dict[object, Part] = {}
    for part in parts:
        key = (
            tuple((e.candidates, e.distinct, e.checks) for e in part.extends),
            part.sets,
            part.tail.sizes,
            part.tail.terms,
        )
        known = powers.get(key)
        powers[key] = replace(known, power=known.power + 1) if known else part
    return tuple(powers.values())
