"""Tuning of schedule `levels` as data: which techniques, how large its tables are, who joins which rows. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

TABLE_BYTES = 384 << 20
"""For all tables of partial matches and what belongs to them."""
SMALL_TABLE_BYTES = 16 << 20
"""Enough for a plan of few operations: whatever it finds goes through in windows."""
OPERATION_BYTES = 64
"""Of tables, per operation that the planner expects."""
LEAST_TABLE_BYTES = 1 << 16
"""With less there is no use in trying."""
AT_ONCE_BLOCKS = 2
"""Of a multiprocessor, of such a launch."""
UNLIMITED = 0xFFFFFFFF
SET_BYTES = 28
"""Of one row and one set of candidates: how many, where they are, and room in the lists of large rows."""
PAIR_BYTES = 8
PLACE_BYTES = 12
"""Of one row where results are counted before they are written."""
HAND_BYTES = 8
"""Of one row whose combinations are gone through, beside its lists."""
LIST_BYTES = 8
"""Of one element of a list, and the number of elements of a row."""
_LEAST_ROWS = 2


@dataclass(frozen=True)
class Limits:
    """Whose work a row is, by its candidates: up to `pool` one warp's, up to `block` it is shared by a block's warps
    with other rows, up to `grid` it has a block for itself, and beyond it is everybody's (SGSI's W3, W2, W1)."""

    pool: int = UNLIMITED
    block: int = UNLIMITED
    grid: int = UNLIMITED


@dataclass(frozen=True)
class LevelsWishes:
    """Techniques and sizes, for tests and ablations; None = by the rules below."""

    output: Literal["atomic", "prealloc", "twice"] = "atomic"
    """Where results go: room taken by warps as they need it (GENEVA), buffers for every candidate that are combined
    afterwards (GSI's Prealloc-Combine), or a first join that counts and a second that writes."""
    first: Literal["shortest", "rarest"] = "shortest"
    """The list that candidates come from: each row's shortest, or that of the relation with fewest edges (GSI)."""
    operands: Literal["read", "copied", "reused", "shared"] = "read"
    """The lists that candidates are looked up in are read where they are; or long rows get a warp each, which copies
    small ones to shared memory (GSI's set operations); rows that it joins one after the other may use a copy again; or
    rows that a block joins at the same time share copies, of candidates too (GSI's duplicate removal). Measured on an
    H200, whose caches hold such lists, copies did not pay (docs/cuda.md)."""
    cache: bool = True
    """Collect results in shared memory and write 128 bytes at a time."""
    balance: bool = True
    """Rows with many candidates are shared by blocks or by the whole device, by a histogram and SGSI's cost model."""
    limits: Limits | None = None
    """Instead of the model's (kernels/levels_balance.cuh)."""
    live: bool = True
    """Tables carry only the columns that are still read."""
    parallel: bool = False
    """Match several vertices in one step where they come from one or two lists of a relation (GENEVA)."""
    eliminate: bool = False
    """Leave edges that are not the one a vertex comes from to steps of their own, one relation each (GENEVA)."""
    partition: bool | None = None
    """Have on the device only the relations that a stage reads, one edge label as a rule, uploaded for it (GENEVA);
    edges are eliminated then. None = where the whole store is larger than the device's budget for graphs."""
    beside: bool = True
    """Upload a partition while the stage before runs, if there is room for two."""
    at_once: bool = False
    """Do all steps of the first descent in one launch. Measured on an H200, blocks that meet between steps lose 0.5 to
    1.2 ms against a few launches per level, so that is for devices on which launches are dear."""
    staged: int = 256
    """Elements of a list that is copied, at most."""
    alone: int = 32
    """Candidates of a row that gets a warp, at least."""
    table_bytes: int = TABLE_BYTES
    """For all tables at most; plans of few operations get less."""
    rows: int | None = None
    """Rows of a table."""
    first_seeds: int = 4096
    """Seeds of a listing's first window; later ones are twice as large each."""
    warps_per_block: int = 8
    blocks: int | None = None


def expected_bytes(cost: float, wishes: LevelsWishes) -> int:
    """For the tables of a plan of that cost.

    >>> [expected_bytes(cost, LevelsWishes()) >> 20 for cost in (1e3, 1e6, 1e12)]
    [16, 61, 384]
    """
    return int(min(wishes.table_bytes, max(SMALL_TABLE_BYTES, OPERATION_BYTES * cost)))


def rows_of_tables(
    widths: Sequence[int], row_bytes: int, seeds: int, longest: int, most_bytes: int, rows: int | None = None
) -> list[int]:
    """How many rows the table of every stage holds, given the positions that stages add and the bytes of a row of each.

    >>> rows_of_tables([1, 1, 1], 100, seeds=100, longest=10, most_bytes=1 << 30)
    [100, 1000, 10000]
    >>> rows_of_tables([1, 0, 2], 100, seeds=100, longest=10, most_bytes=100_000)
    [100, 100, 1000]
    """
    most = max(_LEAST_ROWS, rows or most_bytes // row_bytes)
    found = []
    reach = max(seeds, 1)
    for number, width in enumerate(widths):
        reach *= max(longest, 1) ** (width if number else 0)
        found.append(max(_LEAST_ROWS, min(most, reach)))
    return found


def most_positions(longest: int, rows: int) -> int:
    """So many lists of so many elements have combinations that 62 bits count, for all rows of a table.

    >>> most_positions(50_000, 1 << 20), most_positions(1, 10)
    (2, 32)
    """
    return max(1, min(32, int((62 - math.log2(max(rows, 2))) / math.log2(max(longest, 2)))))
