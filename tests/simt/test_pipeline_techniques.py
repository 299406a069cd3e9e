"""What the techniques of schedule `pipeline` bring, beside equal results (SIMT shim)."""

from __future__ import annotations

import itertools
import shutil
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from random_cases import rows_of
from shim import ShimMachine

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.pipeline import PipelineRun
from subiso.engine.cuda.pipeline_build import JoinTable
from subiso.engine.cuda.pipeline_feed import Feeder
from subiso.engine.cuda.pipeline_kernel import JoinKernel
from subiso.engine.cuda.pipeline_tune import PipelineWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query, make_query
from subiso.engine.twigs import RowSource, TwigMatcher
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


def complete(n: int) -> Graph:
    return Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))


def run_of(engine: CudaEngine, query: Query) -> PipelineRun:
    run = engine.prepare_twigs(resolve(query))
    assert run is not None
    return run


@pytest.mark.parametrize("overlap", [None, False])
def test_the_next_chunk_is_listed_while_the_present_one_is_joined(
    overlap: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default: another chunk is on its way whenever a launch begins, as long as there are more."""
    events: list[str] = []

    class Noting(ShimMachine):
        def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
            events.extend(["join"] if isinstance(kernel, JoinKernel) else [])
            super().launch(kernel, blocks, shared, args)

    def start(feeder: Feeder, *args: Any) -> Future[int]:
        events.append("list")
        return listing(feeder, *args)

    own = PipelineWishes(chunk_rows=32, first_chunk=32, least_turns=1 << 20, twig_rows=1)
    own = own if overlap is None else PipelineWishes(**{**vars(own), "overlap": overlap})
    engine = CudaEngine(Noting(), Wishes(blocks=1, warps_per_block=1, pipeline=own), schedule="pipeline")
    query = make_query(complete(9), Pattern.clique(3))
    run = run_of(engine, query)
    listing = Feeder.start
    monkeypatch.setattr(Feeder, "start", start)
    assert run.count(Watch(Params(), 0.0)) == 84
    assert run.report().chunks > 1
    tables = len(run.report().table_rows)
    assert events[: events.index("join")] == ["list"] * (tables + (2 if overlap is None else 1))


def test_hash_tables_spread_their_records_and_link_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains are short, and every record is in one."""
    found: list[tuple[int, int]] = []
    built = JoinTable._link

    def link(table: JoinTable, machine: ShimMachine, rows: int) -> Any:
        made = built(table, machine, rows)
        chains = int(made["mask"]) + 1
        heads = machine.read(table.heads, 4 * chains).view(np.uint32)
        records = machine.read(table.pool, 4 * rows * table.width).view(np.uint32).reshape(rows, table.width)
        lengths = []
        for head in heads.tolist():
            at, length = head, 0
            while at:
                at, length = int(records[at - 1, 0]), length + 1
            lengths.append(length)
        assert sum(lengths) == rows
        found.append((rows, max(lengths)))
        return made

    monkeypatch.setattr(JoinTable, "_link", link)
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(*rng.integers(0, 2000, (2, 3000)), num_vertices=2000)
    query = make_query(graph, Pattern.path(4), unique=False)
    own = PipelineWishes(twig_rows=1, weigh=False)
    engine = CudaEngine(ShimMachine(), Wishes(blocks=2, warps_per_block=2, pipeline=own), schedule="pipeline")
    assert engine.count(query).count == reference.count(query).count
    assert found and all(rows > 4000 and longest < 40 for rows, longest in found), found


def test_pruning_there_and_back() -> None:
    """Ten vertices A to D each, in a row; a few A have a B, a few D a C: what is left of them binds the other ends."""
    n, (a, b, c, d) = 10, (0, 10, 20, 30)
    edges = [(a + i, b + i) for i in range(3)] + [(b + i, c + i) for i in range(n)]
    edges += [(c + i, d + i) for i in range(2, n)]
    labels = [x for x in "ABCD" for _ in range(n)]
    graph = Graph.from_edges(*zip(*edges, strict=True), num_vertices=4 * n, vertex_labels=labels)
    resolved = resolve(make_query(graph, "(a:A)--(b:B)--(c:C)--(d:D)"), ())
    found = {}
    for prune in (True, False):
        matcher = TwigMatcher(resolved)
        measured = matcher.measure(prune=prune, most_rows=1)
        assert measured is not None
        found[prune] = measured
    assert found[True].sizes == (1, 1, 1, 1), "only the third of each"
    assert set(found[True].rows) == {1.0}
    assert found[False].sizes == (n, n, n, n)
    assert sum(found[False].rows) > 10
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1), schedule="pipeline")
    assert engine.wishes.pipeline.prune


