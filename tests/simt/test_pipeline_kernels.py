"""Who does what in the kernels of schedule `pipeline`: which lane keeps its words where, links which record, gets whose
work (SIMT shim). Counts would be the same if one lane did it all."""

from __future__ import annotations

import itertools
import shutil
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from shim import ShimMachine

from subiso.engine import reference
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.pipeline import PipelineReport
from subiso.engine.cuda.pipeline_kernel import BUILD_THREADS, BuildKernel, JoinKernel
from subiso.engine.cuda.pipeline_tables import BUILD_ARGS
from subiso.engine.cuda.pipeline_tune import PipelineWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import Query, make_query
from subiso.graph import Graph

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
POISON = 0xA5A5A5A5
SINGLE = PipelineWishes(twig_rows=1, leaf_order=False, weigh=False)
"""A hash table for every link but the first."""


@dataclass(frozen=True)
class Showing(JoinKernel):
    """Copies the shared memory of a block in the end, to where rows would go."""

    def text(self) -> str:
        """The translation unit."""
        more = """
  subiso::sync_block();
  const auto* words = reinterpret_cast<const subiso::u32*>(subiso::shared_memory());
  if (subiso::warp_in_block() != 0) return;
  for (subiso::u64 w = subiso::lane_id(); w < args.row_capacity; w += subiso::kWarp) args.rows[w] = words[w];
"""
        return super().text().replace(".run();", f".run();{more}")


class Looking(ShimMachine):
    """Sees what is in shared memory when a count is done, and how many turns its joins took."""

    words: NDArray[np.uint32]
    joining = 0

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        if not isinstance(kernel, JoinKernel):
            super().launch(kernel, blocks, shared, args)
            return
        before, seen, args = self.turns, self.allocate(shared), args.copy()
        args["rows"], args["row_capacity"] = seen.address, shared // 4
        super().launch(Showing(**vars(kernel)), blocks, shared, args)
        self.words = self.read(seen, shared).view(np.uint32)
        self.joining += self.turns - before


def count(machine: ShimMachine, query: Query, warps: int) -> PipelineReport:
    """Counts on one block."""
    wishes = Wishes(blocks=1, warps_per_block=warps, pipeline=SINGLE)
    engine = CudaEngine(machine, wishes, schedule="pipeline")
    assert engine.count(query).count == reference.count(query).count > 0
    assert isinstance(engine.last, PipelineReport)
    return engine.last


def test_every_lane_keeps_its_words_in_a_bank_of_its_own() -> None:
    """Five rows are five lanes' work: four vertices and two places in chains each, a full row of banks apart."""
    rows, words, warps = 5, 4 + 2, 2
    labels = [label for label in "ABCD" for _ in range(rows)]
    graph = Graph.from_edges(range(3 * rows), range(rows, 4 * rows), vertex_labels=labels)
    machine = Looking()
    report = count(machine, make_query(graph, "(a:A)--(b:B)--(c:C)--(d:D)"), warps)
    assert report.probe_rows == rows and len(report.table_rows) == 2
    written = machine.words.reshape(warps, words, 32) != POISON
    assert written[0, :, :rows].all(), "what lanes use is where it should be"
    assert written.sum() == words * rows, "and nowhere else"


def heavy_row(light: int, width: int) -> Query:
    """A path of six labels. Its first two are a vertex each, which has many neighbours of the third: most of them go on
    to a single match, and one to `width` ** 3 of them."""
    n = light + width
    layers = [
        [0],
        [1],
        range(2, 3 + light),
        *(range(3 + light + i * n, 3 + light + (i + 1) * n) for i in range(3)),
    ]
    ends = layers[2][light:], *(layer[light:] for layer in layers[3:])
    edges = [(0, 1), *((1, c) for c in layers[2])]
    for upper, lower in itertools.pairwise(layers[2:]):
        edges += zip(upper[:light], lower, strict=False)
    for upper, lower in itertools.pairwise(ends):
        edges += itertools.product(upper, lower)
    labels = [label for label, layer in zip("ABCDEF", layers, strict=True) for _ in layer]
    graph = Graph.from_edges(*zip(*edges, strict=True), vertex_labels=labels)
    return make_query(graph, "(a:A)--(b:B)--(c:C)--(d:D)--(e:E)--(f:F)")


def test_lanes_without_a_row_take_over_from_a_heavy_one() -> None:
    """One lane alone looks at a record per turn of its warp at most, and such a turn takes 32 turns of lanes."""
    light, width = 9, 16
    machine = Looking()
    report = count(machine, heavy_row(light, width), warps=1)
    assert (report.probe_rows, report.launches, report.states) == (1 + light, 1, 0)
    assert machine.joining < 32 * width**3 / 3


def chain_of(order: str, rows: int) -> list[int]:
    """The records of a hash table with a single chain, as they follow each other; linked by a thread for each."""
    machine = ShimMachine(order)
    pool, heads = machine.allocate(8 * rows), machine.allocate(4)
    machine.clear(pool)  # next record, key
    machine.clear(heads)
    args = np.zeros((), BUILD_ARGS)
    args["table"]["heads"], args["table"]["pool"], args["table"]["stride"] = heads.address, pool.address, 2
    args["num_rows"], args["first_key"] = rows, 1
    machine.launch(BuildKernel(), rows // BUILD_THREADS, 0, args)
    following = machine.read(pool, 8 * rows).view(np.uint32)[::2]
    found = [int(machine.read(heads, 4).view(np.uint32)[0])]
    while found[-1] and len(found) <= rows:
        found.append(int(following[found[-1] - 1]))
    return found[:-1]


def test_all_threads_link_records() -> None:
    """Who links first is last in the chain: in whatever order threads run, each has linked one record, its own."""
    rows = 2 * BUILD_THREADS
    assert chain_of("forward", rows) == list(range(rows, 0, -1))
    assert chain_of("reverse", rows) == list(range(1, rows + 1))
