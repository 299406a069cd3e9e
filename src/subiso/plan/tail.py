"""Pass: the counting tail. Vertices at the end of the order that are not joined to each other are counted from set
sizes instead of being matched one by one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from subiso.plan.problem import Problem

MAX_TAIL = 6  # set partitions grow quickly: 203 of six elements


def longest_tail(problem: Problem, order: Sequence[int]) -> int:
    """How many vertices at the end of the order can be counted instead of matched (0 = none)."""
    if problem.mode == "edge-isomorphism":
        return 0
    joined = _joined(problem)
    compared = {v for pair in problem.pairs for v in (pair.a, pair.b)}
    length = 0
    for at in range(len(order) - 1, 0, -1):
        vertex = order[at]
        if length == MAX_TAIL or vertex in compared or any(joined[vertex] >> w & 1 for w in order[at + 1 :]):
            break
        length += 1
    return length


@lru_cache(maxsize=4096)
def _joined(problem: Problem) -> tuple[int, ...]:
    joined = [0] * problem.num_vertices
    for link in (*problem.links, *problem.forbidden):
        joined[link.a] |= 1 << link.b
        joined[link.b] |= 1 << link.a
    return tuple(joined)


def partitions(items: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to split the items into blocks.

    >>> sorted(map(len, partitions((0, 1, 2))))
    [1, 2, 2, 2, 3]
    """
    if not items:
        yield ()
        return
    first, rest = items[0], items[1:]
    for smaller in partitions(rest):
        yield ((first,), *smaller)
        for i, block in enumerate(smaller):
            yield (*smaller[:i], (first, *block), *smaller[i + 1 :])


@lru_cache(maxsize=64)
def distinct_terms(tail: tuple[int, ...]) -> dict[tuple[tuple[int, ...], ...], int]:
    """The number of ways to choose distinct x_i from sets S_i, as coefficients of products of block sizes.

    A key lists blocks; a block stands for the size of the intersection of its members' sets. The coefficient of a
    partition is the product of (-1)^(b-1) (b-1)! over its blocks (Moebius inversion on the partition lattice).

    >>> distinct_terms((7, 8))
    {((7,), (8,)): 1, ((7, 8),): -1}
    """
    terms: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for blocks in partitions(tail):
        coefficient = math.prod((-1) ** (len(b) - 1) * math.factorial(len(b) - 1) for b in blocks)
        terms[tuple(sorted(blocks))] += coefficient
    return dict(terms)


def tail_terms(problem: Problem, tail: tuple[int, ...]) -> dict[tuple[tuple[int, ...], ...], int]:
    """Like distinct_terms; where vertices may repeat, the plain product."""
    if not problem.injective:
        return {tuple((v,) for v in tail): 1}
    return distinct_terms(tail)
