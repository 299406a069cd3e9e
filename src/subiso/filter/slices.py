"""Neighbour lists by the neighbour's label: filters that read them see no neighbour that is no candidate anyway."""

from __future__ import annotations

from collections.abc import Sequence

from subiso.engine.query import Query
from subiso.plan.problem import Link
from subiso.storage.layout import Layout, RelationCsr
from subiso.storage.relation import Relation

_LEAST = 1 << 17
"""Entries of a relation from which on reading fewer of them is worth the look-ups."""


def sliced(
    query: Query, layout: Layout, links: Sequence[Link], relations: Sequence[Relation], threads: int = 0
) -> tuple[Sequence[Link], list[RelationCsr]]:
    """The links, reading lists of their ends' labels where the layout has them; these lists, numbered on from the
    relations. By so many threads at most; 0 for no limit."""
    labels = query.pattern.vertex_labels
    long = [len(layout.relation(relation).neighbors) >= _LEAST for relation in relations]
    if not any(long):
        return links, []
    lists: list[RelationCsr] = []
    numbers: dict[tuple[int, frozenset[int | str]], int] = {}

    def to(relation: int, vertex: int) -> int:
        if not labels[vertex] or not long[relation]:
            return relation
        names = min(labels[vertex], key=len)
        if (relation, names) not in numbers:
            found = layout.relation_to(relations[relation], names, threads)
            numbers[relation, names] = relation if found is None else len(relations) + len(lists)
            lists.extend([] if found is None else [found])
        return numbers[relation, names]

    changed = [Link(k.a, k.b, to(k.forward, k.b), to(k.backward, k.a)) for k in links]
    return changed, lists
