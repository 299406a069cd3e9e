"""Graphs and settings for four-cycles in neighbourhoods, of the shim and of a real device."""

from __future__ import annotations

import math
import time
from itertools import combinations
from math import comb

import numpy as np

from subiso.engine.base import Params
from subiso.engine.cuda import by_sums
from subiso.engine.cuda.by_sums import SumsRun
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.hood_tune import HoodWishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

WHEEL = Pattern.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)])

WISHES = {
    "as they are": HoodWishes(),
    "rows of blocks": HoodWishes(warp_rows=4, block_rows=(8, 200), warps_per_block=2, units_per_team=1),
    "every class": HoodWishes(
        warp_rows=4,
        block_rows=(6,),
        warp_ends=9,
        block_ends=((14, 2), (20, 1)),
        window=7,
        window_warps=2,
        warps_per_block=2,
        blocks=2,
    ),
    "warps, short rounds": HoodWishes(
        warp_rows=3, block_rows=(), warp_ends=200, list_bytes=2000, warps_per_block=2, chunk=3
    ),
    "blocks, short rounds": HoodWishes(
        warp_rows=3, block_rows=(), warp_ends=3, block_ends=((200, 2),), list_bytes=3000, warps_per_block=2
    ),
    "windows": HoodWishes(warp_rows=3, block_rows=(), warp_ends=3, block_ends=(), window=5, window_warps=2),
    "no lists": HoodWishes(
        warp_rows=3, block_rows=(), warp_ends=3, block_ends=(), window=11, window_warps=2, list_bytes=1
    ),
}


def random_graph(seed: int) -> Graph:
    """Sparse or dense, skewed, some with a hub joined to all, some with loops, some directed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    skew = rng.random(n) ** int(rng.integers(0, 4)) + 0.01
    ends = rng.choice(n, (2, int(rng.integers(3 * n, 7 * n))), p=skew / skew.sum())
    if seed % 3 == 0:
        ends = np.concatenate([ends, [np.zeros(n, np.int64), np.arange(n)]], axis=1)
    return Graph.from_edges(*ends, num_vertices=n, directed=seed % 5 == 0, loops="keep")


def complete(n: int) -> tuple[Graph, int]:
    """A graph in which everything is joined, and its wheels."""
    return Graph.from_edges(*zip(*combinations(range(n), 2), strict=True)), 3 * n * comb(n - 1, 4)


def long_lists() -> tuple[Graph, int]:
    """Three vertices and a hub joined to the same 130, which have leaves enough to stand above them; its wheels."""
    hub, three, many, leaf = 0, range(1, 4), range(4, 134), 134
    edges = [(hub, v) for v in (*three, *many)] + [(b, a) for b in three for a in many]
    edges += [(a, leaf + 129 * i + k) for i, a in enumerate(many) for k in range(129)]
    edges += [(hub, leaf + k) for k in range(20)]
    return Graph.from_edges(*zip(*edges, strict=True)), comb(3, 2) * comb(130, 2)


def wheel_run(engine: CudaEngine, graph: Graph) -> SumsRun:
    """Passes over the graph that count its wheels, whether or not they would be chosen."""
    way = by_sums.sums_way(make_query(graph, WHEEL), math.inf)
    assert way is not None
    return engine.prepare_sums([way], graph)


def count_wheels(engine: CudaEngine, graph: Graph) -> int:
    return wheel_run(engine, graph).count(Watch(Params(), time.perf_counter()))
