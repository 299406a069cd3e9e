"""Lowers a plan that stays in its seed's neighbourhood to the tables of kernels/local_plan.cuh: chains of ANDs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.tables import MAX_BITS, MAX_FACTORS, MAX_POSITIONS, MAX_SIZES, MAX_TERMS, TABLES
from subiso.errors import UnsupportedError
from subiso.plan.plan import CountTail, Local, Neighbors, Plan, SetExpression, SetRef

MAX_OPS = 1024
MAX_SETS = 64
MAX_MATRICES = 4
MAX_FILTERS = 64
NARROW_BITS = 62
"""Tails below 2**62 are computed in 64 bits."""

_ALL, _SET, _ROW, _NOT_ROW, _ABOVE, _BELOW, _FILTER, _WITHOUT = range(8)

LOCAL_TABLES = np.dtype(
    [
        *((name, np.uint8) for name in ("num_levels", "num_sizes", "num_terms", "linear")),
        (
            "hood",
            np.dtype(
                [
                    *(
                        (name, np.uint8)
                        for name in (
                            *("relation", "above", "rows_above", "rows_after"),
                            *("num_matrices", "num_filters"),
                        )
                    ),
                    ("relations", np.uint8, MAX_MATRICES),
                    ("mirrored", np.uint8, MAX_MATRICES),
                ],
                align=True,
            ),
        ),
        ("surely", np.uint8, MAX_SIZES),
        ("first_set", np.uint8, MAX_POSITIONS + 1),
        ("set_ops", np.uint16, MAX_SETS + 1),
        ("level_ops", np.uint16, MAX_POSITIONS + 1),
        ("size_ops", np.uint16, MAX_SIZES + 1),
        ("ops", np.dtype([(name, np.uint8) for name in ("kind", "a", "b")], align=True), MAX_OPS),
        ("terms", TABLES["terms"].base, MAX_TERMS),
    ],
    align=True,
)


@dataclass(frozen=True)
class LoweredLocal:
    """What the kernels need to know of a plan, and what the host does with their answer."""

    tables: NDArray[Any]
    """One element of LOCAL_TABLES."""
    num_levels: int
    relation: int
    above: bool
    least: int
    """Seeds with fewer neighbours have no match."""
    rows_after: bool
    """Only members after the seed have rows, or are second vertices."""
    inner: int | None
    """The matrix whose row of the second vertex holds all later ones."""
    cliques: bool
    """The plan is that of a plain clique, in order from end to end."""
    num_matrices: int
    filters: tuple[tuple[int, ...], ...]
    """Combinations of the problem's candidate filters, by the number that the tables use."""
    narrow: bool
    """A tail's polynomial fits into 64 bits."""
    coefficient: int
    divisor: int


def lower_local(plan: Plan, reverse: Sequence[int], most_members: int) -> LoweredLocal:
    """The tables of a plan; UnsupportedError where they are too small for it, or the plan leaves the neighbourhood.

    `reverse` tells of every relation which one its edges form when read from the other end.
    """
    return _Lowering(plan, reverse, most_members).result()


