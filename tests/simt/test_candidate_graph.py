"""Every schedule on candidate graphs through the SIMT shim: the same answers as the reference's on the whole graph."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from random_cases import canonical, describe, expected_rows, random_query
from shim import ShimMachine

from subiso import explain
from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.choose import Choice
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.pipeline import PipelineReport
from subiso.engine.cuda.tables import MAX_RELATIONS
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, Query, make_query
from subiso.filter.candidate_graph import DEVICE_RELATIONS, CandidateLayout
from subiso.filter.narrow import FILTERS
from subiso.filter.resolve import Resolved
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.plan import Plan

WAYS = [
    ("fine", "forward", Wishes(blocks=2, warps_per_block=2, tau=0, row_capacity=40, chunk=2)),
    ("stack", "reverse", Wishes(blocks=2, warps_per_block=2, tau=1000, row_capacity=50, arena_words=40)),
    ("wedge", "random", Wishes(blocks=2, warps_per_block=2, tau=0, row_capacity=50, slots=8)),
    ("auto", "random", Wishes(blocks=3, warps_per_block=2, hub_length=1)),
    ("levels", "random", Wishes(blocks=2, warps_per_block=2)),
    ("pipeline", "reverse", Wishes(blocks=2, warps_per_block=2)),
]


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("mode", MODES)
def test_rich_queries(mode: str, seed: int) -> None:
    query = random_query(5000 + seed, mode)
    wanted = expected_rows(query)
    schedule, order, wishes = WAYS[seed % len(WAYS)]
    engine = CudaEngine(ShimMachine(order, seed=seed), wishes, schedule=schedule)
    switches = Switches(filters=FILTERS, candidate_graph="always", decompose="auto" if seed % 3 else "always")
    what = f"{describe(query, seed)} {schedule}"
    assert engine.count(query, Params(switches=switches)).count == len(wanted), what
    stream = engine.stream(query, Params(batch_rows=20, switches=switches))
    rows = [tuple(row) for batch in stream for row in batch.tolist()]
    assert canonical(query, rows) == wanted, what


class Noting(CudaEngine):
    """Notes by which schedules it runs, and on what."""

    def __init__(self, schedule: str) -> None:
        super().__init__(ShimMachine(), Wishes(blocks=2, warps_per_block=2), schedule=schedule)
        self.chosen: set[str] = set()
        self.layouts: set[type] = set()

    def choose(self, plan: Plan, resolved: Resolved) -> Choice:
        choice = super().choose(plan, resolved)
        self.chosen.add(choice.schedule)
        return choice

    def _graph(self, machine: int, resolved: Resolved) -> DeviceGraph:
        self.layouts.add(type(resolved.layout))
        return super()._graph(machine, resolved)


@pytest.mark.parametrize("schedule", ["fine", "stack", "wedge", "local", "levels", "pipeline"])
def test_every_schedule_searches_the_candidate_graph(schedule: str) -> None:
    """A fan of labelled vertices: a pattern that each of them has a plan for."""
    rng = np.random.default_rng(4)
    ends = rng.integers(0, 40, (2, 500))
    graph = Graph.from_edges(*ends, num_vertices=40, vertex_labels=np.arange(40) % 2)
    query = make_query(graph, "(h:1)--(a:0)--(b:0)--(c:0)--(d:0), (h)--(b), (h)--(c), (h)--(d)")
    engine = Noting(schedule)
    params = Params(switches=Switches(candidate_graph="always"))
    wanted = reference.count(query).count
    assert engine.count(query, params).count == wanted > 0
    joined = isinstance(engine.last, PipelineReport)
    assert ({"pipeline"} if joined else engine.chosen) == {schedule}
    assert engine.layouts == {CandidateLayout}
    engine.layouts.clear()
    assert sum(len(batch) for batch in engine.stream(query, params)) == wanted
    assert engine.layouts == {CandidateLayout}


def labelled_clique(vertices: int) -> Query:
    """A clique of as many labels in a graph that has five of them, beside other edges: two relations for every edge."""
    rng = np.random.default_rng(1)
    n = 5 * vertices
    inside = [
        (first + a, first + b)
        for first in range(0, n, vertices)
        for a, b in itertools.combinations(range(vertices), 2)
    ]
    edges = np.concatenate([np.array(inside), rng.integers(0, n, (600, 2))])
    graph = Graph.from_edges(*edges.T, num_vertices=n, vertex_labels=np.arange(n) % vertices)
    pairs = list(itertools.combinations(range(vertices), 2))
    return make_query(graph, Pattern.from_edges(pairs, vertex_labels=range(vertices)))


@pytest.mark.parametrize("schedule", ["auto", "fine", "levels", "pipeline"])
def test_kernels_do_without_one_of_too_many_relations(schedule: str) -> None:
    """Of a clique of 16 vertices it has 240 relations, of 17 vertices 272; explain says what is searched."""
    assert DEVICE_RELATIONS == MAX_RELATIONS
    for vertices, layout in ((16, "CandidateLayout"), (17, "Layout")):
        query = labelled_clique(vertices)
        engine = Noting(schedule)
        assert engine.count(query).count == 5
        assert {kind.__name__ for kind in engine.layouts} == {layout}
        named = None if schedule == "auto" else schedule
        told = str(explain(query.graph, query.pattern, device="cuda", schedule=named))
        assert f"schedule {next(iter(engine.chosen), 'pipeline')}: " in told
        if schedule != "pipeline":
            assert ("  storage csr: its offsets are those of candidates only" in told) == (vertices == 16)
        not_used = "not used: it would have 272 relations, and kernels take at most 256"
        assert (f"between   candidate graph {not_used}\n" in told) == (vertices == 17)


def test_copies_of_a_candidate_graph_do_not_stay() -> None:
    graph = Graph.from_edges([0, 1, 2, 0, 3], [1, 2, 0, 3, 4], vertex_labels=list("ABABA"))
    engine = CudaEngine(ShimMachine(), schedule="fine")
    query = make_query(graph, "(a:A)--(b:B)--(c:A)")
    for _ in range(3):
        count = engine.count(query, Params(switches=Switches(candidate_graph="always"))).count
        assert count == 2
    assert engine.caches[0].used == 0
    engine.count(query, Params(switches=Switches(candidate_graph="never")))
    assert engine.caches[0].used > 0


def test_the_host_counts_what_it_can_where_it_may() -> None:
    graph = Graph.from_edges([0, 1, 2, 0, 3], [1, 2, 0, 3, 4], vertex_labels=list("ABABA"))
    labelled, plain = make_query(graph, "(a:A)--(b:B)--(c:A)"), make_query(graph, "(a)--(b)--(c)")
    for host in (True, False):
        engine = CudaEngine(ShimMachine(), host=host)
        assert engine.count(labelled).count == 2
        assert (engine.last is None) == host
        assert engine.count(plain).count == 6
        assert (engine.last is None) == host
