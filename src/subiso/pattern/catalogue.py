"""The usual small patterns by name. All are undirected and without labels; vertices are numbered as drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any, Self

from subiso.errors import PatternError
from subiso.pattern.elements import MAX_VERTICES

Edges = list[tuple[int, int]]


def _size(value: int, least: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_VERTICES:
        raise PatternError(f"{what} must be an integer from {least} to {MAX_VERTICES}, not {value!r}")
    return value


def _clique(k: int) -> Edges:
    return list(combinations(range(_size(k, 1, "the size of a clique")), 2))


def _path(k: int) -> Edges:
    return [(i, i + 1) for i in range(_size(k, 1, "the number of vertices of a path") - 1)]


def _cycle(k: int) -> Edges:
    return [(i, (i + 1) % k) for i in range(_size(k, 3, "the length of a cycle"))]


def _star(leaves: int) -> Edges:
    return [(0, i + 1) for i in range(_size(leaves, 1, "the number of leaves of a star"))]


def _wheel(rim: int) -> Edges:
    _size(rim, 3, "the rim of a wheel")
    return _star(rim) + [(i + 1, (i + 1) % rim + 1) for i in range(rim)]


def _fan(k: int) -> Edges:
    _size(k, 2, "the path of a fan")
    return _star(k) + [(i, i + 1) for i in range(1, k)]


def _book(pages: int) -> Edges:
    _size(pages, 1, "the pages of a book")
    return [(0, 1)] + [(end, page + 2) for page in range(pages) for end in (0, 1)]


def _biclique(a: int, b: int) -> Edges:
    _size(a, 1, "a side of a biclique")
    _size(b, 1, "a side of a biclique")
    return [(i, a + j) for i in range(a) for j in range(b)]


def _grid(rows: int, columns: int) -> Edges:
    _size(rows, 1, "the rows of a grid")
    _size(columns, 1, "the columns of a grid")
    across = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    down = [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]
    return across + down


def _prism(k: int) -> Edges:
    top = _cycle(k)
    return top + [(u + k, v + k) for u, v in top] + [(i, i + k) for i in range(k)]


def _hypercube(dimension: int) -> Edges:
    if not 1 <= _size(dimension, 1, "the dimension of a hypercube") <= 6:
        raise PatternError(f"a hypercube of dimension {dimension} has more than {MAX_VERTICES} vertices")
    return [(v, v | 1 << i) for v in range(1 << dimension) for i in range(dimension) if not v >> i & 1]


_FIXED: dict[str, Edges] = {
    "vertex": [],
    "edge": [(0, 1)],
    "wedge": [(0, 1), (1, 2)],
    "triangle": [(0, 1), (1, 2), (2, 0)],
    "claw": [(0, 1), (0, 2), (0, 3)],
    "tailed_triangle": [(0, 1), (1, 2), (2, 0), (2, 3)],
    "diamond": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)],
    "bull": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 4)],
    "cricket": [(0, 1), (1, 2), (2, 0), (0, 3), (0, 4)],
    "bowtie": [(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)],
    "house": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)],
    "gem": [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)],
    "dart": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (0, 4)],
    "kite": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 4)],
    "banner": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)],
    "lollipop": [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)],
    "chair": [(0, 1), (1, 2), (2, 3), (1, 4)],
    "envelope": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3), (0, 4), (1, 4)],
    "tailed_clique4": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4)],
    "clique5_minus_edge": [edge for edge in _clique(5) if edge != (3, 4)],
    "dumbbell": [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)],
    "double_diamond": [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 5), (4, 0), (5, 0)],
    "octahedron": [(u, v) for u, v in combinations(range(6), 2) if v != u + 3],
    "petersen": [(i, (i + 1) % 5) for i in range(5)]
    + [(i, i + 5) for i in range(5)]
    + [(5 + i, 5 + (i + 2) % 5) for i in range(5)],
}
_FAMILIES: dict[str, Callable[[int], Edges]] = {
    "clique": _clique,
    "cycle": _cycle,
    "path": _path,
    "star": _star,
    "wheel": _wheel,
    "fan": _fan,
    "book": _book,
    "prism": _prism,
    "hypercube": _hypercube,
}
_PAIRED: dict[str, Callable[[int, int], Edges]] = {"biclique": _biclique, "grid": _grid}
_ALIASES = {
    "butterfly": "bowtie",
    "paw": "tailed_triangle",
    "cherry": "wedge",
    "prism": "prism3",
    "cube": "hypercube3",
    "fork": "chair",
    "k5_minus_edge": "clique5_minus_edge",
    "k5-e": "clique5_minus_edge",
    "house_x": "envelope",
}
_SHORT = {"k": "clique", "c": "cycle", "p": "path", "s": "star", "w": "wheel", "q": "hypercube"}


def catalogue() -> tuple[str, ...]:
    """Every name that Pattern.named knows; `k` and `m` stand for numbers.

    >>> catalogue()[:4]
    ('vertex', 'edge', 'wedge', 'triangle')
    """
    families = [f"{name}{{k}}" for name in _FAMILIES] + [f"{name}{{k}}x{{m}}" for name in _PAIRED]
    return (*_FIXED, *_ALIASES, *families)


def named_edges(name: str) -> Edges:
    """The edges of a pattern of the catalogue."""
    key = re.sub(r"[\s_]+", "_", name.strip().lower()) if isinstance(name, str) else ""
    key = _ALIASES.get(key, key)
    if key in _FIXED:
        return list(_FIXED[key])
    # clique4, clique_4, K4 and 4clique; biclique2x3, K2,3 and k23 (one digit each).
    if found := re.fullmatch(r"([a-z]+)_?(\d{1,3})", key) or re.fullmatch(r"(\d{1,3})_?([a-z]+)", key):
        one, two = found.groups()
        word, number = (two, one) if one.isdigit() else (one, two)
        if word == "k" and key in ("k22", "k23", "k24", "k33", "k34", "k44"):
            return _biclique(int(number[0]), int(number[1]))
        family = _FAMILIES.get(_SHORT.get(word, word))
        if family is not None:
            return family(int(number))
    if found := re.fullmatch(r"(biclique|grid|k)_?(\d{1,3})[x,](\d{1,3})", key):
        word, one, two = found.groups()
        return _PAIRED["biclique" if word == "k" else word](int(one), int(two))
    raise PatternError(
        f"no pattern is called {name!r:.80}",
        hint="Pattern.catalogue() lists the names",
    )


def usual_names(count: int) -> Iterable[tuple[str, Edges]]:
    """The names that a pattern of `count` vertices may have, the most usual ones first."""
    for name, edges in _FIXED.items():
        if max((max(edge) for edge in edges), default=0) + 1 == count:
            yield name, edges
    for name, least in (("clique", 1), ("path", 1), ("cycle", 3)):
        if count >= least:
            yield f"{name}{count}", _FAMILIES[name](count)
    for name, least, extra in (("star", 2, 1), ("wheel", 4, 1), ("fan", 3, 1), ("book", 3, 2)):
        if count >= least:
            yield f"{name}{count - extra}", _FAMILIES[name](count - extra)
    if count % 2 == 0 and count >= 6:
        yield f"prism{count // 2}", _prism(count // 2)
    for a in range(2, count // 2 + 1):
        yield f"biclique{a}x{count - a}", _biclique(a, count - a)
    for rows in range(2, count // 2 + 1):
        if count % rows == 0 and rows * rows <= count:
            yield f"grid{rows}x{count // rows}", _grid(rows, count // rows)


class Catalogue:
    """The constructors of the catalogue, for Pattern to inherit."""

    __slots__ = ()

    @classmethod
    def from_edges(cls, edges: Iterable[Any], **options: Any) -> Self:
        raise NotImplementedError

    @classmethod
    def _of(cls, edges: Edges) -> Self:
        return cls.from_edges(edges) if edges else cls.from_edges((), names=("a",))

    @classmethod
    def named(cls, name: str) -> Self:
        """A pattern of the catalogue by its name.

        >>> from subiso.pattern import Pattern
        >>> Pattern.named("K4") == Pattern.clique(4), Pattern.named("diamond").num_vertices
        (True, 4)
        """
        return cls._of(named_edges(name))

    @staticmethod
    def catalogue() -> tuple[str, ...]:
        """Every name that `named` knows."""
        return catalogue()

    @classmethod
    def clique(cls, k: int) -> Self:
        """k vertices, all joined."""
        return cls._of(_clique(k))

    @classmethod
    def cycle(cls, k: int) -> Self:
        """A ring of k vertices."""
        return cls._of(_cycle(k))

    @classmethod
    def path(cls, k: int) -> Self:
        """k vertices in a row."""
        return cls._of(_path(k))

    @classmethod
    def star(cls, leaves: int) -> Self:
        """A centre, which is vertex 0, and its leaves."""
        return cls._of(_star(leaves))

    @classmethod
    def wheel(cls, rim: int) -> Self:
        """A hub, which is vertex 0, joined to a cycle of `rim` vertices."""
        return cls._of(_wheel(rim))

    @classmethod
    def fan(cls, k: int) -> Self:
        """A hub, which is vertex 0, joined to a path of k vertices; fan(4) is the gem."""
        return cls._of(_fan(k))

    @classmethod
    def book(cls, pages: int) -> Self:
        """Triangles that share the edge of vertices 0 and 1."""
        return cls._of(_book(pages))

    @classmethod
    def biclique(cls, a: int, b: int) -> Self:
        """The complete bipartite graph: each of a vertices joined to each of b."""
        return cls._of(_biclique(a, b))

    @classmethod
    def grid(cls, rows: int, columns: int) -> Self:
        """A rectangular grid."""
        return cls._of(_grid(rows, columns))

    @classmethod
    def prism(cls, k: int = 3) -> Self:
        """Two cycles of k vertices, joined vertex by vertex."""
        return cls._of(_prism(k))

    @classmethod
    def hypercube(cls, dimension: int) -> Self:
        """The cube of the given dimension, at most 6."""
        return cls._of(_hypercube(dimension))

    @classmethod
    def triangle(cls) -> Self:
        """Three vertices, all joined."""
        return cls.named("triangle")

    @classmethod
    def wedge(cls) -> Self:
        """Two edges that share vertex 1."""
        return cls.named("wedge")

    @classmethod
    def tailed_triangle(cls) -> Self:
        """A triangle with one more edge at vertex 2."""
        return cls.named("tailed_triangle")

    @classmethod
    def diamond(cls) -> Self:
        """A 4-cycle with the chord from 0 to 2."""
        return cls.named("diamond")

    @classmethod
    def house(cls) -> Self:
        """A 4-cycle with a triangle on one side."""
        return cls.named("house")

    @classmethod
    def gem(cls) -> Self:
        """A hub, which is vertex 0, joined to a path of four."""
        return cls.named("gem")

    @classmethod
    def bowtie(cls) -> Self:
        """Two triangles that share vertex 0."""
        return cls.named("bowtie")

    butterfly = bowtie

    @classmethod
    def bull(cls) -> Self:
        """A triangle with two horns."""
        return cls.named("bull")

    @classmethod
    def petersen(cls) -> Self:
        """The Petersen graph."""
        return cls.named("petersen")
