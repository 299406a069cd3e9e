"""The candidate graph: adjacency between candidates per link of the pattern, in a numbering of the candidates alone.

Every relation of a link is restricted to the candidates of its two ends; vertices are renumbered in the graph's total
order without those that are nobody's candidate. Plans and engines see relations and bitmaps as ever, only smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.filter.candidates import Bits
from subiso.plan.greedy import greedy_order
from subiso.plan.order import EXHAUSTIVE_UP_TO
from subiso.plan.problem import Link, Problem
from subiso.storage.layout import Entities, Layout, RelationCsr, pack_bits
from subiso.storage.relation import Relation
from subiso.storage.statistics import Statistics

if TYPE_CHECKING:
    from subiso.filter.resolve import Resolved

Choice = Literal["auto", "always", "never"]
DEVICE_RELATIONS = 256
"""Kernels take no more of them (engine/cuda/tables.py)."""
_SHORTER = 2.0
"""How many times shorter lists must become."""
_CHEAP = 10_000_000  # list elements that may be read for a large pattern in any case
_VISIT = 20.0  # partial matches cost as much as so many elements of a list when the candidate graph is made


class CandidateLayout:
    """Stands for a graph's Layout where only candidates are numbered."""

    def __init__(self, base: Layout, num_vertices: int, members: Callable[[], NDArray[np.uint32]]) -> None:
        """`members` is asked when somebody wants to know."""
        self.base = base
        self.graph = base.graph
        self.num_vertices = num_vertices
        self._members = members
        self.all_ranks: NDArray[np.uint32] = np.arange(num_vertices, dtype=np.uint32)

    @cached_property
    def members(self) -> NDArray[np.uint32]:
        """number -> rank in the whole graph"""
        return self._members()

    @cached_property
    def vertex_at(self) -> NDArray[np.uint32]:
        """number -> vertex"""
        found: NDArray[np.uint32] = self.base.vertex_at[self.members]
        return found

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """Rank in the whole graph -> number, -1 for nobody's candidates."""
        number = np.full(self.base.num_vertices, -1, np.int64)
        number[self.members] = self.all_ranks
        return number

    def entities(self, relation: Relation) -> Entities:
        """The data edges of a relation between candidates."""
        whole = self.base.entities(relation)
        owner = np.repeat(np.arange(self.base.num_vertices), np.diff(whole.offsets))
        kept = (self.number[owner] >= 0) & (self.number[whole.neighbors] >= 0)
        offsets = np.zeros(len(self.members) + 1, np.int64)
        np.cumsum(np.bincount(self.number[owner[kept]], minlength=len(self.members)), out=offsets[1:])
        neighbors = self.number[whole.neighbors[kept]].astype(np.uint32)
        return Entities(offsets, neighbors, np.ascontiguousarray(whole.edge_ids[kept]))


Wanted = tuple[int, int, int]
"""A restricted relation: relation, filter at the owner's end, filter at the other; -1 for all candidates."""


@dataclass(frozen=True, eq=False)
class Restricted:
    """The arrays of a candidate graph: what a builder gives."""

    layout: CandidateLayout
    csrs: tuple[RelationCsr, ...]
    filters: Sequence[Bits]


Restrict = Callable[["Resolved", Sequence[Wanted]], Restricted]
"""Makes the relations that are wanted, in numbers of the candidates."""


@dataclass(frozen=True)
class Decision:
    """Whether plans run on a candidate graph, and why."""

    used: bool
    why: str
    vertices: int = 0
    pairs: int = 0
    """Entries of all its relations."""
    nbytes: int = 0

    def __str__(self) -> str:
        if not self.used:
            return f"not used: {self.why}"
        size = f"{self.vertices:,} vertices, {self.pairs:,} entries, {self.nbytes / 1e6:,.2f} MB"
        return f"{size}; {self.why}"


