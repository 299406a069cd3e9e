"""Filters and candidate graphs made on a device, through the SIMT shim: bit for bit what the host makes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from filter_cases import assert_same, eaten_path, hub_query, whole_lists
from layouts import assert_same_layout
from random_cases import canonical, describe, expected_rows, labelled_query, random_query, rows_of
from shim import ShimMachine

from subiso.engine.base import Params, Switches
from subiso.engine.cuda import filter_kernel as k
from subiso.engine.cuda import filter_tune, restrict, watch
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.far import FarCsr
from subiso.engine.cuda.filter_tune import FilterWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, Query, make_query
from subiso.filter.candidate_graph import with_candidate_graph
from subiso.filter.narrow import FILTERS
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.storage.statistics import statistics_of

CHOICES = (None, FILTERS, ("degree", "frequency"), ("signature",), ("refine",))
ORDERS = ("forward", "reverse", "random")


def wishes(seed: int) -> FilterWishes:
    """Few warps, small pieces and tiles, few rounds between two looks."""
    return FilterWishes(
        place="device",
        blocks=1 + seed % 3,
        chunk=(None, 1, 2, 32)[seed % 4],
        tile=(2, 4, 64, 1024)[seed % 4],
        batch=1 + seed % 5,
    )


def engine_on_shim(seed: int, schedule: str = "auto") -> CudaEngine:
    machine = ShimMachine(ORDERS[seed % 3], seed=seed)
    own = Wishes(blocks=2, warps_per_block=2, hub_length=(24, 2, 3)[seed % 3], filters=wishes(seed))
    return CudaEngine(machine, own, schedule=schedule)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mode", MODES)
def test_same_as_on_the_host(mode: str, seed: int) -> None:
    query = (random_query if seed % 2 else labelled_query)(7000 + seed, mode)
    for filters in (CHOICES[seed % 5], CHOICES[(seed + 1) % 5]):
        assert_same(query, filters, engine_on_shim(seed).narrower, describe(query, seed))


@pytest.mark.parametrize("shape", [(64, 2), (64, 32), (192, 130), (1024, 64)])
def test_signatures_of_any_shape(shape: tuple[int, int]) -> None:
    """Words and groups are where the host has them."""
    used, others = set(), 0
    for seed in (9, 11, 12, 17):
        query = labelled_query(7100 + seed, "monomorphism")
        here, there = (
            resolve(query, ("signature",), narrower=narrower, signature=shape).narrowed
            for narrower in (whole_lists, engine_on_shim(seed).narrower)
        )
        assert here == there, describe(query, seed)
        used |= set(here.used)
        others += here != resolve(query, ("signature",), narrower=whole_lists).narrowed
        switches = Switches(filters=("signature",), signature=shape)
        assert engine_on_shim(seed).count(query, Params(switches=switches)).count == len(expected_rows(query))
    assert used == {"signature"}
    assert others, "a shape that leaves what the usual one leaves"


@pytest.mark.parametrize("seed", range(6))
def test_long_lists(seed: int) -> None:
    """Lists of more than a warp's width, several pieces of bitmaps and tiles of sums."""
    query = hub_query(seed, vertices=300, hubs=4)
    engine = engine_on_shim(seed)
    assert_same(query, FILTERS, engine.narrower, f"seed {seed}")
    made = with_candidate_graph(
        resolve(query, FILTERS, narrower=engine.narrower), statistics_of(query.graph), "always"
    )
    assert max(csr.longest[0] for csr in made.csrs) > 40
    assert all(isinstance(csr, FarCsr) for csr in made.csrs)


