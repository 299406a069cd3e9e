"""Cliques in degeneracy order and in pruned graphs on a real device: as the CPU counts them in the whole graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.result.local import count_per

PLAIN = Switches(orientation="degree", prune="never", sums=False)
WAYS = [
    replace(PLAIN, orientation="degeneracy"),
    replace(PLAIN, orientation="degeneracy", prune="cores"),
    replace(PLAIN, orientation="degeneracy", prune="edges"),
    replace(PLAIN, prune="cores", pivots=False),
]


def skewed() -> Graph:
    rng = np.random.default_rng(1)
    skew = rng.random(600) ** 3
    return Graph.from_edges(*rng.choice(600, (2, 15_000), p=skew / skew.sum()), num_vertices=600)


@pytest.mark.parametrize("schedule", ["auto", "fine", "stack", "levels"])
def test_counts(schedule: str) -> None:
    graph = skewed()
    engine = CudaEngine(open_device(), Wishes(fixed=False), schedule=schedule)
    for k in (3, 5, 7):
        query = make_query(graph, Pattern.clique(k))
        expected = cpu.count(query, Params(switches=PLAIN)).count
        for way in WAYS:
            assert engine.count(query, Params(switches=way)).count == expected > 0, (k, way)


@pytest.mark.parametrize("per", ["vertex", "edge"])
def test_local_counts(per: str) -> None:
    query, engine = make_query(skewed(), Pattern.clique(4)), CudaEngine(open_device(), Wishes(fixed=False))
    expected = count_per(query, per, cpu, Params(switches=PLAIN)).counts
    for way in WAYS:
        found = count_per(query, per, engine, Params(switches=way)).counts
        assert found.tolist() == expected.tolist()  # type: ignore[union-attr]
