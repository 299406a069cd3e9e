"""The structures that host and kernels of schedule `local` share, as NumPy types (kernels/local.cuh)."""

from __future__ import annotations

import numpy as np

from subiso.engine.cuda.layout import CSR, FEW_FILTERS, FEW_RELATIONS

LOCAL_ARGS = np.dtype(
    [
        ("relations", CSR, FEW_RELATIONS),
        ("more_relations", np.uint64),
        ("filters", np.uint64, FEW_FILTERS),
        ("more_filters", np.uint64),
        ("control", np.uint64),
        ("tables", np.uint64),
        ("ticket", np.uint64),
        ("num_items", np.uint64),
        ("seeds", np.uint64),
        ("starts", np.uint64),
        ("counters", np.uint64),
        ("num_seeds", np.uint64),
        ("helped", np.uint64),
        ("large", np.uint64),
        ("scratch", np.uint64),
        ("capacity", np.uint32),
        ("row_capacity", np.uint32),
        ("beyond", np.uint32),
        ("chunk", np.uint32),
        ("vertices", np.uint32),
        ("parts", np.uint32),
    ]
)
LARGE = np.dtype(
    [
        ("rows", np.uint64),
        ("first_batch", np.uint64),
        ("first_task", np.uint64),
        ("vertex", np.uint32),
        ("stride", np.uint32),
    ]
)
