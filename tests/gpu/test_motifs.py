"""Motifs on a real device: the shim's random graphs, and real graphs against the CPU and the oracle."""

from __future__ import annotations

import time
from itertools import combinations

import pytest
from motif_cases import WISHES, native_sums, random_graph
from tests import data

import subiso as si
from subiso.engine.base import Params
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes

REAL = [
    "karate",
    "wiki-Vote",
    "email-Enron",
    "ca-GrQc",
    "ca-AstroPh",
    "as-caida20071105",
    "BlogCatalog",
    "facebook_combined",
]


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("seed", range(24))
def test_random_graphs(seed: int, size: int) -> None:
    graph = random_graph(seed)
    engine = CudaEngine(open_device(), Wishes(fixed=False, motifs=WISHES[seed % len(WISHES)]))
    found, _ = engine.motif_sums(graph, size, Params())
    wanted = native_sums(graph, size)
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize("name", REAL)
def test_real_graphs_against_the_oracle(name: str) -> None:
    graph, known = data.load_graph(name), data.oracle()[name]
    for induced, kind in ((False, "subgraphs"), (True, "induced")):
        found = [si.motifs(graph, size, induced=induced, device="cuda") for size in (3, 4, 5)]
        for pattern, entry in known.items():
            shape = si.Pattern.from_edges(entry["edges"])
            if 3 <= shape.num_vertices <= 5 and entry[kind] is not None:
                assert found[shape.num_vertices - 3][shape] == entry[kind], (pattern, kind)


@pytest.mark.parametrize("name", ["loc-Gowalla", "ego-Twitter"])
def test_large_graphs_against_the_cpu(name: str) -> None:
    graph = data.load_graph(name)
    for size in (3, 4, 5):
        assert si.motifs(graph, size, device="cuda") == si.motifs(graph, size, device="cpu")


def test_a_complete_graph() -> None:
    """Every seed is large."""
    graph = si.Graph.from_edges(*zip(*combinations(range(600), 2), strict=True))
    assert si.motifs(graph, 5, device="cuda") == si.motifs(graph, 5, device="cpu")


def test_a_timeout_stops_running_passes() -> None:
    graph = si.Graph.from_edges(*zip(*combinations(range(3000), 2), strict=True))
    si.motifs(si.Graph.from_edges([0], [1]), 5, device="cuda")
    started = time.perf_counter()
    with pytest.raises(si.TimeoutReached):
        si.motifs(graph, 5, device="cuda", timeout=0.2)
    assert time.perf_counter() - started < 10
