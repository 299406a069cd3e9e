"""Tables of wedges' ends in a block's shared memory: ranges of vertices that fit, and seeds in parts. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

PARTS = 64
"""That a tile is cut into at most (kTileParts in kernels/motifs.cuh)."""
MOST_FEW = 2048
"""Wedges whose ends a block has room to list (kFewWedges in kernels/motifs_deal.cuh)."""
_FEW = 0x8000
_NARROW, _HALF = 256, 65_536
"""Neighbours that do not fit into a byte, into a half word."""


@dataclass(frozen=True)
class Range:
    """Vertices from `begin` to `end`; those below `narrow_end` have a byte each, below `half_end` two, others four."""

    begin: int
    end: int
    narrow_end: int
    half_end: int

    @property
    def words(self) -> int:
        """Of its table."""
        wide = self.end - self.half_end
        return (self.narrow_end - self.begin) // 4 + (self.half_end - self.narrow_end) // 2 + wide


class Ranges:
    """All ranges of a graph's vertices.

    >>> Ranges(np.array([0, 1, 1, 1, 2, 2, 3, 3, 300])).tiles(room=64)
    [Range(begin=0, end=9, narrow_end=8, half_end=8)]
    >>> some = Ranges(np.array([0, 1, 1, 1] + [2] * 60))
    >>> [(each.begin, each.end, each.words) for each in some.tiles(room=56)]
    [(20, 64, 11), (4, 20, 4)]
    """

    def __init__(self, degrees: Numbers) -> None:
        self.end = len(degrees)
        self.first = _first(degrees, 2)
        """Whoever is below has one neighbour at most, and is not the end of two paths."""
        self.narrow_end, self.half_end = _first(degrees, _NARROW), _first(degrees, _HALF)

    def between(self, begin: int, end: int) -> Range:
        half_end = min(max(self.half_end, begin), end)
        return Range(begin, end, min(max(self.narrow_end, begin), half_end), half_end)

    def tiles(self, room: int) -> list[Range]:
        """Ranges with tables of at most so many bytes, highest vertices first: all, or those that may be ends."""
        whole = self.between(0, self.end)
        if 4 * whole.words <= room:
            return [whole]
        total = 4 * self.between(self.first, self.end).words
        # Even ones; as a beginning is a multiple of four, a tile may have 16 bytes to spare.
        size = -(-total // -(-total // (room - 16))) + 16
        tiles: list[Range] = []
        end = self.end
        while end > self.first:
            tiles.append(self._up_to(end, size))
            end = tiles[-1].begin
        return tiles

    def below(self, tile: Range) -> Range:
        """All that may be ends and are in no tile up to this one."""
        return self.between(min(self.first, tile.begin), tile.begin)

    def _up_to(self, end: int, size: int) -> Range:
        """The largest one with a table of so many bytes."""
        low, high = self.first // 4, -(-end // 4) - 1
        while low < high:
            middle = (low + high) // 2
            if 4 * self.between(4 * middle, end).words <= size:
                high = middle
            else:
                low = middle + 1
        return self.between(4 * low, end)


def _first(degrees: Numbers, least: int) -> int:
    """The first vertex with so many neighbours, or one of the three before it."""
    enough = degrees >= least
    return int(enough.argmax() if enough.any() else len(degrees)) // 4 * 4


def cuts_of(degrees: Numbers, tile: Range) -> NDArray[np.uint32]:
    """Where its parts begin, and its end: parts that are the ends of about as many edges.

    >>> cuts = cuts_of(np.array([1] * 64 + [64]), Range(0, 65, 64, 64))
    >>> cuts[0], cuts[32], cuts[64]
    (np.uint32(0), np.uint32(64), np.uint32(65))
    """
    sums = np.concatenate([[0], np.cumsum(degrees[tile.begin : tile.end])])
    wanted = sums[-1] * np.arange(PARTS + 1) // PARTS
    cuts: NDArray[np.uint32] = (tile.begin + np.searchsorted(sums, wanted)).astype(np.uint32)
    cuts[0], cuts[-1] = tile.begin, tile.end
    return cuts


@dataclass(frozen=True, eq=False)
class Items:
    """Seeds, or parts of their work, those with most wedges first."""

    seeds: NDArray[np.uint32]
    parts: NDArray[np.uint32]
    """Which part of how many, and whether it is few (Part in kernels/motifs_deal.cuh)."""
    wedges: Numbers

    def work(self, share: float, words: int) -> Numbers:
        """About, in wedges, for a table of so many words that has so many of the ends."""
        least = np.where(self.parts & _FEW, 300, 700 + words // 32)  # meeting, clearing the table
        work: Numbers = (self.wedges * share).astype(np.int64) + least
        return work


def dealt(seeds: NDArray[np.intp], wedges: Numbers, blocks: int, most: int, few: int = MOST_FEW) -> Items:
    """Seeds with that many wedges; those with very many in several parts, so that no block is busy for long.

    >>> items = dealt(np.array([3, 5]), np.array([10, 70]), blocks=1, most=4, few=15)
    >>> items.seeds.tolist(), [hex(code) for code in items.parts], items.wedges.tolist()
    ([5, 5, 5, 5, 3], ['0x40000', '0x40001', '0x40002', '0x40003', '0x18000'], [17, 17, 17, 17, 10])
    """
    target = max(1.0, float(wedges.sum()) / (4 * blocks))
    parts = 1 << np.ceil(np.log2(np.clip(wedges / target, 1, most))).astype(np.int64)
    parts[wedges <= few] = 1
    order = np.argsort(-(wedges // parts), kind="stable")
    of = np.repeat(parts[order], parts[order])
    which = np.repeat(order, parts[order])
    ends = np.cumsum(parts[order])
    number = np.arange(len(which)) - np.repeat(ends - parts[order], parts[order])
    codes = number | of << 16 | np.where(wedges[which] <= few, _FEW, 0)
    return Items(seeds[which].astype(np.uint32), codes.astype(np.uint32), wedges[which] // of)
