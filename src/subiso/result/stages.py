"""The stages a stream of matches passes on its way out: projection, distinct rows, sample, limit, order.

Each takes and gives an iterator of two-dimensional arrays (rows, columns) and holds as little as its task
allows: `distinct` one entry per different row, `sample` and a limited `in_order` about as many rows as asked
for, the others a batch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.base import StoppedBy
from subiso.engine.clock import NEVER, Deadline

_TRIAL = 4096  # rows whose sort is timed
_TRIALS = 3  # of which the quickest counts: the others were disturbed
_MISSES = 2.0  # times as long as in the cache, and the copy of all batches into one

Table = NDArray[Any]
"""Rows of vertex and edge ids: uint32, or int64 when there are edge ids among them."""


class Report:
    """What a pass over the matches has found out so far."""

    def __init__(self) -> None:
        self.rows = 0
        self.stopped_by: StoppedBy | None = None


def project(batches: Iterable[Table], columns: list[int]) -> Iterator[Table]:
    """Keep the chosen columns, in the given order."""
    for batch in batches:
        yield batch[:, columns]


def distinct(batches: Iterable[Table], num_vertices: int) -> Iterator[Table]:
    """Drop rows seen before. One column needs a byte per vertex, several an entry per different row."""
    seen_vertices: NDArray[np.bool_] | None = None
    seen_rows: set[bytes] = set()
    for batch in batches:
        if batch.shape[1] == 1 and batch.dtype == np.uint32:
            if seen_vertices is None:
                seen_vertices = np.zeros(num_vertices, dtype=bool)
            values = np.unique(batch)
            values = values[~seen_vertices[values]]
            seen_vertices[values] = True
            fresh = values.reshape(-1, 1)
        else:
            rows = np.unique(batch, axis=0)
            keys = [row.tobytes() for row in rows]
            is_new = [key not in seen_rows for key in keys]
            seen_rows.update(keys)
            fresh = rows[is_new]
        if len(fresh):
            yield fresh


def first(batches: Iterable[Table], limit: int, report: Report) -> Iterator[Table]:
    """The first `limit` rows. Looks one row ahead: a limit met exactly by the last row stops nothing."""
    left = limit
    for batch in batches:
        if left and len(batch):
            yield batch[:left]
        if len(batch) > left:
            report.stopped_by = "limit"
            return
        left -= len(batch)


def in_order(
    batches: Iterable[Table], limit: int | None, report: Report, batch_rows: int, deadline: Deadline = NEVER
) -> Iterator[Table]:
    """All rows in ascending order, or the `limit` smallest (then no more than those are held).

    Ends early where sorting what is held would last beyond the deadline.
    """
    kept: list[Table] = []
    held, cut = 0, False
    sorting = _Sorting()
    for batch in batches:
        # Most rows can be told from the smallest ones by their first column.
        kept.append(batch[batch[:, 0] <= kept[0][-1, 0]] if cut and limit else batch)
        held += len(kept[-1])
        if limit is not None and held > limit + max(limit, batch_rows):
            kept, held = [_sorted(np.concatenate(kept))[:limit]], limit
            cut = True
        left = deadline.left()
        if left is not None and sorting.seconds(held, batch) >= left:
            report.stopped_by = report.stopped_by or "timeout"
            close = getattr(batches, "close", None)
            if close is not None:
                close()
            break
    if not kept:
        return
    table = _sorted(np.concatenate(kept))
    if limit is not None and (cut or len(table) > limit):
        table = table[:limit]
        report.stopped_by = report.stopped_by or "limit"
    for start in range(0, len(table), batch_rows):
        yield table[start : start + batch_rows]


def sample(batches: Iterable[Table], size: int, seed: int, *, merge: bool) -> Iterator[Table]:
    """A uniform sample without replacement: the `size` rows with the smallest keyed hash.

    It depends on the set of rows and the seed alone, not on the order in which threads find them. Equal rows
    have equal hashes: `merge` keeps one of them, which makes it a sample of the distinct rows.
    """
    kept: list[tuple[Table, NDArray[np.uint64]]] = []
    held = 0
    for batch in batches:
        kept.append((batch, hash_rows(batch, seed)))
        held += len(batch)
        if held > size + max(size, 65_536):
            kept = [_smallest(kept, size, merge)]
            held = len(kept[0][0])
    if kept and size:
        rows, _ = _smallest(kept, size, merge)
        if len(rows):
            yield rows


def _smallest(
    kept: list[tuple[Table, NDArray[np.uint64]]], size: int, merge: bool
) -> tuple[Table, NDArray[np.uint64]]:
    rows = np.concatenate([r for r, _ in kept])
    hashes = np.concatenate([h for _, h in kept])
    order = np.lexsort((*rows.T[::-1], hashes))  # by hash; the rows settle the rare tie
    rows, hashes = rows[order], hashes[order]
    if merge and len(rows) > 1:
        fresh = np.concatenate(([True], (rows[1:] != rows[:-1]).any(axis=1)))
        rows, hashes = rows[fresh], hashes[fresh]
    return rows[:size], hashes[:size]


def hash_rows(rows: Table, seed: int) -> NDArray[np.uint64]:
    """A keyed 64-bit hash of each row: a multiply-and-shift mixer over its columns.

    >>> h = hash_rows(np.array([[1, 2], [2, 1], [1, 2]], dtype=np.uint32), seed=7)
    >>> bool(h[0] == h[2]), bool(h[0] == h[1])
    (True, False)
    """
    state = np.full(len(rows), seed % 2**64, dtype=np.uint64)
    state = _mix(state)
    for column in rows.T:
        state = _mix(state ^ column.astype(np.uint64))
    return state


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    # The finaliser of the SplitMix64 generator, behind its additive step.
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class _Sorting:
    """Foretells how long a sort takes, from how long those of the first batches do."""

    def __init__(self) -> None:
        self._each: list[float] = []
        """Seconds per row and level of a merge sort, by trial."""

    def seconds(self, rows: int, batch: Table) -> float:
        """That a sort of so many rows takes; `batch` is one to try it with."""
        if len(self._each) < _TRIALS and len(batch) >= _TRIAL:
            started = time.perf_counter()
            _sorted(batch)
            taken = time.perf_counter() - started
            self._each.append(_MISSES * taken / (len(batch) * math.log2(len(batch))))
        return min(self._each, default=0.0) * rows * math.log2(max(rows, 2))


def _sorted(table: Table) -> Table:
    return table[np.lexsort(table.T[::-1])]
