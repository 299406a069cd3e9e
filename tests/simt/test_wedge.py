"""Schedule `wedge` through the shim: patterns whose sizes are codegrees, both kinds of teams, split seeds."""

from __future__ import annotations

import time

import numpy as np
import pytest
from random_cases import describe, expected_rows, random_query
from shim import ShimMachine, WaitingMachine

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import watch
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.cuda.wedge import WedgeRun
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern

WISHES = [
    Wishes(blocks=2, warps_per_block=2, slots=8, hub_length=3),
    Wishes(blocks=3, warps_per_block=1, slots=64, arena_words=40),
    Wishes(blocks=1, warps_per_block=3, slots=1024),
]
ALWAYS = Params(switches=Switches(decompose="always"))
PATTERNS = {
    "4-cycle": Pattern.cycle(4),
    "5-cycle": Pattern.cycle(5),
    "house": Pattern.house(),
    "K2,3": Pattern.biclique(2, 3),
    "P5": Pattern.from_edges([(0, 1), (0, 2), (1, 3), (2, 4), (3, 4), (2, 3), (1, 4)]),
    "theta": Pattern.from_edges(
        [(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (0, 5), (5, 3)]
    ),  # the table has ends above
    "labels": Pattern("(a:A)--(b), (b)--(c:A), (c)--(d), (d)--(a)"),
    "both labels": Pattern("(a:A:B)--(b), (b)--(c:A), (c)--(d), (d)--(a), (a)--(e), (e)--(c)"),
    "directed": Pattern("(a)-->(b), (b)-->(c), (c)-->(d), (a)-->(d)"),
}


def random_graph(seed: int, *, directed: bool) -> Graph:
    rng = np.random.default_rng(seed)
    ends = (rng.random((2, 90)) ** 2 * 22).astype(int)
    labels = [("A", "B", ["A", "B"])[i % 3] for i in range(22)]
    return Graph.from_edges(*ends, num_vertices=22, directed=directed, vertex_labels=labels)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PATTERNS)
def test_known_patterns(name: str, seed: int) -> None:
    query = make_query(random_graph(seed, directed=name == "directed"), PATTERNS[name])
    engine = CudaEngine(ShimMachine(("forward", "reverse", "random")[seed], seed=seed), WISHES[seed])
    assert engine.count(query, ALWAYS).count == reference.count(query).count > 0


@pytest.mark.parametrize("seed", range(30))
def test_random_queries(seed: int) -> None:
    query = random_query(seed, ("monomorphism", "homomorphism")[seed % 2], rich=seed % 4 == 0)
    engine = CudaEngine(ShimMachine("random", seed=seed), WISHES[seed % 3])
    assert engine.count(query, ALWAYS).count == len(expected_rows(query)), describe(query, seed)


def test_tables_are_used_and_seeds_are_split() -> None:
    """Otherwise the tests above would say nothing."""
    engine = CudaEngine(ShimMachine(), WISHES[0])
    resolved = resolve(make_query(random_graph(0, directed=False), Pattern.cycle(5)))
    plan = engine.formula(resolved, ALWAYS).terms[0].plan
    run = engine.prepare_count(plan, resolved)
    assert isinstance(run, WedgeRun) and plan.codegrees
    assert {team.team for team in run.runs} == {"warp", "block"}
    blocks = next(team for team in run.runs if team.team == "block")
    assert blocks.units > blocks.num_seeds


def test_tables_are_used_beside_labels() -> None:
    """And both labels are asked for: with one alone there are more matches."""
    loose = Pattern(str(PATTERNS["both labels"]).replace("(a:A:B)", "(a:A)"))
    for seed in range(3):
        graph = random_graph(seed, directed=False)
        query = make_query(graph, PATTERNS["both labels"])
        engine, resolved = CudaEngine(ShimMachine(), WISHES[seed]), resolve(query)
        (term,) = engine.formula(resolved, ALWAYS).terms
        assert isinstance(engine.prepare_count(term.plan, resolved), WedgeRun)
        one, both = (make_query(graph, p, unique=False) for p in (loose, query.pattern))
        assert reference.count(one).count > reference.count(both).count > 0


def test_teams_have_one_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_TICK", 0.0)
    seen: list[float] = []
    engine = CudaEngine(WaitingMachine(), WISHES[0])
    resolved = resolve(make_query(random_graph(0, directed=False), Pattern.cycle(5)))
    run = engine.prepare_count(engine.formula(resolved, ALWAYS).terms[0].plan, resolved)
    assert isinstance(run, WedgeRun) and len(run.runs) == 2
    run.count(Watch(Params(progress=seen.append), time.perf_counter()))
    assert seen == sorted(seen) and {0.5, 1} <= set(seen)


def test_a_stop_leaves_clean_tables() -> None:
    """A run that was stopped and then repeated counts right: its tables were cleared."""
    graph = random_graph(1, directed=False)
    query = make_query(graph, Pattern.cycle(5))
    machine = ShimMachine(stop_after=2000)
    engine = CudaEngine(machine, WISHES[0])
    resolved = resolve(query)
    formula = engine.formula(resolved, ALWAYS)
    runs = [(term.coefficient, engine.prepare_count(term.plan, resolved)) for term in formula.terms]
    counted = []
    for stop_after in (2000, None):
        machine.stop_after = stop_after
        total = sum(c * run.count(watch_for()) for c, run in runs)
        counted.append(total // formula.divisor)
    assert counted[1] == reference.count(query).count != counted[0]


def watch_for() -> Watch:

    return Watch(Params(), 0.0)
