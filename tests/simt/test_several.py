"""Several machines on one query, through the shim: each takes units of the initial pool."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from random_cases import FINE, canonical, describe, expected_rows, random_query
from shim import ShimMachine

from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.several import Units
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

WISHES = Wishes(blocks=2, warps_per_block=2, row_capacity=40, chunk=2)


def several(seed: int, count: int = 2) -> CudaEngine:
    machines = [ShimMachine(("forward", "reverse", "random")[i % 3], seed=seed + i) for i in range(count)]
    return CudaEngine(machines, WISHES)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", ["monomorphism", "induced", "homomorphism"])
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed, mode)
    wanted = expected_rows(query)
    engine = several(seed, 2 + seed % 2)
    assert engine.count(query).count == len(wanted), describe(query, seed)
    rows = [tuple(r) for batch in engine.stream(query, Params(batch_rows=20)) for r in batch.tolist()]
    assert canonical(query, rows) == wanted, describe(query, seed)


def complete(n: int) -> Graph:
    return Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))


def test_both_machines_work() -> None:
    """Nobody launches before the other one does, so one machine alone would never end."""
    engine = several(0)
    together = threading.Barrier(2)
    for machine in engine.machines:
        machine.launch = partial(_launch_together, machine.launch, together)
    assert engine.count(make_query(complete(16), Pattern.clique(4)), FINE).count == 1820
    assert all(machine.turns > 0 for machine in engine.machines)


def _launch_together(
    launch: Callable[..., None], together: threading.Barrier, kernel: Kernel, *args: Any
) -> None:
    if kernel.name == "subiso_search" and not together.broken:
        with contextlib.suppress(threading.BrokenBarrierError):
            together.wait(5)
            together.abort()  # once is enough
    launch(kernel, *args)


def test_units_are_dealt_once() -> None:
    units = Units(1000, workers=3)
    taken = list(iter(units.take, None))
    assert [i for r in taken for i in r] == list(range(1000))
    assert len(taken) > 6


def test_a_timeout_stops_all() -> None:
    engine = several(0)
    outcome = engine.count(make_query(complete(12), Pattern.cycle(5)), Params(timeout=0))
    assert outcome.stopped_by == "timeout"
    stream = engine.stream(make_query(complete(12), Pattern.path(3)), Params(timeout=0))
    list(stream)
    assert stream.stopped_by == "timeout"


def test_a_closed_stream_ends_its_threads() -> None:
    stream = several(0).stream(make_query(complete(12), Pattern.path(4)), Params(batch_rows=8))
    next(stream)
    stream.close()
    assert (stream.stopped_by, list(stream)) == ("cancelled", [])


@pytest.mark.parametrize("listing", [False, True])
def test_errors_come_through(listing: bool) -> None:
    """One machine fails; the other one waits until it has."""
    engine = several(0)
    query = make_query(complete(12), Pattern.path(4))
    failed = threading.Event()
    works = engine.machines[0].launch

    def patient(*args: Any) -> None:
        assert failed.wait(10)
        works(*args)

    def broken(*_: Any) -> None:
        failed.set()
        raise RuntimeError("a kernel failed")

    engine.machines[0].launch, engine.machines[1].launch = patient, broken
    # Bit rows of hubs are made by a launch too, before the threads start.
    engine.wishes = replace(engine.wishes, hub_bytes=0)
    with pytest.raises(RuntimeError, match="a kernel failed"):
        list(engine.stream(query)) if listing else engine.count(query, FINE)
