"""Several resolved queries with one numbering of relations, filters and keys, so that their plans can be compared and
run together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from subiso.filter.candidate_graph import restrict_on_host
from subiso.filter.candidates import Bits
from subiso.filter.resolve import Resolved
from subiso.plan.problem import Link, PairCheck, Problem
from subiso.storage.layout import RelationCsr
from subiso.storage.relation import Relation

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
_LARGER = 1.2
"""How many times as many candidates a vertex may get for the sake of sharing."""


def in_common(queries: Sequence[Resolved]) -> list[Resolved]:
    """The same queries, all on the whole graph; each refers to the same arrays, in which equal ones are one."""
    table = _Table()
    problems = [table.renumbered(resolved) for resolved in queries]
    return [
        replace(
            resolved,
            problem=problem,
            relations=tuple(table.relations),
            csrs=tuple(table.relations.values()),
            reverse=[table.reverse[i] for i in range(len(table.relations))],
            filters=tuple(table.filters.values()),
            keys=tuple(table.keys.values()),
            narrowed=replace(resolved.narrowed, restrict=restrict_on_host),  # which knows no numbers
        )
        for resolved, problem in zip(queries, problems, strict=True)
    ]


class _Table:
    """Everything by content; numbers are places in the dicts."""

    def __init__(self) -> None:
        self.relations: dict[Relation, RelationCsr] = {}
        self.reverse: dict[int, int] = {}
        self.filters: dict[bytes, Bits] = {}
        self.keys: dict[bytes, NDArray[np.int64]] = {}
        self.numbers: dict[tuple[str, Hashable], int] = {}

    def number(self, kind: str, known: dict[Key, Item], key: Key, item: Item) -> int:
        found = self.numbers.setdefault((kind, key), len(known))
        known.setdefault(key, item)
        return found

    def renumbered(self, resolved: Resolved) -> Problem:
        """The problem by the common numbers."""
        pairs = zip(resolved.relations, resolved.csrs, strict=True)
        number = [self.number("relation", self.relations, relation, csr) for relation, csr in pairs]
        self.reverse.update((number[r], number[back]) for r, back in enumerate(resolved.reverse))
        filters = [self.number("filter", self.filters, b.tobytes(), b) for b in resolved.filters]
        keys = [self.number("key", self.keys, key.tobytes(), key) for key in resolved.keys]
        problem = resolved.problem

        def link(k: Link) -> Link:
            return Link(k.a, k.b, number[k.forward], number[k.backward])

        return replace(
            problem,
            links=tuple(map(link, problem.links)),
            forbidden=tuple(map(link, problem.forbidden)),
            pairs=tuple(
                PairCheck(p.a, p.op, p.b, keys[p.left_key], keys[p.right_key]) for p in problem.pairs
            ),
            filters=tuple(tuple(filters[f] for f in numbers) for numbers in problem.filters),
            entities=tuple((a, b, number[r]) for a, b, r in problem.entities),
            implied=frozenset((v, number[r], filters[f]) for v, r, f in problem.implied),
        )


def with_common_filters(queries: Sequence[Resolved], begun: Sequence[Resolved]) -> list[Resolved]:
    """Queries in common, in which vertices with the same conditions and much the same candidates have the same ones:
    all that any of them needs.

    Filters narrow candidates by the whole pattern, so that hardly any two patterns have the same ones left. `begun` are
    the queries as they were before that.
    """
    common = in_common(queries)
    clusters = _Clusters(common[0].layout.num_vertices)
    for resolved, first in zip(common, begun, strict=True):
        for vertex, numbers in enumerate(resolved.problem.filters):
            own = None if not numbers else np.bitwise_and.reduce([resolved.filters[f] for f in numbers])
            clusters.wanted.append((_first_candidates(first, vertex), own))
    clusters.settle()
    return _Loosened(common, clusters).result()


def _first_candidates(resolved: Resolved, vertex: int) -> bytes:
    numbers = resolved.problem.filters[vertex]
    return resolved.filters[numbers[0]].tobytes() if numbers else b""


class _Clusters:
    """Sorts candidates into clusters that share one bitmap."""

    def __init__(self, num_vertices: int) -> None:
        self.num_vertices = num_vertices
        self.wanted: list[tuple[bytes, Bits | None]] = []
        """Per vertex of all patterns: its first candidates, and those that are left (None: every vertex)."""
        self.bits: list[Bits | None] = []
        """Per cluster."""
        self.of: list[int] = []
        """Per vertex of all patterns."""

    def settle(self) -> None:
        """The largest first, each into a cluster that makes it little larger and grows little itself."""
        self.of = [0] * len(self.wanted)
        known: dict[bytes, list[int]] = {}
        for i in sorted(range(len(self.wanted)), key=lambda i: -self.size(self.wanted[i][1])):
            first, own = self.wanted[i]
            near = known.setdefault(first, [])
            found = next((c for c in near if self._close(own, self.bits[c])), len(self.bits))
            if found == len(self.bits):
                self.bits.append(own)
                near.append(found)
            else:
                there = self.bits[found]
                self.bits[found] = None if own is None or there is None else own | there
            self.of[i] = found

    def _close(self, own: Bits | None, there: Bits | None) -> bool:
        if own is None or there is None:
            return own is there
        return self.size(own | there) <= _LARGER * self.size(own)

    def size(self, bits: Bits | None) -> float:
        return float(self.num_vertices if bits is None else np.bitwise_count(bits).sum())

    def overlap(self, cluster: int, other: int) -> bool:
        mine, theirs = self.bits[cluster], self.bits[other]
        return mine is None or theirs is None or bool((mine & theirs).any())


class _Loosened:
    """Queries by clusters."""

    def __init__(self, queries: Sequence[Resolved], clusters: _Clusters) -> None:
        self.queries, self.clusters = queries, clusters
        filtered = [c for c, bits in enumerate(clusters.bits) if bits is not None]
        self.number = {cluster: i for i, cluster in enumerate(filtered)}
        self.own: list[list[int]] = []
        """Per query the clusters of its vertices."""
        self.fans: dict[tuple[int, int, int], float] = {}
        left = iter(clusters.of)
        for resolved in queries:
            self.own.append([next(left) for _ in range(resolved.problem.num_vertices)])
            self.note_fans(resolved.problem, self.own[-1])

    def note_fans(self, problem: Problem, own: list[int]) -> None:
        for (a, b, forward, backward), (ahead, back) in zip(problem.links, problem.fans, strict=True):
            for ends, fan in (((own[a], forward, own[b]), ahead), ((own[b], backward, own[a]), back)):
                self.fans[ends] = max(float(fan), self.fans.get(ends, 0.0))

    def result(self) -> list[Resolved]:
        filters = tuple(bits for bits in self.clusters.bits if bits is not None)
        return [
            replace(resolved, problem=self.loosened(resolved.problem, own), filters=filters)
            for resolved, own in zip(self.queries, self.own, strict=True)
        ]

    def loosened(self, problem: Problem, own: list[int]) -> Problem:
        clusters, fans = self.clusters, self.fans
        return replace(
            problem,
            filters=tuple((self.number[c],) if c in self.number else () for c in own),
            sizes=tuple(clusters.size(clusters.bits[c]) for c in own),
            fans=tuple(
                (fans[own[a], ahead, own[b]], fans[own[b], back, own[a]])
                for a, b, ahead, back in problem.links
            ),
            overlaps=tuple(
                sum(1 << v for v, other in enumerate(own) if clusters.overlap(c, other)) for c in own
            ),
            implied=frozenset(),
        )
