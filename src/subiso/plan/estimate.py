"""The cost model: how many candidates a step has, and how many operations a matching order costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from subiso.graph.stats import Statistics
from subiso.plan.problem import Problem


class Estimator:
    """Estimates for one problem on one graph.

    A vertex joined to one matched vertex has as many candidates as that vertex has fitting neighbours; each
    further matched neighbour keeps the share of them that triangles close (or that chance would, if larger).
    """

    def __init__(self, problem: Problem, stats: Statistics) -> None:
        self.problem = problem
        self.stats = stats
        k = problem.num_vertices
        self.sizes = problem.sizes or (float(max(stats.num_vertices, 1)),) * k
        self.around: list[list[tuple[int, float]]] = [[] for _ in range(k)]
        """vertex -> (neighbour in the pattern, candidates that one match of that neighbour leads to)"""
        fans = problem.fans or ((stats.mean_degree, stats.mean_degree),) * len(problem.links)
        for link, (ahead, back) in zip(problem.links, fans, strict=True):
            self.around[link.b].append((link.a, ahead))
            self.around[link.a].append((link.b, back))
        self._orbits: dict[frozenset[int], dict[int, frozenset[int]]] = {}

    @cached_property
    def bias(self) -> float:
        """How much better connected a vertex is that was reached over an edge than a random one."""
        return self.stats.edge_degree / self.stats.mean_degree if self.stats.mean_degree else 1.0

    def candidates(self, vertex: int, prefix: Sequence[int]) -> float:
        """Expected candidates of `vertex` once the prefix is matched, before restrictions."""
        fans = [
            (fan * (self.bias if u != prefix[0] else 1.0), fan) for u, fan in self.around[vertex] if u in prefix
        ]
        if not fans:
            return self.sizes[vertex]
        fans.sort()
        result = min(fans[0][0], self.sizes[vertex])
        for _, fan in fans[1:]:
            result *= min(1.0, max(self.stats.closure, fan / self.sizes[vertex]))
        return result

    def links_into(self, vertex: int, prefix: Sequence[int]) -> list[int]:
        """Depths of the prefix that the vertex is joined to."""
        joined = {u for u, _ in self.around[vertex]}
        return [depth for depth, u in enumerate(prefix) if u in joined]

    def restricted_by(self, vertex: int, prefix: Sequence[int]) -> int:
        """How many matched vertices the new one must come after."""
        if not self.problem.unique:
            return 0
        return sum(
            vertex in self._orbit_of(u, frozenset(prefix[:depth])) for depth, u in enumerate(prefix)
        )

    def _orbit_of(self, vertex: int, fixed: frozenset[int]) -> frozenset[int]:
        table = self._orbits.get(fixed)
        if table is None:
            orbits = self.problem.pattern.orbits_under(sorted(fixed), extra_colors=self.problem.colors())
            table = {v: frozenset(orbit) for orbit in orbits for v in orbit}
            self._orbits[fixed] = table
        return table[vertex]

    def extend(self, vertex: int, prefix: Sequence[int], partial: Sequence[float]) -> tuple[float, float]:
        """(matches of the longer prefix, operations added); partial[d] = matches of the first d + 1 vertices."""
        size = self.candidates(vertex, prefix) / (1 + self.restricted_by(vertex, prefix))
        return partial[-1] * max(size, 1e-9), self.set_cost(vertex, prefix, partial) + partial[-1] * (1 + size)

    def set_cost(self, vertex: int, prefix: Sequence[int], partial: Sequence[float]) -> float:
        """Operations for the vertex's candidate set, each intersection at the depth where it first can be done."""
        depths = self.links_into(vertex, prefix)
        length = self.stats.edge_degree
        cost = 0.0
        for i, depth in enumerate(depths[1:], 1):
            before = self.candidates(vertex, prefix[: depths[i - 1] + 1])
            cost += partial[depth] * (min(before, length) + length) * 0.5
        return cost

    def tail_cost(self, tail: Sequence[int], prefix: Sequence[int], partial: Sequence[float]) -> float:
        """Operations for counting the tail: each set, and each intersection of sets that overlap anew."""
        cost = partial[-1] * len(tail)
        keys = {vertex: frozenset(self.links_into(vertex, prefix)) for vertex in tail}
        for key in {frozenset[int]().union(*(keys[v] for v in block)) for block in _blocks(tail)}:
            depths = sorted(key)
            if len(depths) > 1:
                cost += partial[depths[-1]] * self.stats.edge_degree * (len(depths) - 1)
        return cost


def _blocks(tail: Sequence[int]) -> list[list[int]]:
    return [[v for i, v in enumerate(tail) if bits >> i & 1] for bits in range(1, 1 << len(tail))]
