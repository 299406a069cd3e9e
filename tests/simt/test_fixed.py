"""Plans that are compiled in: the text that Python writes for NVRTC, compiled by g++ and run through the shim."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from random_cases import FINE, canonical, expected_rows
from shim import ShimMachine

from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


@pytest.mark.parametrize(
    ("pattern", "mode"),
    [
        (Pattern.clique(4), "monomorphism"),
        (Pattern.house(), "monomorphism"),
        (Pattern("(a:A)--(b), (b)--(c:B), (c)--(a), !(a)--(d), (d)--(c)"), "induced"),
    ],
    ids=["4-clique", "house", "labels"],
)
def test_compiled_plans(pattern: Pattern, mode: str) -> None:
    rng = np.random.default_rng(4)
    labels = [["A"], ["B"], ["A", "B"]]
    graph = Graph.from_edges(
        *rng.integers(0, 16, (2, 60)), num_vertices=16, vertex_labels=[labels[i % 3] for i in range(16)]
    )
    query = make_query(graph, pattern, mode=mode)
    wanted = expected_rows(query)
    assert wanted, "a test with nothing to find"
    for order in ("forward", "reverse", "random"):
        machine = ShimMachine(order, seed=1, fixed=True)
        engine = CudaEngine(machine, Wishes(blocks=2, warps_per_block=2, tau=0, row_capacity=64, fixed=True))
        assert engine.count(query, FINE).count == len(wanted)
        rows = [tuple(r) for batch in engine.stream(query, Params()) for r in batch.tolist()]
        assert canonical(query, rows) == wanted
        assert machine.compiled_launches >= 2
