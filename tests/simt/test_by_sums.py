"""Counts of one pattern from passes over the graph, and when they are chosen."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from shim import ShimMachine, WaitingMachine

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import by_sums, watch
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.search import Report
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import make_query
from subiso.engine.several import count_several
from subiso.errors import Cancelled, DeviceMemoryError, TimeoutReached
from subiso.graph import Graph
from subiso.pattern import Pattern

SPOKES = Pattern.from_edges([(0, 1), (0, 2), (1, 3), (2, 4), (3, 4), (2, 3), (1, 4)])


def random_graph(seed: int) -> Graph:
    """With loops, and with a direction for odd seeds, which a pattern without one does not ask for."""
    rng = np.random.default_rng(seed)
    skew = rng.random(30) ** 3 + 0.02
    ends = rng.choice(30, (2, 160), p=skew / skew.sum())
    return Graph.from_edges(*ends, num_vertices=30, directed=seed % 2 == 1)


PATTERNS = {
    "triangle": Pattern.clique(3),
    "diamond": Pattern.diamond(),
    "4-cycle": Pattern.cycle(4),
    "spokes": SPOKES,
    "house": Pattern.named("house"),
    "5-cycle": Pattern.cycle(5),
    "wheel": Pattern.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)]),
    "fan": Pattern.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)]),
}


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("unique", [True, False])
def test_equal_to_the_reference(pattern: Pattern, seed: int, unique: bool) -> None:
    query = make_query(random_graph(seed), pattern, unique=unique)
    engine = CudaEngine(ShimMachine(("forward", "reverse", "random")[seed], seed=seed))
    way = by_sums.sums_way(query, math.inf)
    assert way is not None
    run = engine.prepare_sums([way], query.graph)
    for _ in range(2):
        assert run.count(Watch(Params(), time.perf_counter())) == reference.count(query).count > 0


def test_a_set_of_patterns_makes_every_pass_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_sums, "PER_WORD", 0.0)
    graph = random_graph(2)
    queries = [make_query(graph, pattern) for pattern in PATTERNS.values()]
    queries += [make_query(graph, Pattern.path(4)), make_query(graph, Pattern.house(), mode="homomorphism")]
    engine, runs = CudaEngine(ShimMachine()), []
    prepare = engine.prepare_sums
    monkeypatch.setattr(engine, "prepare_sums", lambda ways, graph: runs.append(ways) or prepare(ways, graph))
    expected = [reference.count(query).count for query in queries]
    assert count_several(queries, engine, Params()) == expected
    assert sorted(len(ways) for ways in runs) == [1, 2, 5]  # by their numbers of vertices
    assert count_several(queries, engine, Params(switches=Switches(merge="never"))) == expected
    assert len(runs) == 3 + len(PATTERNS)


def test_a_set_of_patterns_heeds_its_timeout() -> None:
    queries = [make_query(random_graph(2), PATTERNS[name]) for name in ("5-cycle", "fan")]
    engine = CudaEngine(ShimMachine())
    engine.formula = None  # type: ignore[assignment,method-assign]  # not even that is asked for
    with pytest.raises(TimeoutReached) as caught:
        count_several(queries, engine, Params(timeout=0.0))
    assert caught.value.finished == {}


def test_a_cancelled_set_notes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_TICK", 0.0)
    queries = [make_query(random_graph(2), PATTERNS[name]) for name in ("5-cycle", "fan")]
    noted: dict[int, int] = {}
    with pytest.raises(Cancelled):
        CudaEngine(WaitingMachine()).count_together(queries, Params(poll=lambda: True), noted.__setitem__)
    assert noted == {}


@pytest.mark.parametrize("name", ["fan", "wheel", "motifs"])
def test_progress_is_that_of_the_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes first, then what is counted apart: done is only who has done both."""
    monkeypatch.setattr(watch, "_TICK", 0.0)
    engine, seen = CudaEngine(WaitingMachine()), []
    params = Params(progress=seen.append)
    if name == "motifs":
        engine.motif_sums(random_graph(2), 4, params)
    else:
        query = make_query(random_graph(2), PATTERNS[name])
        way = by_sums.sums_way(query, math.inf)
        assert way is not None and len(way.counted) == 1
        found = engine.prepare_sums([way], query.graph).count(Watch(params, time.perf_counter()))
        assert found == reference.count(query).count
    assert seen == sorted(seen)
    assert {0.5, 1} <= set(seen) and seen[0] <= 0.5


def test_chosen_by_cost_and_by_switch() -> None:
    query = make_query(random_graph(5), Pattern.clique(3))
    engine = CudaEngine(ShimMachine())
    wanted = reference.count(query).count
    assert engine.count(query).count == wanted
    assert isinstance(engine.last, by_sums.SumsReport)
    assert engine.last.passes == ("count",) and engine.last.counted == ()
    assert engine.last.launches > 0 and engine.last.search_bytes > 0
    assert engine.count(query, Params(switches=Switches(sums=False))).count == wanted
    assert isinstance(engine.last, Report)
    assert by_sums.sums_way(make_query(random_graph(5), SPOKES), cost=1.0) is None


def test_plans_where_sums_have_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 128 bits, in a gigabyte, or on the device."""
    query = make_query(random_graph(3), Pattern.diamond())
    wanted = reference.count(query).count
    assert by_sums.sums_way(query, math.inf) is not None
    for name, value in (("in_range", lambda _: False), ("_MOST_ENTRIES", 10)):
        with monkeypatch.context() as patched:
            patched.setattr(by_sums, name, value)
            assert by_sums.sums_way(query, math.inf) is None
    engine = CudaEngine(ShimMachine())

    def no_room(*_: object) -> None:
        raise DeviceMemoryError("no room")

    monkeypatch.setattr(engine, "prepare_sums", no_room)
    assert engine.count(query).count == wanted and isinstance(engine.last, Report)


@pytest.mark.parametrize(
    "query",
    [
        make_query(random_graph(1), Pattern.diamond(), mode="induced"),
        make_query(random_graph(1), Pattern.diamond(), mode="homomorphism"),
        make_query(random_graph(1), Pattern.diamond(), anchor={0: 3}),
        make_query(random_graph(1), Pattern("(a)--(b), (b)--(c), (a)--(c), !(a)--(d), (c)--(d)")),
        make_query(random_graph(1), Pattern.path(7)),
    ],
    ids=["induced", "homomorphism", "anchor", "absent edge", "seven vertices"],
)
def test_only_plain_patterns(query: object) -> None:
    assert by_sums.sums_way(query, math.inf) is None  # type: ignore[arg-type]
