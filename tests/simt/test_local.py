"""Schedule `local` through the SIMT shim against the reference: every size class, forced by tiny limits."""

from __future__ import annotations

import itertools
import shutil

import numpy as np
import pytest
from local_cases import TINY, hub_query
from random_cases import describe
from shim import ShimMachine

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.fine import Report
from subiso.engine.cuda.local import LocalReport
from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import Query, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
ORDERS = ("forward", "reverse", "random")


def complete(n: int) -> Graph:
    return Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))


def engine_of(order: str, seed: int, wishes: LocalWishes, **machine: object) -> CudaEngine:
    return CudaEngine(
        ShimMachine(order, seed=seed, **machine),  # type: ignore[arg-type]
        Wishes(blocks=2, warps_per_block=2, tau=0, fixed=False, local=wishes),
    )


def kinds(engine: CudaEngine) -> set[str]:
    assert isinstance(engine.last, LocalReport)
    return {c.kind for c in engine.last.classes} | ({"fallback"} if engine.last.fine_seeds else set())


def check(query: Query, seed: int) -> None:
    """Three of the ways to run, rotating with the seed, one per order."""
    wanted = reference.count(query).count
    for i, order in enumerate(ORDERS):
        engine = engine_of(order, seed, TINY[(seed + i) % len(TINY)])
        found = engine.count(query, Params(switches=Switches(expand="never"))).count
        assert found == wanted, f"{describe(query, seed)} {engine.wishes.local} {order}"


@pytest.mark.parametrize("seed", range(60))
def test_random_queries(seed: int) -> None:
    check(hub_query(seed), seed)


@pytest.mark.parametrize("seed", [12, 14, 27, 52])
def test_every_class_is_met(seed: int) -> None:
    """Chosen queries with neighbourhoods of many sizes."""
    query = hub_query(seed)
    wanted = reference.count(query).count
    seen = set()
    for wishes in TINY:
        engine = engine_of("random", seed, wishes)
        assert engine.count(query, Params(switches=Switches(expand="never"))).count == wanted, wishes
        seen |= kinds(engine)
    assert seen == {"warp", "block", "large", "fine", "fallback"}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limits", [(0, 256), (64, 256), (0, 40), (0, 0)], ids=str)
@pytest.mark.parametrize("k", [4, 5, 7])
def test_cliques_of_a_dense_graph(k: int, limits: tuple[int, int], order: str) -> None:
    """More than one word per row, in every class."""
    graph = complete(44)
    wishes = LocalWishes(warp_limit=limits[0], block_limit=limits[1], warps_per_block=2, blocks=2)
    if k == 7:
        graph = complete(36)
    rng = np.random.default_rng(k)
    source, target = graph.edge_endpoints()
    kept = rng.random(len(source)) < (0.5 if k < 7 else 0.3)
    query = make_query(
        Graph.from_edges(source[kept], target[kept], num_vertices=graph.num_vertices), Pattern.clique(k)
    )
    engine = engine_of(order, k, wishes)
    assert engine.count(query).count == reference.count(query).count
