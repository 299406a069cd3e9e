"""The bench of storage layouts on a small graph: its numbers are those of the layouts, the device's part runs too."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "simt"))

from bench.storage_device import ON_DEVICE, device_tables

from bench import storage
from subiso.graph import Graph


@pytest.fixture(scope="module")
def case() -> storage.Case:
    rng = np.random.default_rng(0)
    src, dst, labels = rng.integers(0, 60, 300), rng.integers(0, 60, 300), rng.integers(0, 4, 300)
    return storage.Case(
        "small", Graph.from_edges(src, dst, num_vertices=60, directed=True, edge_labels=labels)
    )


def test_every_table_has_a_row(case: storage.Case) -> None:
    for title, head, row in storage.TABLES:
        cells = row(case)
        assert len(cells) == len(head), title
        assert cells[0] == "small"


def test_lines_are_those_of_the_layouts(case: storage.Case) -> None:
    for name in storage.NAMES:
        store = case.stores[name]
        assert storage.lines_of(store, case.hits) == pytest.approx(store.statistics.mean_lines)


def test_workloads(case: storage.Case) -> None:
    assert case.hits.count == case.stores["csr"].statistics.lists
    assert case.everyone.count == 60 * 4 * 2
    edges = sum(len(side.neighbors) for side in case.partitions.sides.values())
    assert case.length(case.hits) == case.length(case.everyone) == edges


def test_the_device_part_through_the_shim(case: storage.Case) -> None:
    shim = pytest.importorskip("shim")
    tables = list(device_tables(shim.ShimMachine(), [case], lambda: 1.0, queries=2, size=3))
    assert len(tables) == 5
    for title, head, rows in tables:
        assert [len(row) for row in rows] == [len(head)], title
    assert tables[0][1] == ("graph", *ON_DEVICE)
    assert int(tables[-1][2][0][-1].replace(",", "")) >= 2
