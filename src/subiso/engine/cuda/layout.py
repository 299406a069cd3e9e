"""The structures that host and kernels share, as NumPy types (kernels/search.cuh, kernels/share.cuh)."""

from __future__ import annotations

from typing import Any

import numpy as np

from subiso.engine.cuda.tables import MAX_POSITIONS

WIDE = 1 << 32
"""Entries of a relation from which on list bounds take 64 bits."""
FEW_RELATIONS, FEW_FILTERS, FEW_KEYS = 8, 8, 4

POOL_CLASSES = 4

POOL = np.dtype(
    [
        ("vertices", np.uint64),
        ("seconds", np.uint64),
        ("grown", np.uint64),
        ("rows", np.uint64),
        ("capacity", np.uint64),
        ("width", np.uint32),
        ("origin", np.uint32),
        ("last_unit", np.uint64),
        ("classes", np.dtype([(name, np.uint64) for name in ("row", "unit", "size")]), POOL_CLASSES),
    ]
)

CSR = np.dtype(
    [(name, np.uint64) for name in ("bounds", "neighbors", "hubs")]
    + [(name, np.uint32) for name in ("words", "first_hub", "symmetric", "unused")]
)

CODEGREES = np.dtype(
    [(name, np.uint64) for name in ("units", "num_units", "counts", "ends", "stride")]
    + [(name, np.uint32) for name in ("slots", "base_relation", "end_relation", "row_relation")]
    + [(name, np.uint32) for name in ("base", "end", "row", "from_ends", "row_origin", "unused")]
)

RELATIONS: list[Any] = [("relations", CSR, FEW_RELATIONS), ("more_relations", np.uint64)]
READS = [
    *RELATIONS,
    ("filters", np.uint64, FEW_FILTERS),
    ("more_filters", np.uint64),
    ("keys", np.uint64, FEW_KEYS),
    ("more_keys", np.uint64),
    ("entities", np.uint64),
]
"""What searches and joins read of a query (Reads of kernels/checks.cuh), the first fields of their arguments."""

ARGS = np.dtype(
    [
        *READS,
        ("control", np.uint64),
        ("blocks", np.uint64),
        ("idle_blocks", np.uint64),
        ("mail_states", np.uint64),
        ("mails", np.uint64),
        ("mail_bytes", np.uint64),
        ("grace", np.uint64),
        ("arenas", np.uint64),
        ("arena_words", np.uint64),
        ("arena_limits", np.uint32, MAX_POSITIONS),
        ("codegrees", CODEGREES),
        ("tables", np.uint64),
        ("seeds", POOL),
        ("pool", POOL),
        ("rows", np.uint64),
        ("row_capacity", np.uint64),
        ("row_stride", np.uint64),
        ("column_stride", np.uint64),
        ("translate", np.uint64),
        ("keep", np.uint64),
        ("tally", np.uint64),
    ]
)

CONTROL = np.dtype(
    {
        "names": [
            "count_low",
            "count_high",
            "steps",
            "tasks",
            "gifts",
            "copies",
            "next",
            "stop",
            "full",
            "idle_blocks",
            "rows",
            "rows_end",
            "busy_blocks",
            "started_blocks",
        ],
        "formats": [np.uint64] * 7 + [np.uint32] * 3 + [np.uint64] * 2 + [np.uint32] * 2,
        "offsets": [0, 8, 16, 24, 32, 40, 128, 256, 260, 264, 384, 392, 512, 516],
        "itemsize": 640,
    }
)
"""Everything before `stop` belongs to the run, everything from it on to one launch."""

BLOCK = np.dtype(
    {
        "names": ["busy", "idle", "registrar", "done"],
        "formats": [np.uint32] * 4,
        "offsets": [0, 4, 8, 12],
        "itemsize": 32,
    }
)


def offset_of(name: str) -> int:
    """Where a field of the control block stands.

    >>> offset_of("stop")
    256
    """
    return int(CONTROL.fields[name][1])  # type: ignore[index]
