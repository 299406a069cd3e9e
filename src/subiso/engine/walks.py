"""Random walks down a counting plan: where they go, with which probabilities, and blocks of them run natively."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.filter.resolve import Resolved
from subiso.plan.plan import CountTail, Neighbors, Plan
from subiso.plan.problem import Link, Problem
from subiso.storage.codegrees import edge_codegrees

Weights = NDArray[np.float64]

_MOST_TRIANGLES = 2.2  # the power beyond which more vertices on one edge say no more: dense spots are small
_LEAST = 1e-12  # of the largest weight: nothing that can match may become impossible to draw


@dataclass(frozen=True)
class Proposal:
    """Which vertices walks prefer."""

    closing: float = 0.25
    """Every pattern edge that a walk does not go along is taken to be there with a chance that grows with the degrees
    of both its ends, to this power."""
    triangles: float = 0.0
    """A pattern vertex joined to both ends of an edge that walks go along has as many choices as that edge has
    triangles: they are counted, and used to this power. 0: they are not counted."""
    shared: float = 0.0
    """The same for a counted vertex joined to several others, but to no edge: a power of the degrees of all of them.
    0: it is taken to be any neighbour of the last of them."""


class Blocks(NamedTuple):
    """What blocks of walks found, an entry per block."""

    mean: Weights
    """Mean estimate, before the plan's divisor."""
    work: Weights
    """Elements looked at: what the walks cost, on any machine."""
    nonzero: Weights
    """Walks that counted something."""
    reached: Weights
    """Estimated number of ways to the innermost loop."""
    overflow: bool

    def and_then(self, more: Blocks) -> Blocks:
        """These blocks and further ones."""
        return Blocks(
            np.concatenate([self.mean, more.mean]),
            np.concatenate([self.work, more.work]),
            np.concatenate([self.nonzero, more.nonzero]),
            np.concatenate([self.reached, more.reached]),
            self.overflow or more.overflow,
        )


class Walks:
    """The walks of one plan under one proposal. `run` is the plan prepared, and not started."""

    def __init__(
        self, run: Any, plan: Plan, resolved: Resolved, seeds: NDArray[np.uint32], how: Proposal
    ) -> None:
        self._run = run
        weights = _Weights(plan, resolved, how)
        self._seeds = _running(weights.of[plan.seed.vertex], seeds)
        self._levels = [(None, None), *(weights.level(depth) for depth in range(1, 1 + len(plan.extends)))]
        self.possible = bool(len(self._seeds) and self._seeds[-1] > 0)
        """False when no seed can lead to a match."""

    def blocks(self, seed: int, first: int, number: int, size: int, threads: int) -> Blocks:
        """Run blocks first, first + 1, ... of `size` walks each; the same for any number of threads."""
        return Blocks(
            *_native.sample(self._run, self._seeds, self._levels, seed, first, number, size, threads)
        )


class _Weights:
    """Per pattern vertex, what a walk may expect below it: the ways to go on along a spanning tree of the pattern."""

    def __init__(self, plan: Plan, resolved: Resolved, how: Proposal) -> None:
        self.plan, self.resolved, self.how = plan, resolved, how
        self.tree = Tree(plan, resolved.problem, hang=how.triangles > 0, share=how.shared > 0)
        self.of: dict[int, Weights | None] = {}
        """None: all vertices alike."""
        self.sums: dict[int, Weights | None] = {}
        """Running sums along the lists of the parent's relation; None: all entries alike."""
        totals: dict[int, list[Weights]] = {v: [] for v in self.tree.order}
        for v in reversed(self.tree.order):
            self.of[v] = self._weight(v, totals[v])
            if v in self.tree.parent:
                parent, relation = self.tree.parent[v]
                self.sums[v], total = self._sum(v, relation)
                totals[parent].append(total)

    def level(self, depth: int) -> tuple[Weights | None, Weights | None]:
        """What the native side draws the vertex at `depth` by."""
        vertex = self.plan.order[depth]
        if isinstance(self.plan.extends[depth - 1].candidates.source, Neighbors):
            return None, self.sums[vertex]
        return self.of[vertex], None

    def _weight(self, v: int, totals: list[Weights]) -> Weights | None:
        resolved = self.resolved
        weight = _candidates(resolved, v)
        for total in totals:
            weight = total if weight is None else _rescaled(weight * total)
        for link in resolved.problem.links:
            power = self._power(link)
            if v in (link.a, link.b) and power:
                powers = _degrees(resolved, link.seen_from(v)) ** power
                weight = powers if weight is None else _rescaled(weight * powers)
        return weight

    def _power(self, link: Link) -> float:
        if self.tree.covers(link.a, link.b):
            return 0.0
        return self.how.shared if {link.a, link.b} & self.tree.shared else self.how.closing

    def _sum(self, v: int, relation: int) -> tuple[Weights | None, Weights]:
        weight, factor = self.of[v], self._triangles(v)
        if weight is None and factor is None:
            return None, _degrees(self.resolved, relation)
        csr = self.resolved.csrs[relation]
        if weight is None:
            weight = np.ones(self.resolved.layout.graph.num_vertices)
        sums, totals = _native.sum_lists(csr.bounds, csr.neighbors, weight, factor, self.resolved.threads)
        return sums, totals

    def _triangles(self, v: int) -> NDArray[np.float32] | None:
        """The factors of the entries that lead to v: the choices for what hangs on the edge to it."""
        factor: Weights | None = None
        relations = self.resolved.relations
        edge = self.tree.parent[v][1]
        for (at_parent, at_v), times in Counter(self.tree.hanging.get(v, ())).items():
            found = edge_codegrees(
                self.resolved.whole,
                relations[edge],
                relations[at_parent],
                relations[at_v],
                self.resolved.threads,
            )
            power = self.how.triangles * min(times, _MOST_TRIANGLES)
            powers = np.arange(found.max(initial=0) + 1.0) ** power  # far fewer values than entries
            factor = powers[found] if factor is None else factor * powers[found]
        return None if factor is None else _rescaled(factor).astype(np.float32)


