"""Sorting rows of small numbers: packed into one 64-bit word each where they fit, which is several times as fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = tuple[NDArray[np.uint32], ...]


def sort_rows(columns: Sequence[NDArray[Any]], limits: Sequence[int], *, distinct: bool = False) -> Columns:
    """The rows of some columns in order, the first column first; each `distinct` row once. Column i is < limits[i].

    >>> [c.tolist() for c in sort_rows([np.array([2, 1, 2]), np.array([0, 7, 0])], [3, 8], distinct=True)]
    [[1, 2], [7, 0]]
    """
    bits = [max(limit - 1, 0).bit_length() for limit in limits]
    if sum(bits) > 64:
        return _sort_wide(columns, distinct)
    packed = np.zeros(len(columns[0]), np.uint64)
    for column, width in zip(columns, bits, strict=True):
        packed = packed << np.uint64(width) | column.astype(np.uint64)
    packed.sort()
    if distinct:
        packed = packed[_fresh([packed])]
    found = []
    for width in reversed(bits):
        found.append((packed & np.uint64((1 << width) - 1)).astype(np.uint32))
        packed >>= np.uint64(width)
    return tuple(reversed(found))


def _sort_wide(columns: Sequence[NDArray[Any]], distinct: bool) -> Columns:
    order = np.lexsort(tuple(reversed(columns)))
    found = [column[order].astype(np.uint32) for column in columns]
    if distinct:
        fresh = _fresh(found)
        found = [column[fresh] for column in found]
    return tuple(found)


def _fresh(columns: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which rows differ from the one before."""
    fresh = np.ones(len(columns[0]), bool)
    fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return fresh


def run_starts(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Where runs of equal rows begin.

    >>> run_starts(np.array([4, 4, 5]), np.array([1, 1, 1])).tolist()
    [0, 2]
    """
    return np.flatnonzero(_fresh(columns)) if len(columns[0]) else np.zeros(0, np.int64)