def test_columns_of_the_probe_begin_where_a_warp_reads_them_at_once() -> None:
    """However many rows a chunk has, all columns begin at a multiple of 32 words."""
    strides = set()

    class Noting(ShimMachine):
        def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
            if isinstance(kernel, JoinKernel):
                strides.add(int(args["probe_stride"]))
            super().launch(kernel, blocks, shared, args)

    for chunk_rows in (7, 33, 64):
        own = PipelineWishes(chunk_rows=chunk_rows, twig_rows=1)
        engine = CudaEngine(Noting(), Wishes(blocks=1, warps_per_block=1, pipeline=own), schedule="pipeline")
        assert engine.count(make_query(complete(9), Pattern.clique(3))).count == 84
    assert strides == {32, 64}


def labelled_path(**sizes: int) -> Query:
    """Four labels of 12 vertices each; every A leads to the first `sizes["AB"]` B and so on."""
    labels = [label for label in "ABCD" for _ in range(12)]
    first = {label: 12 * number for number, label in enumerate("ABCD")}
    edges = [
        (first[pair[0]] + i, first[pair[1]] + j)
        for pair, reach in sizes.items()
        for i, j in itertools.product(range(12), range(reach))
    ]
    graph = Graph.from_edges(*zip(*edges, strict=True), num_vertices=48, vertex_labels=labels)
    return make_query(graph, "(a:A)--(b:B)--(c:C)--(d:D)")


def test_joins_are_ordered_by_size_unless_told_otherwise() -> None:
    """A path of twigs of very different sizes: the largest is streamed, and the smaller neighbour is met first."""
    query = labelled_path(AB=4, BC=12, CD=8)
    orders = {}
    for leaf_order in (None, True, False):
        own = PipelineWishes(twig_rows=1, weigh=False)
        own = own if leaf_order is None else replace(own, leaf_order=leaf_order)
        engine = CudaEngine(
            ShimMachine(), Wishes(blocks=1, warps_per_block=1, pipeline=own), schedule="pipeline"
        )
        plan = run_of(engine, query).plan
        orders[leaf_order] = [plan.probe.columns, *(join.build.columns for join in plan.joins)]
    assert orders[None] == orders[True] != orders[False]


@pytest.mark.parametrize(
    ("table_bytes", "parts"), [(None, [(48, 48), (32, 32)]), (700, [(32, 48), (32, 32), (16, 48)])]
)
def test_a_table_that_holds_all_of_its_relation_is_built_once(
    table_bytes: int | None, parts: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is full to the last row: nobody asks for more, and it stays while the other one's parts go by."""
    linked: list[tuple[int, int]] = []
    listed: list[int] = []
    link, records = JoinTable._link, RowSource.records

    def noting_link(table: JoinTable, machine: ShimMachine, rows: int) -> Any:
        linked.append((rows, int(table.join.build.rows)))
        return link(table, machine, rows)

    def noting_records(source: RowSource, out: NDArray[np.uint32], most: int) -> int:
        listed.append(records(source, out, most))
        return listed[-1]

    monkeypatch.setattr(JoinTable, "_link", noting_link)
    monkeypatch.setattr(RowSource, "records", noting_records)
    query = labelled_path(AB=6, BC=8, CD=4)
    own = PipelineWishes(twig_rows=1, weigh=False, leaf_order=False, table_bytes=table_bytes)
    engine = CudaEngine(ShimMachine(), Wishes(blocks=1, warps_per_block=1, pipeline=own), schedule="pipeline")
    assert engine.count(query).count == reference.count(query).count > 0
    assert linked == parts, "rows in the table, rows of the relation"
    assert listed == [rows for rows, _ in parts]
    assert run_of(engine, query).tables[1].most_rows == 32


@pytest.mark.parametrize("order", ["forward", "random"])
def test_no_state_is_saved_over_one_that_may_be_read(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """States that a launch begins with, one per lane and the extra ones have a place each."""
    states = []
    launch = PipelineRun._launch

    def checked(run: PipelineRun, rows: int) -> bool:
        done = launch(run, rows)
        lanes, capacity = 32 * run.warps, run.state_capacity
        states.append(int(run.args["num_states"]) / lanes)
        extra = int(run.args["extra_room"])
        # Those that are there may still be read while every lane saves one of its own and the extra ones come on top.
        assert states[-1] * lanes + (2 if extra else 1) * lanes + extra <= capacity
        return done

    monkeypatch.setattr(PipelineRun, "_launch", checked)
    query = make_query(complete(7), Pattern.path(6), unique=False)
    own = PipelineWishes(twig_rows=1, chunk_rows=64)
    wishes = Wishes(blocks=2, warps_per_block=1, row_capacity=64, pipeline=own)
    engine = CudaEngine(ShimMachine(order, seed=4), wishes, schedule="pipeline")
    rows = rows_of(engine, query)
    assert len(rows) == len(set(rows)) == 7 * 6 * 5 * 4 * 3 * 2
    assert max(states) > 2, "a test whose lanes save little"
