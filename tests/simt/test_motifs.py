"""Motif sums on the device's side, through the shim: every sum against native/motifs, counts against the reference."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from layouts import assert_same_layout
from motif_cases import WISHES, native_sums, random_graph
from shim import ShimMachine

from subiso import count
from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.layout import offset_of
from subiso.engine.cuda.motif_layout import BOARD, MOTIF_ARGS, SUMS
from subiso.engine.cuda.motif_seeds import MotifWishes
from subiso.engine.cuda.motif_sums import MotifSums, check_range
from subiso.engine.cuda.motif_tiles import MOST_FEW, PARTS
from subiso.engine.cuda.tune import Wishes
from subiso.engine.motifs import count_motifs_on
from subiso.engine.query import make_query
from subiso.errors import TimeoutReached, UnsupportedError
from subiso.graph import Graph
from subiso.pattern import Pattern, connected_patterns
from subiso.storage.layout import RelationCsr


def shim_engine(seed: int, order: str = "random", **options: object) -> CudaEngine:
    wishes = Wishes(fixed=False, motifs=WISHES[seed % len(WISHES)], blocks=2, warps_per_block=2)
    return CudaEngine(ShimMachine(order, seed=seed, **options), wishes)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("seed", range(16))
def test_sums_are_those_of_the_cpu(seed: int, size: int) -> None:
    graph = random_graph(seed)
    engine = shim_engine(seed, ("forward", "reverse", "random", "unfair")[seed // 4 % 4])
    found, stopped_by = engine.motif_sums(graph, size, Params())
    assert stopped_by is None
    wanted = native_sums(graph, size)
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize("order", ["forward", "reverse", "random", "unfair"])
@pytest.mark.parametrize("number", range(len(WISHES)))
def test_two_hubs_that_share_most_neighbors(number: int, order: str) -> None:
    """Long rows and sets of several words, and seeds of every class."""
    n = 80
    edges = [(0, 1), *((hub, leaf) for hub in range(2) for leaf in range(2, n))]
    edges += [(i, i + 1) for i in range(2, n - 1, 2)]
    graph = Graph.from_edges(*zip(*edges, strict=True))
    engine = shim_engine(number, order)
    found, _ = engine.motif_sums(graph, 5, Params())
    wanted = native_sums(graph, 5)
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize(("tile_bytes", "order"), [(1 << 17, "random"), (4096, "random"), (4096, "unfair")])
def test_very_long_lists(tile_bytes: int, order: str) -> None:
    """Of hubs below other hubs: dealt to a whole block; and seeds with many wedges, in parts."""
    hubs, leaves = np.meshgrid(np.arange(3), np.arange(3, 1203))
    edges = [*zip(hubs.ravel(), leaves.ravel(), strict=True), (0, 1), (0, 2), (1, 2), (3, 4), (4, 5)]
    graph = Graph.from_edges(*zip(*edges, strict=True))
    wishes = Wishes(fixed=False, motifs=MotifWishes(team_warps=2, blocks=3, tile_bytes=tile_bytes))
    engine = CudaEngine(ShimMachine(order, seed=1), wishes)
    patterns = [Pattern.cycle(4), Pattern.house(), Pattern.cycle(5)]
    found = [engine.count(make_query(graph, pattern)) for pattern in patterns]
    assert [outcome.count for outcome in found] == [count(graph, pattern) for pattern in patterns]


@pytest.mark.parametrize("few", [0, 2048])
@pytest.mark.parametrize("seed", range(4))
def test_warps_that_run_ahead(seed: int, few: int) -> None:
    """Of one block with many seeds and a table for all its warps: nothing but barriers holds them back."""
    skew = np.arange(1, 401) ** -0.8
    ends = np.random.default_rng(seed).choice(400, (2, 900), p=skew / skew.sum())
    graph = Graph.from_edges(*ends)
    wishes = MotifWishes(slots=64, team_warps=2, blocks=1, units_per_team=1, few_wedges=few)
    engine = CudaEngine(ShimMachine("unfair", seed=seed), Wishes(fixed=False, motifs=wishes))
    for pattern in (Pattern.cycle(4), Pattern.house(), Pattern.cycle(5)):
        assert engine.count(make_query(graph, pattern)).count == count(graph, pattern)


def test_no_vertex_has_two_neighbors() -> None:
    """Nobody may be an end, and tables would have no vertices."""
    graph = Graph.from_edges(range(0, 40, 2), range(1, 40, 2))
    wishes = Wishes(fixed=False, motifs=MotifWishes(tile_bytes=20))
    engine = CudaEngine(ShimMachine(), wishes)
    for pattern in (Pattern.cycle(4), Pattern.house(), Pattern.cycle(5)):
        assert engine.count(make_query(graph, pattern)).count == 0


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_the_reference(seed: int, size: int) -> None:
    graph = random_graph(seed)
    patterns = connected_patterns(size)
    found = count_motifs_on(shim_engine(seed), graph, patterns, Params())
    assert found == [reference.count(make_query(graph, pattern)).count for pattern in patterns]


def test_a_run_may_be_repeated() -> None:
    ready = MotifSums(shim_engine(1), random_graph(7), 5)
    first, second = (ready.sums(Params(), time.perf_counter())[0] for _ in range(2))
    assert first == second and first["paths"] > 0
    assert ready.run.progress() == 1.0
    assert ready.search_bytes > 0


def test_nothing_to_count() -> None:
    for graph in (Graph.from_edges([], [], num_vertices=3), Graph.from_edges([], [], num_vertices=0)):
        found = count_motifs_on(shim_engine(0), graph, connected_patterns(5), Params())
        assert found == [0] * 21


def test_a_timeout_stops_it() -> None:
    with pytest.raises(TimeoutReached, match="not finished within 0 s"):
        count_motifs_on(shim_engine(0), random_graph(1), connected_patterns(5), Params(timeout=0.0))


def test_a_stop_ends_running_passes() -> None:
    """What was not taken up is not counted; nothing hangs."""
    graph = random_graph(1)
    whole, _ = shim_engine(0).motif_sums(graph, 5, Params())
    stopped, _ = shim_engine(0, stop_after=50).motif_sums(graph, 5, Params())
    assert 0 <= stopped["square_degrees"] < whole["square_degrees"]
    assert BOARD.fields is not None and BOARD.fields["stop"][1] == offset_of("stop")


def test_little_memory() -> None:
    graph = random_graph(4)
    wanted = native_sums(graph, 5)
    found, _ = shim_engine(0, room=1 << 16).motif_sums(graph, 5, Params())
    assert {name: found[name] for name in wanted} == wanted


def test_sums_that_may_not_fit_are_refused() -> None:
    bounds = np.zeros(2 * 100 + 1, np.int64)
    bounds[-1] = 2**31
    lists = RelationCsr(bounds, np.zeros(0, np.uint32))
    with pytest.raises(UnsupportedError, match="128 bits"):
        check_range(lists)


def test_structures_are_those_of_the_kernels(tmp_path: Path) -> None:
    kinds = {"motif::Args<CsrStore<u32>>": MOTIF_ARGS, "motif::Board": BOARD}
    rooms = [f"motif::k{''.join(map(str.capitalize, name.split('_')))} == {i}" for i, name in enumerate(SUMS)]
    rooms += [
        "motif::triangle_bytes<motif::Step::kCount>(256) == 16 + 16 * 256",
        "motif::TableOf<false>::bytes(512) == 32 + 10 * 512",
        "motif::FewCounts::bytes(512) == 32 + 10 * 512",
        f"motif::kTileParts == {PARTS} && motif::kFewWedges == {MOST_FEW}",
        "motif::EndList::kBytes == 16 + 4 * motif::kFewWedges",
        "motif::Dealer<true>::bytes() == 1024",
    ]
    rooms += ["motif::triangle_bytes<motif::Step::kTally>(256) == 16 + 28 * 256"]
    rooms += ["motif::common_words(512) == 3 * 128 + 32", f"motif::kSums == {len(SUMS)}"]
    skipped = ("more_", "relations", "control")
    assert_same_layout(
        tmp_path, ["motifs_triangles", "motifs_common", "motifs_squares"], kinds, skip=skipped, more=rooms
    )
