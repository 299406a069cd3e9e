"""The structures that host and kernels of schedule `levels` share, as NumPy types (kernels/levels.cuh)."""

from __future__ import annotations

import numpy as np

from subiso.engine.cuda.layout import READS
from subiso.engine.cuda.tables import MAX_POSITIONS

BINS = 128
TILE = 1024
NO_SLOT = 255
ADDED = 128
"""Sources of columns from here on are positions that a step adds."""
SCRATCH_BYTES = 512
"""Of shared memory per warp, beside operands (JoinScratch in kernels/levels_output.cuh)."""
STAGES = 2
"""Operands that a warp keeps there."""


def sharing_bytes(warps: int, staged: int) -> int:
    """Of shared memory behind that of a block's warps, for SharedLists in kernels/levels_share.cuh."""
    taken = warps * (4 * staged + 2 * (STAGES + 1) * 16 + 33 * 4) + 8
    return -(-taken // 16) * 16


LIMITS = np.dtype([(name, np.uint32) for name in ("pool", "block", "grid")])
LEVEL_STATE = np.dtype(
    [(name, np.uint64) for name in ("rows", "total")]
    + [(name, np.uint32) for name in ("pool_rows", "block_rows", "grid_rows")]
    + [("limits", LIMITS), ("histogram", np.uint32, BINS)]
)

_ARRAYS = (
    "columns",
    "capacity",
    "rows",
    "state",
    "sizes",
    "starts",
    "offsets",
    "tiles",
    "lists",
    "grid_list",
)
LEVEL_ROWS = np.dtype([(name, np.uint64) for name in _ARRAYS] + [("slot", np.uint8, MAX_POSITIONS)])

HAND = np.dtype(
    [(name, np.uint64) for name in ("state", "offsets", "tiles")]
    + [("lists", np.uint64, 2), ("counts", np.uint64, 2), ("room", np.uint64)]
)

_ADDRESSES = (
    *("seeds", "begin", "end", "base", "first_row", "parents", "vertices", "counts", "count_tiles", "places"),
    *("rows", "translate", "cleared", "cleared_words"),
)
_NUMBERS = (
    "level",
    "known",
    "width",
    "columns",
    "num_slots",
    "next_level",
    "next_second",
    "only",
    "only_second",
)
_SETTINGS = "multiprocessors", "staged", "alone", "cache", "reuse", "spanned", "unused", "num_sifted"
LEVELS_ARGS = np.dtype(
    [
        *READS,
        ("control", np.uint64),
        ("tables", np.uint64),
        ("from", LEVEL_ROWS),
        ("to", LEVEL_ROWS),
        ("from_second", LEVEL_ROWS),
        ("to_second", LEVEL_ROWS),
        ("hand", HAND),
        *((name, np.uint64) for name in _ADDRESSES),
        *((name, np.uint32) for name in _NUMBERS),
        ("limits", LIMITS),
        *((name, np.uint32) for name in _SETTINGS),
        *((name, np.uint8, MAX_POSITIONS) for name in ("sifted", "member", "source")),
    ]
)

DESCENT_STEP = np.dtype([("args", LEVELS_ARGS), ("kind", np.uint64)])
DESCENT_ARGS = np.dtype(
    [(name, np.uint64) for name in ("steps", "num_steps", "arrived", "control", "scratch")]
)
