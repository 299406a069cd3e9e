"""Searches and look-ups through every storage layout on a real device, against the reference and the lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_cases import FINE, canonical, describe, expected_rows, labelled_query

from subiso.engine.base import Params
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.lookup import LookUpKernel, LookUps
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.relations import relation_entries
from subiso.engine.cuda.storage import STORES, store_entries
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, make_query
from subiso.filter.resolve import resolve
from subiso.graph.generators import rmat, with_edge_labels
from subiso.pattern import Pattern


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("storage", STORES)
def test_random_queries(storage: str, mode: str, seed: int) -> None:
    query = labelled_query(seed, mode)
    wanted = expected_rows(query)
    schedule = ("fine", "stack")[seed % 2]
    engine = CudaEngine(open_device(), Wishes(fixed=False), schedule=schedule, storage=storage)
    assert engine.count(query, FINE).count == len(wanted), describe(query, seed)
    rows = [tuple(r) for batch in engine.stream(query, Params(batch_rows=20)) for r in batch.tolist()]
    assert canonical(query, rows) == wanted, describe(query, seed)


def test_stores_agree_on_a_larger_graph() -> None:
    graph = with_edge_labels(rmat(14, seed=1, directed=True), 20, "zipf", seed=1)
    query = make_query(graph, Pattern("(a)-[:0]->(b)-[:1]->(c), (a)-[:2]->(c), (c)-[:3]->(d)"))
    counts = {name: CudaEngine(open_device(), storage=name).count(query).count for name in STORES}
    assert len(set(counts.values())) == 1, counts


@pytest.mark.parametrize("storage", STORES)
def test_look_ups(storage: str) -> None:
    graph = with_edge_labels(rmat(14, seed=1, directed=True), 20, "zipf", seed=1)
    resolved = resolve(make_query(graph, Pattern("(a)-[:0]->(b)-[:7]->(c), (a)-[:19]->(c)")))
    machine = open_device()
    kept: list[Any] = []
    on_device = DeviceGraph(Cache(machine), resolved.layout)
    if storage == "csr":
        entries = relation_entries(on_device, resolved, Wishes(), kept, wide=False)
    else:
        entries = store_entries(on_device, resolved, storage, kept)
    everyone, count = resolved.layout.all_ranks, len(resolved.csrs)
    relations = np.repeat(np.arange(count, dtype=np.uint32), len(everyone))
    ups = LookUps(machine, LookUpKernel(storage), entries, np.tile(everyone, count), relations, touch=True)
    wanted = np.concatenate([csr.lengths for csr in resolved.csrs])
    assert ups.each().tolist() == wanted.tolist()
    assert ups.run() == wanted.sum()
