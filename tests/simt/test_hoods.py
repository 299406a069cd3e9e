"""Four-cycles in neighbourhoods, through the shim: every class of hubs, all orders of lanes, against the reference."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hood_cases import WHEEL, WISHES, complete, count_wheels, long_lists, random_graph, wheel_run
from layouts import assert_same_layout
from shim import ShimMachine

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.hood_layout import CURSOR_BYTES, HOOD_ARGS, HUB, MEMBER_BYTES
from subiso.engine.cuda.hood_tune import HoodWishes, ends_bytes, rows_bytes
from subiso.engine.cuda.hoods import HoodRun
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import make_query
from subiso.errors import DeviceMemoryError
from subiso.graph import Graph

ORDERS = ("forward", "reverse", "random")


def shim_engine(own: HoodWishes, order: str = "random", seed: int = 0, **options: object) -> CudaEngine:
    return CudaEngine(ShimMachine(order, seed=seed, **options), Wishes(hoods=own))  # type: ignore[arg-type]


@pytest.mark.parametrize("own", WISHES.values(), ids=WISHES)
@pytest.mark.parametrize("seed", range(6))
def test_equal_to_the_reference(own: HoodWishes, seed: int) -> None:
    graph = random_graph(seed)
    wanted = reference.count(make_query(graph, WHEEL)).count
    assert count_wheels(shim_engine(own, ORDERS[seed % 3], seed), graph) == wanted > 0


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("own", WISHES.values(), ids=WISHES)
def test_everything_is_joined(own: HoodWishes, order: str) -> None:
    """Rows of more than one word."""
    graph, wanted = complete(34 if own.warp_rows > 3 and own.warp_ends > 9 else 12)
    assert count_wheels(shim_engine(own, order), graph) == wanted


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("narrow", [True, False])
def test_long_lists(narrow: bool, order: str) -> None:
    """Of several times a warp's width; only the hub has a large neighbourhood."""
    graph, wanted = long_lists()
    own = HoodWishes(
        block_rows=(140,), warp_ends=140, block_ends=((200, 2),) if narrow else (), window_warps=2
    )
    assert count_wheels(shim_engine(own, order), graph) == wanted


@pytest.mark.parametrize("own", WISHES.values(), ids=WISHES)
@pytest.mark.parametrize(
    ("edges", "wanted"),
    [
        ([], 0),
        ([(0, 1)], 0),
        ([(i, j) for i in range(8) for j in range(8, 14)], 0),
        ([(0, i) for i in range(1, 71)] + [(i, i + 1) for i in range(1, 70)], 0),
        ([(0, i) for i in range(1, 5)] + [(1, 2), (2, 3), (3, 4), (1, 4)], 1),
    ],
    ids=["empty", "one edge", "no triangles", "fan", "wheel"],
)
def test_little_to_find(own: HoodWishes, edges: list[tuple[int, int]], wanted: int) -> None:
    ends = list(zip(*edges, strict=True)) or [(), ()]
    graph = Graph.from_edges(*ends, num_vertices=None if edges else 3)
    assert count_wheels(shim_engine(own), graph) == wanted


def test_two_hubs_that_share_most_neighbors() -> None:
    """Members with nothing inside beside members with everything."""
    edges = [(0, 1), *((hub, leaf) for hub in range(2) for leaf in range(2, 60))]
    edges += [(i, i + 1) for i in range(2, 59, 2)]
    graph = Graph.from_edges(*zip(*edges, strict=True))
    wanted = reference.count(make_query(graph, WHEEL)).count
    for own in WISHES.values():
        assert count_wheels(shim_engine(own), graph) == wanted


def test_classes_and_rounds() -> None:
    """The settings do what their names say."""
    graph = random_graph(3)
    steps = {}
    for name, own in WISHES.items():
        run = wheel_run(shim_engine(own), graph).counted["wheels"]
        assert isinstance(run, HoodRun)
        steps[name] = [launch.kernel.call.removeprefix("subiso::") for launch in run.launches]
    assert set(steps["as they are"]) == {"rows<false>"}
    assert set(steps["rows of blocks"]) == {"rows<true>"}
    every = {
        "rows<true>",
        "wedges<false, subiso::u16>",
        "wedges<true, subiso::u16>",
        "wedges<true, subiso::u32>",
    }
    assert every < set(steps["every class"])
    assert "wedges<true, subiso::u32>" in steps["windows"]
    assert steps["warps, short rounds"].count("begins") > 1
    assert steps["blocks, short rounds"].count("begins") > 1
    assert steps["no lists"] == ["unwritten"]


def test_a_run_may_be_repeated() -> None:
    graph = random_graph(1)
    run = wheel_run(shim_engine(WISHES["every class"]), graph)
    first, second = (run.count(Watch(Params(), time.perf_counter())) for _ in range(2))
    assert first == second == reference.count(make_query(graph, WHEEL)).count
    hoods = run.counted["wheels"]
    assert isinstance(hoods, HoodRun) and hoods.progress() == 1.0
    assert run.report().search_bytes > hoods.search_bytes > 0


@pytest.mark.parametrize("name", ["as they are", "every class", "no lists"])
def test_a_stop_ends_running_launches(name: str) -> None:
    """What was not taken up is not counted; nothing hangs."""
    graph, wanted = complete(12)
    run = wheel_run(shim_engine(WISHES[name], stop_after=100), graph)
    assert 0 <= run.count(Watch(Params(), time.perf_counter())) < wanted


def test_a_timeout_stops_it() -> None:
    engine = shim_engine(HoodWishes())
    outcome = engine.count(make_query(random_graph(1), WHEEL), Params(timeout=0.0))
    assert outcome.stopped_by == "timeout" and outcome.count == 0


def test_little_memory() -> None:
    """Rounds become shorter, or nothing is written down; where even that has no room it is refused."""
    graph = random_graph(4)
    wanted = reference.count(make_query(graph, WHEEL)).count
    own = replace(WISHES["windows"], list_bytes=1 << 22)
    assert count_wheels(shim_engine(own, room=1 << 12), graph) == wanted
    with pytest.raises(DeviceMemoryError, match="no room"):
        count_wheels(shim_engine(own, room=1 << 8), graph)


def test_structures_are_those_of_the_kernels(tmp_path: Path) -> None:
    kinds = {"hoods::Args<CsrStore<u32>>": HOOD_ARGS, "hoods::Hub": HUB}
    rooms = [
        f"sizeof(hoods::Member) == {MEMBER_BYTES} && sizeof(u32) == {CURSOR_BYTES}",
        *(f"hoods::rows_bytes({n}) == {rows_bytes(n)}" for n in (1, 32, 33, 500)),
        *(f"hoods::Ends<u16>::bytes({n}) == {ends_bytes(n, 2)}" for n in (1, 8, 65_535)),
        *(f"hoods::Ends<u32>::bytes({n}) == {ends_bytes(n, 4)}" for n in (1, 49_152)),
    ]
    skipped = ("more_", "relations")
    assert_same_layout(tmp_path, ["hoods_rows", "hoods_wedges"], kinds, skip=skipped, more=rooms)
