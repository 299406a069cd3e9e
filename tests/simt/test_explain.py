"""What explain says of a device is what its engine does, through the SIMT shim."""

from __future__ import annotations

import re
import time
from fractions import Fraction

import numpy as np
import pytest
from levels_cases import PARTITIONS, PHASES, TINY, steps_told
from shim import ShimMachine
from test_by_sums import PATTERNS, random_graph
from tests.api.by_hand import count_part, evaluated

import subiso as si
from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.cuda import explain as cuda_explain
from subiso.engine.cuda.by_sums import SumsReport
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.explain_levels import levels_text
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import SHARE
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import make_query
from subiso.engine.several import count_several
from subiso.errors import UnsupportedError
from subiso.filter.resolve import resolve

K23 = si.Pattern.from_edges([(i, j) for i in (0, 1) for j in (2, 3, 4)])


@pytest.mark.parametrize("name", [name for name in PATTERNS if name != "spokes"])
@pytest.mark.parametrize("unique", [True, False])
def test_the_printed_sums_give_the_count(name: str, unique: bool) -> None:
    """The sums that the passes make, put into the formula that is printed; and the passes are those."""
    query = make_query(random_graph(2), PATTERNS[name], unique=unique)
    engine = CudaEngine(ShimMachine())
    expected = reference.count(query).count
    assert engine.count(query).count == expected > 0
    assert isinstance(engine.last, SumsReport)
    lines = count_part(si.explain(query.graph, query.pattern, unique=unique, device="cuda"))
    assert tuple(re.findall(r"^  pass (\w+): ", "\n".join(lines), re.MULTILINE)) == engine.last.passes
    assert tuple(re.findall(r"^  apart (\w+): ", "\n".join(lines), re.MULTILINE)) == engine.last.counted
    way = engine.sums_way(query, engine.formula(resolve(query)))
    assert way is not None
    run = engine.prepare_sums([way], query.graph)
    watch = Watch(Params(), time.perf_counter())
    sums = run.run.sums(watch)
    factors = {"clique_edges": 6, "wheels": 2}
    sums |= {name: factors[name] * counted.count(watch) for name, counted in run.counted.items()}
    used = set(re.findall(r"[a-z]\w*", lines[2].removeprefix("  count = ")))
    assert evaluated(lines, {name: sums[name] for name in used}) == Fraction(expected)


@pytest.mark.parametrize("pattern", [K23, si.Pattern.path(5), si.Pattern.clique(5)], ids=str)
@pytest.mark.parametrize(("schedule", "devices"), [("auto", 1), ("fine", 1), ("wedge", 1), ("auto", 2)])
def test_the_formula_and_the_schedules_are_those_of_the_engine(
    pattern: si.Pattern, schedule: str, devices: int
) -> None:
    graph = random_graph(2)
    engine = CudaEngine([ShimMachine() for _ in range(devices)], schedule=schedule)
    named = None if schedule == "auto" else schedule
    told = si.explain(graph, pattern, device="cuda" if devices == 1 else "cuda:0,1", schedule=named)
    resolved = resolve(make_query(graph, pattern))
    formula = engine.formula(resolved)
    assert told.device.formula == formula
    chosen = [engine.choose(term.plan, resolved).schedule for term in formula.terms]
    assert [said.split()[1].rstrip(":") for said in told.device.schedules] == chosen


def test_lists_share_the_passes_that_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(2)
    patterns = [PATTERNS[name] for name in ("house", "5-cycle", "fan", "triangle", "wheel")]
    engine, made = CudaEngine(ShimMachine()), []
    prepare = engine.prepare_sums
    monkeypatch.setattr(
        engine, "prepare_sums", lambda ways, graph: made.append(prepare(ways, graph)) or made[-1]
    )
    queries = [make_query(graph, pattern) for pattern in patterns]
    assert count_several(queries, engine, Params()) == [reference.count(query).count for query in queries]
    shared, alone = made
    told = si.explain(graph, patterns, device="cuda")
    (team,) = told.teams
    assert [way.pattern for way in team.values()] == [way.pattern for way in shared.ways]
    assert list(told.alone) == [3] and alone.ways[0].pattern == patterns[3]
    part = str(told).split("\n\n")[1]
    assert tuple(re.findall(r"^  pass (\w+): ", part, re.MULTILINE)) == shared.report().passes
    assert re.findall(r"^  apart (\w+): ", part, re.MULTILINE) == sorted(shared.counted)


