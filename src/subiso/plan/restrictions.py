"""Pass: symmetry-breaking restrictions for a matching order."""

from __future__ import annotations

from collections.abc import Sequence

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
    for depth, vertex in enumerate(prefix):
        for orbit in pattern.orbits_under(prefix[:depth], extra_colors=colors):
            if vertex in orbit:
                pairs.extend((vertex, other) for other in orbit if other != vertex)
    return tuple(pairs)


def remaining_symmetry(pattern: Pattern, prefix: Sequence[int], colors: tuple[int, ...] | None = None) -> int:
    """How many automorphisms fix every vertex of the prefix.

    >>> remaining_symmetry(Pattern.star(4), [0, 1])
    6
    """
    return pattern.automorphism_count(fixed=prefix, extra_colors=colors)
