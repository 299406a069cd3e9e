"""Graphs and settings for motif sums, of the shim and of a real device, and what the CPU makes of them."""

from __future__ import annotations

import numpy as np

from subiso.engine.base import Params
from subiso.engine.cuda.motif_seeds import MotifWishes
from subiso.engine.motifs import run_job
from subiso.engine.sums import sums_job
from subiso.graph import Graph
from subiso.pattern import connected_patterns
from subiso.plan.motif_sums import sums_of

WISHES = [
    MotifWishes(),
    MotifWishes(
        capacity=2,
        block_capacity=16,
        slots=64,
        team_warps=2,
        row_bytes=64,
        large_bytes=256,
        blocks=2,
        tile_bytes=40,
        few_wedges=0,
    ),
    MotifWishes(
        capacity=1,
        block_capacity=16,
        slots=64,
        team_warps=1,
        row_bytes=4,
        large_bytes=4,
        blocks=3,
        tile_bytes=24,
        few_wedges=100,
    ),
    MotifWishes(capacity=4, slots=64, table_bytes=4, warps_per_block=2, units_per_team=1),
]
"""As they are; tables and rows that are too small for some seeds, for most; one block with all memory there is."""


def random_graph(seed: int) -> Graph:
    """Sparse or dense, skewed, some with a hub, some with loops, some directed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 45))
    skew = rng.random(n) ** int(rng.integers(0, 4))
    ends = rng.choice(n, (2, int(rng.integers(0, 6 * n))), p=skew / skew.sum())
    if seed % 3 == 0:
        ends = np.concatenate([ends, [np.zeros(n, np.int64), np.arange(n)]], axis=1)
    return Graph.from_edges(*ends, num_vertices=n, directed=seed % 5 == 0, loops="keep")


def native_sums(graph: Graph, size: int) -> dict[str, int]:
    names = sums_of(connected_patterns(size))
    sums: dict[str, int] = run_job(sums_job(graph, names, Params(threads=1)), Params())
    return sums