class _Lowering:
    def __init__(self, plan: Plan, reverse: Sequence[int], most_members: int) -> None:
        if plan.local is None or not isinstance(plan.tail, CountTail):
            raise UnsupportedError("the plan is not one that counts inside a neighbourhood")
        self.plan, self.local, self.tail = plan, plan.local, plan.tail
        self.reverse = reverse
        self.most_members = most_members
        self.tables = np.zeros((), LOCAL_TABLES)
        self.num_ops = 0
        self.matrices: dict[int, int] = {}
        self.filters: dict[tuple[int, ...], int] = {}
        self.with_rows: set[int] = set()
        """Positions whose rows are asked for."""

    def result(self) -> LoweredLocal:
        plan, tail, tables = self.plan, self.tail, self.tables
        levels = len(plan.order)
        _at_most("vertices", levels, MAX_POSITIONS)
        _at_most("sets", len(plan.sets), MAX_SETS)
        _at_most("set sizes", len(tail.sizes), MAX_SIZES)
        linear = len(tail.terms) == 1 == len(tail.sizes) and tail.terms[0].factors == (0,)
        tables["num_levels"], tables["num_sizes"], tables["linear"] = levels, len(tail.sizes), linear
        depths = [step.depth for step in plan.sets]
        if depths != sorted(depths):
            raise UnsupportedError("sets that are not in the order of their depths")
        tables["first_set"] = np.searchsorted(depths, np.arange(MAX_POSITIONS + 1))
        self.put("set_ops", [(step.expression, ()) for step in plan.sets])
        # Level 0 is the seed: it has no operations.
        self.put("level_ops", [None, *((e.candidates, e.distinct) for e in plan.extends)])
        self.put("size_ops", [(size.expression, size.distinct) for size in tail.sizes])
        tables["surely"][: len(tail.sizes)] = [size.surely for size in tail.sizes]
        bits = self.put_terms()
        # The kernels begin with the first member that has a row, so the second vertex must come after the seed, too.
        rows_after = self.with_rows | {1} <= self.after_seed()
        self.put_hood(self.local, rows_after)
        return LoweredLocal(
            tables,
            levels,
            self.local.relation,
            self.local.above,
            max(self.local.least, 1),
            rows_after,
            self.inner(),
            self.local.cliques,
            len(self.matrices),
            tuple(self.filters),
            narrow=bits <= NARROW_BITS,
            coefficient=tail.terms[0].coefficient if linear else 1,
            divisor=tail.divisor,
        )

    def put(self, name: str, sets: Sequence[tuple[SetExpression, tuple[int, ...]] | None]) -> None:
        """Operations of several sets, and where each one's begin."""
        firsts = self.tables[name]
        for number, found in enumerate(sets):
            firsts[number] = self.num_ops
            for op in self.ops(*found) if found else ():
                _at_most("operations", self.num_ops + 1, MAX_OPS)
                self.tables["ops"][self.num_ops] = op
                self.num_ops += 1
        firsts[len(sets) :] = self.num_ops

    def ops(self, e: SetExpression, distinct: tuple[int, ...]) -> Iterable[tuple[int, int, int]]:
        """The start, then all that takes something away; what changes nothing is left out."""
        rows = {(o.list, o.negative) for o in e.operands}
        start: tuple[int, int, int] = (_ALL, 0, 0)
        if isinstance(e.source, SetRef):
            start = (_SET, e.source.index, 0)
        elif isinstance(e.source, Neighbors):
            rows.add((e.source, False))
        inner = sorted((at, negative) for at, negative in rows if not self.is_seeds(at, negative))
        positive = [self.row(at) for at, negative in inner if not negative]
        if start[0] == _ALL and positive:
            (_, position, matrix), *positive = positive
            start = (_ROW, position, matrix)
        yield start
        yield from positive
        for at, negative in inner:
            if negative:
                yield _NOT_ROW, *self.row(at)[1:]
        read = {at.position for at, negative in inner if not negative}
        for p in e.lower:
            if not (p == 0 and self.local.above) and not (p in read and self.local.rows_above):
                yield _ABOVE, p, 0
        for p in e.upper:
            yield _BELOW, p, 0
        if e.filter:
            number = self.filters.setdefault(tuple(e.filter), len(self.filters))
            _at_most("different candidate filters", len(self.filters), MAX_FILTERS)
            yield _FILTER, number, 0
        for p in distinct:
            if p != 0:
                yield _WITHOUT, p, 0

    def is_seeds(self, at: Neighbors, negative: bool) -> bool:
        """Whether it is the seed's own list, which holds everyone."""
        if at.position == 0 and (negative or at.relation != self.local.relation):
            raise UnsupportedError("a list of the seed that is not its neighbourhood")
        return at.position == 0

    def row(self, at: Neighbors) -> tuple[int, int, int]:
        matrix = self.matrices.setdefault(at.relation, len(self.matrices))
        _at_most("relations inside a neighbourhood", len(self.matrices), MAX_MATRICES)
        self.with_rows.add(at.position)
        return _ROW, at.position, matrix

    def inner(self) -> int | None:
        """A matrix whose row of the second vertex holds the candidates of all later ones."""
        tables = self.tables

        def rows(name: str, number: int) -> set[int]:
            """Matrices whose row of position 1 is part of a set's chain."""
            found: set[int] = set()
            for kind, a, b in tables["ops"][tables[name][number] : tables[name][number + 1]].tolist():
                if kind == _SET:
                    found |= rows("set_ops", a)
                elif kind == _ROW and a == 1:
                    found.add(b)
            return found

        later = [rows("level_ops", level) for level in range(2, len(self.plan.order))]
        later += [rows("size_ops", size) for size in range(len(self.tail.sizes))]
        common = set.intersection(*later) if later else set()
        return min(common, default=None)

    def after_seed(self) -> set[int]:
        """Positions whose vertices come after the seed in the total order."""

        def lower(e: SetExpression) -> set[int]:
            inner = (
                lower(self.plan.sets[e.source.index].expression) if isinstance(e.source, SetRef) else set()
            )
            return inner | set(e.lower)

        found: set[int] = set()
        for position, extend in enumerate(self.plan.extends, 1):
            if lower(extend.candidates) & {0, *found}:
                found.add(position)
        return found

    def put_terms(self) -> int:
        """The tail's polynomial; the bits that its values take at most."""
        terms = self.tail.terms
        _at_most("terms", len(terms), MAX_TERMS)
        bound = 0
        for entry, term in zip(self.tables["terms"], terms, strict=False):
            _at_most("factors", len(term.factors), MAX_FACTORS)
            entry["coefficient"], entry["count"] = term.coefficient, len(term.factors)
            entry["factors"][: len(term.factors)] = term.factors
            bound += abs(term.coefficient) * max(self.most_members, 1) ** len(term.factors)
        _at_most("bits of a counting tail", bound.bit_length(), MAX_BITS)
        self.tables["num_terms"] = len(terms)
        return bound.bit_length()

    def put_hood(self, local: Local, rows_after: bool) -> None:
        hood = self.tables["hood"]
        hood["rows_after"] = rows_after
        for relation, number in self.matrices.items():
            hood["mirrored"][number] = self.reverse[relation] == relation
            hood["relations"][number] = relation
        _at_most("relations", max([local.relation, *self.matrices]) + 1, 256)
        hood["relation"], hood["above"], hood["rows_above"] = local.relation, local.above, local.rows_above
        hood["num_matrices"], hood["num_filters"] = len(self.matrices), len(self.filters)


def _at_most(what: str, found: int, limit: int) -> None:
    if found > limit:
        raise UnsupportedError(f"search on bit rows takes at most {limit} {what}, this plan has {found}")
