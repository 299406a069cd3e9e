"""Four-cycles in neighbourhoods on a real device: the shim's cases, and real graphs against the oracle."""

from __future__ import annotations

import time

import pytest
from hood_cases import WHEEL, WISHES, complete, count_wheels, long_lists, random_graph, wheel_run
from tests import data

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.hood_tune import HoodWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import make_query

REAL = [
    "karate",
    "wiki-Vote",
    "email-Enron",
    "dblp-2010",
    "ca-AstroPh",
    "BlogCatalog",
    "loc-Gowalla",
    "cnr-2000",
]


def engine(own: HoodWishes) -> CudaEngine:
    return CudaEngine(open_device(), Wishes(hoods=own))


@pytest.mark.parametrize("own", WISHES.values(), ids=WISHES)
def test_random_graphs(own: HoodWishes) -> None:
    for seed in range(12):
        graph = random_graph(seed)
        assert count_wheels(engine(own), graph) == reference.count(make_query(graph, WHEEL)).count


@pytest.mark.parametrize("n", [100, 700])
def test_everything_is_joined(n: int) -> None:
    graph, wanted = complete(n)
    for own in (
        HoodWishes(),
        HoodWishes(warp_rows=32, block_rows=(), list_bytes=1 << 20),
        HoodWishes(warp_rows=32, block_rows=(), warp_ends=32, list_bytes=1 << 24),
        HoodWishes(warp_rows=32, block_rows=(), warp_ends=32, block_ends=(), window=64),
    ):
        assert count_wheels(engine(own), graph) == wanted


def test_long_lists() -> None:
    graph, wanted = long_lists()
    for own in WISHES.values():
        assert count_wheels(engine(own), graph) == wanted


@pytest.mark.parametrize("name", REAL)
def test_real_graphs_against_the_oracle(name: str) -> None:
    graph, wanted = data.load_graph(name), data.oracle()[name]["W4"]["subgraphs"]
    assert count_wheels(engine(HoodWishes()), graph) == wanted
    assert count_wheels(engine(HoodWishes(block_rows=(), warp_ends=512, list_bytes=1 << 26)), graph) == wanted


def test_a_timeout_stops_running_launches() -> None:
    graph, _ = complete(3000)
    run = wheel_run(engine(HoodWishes()), graph)
    started = time.perf_counter()
    assert run.count(Watch(Params(timeout=0.2), started)) == 0
    assert time.perf_counter() - started < 10
