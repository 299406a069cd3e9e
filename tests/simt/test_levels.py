"""Schedule `levels` through the SIMT shim against the reference: every mode, output and kind of row, tiny tables."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiled import NATIVE
from levels_cases import TINY, wishes
from random_cases import canonical, describe, expected_rows, random_query, rows_of
from shim import ShimMachine

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import levels_prepare, watch
from subiso.engine.cuda.compile import KERNELS
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport, LevelsRun
from subiso.engine.cuda.levels_layout import (
    BINS,
    DESCENT_ARGS,
    DESCENT_STEP,
    HAND,
    LEVEL_ROWS,
    LEVEL_STATE,
    LEVELS_ARGS,
    SCRATCH_BYTES,
    TILE,
)
from subiso.engine.cuda.levels_tune import Limits
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import MODES, make_query
from subiso.errors import DeviceMemoryError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
ORDERS = ("forward", "reverse", "random")
PLAIN = Params(switches=Switches(max_tail=0, decompose="never", expand="never"))
"""Every vertex is matched."""


def engine_of(wishes: Wishes, order: str = "forward", seed: int = 0, **machine: object) -> CudaEngine:
    return CudaEngine(ShimMachine(order, seed=seed, **machine), wishes, schedule="levels")  # type: ignore[arg-type]


def complete(n: int) -> Graph:
    return Graph.from_edges(*zip(*itertools.combinations(range(n), 2), strict=True))


def skewed(seed: int, n: int = 80, m: int = 500) -> Graph:
    """Hubs with lists of several warps' length, labels on vertices and edges."""
    rng = np.random.default_rng(seed)
    skew = rng.random(n) ** 3 + 0.02
    labels = [["A"], ["B"], ["A", "B"]]
    return Graph.from_edges(
        *rng.choice(n, (2, m), p=skew / skew.sum()),
        num_vertices=n,
        directed=seed % 2 == 1,
        vertex_labels=[labels[i % 3] for i in range(n)],
        edge_labels=np.array(["X", "Y"], dtype=object)[rng.integers(0, 2, m)],
    )


@pytest.mark.parametrize("seed", range(14))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    """Three of the ways to run, rotating with the seed, one per order."""
    query = random_query(seed + 100, mode)
    wanted = expected_rows(query)
    few = len(wanted) < 100
    for i, order in enumerate(ORDERS if few else ORDERS[:1]):
        engine = engine_of(TINY[(seed + 3 * i) % len(TINY) if few else 0], order, seed)
        what = f"{describe(query, seed)} {engine.wishes.levels} {order}"
        assert engine.count(query).count == len(wanted), what
        assert engine.count(query, PLAIN).count == len(wanted), what
        assert canonical(query, rows_of(engine, query)) == wanted, what


PATTERNS = [
    Pattern.clique(3),
    Pattern("(a:A)-[:X]-(b)-[:Y]-(c:B), (c)-[:X]-(a)"),
    Pattern("(a)-[:X]-(b)-[:Y]-(c), (c)--(d:B), (a)-[:Y]-(d), !(b)--(d)"),
]


@pytest.mark.parametrize("number", range(len(TINY)))
@pytest.mark.parametrize("pattern", PATTERNS, ids=["triangle", "labels", "square"])
def test_long_lists(pattern: Pattern, number: int) -> None:
    """Rows that have a warp for themselves, that blocks share, and that all blocks share."""
    limits = Limits(40, 48, 60) if number % 2 else None
    way = TINY[number]
    rows = max(way.levels.rows or 300, 300)
    way = replace(way, levels=replace(way.levels, rows=rows, limits=limits or way.levels.limits))
    query = make_query(skewed(number), pattern, unique=False)
    wanted = reference.count(query).count
    assert wanted, "a test with nothing to find"
    engine = engine_of(way, ORDERS[number % 3], number)
    assert engine.count(query, PLAIN).count == wanted
    found = rows_of(engine, query)
    assert len(found) == len(set(found)) == wanted


def test_tables_stay_small_and_results_are_whole() -> None:
    """95,040 matches through tables of 2,000 rows."""
    query = make_query(complete(12), Pattern.clique(5), unique=False)
    engine = engine_of(wishes(rows=2000))
    assert engine.count(query, PLAIN).count == 95_040
    assert isinstance(engine.last, LevelsReport)
    assert engine.last.windows > 2 * 5
    assert engine.last.search_bytes < 400_000
    assert max(engine.last.capacities) == 2000


