"""Pass: the matching order. By estimated cost (exhaustive for small patterns, greedy for large ones), by RI, by
GSI's score, or core first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from subiso.plan.core import core_order
from subiso.plan.estimate import SET, VISIT, Estimator
from subiso.plan.greedy import greedy_order
from subiso.plan.local import is_plain_clique
from subiso.plan.problem import Problem
from subiso.plan.tail import longest_tail
from subiso.storage.statistics import Statistics

EXHAUSTIVE_UP_TO = 6
_NOT_WORTH_IT = 1e6
"""Operations of the greedy order, up to which looking for a better one of six vertices takes longer than it saves."""


@dataclass(frozen=True)
class Order:
    """Vertices to match one by one, vertices to count at the end, and the estimated cost of it."""

    prefix: tuple[int, ...]
    tail: tuple[int, ...]
    cost: float
    descending: bool = False
    """Restrictions go down in the graph's total order instead of up."""
    loose: bool = False
    """Restrictions that bind only the tail are left out (and the count divided by their effect)."""
    by_level: tuple[float, ...] = ()
    """What each level of the prefix adds to the cost; the tail adds the rest."""


def order_by_cost(problem: Problem, stats: Statistics, *, counting: bool, max_tail: int = 99) -> Order:
    """The cheapest order by the cost model, in either direction of the restrictions; greedy for large patterns."""
    if problem.num_vertices > EXHAUSTIVE_UP_TO:
        return order_by_greed(problem, stats, counting=counting, max_tail=max_tail)
    if is_plain_clique(problem):  # all orders are the same
        return _with_best_tail(Estimator(problem, stats), range(problem.num_vertices), counting, max_tail)
    estimator = Estimator(problem, stats)
    climbing = _Exhaustive(estimator, counting, max_tail).best
    if not estimator.symmetric:
        return climbing
    descending = _Exhaustive(Estimator(problem, stats, descending=True), counting, max_tail).best
    return climbing if climbing.cost <= descending.cost else replace(descending, descending=True)


def order_by_greed(
    problem: Problem, stats: Statistics, *, counting: bool, max_tail: int = 99, begin: Sequence[int] = ()
) -> Order:
    """The order of large patterns, which may be told how to begin."""
    order, partial = greedy_order(problem, stats, begin)
    cut = len(order) - (min(longest_tail(problem, order), max_tail) if counting else 0)
    by_level = tuple(matches * VISIT for matches in partial[:cut])
    cost = sum(by_level) + partial[cut - 1] * SET * (len(order) - cut)
    return Order(order[:cut], order[cut:], cost, loose=True, by_level=by_level)


def orders_below(problem: Problem, stats: Statistics, limit: float, *, max_tail: int = 99) -> list[Order]:
    """Orders for counting that cost at most so much, the cheapest first: what plans that share levels choose from.

    Large patterns have one, and so have cliques, of which all orders are the same.
    """
    if problem.num_vertices > EXHAUSTIVE_UP_TO or is_plain_clique(problem):
        return [order_by_cost(problem, stats, counting=True, max_tail=max_tail)]
    found: list[Order] = []
    for descending in (False, True) if problem.unique else (False,):
        estimator = Estimator(problem, stats, descending=descending)
        orders = _Exhaustive(estimator, True, max_tail, limit).found
        found += [replace(order, descending=descending) for order in orders]
    return sorted(found, key=lambda order: order.cost)


def order_by_ri(problem: Problem, stats: Statistics, *, counting: bool, max_tail: int = 99) -> Order:
    """RI's order: always the vertex with most links into the prefix, then most links into its neighbourhood,
    then most links elsewhere; looks at the pattern only."""
    estimator = Estimator(problem, stats)
    near = [set(estimator.around[v]) for v in range(problem.num_vertices)]
    order = [max(range(problem.num_vertices), key=lambda v: (v in problem.anchored, len(near[v])))]
    while len(order) < problem.num_vertices:
        inside = set(order)
        border = set().union(*(near[u] for u in order)) - inside

        def score(v: int, inside: set[int] = inside, border: set[int] = border) -> tuple[int, int, int]:
            return len(near[v] & inside), len(near[v] & border), len(near[v] - inside - border)

        order.append(max(border, key=score))
    return _with_best_tail(estimator, tuple(order), counting, max_tail)


def order_by_core(problem: Problem, stats: Statistics, *, counting: bool, max_tail: int = 99) -> Order:
    """GENEVA's order, for engines that match several vertices in one step."""
    estimator = Estimator(problem, stats)
    return _with_best_tail(estimator, core_order(problem, tuple(estimator.sizes)), counting, max_tail)


