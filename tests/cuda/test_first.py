"""A first query: everything it launches is compiled side by side and beforehand, in haste where it is short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from bench.ablation.rehearse import Rehearsal

from subiso.engine.base import Params, Switches
from subiso.engine.cuda.ahead import hurrying
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.machine import Description, Kernel
from subiso.engine.cuda.tune import HASTE_COST, Wishes
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern

H200 = Description("H200", "sm_90", 132, memory=150 << 30)


@dataclass
class Listener(Rehearsal):
    """Notes what is loaded, what is needed without having been loaded, and whether there is a hurry."""

    loads: list[set[Kernel]] = field(default_factory=list)
    late: list[Kernel] = field(default_factory=list)
    hurries: list[bool] = field(default_factory=list)
    """Of every launch."""
    hurry: bool = False
    hurried: bool = False

    @contextmanager
    def hurrying(self, on: bool) -> Iterator[None]:
        self.hurry = on
        self.hurried |= on
        try:
            yield
        finally:
            self.hurry = False

    def load(self, kernels: Iterable[Kernel]) -> None:
        self.loads.append(set(kernels))

    def _need(self, kernel: Kernel) -> None:
        if not any(kernel in load for load in self.loads):
            self.late.append(kernel)

    def registers(self, kernel: Kernel) -> int:
        self._need(kernel)
        return 128  # as many as kernels compiled in haste have

    def launch(self, kernel: Kernel, *args: object) -> None:
        self._need(kernel)
        self.hurries.append(self.hurry)
        self.kernels[kernel] = None


def hubs(labels: int = 0) -> Graph:
    """Many vertices of small degree and some of large degree."""
    rng = np.random.default_rng(1)
    ends = (3000 * rng.random((2, 30_000)) ** 3).astype(np.int64)
    named = [f"L{i}" for i in rng.integers(0, labels, 3000)] if labels else None
    return Graph.from_edges(*ends, num_vertices=3000, vertex_labels=named)


PATTERNS = {
    "triangle": Pattern.clique(3),
    "4-cycle": Pattern.cycle(4),
    "5-cycle": Pattern.cycle(5),
    "house": Pattern.house(),
    "4-clique": Pattern.clique(4),
    "6-clique": Pattern.clique(6),
    "wheel": Pattern.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)]),
    "prism": Pattern.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)]),
    "path": Pattern.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)]),
    "gem": Pattern.from_edges([(0, 1), (1, 2), (2, 3), (4, 0), (4, 1), (4, 2), (4, 3)]),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_all_kernels_of_a_query_are_loaded_at_once(name: str) -> None:
    machine = Listener(H200)
    CudaEngine(machine).count(make_query(hubs(), PATTERNS[name]))
    assert machine.kernels and machine.late == []
    first = machine.loads[0]
    assert machine.kernels.keys() <= first


@pytest.mark.parametrize("name", ["4-cycle", "house", "4-clique", "prism"])
def test_labelled_ones_too(name: str) -> None:
    plain = PATTERNS[name]
    labels = [f"L{i % 3}" for i in range(plain.num_vertices)]
    machine = Listener(H200)
    edges = [(edge.source, edge.target) for edge in plain.edges]
    CudaEngine(machine).count(make_query(hubs(3), Pattern.from_edges(edges, vertex_labels=labels)))
    assert machine.kernels and machine.late == []
    assert machine.kernels.keys() <= machine.loads[0]


@pytest.mark.parametrize("size", [3, 4, 5])
def test_those_of_motifs(size: int) -> None:
    machine = Listener(H200)
    CudaEngine(machine).motif_sums(hubs(), size, Params())
    assert machine.kernels and machine.late == []
    assert machine.kernels.keys() <= machine.loads[0]


@pytest.mark.parametrize("name", ["house", "prism"])
def test_those_of_tables_level_by_level(name: str) -> None:
    """Of all terms of a formula as well."""
    machine = Listener(H200)
    CudaEngine(machine, schedule="levels").count(make_query(hubs(), PATTERNS[name]))
    assert machine.kernels and machine.late == []
    assert machine.kernels.keys() <= machine.loads[0]


def test_an_expanded_formula_has_several_terms() -> None:
    """Or the test above would say little."""
    engine = CudaEngine(Listener(H200))
    assert len(engine.formula(resolve(make_query(hubs(), PATTERNS["house"]))).terms) > 1


@pytest.mark.parametrize("warps", [None, 4])
def test_teams_of_tables_are_as_large_as_expected(warps: int | None) -> None:
    """Whatever registers the kernel turns out to have."""
    for registers in (32, 64, 128):
        machine = Listener(H200)
        machine.registers = lambda kernel, r=registers: r  # type: ignore[method-assign, misc]
        CudaEngine(machine, Wishes(warps_per_block=warps)).count(make_query(hubs(), PATTERNS["4-cycle"]))
        assert machine.kernels.keys() <= machine.loads[0]


def test_short_queries_hurry_and_long_ones_do_not() -> None:
    graph, pattern = hubs(), PATTERNS["house"]
    query = make_query(graph, pattern)
    machine = Listener(H200)
    engine = CudaEngine(machine, haste=True)
    assert engine.formula(resolve(query)).cost < HASTE_COST
    engine.count(query)
    assert machine.hurries and all(machine.hurries)
    machine.hurries.clear()
    engine.count(query, Params(switches=Switches(haste=False)))
    CudaEngine(machine).count(query)  # benchmarks and tests measure settled kernels
    assert len(machine.hurries) > 1 and not any(machine.hurries)
    with hurrying(engine, 2 * HASTE_COST, Params()):
        assert not machine.hurry
    with hurrying(engine, HASTE_COST / 2, Params()):
        assert machine.hurry
    assert not machine.hurry


def test_listings_are_prepared_in_a_hurry() -> None:
    machine = Listener(H200)
    stream = CudaEngine(machine, haste=True).stream(make_query(hubs(), PATTERNS["triangle"]))
    assert machine.hurried and not machine.hurry and machine.late == []
    stream.close()
