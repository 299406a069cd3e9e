"""Filters and candidate graphs on a real device: bit for bit what the host makes, and the same answers from them."""

from __future__ import annotations

import pytest
from filter_cases import assert_same, eaten_path, hub_query
from random_cases import canonical, describe, expected_rows, labelled_query, random_query, rows_of

from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.filter_tune import FilterWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, make_query
from subiso.filter.narrow import FILTERS
from subiso.graph.generators import rmat, with_edge_labels, with_labels
from subiso.queries import random_queries

SCHEDULES = ("auto", "fine", "stack", "wedge", "levels", "pipeline")
THERE = Wishes(fixed=False, filters=FilterWishes(place="device"))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = (random_query if seed % 2 else labelled_query)(7000 + seed, mode)
    wanted = expected_rows(query)
    engine = CudaEngine(open_device(), THERE, schedule=SCHEDULES[seed % len(SCHEDULES)])
    for filters in (None, FILTERS, ("signature",)):
        assert_same(query, filters, engine.narrower, describe(query, seed))
    params = Params(batch_rows=20, switches=Switches(filters=FILTERS, candidate_graph="always"))
    assert engine.count(query, params).count == len(wanted), describe(query, seed)
    assert canonical(query, rows_of(engine, query, params)) == wanted, describe(query, seed)


@pytest.mark.parametrize("seed", range(6))
def test_hubs(seed: int) -> None:
    engine = CudaEngine(open_device(), THERE)
    assert_same(hub_query(seed, vertices=3000, hubs=5), FILTERS, engine.narrower, f"seed {seed}")


@pytest.mark.parametrize("directed", [False, True])
def test_a_larger_graph(directed: bool) -> None:
    graph = with_labels(rmat(15, seed=4, directed=directed), 12, "zipf", seed=4)
    if directed:
        graph = with_edge_labels(graph, 6, "zipf", seed=4)
    engine = CudaEngine(open_device(), THERE)
    for number, pattern in enumerate(random_queries(graph, 4, [4, 8, 12], edges="visited", seed=5)):
        for filters in (None, FILTERS):
            assert_same(make_query(graph, pattern), filters, engine.narrower, f"query {number}")


def test_refinement_heeds_the_timeout() -> None:
    """It would go on for hundreds of rounds, and is stopped behind the first few."""
    engine = CudaEngine(open_device(), THERE)
    query = eaten_path(4000)
    assert engine.count(query).count == 0
    outcome = engine.count(query, Params(timeout=0.0))
    assert (outcome.count, outcome.stopped_by) == (0, "timeout")
