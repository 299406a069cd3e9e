"""Pass: the counting tail. Vertices at the end of the order that are not joined to each other are counted from set
sizes instead of being matched one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from subiso.plan.problem import Problem

_MOST_TERMS = 64  # products of set sizes that a tail may need; set partitions grow quickly
Blocks = tuple[tuple[int, ...], ...]


def longest_tail(problem: Problem, order: Sequence[int]) -> int:
    """How many vertices at the end of the order can be counted instead of matched (0 = none)."""
    if problem.mode == "edge-isomorphism":
        return 0
    apart = problem.joined_or_compared
    length = 0
    while length + 1 < len(order):
        tail = order[len(order) - length - 1 :]
        vertex, others = tail[0], sum(1 << v for v in tail[1:])
        if apart[vertex] & (others | 1 << vertex):
            break
        if length >= 2 and len(tail_terms(problem, tuple(sorted(tail)))) > _MOST_TERMS:
            break
        length += 1
    return length


def tail_terms(problem: Problem, tail: tuple[int, ...]) -> dict[Blocks, int]:
    """The number of ways to choose the tail's vertices, as coefficients of products of block sizes.

    A key lists blocks; a block stands for the size of the intersection of its members' sets. Where vertices must
    differ, all set partitions take part: the coefficient of one is the product of (-1)^(b-1) (b-1)! over its
    blocks (Moebius inversion on the partition lattice). Members whose candidates do not overlap are never equal.
    """
    if not problem.injective:
        return {tuple((v,) for v in tail): 1}
    return _distinct_terms(tail, tuple(problem.overlaps[v] for v in tail) if problem.overlaps else None)


@lru_cache(maxsize=1024)
def _distinct_terms(tail: tuple[int, ...], overlaps: tuple[int, ...] | None = None) -> dict[Blocks, int]:
    """
    >>> _distinct_terms((7, 8))
    {((7,), (8,)): 1, ((7, 8),): -1}
    """
    return {tuple(sorted(blocks)): weight for blocks, weight in distinct_terms(tail, overlaps)}


def distinct_terms(items: tuple[int, ...], overlaps: tuple[int, ...] | None) -> Iterator[tuple[Blocks, int]]:
    """Every way in which items may coincide, and its coefficient in the number of ways to choose them all different.

    >>> list(distinct_terms((0, 1), None))
    [(((0,), (1,)), 1), (((0, 1),), -1)]
    """
    for blocks in _partitions(items, overlaps):
        yield blocks, math.prod((-1) ** (len(b) - 1) * math.factorial(len(b) - 1) for b in blocks)


def _partitions(items: tuple[int, ...], overlaps: tuple[int, ...] | None) -> Iterator[Blocks]:
    """Every way to split the items into blocks of items that overlap (overlaps[i]: bits of what items[i] overlaps).

    >>> sorted(map(len, _partitions((0, 1, 2), None)))
    [1, 2, 2, 2, 3]
    """
    if not items:
        yield ()
        return
    first = items[0]
    near = None if overlaps is None else overlaps[0]
    for smaller in _partitions(items[1:], None if overlaps is None else overlaps[1:]):
        yield ((first,), *smaller)
        for i, block in enumerate(smaller):
            if near is None or all(near >> v & 1 for v in block):
                yield (*smaller[:i], (first, *block), *smaller[i + 1 :])
