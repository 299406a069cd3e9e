"""What two pattern vertices ask of each other beside links: order, distinctness, absent edges, compared columns."""

from __future__ import annotations

from collections.abc import Iterable

from subiso.plan.assemble import FLIPPED
from subiso.plan.problem import Problem
from subiso.plan.restrictions import closure
from subiso.plan.twig_plan import PairTest


class PairTests:
    """The tests of a problem under some restrictions, pair by pair."""

    def __init__(self, problem: Problem, restrictions: Iterable[tuple[int, int]] = ()) -> None:
        self.problem = problem
        self.restrictions = tuple(dict.fromkeys((*restrictions, *problem.imposed)))
        self.before = closure(problem.num_vertices, self.restrictions)
        self.joined = {frozenset((link.a, link.b)) for link in problem.links}

    def between(self, x: int, m: int) -> list[PairTest]:
        """What x is asked once m is matched."""
        problem = self.problem
        tests: list[PairTest] = []
        if (m, x) in self.restrictions:
            tests.append(PairTest("above", x, m))
        elif (x, m) in self.restrictions:
            tests.append(PairTest("below", x, m))
        elif self.may_coincide(x, m):
            tests.append(PairTest("distinct", x, m))
        for c in problem.pairs:
            if (c.a, c.b) == (x, m):
                tests.append(PairTest("compare", x, m, c.left_key, c.right_key, c.op))
            elif (c.a, c.b) == (m, x):
                tests.append(PairTest("compare", x, m, c.right_key, c.left_key, FLIPPED[c.op]))
        absent = {link.seen_from(m) for link in problem.forbidden if {link.a, link.b} == {x, m}}
        return tests + [PairTest("absent", x, m, relation) for relation in sorted(absent)]

    def may_coincide(self, x: int, m: int) -> bool:
        """Two vertices that must differ, and nothing else says that they do."""
        problem = self.problem
        if not problem.injective or (problem.overlaps and not problem.overlaps[x] >> m & 1):
            return False
        if m in self.before[x] or x in self.before[m]:
            return False
        return problem.loops or frozenset((x, m)) not in self.joined
