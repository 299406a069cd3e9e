"""Pass: covers a pattern's links by twigs, a root with some of its neighbours each (STwig's decomposition)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from subiso.plan.problem import Problem
from subiso.plan.twig_plan import Leaf

MOST_TWIGS = 64
"""Twigs are split as long as there are fewer."""


class Twig(NamedTuple):
    """A root and its leaves; every link of the pattern is in exactly one twig."""

    root: int
    leaves: tuple[Leaf, ...]

    @property
    def vertices(self) -> tuple[int, ...]:
        return (self.root, *(leaf.vertex for leaf in self.leaves))


def decompose(problem: Problem, leave_out: Collection[int] = ()) -> tuple[Twig, ...]:
    """Few twigs, selective ones first, each but the first with a root that an earlier one has matched.

    f(v), the links of v that are left over the candidates of v, says how much a twig at v decides. The link with the
    largest f at its two ends is taken next, among those at a matched vertex, and both its ends become roots.
    Vertices to `leave_out` are in no twig.

    >>> from subiso.pattern import Pattern
    >>> from subiso.plan.problem import Link
    >>> links = tuple(Link(a, b, 0, 0) for a, b in [(0, 1), (1, 2), (2, 3)])
    >>> path = Problem(Pattern.path(4), "monomorphism", True, links, sizes=(9.0, 3.0, 9.0, 9.0))
    >>> [twig.vertices for twig in decompose(path)]
    [(1, 0, 2), (2, 3)]
    """
    left = around(problem, leave_out)
    sizes = problem.sizes or (1.0,) * problem.num_vertices
    if not any(left):
        return tuple(Twig(v, ()) for v in range(problem.num_vertices) if v not in leave_out)
    twigs: list[Twig] = []
    matched: set[int] = set()

    def f(v: int) -> float:
        return len(left[v]) / max(sizes[v], 1.0)

    while any(left):
        roots = [v for v in (sorted(matched) or range(len(left))) if left[v]]
        _, v, u = max((f(v) + f(u), v, u) for v in roots for u in left[v])
        if not matched and f(u) > f(v):
            v, u = u, v
        for root in (v, u):
            if left[root]:
                twigs.append(_take(root, left))
                matched.update(twigs[-1].vertices)
    return tuple(twigs)


def split_large(
    twigs: Sequence[Twig],
    measure: Callable[[Twig], tuple[float, Sequence[float]]],
    most_rows: float,
    over: Callable[[], bool] = lambda: False,
) -> list[tuple[Twig, float]] | None:
    """Twigs and their rows, the largest split first, down to single links, until none has more than `most_rows` or
    there are `MOST_TWIGS` of them.

    `measure` says how many rows a twig has, and how its leaves fan out; once it is `over`, which is asked before that,
    the answer is None.

    >>> star = Twig(0, tuple(Leaf(v, (0,)) for v in range(1, 71)))
    >>> ten_each = lambda twig: (10.0 ** len(twig.leaves), [10.0] * len(twig.leaves))
    >>> [len(split_large([star], ten_each, most)) for most in (1e99, 1e35, 1.0)]
    [1, 2, 64]
    >>> max(rows for _, rows in split_large([star], ten_each, 1.0))
    100.0
    """
    found: list[tuple[Twig, float, Sequence[float]]] = []
    parts, at = tuple(twigs), slice(0)
    while True:
        measured = []
        for twig in parts:
            if over():
                return None
            measured.append((twig, *measure(twig)))
        found[at] = measured
        large = [i for i, (twig, rows, _) in enumerate(found) if len(twig.leaves) > 1 and rows > most_rows]
        if not large or len(found) >= MOST_TWIGS:
            return [(twig, rows) for twig, rows, _ in found]
        largest = max(large, key=lambda i: found[i][1])
        twig, _, fans = found[largest]
        parts, at = split(twig, fans), slice(largest, largest + 1)


def split(twig: Twig, fans: Sequence[float]) -> tuple[Twig, Twig]:
    """Two twigs at the same root, the leaves dealt out by their fans: the relation's size is divided, not halved.

    >>> twig = Twig(0, (Leaf(1, (0,)), Leaf(2, (0,)), Leaf(3, (0,))))
    >>> [part.vertices for part in split(twig, [2.0, 9.0, 5.0])]
    [(0, 2, 1), (0, 3)]
    """
    by_fan = [leaf for _, leaf in sorted(zip(fans, twig.leaves, strict=True), key=lambda pair: -pair[0])]
    return Twig(twig.root, tuple(by_fan[::2])), Twig(twig.root, tuple(by_fan[1::2]))


def around(problem: Problem, leave_out: Collection[int] = ()) -> list[dict[int, tuple[int, ...]]]:
    """vertex -> {neighbour in the pattern: the relations whose lists, read here, hold it}"""
    found: list[dict[int, tuple[int, ...]]] = [{} for _ in range(problem.num_vertices)]
    for link in problem.links:
        if link.a in leave_out or link.b in leave_out:
            continue
        for end, other in ((link.a, link.b), (link.b, link.a)):
            relations = (*found[end].get(other, ()), link.seen_from(end))
            found[end][other] = tuple(dict.fromkeys(relations))
    return found


def _take(root: int, left: list[dict[int, tuple[int, ...]]]) -> Twig:
    leaves = tuple(Leaf(v, relations) for v, relations in sorted(left[root].items()))
    for leaf in leaves:
        del left[leaf.vertex][root]
    left[root].clear()
    return Twig(root, leaves)
