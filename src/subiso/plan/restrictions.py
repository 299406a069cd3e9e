"""Pass: symmetry-breaking restrictions for a matching order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from subiso.pattern import Pattern


def restrictions_for(
    pattern: Pattern, prefix: Sequence[int], colors: tuple[int, ...] | None = None
) -> tuple[tuple[int, int], ...]:
    """Pairs (a, b), read "a's vertex comes before b's", that leave one embedding in every |orbit|.

    The stabiliser chain along the prefix: each vertex comes before all others that it could be exchanged with
    while the earlier ones stay. Any automorphism of the whole pattern then breaks some restriction, except those
    that fix the prefix; of these `remaining_symmetry` are left, and a count is divided by it.

    >>> restrictions_for(Pattern.clique(3), [0, 1, 2])
    ((0, 1), (0, 2), (1, 2))
    """
    pairs: list[tuple[int, int]] = []
    if pattern.automorphism_count(extra_colors=colors) == 1:
        return ()
    for depth, vertex in enumerate(prefix):
        for orbit in pattern.orbits_under(prefix[:depth], extra_colors=colors):
            if vertex in orbit:
                pairs.extend((vertex, other) for other in orbit if other != vertex)
    return tuple(pairs)


def loosen(
    restrictions: tuple[tuple[int, int], ...], prefix: Sequence[int]
) -> tuple[tuple[tuple[int, int], ...], int]:
    """Leaves out the steps of the chain that restrict no vertex of the prefix; (the rest, by what to divide).

    Each step holds in one of |orbit| automorphic images, whatever the other steps say, so leaving one out
    multiplies the count by the size of its orbit.

    >>> loosen(((0, 1), (0, 2), (1, 2)), [0, 1])
    (((0, 1), (0, 2)), 2)
    """
    kept, factor = list(restrictions), 1
    for vertex in prefix:
        step = [pair for pair in kept if pair[0] == vertex]
        if step and not any(other in prefix for _, other in step):
            kept = [pair for pair in kept if pair[0] != vertex]
            factor *= len(step) + 1
    return tuple(kept), factor


def remaining_symmetry(pattern: Pattern, prefix: Sequence[int], colors: tuple[int, ...] | None = None) -> int:
    """How many automorphisms fix every vertex of the prefix.

    >>> remaining_symmetry(Pattern.star(4), [0, 1])
    6
    """
    return pattern.automorphism_count(fixed=prefix, extra_colors=colors)


def closure(num_vertices: int, restrictions: Iterable[tuple[int, int]]) -> list[set[int]]:
    """vertex -> all vertices that come before it.

    >>> closure(3, [(0, 1), (1, 2)])
    [set(), {0}, {0, 1}]
    """
    before: list[set[int]] = [set() for _ in range(num_vertices)]
    for a, b in restrictions:
        before[b].add(a)
    # Restrictions are few: repeat until nothing is added.
    while any(_grow(reach, before) for reach in before):
        pass
    return before


def _grow(reach: set[int], before: list[set[int]]) -> bool:
    size = len(reach)
    for u in list(reach):
        reach |= before[u]
    return len(reach) > size
