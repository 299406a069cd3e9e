"""SGSI's cost model on the device (kernels/levels_balance.cuh) against the same written plainly, and what it is for."""

from __future__ import annotations

import itertools
import shutil
from dataclasses import dataclass

import numpy as np
import pytest
from compiled import launch
from levels_cases import wishes
from shim import ShimMachine

from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.cuda.levels_layout import BINS
from subiso.engine.cuda.levels_tune import UNLIMITED, Limits
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
SIZES = [32 * i if i <= 32 else (4 + i % 4) << (i // 4) for i in range(BINS)]
"""The smallest number of candidates of every interval."""
ARGS = np.dtype([("histogram", np.uint64), ("found", np.uint64), ("multiprocessors", np.uint64)])


@dataclass(frozen=True)
class ModelKernel:
    """One warp chooses; then every lane finds the intervals of some sizes."""

    name: str = "choose"
    args_type: str = "ChooseArgs"
    threads: int = 32
    quick: bool = True

    def text(self) -> str:
        return """#include "levels_balance.cuh"
struct ChooseArgs { const subiso::u32* histogram; subiso::u32* found; subiso::u64 multiprocessors; };
extern "C" __global__ void choose(const __grid_constant__ ChooseArgs args) {
  const subiso::Limits found = subiso::choose_limits(args.histogram, static_cast<subiso::u32>(args.multiprocessors));
  if (subiso::lane_id() == 0) *reinterpret_cast<subiso::Limits*>(args.found) = found;
  for (subiso::u32 bin = subiso::lane_id(); bin + 20 < subiso::kBins; bin += 32)
    args.found[3 + bin] = subiso::bin_of(static_cast<subiso::u32>(subiso::size_of_bin(bin)));
}
"""


def on_device(histogram: list[int], multiprocessors: int = 132) -> Limits:
    rows, found = np.array(histogram, np.uint32), np.zeros(3 + BINS, np.uint32)
    args = np.zeros((), ARGS)
    args["histogram"], args["found"] = rows.ctypes.data, found.ctypes.data
    args["multiprocessors"] = multiprocessors
    launch(ModelKernel(), args, 1, 0, "random", 1)
    assert found[3 : 3 + BINS - 20].tolist() == list(range(BINS - 20)), "intervals are the inverse of sizes"
    return Limits(*map(int, found[:3]))


def plainly(histogram: list[int], b: int = 132) -> Limits:
    """Equation 1 of SGSI, every cut tried; in tenths of a step."""

    def up(x: int, y: int) -> int:
        return -(-x // y)

    cost = {
        "warp": [10 * (s // 32) * up(n, 32 * b) for n, s in zip(histogram, SIZES, strict=True)],
        "pool": [12 * up(s * up(n, b), 1024) for n, s in zip(histogram, SIZES, strict=True)],
        "block": [11 * up(n, b) * up(s, 1024) for n, s in zip(histogram, SIZES, strict=True)],
        "grid": [n * (10 + 10 * up(s, 1024 * b)) for n, s in zip(histogram, SIZES, strict=True)],
    }

    def best(below: str, above: str, first: int, end: int) -> int:
        cuts = range(end, first - 1, -1)  # the latest of equal ones
        return min(cuts, key=lambda cut: sum(cost[below][first:cut]) + sum(cost[above][cut:end]))

    pool, grid = best("warp", "pool", 1, 32), best("block", "grid", 32, BINS)
    return Limits(SIZES[pool] - 1, 1024, UNLIMITED if grid == BINS else SIZES[grid] - 1)


def histogram(**rows: int) -> list[int]:
    """Rows by their interval, as `b3=10`: ten of 96 candidates or more."""
    found = [0] * BINS
    for name, count in rows.items():
        found[int(name[1:])] = count
    return found


@pytest.mark.parametrize("seed", range(30))
def test_the_device_finds_the_best_cuts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 10 ** rng.integers(1, 7), BINS) * (rng.random(BINS) < (0.05, 0.2, 0.7)[seed % 3])
    rows[100:] = 0  # beyond 32 bits
    limits = on_device(rows.tolist(), (132, 7, 1)[seed % 3])
    assert limits == plainly(rows.tolist(), (132, 7, 1)[seed % 3])
    assert limits.pool < limits.block <= limits.grid + 1


def test_short_rows_stay_with_their_warps() -> None:
    limits = on_device(histogram(b1=10**6, b2=10**5))
    assert limits.pool >= SIZES[3] - 1
    assert limits.grid == UNLIMITED


def test_a_few_huge_rows_are_everybodys() -> None:
    huge = 80  # four million candidates
    assert on_device(histogram(b1=1000, **{f"b{huge}": 2})).grid < SIZES[huge]


def test_as_many_huge_rows_as_blocks_have_a_block_each() -> None:
    assert on_device(histogram(b40=132 * 8)).grid >= SIZES[41] - 1


@pytest.mark.parametrize("at_once", [True, False])
def test_the_first_descent_is_balanced_already(at_once: bool) -> None:
    """A hundred rows with a hundred candidates each: the device knows who takes them, without a look by the host."""
    graph = Graph.from_edges(*zip(*itertools.combinations(range(100), 2), strict=True))
    query = make_query(graph, Pattern.path(2), unique=False)
    params = Params(switches=Switches(max_tail=0, decompose="never", expand="never"))
    engine = CudaEngine(ShimMachine(), wishes(at_once=at_once), schedule="levels")
    assert engine.count(query, params).count == 9900
    assert isinstance(engine.last, LevelsReport)
    assert engine.last.limits == (plainly(histogram(b3=100), 2),)
