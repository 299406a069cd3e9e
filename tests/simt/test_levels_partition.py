"""Schedule `levels` with one stage's partition of the store on the device at a time, through the SIMT shim."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from levels_cases import PARTITIONS, wishes
from numpy.typing import NDArray
from random_cases import canonical, describe, expected_rows, random_query, rows_of
from shim import ShimBuffer, ShimMachine

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.cuda.machine import Description, Kernel
from subiso.engine.cuda.storage import STORES
from subiso.engine.query import MODES, Query, make_query
from subiso.errors import DeviceMemoryError
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
ORDERS = ("forward", "reverse", "random")
PLAIN = Params(switches=Switches(max_tail=0, decompose="never", expand="never", candidate_graph="never"))
"""Every vertex is matched, on the whole graph."""


def knowledge(labels: str, *, n: int = 30, m: int = 400, seed: int = 0) -> Graph:
    """A directed graph with edge labels of about the same size, and two vertex labels."""
    rng = np.random.default_rng(seed)
    return Graph.from_edges(
        *rng.integers(0, n, (2, m)),
        num_vertices=n,
        directed=True,
        vertex_labels=np.array(["A", "B"], dtype=object)[rng.integers(0, 2, n)],
        edge_labels=np.array(list(labels), dtype=object)[rng.integers(0, len(labels), m)],
    )


def ring(labels: str = "WXYZ") -> Query:
    """A cycle with an edge label each and a chord."""
    pattern = Pattern("(a)-[:W]->(b)-[:X]->(c)-[:Y]->(d)-[:Z]->(a), (a)-[:W]->(c)")
    return make_query(knowledge(labels, m=1000), pattern)


def last(engine: CudaEngine) -> LevelsReport:
    assert isinstance(engine.last, LevelsReport)
    return engine.last


class Strict(ShimMachine):
    """Takes away what lay in a slot before something else is put there: nobody may go on reading it."""

    def write_beside(self, buffer: ShimBuffer, array: np.ndarray, offset: int, after: int) -> None:  # type: ignore[type-arg]
        if offset == 0:
            buffer.view(0, buffer.nbytes)[:] = 0xA5
        super().write_beside(buffer, array, offset, after)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed + 500, mode)
    wanted = expected_rows(query)
    few = len(wanted) < 100
    for i, order in enumerate(ORDERS if few else ORDERS[:1]):
        way = PARTITIONS[(seed + 2 * i) % len(PARTITIONS) if few else 0]
        engine = CudaEngine(Strict(order, seed=seed), way, schedule="levels")
        what = f"{describe(query, seed)} {way.levels} {order}"
        assert engine.count(query).count == len(wanted), what
        assert engine.count(query, PLAIN).count == len(wanted), what
        assert canonical(query, rows_of(engine, query)) == wanted, what


@pytest.mark.parametrize("storage", STORES)
def test_every_store_has_partitions(storage: str) -> None:
    query = ring()
    wanted = reference.count(query).count
    assert wanted, "a test with nothing to find"
    engine = CudaEngine(Strict("random", seed=2), wishes(rows=400), schedule="levels", storage=storage)
    assert engine.count(query, PLAIN).count == wanted
    whole = last(engine)
    assert not whole.partitioned
    assert whole.uploaded == whole.resident > 0
    for beside in (True, False):
        engine = CudaEngine(
            Strict("random", seed=2),
            wishes(rows=400, partition=True, beside=beside),
            schedule="levels",
            storage=storage,
        )
        assert engine.count(query, PLAIN).count == wanted
        report = last(engine)
        assert report.partitioned
        assert report.kernel.store == storage
        assert report.resident < whole.resident
        assert report.uploaded > report.resident


def test_one_label_at_a_time() -> None:
    """Four labels of the same size: two of them are there beside each other, or one."""
    engine = CudaEngine(ShimMachine(), wishes(), schedule="levels", storage="hash_pcsr")
    engine.count(ring(), PLAIN)
    whole = last(engine).resident
    for beside, share in ((True, 0.75), (False, 0.5)):
        way = wishes(partition=True, beside=beside)
        engine = CudaEngine(ShimMachine(), way, schedule="levels", storage="hash_pcsr")
        engine.count(ring(), PLAIN)
        assert last(engine).resident < share * whole


def test_hash_groups_begin_at_a_transaction() -> None:
    """A group is read in one transaction of 128 bytes, wherever in a slot its relation lies."""
    placed: list[int] = []
    together: set[int] = set()

    class Noting(ShimMachine):
        def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
            if getattr(kernel, "store", "") == "hash_pcsr":
                groups = args["relations"]["bounds"]  # the first pointer of a relation, in whatever store
                placed.extend(int(address) for address in groups if address)
                together.add(int(np.count_nonzero(groups)))
            super().launch(kernel, blocks, shared, args)

    tail = Pattern("(a)-[:W]->(b), (a)-[:X]->(c), (a)-[:Y]->(d), (b)-[:Z]->(e)")
    for pattern in (tail, Pattern("(a)-[:W]->(b)-[:W]->(c)-[:W]->(a)")):
        query = make_query(knowledge("WXYZ", m=203), pattern)
        way = wishes(partition=True, rows=100)
        engine = CudaEngine(Noting(), way, schedule="levels", storage="hash_pcsr")
        assert engine.count(query).count == reference.count(query).count
        assert last(engine).partitioned
    assert max(together) > 1, "a test whose partitions are single relations"
    assert {address % 128 for address in placed} == {0}


@pytest.mark.parametrize("beside", [True, False])
def test_partitions_are_uploaded_beside_what_runs(beside: bool) -> None:
    """With two slots none waits for the launches just before; with one it waits for those that read what was there."""
    waits: list[tuple[int, int]] = []

    class Noting(ShimMachine):
        def write_beside(self, buffer: ShimBuffer, array: NDArray[Any], offset: int, after: int) -> None:
            waits.append((after, self.mark()))
            super().write_beside(buffer, array, offset, after)

    way = wishes(partition=True, beside=beside)
    engine = CudaEngine(Noting(), way, schedule="levels", storage="hash_pcsr")
    assert engine.count(ring(), PLAIN).count == reference.count(ring()).count
    assert len({now for _, now in waits}) >= 4, "a test with few uploads"
    later = [(after, now) for after, now in waits if after]  # before that a slot was empty
    assert later and all((after < now) == beside for after, now in later), waits
    assert all(after < now for after, now in waits if not after)


def test_a_store_beyond_the_budget_is_read_in_partitions() -> None:
    query = ring()
    wanted = reference.count(query).count
    resident = []
    for budget in (1 << 20, 4800, 1):
        engine = CudaEngine(Strict(), wishes(rows=500), budget=budget, schedule="levels", storage="hash_pcsr")
        assert engine.count(query, PLAIN).count == wanted
        assert len(rows_of(engine, query)) == wanted
        assert last(engine).partitioned == (budget < 1 << 20)
        resident.append(last(engine).resident)
    assert resident[0] > resident[1] > resident[2] > 0


def test_partitions_can_be_forbidden() -> None:
    engine = CudaEngine(ShimMachine(), wishes(partition=False), budget=1, schedule="levels")
    assert engine.count(ring(), PLAIN).count == reference.count(ring()).count
    assert not last(engine).partitioned


class Slow(Strict):
    """Takes long over what one stage reads."""

    seconds = 0.0

    def write_beside(self, buffer: ShimBuffer, array: np.ndarray, offset: int, after: int) -> None:  # type: ignore[type-arg]
        time.sleep(self.seconds)
        super().write_beside(buffer, array, offset, after)


@pytest.mark.parametrize("cancelled", [False, True])
def test_no_further_partition_after_the_end(cancelled: bool) -> None:
    """The clock is looked at between the stages of a descent, not only behind it."""
    query, way = ring(), wishes(partition=True)
    machine = Slow()
    engine = CudaEngine(machine, way, schedule="levels")
    engine.count(query, PLAIN)
    whole, windows = last(engine).launches, last(engine).windows
    assert windows == len(last(engine).stages)  # one descent
    machine.seconds = 0.1
    timeout, poll = (None, lambda: True) if cancelled else (0.1, None)
    outcome = engine.count(query, replace(PLAIN, timeout=timeout, poll=poll))
    assert outcome.stopped_by == ("cancelled" if cancelled else "timeout")
    assert last(engine).launches < whole and last(engine).windows < windows
    stream = engine.stream(query, replace(PLAIN, timeout=timeout, poll=poll))
    assert not list(stream) and stream.stopped_by == outcome.stopped_by


def test_tails_read_their_relations_too() -> None:
    pattern = Pattern("(a)-[:W]->(b), (a)-[:X]->(c), (a)-[:Y]->(d), (b)-[:Z]->(e)")
    query = make_query(knowledge("WXYZ", m=200), pattern)
    engine = CudaEngine(Strict("random", seed=5), wishes(partition=True, rows=100), schedule="levels")
    assert engine.count(query).count == reference.count(query).count


def test_the_same_label_is_uploaded_once_in_a_row() -> None:
    """A path along one label: one partition, however many stages read it."""
    graph = knowledge("XY")
    query = make_query(graph, Pattern("(a)-[:X]->(b)-[:X]->(c)-[:X]->(d)"), mode="homomorphism")
    engine = CudaEngine(ShimMachine(), wishes(partition=True), schedule="levels", storage="compressed")
    assert engine.count(query, PLAIN).count == reference.count(query).count
    assert last(engine).uploaded <= 2 * last(engine).resident


def test_auto_takes_levels_for_graphs_that_have_no_room() -> None:
    """Absent edges keep `pipeline` from joining without the graph."""
    pattern = Pattern("(a)-[:W]->(b)-[:X]->(c), !(a)-[:Y]->(c)")
    query = make_query(knowledge("WXYZ"), pattern)
    small = Description("small", "simt", multiprocessors=2, memory=1700)
    engine = CudaEngine(Strict(description=small), wishes(rows=300))
    switches = replace(PLAIN.switches, max_tail=4)
    assert engine.count(query, Params(switches=switches)).count == reference.count(query).count
    assert last(engine).partitioned


def test_a_partition_that_has_no_room_alone_is_refused() -> None:
    query = make_query(knowledge("WX", n=400, m=30_000), Pattern("(a)-[:W]->(b)-[:X]->(c)-[:W]->(a)"))
    engine = CudaEngine(ShimMachine(room=30_000), wishes(rows=10), budget=1, schedule="levels")
    with pytest.raises(DeviceMemoryError, match="does not fit"):
        engine.count(query, PLAIN)
