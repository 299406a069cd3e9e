"""Lowers a Plan to the tables that kernels read (tables.py): per level and earlier position, a few operations.

A set of the plan is either kept by the search (schedule `stack`), and then a level of its own in the tables, or not:
then every level that reads it gets all its operands, however far up the plan computes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from subiso.engine.cuda.tables import (
    ABOVE,
    ALL,
    BELOW,
    COMPARE,
    DISTINCT,
    EDGE,
    IN_SET,
    IS_ABOVE,
    IS_BELOW,
    MAX_BITS,
    MAX_EDGES,
    MAX_FACTORS,
    MAX_OPS,
    MAX_OPS_PER_LEVEL,
    MAX_POSITIONS,
    MAX_RELATIONS,
    MAX_SETS,
    MAX_SIZES,
    MAX_TERMS,
    NO_EDGE,
    NO_FILTER,
    TABLES,
    Lowered,
    TailKind,
    Wedges,
    at_most,
)
from subiso.errors import UnsupportedError
from subiso.plan.plan import ColumnCheck, CountTail, Ends, Everyone, Neighbors, Plan, SetExpression, Term

_COMPARISONS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}


def lower_plan(
    plan: Plan, max_degree: int, kept: Sequence[int] = (), reverse: Sequence[int] | None = None
) -> Lowered:
    """The tables of a plan, whose search keeps the sets of the numbers in `kept`.

    With `reverse`, the relations read from their other ends, sizes that are codegrees of the seed are looked up.
    UnsupportedError where they are too small for it (a shorter counting tail may help).
    """
    return _lowered(plan, max_degree, tuple(kept[:MAX_SETS]), None if reverse is None else tuple(reverse))


@lru_cache(maxsize=32)  # a query asks several times: whether a plan fits, what it reads, at last to run it
def _lowered(plan: Plan, max_degree: int, kept: tuple[int, ...], reverse: tuple[int, ...] | None) -> Lowered:
    lowered = _Lowering(plan, max_degree, kept, reverse).result()
    lowered.tables.flags.writeable = False
    return lowered


@dataclass
class _Level:
    """The demands on the candidates of one level."""

    lists: set[tuple[int, int]] = field(default_factory=set)
    """(position, relation): in that neighbour list."""
    absent: set[tuple[int, int]] = field(default_factory=set)
    sets: set[tuple[int, int]] = field(default_factory=set)
    """(position, number): in that kept set."""
    above: set[int] = field(default_factory=set)
    below: set[int] = field(default_factory=set)
    filter: set[int] = field(default_factory=set)
    distinct: tuple[int, ...] = ()
    checks: tuple[ColumnCheck, ...] = ()
    surely: int = 0
    """Of a size: so many matched vertices are in the set and do not count."""
    ends: set[int] = field(default_factory=set)
    """The ends of a codegree table."""
    table: int = 0
    """Of a size: 1 + the position whose codegree with the seed it is."""

    @property
    def measured(self) -> bool:
        """The number of candidates follows from one list's length."""
        return len(self.lists) + len(self.sets) == 1 and not (self.absent or self.filter or self.checks)

    def codegree(self) -> tuple[int, int, int, int] | None:
        """(the seed's relation, its bound, a position, its relation), where these two lists are all there is."""
        simple = not (self.sets or self.absent or self.filter or self.checks) and self.above | self.below <= {
            0
        }
        if not simple or len(self.lists) != 2:
            return None
        (first, relation), (position, other) = sorted(self.lists)
        if first != 0 or position == 0:
            return None
        return relation, ABOVE if self.above else BELOW if self.below else ALL, position, other


