"""Pass: the counting tail. Vertices at the end of the order that are not joined to each other are counted from set
sizes instead of being matched one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from subiso.plan.problem import Problem

_MOST_TERMS = 64  # products of set sizes that a tail may need; set partitions grow quickly
_LARGEST = 2**62  # coefficient that a program holds
Blocks = tuple[tuple[int, ...], ...]


def longest_tail(problem: Problem, order: Sequence[int]) -> int:
    """How many vertices at the end of the order can be counted instead of matched (0 = none)."""
    if problem.edges_to_tell_apart:
        return 0
    apart = problem.joined_or_compared
    length = 0
    while length + 1 < len(order):
        tail = order[len(order) - length - 1 :]
        vertex, others = tail[0], sum(1 << v for v in tail[1:])
        if apart[vertex] & (others | 1 << vertex):
            break
        if length >= 2:
            terms = tail_terms(problem, tuple(sorted(tail)))
            if len(terms) > _MOST_TERMS or max(map(abs, terms.values()), default=0) >= _LARGEST:
                break
        length += 1
    return length


def tail_terms(problem: Problem, tail: tuple[int, ...], marked: int | None = None) -> dict[Blocks, int]:
    """The number of ways to choose the tail's vertices, as coefficients of products of block sizes.

    A key lists blocks; a block stands for the size of the intersection of its members' sets. Where vertices must
    differ, all set partitions take part: the coefficient of one is the product of (-1)^(b-1) (b-1)! over its
    blocks (Moebius inversion on the partition lattice). Members whose candidates do not overlap are never equal.

    Vertices of one kind choose from the same set, so the first of them stands for all in the blocks, and few products
    are left: 12 leaves of a star need 12, of the 4,213,597 partitions. A `marked` vertex stands for itself.
    """
    if not problem.injective:
        return {tuple((v,) for v in tail): 1}
    kinds = tail_kinds(problem, tail, marked)
    firsts = tuple(kinds)
    overlaps = None
    if problem.overlaps:
        overlaps = tuple(
            sum(1 << j for j, w in enumerate(firsts) if problem.overlaps[v] >> w & 1) for v in firsts
        )
    terms = _distinct_terms(tuple(len(members) for members in kinds.values()), overlaps)
    return {
        tuple(sorted(tuple(sorted(firsts[kind] for kind in block)) for block in blocks)): weight
        for blocks, weight in terms.items()
    }


def tail_kinds(problem: Problem, tail: tuple[int, ...], marked: int | None = None) -> dict[int, list[int]]:
    """The tail's vertices by the first of their kind: those that have the same conditions are of one kind.

    They may be exchanged, whatever the restrictions: an orbit that these come from holds all of them or none.
    """
    kinds: dict[object, list[int]] = {}
    for v in tail:
        kinds.setdefault((problem.conditions[v], v == marked), []).append(v)
    return {members[0]: members for members in kinds.values()}


@lru_cache(maxsize=1024)
def _distinct_terms(counts: tuple[int, ...], overlaps: tuple[int, ...] | None = None) -> dict[Blocks, int]:
    """The terms for so many vertices of each kind; blocks list kinds. The block of the first vertex is chosen, and what
    others it takes in; then the rest goes on alike.

    >>> _distinct_terms((3,))                   # n (n - 1) (n - 2)
    {((0,), (0,), (0,)): 1, ((0,), (0,)): -3, ((0,),): 2}
    >>> _distinct_terms((1, 1))
    {((0,), (1,)): 1, ((0, 1),): -1}
    """
    first = next((kind for kind, count in enumerate(counts) if count), None)
    if first is None:
        return {(): 1}
    terms: dict[Blocks, int] = {}
    taken = [range(1, n + 1) if kind == first else range(n + 1) for kind, n in enumerate(counts)]
    for inside in product(*taken):
        block = tuple(kind for kind, n in enumerate(inside) if n)
        if overlaps is not None and not all(overlaps[a] >> b & 1 for a in block for b in block):
            continue
        size = sum(inside)
        weight = (-1) ** (size - 1) * math.factorial(size - 1)
        for kind, (n, m) in enumerate(zip(counts, inside, strict=True)):
            weight *= math.comb(n - 1, m - 1) if kind == first else math.comb(n, m)
        rest = tuple(n - m for n, m in zip(counts, inside, strict=True))
        for blocks, further in _distinct_terms(rest, overlaps).items():
            key = tuple(sorted((block, *blocks)))
            terms[key] = terms.get(key, 0) + weight * further
    return terms
