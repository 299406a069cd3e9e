"""Says in words how counts follow from sums over the whole graph (plan/motif_sums.py), and what each sum adds up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from subiso.pattern import Pattern, connected_patterns
from subiso.plan.formula_text import linear_text
from subiso.plan.motif_sums import counts_from_sums, sums_asked
from subiso.plan.motifs import induced_from_subgraphs

LETTERS = {
    "d": "degree of a vertex",
    "t": "triangles of a vertex or an edge",
    "k": "4-cliques of an edge",
    "c": "common neighbours of two vertices",
}
MEANINGS = {
    "stars2": "C(d, 2) over vertices",
    "stars3": "C(d, 3) over vertices",
    "stars4": "C(d, 4) over vertices",
    "paths": "(d_u - 1)(d_v - 1) over edges uv",
    "spiders": "C(d_u - 1, 2)(d_v - 1) over edges uv, from either end",
    "long_paths": "(d_u - 1)(d_w - 1) over pairs u, w of neighbours of each vertex",
    "triangle_ends": "t over vertices",
    "triangle_degrees": "t d over vertices",
    "triangle_pairs": "t C(d - 2, 2) over vertices",
    "triangle_meetings": "C(t, 2) over vertices",
    "books2": "C(t, 2) over edges",
    "books3": "C(t, 3) over edges",
    "bulls": "t_uv (d_u - 2)(d_v - 2) over edges uv",
    "tails": "(t_u - t_uv)(d_v - 1) over edges uv, from either end",
    "darts": "C(t_uv, 2)(d_u + d_v - 6) over edges uv",
    "cycles4": "4-cycles",
    "cycle_triangles": "t over the edges of all 4-cycles",
    "closed_walks5": "for each vertex u, all below it by degree, then id: p_v p_w over edges vw, less p_v l_v over "
    "u's neighbours v; p_v: paths of two edges from u to v, l_v: neighbours of v",
    "tails_up": "neighbours of u above u, v and w (by degree, then id) over triangles uvw and their corners u",
    "square_degrees": "C(c, 2)(d_u + d_v - 4) over pairs u, v",
    "common3": "C(c, 3) over pairs",
    "fans": "(t_uv - 1)(t_uw - 1) over triangles uvw and their corners u",
    "kites": "(d_u - 2)(t_vw - 1) over triangles uvw and their corners u",
    "wheels": "C(l, 2) over pairs and their common neighbours, l: common neighbours of these three",
    "spokes": "(c - 2) l over pairs and their common neighbours, l: common neighbours of these three",
    "clique_edges": "k over edges",
    "clique_degrees": "k_uv (d_u + d_v - 6) over edges uv",
    "clique_books": "k_uv (t_uv - 2) over edges uv",
    "clique_pairs": "3 C(q, 2) over triangles, q: 4-cliques of a triangle",
    "cliques3": "triangles",
    "cliques4": "4-cliques",
    "cliques5": "5-cliques",
}
"""By the names of native/motifs/sums.hpp."""
_WHOLE = 12  # a multiple of all divisors that formulas have


def sums_formula(pattern: Pattern, copies: int = 1, *, induced: bool = False) -> str:
    """A pattern's count, `copies` of every subgraph, as an expression of sums.

    >>> sums_formula(Pattern.cycle(5)), sums_formula(Pattern.path(4), copies=2)
    ('closed_walks5 + triangle_ends / 3 - tails_up', '2*paths - 2*triangle_ends')
    >>> sums_formula(Pattern.path(3), induced=True)
    'stars2 - 3*cliques3'
    """
    factors = [(name, copies * factor) for name, factor in _factors(pattern, induced).items()]
    return linear_text(sorted(factors, key=lambda factor: factor[1] < 0))


def _factors(pattern: Pattern, induced: bool) -> dict[str, Fraction]:
    """Counts are linear in the sums, so a sum's factor is what comes out where that sum alone is not zero."""
    patterns = connected_patterns(pattern.num_vertices) if induced else [pattern]
    names = sorted({name for each in patterns for name in sums_asked(each)})
    place = [each.canonical_form() for each in patterns].index(pattern.canonical_form())
    found = {}
    for name in names:
        counts = counts_from_sums(patterns, dict.fromkeys(names, 0) | {name: _WHOLE})
        counts = induced_from_subgraphs(patterns, counts) if induced else counts
        found[name] = Fraction(counts[place], _WHOLE)
    return {name: factor for name, factor in found.items() if factor}


def sums_lines(formulas: Iterable[str]) -> list[str]:
    """What the sums are that formulas are made of, one line each, and the letters in them.

    >>> sums_lines([sums_formula(Pattern.diamond())])
    ['books2 = C(t, 2) over edges', '# t: triangles of a vertex or an edge']
    """
    names = sorted({name for formula in formulas for name in re.findall(r"[a-z]\w*", formula)})
    lines = [f"{name} = {MEANINGS[name]}" for name in names]
    used = [letter for letter in LETTERS if any(re.search(rf"\b{letter}(_|\b)", line) for line in lines)]
    return lines + ([f"# {', '.join(f'{letter}: {LETTERS[letter]}' for letter in used)}"] if used else [])