class _Lowering:
    def __init__(
        self, plan: Plan, max_degree: int, kept: Sequence[int], reverse: Sequence[int] | None
    ) -> None:
        self.plan = plan
        self.reverse = reverse
        self.wedges: Wedges | None = None
        self.max_degree = max_degree
        by_depth = sorted(kept, key=lambda number: plan.sets[number].depth)
        self.kept = {number: place for place, number in enumerate(by_depth)}
        self.tables = np.zeros((), TABLES)
        self.filters: dict[tuple[int, ...], int] = {}
        self.num_ops = 0
        self.narrow = False
        self.before = _closure(plan)

    def result(self) -> Lowered:
        plan, tables = self.plan, self.tables
        if plan.parts:
            raise UnsupportedError("plans with parts run on the CPU only", hint='plan with decompose="never"')
        levels = [_Level(filter=set(plan.seed.filter))] + [
            _Level(distinct=e.distinct, checks=e.checks, **self.gather(e.candidates)) for e in plan.extends
        ]
        sizes: list[_Level] = []
        tail: TailKind = "rows"
        coefficient = divisor = 1
        if isinstance(plan.tail, CountTail):
            divisor = plan.tail.divisor
            sizes = [
                _Level(distinct=s.distinct, surely=s.surely, **self.gather(s.expression))
                for s in plan.tail.sizes
            ]
            if self.reverse is not None:
                self.look_up(levels, sizes)
            tail = "sizes" if sizes else "count"
            plain = all(not (s.measured or s.surely or s.table) for s in sizes)
            if _is_linear(plan.tail) and plain:
                coefficient = plan.tail.terms[0].coefficient
                levels, sizes, tail = levels + sizes, [], "count"
        at_most("vertices", len(levels), MAX_POSITIONS)
        at_most("set sizes in a counting tail", len(sizes), MAX_SIZES)
        tables["num_levels"], tables["num_sizes"] = len(levels), len(sizes)
        for number, level in enumerate(levels):
            self.put_level(number, level, number)
        for number, size in enumerate(sizes, len(levels)):
            self.put_level(number, size, len(levels))
            tables["levels"][number]["measured"] = size.measured
            tables["levels"][number]["surely"] = size.surely
            tables["levels"][number]["table"] = size.table
        self.put_sets(len(levels) + len(sizes))
        if isinstance(plan.tail, CountTail) and sizes:
            self.put_terms(plan.tail.terms)
        if tail == "rows":
            tables["column"][: len(levels)] = plan.order
        self.put_edges(len(levels))
        return Lowered(
            tables,
            tail,
            len(levels),
            tuple(self.filters),
            coefficient,
            divisor,
            bool(plan.edge_checks),
            len(self.kept),
            self.wedges,
            self.narrow,
        )

    def look_up(self, levels: list[_Level], sizes: list[_Level]) -> None:
        """Marks the sizes that one table of the seed's codegrees holds: that of the plan's own, or the deepest one."""
        assert self.reverse is not None
        keys = [size.codegree() for size in sizes]
        if self.plan.codegrees:
            step = self.plan.codegrees[0]
            if len(self.plan.codegrees) > 1 or step.depth or step.base.filter or levels[1].ends != {0}:
                raise UnsupportedError("the CUDA engine has tables of codegrees for the first vertex only")
            assert isinstance(step.base.source, Neighbors)
            base = ABOVE if step.base.lower else BELOW if step.base.upper else ALL
            end = ABOVE if step.lower else BELOW if step.upper else ALL
            self.wedges = Wedges(step.base.source.relation, base, step.relation, end, from_ends=True)
        else:
            deepest = max((key for key in keys if key is not None), key=lambda key: key[2], default=None)
            if deepest is None:
                return
            positions = [key[2] for key in keys if key is not None and _same_table(key, deepest)]
            self.wedges = Wedges(
                deepest[0], deepest[1], self.reverse[deepest[3]], self.common_bound(positions)
            )
        w = self.wedges
        for size, key in zip(sizes, keys, strict=True):
            if key is None or w.end not in (ALL, self.common_bound([key[2]])):
                continue  # no codegree, or of a vertex that the table may not have
            if (key[0], key[1], self.reverse[key[3]]) == (w.base_relation, w.base, w.end_relation):
                size.table = key[2] + 1

    def common_bound(self, positions: list[int]) -> int:
        """Where the vertices of all these positions are, relative to the seed's."""
        if all(p in self.before[0] for p in positions):
            return BELOW
        return ABOVE if all(0 in self.before[p] for p in positions) else ALL

    def gather(self, e: SetExpression) -> dict[str, Any]:
        """All demands of a set, those of the sets it is made from included."""
        names = ("lists", "absent", "sets", "ends", "above", "below", "filter")
        found: dict[str, set[Any]] = {key: set() for key in names}
        at: SetExpression | None = e
        while at is not None:
            for operand in at.operands:
                kind = "absent" if operand.negative else "lists"
                found[kind].add((operand.list.position, operand.list.relation))
            found["above"] |= set(at.lower)
            found["below"] |= set(at.upper)
            found["filter"] |= set(at.filter)
            source, at = at.source, None
            if isinstance(source, Neighbors):
                found["lists"].add((source.position, source.relation))
            elif isinstance(source, Ends):
                found["ends"].add(source.table)
            elif isinstance(source, Everyone):
                raise UnsupportedError("loops over all vertices below others run on the CPU only")
            elif source.index in self.kept:
                found["sets"].add((self.plan.sets[source.index].depth, self.kept[source.index]))
            else:
                at = self.plan.sets[source.index].expression
        # A bound that follows from another is worth stating where it cuts a list.
        implied = {q for p in found["above"] for q in self.before[p]}
        found["above"] |= implied & {p for p, _ in found["lists"]}
        return found

    def put_level(self, number: int, level: _Level, positions: int) -> None:
        entry, first = self.tables["levels"][number], self.tables["first"][number]
        entry["filter"] = NO_FILTER
        if level.filter:
            key = tuple(sorted(level.filter))
            entry["filter"] = self.filters.setdefault(key, len(self.filters))
            at_most("different candidate filters", len(self.filters), NO_FILTER)
        began = self.num_ops
        lowest = positions
        for position in range(positions):
            first[position] = self.num_ops
            for op in _ops_at(level, position):
                at_most("operations", self.num_ops + 1, MAX_OPS)
                self.tables["ops"][self.num_ops] = op
                self.num_ops += 1
                lowest = min(lowest, position)
        first[positions:] = self.num_ops
        at_most("operations of one level", self.num_ops - began, MAX_OPS_PER_LEVEL)
        entry["lowest"] = lowest

    def put_sets(self, first_level: int) -> None:
        for number, place in self.kept.items():
            step = self.plan.sets[number]
            self.put_level(first_level + place, _Level(**self.gather(step.expression)), step.depth + 1)
            self.tables["first_set"][step.depth + 1 :] += 1
        self.tables["num_sets"] = len(self.kept)

    def put_terms(self, terms: tuple[Term, ...]) -> None:
        at_most("terms of a counting tail", len(terms), MAX_TERMS)
        bound = 0
        for number, term in enumerate(terms):
            at_most("factors of a counting tail", len(term.factors), MAX_FACTORS)
            entry = self.tables["terms"][number]
            entry["coefficient"], entry["count"] = term.coefficient, len(term.factors)
            entry["factors"][: len(term.factors)] = term.factors
            bound += abs(term.coefficient) * max(self.max_degree, 1) ** len(term.factors)
        at_most("bits of a counting tail", bound.bit_length(), MAX_BITS)
        self.narrow = bound.bit_length() <= 62
        self.tables["num_terms"] = len(terms)

    def put_edges(self, num_levels: int) -> None:
        checks = sorted(self.plan.edge_checks, key=lambda c: max(c.source, c.target))
        at_most("pattern edges in edge-isomorphism", len(checks), MAX_EDGES)
        for number, c in enumerate(checks):
            self.tables["edges"][number] = (c.source, c.target, c.relation)
        for level in range(num_levels):
            self.tables["levels"][level]["edges"] = sum(max(c.source, c.target) <= level for c in checks)


