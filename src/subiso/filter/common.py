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
