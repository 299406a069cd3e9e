"""Storage layouts of real edge-labelled graphs: the interval PCSR stays below its bar (`python -m bench.storage`)."""

from __future__ import annotations

import pytest
from bench.storage import BAR, GRAPHS
from tests.data import load_graph

from subiso.storage.labels import store_labels
from subiso.storage.partition import partitions_of


@pytest.mark.parametrize("name", GRAPHS)
def test_the_interval_pcsr_is_smaller_than_a_csr_with_labels(name: str) -> None:
    """Its renaming included; the other has 32 bits for every offset, neighbour and label, and nothing else."""
    graph = load_graph(name)
    sides = partitions_of(graph).sides.values()
    labelled = sum(4 * (graph.num_vertices + 1) + 8 * len(side.neighbors) for side in sides)
    assert store_labels(graph, "labelled_csr").bytes == labelled
    assert store_labels(graph, "interval_pcsr").bytes <= BAR * labelled
