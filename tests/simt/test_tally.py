"""Local counts on a device, through the shim: random queries of every kind against the rows of the reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from layouts import assert_same_layout
from random_cases import describe, random_query
from shim import ShimMachine

import subiso as si
from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.storage import STORAGES
from subiso.engine.cuda.tally import MAX_COLUMNS, TALLY, lower_tally
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import MODES, Query, make_query
from subiso.errors import DeviceMemoryError, UnsupportedError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern, connected_patterns
from subiso.plan.choose import make_plan
from subiso.plan.tally import Tally, make_tally
from subiso.result.local import count_per
from subiso.storage.statistics import statistics_of

WISHES = [
    Wishes(fixed=False, blocks=2, warps_per_block=2),
    Wishes(fixed=False, blocks=3, warps_per_block=1, tau=0, edges=False, arena_words=64, hub_length=2),
    Wishes(fixed=True, blocks=1, warps_per_block=3, tau=9999, edges=False, pool_capacity=7),
]


def shim_engine(seed: int, **options: Any) -> CudaEngine:
    order = ("forward", "reverse", "random")[seed % 3]
    schedule = options.pop("schedule", ("fine", "auto")[seed // 3 % 2])
    return CudaEngine(ShimMachine(order, seed=seed, **options), WISHES[seed % 3], schedule=schedule)


def numbers(query: Query, per: str, engine: Any, params: Params) -> Any:
    answer = count_per(query, per, engine, params)
    assert answer.counts is not None and answer.stopped_by is None
    if per == "role":
        return answer.count, {name: counts.tolist() for name, counts in answer.counts.items()}
    return answer.count, answer.counts.tolist()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed, mode)
    params = Params(switches=Switches(max_tail=(99, 99, 1, 0)[seed % 4]))
    kinds = ["role"] if not query.injective else ["vertex", "edge", "role"]
    for per in kinds:
        found = numbers(query, per, shim_engine(seed), params)
        assert found == numbers(query, per, reference, Params()), (per, describe(query, seed))


@pytest.mark.parametrize("per", ["vertex", "edge"])
@pytest.mark.parametrize("mode", ["monomorphism", "induced"])
def test_motifs(mode: str, per: str) -> None:
    rng = np.random.default_rng(5)
    skew = rng.random(40) ** 2
    graph = Graph.from_edges(*rng.choice(40, (2, 160), p=skew / skew.sum()), num_vertices=40)
    for number, pattern in enumerate([*connected_patterns(3), *connected_patterns(4), Pattern.clique(5)]):
        query = make_query(graph, pattern, mode=mode)
        assert numbers(query, per, shim_engine(number), Params()) == numbers(query, per, cpu, Params())


@pytest.mark.parametrize("storage", [name for name in STORAGES if name != "auto"])
def test_whatever_the_storage(storage: str) -> None:
    """Edges are counted by their places in plain lists, also where an engine would read others."""
    rng = np.random.default_rng(2)
    labels = np.array(list("XYZ"), object)[rng.integers(0, 3, 80)]
    graph = Graph.from_edges(
        *rng.integers(0, 15, (2, 80)), num_vertices=15, directed=True, edge_labels=labels
    )
    query = make_query(graph, "(a)-[:X]->(b)-[:Y]->(c)")
    engine = CudaEngine(ShimMachine(), WISHES[0], storage=storage)
    assert numbers(query, "edge", engine, Params()) == numbers(query, "edge", reference, Params())


def test_tails_with_shares_of_their_own() -> None:
    """A bow tie has two tail sets; a star's leaves are choices from one."""
    graph = random_query(3, "monomorphism").graph
    for pattern in (Pattern.star(3), Pattern("(a)--(b)--(c)--(a), (a)--(d)--(e)--(a)"), Pattern.path(4)):
        query = make_query(graph, pattern)
        for per in ("vertex", "edge", "role"):
            assert numbers(query, per, shim_engine(1), Params()) == numbers(query, per, cpu, Params())


