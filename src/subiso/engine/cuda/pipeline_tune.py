"""Tuning of schedule `pipeline` as data: chunks, hash tables, launches. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from subiso.plan.joins import TWIG_ROWS

LEAST_TURNS = 512
"""Records that a lane looks at before its warp gives work back for lack of company."""
_STATES_PER_LANE = 5
_STATE_BYTES = 256 << 20
_UNITS_PER_WARP = 8
_LEAST_PART = 32
_MOST_PART = float((1 << 32) - 64)
"""Rows of a table: their numbers take 32 bits."""
_FRUGAL = 256
"""Part of the tables that is kept where memory is short."""
_FRUGAL_ROWS = 1 << 12


@dataclass(frozen=True)
class PipelineWishes:
    """Overrides, for tests and ablations; None = by the rules below."""

    chunk_rows: int = 1 << 20
    """Rows of the probe that are on the device at a time."""
    first_chunk: int = 1 << 16
    """Rows of the first chunk: those who want a few results only get them soon."""
    twig_rows: float = TWIG_ROWS
    """Twigs with more rows are split, down to single links."""
    table_bytes: int | None = None
    """For all hash tables; None = a quarter of the device's memory. Relations that are larger are joined in parts."""
    prune: bool = True
    """What a twig leaves of a vertex's candidates binds the other twigs."""
    leaf_order: bool = True
    """Probe and joins by estimated sizes; else in the order of the decomposition."""
    weigh: bool = True
    """Counts do not match what hangs from the rest of a pattern by one vertex: it is a weight of that vertex."""
    overlap: bool = True
    """The CPU lists the next chunk while the device joins the present one."""
    least_turns: int = LEAST_TURNS
    unit: int | None = None
    """Rows that a warp takes at a time."""


def frugal(wishes: PipelineWishes, memory: int) -> PipelineWishes:
    """The same where memory is short: small chunks, and small tables, so that relations are joined in parts.

    >>> frugal(PipelineWishes(), 1 << 30).table_bytes
    1048576
    """
    chunk_rows = min(wishes.chunk_rows, _FRUGAL_ROWS)
    return replace(wishes, chunk_rows=chunk_rows, table_bytes=table_bytes(wishes, memory) // _FRUGAL)


def table_bytes(wishes: PipelineWishes, memory: int) -> int:
    """For all hash tables, on a device with so much memory."""
    return wishes.table_bytes or memory // 4


def padded(rows: int) -> int:
    """Rows of a column, rounded up so that every column begins at a full transaction.

    >>> padded(33)
    64
    """
    return -(-rows // 32) * 32


def unit_rows(rows: int, warps: int, wish: int | None = None) -> int:
    """Rows that a warp takes at a time: some units each, so that all end together.

    >>> unit_rows(1 << 20, 1000), unit_rows(100, 1000)
    (160, 32)
    """
    return wish or max(32, min(1024, padded(rows // (_UNITS_PER_WARP * warps))))


def state_capacity(lanes: int, words: int) -> int:
    """States that lanes may save: twice as many as there are lanes at least, so that none is ever lost.

    >>> state_capacity(1000, 10)
    5000
    """
    return lanes * max(2, min(_STATES_PER_LANE, _STATE_BYTES // (4 * words * lanes)))


def extra_room(capacity: int, lanes: int, states: int) -> int:
    """States that a launch may save beside one per lane. All that are there when it begins stay where they are: some
    warp may be slow to take the first of them, while others save their own.

    >>> extra_room(5000, 1000, 0), extra_room(5000, 1000, 2500), extra_room(5000, 1000, 4000)
    (3000, 500, 0)
    """
    return max(0, capacity - 2 * lanes - states)


def chains_for(rows: int) -> int:
    """Chains of a hash table: the power of two that is no smaller than the rows.

    >>> chains_for(5), chains_for(1)
    (8, 1)
    """
    return 1 << max(rows - 1, 0).bit_length()


def part_rows(rows: Sequence[float], widths: Sequence[int], budget: int) -> list[int]:
    """Per relation the rows that its hash table may hold at a time; all of them where the budget suffices.

    Every combination of parts is a pass, so those that need least have it whole, and the others as much as each other.
    `widths` are words of a record; heads take up to two more.

    >>> part_rows([1000.0, 10.0], [3, 3], 1 << 20), part_rows([1000.0, 10.0], [3, 3], 8000)
    ([1000, 10], [416, 10])
    """
    record = [4 * (width + 2) for width in widths]
    most = [max(int(min(count, _MOST_PART)), 1) for count in rows]
    left = budget
    for done, i in enumerate(sorted(range(len(rows)), key=lambda i: record[i] * most[i])):
        share = left // (len(rows) - done) // record[i]
        most[i] = min(most[i], max(_LEAST_PART, padded(share)))
        left = max(left - record[i] * most[i], 0)
    return most
