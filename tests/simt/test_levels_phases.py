"""Several vertices per step and elimination (schedule `levels`) through the SIMT shim: GENEVA's matching patterns."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from levels_cases import PHASES, wishes
from random_cases import canonical, describe, expected_rows, random_query, rows_of
from shim import ShimMachine

from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.query import MODES, Query, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
ORDERS = ("forward", "reverse", "random")
CORE = Params(switches=Switches(order="core", max_tail=0, decompose="never", expand="never"))
SHAPES = {
    0: "(a)--(b)",
    1: "(a)--(b)--(c)--(a)",
    2: "(a)-[:X]-(b:B)-[:Y]-(c:B)-[:X]-(d)",
    3: "(a:A)--(b:B)--(c)--(a)",
    4: "(a)-[:X]-(b:B)-[:Y]-(c:B)-[:X]-(d:A)",
    5: "(a:B)--(b), (a)--(c), (a)--(d)",
    6: "(a:B)--(b), (a)--(c), (a)--(d:A)",
    7: "(b)--(c)--(g)--(b), (a)-[:X]-(b), (c)-[:X]-(d), (c)-[:X]-(e)",
}


def check(engine: CudaEngine, query: Query, what: str) -> LevelsReport | None:
    wanted = expected_rows(query)
    assert engine.count(query, CORE).count == len(wanted), what
    assert engine.count(query).count == len(wanted), what
    assert canonical(query, rows_of(engine, query, CORE)) == wanted, what
    assert engine.last is None or isinstance(engine.last, LevelsReport)
    return engine.last


def small_graph() -> Graph:
    rng = np.random.default_rng(7)
    labels = [["A"], ["B"], ["A", "B"], ["A"]]
    return Graph.from_edges(
        *rng.integers(0, 14, (2, 36)),
        num_vertices=14,
        vertex_labels=[labels[i % 4] for i in range(14)],
        edge_labels=np.array(["X", "Y"], dtype=object)[rng.integers(0, 2, 36)],
    )


@pytest.mark.parametrize("unique", [True, False])
@pytest.mark.parametrize("pattern", SHAPES)
def test_every_matching_pattern(pattern: int, unique: bool) -> None:
    query = make_query(small_graph(), Pattern(SHAPES[pattern]), unique=unique)
    assert expected_rows(query), "a test with nothing to find"
    for i, way in enumerate(PHASES[:2]):
        engine = CudaEngine(ShimMachine(ORDERS[(pattern + i) % 3], seed=i), way, schedule="levels")
        report = check(engine, query, f"{pattern} {unique} {way.levels}")
        assert report is not None
        assert pattern in report.patterns


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed + 300, mode)
    few = len(expected_rows(query)) < 100
    for i, order in enumerate(ORDERS if few else ORDERS[:1]):
        way = PHASES[(seed + 2 * i) % len(PHASES) if few else 0]
        engine = CudaEngine(ShimMachine(order, seed=seed), way, schedule="levels")
        check(engine, query, f"{describe(query, seed)} {way.levels} {order}")


def test_elimination_goes_relation_by_relation() -> None:
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(
        *rng.integers(0, 10, (2, 40)),
        num_vertices=10,
        edge_labels=np.array(["X", "Y"], dtype=object)[rng.integers(0, 2, 40)],
    )
    query = make_query(graph, Pattern("(a)-[:X]-(b)-[:Y]-(c)-[:X]-(a), (c)-[:X]-(d), (d)-[:Y]-(a)"))
    engine = CudaEngine(ShimMachine("random", seed=1), PHASES[2], schedule="levels")
    report = check(engine, query, "elimination")
    assert report is not None
    assert report.stages.count("sift") >= 2


def test_combinations_go_through_windows() -> None:
    """A hub of 40 leaves, three of which are matched in one step, through tables of 500 rows: 59,280 combinations."""
    star = Graph.from_edges([0] * 40, range(1, 41))
    query = make_query(star, Pattern.star(3), unique=False)
    engine = CudaEngine(ShimMachine(), wishes(parallel=True, rows=500), schedule="levels")
    assert sum(len(batch) for batch in engine.stream(query, replace(CORE, batch_rows=999))) == 40 * 39 * 38
    assert isinstance(engine.last, LevelsReport)
    assert engine.last.patterns == (5,)
    assert engine.last.windows > 100
    assert engine.count(query, CORE).count == 40 * 39 * 38


def test_wide_groups_are_cut_where_combinations_would_overflow() -> None:
    star = Graph.from_edges([0] * 300, range(1, 301))
    query = make_query(star, Pattern.star(9))
    engine = CudaEngine(ShimMachine(), wishes(parallel=True), schedule="levels")
    engine.stream(query, CORE).close()  # it would not end
    assert isinstance(engine.last, LevelsReport)
    assert len(engine.last.patterns) > 1
    assert engine.last.patterns[0] == 5