def with_candidate_graph(
    resolved: Resolved, stats: Statistics, choice: Choice = "auto", *, device: bool = False
) -> Resolved:
    """The same problem on its candidate graph, where that is asked for or likely to pay.

    `device`: for kernels, which search the whole graph where this one would have more relations than they take.
    """
    decision = decide(resolved, stats, choice)
    if not decision.used:
        return replace(resolved, candidate_graph=decision)
    problem = replace(resolved.problem, entities=resolved.problem.edges_to_tell_apart)
    builder = _Builder(replace(resolved, problem=problem))
    relations = len(builder.wanted)
    if device and relations > DEVICE_RELATIONS:
        why = f"it would have {relations:,} relations, and kernels take at most {DEVICE_RELATIONS:,}"
        return replace(resolved, candidate_graph=Decision(False, why))
    return builder.build(decision.why)


def decide(resolved: Resolved, stats: Statistics, choice: Choice) -> Decision:
    """By what it costs (every list of a candidate is read once per link) and how much shorter it makes the lists."""
    problem = resolved.problem
    if choice == "never":
        return Decision(False, "turned off")
    if resolved.hopeless or not problem.links:
        return Decision(False, "there is nothing to search")
    free = next((v for v, numbers in enumerate(problem.filters) if not numbers), None)
    if not problem.filters or (free is not None and choice == "auto"):
        name = problem.pattern.names[free or 0]
        return Decision(False, f"{name} may be any vertex")
    if choice == "always":
        return Decision(True, "asked for")
    entries = [csr.num_entries / max(resolved.layout.num_vertices, 1) for csr in resolved.csrs]
    read = kept = 0.0
    for link, (ahead, back) in zip(problem.links, problem.fans, strict=True):
        read += problem.sizes[link.a] * entries[link.forward] + problem.sizes[link.b] * entries[link.backward]
        kept += problem.sizes[link.a] * ahead + problem.sizes[link.b] * back
    if read < _SHORTER * kept:
        return Decision(False, f"lists would be only {read / max(kept, 1):.1f} times shorter")
    # How many partial matches a large pattern has cannot be told well, so there only the making counts.
    search = sum(greedy_order(problem, stats)[1]) * _VISIT
    if search < read and (problem.num_vertices <= EXHAUSTIVE_UP_TO or read > _CHEAP):
        return Decision(
            False, f"the search (~{search:,.3g} steps) is less work than making it (~{read:,.3g})"
        )
    return Decision(True, f"lists {read / max(kept, 1):,.1f} times shorter")


def with_common_candidate_graph(queries: Sequence[Resolved]) -> list[Resolved]:
    """Queries that number relations and filters alike, on one candidate graph of all of them."""
    problems = [replace(q.problem, entities=q.problem.edges_to_tell_apart) for q in queries]
    joint = _Builder(replace(queries[0], problem=_side_by_side(problems))).build("shared")
    links, forbidden = iter(joint.problem.links), iter(joint.problem.forbidden)
    entities = iter(joint.problem.entities)
    found, first = [], 0
    for problem in problems:
        back = -first
        own = replace(
            problem,
            links=tuple(_moved(next(links), back) for _ in problem.links),
            forbidden=tuple(_moved(next(forbidden), back) for _ in problem.forbidden),
            entities=tuple((a + back, b + back, r) for a, b, r in islice(entities, len(problem.entities))),
            narrowed=joint.problem.narrowed,
        )
        found.append(replace(joint, problem=own))
        first += problem.num_vertices
    return found


def _side_by_side(problems: Sequence[Problem]) -> Problem:
    """One problem with the vertices of all of them, as far as a candidate graph is concerned."""
    firsts = [0, *accumulate(problem.num_vertices for problem in problems)]
    placed = list(zip(problems, firsts, strict=False))
    return replace(
        problems[0],
        links=tuple(_moved(k, by) for p, by in placed for k in p.links),
        forbidden=tuple(_moved(k, by) for p, by in placed for k in p.forbidden),
        entities=tuple((a + by, b + by, r) for p, by in placed for a, b, r in p.entities),
        filters=tuple(numbers for p in problems for numbers in p.filters),
    )


