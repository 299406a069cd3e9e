"""Interval PCSR (after GENEVA): a relation's vertices as intervals of new numbers, and an offset per vertex inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.graph.labels import NONE
from subiso.storage.index import Found, Index, Trace, list_at, narrow, search
from subiso.storage.lists import Lists
from subiso.storage.renaming import Renaming


class IntervalPcsr(Index):
    """Lists stand in the order of their vertices' new numbers. An interval is a pair: its first number, and the place
    of that vertex's list; a last pair ends them. Which vertex has which number, the renaming says; lists hold ranks.

    >>> lists = Lists(6, np.array([1, 3, 4], np.uint32), np.array([0, 1, 3, 4]), np.array([2, 0, 5, 1], np.uint32))
    >>> renaming = Renaming(np.array([5, 0, 3, 1, 4, 2], np.uint32), 2)      # 1, 3 and 4 become 0, 1 and 4
    >>> stored = IntervalPcsr(lists, renaming)
    >>> stored.intervals[:-1].tolist(), stored.neighbors_of(3).tolist(), stored.neighbors_of(5).tolist()
    ([[0, 0], [4, 2]], [0, 5], [])
    """

    def __init__(self, lists: Lists, renaming: Renaming) -> None:
        self.renaming = renaming
        new = renaming.new_of[lists.keys].astype(np.int64)
        order = np.argsort(new)
        stored, new = lists.reordered(order), new[order]
        begins = np.ones(len(new), bool)
        begins[1:] = new[1:] != new[:-1] + 1
        at = np.flatnonzero(begins)
        self.intervals = np.empty((len(at) + 1, 2), np.uint32)
        self.intervals[:-1, 0], self.intervals[:-1, 1] = new[at], at
        self.intervals[-1] = NONE, len(new)
        self.offsets = narrow(stored.offsets)
        self.neighbors = stored.neighbors

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        return self.intervals, self.offsets, self.neighbors

    @property
    def num_intervals(self) -> int:
        return len(self.intervals) - 1

    def find(self, vertices: NDArray[np.uint32]) -> Found:
        trace = Trace(len(vertices))
        new = self.renaming.new_of[vertices]
        trace.read(trace.array(), vertices.astype(np.int64), 4)
        after = search(trace, np.ascontiguousarray(self.intervals[:-1, 0]), new, 8, strict=False)
        at = np.maximum(after - 1, 0)
        place = self.intervals[at, 1].astype(np.int64) + new - self.intervals[at, 0].astype(np.int64)
        there = (after > 0) & (place < self.intervals[np.minimum(at + 1, self.num_intervals), 1])
        return list_at(trace, self.offsets, place, there)

    def total_length(self, vertices: NDArray[np.uint32]) -> int:
        flat = self.intervals.ravel()
        return int(_native.look_up_interval(self.renaming.new_of, flat, self.offsets, vertices))
