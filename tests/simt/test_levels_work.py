"""What the techniques of schedule `levels` bring, beside equal counts (SIMT shim)."""

from __future__ import annotations

import ctypes
import itertools
import shutil
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from levels_cases import wishes
from numpy.typing import NDArray
from shim import ShimMachine
from test_levels import PLAIN, complete, skewed

from subiso.engine import reference
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels_kernel import LevelsKernel
from subiso.engine.cuda.levels_layout import LEVEL_STATE
from subiso.engine.cuda.levels_tune import Limits
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.pool import NO_ORIGIN
from subiso.engine.query import Query, make_query
from subiso.graph import Graph
from subiso.graph.generators import erdos_renyi, with_labels
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


def at(address: int, dtype: Any, count: int) -> NDArray[Any]:
    """A copy of what stands in the shim's memory."""
    nbytes = np.dtype(dtype).itemsize * count
    return np.frombuffer(ctypes.string_at(address, nbytes), dtype, count)


@dataclass
class Table:
    """What a table of partial matches has to say of its rows, right after a launch."""

    args: NDArray[Any]
    sizes: NDArray[np.uint32]
    """Candidates of every row."""
    origins: NDArray[np.uint64]
    """The operation whose list they come from."""
    state: NDArray[Any]


@dataclass
class Watching(ShimMachine):
    """Looks at the table that a launch has written to."""

    tables: dict[str, list[Table]] = field(default_factory=dict)

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        super().launch(kernel, blocks, shared, args)
        if not isinstance(kernel, LevelsKernel) or kernel.step not in ("link", "offsets"):
            return
        to = args["to"]
        rows = int(at(int(to["rows"]), np.uint64, 1)[0])
        starts = at(int(to["starts"]), np.uint64, rows)
        sizes = at(int(to["sizes"]), np.uint32, rows)
        state = at(int(to["state"]), LEVEL_STATE, 1)[0]
        self.tables.setdefault(kernel.step, []).append(
            Table(args.copy(), sizes, starts >> np.uint64(56), state)
        )


def counted(query: Query, machine: ShimMachine, storage: str = "auto", **switches: object) -> int:
    """What `levels` counts, every vertex matched."""
    engine = CudaEngine(machine, wishes(**switches), schedule="levels", storage=storage)
    return engine.count(query, PLAIN).count


def turns(query: Query, **switches: object) -> int:
    """Those of all lanes, until a query is counted."""
    machine = ShimMachine()
    assert counted(query, machine, **switches) == reference.count(query).count > 0
    return machine.turns


def test_every_row_goes_to_whom_the_limits_say() -> None:
    """Rows up to the first limit stay with their warps; longer ones are in one of three lists."""
    limits = Limits(4, 9, 20)
    query = make_query(skewed(0), Pattern.path(3), unique=False)
    machine = Watching()
    assert counted(query, machine, limits=limits) == reference.count(query).count
    seen = np.zeros(3, int)
    for table in machine.tables["offsets"]:
        edges = [limits.pool, limits.block, limits.grid, 1 << 32]
        wanted = np.histogram(table.sizes, np.array(edges) + 1)[0]
        listed = [int(table.state[name]) for name in ("pool_rows", "block_rows", "grid_rows")]
        assert listed == wanted.tolist()
        seen += listed
    assert seen.all(), "a graph without long rows"


@dataclass
class Adding(ShimMachine):
    """Atomic operations of every join, by what becomes of its results."""

    joins: dict[str, list[int]] = field(default_factory=dict)

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        before = self.atomics
        super().launch(kernel, blocks, shared, args)
        if isinstance(kernel, LevelsKernel) and kernel.step == "join":
            self.joins.setdefault(kernel.output, []).append(self.atomics - before)


