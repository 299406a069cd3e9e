"""Induced counts of all connected patterns of one size from their non-induced counts, by linear relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import combinations

from subiso.pattern import Pattern, PatternEdge


def induced_from_subgraphs(patterns: Sequence[Pattern], counts: Sequence[int]) -> list[int]:
    """`patterns` are all connected ones of one size, `counts` their subgraphs; gives their induced subgraphs.

    A path on three vertices of a triangle is a subgraph but not induced, and each triangle holds three of them:

    >>> induced_from_subgraphs([Pattern.path(3), Pattern.clique(3)], [5, 1])
    [2, 1]
    """
    number = {p.canonical_form(): i for i, p in enumerate(patterns)}
    return [
        sum(factor * counts[number[denser.canonical_form()]] for denser, factor in induced_terms(p))
        for p in patterns
    ]


@lru_cache(maxsize=256)
def induced_terms(pattern: Pattern) -> tuple[tuple[Pattern, int], ...]:
    """The patterns whose subgraphs add up to the pattern's induced ones, with their factors: by inclusion and exclusion
    over the edges it lacks.

    >>> [(str(denser), factor) for denser, factor in induced_terms(Pattern.path(3))]
    [('(a)--(b), (b)--(c)', 1), ('(a)--(b), (b)--(c), (a)--(c)', -3)]
    """
    joined = {(min(e.source, e.target), max(e.source, e.target)) for e in pattern.edges}
    absent = [pair for pair in combinations(range(pattern.num_vertices), 2) if pair not in joined]
    denser: dict[Hashable, Pattern] = {}
    factors: dict[Hashable, int] = defaultdict(int)
    for size in range(len(absent) + 1):
        for chosen in combinations(absent, size):
            more = pattern.with_edges(
                [*pattern.edges, *(PatternEdge(a, b, directed=False) for a, b in chosen)]
            )
            form = more.canonical_form()
            denser.setdefault(form, more)
            factors[form] += (-1) ** size
    own = pattern.automorphism_count()
    return tuple((denser[f], n * denser[f].automorphism_count() // own) for f, n in factors.items() if n)
