"""Every schedule on candidate graphs through the SIMT shim: the same answers as the reference's on the whole graph."""

from __future__ import annotations

import pytest
from random_cases import canonical, describe, expected_rows, random_query
from shim import ShimMachine

from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, make_query
from subiso.filter.narrow import FILTERS
from subiso.graph import Graph

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
