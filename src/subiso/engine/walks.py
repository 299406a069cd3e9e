"""Random walks down a counting plan: where they go, with which probabilities, and blocks of them run natively."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.filter.resolve import Resolved
from subiso.plan.plan import CountTail, Neighbors, Plan
from subiso.plan.problem import Problem

Weights = NDArray[np.float64]

_LEAST = 1e-12  # of the largest weight: nothing that can match may become impossible to draw


@dataclass(frozen=True)
class Proposal:
    """Which vertices walks prefer. Every pattern edge that a walk does not go along counts as if it were there with a
    chance that grows with both its ends' degrees, to the power `closing`."""

    closing: float = 0.5
    width: int = 1
    """Candidates drawn for the innermost loop."""


class Walks:
    """The walks of one plan under one proposal."""

    def __init__(self, run: Any, plan: Plan, resolved: Resolved, seeds: NDArray[np.uint32], how: Proposal) -> None:
        self._run = run
        weights = _Weights(plan, resolved, how.closing)
        self._seeds = np.cumsum(weights.of[plan.seed.vertex][seeds])
        self._levels = [(None, None), *(weights.level(depth) for depth in range(1, 1 + len(plan.extends)))]
        self._width = how.width

    @cached_property
    def possible(self) -> bool:
        """False when no seed can lead to a match."""
        return bool(len(self._seeds) and self._seeds[-1] > 0)

    def blocks(
        self, seed: int, first: int, number: int, size: int, threads: int
    ) -> tuple[Weights, Weights, Weights, bool]:
        """Per block: mean estimate (before the plan's divisor), work, walks that counted something; overflow."""
        result: tuple[Weights, Weights, Weights, bool] = _native.sample(
            self._run, self._seeds, self._levels, self._width, seed, first, number, size, threads
        )
        return result


class _Weights:
    """Per pattern vertex, what a walk may expect below it: the ways to go on along a spanning tree of the pattern."""

    def __init__(self, plan: Plan, resolved: Resolved, closing: float) -> None:
        assert isinstance(plan.tail, CountTail)
        self.plan, self.resolved, self.closing = plan, resolved, closing
        self.order = (*plan.order, *plan.tail.vertices)
        self.tree = _spanning_tree(plan, resolved.problem, self.order)
        self.of: dict[int, Weights] = {}
        self.sums: dict[int, Weights] = {}
        """Per vertex but the first: running sums of its weights along the lists of its parent's relation."""
        totals: dict[int, list[Weights]] = {v: [] for v in self.order}
        for v in reversed(self.order):
            self.of[v] = self._weight(v, totals[v])
            if v in self.tree:
                parent, relation = self.tree[v]
                csr = resolved.csrs[relation]
                self.sums[v], total = _native.sum_lists(csr.bounds, csr.neighbors, self.of[v])
                totals[parent].append(total)

    def level(self, depth: int) -> tuple[Weights | None, Weights | None]:
        """What the native side draws the vertex at `depth` by."""
        vertex = self.plan.order[depth]
        listed = isinstance(self.plan.extends[depth - 1].candidates.source, Neighbors)
        return self.of[vertex], self.sums[vertex] if listed else None

    def _weight(self, v: int, totals: list[Weights]) -> Weights:
        problem, resolved = self.resolved.problem, self.resolved
        weight = _candidates(resolved, v)
        for total in totals:
            weight = _rescaled(weight * total)
        for link in problem.links:
            if v in (link.a, link.b) and not self._in_tree(link.a, link.b):
                degrees = np.diff(resolved.csrs[link.seen_from(v)].bounds[::2])
                weight = _rescaled(weight * degrees**self.closing)
        return weight

    def _in_tree(self, a: int, b: int) -> bool:
        return self.tree.get(a, (None,))[0] == b or self.tree.get(b, (None,))[0] == a


def _spanning_tree(plan: Plan, problem: Problem, order: tuple[int, ...]) -> dict[int, tuple[int, int]]:
    """vertex -> (an earlier vertex that it is joined to, the relation of whose list it is in)."""
    tree: dict[int, tuple[int, int]] = {}
    for depth, v in enumerate(order[1:], 1):
        if depth < len(plan.order):
            source = plan.extends[depth - 1].candidates.source
            if isinstance(source, Neighbors):
                tree[v] = order[source.position], source.relation
                continue
        joined = [
            (order.index(u), link.seen_from(u))
            for link in problem.links
            for u in (link.a if link.b == v else link.b if link.a == v else -1,)
            if u >= 0 and order.index(u) < depth
        ]
        position, relation = max(joined)
        tree[v] = order[position], relation
    return tree


def _candidates(resolved: Resolved, v: int) -> Weights:
    n = resolved.layout.graph.num_vertices
    number = resolved.problem.filters[v] if resolved.problem.filters else None
    if number is None:
        return np.ones(n)
    bits = np.unpackbits(resolved.filters[number].view(np.uint8), bitorder="little", count=n)
    return bits.astype(np.float64)


def _rescaled(weight: Weights) -> Weights:
    """At most 1, and never so little that rounding would make it nothing."""
    largest = weight.max(initial=0.0)
    if largest == 0.0:
        return weight
    return np.where(weight > 0, np.maximum(weight / largest, _LEAST), 0.0)
