"""The structures that host and kernels of four-cycles in neighbourhoods share, as NumPy types (kernels/hoods.cuh)."""

from __future__ import annotations

import numpy as np

from subiso.engine.cuda.layout import CSR, FEW_RELATIONS

HOOD_ARGS = np.dtype(
    [
        ("relations", CSR, FEW_RELATIONS),
        ("more_relations", np.uint64),
        ("control", np.uint64),
        ("ticket", np.uint64),
        ("num_items", np.uint64),
        ("seeds", np.uint64),
        ("starts", np.uint64),
        ("triangles", np.uint64),
        ("corners", np.uint64),
        ("hubs", np.uint64),
        ("members", np.uint64),
        ("cursors", np.uint64),
        ("lists", np.uint64),
        ("num_hubs", np.uint32),
        ("capacity", np.uint32),
        ("window", np.uint32),
        ("chunk", np.uint32),
    ]
)
HUB = np.dtype(
    [
        ("first_item", np.uint64),
        ("first_member", np.uint64),
        ("first_batch", np.uint64),
        ("first_task", np.uint64),
        ("vertex", np.uint32),
        ("size", np.uint32),
    ]
)
MEMBER_BYTES, CURSOR_BYTES = 8, 4
