"""The ways in which things may coincide, with their coefficients in the number of ways to choose them all different."""

from __future__ import annotations

import math
from collections.abc import Iterator

Blocks = tuple[tuple[int, ...], ...]


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