class Tree:
    """How a plan's vertices hang together: each on an earlier one, or on an edge between two."""

    def __init__(self, plan: Plan, problem: Problem, *, hang: bool, share: bool = False) -> None:
        assert isinstance(plan.tail, CountTail)
        self.order = (*plan.order, *plan.tail.vertices)
        self.parent: dict[int, tuple[int, int]] = {}
        """vertex -> (an earlier vertex that it is joined to, the relation in whose list there it is)"""
        self.hanging: dict[int, list[tuple[int, int]]] = {}
        """vertex v -> for each one that hangs on the edge to v: its relations at v's parent and at v"""
        self.shared: set[int] = set()
        """vertices of the tail that hang on several others alike"""
        self._covered: set[frozenset[int]] = set()
        for depth, v in enumerate(self.order[1:], 1):
            joined = _joined_before(self.order, depth, problem)
            source = plan.extends[depth - 1].candidates.source if depth < len(plan.order) else None
            if isinstance(source, Neighbors):
                self._put(v, self.order[source.position], source.relation)
            elif hang and self._hang(v, joined):
                pass
            elif share and depth >= len(plan.order) and len(joined) > 1:
                self.shared.add(v)
            else:
                last = max(joined, key=self.order.index)
                self._put(v, last, joined[last])

    def covers(self, a: int, b: int) -> bool:
        """True when the edge between a and b is accounted for."""
        return frozenset((a, b)) in self._covered

    def _put(self, v: int, parent: int, relation: int) -> None:
        self.parent[v] = parent, relation
        self._covered.add(frozenset((v, parent)))

    def _hang(self, v: int, joined: dict[int, int]) -> bool:
        for u, (parent, _) in reversed(self.parent.items()):
            if u in joined and parent in joined:
                self.hanging.setdefault(u, []).append((joined[parent], joined[u]))
                self._covered |= {frozenset((v, u)), frozenset((v, parent))}
                return True
        return False


def _joined_before(order: tuple[int, ...], depth: int, problem: Problem) -> dict[int, int]:
    """The earlier vertices that the one at `depth` is joined to, each with a relation in whose list there it is."""
    v, before = order[depth], order[:depth]
    ends = [(link, link.a if link.b == v else link.b) for link in problem.links if v in (link.a, link.b)]
    return {u: link.seen_from(u) for link, u in ends if u in before}


def _degrees(resolved: Resolved, relation: int) -> Weights:
    return np.diff(resolved.csrs[relation].bounds[::2]).astype(np.float64)


def _candidates(resolved: Resolved, v: int) -> Weights | None:
    n = resolved.layout.graph.num_vertices
    numbers = resolved.problem.filters[v] if resolved.problem.filters else ()
    if not numbers:
        return None
    bits = np.bitwise_and.reduce([resolved.filters[number] for number in numbers])
    return np.unpackbits(bits.view(np.uint8), bitorder="little", count=n).astype(np.float64)


def _running(weight: Weights | None, seeds: NDArray[np.uint32]) -> Weights:
    return np.arange(1.0, len(seeds) + 1) if weight is None else np.cumsum(weight[seeds])


def _rescaled(weight: Weights) -> Weights:
    """At most 1, and never so little that rounding would make it nothing."""
    largest = weight.max(initial=0.0)
    if largest == 0.0:
        return weight
    return np.where(weight > 0, np.maximum(weight / largest, _LEAST), 0.0)
