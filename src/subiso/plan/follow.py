"""How far one pattern can be matched in the order of another: what makes the plans of large patterns begin alike."""

from __future__ import annotations

from collections.abc import Hashable

from subiso.plan.problem import Problem

_MOST_STEPS = 2000


def follow(problem: Problem, guide: Problem, order: tuple[int, ...]) -> tuple[int, ...]:
    """The longest beginning found of an order of the problem that has the same loops as one of the guide's order.

    Vertices stand for each other that have the same candidates and the same links, present or absent, to those
    before them.
    """
    return _Follower(problem, guide, order).best


class _Follower:
    def __init__(self, problem: Problem, guide: Problem, order: tuple[int, ...]) -> None:
        self.problem, self.guide, self.order = problem, guide, order
        self.mine, self.theirs = _joined(problem), _joined(guide)
        self.steps = _MOST_STEPS
        self.best: tuple[int, ...] = ()
        self.grow(())

    def grow(self, prefix: tuple[int, ...]) -> None:
        if len(prefix) > len(self.best):
            self.best = prefix
        if len(prefix) == min(len(self.order), self.problem.num_vertices):
            return
        for v in range(self.problem.num_vertices):
            done = len(self.best) == len(self.order) or self.steps == 0
            if not done and v not in prefix and self.fits(v, prefix):
                self.steps -= 1
                self.grow((*prefix, v))

    def fits(self, vertex: int, prefix: tuple[int, ...]) -> bool:
        image = self.order[len(prefix)]
        if self.filters(self.problem, vertex) != self.filters(self.guide, image):
            return False
        if (vertex in self.problem.anchored) != (image in self.guide.anchored):
            return False
        return all(
            self.mine.get((vertex, u)) == self.theirs.get((image, w))
            for u, w in zip(prefix, self.order, strict=False)
        )

    @staticmethod
    def filters(problem: Problem, vertex: int) -> tuple[int, ...]:
        return problem.filters[vertex] if problem.filters else ()


def _joined(problem: Problem) -> dict[tuple[int, int], frozenset[Hashable]]:
    """(a, b) -> the relations of the links from a to b, and of those that must be absent."""
    found: dict[tuple[int, int], frozenset[Hashable]] = {}
    for links, absent in ((problem.links, False), (problem.forbidden, True)):
        for a, b, ahead, back in links:
            for ends, relation in (((a, b), ahead), ((b, a), back)):
                found[ends] = found.get(ends, frozenset()) | {(relation, absent)}
    return found