def test_a_huge_row_is_everybodys() -> None:
    """The one row of a hub with 3,000 leaves: a warp has it alone, or all four blocks have a part to add."""
    star = Graph.from_edges([0] * 3000, range(1, 3001), vertex_labels=["A"] + ["B"] * 3000)
    query = make_query(star, "(a:A)--(b:B)")
    blocks = {}
    for balance in (False, True):
        machine = Adding()
        some = {"limits": Limits(64, 128, 256), "balance": balance, "blocks": 4, "warps_per_block": 1}
        assert counted(query, machine, **some) == 3000
        (blocks[balance],) = machine.joins["total"]
    assert blocks == {False: 1, True: 4}


def test_candidates_come_from_the_rarest_list() -> None:
    """Of two lists that a row has, that of the relation with fewer edges, however long it is there."""
    ends = [*itertools.combinations(range(9), 2)]
    graph = Graph.from_edges(
        *np.array([*ends, *ends[::2]]).T,
        edge_labels=np.array(["X"] * len(ends) + ["Y"] * len(ends[::2]), dtype=object),
        parallel="keep",
    )
    query = make_query(graph, "(a)-[:X]-(b)-[:Y]-(c)-[:X]-(a)", mode="homomorphism")
    machine = Watching()
    assert counted(query, machine, first="rarest", output="twice") == reference.count(query).count > 0
    told = [table for table in machine.tables["link"] if int(table.args["only"]) != NO_ORIGIN]
    assert told
    for table in told:
        assert set(table.origins[table.sizes > 0].tolist()) == {int(table.args["only"])}


def test_results_are_written_32_at_a_time() -> None:
    """Few of 32 candidates close a triangle: without the cache room is taken for these few, again and again."""
    query = make_query(erdos_renyi(60, m=300, seed=1), Pattern.clique(4), unique=False)
    taken = {}
    for cache in (True, False):
        machine = Adding()
        assert counted(query, machine, cache=cache) == reference.count(query).count > 0
        taken[cache] = machine.joins["pairs"][-1]
    assert taken[True] < taken[False] / 2


def test_a_warp_takes_room_for_all_its_results() -> None:
    """One atomic operation for up to 32 results."""
    machine = Adding()
    query = make_query(complete(30), Pattern.path(4), unique=False)
    assert counted(query, machine, cache=False) == 30 * 29 * 28 * 27
    assert max(machine.joins["pairs"]) < 30 * 29 * 28 / 8


def test_small_lists_are_copied() -> None:
    """Copying takes turns; where all lists are too long for it, nothing is copied."""
    query = make_query(complete(40), Pattern.clique(3), unique=False)
    copied, none = (turns(query, operands="copied", alone=2, staged=staged) for staged in (64, 8))
    assert copied > none


def test_copies_are_used_again() -> None:
    """Rows of one first vertex follow each other, and look their candidates up in its list."""
    query = make_query(complete(40), Pattern.clique(3), unique=False)
    reused, copied = (turns(query, operands=operands, alone=2) for operands in ("reused", "copied"))
    assert reused < copied


def test_long_lists_have_bit_rows() -> None:
    """Joins look hubs up in bit rows, where there is room for them."""
    query = make_query(complete(40), Pattern.clique(3), unique=False)
    for hub_bytes in (1 << 20, 0):
        machine = Watching()
        engine = CudaEngine(machine, replace(wishes(), hub_bytes=hub_bytes), schedule="levels", storage="csr")
        assert engine.count(query, PLAIN).count == reference.count(query).count
        assert {bool(table.args["relations"][0]["hubs"]) for table in machine.tables["link"]} == {
            hub_bytes > 0
        }


def test_only_neighbours_with_the_label_are_candidates() -> None:
    """With a label CSR; the count stays the same."""
    graph = with_labels(erdos_renyi(60, m=500, seed=1), 4, seed=1)
    query = make_query(graph, Pattern("(a:0)--(b:1)--(c:2)--(a), (c)--(d:3)"))
    candidates = {}
    for storage in ("csr", "label_csr"):
        machine = Watching()
        assert counted(query, machine, storage=storage) == reference.count(query).count
        candidates[storage] = sum(int(table.sizes.sum()) for table in machine.tables["link"])
    assert 0 < candidates["label_csr"] < candidates["csr"] / 2
