"""Two workers on one device share a query: each takes units of the initial pool."""

from __future__ import annotations

import itertools
from math import comb

import pytest
from random_cases import canonical, describe, expected_rows, random_query

import subiso as si
from subiso.engine.base import Params
from subiso.engine.cuda.device import open_devices
from subiso.engine.cuda.engine import CudaEngine


@pytest.mark.parametrize("seed", range(10))
def test_random_queries(seed: int) -> None:
    query = random_query(seed, ("monomorphism", "induced")[seed % 2])
    wanted = expected_rows(query)
    engine = CudaEngine(open_devices("cuda:0,0"))  # the host would answer the small ones
    assert engine.count(query).count == len(wanted), describe(query, seed)
    rows = [tuple(r) for batch in engine.stream(query, Params(batch_rows=20)) for r in batch.tolist()]
    assert canonical(query, rows) == wanted, describe(query, seed)


def test_through_the_api() -> None:
    graph = si.Graph.from_edges(*zip(*itertools.combinations(range(60), 2), strict=True))
    assert si.count(graph, si.Pattern.clique(5), device="cuda:0,0") == comb(60, 5)
    assert sum(1 for _ in si.match(graph, si.Pattern.clique(3), device="cuda:0,0")) == comb(60, 3)
