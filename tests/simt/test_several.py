"""Several machines on one query, through the shim: each takes units of the initial pool."""

from __future__ import annotations

import itertools

import pytest
from random_cases import canonical, describe, expected_rows, random_query
from shim import ShimMachine

from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
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


def test_no_machine_counts_what_another_does() -> None:
    engine = several(0)
    assert engine.count(make_query(complete(16), Pattern.clique(4))).count == 1820
    assert sum(machine.turns > 0 for machine in engine.machines) >= 1  # a fast one may have done it all


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


def test_errors_come_through() -> None:
    engine = several(0)
    query = make_query(complete(12), Pattern.path(4))

    def broken(*_: object) -> None:
        raise RuntimeError("a kernel failed")

    for machine in engine.machines:
        machine.launch = broken
    with pytest.raises(RuntimeError, match="a kernel failed"):
        list(engine.stream(query))
    with pytest.raises(RuntimeError, match="a kernel failed"):
        engine.count(query)
