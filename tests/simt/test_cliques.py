"""Cliques counted set by set through the SIMT shim: sparse and dense sets, every width, parts, what has no room."""

from __future__ import annotations

import itertools
import math
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from layouts import assert_same_layout
from shim import ShimMachine

import subiso
from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.local import LocalReport, LocalRun
from subiso.engine.cuda.local_tables import lower_local
from subiso.engine.cuda.local_tune import LocalWishes, clique_bytes, clique_rooms
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.layout import Layout
from subiso.storage.statistics import statistics_of

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
ORDERS = ("forward", "reverse", "random")
LARGE = LocalWishes(warp_limit=0, block_limit=0, warps_per_block=2, blocks=2)
"""Every neighbourhood is a large one."""


def complete(n: int) -> Graph:
    return Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))


@cache
def random_graph(n: int, density: float, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < density]
    return Graph.from_edges(*zip(*pairs, strict=True), num_vertices=n)


@cache
def cliques_of(graph: Graph) -> dict[int, int]:
    """How many there are of every size: one after the other, by plain Python sets."""
    source, target = (ends.tolist() for ends in graph.edge_endpoints())
    above: list[set[int]] = [set() for _ in range(graph.num_vertices)]
    for u, v in zip(source, target, strict=True):
        above[min(u, v)].add(max(u, v))

    def sizes(size: int, left: set[int]) -> Iterator[int]:
        yield size
        for v in left:
            yield from sizes(size + 1, left & above[v])

    found = dict.fromkeys(range(20), 0)
    for size in sizes(0, set(range(graph.num_vertices))):
        found[size] += 1
    return found


def count(
    graph: Graph, k: int, wishes: LocalWishes, order: str, fixed: bool = False
) -> tuple[int, LocalReport]:
    engine = CudaEngine(
        ShimMachine(order, seed=k), Wishes(blocks=2, warps_per_block=2, fixed=fixed, local=wishes)
    )
    found = engine.count(make_query(graph, Pattern.clique(k)), Params()).count
    assert isinstance(engine.last, LocalReport)
    return found, engine.last


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("k", [4, 5, 6, 7, 8, 9, 12])
def test_complete_graphs(k: int, order: str) -> None:
    found, report = count(complete(13), k, LARGE, order)
    assert found == math.comb(13, k)
    assert ("cliques" in report.steps) == (k >= 5)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("density", [0.25, 0.5, 0.75, 0.9])
@pytest.mark.parametrize("k", [5, 6, 7, 8])
def test_sparse_and_dense_sets(k: int, density: float, order: str) -> None:
    """Present edges are visited in some sets and absent ones in others; rows of one word and of two."""
    n = {0.25: 60, 0.5: 44, 0.75: 34, 0.9: 20}[density]
    graph = random_graph(n, density, k)
    found, report = count(graph, k, LARGE, order)
    assert found == cliques_of(graph)[k]
    assert set(report.steps) == {"clear", "build", "cliques"}


@pytest.mark.parametrize("capacity", [31, 64, 100, 256, 300, 512])
@pytest.mark.parametrize("k", [5, 7])
def test_every_width(k: int, capacity: int) -> None:
    """Of a row: what there is room for decides, not what stands there."""
    graph = random_graph(48, 0.55, 1)
    wishes = replace(LARGE, clique_capacities=(capacity,))
    assert count(graph, k, wishes, ORDERS[k % 3])[0] == cliques_of(graph)[k]


