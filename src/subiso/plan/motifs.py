"""Induced counts of all connected patterns of one size from their non-induced counts, by linear relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from subiso.pattern import Pattern, PatternEdge


def induced_from_subgraphs(patterns: Sequence[Pattern], counts: Sequence[int]) -> list[int]:
    """`patterns` are all connected ones of one size, `counts` their subgraphs; gives their induced subgraphs.

    A path on three vertices of a triangle is a subgraph but not induced, and each triangle holds three of them:

    >>> induced_from_subgraphs([Pattern.path(3), Pattern.clique(3)], [5, 1])
    [2, 1]
    """
    relations = _relations(tuple(patterns))
    return [sum(factor * counts[j] for j, factor in row) for row in relations]


@lru_cache(maxsize=8)
def _relations(patterns: tuple[Pattern, ...]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Per pattern P the pairs (index of H, factor of H's count): inclusion and exclusion over the edges P lacks."""
    number = {p.canonical_form(): i for i, p in enumerate(patterns)}
    rows = []
    for p in patterns:
        row: dict[int, int] = defaultdict(int)
        joined = {(e.source, e.target) for e in p.edges}
        absent = [pair for pair in combinations(range(p.num_vertices), 2) if pair not in joined]
        for size in range(len(absent) + 1):
            for chosen in combinations(absent, size):
                denser = p.with_edges([*p.edges, *(PatternEdge(a, b, directed=False) for a, b in chosen)])
                row[number[denser.canonical_form()]] += (-1) ** size
        own = p.automorphism_count()
        rows.append(tuple((j, f * patterns[j].automorphism_count() // own) for j, f in row.items() if f))
    return tuple(rows)