def _moved(link: Link, by: int) -> Link:
    return Link(link.a + by, link.b + by, link.forward, link.backward)


class _Builder:
    """Numbers the restricted relations, each once, and has them made."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.wanted: dict[Wanted, int] = {}
        """The new numbers."""
        self.problem = self._renumbered(resolved.problem)

    def build(self, why: str) -> Resolved:
        resolved = self.resolved
        reverse = [self.wanted[resolved.reverse[r], to, at] for r, at, to in list(self.wanted)]
        made = resolved.narrowed.restrict(resolved, list(self.wanted))
        pairs = sum(csr.num_entries for csr in made.csrs)
        nbytes = sum(csr.nbytes for csr in made.csrs)
        return replace(
            resolved,
            problem=replace(self.problem, narrowed=tuple(to for _, _, to in self.wanted)),
            layout=made.layout,
            relations=tuple(resolved.relations[r] for r, _, _ in self.wanted),
            csrs=made.csrs,
            reverse=reverse,
            filters=made.filters,
            keys=tuple(key[made.layout.members] for key in resolved.keys),
            candidate_graph=Decision(True, why, made.layout.num_vertices, pairs, nbytes),
        )

    def _renumbered(self, problem: Problem) -> Problem:
        """Links by the restricted relations; absent edges and data edges by those between all candidates."""
        filters = [numbers[0] if numbers else -1 for numbers in problem.filters]

        def number(relation: int, at: int, to: int) -> int:
            return self.wanted.setdefault((relation, at, to), len(self.wanted))

        def link(k: Link, at: int, to: int) -> Link:
            return Link(k.a, k.b, number(k.forward, at, to), number(k.backward, to, at))

        links = tuple(link(k, filters[k.a], filters[k.b]) for k in problem.links)
        forbidden = tuple(link(k, -1, -1) for k in problem.forbidden)
        entities = tuple((a, b, number(r, -1, -1)) for a, b, r in problem.entities)
        for _, _, r in problem.entities:
            number(self.resolved.reverse[r], -1, -1)
        return replace(problem, links=links, forbidden=forbidden, entities=entities, implied=frozenset())


def restrict_on_host(
    resolved: Resolved,
    wanted: Sequence[Wanted],
    shorter: Mapping[Wanted, RelationCsr] = {},
) -> Restricted:
    """The restricted relations, made by native/filter/restrict.cpp; from `shorter` lists, where there are some."""
    n = resolved.layout.num_vertices
    free = any(not numbers for numbers in resolved.problem.filters)
    all_bits: Bits = pack_bits(np.ones(n, np.bool_)) if free else np.bitwise_or.reduce(resolved.filters)
    bits: Callable[[int], Bits | None] = lambda f: None if f < 0 else resolved.filters[f]  # noqa: E731
    lists = [shorter.get(one, resolved.csrs[one[0]]) for one in wanted]
    arrays = [(csr.bounds, csr.neighbors) for csr in lists]
    asked = [(i, bits(at), bits(to)) for i, (_, at, to) in enumerate(wanted)]
    made = _native.restrict_relations(n, arrays, all_bits, asked, resolved.threads)
    members: NDArray[np.uint32] = _native.bit_positions(all_bits)
    return Restricted(
        CandidateLayout(resolved.whole, len(members), lambda: members),
        tuple(RelationCsr(*arrays) for arrays in made),
        tuple(_gathered(bits, members) for bits in resolved.filters),
    )


def _gathered(bits: Bits, members: NDArray[np.uint32]) -> Bits:
    """A bitmap over ranks as one over the members."""
    inside = (bits[members >> np.uint32(6)] >> (members & np.uint32(63)).astype(np.uint64)) & np.uint64(1)
    return pack_bits(inside.astype(np.bool_))
