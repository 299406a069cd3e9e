"""Pass: an order for steps that match several vertices (GENEVA). The core first, beginning with its smallest cycle,
then the forest that hangs from it; always the vertices of the best matching pattern that matched neighbours allow."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import combinations

from subiso.plan.problem import Problem

PRIORITY = (5, 6, 7, 1, 3, 4, 2, 0)
"""GENEVA's matching patterns, best first: 0 one vertex; 1, 3 two from one source, with the same or other candidates;
2, 4 the same from two sources; 5 many from one source; 6, 7 many in two kinds from one source or two."""

Near = dict[int, set[int]]


def core_order(problem: Problem, sizes: tuple[float, ...]) -> tuple[int, ...]:
    """The order of the pattern's vertices, given how many candidates each has.

    >>> from subiso.pattern import Pattern
    >>> from subiso.plan.problem import Link
    >>> tailed = Pattern.from_edges([(0, 1), (0, 2), (2, 3), (3, 4), (4, 2)])
    >>> links = tuple(Link(e.source, e.target, 0, 0) for e in tailed.edges)
    >>> core_order(Problem(tailed, "monomorphism", False, links), (9.0, 9.0, 9.0, 9.0, 9.0))
    (2, 3, 4, 0, 1)
    """
    return _Ordering(problem, sizes).result()


def core_of(near: Near) -> set[int]:
    """What is left when leaves are taken off again and again: cycles, and what joins them.

    >>> sorted(core_of({0: {1}, 1: {0, 2, 3}, 2: {1, 3}, 3: {1, 2}}))
    [1, 2, 3]
    """
    near = {v: set(others) for v, others in near.items()}
    leaves = [v for v, others in near.items() if len(others) == 1]
    while leaves:
        leaf = leaves.pop()
        for other in near.pop(leaf, set()):
            near[other].discard(leaf)
            if len(near[other]) == 1:
                leaves.append(other)
    return {v for v, others in near.items() if others}


class _Ordering:
    def __init__(self, problem: Problem, sizes: tuple[float, ...]) -> None:
        self.problem, self.sizes = problem, sizes
        self.near: Near = {v: set() for v in range(problem.num_vertices)}
        self.sources: dict[int, set[tuple[int, int]]] = defaultdict(set)
        """vertex -> (neighbour, the relation whose list at it holds the vertex)"""
        for link in problem.links:
            self.near[link.a].add(link.b)
            self.near[link.b].add(link.a)
            self.sources[link.b].add((link.a, link.forward))
            self.sources[link.a].add((link.b, link.backward))
        self.core = core_of(self.near)
        self.order: list[int] = []

    def result(self) -> tuple[int, ...]:
        cycle = self._smallest_cycle()
        every = set(range(self.problem.num_vertices))
        self.order.append(self._start(cycle or self.core or every))
        while len(self.order) < len(every):
            for region, many in ((cycle, False), (self.core, False), (every, True)):
                groups = list(self._groups(region - set(self.order), many))
                if groups:
                    self.order += min(groups, key=self._rank)[1]
                    break
        return tuple(self.order)

    def _start(self, region: set[int]) -> int:
        if self.problem.anchored:
            return min(self.problem.anchored)
        return min(sorted(region), key=lambda v: self.sizes[v] / max(len(self.near[v]), 1))

    def _rank(self, group: tuple[int, tuple[int, ...]]) -> tuple[int, int, float]:
        pattern, vertices = group
        return PRIORITY.index(pattern), -len(vertices), sum(self.sizes[v] for v in vertices)

    def _groups(self, region: set[int], many: bool) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(matching pattern, vertices) for all that can be matched next."""
        matched = set(self.order)
        sets: dict[int, dict[tuple[int, object], list[int]]] = defaultdict(lambda: defaultdict(list))
        for v in sorted(region, key=lambda v: (self.sizes[v], v)):
            kind = self.problem.filters[v] if self.problem.filters else ()
            for source, relation in sorted(self.sources[v]):
                if source in matched:
                    sets[relation][source, kind].append(v)
        for of_relation in sets.values():
            for vertices in of_relation.values():
                yield 0, (vertices[0],)
                if len(vertices) > 1:
                    yield (5, tuple(vertices)) if many and len(vertices) > 2 else (1, tuple(vertices[:2]))
            for (a, some), (b, others) in combinations(of_relation.items(), 2):
                yield from _of_two(a, b, some, [v for v in others if v not in some], many)

    def _smallest_cycle(self) -> set[int]:
        """The shortest cycle of the core, of several the one with fewest candidates."""
        cycles = [
            path
            for a in sorted(self.core)
            for b in sorted(self.near[a] & self.core)
            if a < b and (path := self._path(a, b))
        ]
        best = min(cycles, key=lambda c: (len(c), sum(self.sizes[v] for v in c)), default=[])
        return set(best)

    def _path(self, a: int, b: int) -> list[int]:
        """A shortest way from a to b inside the core without their edge; [] where there is none."""
        came = {a: a}
        queue = deque([a])
        while queue:
            v = queue.popleft()
            for other in sorted(self.near[v] & self.core):
                if other in came or (v, other) == (a, b):
                    continue
                came[other] = v
                queue.append(other)
        if b not in came:
            return []
        path = [b]
        while path[-1] != a:
            path.append(came[path[-1]])
        return path


def _of_two(
    a: tuple[int, object], b: tuple[int, object], some: list[int], others: list[int], many: bool
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Groups of vertices in two kinds or from two sources."""
    if not others:
        return
    one_source = a[0] == b[0]
    if many and len(some) + len(others) > 2:
        yield 6 if one_source else 7, (*some, *others)
    yield 3 if one_source else 2 if a[1] == b[1] else 4, (some[0], others[0])