def _ops_at(level: _Level, position: int) -> Iterable[tuple[int, int, int, int]]:
    """The demands that speak of one position, cheap ones first."""
    if position in level.above:
        yield IS_ABOVE, 0, 0, 0
    if position in level.below:
        yield IS_BELOW, 0, 0, 0
    if position in level.distinct:
        yield DISTINCT, 0, 0, 0
    for c in level.checks:
        if c.position == position:
            yield COMPARE, c.left_key, c.right_key, _COMPARISONS[c.op]
    for kind, lists in ((EDGE, level.lists), (NO_EDGE, level.absent)):
        for at, relation in sorted(lists):
            if at == position:
                at_most("relations", relation + 1, MAX_RELATIONS)
                yield kind, relation, 0, 0
    for at, number in sorted(level.sets):
        if at == position:
            yield IN_SET, number, 0, 0


def _same_table(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return (a[0], a[1], a[3]) == (b[0], b[1], b[3])


def _is_linear(tail: CountTail) -> bool:
    return len(tail.terms) == 1 and len(tail.sizes) <= 1 and len(tail.terms[0].factors) == len(tail.sizes)


def _closure(plan: Plan) -> list[set[int]]:
    """position -> the positions whose vertices come before its own, in the total order."""
    position = {v: p for p, v in enumerate(plan.order)}
    before: list[set[int]] = [set() for _ in plan.order]
    for a, b in plan.restrictions:
        if a in position and b in position:
            before[position[b]].add(position[a])
    for _ in before:
        for reach in before:
            reach.update(*(before[p] for p in tuple(reach)))
    return before