def test_through_the_api(monkeypatch: pytest.MonkeyPatch) -> None:
    from subiso.engine import auto, cuda

    engine = shim_engine(0)
    monkeypatch.setattr(cuda, "engine_on", lambda *_: engine)
    monkeypatch.setattr(cuda, "why_not", lambda *_: None)
    graph = si.generators.watts_strogatz(60, 6, 0.2, seed=1)
    wanted = si.cliques(graph, 3, per="edge", device="cpu").tolist()
    before = engine.machine.compiled_launches  # type: ignore[attr-defined]
    assert si.cliques(graph, 3, per="edge", device="cuda").tolist() == wanted
    assert engine.machine.compiled_launches > before  # type: ignore[attr-defined]
    local = si.motifs(graph, 3, per="vertex", induced=True, device="cuda")
    assert {p: c.tolist() for p, c in local.items()} == {
        p: c.tolist() for p, c in si.motifs(graph, 3, per="vertex", induced=True).items()
    }
    monkeypatch.setattr(auto, "DEVICE_COST", 0)
    found = count_per(make_query(graph, Pattern.clique(3)), "edge", auto, Params())  # type: ignore[arg-type]
    assert found.counts is not None and not isinstance(found.counts, dict)
    assert found.counts.tolist() == wanted


@pytest.mark.parametrize("error", [DeviceMemoryError("no room"), UnsupportedError("no room")])
def test_auto_falls_back(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    from subiso.engine import auto, cuda

    engine = shim_engine(0)

    def fail(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(engine, "prepare_tally", fail)
    monkeypatch.setattr(cuda, "engine_on", lambda *_: engine)
    monkeypatch.setattr(cuda, "why_not", lambda *_: None)
    monkeypatch.setattr(auto, "DEVICE_COST", 0)
    query = make_query(Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), Pattern.clique(3))
    with pytest.warns(UserWarning, match="no room"):
        assert numbers(query, "vertex", auto, Params()) == (1, [1, 1, 1, 0])
    with pytest.raises(type(error)):
        numbers(query, "vertex", engine, Params())


def test_counts_beyond_64_bits_are_refused() -> None:
    """A star of 2,000 leaves has C(2000, 6) stars of 6, times 720 before division: more than 2**63."""
    query = make_query(Graph.from_edges(np.zeros(2000, int), np.arange(1, 2001)), Pattern.star(6))
    with pytest.raises(UnsupportedError, match="64 bits"):
        count_per(query, "vertex", shim_engine(0), Params())


def test_a_timeout_stops_it() -> None:
    query = make_query(si.generators.watts_strogatz(80, 10, 0.2, seed=1), Pattern.clique(4))
    whole = count_per(query, "vertex", cpu, Params())  # type: ignore[arg-type]
    machine = ShimMachine("forward", stop_after=200)
    stopped = CudaEngine(machine, WISHES[1]).tallies()
    resolved = resolve(query)
    (term,) = stopped.formula(resolved, Params()).terms
    tally = make_tally(term.plan, term.problem, [list(range(4))])
    total, _, _ = stopped.run(term.plan, tally, resolved, Params(), 0.0, False)
    assert total < whole.count


def test_tables_have_limits() -> None:
    query = make_query(Graph.from_edges([0, 1, 2], [1, 2, 0]), Pattern.clique(3))
    resolved = resolve(query)
    plan = make_plan(resolved.problem, statistics_of(query.graph), counting=True)
    tally = make_tally(plan, resolved.problem, [[0, 1, 2]])
    assert lower_tally(tally, lower_plan(plan, 2)).dtype == TALLY
    columns = ((0, None),) * (MAX_COLUMNS + 1)
    with pytest.raises(UnsupportedError, match="columns of local counts"):
        lower_tally(Tally(columns, tally.vertices, tally.edges, (), tally.sure), lower_plan(plan, 2))


def test_structures_are_those_of_the_kernels(tmp_path: Path) -> None:
    assert_same_layout(tmp_path, ["search"], {"TallyTables": TALLY})
