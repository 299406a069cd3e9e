"""Pass: from twigs to a TwigPlan. Which relation is the probe, the order of the others, what is tested where."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from subiso.plan.hanging import hanging as hanging_of
from subiso.plan.pair_tests import PairTests
from subiso.plan.problem import Problem
from subiso.plan.restrictions import restrictions_for
from subiso.plan.twig_plan import Hanging, HashJoin, TwigPlan, TwigScan
from subiso.plan.twigs import Twig, decompose, split_large

_BUILD = 2.0
"""Cost of a row in a hash table beside that of a row that is probed."""
TWIG_ROWS = float(1 << 20)
"""Twigs with more rows are split, down to single links."""


def estimated_rows(problem: Problem, twig: Twig) -> float:
    """Rows of a twig's relation, from candidates and fans."""
    rows = problem.sizes[twig.root] if problem.sizes else 1.0
    for fan in estimated_fans(problem, twig):
        rows *= fan
    return rows


def estimated_fans(problem: Problem, twig: Twig) -> list[float]:
    """Per leaf: the candidates that a match of the root leads to."""
    found: dict[int, float] = {}
    for link, (ahead, back) in zip(problem.links, problem.fans, strict=False):
        for end, other, fan in ((link.a, link.b, ahead), (link.b, link.a, back)):
            if end == twig.root:
                found[other] = min(fan, found.get(other, fan))
    return [found.get(leaf.vertex, 1.0) for leaf in twig.leaves]


def make_twig_plan(problem: Problem, most_rows: float = TWIG_ROWS, *, counting: bool = False) -> TwigPlan:
    """The plan as far as estimates tell it: what `explain` prints. A run measures the relations first."""
    hanging = hanging_of(problem) if counting else ()
    found = split_large(
        decompose(problem, {h.vertex for h in hanging}),
        lambda twig: (estimated_rows(problem, twig), estimated_fans(problem, twig)),
        most_rows,
    )
    assert found is not None, "nobody says that it is over"
    twigs, rows = [twig for twig, _ in found], [rows for _, rows in found]
    sizes = problem.sizes or (1.0,) * problem.num_vertices
    return join_twigs(problem, twigs, rows, sizes, hanging=hanging)


def join_twigs(
    problem: Problem,
    twigs: Sequence[Twig],
    rows: Sequence[float],
    sizes: Sequence[float],
    *,
    by_size: bool = True,
    hanging: tuple[Hanging, ...] = (),
) -> TwigPlan:
    """The plan for twigs whose relations have so many rows, `sizes` many vertices at each pattern vertex.

    Without `by_size` the twigs are joined in their own order. They have all vertices but those that are `hanging`.
    """
    order = (
        leaf_order(twigs, rows, sizes) if by_size else _grown(twigs, rows, sizes, 0, lambda i, _: float(i))
    )
    return _Joiner(problem, [twigs[i] for i in order], [rows[i] for i in order], sizes, hanging).plan()


def leaf_order(twigs: Sequence[Twig], rows: Sequence[float], sizes: Sequence[float]) -> list[int]:
    """The order in which joins are expected to yield fewest rows in all; the first is the probe.

    A join yields |A| |B| rows over the number of different keys. From every possible probe the smallest join goes
    next; a row that is built costs more than one that is probed, so of equals the largest relation is the probe.

    >>> from subiso.plan.twig_plan import Leaf
    >>> chain = [Twig(v, (Leaf(v + 1, (0,)),)) for v in range(3)]
    >>> leaf_order(chain, [1000.0, 10.0, 500.0], [100.0, 10.0, 10.0, 100.0])
    [0, 1, 2]
    """
    best: tuple[float, list[int]] = (math.inf, [])
    for start in range(len(twigs)):
        order = _grown(twigs, rows, sizes, start, lambda _, size: size)
        found = sum(_sizes_of_joins([twigs[i] for i in order], [rows[i] for i in order], sizes))
        cost = found + _BUILD * sum(rows[i] for i in order[1:])
        if cost < best[0]:
            best = cost, order
    return best[1] or list(range(len(twigs)))


def _grown(
    twigs: Sequence[Twig],
    rows: Sequence[float],
    sizes: Sequence[float],
    start: int,
    score: Callable[[int, float], float],
) -> list[int]:
    """Twigs from `start` on, always one that shares a vertex with those before, of the smallest score."""
    order = [start]
    matched = set(twigs[start].vertices)
    left = [i for i in range(len(twigs)) if i != start]
    while left:
        near = [i for i in left if matched.intersection(twigs[i].vertices)] or left
        nearest = min(near, key=lambda i: (score(i, _factor(twigs[i], rows[i], matched, sizes)), i))
        left.remove(nearest)
        order.append(nearest)
        matched.update(twigs[nearest].vertices)
    return order


def _factor(twig: Twig, rows: float, matched: set[int], sizes: Sequence[float]) -> float:
    """Rows that a join makes of one."""
    for v in matched.intersection(twig.vertices):
        rows /= max(sizes[v], 1.0)
    return rows


def _sizes_of_joins(twigs: Sequence[Twig], rows: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Rows of the probe, then of every join."""
    found = [rows[0]]
    matched = set(twigs[0].vertices)
    for twig, own in zip(twigs[1:], rows[1:], strict=True):
        found.append(found[-1] * _factor(twig, own, matched, sizes))
        matched.update(twig.vertices)
    return found


class _Joiner:
    """Columns, keys and tests for twigs in their order."""

    def __init__(
        self,
        problem: Problem,
        twigs: list[Twig],
        rows: list[float],
        sizes: Sequence[float],
        hanging: tuple[Hanging, ...],
    ) -> None:
        self.problem, self.twigs, self.rows = problem, twigs, rows
        self.order = tuple(dict.fromkeys(v for twig in twigs for v in twig.vertices))
        self.found = _sizes_of_joins(twigs, rows, sizes)
        self.hanging = hanging
        # Symmetry moves no hanging vertex, so restrictions along the others are whole.
        colors = problem.colors()
        restrictions = restrictions_for(problem.pattern, self.order, colors) if problem.unique else ()
        self.tests = PairTests(problem, restrictions)

    def plan(self) -> TwigPlan:
        problem, twigs = self.problem, self.twigs
        matched = set(twigs[0].vertices)
        joins = []
        for twig, rows, found in zip(twigs[1:], self.rows[1:], self.found[1:], strict=True):
            keys = tuple(v for v in twig.vertices if v in matched)
            fresh = tuple(v for v in twig.vertices if v not in matched)
            elsewhere = [v for v in self.order if v in matched and v not in keys]
            tests = tuple(t for x in fresh for m in elsewhere for t in self.tests.between(x, m))
            joins.append(HashJoin(self.scan(twig, (*fresh, *keys), rows), keys, fresh, tests, found))
            matched.update(fresh)
        return TwigPlan(
            names=problem.pattern.names,
            mode=problem.mode,
            unique=problem.unique,
            probe=self.scan(twigs[0], twigs[0].vertices, self.rows[0]),
            joins=tuple(joins),
            restrictions=self.tests.restrictions,
            entities=problem.edges_to_tell_apart,
            hanging=self.hanging,
            cost=sum(self.found) + _BUILD * sum(self.rows[1:]),
        )

    def scan(self, twig: Twig, columns: tuple[int, ...], rows: float) -> TwigScan:
        vertices = twig.vertices
        tests = [t for i, x in enumerate(vertices) for m in vertices[:i] for t in self.tests.between(x, m)]
        return TwigScan(twig.root, twig.leaves, columns, tuple(tests), rows)
