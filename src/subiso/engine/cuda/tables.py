"""Lowers a Plan to the tables that kernels read (kernels/plan.cuh): per level and earlier position, a few operations.

A set of the plan is either kept by the search (schedule `stack`), and then a level of its own in the tables, or not:
then every level that reads it gets all its operands, however far up the plan computes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subiso.errors import UnsupportedError
from subiso.plan.plan import ColumnCheck, CountTail, Ends, Neighbors, Plan, SetExpression, Term

MAX_POSITIONS = 32
MAX_SIZES = 8
MAX_SETS = 24
MAX_LEVELS = MAX_POSITIONS + MAX_SIZES + MAX_SETS
MAX_OPS = 2048
MAX_OPS_PER_LEVEL = 255
MAX_TERMS = 32
MAX_FACTORS = 6
MAX_EDGES = 64
MAX_RELATIONS = 256
NO_FILTER = 255
MAX_BITS = 80
"""A tail's polynomial stays below 2**80, so that 2**47 of them fit into a total."""

EDGE, _NO_EDGE, _ABOVE, _BELOW, _DISTINCT, _COMPARE, _IN_SET = range(7)
_COMPARISONS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}

TABLES = np.dtype(
    [
        ("num_levels", np.uint8),
        ("num_sizes", np.uint8),
        ("num_terms", np.uint8),
        ("num_sets", np.uint8),
        ("column", np.uint8, MAX_POSITIONS),
        ("first_set", np.uint8, MAX_POSITIONS + 1),
        (
            "levels",
            np.dtype(
                [(name, np.uint8) for name in ("filter", "lowest", "measured", "surely", "edges", "table")],
                align=True,
            ),
            MAX_LEVELS,
        ),
        ("first", np.uint16, (MAX_LEVELS, MAX_POSITIONS + 1)),
        ("ops", np.dtype([(name, np.uint8) for name in ("kind", "a", "b", "c")], align=True), MAX_OPS),
        (
            "terms",
            np.dtype(
                [("coefficient", np.int32), ("count", np.uint8), ("factors", np.uint8, MAX_FACTORS)],
                align=True,
            ),
            MAX_TERMS,
        ),
        (
            "edges",
            np.dtype([(name, np.uint8) for name in ("source", "target", "relation")], align=True),
            MAX_EDGES,
        ),
    ],
    align=True,
)

TailKind = Literal["count", "sizes", "rows"]


ALL, ABOVE, BELOW = range(3)


@dataclass(frozen=True)
class Wedges:
    """Codegrees of the seed: neighbours of its neighbours, and where both lists are read relative to it."""

    base_relation: int
    base: int
    end_relation: int
    end: int
    from_ends: bool = False
    """Level 1 takes the ends of the wedges."""


@dataclass(frozen=True)
class Lowered:
    """What a kernel needs to know of a plan, and what the host does with its answer."""

    tables: NDArray[Any]
    """One element of TABLES."""
    tail: TailKind
    num_levels: int
    filters: tuple[tuple[int, ...], ...]
    """Combinations of the problem's candidate filters, by the number that the tables use."""
    coefficient: int = 1
    divisor: int = 1
    """A count is the kernel's total * coefficient / divisor."""
    edges: bool = False
    """Edge-isomorphism."""
    num_sets: int = 0
    """Sets that the search keeps."""
    wedges: Wedges | None = None
    """The codegrees that the search needs of every seed."""
    narrow: bool = False
    """The tail's polynomial and its terms stay within 64 bits."""

    @property
    def stack_levels(self) -> int:
        """Levels of the search stack: the last one's candidates are never kept, unless sizes hang below them."""
        return self.num_levels if self.tail == "sizes" or self.num_levels == 1 else self.num_levels - 1


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


