"""Motifs with labels: the shapes, their symmetries, and how labelled counts follow from a tally by colours of vertices.

A colour is a set of labels. A motif of coloured vertices is one of labelled vertices for every choice of a label at
every vertex; choices that a symmetry of the shape turns into each other are the same labelled pattern.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import combinations, permutations, product

from subiso.pattern import Label, Pattern

Key = tuple[int, tuple[int, ...]]
"""A shape and the labels' codes at its vertices."""
Edges = frozenset[tuple[int, int]]

_KEPT = 1 << 16  # answers on labelled shapes that are remembered

SHAPES: tuple[str, ...] = (
    "01 02",
    "01 12 02",
    "01 12 23",
    "01 02 03",
    "01 12 23 03",
    "01 12 13 23",
    "01 02 03 12 13",
    "01 02 03 12 13 23",
)
"""Their edges, in the order of enum Shape in native/motifs/colored.hpp."""


def labelled_counts(
    tally: Iterable[tuple[int, Sequence[int], int]], label_sets: Sequence[tuple[int, ...]]
) -> dict[Key, int]:
    """Subgraphs by shape and labels from (shape, colours, count), each key once, its colours the least of all that
    symmetries of the shape make of them. `label_sets` has the labels of every colour.

    >>> labelled_counts([(0, (0, 1, 0), 5)], [(7,), (8, 9)])
    {(0, (7, 7, 8)): 5, (0, (7, 7, 9)): 5}
    """
    if all(labels in ((), (color,)) for color, labels in enumerate(label_sets)):  # a colour is a label
        none = {color for color, labels in enumerate(label_sets) if not labels}
        return {(shape, tuple(colors)): n for shape, colors, n in tally if none.isdisjoint(colors)}
    counts: dict[Key, int] = defaultdict(int)
    for shape, colors, count in tally:
        for labels in product(*(label_sets[color] for color in colors)):
            counts[_canonical(shape, labels)] += count
    return {key: count for key, count in counts.items() if count}


def induced_labelled(counts: dict[Key, int]) -> dict[Key, int]:
    """Induced subgraphs by shape and labels, from all subgraphs: inclusion and exclusion over absent edges."""
    induced = {}
    for key in counts:
        shape, labels = key
        embeddings = 0
        for sign, denser, order in _denser(shape):
            moved = _canonical(denser, tuple(labels[v] for v in order))
            embeddings += sign * counts.get(moved, 0) * _symmetry(*moved)
        if embeddings:
            induced[key] = embeddings // _symmetry(*key)
    return induced


def labelled_patterns(keys: Iterable[Key], names: Sequence[Label]) -> list[Pattern]:
    """The patterns of keys; `names` has the labels by their codes.

    >>> [str(p) for p in labelled_patterns([(1, (0, 0, 1))], ["x", "y"])]
    ['(a:x)--(b:x), (b)--(c:y), (a)--(c)']
    """
    constraints = [Pattern.from_edges([], vertex_labels=[name]).vertex_labels[0] for name in names]
    return [
        shape_pattern(shape).with_labels([constraints[code] for code in labels]) for shape, labels in keys
    ]


@cache
def shape_pattern(shape: int) -> Pattern:
    """The pattern of a shape without labels."""
    return Pattern.from_edges([(int(edge[0]), int(edge[1])) for edge in SHAPES[shape].split()])


def all_keys(k: int, labels: int) -> list[Key]:
    """Every shape of k vertices with every choice of labels.

    >>> len(all_keys(3, 2))
    10
    """
    shapes = [s for s in range(len(SHAPES)) if _size(s) == k]
    return sorted({_canonical(s, chosen) for s in shapes for chosen in product(range(labels), repeat=k)})


@lru_cache(maxsize=_KEPT)
def _canonical(shape: int, labels: tuple[int, ...]) -> Key:
    return shape, min(tuple(labels[v] for v in order) for order in _automorphisms(shape))


@lru_cache(maxsize=_KEPT)
def _symmetry(shape: int, labels: tuple[int, ...]) -> int:
    """The automorphisms that keep the labels."""
    return sum(all(labels[v] == labels[w] for v, w in enumerate(order)) for order in _automorphisms(shape))


@cache
def _automorphisms(shape: int) -> tuple[tuple[int, ...], ...]:
    return tuple(o for o in permutations(range(_size(shape))) if _moved(_edges(shape), o) == _edges(shape))


@cache
def _denser(shape: int) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """For every set of edges that the shape lacks: sign, the shape with them, and which vertex stands where in it."""
    k, edges = _size(shape), _edges(shape)
    absent = [pair for pair in combinations(range(k), 2) if pair not in edges]
    found = []
    for size in range(len(absent) + 1):
        for chosen in combinations(absent, size):
            both = edges | set(chosen)
            denser, order = next(
                (s, o)
                for s in range(len(SHAPES))
                if _size(s) == k
                for o in permutations(range(k))
                if _moved(_edges(s), o) == both
            )
            found.append(((-1) ** size, denser, order))
    return tuple(found)


def _moved(edges: Edges, order: Sequence[int]) -> Edges:
    return frozenset((min(order[u], order[v]), max(order[u], order[v])) for u, v in edges)


@cache
def _edges(shape: int) -> Edges:
    return frozenset((int(edge[0]), int(edge[1])) for edge in SHAPES[shape].split())


@cache
def _size(shape: int) -> int:
    return 1 + max(v for edge in _edges(shape) for v in edge)
