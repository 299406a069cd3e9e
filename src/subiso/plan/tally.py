"""Pass: local counts. Says which vertices and edges of every counted match get a share of it, and how.

A *role* is a pattern vertex or a pattern edge. What stands at a role whose vertices are matched gets the matches
below it. A role of the tail is not matched: every element of its set gets the ways to choose the others, which is
the derivative of the tail's polynomial. Unless some symmetry that the restrictions respect turns it into a role that
is matched: both then have the same counts, and the matched one stands for both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from subiso.pattern.automorphism import Permutation, stabilizer
from subiso.pattern.structure import structure_of
from subiso.plan.plan import CountTail, Neighbors, Plan, Term
from subiso.plan.problem import Link, Problem
from subiso.plan.restrictions import closure
from subiso.plan.tail import tail_kinds, tail_terms

Role = int | Link
"""A pattern vertex, or the link of a pattern edge (as `role_of_link` writes it)."""
_MOST_SYMMETRIES = 5040  # more are not looked through: the tail's roles then get their own shares


@dataclass(frozen=True)
class TailShare:
    """What every element of a tail set, or the edge to it from `origin`'s vertex, gets: a sum of terms."""

    size: int
    column: int
    origin: Neighbors | None
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Tally:
    """Local counts of a plan: columns to sum in, and who adds to them."""

    columns: tuple[tuple[int, int | None], ...]
    """(group, relation): counts of the group's roles, by vertex, or by entry of the relation's lists."""
    vertices: tuple[tuple[int, int, int], ...]
    """(position, column, times)"""
    edges: tuple[tuple[int, int, int, int, int], ...]
    """(later position, earlier position, relation read there, column, times)"""
    tail: tuple[TailShare, ...]
    sure: tuple[tuple[int, ...], ...]
    """Per tail size the positions whose vertices are known to be in the set."""


def role_of_link(link: Link) -> Link:
    """The link with its smaller vertex first."""
    return link if link.a < link.b else Link(link.b, link.a, link.backward, link.forward)


def image(role: Role, turn: Permutation) -> Role:
    """The role that an automorphism turns this one into."""
    if isinstance(role, int):
        return turn[role]
    return role_of_link(Link(turn[role.a], turn[role.b], role.forward, role.backward))


def role_orbits(problem: Problem, roles: Iterable[Role]) -> list[list[Role]]:
    """The roles, and all that automorphisms turn them into, by orbit."""
    generators = stabilizer(structure_of(problem.pattern), sorted(problem.anchored)).generators
    orbits: list[list[Role]] = []
    placed: set[Role] = set()
    for role in roles:
        if role in placed:
            continue
        orbit = [role]
        placed.add(role)
        for known in orbit:  # grows while it is read
            for other in (image(known, turn) for turn in generators):
                if other not in placed:
                    placed.add(other)
                    orbit.append(other)
        orbits.append(orbit)
    return orbits


def make_tally(plan: Plan, problem: Problem, groups: Sequence[Iterable[Role]]) -> Tally:
    """The tally that sums the counts of each group's roles; a group is made of whole orbits."""
    return _Maker(plan, problem).tally(groups)


class _Maker:
    def __init__(self, plan: Plan, problem: Problem) -> None:
        assert isinstance(plan.tail, CountTail)
        self.plan, self.problem, self.ending = plan, problem, plan.tail
        self.position = {v: i for i, v in enumerate(plan.order)}
        self.symmetries = list(_respected(plan, problem))
        self.size_of = {block: i for i, blocks in enumerate(plan.tail.blocks) for block in blocks}
        self.columns: dict[tuple[int, int | None], int] = {}
        self.vertices: dict[tuple[int, int], int] = defaultdict(int)
        self.edges: dict[tuple[int, int, int, int], int] = defaultdict(int)
        self.shares: dict[tuple[int, int, Neighbors | None], dict[tuple[int, ...], int]] = {}

    def tally(self, groups: Sequence[Iterable[Role]]) -> Tally:
        for group, roles in enumerate(groups):
            for role in roles:
                self.add(group, self.matched(role))
        return Tally(
            columns=tuple(self.columns),
            vertices=tuple((p, c, times) for (p, c), times in self.vertices.items()),
            edges=tuple((*place, times) for place, times in self.edges.items()),
            tail=tuple(
                TailShare(size, column, origin, tuple(Term(c, f) for f, c in terms.items() if c))
                for (size, column, origin), terms in self.shares.items()
                if any(terms.values())
            ),
            sure=tuple(size.sure for size in self.ending.sizes),
        )

    def matched(self, role: Role) -> Role:
        """A role with the same counts that is matched, where there is one; otherwise the role itself."""
        images = (image(role, turn) for turn in self.symmetries)
        return next((r for r in images if all(v in self.position for v in _ends(r))), role)

    def add(self, group: int, role: Role) -> None:
        inside = [v for v in _ends(role) if v in self.position]
        outside = [v for v in _ends(role) if v not in self.position]
        if outside:
            origin = None
            if isinstance(role, Link):
                origin = Neighbors(self.position[inside[0]], role.seen_from(inside[0]))
            self.add_tail(outside[0], self.column(group, origin and origin.relation), origin)
        elif isinstance(role, int):
            self.vertices[self.position[role], self.column(group, None)] += 1
        else:
            first, second = sorted(inside, key=self.position.__getitem__)
            relation = role.seen_from(first)
            place = self.position[second], self.position[first], relation, self.column(group, relation)
            self.edges[place] += 1

    def column(self, group: int, relation: int | None) -> int:
        return self.columns.setdefault((group, relation), len(self.columns))

    def add_tail(self, vertex: int, column: int, origin: Neighbors | None) -> None:
        """With `vertex` at a given element of its block's set, the other blocks are chosen freely."""
        tail = self.ending.vertices
        first = {v: kind for kind, members in tail_kinds(self.problem, tail).items() for v in members}
        for blocks, coefficient in tail_terms(self.problem, tail, marked=vertex).items():
            own = next(block for block in blocks if vertex in block)
            size, *others = (
                self.size_of[tuple(sorted({first[v] for v in block}))]
                for block in (own, *(block for block in blocks if block != own))
            )
            terms = self.shares.setdefault((size, column, origin), defaultdict(int))
            terms[tuple(sorted(others))] += coefficient


def _ends(role: Role) -> tuple[int, ...]:
    return (role,) if isinstance(role, int) else (role.a, role.b)


def _respected(plan: Plan, problem: Problem) -> Iterator[Permutation]:
    """The automorphisms that turn the plan's restrictions into themselves, and so its matches; first the identity."""
    yield tuple(range(problem.num_vertices))
    if problem.pattern.automorphism_count() > _MOST_SYMMETRIES:
        return
    before = closure(problem.num_vertices, plan.restrictions)
    kept = {(a, b) for b in range(problem.num_vertices) for a in before[b]}
    for turn in problem.pattern.automorphisms():
        if all(turn[v] == v for v in problem.anchored) and {(turn[a], turn[b]) for a, b in kept} == kept:
            yield turn
