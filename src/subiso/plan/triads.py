"""The 16 kinds of directed triads: their names, their patterns, and how their counts follow from a tally by directions.

Three vertices are joined by none, one or both of two arcs in each of their three pairs; up to renaming that makes 16
kinds. The first three digits of a name count the mutual, one-way and absent pairs (Holland and Leinhardt).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from math import comb

from subiso.pattern import Pattern

Arcs = frozenset[tuple[int, int]]

TRIADS: dict[str, str] = {
    "003": "",
    "012": "a>b",
    "102": "a>b b>a",
    "021D": "b>a b>c",
    "021U": "a>b c>b",
    "021C": "a>b b>c",
    "111D": "a>b b>a c>b",
    "111U": "a>b b>a b>c",
    "030T": "a>b b>c a>c",
    "030C": "a>b b>c c>a",
    "201": "a>b b>a b>c c>b",
    "120D": "b>a b>c a>c c>a",
    "120U": "a>b c>b a>c c>a",
    "120C": "a>b b>c a>c c>a",
    "210": "a>b b>c c>b a>c c>a",
    "300": "a>b b>a b>c c>b a>c c>a",
}
"""Name -> arcs, in the order of the literature."""
CONNECTED = tuple(TRIADS)[3:]


def triad_pattern(name: str) -> Pattern:
    """The pattern of a connected kind.

    >>> print(triad_pattern("030T"))
    (a)-->(b), (b)-->(c), (a)-->(c)
    """
    return Pattern(", ".join(f"({arc[0]})-->({arc[2]})" for arc in TRIADS[name].split()))


def triads_from_tally(
    num_vertices: int, triangles: Sequence[int], wedges: Sequence[int], entries: Sequence[int]
) -> dict[str, int]:
    """How many vertex triples induce each kind; the arguments are those of native/motifs/triads.hpp."""
    counts = dict.fromkeys(TRIADS, 0)
    open_wedges = {(i, j): wedges[i * 4 + j] for i in range(1, 4) for j in range(i, 4)}
    for index, count in enumerate(triangles):
        codes = index // 16, index // 4 % 4, index % 4  # of ab, bc and ac
        if 0 in codes:
            continue
        counts[_name(_arcs(ab=codes[0], bc=codes[1], ac=codes[2]))] += count
        for pair in _wedges_of(*codes):
            open_wedges[pair] -= count
    for (i, j), count in open_wedges.items():
        counts[_name(_arcs(ab=i, ac=j))] += count
    _add_unconnected(counts, num_vertices, one_way=entries[1], mutual=entries[3] // 2)
    return counts


def _add_unconnected(counts: dict[str, int], num_vertices: int, *, one_way: int, mutual: int) -> None:
    """A joined pair and a vertex apart: all such triples, less those in which the third is joined as well."""
    others = max(num_vertices - 2, 0)
    counts["012"] = one_way * others - sum(int(name[1]) * counts[name] for name in CONNECTED)
    counts["102"] = mutual * others - sum(int(name[0]) * counts[name] for name in CONNECTED)
    counts["003"] = comb(num_vertices, 3) - sum(counts.values())


def subgraphs_from_induced(induced: dict[str, int]) -> dict[str, int]:
    """The subgraphs of each connected kind from the triples that induce it.

    >>> subgraphs_from_induced({"030T": 1})["021C"]
    1
    """
    return {
        name: sum(_copies(name, denser) * induced.get(denser, 0) for denser in CONNECTED)
        for name in CONNECTED
    }


@cache
def _copies(name: str, denser: str) -> int:
    """How often one kind is a subgraph of another."""
    small, large = _arcs_of(name), _arcs_of(denser)
    images = {_moved(small, order) for order in permutations(range(3))}
    return sum(image <= large for image in images)


def _arcs_of(name: str) -> Arcs:
    return frozenset(("abc".index(arc[0]), "abc".index(arc[2])) for arc in TRIADS[name].split())


def _arcs(*, ab: int = 0, bc: int = 0, ac: int = 0) -> Arcs:
    """The arcs that codes stand for: bit 0 from the first to the second, bit 1 back."""
    pairs = {(0, 1): ab, (1, 2): bc, (0, 2): ac}
    forth = {pair for pair, code in pairs.items() if code & 1}
    return frozenset(forth | {(v, u) for (u, v), code in pairs.items() if code & 2})


def _wedges_of(ab: int, bc: int, ac: int) -> list[tuple[int, int]]:
    """The codes of a triangle's three wedges, each seen from its middle, the lower first."""
    ends = ((ab, ac), (_back(ab), bc), (_back(bc), _back(ac)))
    return [(min(pair), max(pair)) for pair in ends]


def _back(code: int) -> int:
    return code >> 1 | (code & 1) << 1


def _moved(arcs: Arcs, order: Sequence[int]) -> Arcs:
    return frozenset((order[u], order[v]) for u, v in arcs)


@cache
def _name(arcs: Arcs) -> str:
    turned = {_moved(arcs, order) for order in permutations(range(3))}
    return next(name for name in TRIADS if _arcs_of(name) in turned)
