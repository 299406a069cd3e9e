"""Which team works on which seed of a motif pass, and in what portions. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.local_tune import grouped_by
from subiso.engine.cuda.motif_tiles import MOST_FEW, Items
from subiso.storage.layout import RelationCsr

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class MotifWishes:
    """Overrides, for tests; the numbers were chosen for an H200."""

    blocks: int | None = None
    """At most; None = as many as fit."""
    warps_per_block: int = 4
    """Of warp teams."""
    team_warps: int = 8
    """Of block teams; twice as many where memory allows few blocks."""
    capacity: int = 256
    """Members of a triangle seed that a warp takes."""
    block_capacity: int = 4096
    """Members that a block's table has room for; larger seeds do without."""
    slots: int = 512
    """Of a warp's table of wedges, a power of two; at least 64."""
    row_bytes: int = 1 << 20
    """Bit rows of one seed that every block has room for; larger seeds have few blocks to themselves."""
    large_bytes: int = 256 << 20
    """Bit rows of one seed at most; larger seeds do without."""
    table_bytes: int = 640 << 20
    """For all tables and bitmaps of block teams."""
    tile_bytes: int = 200 << 10
    """Of shared memory, for a block's table of the ends of wedges, at least 17; larger graphs are gone through tile by
    tile."""
    few_wedges: int = MOST_FEW
    """Whose ends are listed."""
    units_per_team: int = 16


class Work:
    """Per vertex, how much each pass has to do there; found when it is asked for."""

    def __init__(self, lists: RelationCsr) -> None:
        # Not the lists themselves: what is known of them is kept as long as they are.
        self._bounds, self._neighbors = lists.bounds, lists.neighbors
        self.degrees: Numbers = lists.lengths
        self.above: Numbers = lists.bounds[2::2] - lists.bounds[1::2]

    @cached_property
    def triangles(self) -> Numbers:
        """Elements of the upper lists of its upper neighbours."""
        sums = self._upper_sums()
        return sums[self._bounds[2::2]] - sums[self._bounds[1::2]]

    @cached_property
    def around(self) -> Numbers:
        """Elements of the upper lists of all its neighbours."""
        sums = self._upper_sums()
        return sums[self._bounds[2::2]] - sums[self._bounds[:-1:2]]

    @cached_property
    def cycles(self) -> Numbers:
        """Paths of two edges to vertices below it, through one below it: at every upper neighbour, what stands before
        it in a list."""
        up = np.arange(self.above.sum())
        before = np.cumsum(self.above) - self.above
        entries = up + np.repeat(self._bounds[1::2] - before, self.above)
        places = up + np.repeat(self.degrees - self.above - before, self.above)
        return self._at_neighbors(self._neighbors[entries], places)

    @cached_property
    def common(self) -> Numbers:
        """Paths of two edges to vertices above it."""
        behind = np.repeat(self._bounds[2::2], self.degrees) - np.arange(len(self._neighbors)) - 1
        return self._at_neighbors(self._neighbors, behind)

    @property
    def pairs(self) -> Numbers:
        """No fewer than the vertices above it with two common neighbours or more."""
        n = len(self.degrees)
        return np.minimum(self.common // 2, n - 1 - np.arange(n))

    @property
    def words(self) -> Numbers:
        """Of a bitmap over its neighbours."""
        return -(-self.degrees // 32)

    @property
    def inside(self) -> Numbers:
        """No fewer than the neighbours that its neighbours have among each other, taken together."""
        least: Numbers = np.minimum(2 * self.around, self.degrees * (self.degrees - 1))
        return least

    @cached_property
    def common_words(self) -> float:
        """Words of the bitmaps of common neighbours."""
        return float((self.common * self.words).sum())

    def _upper_sums(self) -> Numbers:
        return np.concatenate([[0], np.cumsum(self.above[self._neighbors])])

    def _at_neighbors(self, neighbors: NDArray[np.uint32], amounts: Numbers) -> Numbers:
        summed = np.bincount(neighbors, amounts, len(self.degrees))  # exact below 2**53
        return summed.astype(np.int64)


def work_of(lists: RelationCsr) -> Work:
    """The work at every vertex, known once the lists were seen.

    >>> triangle = RelationCsr(np.array([0, 0, 2, 3, 4, 6, 6]), np.array([1, 2, 0, 2, 0, 1], np.uint32))
    >>> work = work_of(triangle)
    >>> work.triangles.tolist(), work.cycles.tolist(), work.common.tolist(), work.around.tolist()
    ([1, 0, 0], [0, 0, 2], [2, 1, 0], [1, 2, 3])
    """
    known = _WORK.get(lists)
    if known is None:
        known = _WORK[lists] = Work(lists)
    return known


_WORK: WeakKeyDictionary[RelationCsr, Work] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Seeds:
    """What teams work on: vertices."""

    numbers: NDArray[np.intp]
    work: Numbers
    """Per vertex of these."""


@dataclass(frozen=True, eq=False)
class TileSeeds:
    """The same for blocks with a table: items, whose work is about their share of the ends."""

    items: Items
    share: float
    words: int
    """Of the table."""

    @property
    def numbers(self) -> NDArray[np.uint32]:
        return self.items.seeds

    @property
    def work(self) -> Numbers:
        return self.items.work(self.share, self.words)


def portions(work: Numbers, units: int) -> tuple[NDArray[np.intp], NDArray[np.uint32]]:
    """An order of the items, those with most work first, and where so many units of about the same work begin in it.

    >>> [part.tolist() for part in portions(np.array([5000, 10, 20, 9000]), 3)]
    [[3, 0, 2, 1], [0, 1, 2, 4]]
    """
    order = np.argsort(-work, kind="stable")
    return order, grouped_by(work[order].astype(np.float64) + 64, units)
