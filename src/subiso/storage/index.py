"""What the storage layouts of one relation have in common: look-ups, sizes, and how much memory a look-up touches.

Layouts are arrays as a device reads them. `find` does on the host, for many vertices at once, exactly what the kernels'
stores (kernels/stores.cuh) do for one, and counts the distinct lines of 128 bytes that it reads on the way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LINE = 128
"""Bytes that a device reads in one transaction."""

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Found:
    """Where lists were found: empty ones have end == begin. `lines` were read to find them, not counting the lists."""

    begin: Whole
    end: Whole
    lines: Whole


class Trace:
    """The lines that look-ups touch, one look-up per vertex; a line counts once per look-up."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._touched: list[Whole] = []
        self._arrays = 0

    def array(self) -> int:
        """A number for an array, which has lines of its own."""
        self._arrays += 1
        return self._arrays

    def read(self, array: int, index: Whole, size: int, where: NDArray[np.bool_] | None = None) -> None:
        """Notes that every look-up (`where`: some of them) reads element `index` of `size` bytes."""
        line = index * size // LINE + (array << 48)
        self._touched.append(line if where is None else np.where(where, line, -1))

    def lines(self) -> Whole:
        """The number of distinct lines per look-up."""
        if not self._touched:
            return np.zeros(self.count, np.int64)
        lines = np.sort(np.stack(self._touched), axis=0)
        fresh = lines >= 0
        fresh[1:] &= lines[1:] != lines[:-1]
        found: Whole = fresh.sum(axis=0)
        return found


class Index(ABC):
    """One relation in one layout."""

    neighbors: NDArray[np.uint32]
    """All lists; those of a vertex stand together, sorted."""

    @property
    @abstractmethod
    def arrays(self) -> Sequence[NDArray[Any]]:
        """What lies on a device for this relation alone."""

    @abstractmethod
    def find(self, vertices: NDArray[np.uint32]) -> Found:
        """Where the lists of these vertices are."""

    @abstractmethod
    def total_length(self, vertices: NDArray[np.uint32]) -> int:
        """The sum of the lengths of these vertices' lists, by native look-ups one after the other."""

    @property
    def bytes(self) -> int:
        """Size on a device; what relations share (a renaming) is not in it."""
        return sum(array.nbytes for array in self.arrays)

    def neighbors_of(self, v: int) -> NDArray[np.uint32]:
        """The sorted neighbours of one vertex."""
        found = self.find(np.array([v], np.uint32))
        return self.neighbors[int(found.begin[0]) : int(found.end[0])]


def list_at(trace: Trace, offsets: NDArray[Any], place: Whole, there: NDArray[np.bool_]) -> Found:
    """The lists whose bounds stand at some places of `offsets`, where they are there."""
    place = np.where(there, place, 0)
    array = trace.array()
    trace.read(array, place, 4, there)
    trace.read(array, place + 1, 4, there)
    bounds = offsets.astype(np.int64)
    begin = np.where(there, bounds[place], 0)
    end = np.where(there, bounds[np.minimum(place + 1, len(bounds) - 1)], 0)
    return Found(begin, end, trace.lines())


def search(
    trace: Trace, sorted_values: NDArray[np.uint32], values: NDArray[np.uint32], stride: int, strict: bool
) -> Whole:
    """How many of `sorted_values` are < each value (not `strict`: <=), by the kernels' binary search.

    `stride` is the distance in bytes between two of them.

    >>> search(Trace(2), np.array([2, 4, 6], np.uint32), np.array([4, 9], np.uint32), 4, strict=True).tolist()
    [1, 3]
    """
    begin = np.zeros(len(values), np.int64)
    end = np.full(len(values), len(sorted_values), np.int64)
    # x <= value is x < value + 1, and no value is the largest number.
    wanted = values.astype(np.int64) + (0 if strict else 1)
    return search_ranges(trace, trace.array(), sorted_values, begin, end, wanted, stride)


def search_ranges(
    trace: Trace,
    array: int,
    sorted_values: NDArray[np.uint32],
    begin: Whole,
    end: Whole,
    wanted: Any,
    stride: int,
) -> Whole:
    """The same inside ranges of an array: where the first element >= `wanted` is, `end` where there is none."""
    first, left = begin.copy(), end - begin
    last = max(len(sorted_values) - 1, 0)
    while (going := left > 0).any():
        half = left // 2
        at = np.minimum(first + half, last)
        trace.read(array, at, stride, going)
        go = going & (sorted_values[at] < wanted)
        first += np.where(go, half + 1, 0)
        left = np.where(go, left - half - 1, np.where(going, half, 0))
    return first


def narrow(offsets: Whole) -> NDArray[np.uint32]:
    """Offsets in 32 bits, as all layouts but the plain one keep them."""
    if len(offsets) and int(offsets[-1]) >= 1 << 32:
        raise OverflowError("a relation of 2**32 entries has 64-bit offsets: only the plain CSR can hold it")
    return offsets.astype(np.uint32)
