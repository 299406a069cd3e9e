"""Pass: the cuts of a pattern. Every set of vertices whose removal leaves several components is looked at, in every
order that can be matched, and its cost estimated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from subiso.plan.cutplan import Cut, Hop, PartOrder
from subiso.plan.estimate import INCREMENT, VISIT, Estimator
from subiso.plan.problem import Problem
from subiso.plan.restrictions import loosen, restrictions_for
from subiso.plan.tail import longest_tail
from subiso.storage.statistics import Statistics

MOST_VERTICES = 7
_MOST_COUNTED = 1 << 24  # vertices: a codegree table takes four bytes for each, in every thread
_DEARER = 6.0  # restrictions that quotients are free of may cost the plan itself so many times as much
_LOOK_UP = 2.0  # one candidate of an innermost loop that only looks a number up


def cuts_by_cost(
    problem: Problem, stats: Statistics, *, below: float, codegrees: bool, max_tail: int
) -> list[Cut]:
    """The cheapest way to match and count by each cut of the pattern that costs less than `below`, cheapest first.

    Where symmetry moves a cut to other vertices there are two: with restrictions from all of it, which then hold for
    the quotients too, and from what keeps the cut in place.
    """

    def best_of(
        chosen: tuple[int, ...], components: list[tuple[int, ...]], limit: float, kept: bool
    ) -> Cut | None:
        best: Cut | None = None
        for descending in (False, True) if problem.injective else (False,):
            search = _CutSearch(problem, stats, chosen, components, descending, codegrees, max_tail, kept)
            search.run(best.cost if best else limit)
            best = search.best or best
        return best

    found = []
    orbits = [set(orbit) for orbit in problem.pattern.orbits_under((), extra_colors=problem.colors())]
    for chosen, components in _separations(problem):
        cut = best_of(chosen, components, below, False)
        found += [cut] if cut else []
        moved = any(0 < len(orbit & set(chosen)) < len(orbit) for orbit in orbits)
        if cut and problem.injective and moved:
            other = best_of(chosen, components, min(below, _DEARER * cut.cost), True)
            found += [other] if other else []
    return sorted(found, key=lambda cut: cut.cost)


def _separations(problem: Problem) -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """Sets of vertices, and the components without them: no link, condition or order joins two of these."""
    near = problem.joined_or_compared
    compared = [0] * problem.num_vertices
    for pair in problem.pairs:
        compared[pair.a] |= 1 << pair.b
        compared[pair.b] |= 1 << pair.a
    vertices = range(problem.num_vertices)
    for size in range(1, problem.num_vertices - 1):
        for chosen in combinations(vertices, size):
            rest = [v for v in vertices if v not in chosen]
            components: list[tuple[int, ...]] = []
            while rest:
                grown = [rest.pop()]
                for v in grown:
                    grown += [u for u in rest if (near[v] | compared[v]) >> u & 1]
                    rest = [u for u in rest if u not in grown]
                components.append(tuple(sorted(grown)))
            if len(components) > 1:
                yield chosen, sorted(components)


class _CutEstimator(Estimator):
    """Estimates for the loops of a cut: its restrictions are known, no search is on bit rows, and some vertices are
    the ends of wedges."""

    def __init__(self, problem: Problem, stats: Statistics, *, descending: bool) -> None:
        super().__init__(problem, stats, descending=descending)
        self.hubs = [False] * problem.num_vertices
        self.known: dict[int, int] = {}
        self.ends: set[int] = set()
        self.anywhere: set[int] = set()

    def set_hops(self, hops: Sequence[Hop]) -> None:
        self.ends = {hop.depth for hop in hops if not hop.everywhere}
        self.anywhere = {hop.depth for hop in hops if hop.everywhere}
        self.from_wedges = any(hop.start == 0 for hop in hops)

    def length(self, prefix: Sequence[int], depth: int, *, beyond: bool) -> float:
        if depth in self.anywhere:
            return self.stats.mean_degree / (2 if beyond else 1)
        if depth not in self.ends:
            return super().length(prefix, depth, beyond=beyond)
        # Hubs are reached more often, but each end is visited once.
        return math.sqrt(self.stats.mean_degree * self.stats.edge_degree) / (2 if beyond else 1)

    def restrictions(self, prefix: Sequence[int]) -> dict[int, int]:
        return self.known


class _CutSearch:
    """Every order of one cut, cut short as soon as it costs more than the best one known."""

    def __init__(
        self,
        problem: Problem,
        stats: Statistics,
        chosen: tuple[int, ...],
        components: list[tuple[int, ...]],
        descending: bool,
        codegrees: bool,
        max_tail: int,
        kept: bool,
    ) -> None:
        self.problem = problem
        self.kept = kept
        colors = problem.colors() or (0,) * problem.num_vertices
        if kept:
            colors = tuple(2 * color + (v in chosen) for v, color in enumerate(colors))
        self.colors = colors
        self.estimator = _CutEstimator(problem, stats, descending=descending)
        self.chosen = chosen
        self.descending = descending
        self.codegrees = codegrees and stats.num_vertices <= _MOST_COUNTED
        self.max_tail = max_tail
        self.best: Cut | None = None
        self.limit = math.inf
        countable = [
            c for c in components if len(c) == 1 and not problem.joined_or_compared[c[0]] >> c[0] & 1
        ]
        self.singles: tuple[int, ...] = tuple(c[0] for c in countable)
        if len(self.singles) > max_tail or longest_tail(problem, (*chosen, *self.singles)) < len(
            self.singles
        ):
            self.singles, countable = (), []
        self.components = [c for c in components if c not in countable]

    def run(self, limit: float) -> None:
        self.limit = limit
        for start in self.chosen:
            size = self.estimator.sizes[start]
            self.grow([start], [], [size], size)

    def grow(self, order: list[int], hops: list[Hop], partial: list[float], cost: float) -> None:
        if cost >= self.limit:
            return
        if len(order) == len(self.chosen):
            self.finish(tuple(order), tuple(hops), partial, cost)
            return
        for vertex in self.chosen:
            if vertex in order:
                continue
            self.set_restrictions(order)
            self.estimator.set_hops(hops)
            if self.estimator.depths(vertex, order):
                matches, added = self.estimator.extend(vertex, order, partial)
                self.grow([*order, vertex], hops, [*partial, matches], cost + added)
                continue
            for more in self.hops_to(vertex, order):
                matches, added = self.reach(vertex, more, order, partial)
                self.grow([*order, vertex], [*hops, *more], [*partial, matches], cost + added)

    def set_restrictions(self, order: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """Symmetry along the order, without the steps that restrict no vertex of the cut."""
        pairs: tuple[tuple[int, int], ...] = ()
        if self.problem.injective:
            pairs = restrictions_for(self.problem.pattern, order, self.colors)
            pairs = loosen(pairs, self.chosen)[0]
        self.estimator.known = {}
        for a, b in pairs:
            self.estimator.known[b] = self.estimator.known.get(b, 0) | 1 << order.index(a)
        return pairs

    def hops_to(self, vertex: int, order: list[int]) -> Iterator[list[Hop]]:
        """Ways to reach a vertex of the cut in two steps, over one that is left out; else to look everywhere."""
        if not self.codegrees or any(
            {k.a, k.b} & {vertex} and {k.a, k.b} & set(order) for k in self.problem.forbidden
        ):
            return
        around = self.estimator.around
        found = False
        for start in range(len(order)):
            via = [
                v
                for v in range(self.problem.num_vertices)
                if v not in self.chosen and v in around[vertex] and v in around[order[start]]
            ]
            # Where the vertex between is single, its number is looked up in the same table.
            via.sort(key=lambda v: v not in self.singles)
            if via:
                found = True
                yield [Hop(len(order), start, via[0], vertex)]
        if not found and len(order) == 1:
            hops = [hop for part in self.components for hop in self._between(part, order[0], vertex)]
            if hops:
                yield hops

    def _between(self, part: tuple[int, ...], start: int, vertex: int) -> list[Hop]:
        """A table for a path of three edges between two vertices of the cut, which goes through a part."""
        around = self.estimator.around
        return [
            Hop(1, 0, via, end, everywhere=True)
            for via in part
            for end in part
            if via in around[start] and end in around[via] and end in around[vertex] and via != end
        ][:1]

    def reach(
        self, vertex: int, hops: list[Hop], order: list[int], partial: list[float]
    ) -> tuple[float, float]:
        """(matches, operations added) of a loop over the ends of wedges, or over everything beside tables of them."""
        estimator = self.estimator
        before = order[: hops[0].start + 1]
        wedges = [
            estimator.candidates(hop.via, before) * estimator.candidates(hop.end, [*before, hop.via])
            for hop in hops
        ]
        ends = estimator.sizes[vertex] / (1 + estimator.known.get(vertex, 0).bit_count())
        if not hops[0].everywhere:
            ends = min(wedges[0], ends)
        matches = partial[-1] * max(ends, 1e-9)
        return matches, partial[hops[0].start] * sum(wedges) * INCREMENT + matches * VISIT

    def finish(
        self, order: tuple[int, ...], hops: tuple[Hop, ...], partial: list[float], cost: float
    ) -> None:
        restrictions = self.set_restrictions(order)
        self.estimator.set_hops(hops)
        parts, added = self.cheapest_parts(order, hops, partial)
        if parts is None:
            return
        for split in (False, True) if self.splits else (False,):
            if not hops and not parts and not split:
                continue  # an ordinary plan
            total = cost + added
            if self.singles:
                total += self.tail_cost(self.singles, order, hops, partial, split=split)
            if total < self.limit:
                self.limit = total
                self.best = Cut(
                    order, self.singles, parts, hops, restrictions, self.descending, total, split, self.kept
                )

    @property
    def splits(self) -> bool:
        """Whether single vertices are worth keeping apart by quotients: where they have other neighbours."""
        around = self.estimator.around
        return self.problem.injective and len({frozenset(around[v]) for v in self.singles}) > 1

    def cheapest_parts(
        self, order: tuple[int, ...], hops: tuple[Hop, ...], partial: list[float]
    ) -> tuple[tuple[PartOrder, ...] | None, float]:
        """How to count each component, and what that costs; None where it cannot be done."""
        parts, cost = [], 0.0
        for component in self.components:
            part, added = self.cheapest_part(component, order, hops, partial)
            cost += added
            if part is None or cost >= self.limit:
                return None, cost
            parts.append(part)
        return tuple(parts), cost

    def tail_cost(
        self,
        tail: Sequence[int],
        prefix: Sequence[int],
        hops: tuple[Hop, ...],
        partial: list[float],
        *,
        split: bool = False,
    ) -> float:
        """Look-ups are for free where a codegree table is there anyway."""
        starts = {hop.start for hop in hops}
        depths = [self.estimator.depths(v, prefix) for v in tail]
        if all(len(d) == 2 and d[0] in starts and d == depths[0] for d in depths):
            return partial[-1] * _LOOK_UP
        return self.estimator.tail_cost(tail, prefix, partial, split=split)

    def cheapest_part(
        self, component: tuple[int, ...], order: tuple[int, ...], hops: tuple[Hop, ...], partial: list[float]
    ) -> tuple[PartOrder | None, float]:
        best: PartOrder | None = None
        lowest = math.inf

        def grow(inner: tuple[int, ...], matched: list[float], cost: float) -> None:
            nonlocal best, lowest
            if cost >= lowest:
                return
            prefix = (*order, *inner)
            rest = tuple(v for v in component if v not in inner)
            total = cost
            if inner and self.countable(prefix, rest):
                if rest:
                    total += self.tail_cost(rest, prefix, hops, matched)
                if total < lowest:
                    best, lowest = PartOrder(inner, rest), total
            for v in rest:
                if self.estimator.depths(v, prefix):
                    matches, added = self.estimator.extend(v, prefix, matched)
                    if len(rest) <= 2:  # innermost: its candidates are mostly summed over
                        added -= matches * (VISIT - _LOOK_UP)
                    grow((*inner, v), [*matched, matches], cost + added)

        grow((), partial, 0.0)
        return best, lowest

    def countable(self, prefix: tuple[int, ...], rest: tuple[int, ...]) -> bool:
        """True when everything that is left can be counted from sizes."""
        if not rest:
            return True
        if len(rest) > self.max_tail or longest_tail(self.problem, (*prefix, *rest)) < len(rest):
            return False
        return all(self.estimator.depths(v, prefix) for v in rest)
