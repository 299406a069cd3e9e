"""Every schedule on candidate graphs on a real device: the shim's random queries, and larger ones against the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from random_cases import canonical, describe, expected_rows, random_query

from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

SCHEDULES = ("auto", "fine", "stack", "wedge", "levels", "pipeline")
ALWAYS = Params(batch_rows=20, switches=Switches(candidate_graph="always"))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(5000 + seed, mode)
    wanted = expected_rows(query)
    engine = CudaEngine(open_device(), Wishes(fixed=False), schedule=SCHEDULES[seed % len(SCHEDULES)])
    assert engine.count(query, ALWAYS).count == len(wanted), describe(query, seed)
    rows = [tuple(row) for batch in engine.stream(query, ALWAYS) for row in batch.tolist()]
    assert canonical(query, rows) == wanted, describe(query, seed)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_labelled_queries(schedule: str) -> None:
    """The whole graph and the candidate graph give what the CPU gives by plans, and by elimination."""
    rng = np.random.default_rng(7)
    graph = Graph.from_edges(
        *rng.integers(0, 3000, (2, 20_000)), num_vertices=3000, vertex_labels=rng.integers(0, 4, 3000)
    )
    for shape in (Pattern.cycle(5), Pattern.house(), Pattern.path(7)):
        edges = [(e.source, e.target) for e in shape.edges]
        labels = rng.integers(0, 4, shape.num_vertices).tolist()
        query = make_query(graph, Pattern.from_edges(edges, vertex_labels=labels), unique=False)
        ways = [Switches(labelled=way) for way in ("plan", "eliminate", "search")]
        wanted = {cpu.count(query, Params(switches=way)).count for way in ways}
        assert len(wanted) == 1
        engine = CudaEngine(open_device(), Wishes(fixed=False), schedule=schedule)
        for choice in ("always", "never"):
            params = Params(switches=Switches(candidate_graph=choice))
            assert {engine.count(query, params).count} == wanted
