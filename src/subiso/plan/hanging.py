"""Pass: which vertices a count need not match. What hangs from the rest of a pattern by one vertex is summed up there:
a data vertex gets the number of ways to go on below it as a weight, and a match counts the product of its weights."""

from __future__ import annotations

from subiso.plan.pair_tests import PairTests
from subiso.plan.problem import Problem
from subiso.plan.twig_plan import Hanging
from subiso.plan.twigs import around

MOST_WITHOUT = 8
"""Vertices that a hanging one is kept apart from at most, one by one."""
MOST_RELATIONS = 4
"""Of a hanging vertex that is."""
MOST_WEIGHTS = 32
"""Of a match: one for every vertex that something hangs from, and for everything that is kept apart."""


def hanging(problem: Problem) -> tuple[Hanging, ...]:
    """The hanging vertices, outermost first; any beginning of the list will do as well.

    A vertex hangs when it has one neighbour left and nothing but that one concerns it. One with nothing below it may
    also have to differ from others: the ways in which it would not are subtracted match by match, so these others,
    and the one it hangs from, stay. So does what symmetry moves, where each subgraph counts once.

    >>> from subiso.pattern import Pattern
    >>> from subiso.plan.problem import Link
    >>> links = (Link(0, 1, 0, 0), Link(1, 2, 0, 0))
    >>> path = Problem(Pattern.path(3), "homomorphism", False, links)
    >>> [(h.vertex, h.at) for h in hanging(path)]
    [(0, 1), (1, 2)]
    """
    if problem.edges_to_tell_apart:
        return ()
    return _Collapse(problem).result()


class _Collapse:
    def __init__(self, problem: Problem) -> None:
        self.left = around(problem)
        self.tests = PairTests(problem)
        self.vertices = range(problem.num_vertices)
        self.gone: set[int] = set()
        self.bearing: set[int] = set()
        """Vertices that something hangs from."""
        self.pinned = _moved(problem)
        """Vertices that have to stay."""

    def result(self) -> tuple[Hanging, ...]:
        found: list[Hanging] = []
        weights: set[int] = set()
        for may_be_near_others in (False, True):
            while (hanging := self.next(may_be_near_others)) is not None:
                weights = (
                    weights | {~hanging.vertex}
                    if hanging.without
                    else weights - {hanging.vertex} | {hanging.at}
                )
                if len(weights) > MOST_WEIGHTS:
                    return tuple(found)
                found.append(hanging)
        return tuple(found)

    def next(self, may_be_near_others: bool) -> Hanging | None:
        for vertex in self.vertices:
            if vertex in self.pinned or vertex in self.gone or len(self.left[vertex]) != 1:
                continue
            ((at, _),) = self.left[vertex].items()
            others = {m: self.tests.between(vertex, m) for m in self.vertices if m not in (vertex, at)}
            near = [m for m, tests in others.items() if tests]
            if near and not (may_be_near_others and self.can_subtract(vertex, at, near)):
                continue
            return self.take(vertex, at, tuple(near))
        return None

    def can_subtract(self, vertex: int, at: int, near: list[int]) -> bool:
        """Nothing is below the vertex, and all that matters beside its list is that it differs from some that stay."""
        tests = [t for m in near for t in self.tests.between(vertex, m)]
        own = [t for t in self.tests.between(vertex, at) if t.what != "distinct"]
        return (
            vertex not in self.bearing
            and not own
            and len(near) <= MOST_WITHOUT
            and len(self.left[vertex][at]) <= MOST_RELATIONS
            and all(t.what == "distinct" for t in tests)
            and not self.gone.intersection(near)
        )

    def take(self, vertex: int, at: int, near: tuple[int, ...]) -> Hanging:
        relations = self.left[at].pop(vertex)
        self.left[vertex].clear()
        self.gone.add(vertex)
        self.bearing.add(at)
        if near:
            self.pinned.update(near, (at,))
        return Hanging(vertex, at, relations, tuple(self.tests.between(vertex, at)), near)


def _moved(problem: Problem) -> set[int]:
    """Vertices that restrictions speak of."""
    if not problem.unique:
        return set()
    orbits = problem.pattern.orbits_under((), extra_colors=problem.colors())
    return {v for orbit in orbits if len(orbit) > 1 for v in orbit}