@pytest.mark.parametrize("seed", range(6))
def test_candidates_of_the_host_get_their_graph_on_the_device(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that is the quicker part: here by decree, once the kernels and the graph are there."""
    query = hub_query(seed, vertices=300, hubs=4)
    engine = engine_on_shim(seed)
    resolve(query, FILTERS, narrower=engine.narrower)
    engine.wishes = replace(engine.wishes, filters=replace(engine.wishes.filters, place="auto"))
    monkeypatch.setattr(filter_tune, "_DEVICE_START", 1.0)
    monkeypatch.setattr(filter_tune, "_DEVICE_GRAPH", -1.0)
    assert_same(query, FILTERS, engine.narrower, f"seed {seed}")
    found = resolve(query, FILTERS, narrower=engine.narrower)
    assert found.narrowed.where.startswith("on the host")
    free = not all(found.problem.filters)
    made = with_candidate_graph(found, statistics_of(query.graph), "always")
    assert free or all(isinstance(csr, FarCsr) for csr in made.csrs)


@pytest.mark.parametrize("name", ["MOST_BYTES", "WIDE"])
def test_what_the_device_should_not_hold_is_made_by_the_host(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many bytes, or offsets that need more than 32 bits."""
    monkeypatch.setattr(restrict, name, 10)
    query = hub_query(1, vertices=300, hubs=4)
    engine = engine_on_shim(1)
    assert_same(query, FILTERS, engine.narrower, name)
    found = resolve(query, FILTERS, narrower=engine.narrower)
    made = with_candidate_graph(found, statistics_of(query.graph), "always")
    assert not any(isinstance(csr, FarCsr) for csr in made.csrs)


@pytest.mark.parametrize("place", [0, 5, 7, 8, 19, 45])
def test_neighbors_are_counted_once(place: int) -> None:
    """Two B are wanted: the hub with one among many others is none, wherever it stands in the list."""
    n = 48  # the second hub has one more B
    ends = [(n, i) for i in range(n)] + [(n + 1, i) for i in range(n)] + [(n + 1, n + 2)]
    labels = ["B" if i == place else "C" for i in range(n)] + ["A", "A", "B"]
    graph = Graph.from_edges(*zip(*ends, strict=True), vertex_labels=labels)
    query = make_query(graph, "(a:A)--(b:B), (a)--(c:B)")
    for filters in (FILTERS, ("frequency",)):
        assert_same(query, filters, engine_on_shim(place).narrower, str(place))
        assert resolve(query, filters, narrower=engine_on_shim(place).narrower).problem.sizes[0] == 1


@pytest.mark.parametrize("seed", range(14))
@pytest.mark.parametrize("mode", MODES)
def test_answers(mode: str, seed: int) -> None:
    """Every schedule on candidates and candidate graphs that never were on the host."""
    query = random_query(5000 + seed, mode)
    wanted = expected_rows(query)
    schedule = ("fine", "stack", "wedge", "auto", "levels", "pipeline", "local")[seed % 7]
    engine = engine_on_shim(seed, schedule)
    choice = "always" if seed % 4 else "never"
    params = Params(batch_rows=20, switches=Switches(filters=FILTERS, candidate_graph=choice))
    what = f"{describe(query, seed)} {schedule}"
    assert engine.count(query, params).count == len(wanted), what
    assert canonical(query, rows_of(engine, query, params)) == wanted, what


def test_bounded_rounds_leave_more() -> None:
    """A path of candidates that refinement eats up one by one: stopped early, what is left is sound."""
    query = eaten_path()
    host = resolve(query, FILTERS)
    assert host.narrowed.sizes == (0, 0, 0, 0)
    found = {}
    for rounds in (1, 3, 200):
        own = FilterWishes(place="device", rounds=rounds, batch=2, blocks=1)
        engine = CudaEngine(ShimMachine("reverse"), Wishes(filters=own))
        found[rounds] = resolve(query, FILTERS, narrower=engine.narrower)
        assert found[rounds].narrowed.complete == (rounds == 200)
        assert engine.count(query).count == 0
    assert found[200].narrowed.sizes == host.narrowed.sizes
    for less, more in ((3, 1), (200, 3)):
        for a, b in zip(less_bits(found[less], query), less_bits(found[more], query), strict=True):
            assert not (a & ~b).any()
    assert sum(found[1].narrowed.sizes) > sum(found[3].narrowed.sizes) > 0


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_refinement_ends_when_there_is_no_time_left(batch: int) -> None:
    """It is asked after every batch of rounds; what is left by then is what so many rounds leave."""
    query, looks = eaten_path(), []
    own = FilterWishes(place="device", batch=batch, blocks=1)
    narrower = CudaEngine(ShimMachine("reverse"), Wishes(filters=own)).narrower
    found = resolve(query, FILTERS, narrower=narrower, over=lambda: len(looks.append(1) or looks) == 2)  # type: ignore[func-returns-value]
    narrower = replace(narrower, wishes=replace(own, rounds=2 * batch))
    bounded = resolve(query, FILTERS, narrower=narrower)
    assert len(looks) == 2 and not found.narrowed.complete
    assert found.narrowed == bounded.narrowed and found.problem == bounded.problem
    for a, b in zip(less_bits(found, query), less_bits(bounded, query), strict=True):
        assert np.array_equal(a, b)


def test_filters_heed_timeouts_and_cancellation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_TICK", 0.0)
    query = eaten_path()
    own = Wishes(filters=FilterWishes(place="device", batch=1, blocks=1))
    for params, reason in ((Params(timeout=0.0), "timeout"), (Params(poll=lambda: True), "cancelled")):
        engine = CudaEngine(ShimMachine("reverse"), own)
        outcome = engine.count(query, params)
        assert (outcome.count, outcome.stopped_by) == (0, reason)
        stream = engine.stream(query, params)
        assert list(stream) == [] and stream.stopped_by == reason


def less_bits(resolved, query: Query):  # type: ignore[no-untyped-def]
    """The bitmaps by pattern vertex."""
    return [resolved.filters[numbers[0]] for numbers in resolved.problem.filters]


def test_no_room_falls_back_to_the_host() -> None:
    query = hub_query(1, vertices=300, hubs=4)
    for room in (100, 5000):
        engine = CudaEngine(ShimMachine(room=room), Wishes(filters=FilterWishes(place="device")))
        assert_same(query, FILTERS, engine.narrower, f"room {room}")
    assert (
        "no room"
        in resolve(
            query,
            narrower=CudaEngine(ShimMachine(room=100), Wishes(filters=FilterWishes(place="device"))).narrower,
        ).narrowed.where
    )


def test_bitmaps_of_labels_and_the_graph_are_copied_once() -> None:
    query = hub_query(2, vertices=300, hubs=4)
    engine = engine_on_shim(0)
    resolve(query, FILTERS, narrower=engine.narrower)
    used = engine.caches[0].used
    resolve(query, FILTERS, narrower=engine.narrower)
    assert engine.caches[0].used == used > 0


def test_the_host_counts_between_candidates_from_the_device() -> None:
    query = hub_query(3, vertices=120, hubs=2)
    ways = []
    for place in ("host", "device"):
        engine = CudaEngine(ShimMachine(), Wishes(filters=FilterWishes(place=place)), host=True)
        ways.append(engine.count(query, Params(switches=Switches(labelled="eliminate"))).count)
        assert engine.last is None
    assert ways[0] == ways[1] > 0


def test_two_machines_share_what_one_has_made() -> None:
    query = hub_query(4, vertices=60, hubs=2)
    params = Params(switches=Switches(candidate_graph="always"))
    wanted = CudaEngine(ShimMachine(), schedule="fine").count(query, params).count
    own = Wishes(blocks=1, warps_per_block=2, filters=FilterWishes(place="device"))
    both = CudaEngine([ShimMachine(), ShimMachine("reverse")], own, schedule="fine")
    assert both.count(query, params).count == wanted > 0


def test_structures_are_the_same_on_both_sides(tmp_path: Path) -> None:
    assert_same_layout(
        tmp_path,
        ["filters", "restrict", "scan"],
        {
            "FilterVertex": k.VERTEX,
            "Ask": k.ASK,
            "FilterReport": k.REPORT,
            "FilterArgs": k.FILTER_ARGS,
            "Restricted": k.RESTRICTED,
            "RestrictArgs": k.RESTRICT_ARGS,
            "OwnersArgs": k.OWNERS_ARGS,
            "ScanArgs": k.SCAN_ARGS,
            "Tile": k.TILES,
            "Pieces": k.PIECES,
        },
        more=[f"kRounds == {k.ROUNDS}", f"kMostVertices == {k.MOST_VERTICES}", f"kFull == {k.NO_VERTEX}u"],
    )


def test_no_vertices_at_all() -> None:
    graph = Graph.from_edges(np.zeros(0, int), np.zeros(0, int), num_vertices=0, vertex_labels=[])
    query = make_query(graph, "(a)--(b)")
    assert engine_on_shim(0).count(query).count == 0