def test_one_wait_where_tables_are_large_enough() -> None:
    engine = engine_of(wishes())
    assert engine.count(make_query(complete(8), Pattern.clique(4)), PLAIN).count == 70
    assert isinstance(engine.last, LevelsReport)
    assert engine.last.waits == 1
    assert engine.last.windows == 4


@pytest.mark.parametrize("output", ["atomic", "prealloc", "twice"])
def test_a_stop_ends_the_launches(output: str) -> None:
    query = make_query(complete(18), Pattern.clique(5), unique=False)
    way = wishes(output=output)
    stopped = engine_of(way, stop_after=400)
    assert stopped.count(query, PLAIN).count < 1_028_160
    assert sum(map(len, stopped.stream(query))) < 1_028_160


def test_progress_and_cancellation_between_short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run through many windows asks after each, however short the wait for it was."""
    monkeypatch.setattr(watch, "_TICK", 0.0)
    query = make_query(complete(10), Pattern.clique(4), unique=False)
    told: list[float] = []
    asked: list[bool] = []
    engine = engine_of(wishes(rows=64))
    params = replace(PLAIN, progress=told.append, poll=lambda: bool(asked.append(True)))  # type: ignore[func-returns-value]
    assert engine.count(query, params).count == 5040
    assert isinstance(engine.last, LevelsReport)
    waits = engine.last.waits
    assert min(len(told), len(asked)) >= waits > 20
    assert told == sorted(told) and told[-1] == 1.0
    outcome = engine.count(query, replace(PLAIN, poll=lambda: True))
    assert outcome.stopped_by == "cancelled" and outcome.count < 5040
    assert engine.last.waits == 1


def test_patterns_of_one_vertex() -> None:
    graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 2, 3], loops="keep", vertex_labels=["A", "B", "A", "A"])
    for pattern, wanted in ((Pattern("(a:A)"), 3), (Pattern("(a)--(a)"), 1)):
        for mode in MODES:
            engine = engine_of(TINY[1])
            query = make_query(graph, pattern, mode=mode)
            assert engine.count(query).count == wanted
            assert len(rows_of(engine, query)) == wanted


def test_many_levels() -> None:
    """A path of 24 vertices in a path of 30, either way."""
    graph = Graph.from_edges(range(29), range(1, 30))
    query = make_query(graph, Pattern.path(24))
    engine = engine_of(wishes(rows=10))
    assert engine.count(query, PLAIN).count == 7
    assert len(rows_of(engine, query)) == 7


def test_a_run_counts_again_and_again() -> None:
    engine = engine_of(TINY[2])
    query = make_query(complete(7), Pattern.clique(4))
    assert [engine.count(query).count for _ in range(2)] == [35, 35]


@pytest.mark.parametrize("way", [wishes(rows=15), wishes(rows=12, parallel=True)], ids=["joins", "phases"])
def test_a_prepared_run_counts_again_through_windows(way: Wishes) -> None:
    """What later windows leave behind is not what the next first descent begins with."""
    resolved = resolve(make_query(complete(8), Pattern.star(3), unique=False))
    for at_once in (True, False):
        engine = engine_of(replace(way, levels=replace(way.levels, at_once=at_once)))
        run = engine.prepare_count(engine.formula(resolved, PLAIN).terms[0].plan, resolved)
        assert isinstance(run, LevelsRun)
        assert [run.count(Watch(PLAIN, 0.0)) for _ in range(3)] == [1680] * 3
        assert run.report().windows > 3 * len(run.stages)


def test_a_first_descent_is_one_launch() -> None:
    """Host and device meet once; by launches it is three for a level, and one to clear."""
    query = make_query(complete(8), Pattern.clique(5))
    found = {}
    for at_once in (True, False):
        engine = engine_of(wishes(at_once=at_once), "random", 3)
        assert engine.count(query, PLAIN).count == 56
        assert isinstance(engine.last, LevelsReport)
        assert engine.last.waits == 1
        found[at_once] = engine.last.launches
    assert found == {True: 1, False: 1 + 3 * 4 + 1}


@pytest.mark.parametrize("order", ORDERS)
def test_all_blocks_meet_between_steps(order: str) -> None:
    """Many blocks and interleavings: a step that began too soon would read half a table."""
    query = make_query(skewed(2, n=30, m=150), PATTERNS[2], unique=False)
    wanted = reference.count(query).count
    assert wanted, "a test with nothing to find"
    for seed, blocks in enumerate((1, 3, 5)):
        engine = engine_of(wishes(at_once=True, blocks=blocks, warps_per_block=1), order, seed)
        assert engine.count(query, PLAIN).count == wanted
        assert isinstance(engine.last, LevelsReport)
        assert engine.last.launches == 1


def test_short_memory_makes_small_tables() -> None:
    query = make_query(complete(12), Pattern.clique(4))
    engine = engine_of(wishes(), room=40_000)
    assert engine.count(query, PLAIN).count == 495
    assert isinstance(engine.last, LevelsReport)
    assert max(engine.last.capacities) < 10_000
    with pytest.raises(DeviceMemoryError, match="no room for the search"):
        engine_of(wishes(), room=2000).count(query, PLAIN)


@pytest.mark.parametrize("storage", ["compressed", "hash_pcsr", "interval_pcsr", "label_csr"])
def test_stores(storage: str) -> None:
    """Every store has the same face; here through labelled lists of a directed graph."""
    pattern = Pattern("(a:A)-[:X]->(b), (b)-[:Y]->(c:B), (a)-[:Y]->(c)")
    query = make_query(skewed(1, n=40, m=300), pattern)
    way = wishes(rows=100)
    engine = CudaEngine(ShimMachine("random", seed=1), way, schedule="levels", storage=storage)
    wanted = reference.count(query).count
    assert wanted, "a test with nothing to find"
    assert engine.count(query, PLAIN).count == wanted
    assert isinstance(engine.last, LevelsReport)
    assert engine.last.kernel.store == storage


def test_of_several_machines_the_first_does_it() -> None:
    engine = CudaEngine([ShimMachine(), ShimMachine()], wishes(), schedule="levels")
    query = make_query(complete(7), Pattern.clique(4))
    assert engine.count(query, PLAIN).count == 35
    assert len(rows_of(engine, query)) == 35


def test_lists_are_copied_only_where_something_is_looked_up() -> None:
    for pattern, operands in ((Pattern.path(4), "read"), (Pattern.clique(3), "copied")):
        engine = engine_of(wishes(operands="copied", alone=1))
        query = make_query(complete(7), pattern)
        assert engine.count(query, PLAIN).count == reference.count(query).count
        assert isinstance(engine.last, LevelsReport)
        assert engine.last.kernel.operands == operands


def test_wide_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels_prepare, "WIDE", 0)
    engine = engine_of(wishes())
    assert engine.count(make_query(complete(7), Pattern.path(2)), PLAIN).count == 21
    assert isinstance(engine.last, LevelsReport)
    assert engine.last.kernel.wide_offsets


def test_structures_are_the_same_on_both_sides(tmp_path: Path) -> None:
    kinds = {
        "LevelsArgs<CsrStore<u32>>": LEVELS_ARGS,
        "LevelRows": LEVEL_ROWS,
        "Hand": HAND,
        "LevelState": LEVEL_STATE,
        "DescentStep<CsrStore<u32>>": DESCENT_STEP,
        "DescentArgs<CsrStore<u32>>": DESCENT_ARGS,
    }
    lines = [
        '#include "levels_descend.cuh"',
        '#include "levels_join.cuh"',
        "#include <cstddef>",
        "using namespace subiso;",
    ]
    lines.append(
        f"static_assert(sizeof(JoinScratch) == {SCRATCH_BYTES} && kTile == {TILE} && kBins == {BINS});"
    )
    for number, (name, dtype) in enumerate(kinds.items()):
        lines.append(
            f"using Type{number} = {name};\nstatic_assert(sizeof(Type{number}) == {dtype.itemsize});"
        )
        hidden = ("more_", "relations", "filters", "keys", "entities")
        for field in (f for f in dtype.names or () if not f.startswith(hidden)):
            at = dtype.fields[field][1]  # type: ignore[index]
            lines.append(f"static_assert(offsetof(Type{number}, {field}) == {at});")
    source = tmp_path / "layout.cpp"
    source.write_text("\n".join(lines))
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", "-DSUBISO_SIMT"]
    done = subprocess.run(
        [*command, f"-I{NATIVE}", f"-I{KERNELS}", str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