@pytest.mark.parametrize("k", [5, 6])
def test_rows_of_many_words(k: int) -> None:
    """Vertices in groups of three, joined to all of other groups: sets of up to 69, and triples apart."""
    pairs = [(u, v) for u, v in itertools.combinations(range(75), 2) if u // 3 != v // 3]
    graph = Graph.from_edges(*zip(*pairs, strict=True))
    assert count(graph, k, LARGE, "random")[0] == math.comb(25, k) * 3**k


@pytest.mark.parametrize("k", [5, 6])
def test_one_neighborhood_of_hundreds(k: int) -> None:
    """The cliques of one vertex: sets of 270 members, rows of twelve words, absent edges and triples apart."""
    graph = random_graph(300, 0.97, 7)
    resolved = resolve(make_query(graph, Pattern.clique(k)))
    plan = make_plan(resolved.problem, statistics_of(graph), counting=True)
    machine = ShimMachine("random", seed=k)
    run = LocalRun(
        machine,
        DeviceGraph(Cache(machine), resolved.layout),
        resolved,
        lower_local(plan, resolved.reverse, resolved.longest),
        np.zeros(1, np.uint32),
        lambda seeds: pytest.fail("no room"),
        wishes=Wishes(fixed=False, local=LARGE),
    )
    assert isinstance(resolved.layout, Layout)
    first = int(np.argmin(resolved.layout.rank))
    source, target = graph.edge_endpoints()
    inside = np.isin([source, target], graph.neighbors(first)).all(0)
    others = Graph.from_edges(source[inside], target[inside], num_vertices=graph.num_vertices)
    assert run.count(Watch(Params(), 0.0)) == subiso.count(others, Pattern.clique(k - 1), device="cpu")
    assert [int(w.args["capacity"]) for w in run.work if w.kernel.step == "cliques"][:2] == [128, 256]
    assert run.work[-1].kernel.most_words == 12


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("capacities", [(3,), (6, 9), (6, 9, 12), (40,), ()], ids=str)
@pytest.mark.parametrize("k", [5, 6, 7])
def test_without_room(k: int, capacities: tuple[int, ...], order: str) -> None:
    """Second vertices with more neighbours belong to the next launch; in the end, to one that copies no rows."""
    graph = random_graph(24, 0.8, 2)
    found, report = count(graph, k, replace(LARGE, clique_capacities=capacities), order)
    assert found == cliques_of(graph)[k]
    assert report.steps.count("cliques") == len(
        [room for room in (0, *capacities[:-1]) if capacities and room < 20]
    )
    assert ("inner" in report.steps) == (capacities != (40,))


@pytest.mark.parametrize("parts", [1, 2, 5, 32])
@pytest.mark.parametrize("k", [6, 7, 8])
def test_parts_of_a_second_vertex(k: int, parts: int) -> None:
    graph = random_graph(30, 0.8, 3)
    wishes = replace(LARGE, parts=parts, chunk=3, blocks=3)
    assert count(graph, k, wishes, "random")[0] == cliques_of(graph)[k]


@pytest.mark.parametrize("k", [5, 6, 7])
@pytest.mark.parametrize("fixed", [True, False])
def test_switched_off(k: int, fixed: bool) -> None:
    """One by one, and beside other classes of neighbourhoods, the same is found."""
    graph = random_graph(40, 0.6, 4)
    for wishes in (
        replace(LARGE, cliques=False),
        LocalWishes(warp_limit=12, block_limit=16, warps_per_block=2, blocks=2),
        replace(LARGE, scratch_bytes=400),
    ):
        found, report = count(graph, k, wishes, "random", fixed)
        assert found == cliques_of(graph)[k]
        assert ("cliques" in report.steps) == wishes.cliques


def test_only_plain_cliques() -> None:
    """Labels and anchors have plans of their own."""
    graph = complete(12)
    engine = CudaEngine(ShimMachine("forward"), Wishes(fixed=False, local=LARGE))
    assert engine.count(make_query(graph, Pattern.clique(6), anchor={0: 0})).count == math.comb(11, 5)
    assert isinstance(engine.last, LocalReport) and "cliques" not in engine.last.steps


def test_a_stop_between_sets() -> None:
    query = make_query(complete(20), Pattern.clique(8))
    turns, counts = [], []
    for stop_after in (2000, None):
        machine = ShimMachine("forward", stop_after=stop_after)
        engine = CudaEngine(machine, Wishes(fixed=False, local=LARGE))
        counts.append(engine.count(query).count)
        turns.append(machine.turns)
    assert 0 <= counts[0] < counts[1] == math.comb(20, 8)
    assert turns[0] < turns[1] / 2


def test_rooms_of_smaller_devices() -> None:
    """What does not fit into a block's shared memory is left to the launch that copies nothing."""
    small = Description("small", "sm_75", 40, shared_per_multiprocessor=65_536, shared_per_block=24_000)
    rooms = clique_rooms(1000, 4, LocalWishes(), small)
    assert [(room.beyond, room.capacity) for room in rooms] == [(0, 128), (128, 256), (256, 384)]
    assert all(room.shared <= 2 * 24_000 for room in rooms)
    assert clique_rooms(100, 4, LocalWishes(), small)[-1].capacity == 100


def test_shared_memory_is_the_same_on_both_sides(tmp_path: Path) -> None:
    rooms = [
        f"4 * clique_words{numbers} == {clique_bytes(*numbers)}"
        for numbers in ((256, 8, 4), (37, 1, 3), (300, 12, 5), (511, 16, 10))
    ]
    assert_same_layout(tmp_path, ["local_cliques"], {}, more=rooms)