@pytest.mark.parametrize("wishes", [TINY[0], PHASES[0], PHASES[2], PHASES[4], *PARTITIONS[:3]], ids=range(7))
def test_steps_of_levels_are_those_that_run(wishes: Wishes) -> None:
    query = make_query(random_graph(2), si.Pattern.house())
    engine = CudaEngine(ShimMachine(), wishes, schedule="levels")
    (term,) = engine.formula(resolve(query)).terms
    said = levels_text(term.plan, resolve(query), engine.machine.description, wishes)
    assert engine.count(query).count == reference.count(query).count
    assert isinstance(engine.last, LevelsReport)
    assert steps_told(said) == engine.last.stages
    assert ("only what a step reads" in said) == engine.last.partitioned


@pytest.mark.parametrize("vertices", [32, 33])
def test_twigs_are_named_where_they_are_not_refused(vertices: int) -> None:
    query = make_query(si.Graph.from_edges(range(49), range(1, 50)), si.Pattern.path(vertices))
    told = si.explain(query.graph, query.pattern, device="cuda", schedule="fine")
    try:
        CudaEngine(ShimMachine(), schedule="pipeline").prepare_twigs(resolve(query))
    except UnsupportedError:
        assert "pipeline" not in told.device.others
    else:
        assert "schedule pipeline (" in told.device.others


@pytest.mark.parametrize("schedule", ["auto", "levels", "fine"])
def test_a_listing_that_is_refused_has_no_plan(schedule: str) -> None:
    """A count has two vertices fewer to loop over."""
    query = make_query(si.Graph.from_edges(range(49), range(1, 50)), si.Pattern.path(33))
    engine = CudaEngine(ShimMachine(), schedule=schedule)
    with pytest.raises(UnsupportedError) as refused:
        list(engine.stream(query))
    named = None if schedule == "auto" else schedule
    told = str(si.explain(query.graph, query.pattern, device="cuda", schedule=named))
    assert told.split("\n\n")[2] == f"match     not by kernels: {refused.value.message}"


@pytest.mark.parametrize("schedule", ["auto", "levels", "fine"])
def test_the_plans_are_those_of_the_engine_where_there_is_no_room(
    schedule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tail that reads three relations at a time would not go through a device that holds one and a half."""
    ends = np.random.default_rng(0).integers(0, 60, (2, 400))
    graph = si.Graph.from_edges(
        *ends, num_vertices=60, directed=True, edge_labels=list("XYZW") * 100, parallel="keep"
    )
    pattern = si.Pattern("(a)-[:X]->(b), (a)-[:Y]->(c), (a)-[:Z]->(d), !(b)-[:W]->(a)")
    query = make_query(graph, pattern)
    resolved = resolve(query)
    largest = max(csr.nbytes for csr in resolved.csrs)
    small = Description("small", "simt", multiprocessors=2, memory=int(1.5 * largest / SHARE))
    monkeypatch.setattr(cuda_explain, "description", lambda device: small)
    engine = CudaEngine(ShimMachine(description=small), TINY[0], schedule=schedule)
    told = si.explain(graph, pattern, device="cuda", schedule=None if schedule == "auto" else schedule)
    formula = engine.formula(resolved)
    assert told.device.formula == formula
    whole = all(len(term.plan.order) == pattern.num_vertices for term in formula.terms)
    assert whole == (schedule != "fine")
    assert engine.count(query).count == reference.count(query).count
    if schedule != "fine":
        assert isinstance(engine.last, LevelsReport)
        assert steps_told(told.device.schedules[0]) == engine.last.stages
        assert "schedule" not in told.device.others, "nothing else could hold the graph"
    else:
        assert "or by schedule levels (" in told.device.others