def lower_plan(
    plan: Plan, max_degree: int, kept: Sequence[int] = (), reverse: Sequence[int] | None = None
) -> Lowered:
    """The tables of a plan, whose search keeps the sets of the numbers in `kept`.

    With `reverse`, the relations read from their other ends, sizes that are codegrees of the seed are looked up.
    UnsupportedError where they are too small for it (a shorter counting tail may help).
    """
    return _Lowering(plan, max_degree, kept[:MAX_SETS], reverse).result()


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
        for size, key in zip(sizes, keys, strict=True):
            w = self.wedges
            if key is not None and (key[0], key[1], self.reverse[key[3]]) == (
                w.base_relation,
                w.base,
                w.end_relation,
            ):
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
        yield _ABOVE, 0, 0, 0
    if position in level.below:
        yield _BELOW, 0, 0, 0
    if position in level.distinct:
        yield _DISTINCT, 0, 0, 0
    for c in level.checks:
        if c.position == position:
            yield _COMPARE, c.left_key, c.right_key, _COMPARISONS[c.op]
    for kind, lists in ((EDGE, level.lists), (_NO_EDGE, level.absent)):
        for at, relation in sorted(lists):
            if at == position:
                at_most("relations", relation + 1, MAX_RELATIONS)
                yield kind, relation, 0, 0
    for at, number in sorted(level.sets):
        if at == position:
            yield _IN_SET, number, 0, 0


@dataclass(frozen=True)
class FirstList:
    """A list of the seed that holds the vertices of level 1, where it is read, and the operation that names it."""

    relation: int
    bound: int
    origin: int


def first_lists(lowered: Lowered) -> list[FirstList]:
    """None where level 1 takes its vertices from a kept set or from the ends of wedges."""
    begin, end = (int(i) for i in lowered.tables["first"][1][:2])
    ops = lowered.tables["ops"][begin:end]
    kinds = set(ops["kind"].tolist())
    bound = ABOVE if _ABOVE in kinds else BELOW if _BELOW in kinds else ALL
    return [FirstList(int(op["a"]), bound, i) for i, op in enumerate(ops) if op["kind"] == EDGE]


def cut_short(lowered: Lowered, num_levels: int) -> Lowered:
    """The plan that lists partial matches of the first positions, as ranks in matching order."""
    tables = lowered.tables.copy()
    tables["num_levels"], tables["num_sizes"], tables["num_terms"], tables["num_sets"] = num_levels, 0, 0, 0
    tables["column"] = 0
    tables["column"][:num_levels] = range(num_levels)
    return Lowered(tables, "rows", num_levels, lowered.filters, edges=lowered.edges)


def initializer(tables: NDArray[Any]) -> str:
    """The tables as C++ text: nested braces, without the zeros at the end of an array.

    >>> t = np.zeros((), TABLES)
    >>> t["num_levels"], t["column"][1] = 2, 1
    >>> initializer(t)
    '{2,0,0,0,{0,1},{},{},{},{},{},{}}'
    """
    return _braces(tables)


def _braces(value: Any) -> str:
    if getattr(value, "dtype", None) is not None and value.dtype.names:
        if value.shape == ():
            return "{" + ",".join(_braces(value[name]) for name in value.dtype.names) + "}"
    elif np.ndim(value) == 0:
        return str(int(value))
    items = list(value)
    while items and not np.any(np.frombuffer(np.ascontiguousarray(items[-1]).tobytes(), np.uint8)):
        items.pop()
    return "{" + ",".join(_braces(item) for item in items) + "}"


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


def at_most(what: str, found: int, limit: int) -> None:
    """UnsupportedError where a table is too small.

    >>> at_most("vertices", 33, 32)
    Traceback (most recent call last):
    subiso.errors.UnsupportedError: the CUDA engine takes at most 32 vertices, this query has 33
    hint: use device="cpu"
    """
    if found > limit:
        raise UnsupportedError(
            f"the CUDA engine takes at most {limit} {what}, this query has {found}", hint='use device="cpu"'
        )
