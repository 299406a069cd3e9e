"""The cost model: how many candidates a step has, and how many operations a matching order costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from subiso.plan.local import hub_relation
from subiso.plan.plan import Plan
from subiso.plan.problem import Problem
from subiso.storage.statistics import Statistics

# In units of looking at one element of a neighbour list; measured roughly, only their proportions matter.
VISIT = 12.0  # one candidate of a loop
SET = 12.0  # one set operation, apart from its elements
_ELEMENT = 0.6
_WORD = 1.0  # one word of a bit row
_LONGER_ROW = 3  # a row costs no more than so many times the neighbourhood that it is a part of
INCREMENT = 1.5  # one increment of a codegree
# The share of an edge's triangles that a third vertex of a clique is joined to: triangles crowd together, so far more
# than the chance of closing one.
_CLOSED_AGAIN = 0.7


class Estimator:
    """Estimates for one problem on one graph, for restrictions that climb in the total order or descend.

    A vertex joined to one matched vertex has as many candidates as that vertex has fitting neighbours; one joined
    to both ends of a matched edge as many as an edge has triangles. Each further matched neighbour keeps a share.
    """

    def __init__(self, problem: Problem, stats: Statistics, *, descending: bool = False) -> None:
        self.problem = problem
        self.stats = stats
        self.side, self.other_side = (stats.below, stats.above) if descending else (stats.above, stats.below)
        k = problem.num_vertices
        self.sizes = problem.sizes or (float(max(stats.num_vertices, 1)),) * k
        self.around: list[dict[int, float]] = [{} for _ in range(k)]
        """vertex -> {neighbour in the pattern: candidates that one match of that neighbour leads to}"""
        fans = problem.fans or ((stats.mean_degree, stats.mean_degree),) * len(problem.links)
        for link, (ahead, back) in zip(problem.links, fans, strict=True):
            self.around[link.b][link.a] = min(ahead, self.around[link.b].get(link.a, ahead))
            self.around[link.a][link.b] = min(back, self.around[link.a].get(link.b, back))
        self.hubs = [hub_relation(problem, v) is not None for v in range(k)]
        self.imposed: list[list[int]] = [[] for _ in range(k)]
        """vertex -> those that an imposed order puts before or behind it"""
        for a, b in problem.imposed:
            self.imposed[a].append(b)
            self.imposed[b].append(a)
        self.from_wedges = False
        """The first vertex is weighted by its wedges: some later one is reached over them."""
        colors = problem.colors()
        self.symmetric = problem.unique and problem.pattern.automorphism_count(extra_colors=colors) > 1
        """There are restrictions."""
        self._after: dict[tuple[int, ...], dict[int, int]] = {}

    def restrictions(self, prefix: Sequence[int]) -> dict[int, int]:
        """vertex -> bits of the prefix's depths that it must come after."""
        if not self.symmetric:
            return {}
        key = tuple(prefix)
        found = self._after.get(key)
        if found is None:
            found = {}
            if key:
                found = dict(self.restrictions(key[:-1]))
                last, depth = key[-1], len(key) - 1
                colors = self.problem.colors()
                for orbit in self.problem.pattern.orbits_under(sorted(key[:-1]), extra_colors=colors):
                    if last in orbit:
                        for v in orbit:
                            found[v] = found.get(v, 0) | (1 << depth if v != last else 0)
            self._after[key] = found
        return found

    def climbs(self, vertex: int, prefix: Sequence[int], depth: int) -> bool:
        """True when the vertex must come after the vertex at that depth."""
        return bool(self.restrictions(prefix).get(vertex, 0) >> depth & 1)

    def depths(self, vertex: int, prefix: Sequence[int]) -> list[int]:
        """Depths of the prefix that the vertex is joined to."""
        around = self.around[vertex]
        return [depth for depth, u in enumerate(prefix) if u in around]

    def candidates(self, vertex: int, prefix: Sequence[int]) -> float:
        """Expected candidates of `vertex` once the prefix is matched."""
        depths = self.depths(vertex, prefix)
        if not depths:
            return self.sizes[vertex]
        after = self.restrictions(prefix).get(vertex, 0)
        closing = next((pair for pair in combinations(depths, 2) if self._joined(prefix, *pair)), None)
        if closing is None:
            fans = sorted((self._fan(vertex, prefix, depth), depth) for depth in depths)
            result, further = fans[0][0], [depth for _, depth in fans[1:]]
            after &= ~(1 << fans[0][1])  # the fan knows of that restriction
            share = self.stats.closure
        else:
            scale = min(self.around[vertex][prefix[depth]] for depth in closing) / (
                self.stats.mean_degree or 1.0
            )
            result = self.stats.closure * self.stats.edge_degree * scale
            further = [depth for depth in depths if depth not in closing]
            share = _CLOSED_AGAIN
        for depth in further:
            chance = self.around[vertex][prefix[depth]] / (self.sizes[vertex] or 1.0)
            result *= min(1.0, max(share, chance))
        imposed = sum(u in prefix for u in self.imposed[vertex])
        return min(result, self.sizes[vertex]) / (1 + after.bit_count() + imposed)

    def _joined(self, prefix: Sequence[int], i: int, j: int) -> bool:
        return prefix[j] in self.around[prefix[i]]

    def _fan(self, vertex: int, prefix: Sequence[int], depth: int) -> float:
        """Candidates among the neighbours of the vertex at one depth, by how that vertex was reached."""
        stats, side = self.stats, self.side
        climbing = self.climbs(vertex, prefix, depth)
        if depth == 0:
            shared = self.from_wedges or any(prefix[0] in self.around[u] for u in prefix[1:])
            if climbing:
                neighbors = side.pairs if shared else stats.mean_degree / 2
            else:
                neighbors = stats.edge_degree if shared else stats.mean_degree
        else:
            neighbors = self.length(prefix, depth, beyond=climbing)
        mean = stats.mean_degree or 1.0
        return self.around[vertex][prefix[depth]] * neighbors / mean

    def length(self, prefix: Sequence[int], depth: int, *, beyond: bool) -> float:
        """Length of the neighbour list of the vertex at a depth, or of the part beyond that vertex."""
        stats = self.stats
        if depth == 0:
            return stats.mean_degree / (2 if beyond else 1)
        vertex, before = prefix[depth], prefix[:depth]
        if any(self.climbs(vertex, before, d) for d in self.depths(vertex, before)):
            return self.side.beyond if beyond else self.side.reached
        return stats.edge_degree / (2 if beyond else 1)

    def _seed_degree(self, prefix: Sequence[int]) -> float:
        """Neighbours of the seed, seen from the second vertex: fewer where that one has the higher degree."""
        return self.other_side.reached if self.climbs(prefix[1], prefix[:1], 0) else self.stats.edge_degree

    def extend(self, vertex: int, prefix: Sequence[int], partial: Sequence[float]) -> tuple[float, float]:
        """(matches of the longer prefix, operations added); partial[d] = matches of the first d + 1 vertices."""
        size = self.candidates(vertex, prefix)
        matches = partial[-1] * max(size, 1e-9)
        return matches, self.set_cost((vertex,), prefix, partial) + matches * VISIT

    def set_cost(
        self,
        block: Sequence[int],
        prefix: Sequence[int],
        partial: Sequence[float],
        *,
        after: int | None = None,
    ) -> float:
        """Operations for the set that the block's vertices share, each step at the first depth it can be done."""
        depths = sorted({depth for v in block for depth in self.depths(v, prefix)})
        if after is None:
            after = self.restrictions(prefix).get(block[0], 0)
        on_rows = self.hubs[prefix[0]]
        cost = 0.0
        for i, depth in enumerate(depths[1:], 1):
            if on_rows and depth > 1:
                row = self.side.pairs if after & 1 else self._seed_degree(prefix)
                cost += partial[depth] * (3 + _WORD * (1 + row / 64))
                continue
            length = self.length(prefix, depth, beyond=bool(after >> depth & 1))
            base = self.length(prefix, depths[i - 1], beyond=bool(after >> depths[i - 1] & 1))
            cost += partial[depth] * (SET + _ELEMENT * min(length, (_LONGER_ROW if on_rows else 24) * base))
        return cost

    def count_cost(
        self, block: Sequence[int], prefix: Sequence[int], partial: Sequence[float], after: int
    ) -> float:
        """Operations for the size of the block's set: by intersections, or by codegrees where that is cheaper."""
        cost = self.set_cost(block, prefix, partial, after=after)
        depths = sorted({depth for v in block for depth in self.depths(v, prefix)})
        last = len(prefix) - 1
        if len(depths) < 2 or depths[-1] != last or after >> last & 1 or self.hubs[prefix[0]]:
            return cost
        fixed = max(depths[-2], after.bit_length() - 1)
        members = self.length(prefix, depths[0], beyond=bool(after >> depths[0] & 1))
        if len(depths) > 2:
            members *= self.stats.closure
        counting = partial[fixed] * members * self.stats.edge_degree * INCREMENT
        earlier = self.set_cost(block, prefix[:last], partial, after=after) if len(depths) > 2 else 0.0
        return min(cost, earlier + counting + partial[last] * 2)

    def tail_cost(
        self,
        tail: Sequence[int],
        prefix: Sequence[int],
        partial: Sequence[float],
        *,
        loose: bool = False,
        split: bool = False,
    ) -> float:
        """Operations for counting the tail: each set and, unless these are `split`, each intersection of sets that
        overlap anew."""
        known = self.restrictions(prefix)
        binding = -1
        if loose:  # only the steps that restrict some vertex of the prefix stay
            binding = 0
            for v in prefix:
                binding |= known.get(v, 0)
        cost = 0.0
        seen = set()
        for block in _blocks(tail) if self.problem.injective and not split else [[v] for v in tail]:
            after = known.get(block[0], 0) & binding
            key = frozenset(depth for v in block for depth in self.depths(v, prefix)), after
            if key not in seen:
                seen.add(key)
                cost += partial[-1] * 2 + self.count_cost(block, prefix, partial, after)
        return cost


def with_estimates(plan: Plan, problem: Problem, stats: Statistics) -> Plan:
    """The plan with the expected candidates of every loop noted, as `explain` shows them."""
    descending = any(extend.candidates.upper for extend in plan.extends)
    estimator = Estimator(problem, stats, descending=descending)
    extends = tuple(
        replace(extend, estimate=estimator.candidates(extend.vertex, plan.order[: depth + 1]))
        for depth, extend in enumerate(plan.extends)
    )
    seed = replace(plan.seed, estimate=estimator.sizes[plan.seed.vertex])
    return replace(plan, seed=seed, extends=extends)


def _blocks(tail: Sequence[int]) -> list[list[int]]:
    """Every non-empty subset, small ones first."""
    subsets = [[v for i, v in enumerate(tail) if bits >> i & 1] for bits in range(1, 1 << len(tail))]
    return sorted(subsets, key=len)