def order_by_gsi(problem: Problem, stats: Statistics, *, counting: bool, max_tail: int = 99) -> Order:
    """GSI's order: the vertex with the best score |C(u)| / degree first, then always the best one next to the prefix.

    Every vertex that is taken makes its neighbours dearer by how common the edges to them are, so that rare ones are
    followed first.
    """
    estimator = Estimator(problem, stats)
    k = problem.num_vertices
    score = [estimator.sizes[v] / max(len(estimator.around[v]), 1) for v in range(k)]
    order: list[int] = []
    while len(order) < k:
        border = {u for v in order for u in estimator.around[v]} - set(order)
        best = min(
            border or set(range(k)) - set(order), key=lambda v: (v not in problem.anchored, score[v], v)
        )
        order.append(best)
        for v, fan in estimator.around[best].items():
            # around[best][v] is how many candidates of `best` a candidate of v leads to: the edge's frequency.
            score[v] *= max(fan * estimator.sizes[v], 1.0) / max(stats.num_vertices, 1)
    return _with_best_tail(estimator, tuple(order), counting, max_tail)


def _tails(problem: Problem, order: Sequence[int], counting: bool, max_tail: int) -> Iterator[int]:
    longest = min(longest_tail(problem, order), max_tail) if counting else 0
    yield from range(min(1, longest), longest + 1)


def _with_best_tail(estimator: Estimator, order: Sequence[int], counting: bool, max_tail: int) -> Order:
    partial, costs = [estimator.sizes[order[0]]], [estimator.sizes[order[0]]]
    for depth in range(1, len(order)):
        matches, added = estimator.extend(order[depth], order[:depth], partial)
        partial.append(matches)
        costs.append(added)
    best = None
    for length in _tails(estimator.problem, order, counting, max_tail):
        cut = len(order) - length
        total = sum(costs[:cut])
        if length:
            total += estimator.tail_cost(order[cut:], order[:cut], partial[:cut])
        if best is None or total < best.cost:
            best = Order(tuple(order[:cut]), tuple(order[cut:]), total, by_level=tuple(costs[:cut]))
    assert best is not None
    return best


class _Exhaustive:
    """Every connected order, cut short as soon as it costs more than the best one known, or than `limit`."""

    def __init__(
        self, estimator: Estimator, counting: bool, max_tail: int, limit: float | None = None
    ) -> None:
        self.estimator = estimator
        self.counting = counting
        self.max_tail = max_tail
        self.limit = limit
        problem = estimator.problem
        group = problem.pattern.automorphism_count(extra_colors=problem.colors())
        self.alike = group > 1 and not problem.imposed
        """Some vertices cost the same, as a symmetry exchanges them."""
        self.most = math.inf if limit is None else limit
        """What an order may cost."""
        self.best = Order((), (), math.inf)
        self.found: list[Order] = []
        """With a limit: all that cost less."""
        if limit is None:
            greedy = greedy_order(problem, estimator.stats)[0]
            known = _with_best_tail(estimator, greedy, counting, max_tail)
            if problem.num_vertices == EXHAUSTIVE_UP_TO and known.cost < _NOT_WORTH_IT:
                self.best = known
                return
            if not self.alike:  # then it is among those that are looked at
                self.most = known.cost * (1 + 1e-9) + 1e-9  # what cannot match costs nothing in any order
        for start in self.unlike([], range(estimator.problem.num_vertices)):
            self.grow([start], [estimator.sizes[start]], [estimator.sizes[start]])

    def note(self, order: Order) -> None:
        if order.cost < self.best.cost:
            self.best = order
            self.most = self.most if self.limit is not None else min(self.most, order.cost)
        if self.limit is not None and order.cost <= self.limit:
            self.found.append(order)

    def unlike(self, order: list[int], rest: Sequence[int]) -> Sequence[int]:
        """One vertex of each kind: those that a symmetry exchanges, while the order's stay, cost the same."""
        if not self.alike:
            return rest
        problem = self.estimator.problem
        orbits = problem.pattern.orbits_under(sorted(order), extra_colors=problem.colors())
        firsts = {min(orbit) for orbit in orbits}
        return [v for v in rest if v in firsts]

    def grow(self, order: list[int], partial: list[float], costs: list[float]) -> None:
        cost = sum(costs)
        if cost >= self.most:
            return
        if len(order) == self.estimator.problem.num_vertices:
            if not self.counting or min(self.max_tail, longest_tail(self.estimator.problem, order)) == 0:
                self.note(Order(tuple(order), (), cost, by_level=tuple(costs)))
            return
        rest = [v for v in range(self.estimator.problem.num_vertices) if v not in order]
        self.try_tail(order, rest, partial, costs)
        for vertex in self.unlike(order, rest):
            if self.estimator.depths(vertex, order):
                matches, added = self.estimator.extend(vertex, order, partial)
                self.grow([*order, vertex], [*partial, matches], [*costs, added])

    def try_tail(self, order: list[int], rest: list[int], partial: list[float], costs: list[float]) -> None:
        """Count everything that is left, where that is possible."""
        if not self.counting or len(rest) > self.max_tail:
            return
        if longest_tail(self.estimator.problem, [*order, *rest]) < len(rest):
            return
        if all(self.estimator.depths(v, order) for v in rest):
            for loose in (False, True):
                total = sum(costs) + self.estimator.tail_cost(rest, order, partial, loose=loose)
                self.note(Order(tuple(order), tuple(rest), total, loose=loose, by_level=tuple(costs)))
