"""Counts of all connected patterns of 3 to 5 vertices from a few sums over vertices, edges and pairs.

The sums are those of native/motifs/sums.hpp, where each is defined; none of them lists matches of five vertices. A
formula chooses a part of the pattern, multiplies the ways to place the rest, and takes away those in which
two vertices of the rest fall together, which are themselves counts of smaller patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from subiso.pattern import Pattern

Sums = Mapping[str, int]
SIZES = (3, 4, 5)
"""The sizes there are formulas for."""


def counts_from_sums(patterns: Sequence[Pattern], sums: Sums) -> list[int]:
    """The number of subgraphs of each pattern: connected, undirected ones without labels, all of one size.

    >>> counts_from_sums([Pattern.path(3), Pattern.clique(3)], {"stars2": 5, "cliques3": 1})
    [5, 1]
    """
    known = _by_form()
    return [known[pattern.canonical_form()](sums) for pattern in patterns]


class _Asked(Mapping[str, int]):
    """Sums that note which of them a formula asks for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> int:
        self.names.add(name)
        return 0

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def sums_asked(pattern: Pattern) -> frozenset[str]:
    """The sums that a pattern's count is made of; none where there is no formula for it.

    >>> sums_asked(Pattern.diamond()), sums_asked(Pattern.path(7))
    (frozenset({'books2'}), frozenset())
    """
    asked = _Asked()
    if pattern.num_vertices in SIZES and pattern.canonical_form() in _by_form():
        counts_from_sums([pattern], asked)
    return frozenset(asked.names)


def sums_of(patterns: Iterable[Pattern]) -> list[str]:
    """All sums that the patterns' counts are made of.

    >>> sums_of([Pattern.diamond(), Pattern.path(4)])
    ['books2', 'paths', 'triangle_ends']
    """
    return sorted(set().union(*map(sums_asked, patterns)))


@cache
def _by_form() -> dict[object, Callable[[Sums], int]]:
    forms: dict[object, Callable[[Sums], int]] = {}
    for edges, formula in _FORMULAS.items():
        pairs = [(int(edge[0]), int(edge[1])) for edge in edges.split()]
        forms[Pattern.from_edges(pairs).canonical_form()] = formula
    return forms


def _triangles(s: Sums) -> int:
    return s["triangle_ends"] // 3


def _cliques4(s: Sums) -> int:
    return s["clique_edges"] // 6


def _path5(s: Sums) -> int:
    """From the middle outwards; an end may be the other arm's inner vertex, both of them, or the other end."""
    inner = 2 * s["triangle_degrees"] - 9 * _triangles(s)
    return s["long_paths"] - inner - 4 * s["cycles4"]


def _cycle5(s: Sums) -> int:
    return s["closed_walks5"] + _triangles(s) - s["tails_up"]


_FORMULAS: dict[str, Callable[[Sums], int]] = {
    # three vertices
    "01 12": lambda s: s["stars2"],
    "01 12 02": lambda s: s["cliques3"],
    # four
    "01 12 23": lambda s: s["paths"] - 3 * _triangles(s),
    "01 02 03": lambda s: s["stars3"],
    "01 12 23 03": lambda s: s["cycles4"],
    "01 12 02 23": lambda s: s["triangle_degrees"] - 6 * _triangles(s),
    "01 12 02 13 23": lambda s: s["books2"],
    "01 02 03 12 13 23": lambda s: s["cliques4"],
    # five: trees
    "01 12 23 34": _path5,
    "01 02 03 34": lambda s: s["spiders"] - 2 * (s["triangle_degrees"] - 6 * _triangles(s)),
    "01 02 03 04": lambda s: s["stars4"],
    # a triangle and what hangs on it
    "01 12 02 03 04": lambda s: s["triangle_pairs"],
    "01 12 02 03 14": lambda s: s["bulls"] - 2 * s["books2"],
    "01 12 02 23 34": lambda s: s["tails"] - 4 * s["books2"],
    "01 12 02 03 34 04": lambda s: s["triangle_meetings"] - 2 * s["books2"],
    "01 12 02 13 23 14": lambda s: s["darts"],
    "01 12 02 13 23 04": lambda s: s["kites"] - 12 * _cliques4(s),
    "01 02 03 04 12 13 14": lambda s: s["books3"],
    "01 02 03 04 12 23 34": lambda s: s["fans"] - 12 * _cliques4(s),
    # squares
    "01 12 23 03 04": lambda s: s["square_degrees"] - 2 * s["books2"],
    "01 12 23 03 04 14": lambda s: s["cycle_triangles"] - 4 * s["books2"],
    "02 03 04 12 13 14": lambda s: s["common3"],
    "02 03 04 12 13 14 23": lambda s: s["spokes"] // 2,
    "01 12 23 34 04": _cycle5,
    # four-cliques and denser
    "01 02 03 12 13 23 04": lambda s: s["clique_degrees"] // 3,
    "01 12 23 03 04 14 24 34": lambda s: s["wheels"] // 2,
    "01 02 03 12 13 23 04 14": lambda s: s["clique_books"],
    "01 02 03 12 13 23 04 14 24": lambda s: s["clique_pairs"] // 3,
    "01 02 03 04 12 13 14 23 24 34": lambda s: s["cliques5"],
}
