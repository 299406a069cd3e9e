"""The matching order of large patterns: greedy, in time linear in the pattern's edges.

The core first, its most selective vertex leading and always the vertex with fewest expected candidates next; then the
leaves, which hang from one vertex each: what cannot fail any more comes last, and is counted instead of matched.
"""

from __future__ import annotations

from collections.abc import Sequence

from subiso.plan.problem import Problem
from subiso.storage.statistics import Statistics


def greedy_order(
    problem: Problem, stats: Statistics, begin: Sequence[int] = ()
) -> tuple[tuple[int, ...], list[float]]:
    """(order, estimated number of partial matches of every length); the order may be told how to begin."""
    k = problem.num_vertices
    sizes = problem.sizes or (float(stats.num_vertices),) * k
    around: list[dict[int, float]] = [{} for _ in range(k)]
    fans = problem.fans or ((stats.mean_degree, stats.mean_degree),) * len(problem.links)
    for link, (ahead, back) in zip(problem.links, fans, strict=True):
        around[link.a][link.b] = ahead
        around[link.b][link.a] = back
    is_leaf = [len(near) < 2 for near in around]
    start = begin[0] if begin else _start(problem, sizes, around, is_leaf)
    order = [start]
    expected: dict[int, float] = {}
    placed = {start}
    matches = sizes[start]
    partial = [matches]
    closure = stats.closure
    while True:
        for v, fan in around[order[-1]].items():
            if v not in placed:
                known = expected.get(v)
                if known is None:
                    expected[v] = min(fan, sizes[v])
                else:
                    expected[v] = known * min(1.0, max(closure, fan / (sizes[v] or 1.0)))
        if not expected:
            return tuple(order), partial
        best = (
            begin[len(order)]
            if len(order) < len(begin)
            else min(expected, key=lambda v: (is_leaf[v], expected[v], -len(around[v])))
        )
        matches *= max(expected.pop(best), 1e-9)
        partial.append(matches)
        order.append(best)
        placed.add(best)


def _start(
    problem: Problem, sizes: tuple[float, ...], around: list[dict[int, float]], is_leaf: list[bool]
) -> int:
    if problem.anchored:
        return min(problem.anchored)
    return min(range(len(around)), key=lambda v: (is_leaf[v], sizes[v] / max(len(around[v]), 1)))
