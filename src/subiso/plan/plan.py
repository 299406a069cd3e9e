"""A Plan: what is computed, in which order. Frozen, hashable, printable; engines run it and never change it.

The smallest nodes are named tuples, since sets of them are the keys that sharing works with. Positions number the
pattern's vertices in matching order. A plan is a list of steps: a Seed, then one Extend per
further position, SetSteps between them (each as early as its operands allow), and a Tail. A plan for a cut of the
pattern has Parts too: loops of their own, counted for every match of the cut and multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

VERSION = 4


class Neighbors(NamedTuple):
    """The neighbour list of the vertex at `position` in relation number `relation`."""

    position: int
    relation: int


@dataclass(frozen=True)
class SetRef:
    """The result of an earlier SetStep, by its number."""

    index: int


@dataclass(frozen=True)
class Ends:
    """The vertices with a count in a codegree table, by the table's number; in no order."""

    table: int


@dataclass(frozen=True)
class Everyone:
    """Every vertex."""


Source = Neighbors | SetRef | Ends | Everyone


class Operand(NamedTuple):
    """A neighbour list that the source is intersected with, or that is taken out of it."""

    list: Neighbors
    negative: bool = False


@dataclass(frozen=True)
class SetExpression:
    """Elements of `source` in (or not in) every operand, > lower, < upper, passing the filter."""

    source: Source
    operands: tuple[Operand, ...] = ()
    lower: tuple[int, ...] = ()
    """Positions whose vertices the elements come after, in the graph's total order."""
    upper: tuple[int, ...] = ()
    filter: tuple[int, ...] = ()
    """Candidate filters that the elements must all pass."""


@dataclass(frozen=True)
class Seed:
    """Position 0: every vertex, or every candidate of the pattern vertex."""

    vertex: int
    filter: tuple[int, ...] = ()
    estimate: float = 0.0


@dataclass(frozen=True)
class ColumnCheck:
    """Compares a column of the new vertex with one of the vertex at `position`."""

    op: str
    left_key: int
    position: int
    right_key: int


@dataclass(frozen=True)
class Extend:
    """Matches the next pattern vertex with every element of `candidates` that differs from `distinct`."""

    vertex: int
    candidates: SetExpression
    distinct: tuple[int, ...] = ()
    checks: tuple[ColumnCheck, ...] = ()
    estimate: float = 0.0
    least: int = 1
    """With fewer candidates there is no match: all later vertices come from among them, too."""


@dataclass(frozen=True)
class SetStep:
    """Computes a set once `depth` is matched, for every later step that refers to it."""

    depth: int
    expression: SetExpression


@dataclass(frozen=True)
class CodegreeStep:
    """Counts, once `depth` is matched, for every vertex y how many elements of `base` have y in their `relation` list.

    Wedges from the vertex that the base belongs to, grouped by their end points: no wedge is looked at again.
    """

    depth: int
    base: SetExpression
    relation: int
    lower: tuple[int, ...] = ()
    """Positions whose vertices the end points come after; other vertices have no count."""
    upper: tuple[int, ...] = ()


@dataclass(frozen=True)
class EmitTail:
    """Every way through the loops is a match."""


@dataclass(frozen=True)
class TailSize:
    """The size of a set without the matched vertices in it.

    Those at the `distinct` positions are looked up; the `sure` ones are known to be in it.
    """

    expression: SetExpression
    distinct: tuple[int, ...] = ()
    sure: tuple[int, ...] = ()
    table: int | None = None
    """The codegree table that holds the expression's size, at the vertex of its only operand."""

    @property
    def surely(self) -> int:
        """How many matched vertices are known to be in the set."""
        return len(self.sure)


@dataclass(frozen=True)
class Term:
    coefficient: int
    factors: tuple[int, ...]
    """Indices of tail sizes; a repeated index is a power."""


@dataclass(frozen=True)
class CountTail:
    """The remaining vertices are counted, not matched: the sum of the terms, summed over all loops, / divisor.

    The tail's vertices are not joined to each other, so they are counted from set sizes: all ways to choose them
    independently, less those in which some coincide (inclusion-exclusion over set partitions).
    """

    vertices: tuple[int, ...]
    sizes: tuple[TailSize, ...]
    terms: tuple[Term, ...]
    divisor: int = 1
    blocks: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """Per size the groups of the tail's vertices that choose from that set: alone, or as one where they coincide."""


Tail = EmitTail | CountTail


@dataclass(frozen=True)
class Part:
    """One component of the pattern without the cut: its extensions of a match of the cut are counted by themselves.

    Positions and set numbers go on after those of the plan's own loops. The plan's tail is multiplied with the count,
    `power` times.
    """

    extends: tuple[Extend, ...]
    sets: tuple[SetStep, ...]
    tail: CountTail
    power: int = 1


@dataclass(frozen=True)
class EdgeCheck:
    """Edge-isomorphism: a pattern edge between two positions, and the relation of its data edges."""

    source: int
    target: int
    relation: int


@dataclass(frozen=True)
class Local:
    """Everything is a neighbour of the seed: search its neighbourhood with adjacency as bit rows."""

    relation: int
    above: bool
    """All other vertices come after the seed."""
    rows_above: bool
    """Every row is read only above its own vertex."""
    least: int
    """Seeds with fewer neighbours have no match."""
    cliques: bool = False
    """The pattern is a clique without conditions: count by pivoting, not by listing."""


@dataclass(frozen=True)
class Plan:
    """The whole plan; `cost` is the planner's estimate of operations."""

    names: tuple[str, ...]
    """The pattern's vertex names, by pattern vertex."""
    mode: str
    unique: bool
    seed: Seed
    extends: tuple[Extend, ...]
    sets: tuple[SetStep, ...]
    tail: Tail
    restrictions: tuple[tuple[int, int], ...] = ()
    """Pairs of pattern vertices (a, b): a's vertex comes before b's in the graph's total order."""
    edge_checks: tuple[EdgeCheck, ...] = ()
    local: Local | None = None
    codegrees: tuple[CodegreeStep, ...] = ()
    parts: tuple[Part, ...] = ()
    """With these the plan counts maps in which vertices of different parts may coincide."""
    cost: float = 0.0
    version: int = VERSION

    @property
    def order(self) -> tuple[int, ...]:
        """The pattern vertices in matching order, without the tail's."""
        return (self.seed.vertex, *(e.vertex for e in self.extends))

    def __str__(self) -> str:
        from subiso.plan.text import plan_text

        return plan_text(self)
