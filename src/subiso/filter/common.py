"""Several resolved queries with one numbering of relations, filters and keys, so that their plans can be compared and
run together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from subiso.filter.candidates import Bits
from subiso.filter.resolve import Resolved
from subiso.plan.problem import Link, PairCheck, Problem
from subiso.storage.layout import RelationCsr
from subiso.storage.relation import Relation

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


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
        )


def with_common_filters(queries: Sequence[Resolved], begun: Sequence[Resolved]) -> list[Resolved]:
    """Queries in common, whose vertices with the same conditions have the same candidates: all that any of them needs.

    Filters narrow candidates by the whole pattern, so that no two patterns have the same ones left. `begun` are the
    queries as they were before that.
    """
    return _Loosened(in_common(queries), begun).result()


class _Loosened:
    """Vertices are in classes by their first candidates."""

    def __init__(self, queries: Sequence[Resolved], begun: Sequence[Resolved]) -> None:
        self.queries = queries
        self.classes = [[_first_candidates(b, v) for v in range(b.problem.num_vertices)] for b in begun]
        self.bits: dict[bytes, Bits | None] = {}
        """class -> all candidates; None: every vertex"""
        self.fans: dict[tuple[bytes, int, bytes], float] = {}
        for resolved, classes in zip(queries, self.classes, strict=True):
            self.note(resolved, classes)
        filtered = [key for key, bits in self.bits.items() if bits is not None]
        self.number = {key: i for i, key in enumerate(filtered)}
        n = queries[0].layout.num_vertices
        self.size = {
            key: float(n if bits is None else np.bitwise_count(bits).sum()) for key, bits in self.bits.items()
        }

    def note(self, resolved: Resolved, classes: list[bytes]) -> None:
        problem = resolved.problem
        for numbers, key in zip(problem.filters, classes, strict=True):
            known = self.bits.get(key)
            if not numbers or (key in self.bits and known is None):
                self.bits[key] = None
            else:
                bits = np.bitwise_and.reduce([resolved.filters[f] for f in numbers])
                self.bits[key] = bits if known is None else known | bits
        for (a, b, forward, backward), (ahead, back) in zip(problem.links, problem.fans, strict=True):
            self.note_fan((classes[a], forward, classes[b]), ahead)
            self.note_fan((classes[b], backward, classes[a]), back)

    def note_fan(self, ends: tuple[bytes, int, bytes], fan: float) -> None:
        self.fans[ends] = max(fan, self.fans.get(ends, 0.0))

    def result(self) -> list[Resolved]:
        filters = tuple(bits for bits in self.bits.values() if bits is not None)
        return [
            replace(resolved, problem=self.loosened(resolved.problem, classes), filters=filters)
            for resolved, classes in zip(self.queries, self.classes, strict=True)
        ]

    def loosened(self, problem: Problem, classes: list[bytes]) -> Problem:
        return replace(
            problem,
            filters=tuple((self.number[key],) if key in self.number else () for key in classes),
            sizes=tuple(self.size[key] for key in classes),
            fans=tuple(
                (self.fans[classes[a], ahead, classes[b]], self.fans[classes[b], back, classes[a]])
                for a, b, ahead, back in problem.links
            ),
            overlaps=tuple(
                sum(1 << v for v, other in enumerate(classes) if self.overlap(key, other)) for key in classes
            ),
        )

    def overlap(self, key: bytes, other: bytes) -> bool:
        mine, theirs = self.bits[key], self.bits[other]
        return mine is None or theirs is None or bool((mine & theirs).any())


def _first_candidates(resolved: Resolved, vertex: int) -> bytes:
    numbers = resolved.problem.filters[vertex]
    return resolved.filters[numbers[0]].tobytes() if numbers else b""
