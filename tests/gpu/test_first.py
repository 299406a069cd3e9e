"""First queries on a real device: kernels compiled in haste, then the settled ones, with the same counts."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from bench.gpu.run import PATTERNS

from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import CudaMachine
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.machine import Needless
from subiso.engine.cuda.tune import HASTE_COST
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern

PATIENCE = 30.0


def hubs(labels: int | None) -> Graph:
    rng = np.random.default_rng(1)
    ends = (3000 * rng.random((2, 30_000)) ** 3).astype(np.int64)
    named = None if labels is None else [f"L{i}" for i in rng.integers(0, labels, 3000)]
    return Graph.from_edges(*ends, num_vertices=3000, vertex_labels=named)


@pytest.mark.parametrize("labels", [None, 3])
@pytest.mark.parametrize("name", ["triangle", "4cycle", "house", "5cycle", "K5", "W4", "prism", "gMatch-P5"])
def test_haste_then_settled(
    name: str, labels: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path))
    plain = Pattern.from_edges(PATTERNS[name])
    named = None if labels is None else [f"L{i % labels}" for i in range(plain.num_vertices)]
    query = make_query(hubs(labels), Pattern.from_edges(PATTERNS[name], vertex_labels=named))
    expected = cpu.count(query).count
    machine = CudaMachine(0)
    engine = CudaEngine(machine, haste=True)
    assert engine.count(query).count == expected
    assert engine.times.compile > 0
    short = engine.formula(resolve(query)).cost <= HASTE_COST
    assert (engine.times.hasty > 0) == (short and any(kernel.slow for kernel in machine.kernels))
    started = time.monotonic()
    while engine.times.hasty:
        assert time.monotonic() - started < PATIENCE, "settled kernels did not come"
        time.sleep(0.2)
        assert engine.count(query).count == expected
    again = CudaEngine(CudaMachine(0), haste=True)
    assert again.count(query).count == expected and again.times.hasty == 0


def test_who_has_no_more_need_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path))
    machine, kernel = CudaMachine(0), SearchKernel()
    started = time.monotonic()
    with machine.waiting(lambda: True), pytest.raises(Needless):
        machine.load([kernel, SearchKernel(tail="sizes")])
    left = time.monotonic() - started
    assert machine.registers(kernel) > 0  # the thread went on
    assert left < 0.5 * (time.monotonic() - started)


def test_it_can_be_turned_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path))
    engine = CudaEngine(CudaMachine(0), haste=True)
    query = make_query(hubs(None), Pattern.clique(3))
    assert engine.count(query, Params(switches=Switches(haste=False))).count == cpu.count(query).count
    assert engine.times.hasty == 0
