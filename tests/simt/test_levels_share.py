"""Lists that the warps of a block share (schedule `levels`, `operands="shared"`), through the SIMT shim."""

from __future__ import annotations

import itertools
import shutil

import pytest
from levels_cases import wishes
from random_cases import rows_of
from shim import ShimMachine
from test_levels import ORDERS, PATTERNS, PLAIN, skewed

from subiso.engine import reference
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport, LevelsRun
from subiso.engine.cuda.levels_tune import Limits
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


def copies(engine: CudaEngine) -> int:
    assert isinstance(engine.last, LevelsReport)
    return engine.last.copies


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("number", range(len(PATTERNS)))
def test_long_lists_in_every_interleaving(number: int, order: str) -> None:
    query = make_query(skewed(number), PATTERNS[number], unique=False)
    wanted = reference.count(query).count
    assert wanted, "a test with nothing to find"
    some = {"operands": "shared", "rows": 600}
    ways = [
        wishes(**some, warps_per_block=3, balance=False),
        wishes(**some, warps_per_block=4, staged=40, blocks=1, at_once=False),
        wishes(**some, limits=Limits(40, 48, 60), output="prealloc"),
        wishes(**some, limits=Limits(8, 40, 50), output="twice", cache=False),
    ]
    turn = number + ORDERS.index(order)
    for seed, way in enumerate((ways[turn % 4], ways[(turn + 1) % 4])):
        engine = CudaEngine(ShimMachine(order, seed=seed), way, schedule="levels")
        assert engine.count(query, PLAIN).count == wanted, way.levels
        assert len(set(rows_of(engine, query))) == wanted, way.levels


def test_a_list_is_read_once_by_a_block() -> None:
    """Rows (a, b) of a complete graph, joined with the neighbours of both: rows of one `a` follow each other."""
    n = 40
    graph = Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))
    query = make_query(graph, Pattern.clique(3), unique=False)
    found = {}
    for warps in (1, 2, 8):
        way = wishes(operands="shared", warps_per_block=warps, blocks=1, balance=False)
        engine = CudaEngine(ShimMachine("random", seed=1), way, schedule="levels")
        assert engine.count(query, PLAIN).count == n * (n - 1) * (n - 2)
        found[warps] = copies(engine)
    rows = n * (n - 1)
    # One list of each row is its own, the other that of its neighbours; eight warps alone would copy it eight times.
    assert rows <= min(found.values())
    assert max(found.values()) < rows + 4 * n


def test_rows_without_candidates_are_nobodys() -> None:
    """Even where every row is to have a warp: one with nothing to do would write beyond the tables."""
    star = Graph.from_edges([0, 0, 0], [1, 2, 3])
    resolved = resolve(make_query(star, Pattern.path(3), unique=False))
    engine = CudaEngine(ShimMachine(), wishes(operands="shared", alone=0), schedule="levels")
    run = engine.prepare_count(engine.formula(resolved, PLAIN).terms[0].plan, resolved)
    assert isinstance(run, LevelsRun)
    assert all(args["alone"] >= 1 for stage in run.args for args in stage)
    assert run.count(Watch(PLAIN, 0.0)) == 6


def test_lists_beyond_shared_memory_are_read_where_they_are() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(36), 2), strict=True))
    query = make_query(graph, Pattern.clique(3), unique=False)
    way = wishes(operands="shared", staged=20, balance=False)
    engine = CudaEngine(ShimMachine(), way, schedule="levels")
    assert engine.count(query, PLAIN).count == 36 * 35 * 34
    assert copies(engine) == 0


def test_rows_of_a_whole_block_share_their_operands() -> None:
    """A row that all warps work on has its operand copied once for each of them."""
    graph = Graph.from_edges(*zip(*itertools.combinations(range(40), 2), strict=True))
    query = make_query(graph, Pattern.clique(3), unique=False)
    for limits, blocks in ((Limits(8, 16, 1000), 1), (Limits(8, 16, 20), 2)):
        way = wishes(operands="shared", limits=limits, warps_per_block=4, blocks=2, at_once=False)
        engine = CudaEngine(ShimMachine("reverse"), way, schedule="levels")
        assert engine.count(query, PLAIN).count == 40 * 39 * 38
        assert 0 < copies(engine) <= 2 * blocks * 40 * 39


def test_a_stop_ends_all_warps_of_a_block() -> None:
    graph = Graph.from_edges(*zip(*itertools.combinations(range(40), 2), strict=True))
    query = make_query(graph, Pattern.clique(4), unique=False)
    for at_once in (True, False):
        way = wishes(operands="shared", rows=3000, at_once=at_once)
        engine = CudaEngine(ShimMachine("random", stop_after=2000), way, schedule="levels")
        assert engine.count(query, PLAIN).count < 40 * 39 * 38 * 37
