"""Counting on candidate graphs: backtracking with failing sets and merged twins, elimination, and their limits."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import subiso as si
from subiso import _native
from subiso.engine import candidates, cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.candidate_search import fits
from subiso.engine.candidates import Counter, Found, count_candidates, first_tries, partitions
from subiso.engine.query import MODES, Query, make_query
from subiso.errors import CountOverflowError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.graph.generators import erdos_renyi, with_labels
from subiso.pattern import Pattern
from subiso.plan.partitions import distinct_terms
from subiso.storage.layout import layout_of


def ways(query: Query) -> dict[str, int]:
    """The count by every way."""
    found = {"plan": cpu.count(query, Params(threads=1, switches=Switches(labelled="plan"))).count}
    for failing_sets in (True, False):
        for twins in (True, False):
            switches = Switches(labelled="search", failing_sets=failing_sets, twins=twins)
            found[f"search {failing_sets} {twins}"] = cpu.count(query, Params(switches=switches)).count
    for twins in (True, False):
        switches = Switches(labelled="eliminate", twins=twins)
        found[f"eliminate {twins}"] = cpu.count(query, Params(threads=2, switches=switches)).count
    found["auto"] = cpu.count(query, Params(threads=1)).count
    resolved = resolve(query)
    if fits(resolved) and not resolved.hopeless:
        for name, limits in ASIDE.items():
            found[f"aside, {name}"] = aside(Counter(resolved, Params(), 2), **limits)
    return found


ASIDE: dict[str, dict[str, int]] = {
    "first steps": {"FIRST_STEPS": 2**62},
    "elimination": {"FIRST_STEPS": 0},
    "further steps": {"FIRST_STEPS": 0, "_MOST_PARTITIONS": 0, "_MOST_ROWS": 0},
}


def aside(counter: Counter, **limits: int) -> int:
    """Counted by the thread of the native core, within other limits."""
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            patch.setattr(candidates, name, limit)
        assert begun(counter)
    assert ended(counter)
    found = counter.found
    assert found is not None
    return found.count


def begun(counter: Counter) -> bool:
    """Waits for a place."""
    until = time.perf_counter() + 10
    while not (there := counter.begin()) and time.perf_counter() < until:
        time.sleep(0.001)
    return there


def ended(counter: Counter) -> bool:
    until = time.perf_counter() + 20
    while counter.graph.counted is None and time.perf_counter() < until:
        time.sleep(0.0001)
    return counter.graph.counted is not None


def clique_query() -> Query:
    """One that nothing is done with soon."""
    graph = Graph.from_edges(
        *np.random.default_rng(2).integers(0, 500, (2, 120_000)), vertex_labels=["A"] * 500
    )
    return make_query(graph, Pattern.from_edges([*combinations(range(9), 2)], vertex_labels=["A"] * 9))


def test_threads_that_count_end_when_they_are_told_to() -> None:
    resolved = resolve(clique_query())
    for _ in range(3):
        counter = Counter(resolved, Params(), 2)
        assert begun(counter)
        counter.wait()
        assert counter.graph.counted is None and counter.found is None
        with pytest.raises(ValueError, match="a thread counts once"):
            counter.begin()
        for touch in (counter.graph.make, counter.graph.merge_twins, lambda: counter.searched(10)):  # noqa: B023
            with pytest.raises(ValueError, match="a thread counts on the candidate graph"):
                touch()
        counter.stop()
        assert ended(counter) and counter.found is None
        left = Counter(resolved, Params(), 1)
        assert begun(left)
        del left  # and the thread with it
        stopped = Counter(resolved, Params(), 1)
        stopped.stop()
        assert begun(stopped) and ended(stopped) and stopped.found is None


def test_wrong_questions_are_refused() -> None:
    graph = _native.candidate_graph(resolve(make_query(star(3), "(a:A)--(b:B)")).narrowed.native())
    limits = (10, 10, 10, 10, 10, 1)
    with pytest.raises(ValueError, match="one word of overlaps per vertex"):
        graph.begin_count([], True, True, True, [3], *limits)
    with pytest.raises(ValueError, match="a link names what is not there"):
        graph.begin_count([(0, 2, 0)], False, True, True, [], *limits)
    assert graph.counted is None


def test_a_count_beyond_128_bits_is_left_to_others() -> None:
    graph = Graph.from_edges([0] * 60_000, range(1, 60_001), vertex_labels=["A"] + ["B"] * 60_000)
    leaves = ", ".join(f"(a)--(v{i}:B)" for i in range(9))
    resolved = resolve(make_query(graph, f"(a:A), {leaves}", mode="homomorphism"))
    counter = Counter(resolved, Params(), 1)
    assert begun(counter) and ended(counter) and counter.found is None


def random_tree_like(chance: random.Random, k: int, extra: int, labels: int) -> Pattern:
    edges = [(v, chance.randrange(v)) for v in range(1, k)]
    edges += [tuple(sorted(chance.sample(range(k), 2))) for _ in range(extra)]  # type: ignore[misc]
    names = [chance.randrange(labels) for _ in range(k)]
    return Pattern.from_edges(list({(max(e), min(e)) for e in edges}), vertex_labels=names)


@pytest.mark.parametrize("seed", range(40))
def test_larger_patterns(seed: int) -> None:
    """7 to 10 vertices on graphs with hubs and many twins; every way counts the same."""
    chance = random.Random(seed)
    rng = np.random.default_rng(seed)
    n, labels = 30, chance.choice([2, 4, 8])
    skew = rng.random(n) ** 3
    src, dst = rng.choice(n, (2, chance.choice([30, 60, 90])), p=skew / skew.sum())
    graph = Graph.from_edges(src, dst, num_vertices=n, vertex_labels=rng.integers(0, labels, n))
    pattern = random_tree_like(chance, chance.randint(5, 9), chance.randint(0, 4), labels)
    mode = chance.choice(["monomorphism", "homomorphism", "monomorphism", "induced"])
    unique = mode != "homomorphism" and chance.random() < 0.5
    found = ways(make_query(graph, pattern, mode=mode, unique=unique))
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize("mode", MODES)
def test_vertices_that_are_their_own_neighbors(mode: str) -> None:
    """Twins of which one is joined to the other, and to itself."""
    graph = Graph.from_edges(
        [0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2], loops="keep", num_vertices=4, vertex_labels=["A"] * 4
    )
    for text in ("(a:A)--(b:A)", "(a:A)--(b:A)--(c:A)", "(a:A)--(b:A), (b)--(c:A), (a)--(c)"):
        query = make_query(graph, text, mode=mode, unique=False)
        assert set(ways(query).values()) == {reference.count(query).count}


def star(leaves: int, label: str = "B") -> Graph:
    return Graph.from_edges([0] * leaves, range(1, leaves + 1), vertex_labels=["A"] + [label] * leaves)


def made(query: Query, filters: Sequence[str] | None = None) -> Any:
    graph = _native.candidate_graph(resolve(query, filters).narrowed.native())
    assert graph.make()
    return graph


def test_twins_become_one_point() -> None:
    graph = made(make_query(star(50), "(a:A)--(b:B), (a)--(c:B), (a)--(d:B)"))
    assert (graph.num_points, graph.num_pairs) == (51, 150)
    graph.merge_twins()
    assert (graph.num_points, graph.num_vertices, graph.num_pairs) == (2, 51, 3)
    (high, low, overflow), steps = graph.search([], True, True, 100)
    assert (high, low, overflow) == (0, 50 * 49 * 48, False) and steps < 20


@pytest.mark.parametrize("twins", [True, False])
def test_twins_are_merged_where_counts_take_long(twins: bool) -> None:
    """For backtracking that is asked for, and for elimination; not for the few steps that come before that."""
    resolved = resolve(make_query(star(50), "(a:A)--(b:B), (a)--(c:B), (a)--(d:B)"))
    merged = 2 if twins else 51
    asked = Counter(resolved, Params(switches=Switches(labelled="search", twins=twins)), 1)
    assert asked.searched(None) == Found(50 * 49 * 48 // 6) and asked.graph.num_points == merged
    usual = Counter(resolved, Params(switches=Switches(twins=twins)), 1)
    assert usual.searched() is not None and usual.graph.num_points == 51
    found = usual.eliminated(lambda: math.inf)
    assert found is not None and found.count == 50 * 49 * 48 // 6
    assert usual.graph.num_points == merged


def dead_end(kinds: int, triangles: int, open_ends: int) -> tuple[Graph, str]:
    """A hub with as many triangles of every kind, and vertices C without a triangle with a D and an E: that is
    known only after all C were tried, and no other triangle can mend it."""
    edges, labels, text = [], ["A"], "(a:A)--(c:C)--(d:D)--(e:E)--(c)"

    def add(label: str) -> int:
        labels.append(label)
        return len(labels) - 1

    for x, y in ("BF", "GH", "IJ")[:kinds]:
        text += f", (a)--({x}:{x})--({y}:{y})--(a)"
        for _ in range(triangles):
            u, v = add(x), add(y)
            edges += [(0, u), (0, v), (u, v)]
    threes = [(add("C"), add("D"), add("E")) for _ in range(open_ends)]
    for i, (c, d, e) in enumerate(threes):
        edges += [(0, c), (c, d), (c, e), (e, threes[i - 1][1])]
    return Graph.from_edges(*zip(*edges, strict=True), vertex_labels=labels), text


def test_failing_sets_skip_siblings() -> None:
    query = make_query(*dead_end(1, 30, 40))
    candidates = made(query, ())
    taken = []
    for failing_sets in (True, False):
        total, steps = candidates.search([], True, failing_sets, 10**6)
        assert total == (0, 0, False)
        taken.append(steps)
    assert 10 * taken[0] < taken[1]


@pytest.mark.parametrize("open_ends", [2000, 30_000])
def test_failing_sets_end_what_plans_would_not(open_ends: int) -> None:
    """Few open ends are tried before a plan runs, many beside it."""
    graph, text = dead_end(3, 300, open_ends)
    assert not si.exists(graph, text, timeout=20)
    assert len(si.match(graph, text, timeout=20).to_numpy()) == 0
    assert si.count(graph, text, mode="induced", timeout=20) == 0
    assert si.count(graph, text + ", !(B)--(G)", timeout=20) == 0  # there is no elimination either


class Hesitant:
    """A run that gives so many batches, and then none for a while; perhaps as its memory does not suffice."""

    def __init__(self, run: Any, batches: int, looks: float, failed: bool = False) -> None:
        self.run, self.batches, self.looks, self.failed = run, batches, looks, lambda: failed

    def __getattr__(self, name: str) -> object:
        return getattr(self.run, name)

    def done(self) -> bool:
        return self.looks <= 0 and bool(self.run.done())

    def next_batch(self, seconds: float) -> object:
        if self.batches > 0:
            self.batches -= 1
            return self.run.next_batch(1.0)
        if self.looks <= 0:
            return self.run.next_batch(seconds)
        self.looks -= 1
        time.sleep(0.001)
        return None


def hesitant_stream(
    monkeypatch: pytest.MonkeyPatch, batches: int, looks: float, failed: bool = False
) -> Query:
    """Has listings begin with a plan, and be tried beside it at once."""
    monkeypatch.setattr(cpu, "list_candidates", lambda *_: None)
    monkeypatch.setattr(cpu, "_PATIENCE", 0.0)
    prepare = cpu.prepare
    monkeypatch.setattr(cpu, "prepare", lambda *args: Hesitant(prepare(*args), batches, looks, failed))
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(*rng.integers(0, 50, (2, 200)), vertex_labels=rng.choice(list("AB"), 50))
    return make_query(graph, "(a:A)--(b:B)--(c:A)--(d:B)", unique=False)


def test_a_plan_that_has_given_rows_gives_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever else has them all by then comes too late: no row is given twice."""
    query = hesitant_stream(monkeypatch, 1, 300)
    rows = [tuple(row) for batch in cpu.stream(query, Params(batch_rows=7)) for row in batch.tolist()]
    assert len(rows) == len(set(rows)) == reference.count(query).count


@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("enough", [None, 1])
def test_rows_come_from_beside_a_plan(
    monkeypatch: pytest.MonkeyPatch, enough: int | None, failed: bool
) -> None:
    """A plan that never gives any: the run is started, but waits."""
    query = hesitant_stream(monkeypatch, 0, math.inf, failed)
    stream = cpu.stream(query, Params(batch_rows=7, enough=enough))
    rows = [tuple(row) for batch in stream for row in batch.tolist()]
    wanted = {tuple(row) for batch in reference.stream(query) for row in batch.tolist()}
    assert stream.stopped_by is None
    assert len(wanted) > 7 and len(rows) == (enough or len(wanted))
    assert wanted.issuperset(rows) and len(set(rows)) == len(rows)


class Looked:
    """Stands for what goes on beside a plan."""

    looks = 0

    def searching(self) -> None:
        pass

    def look(self) -> None:
        self.looks += 1

    stop = searching


@pytest.mark.parametrize("timeout", [None, 0.0])
def test_nothing_begins_beside_a_plan_that_was_stopped(
    monkeypatch: pytest.MonkeyPatch, timeout: float | None
) -> None:
    query, race = hesitant_stream(monkeypatch, 0, 5), Looked()
    monkeypatch.setattr(cpu, "may_list", lambda *_: race)
    list(cpu.stream(query, Params(timeout=timeout)))
    assert (race.looks == 0) == (timeout == 0.0)


@pytest.mark.parametrize("found", [True, False])
def test_a_count_from_beside_a_plan_without_memory(monkeypatch: pytest.MonkeyPatch, found: bool) -> None:
    def without_memory(formula: object, resolved: object, params: Params, started: float) -> object:
        while found and not (params.poll and params.poll()):
            time.sleep(0.001)
        raise MemoryError

    monkeypatch.setattr(cpu, "run_formula", without_memory)
    monkeypatch.setattr(cpu, "_PATIENCE", 0.0 if found else 60.0)
    query = make_query(star(50), "(a:A)--(b:B), (a)--(c:B), (a)--(d:B)")
    if found:
        assert cpu.count_by_plans(resolve(query), Params(), 0.0).count == 50 * 49 * 48 // 6
    else:
        with pytest.raises(MemoryError):
            cpu.count_by_plans(resolve(query), Params(), 0.0)


def test_a_search_hears_the_clock() -> None:
    switches = Switches(labelled="search", failing_sets=False)
    query = make_query(*dead_end(3, 300, 2000), mode="induced")
    started = time.perf_counter()
    outcome = cpu.count(query, Params(timeout=0.2, switches=switches))
    assert outcome.stopped_by == "timeout" and time.perf_counter() - started < 10
    started = time.perf_counter()
    stream = cpu.stream(query, Params(timeout=0.2, switches=switches))
    assert list(map(len, stream)) in ([], [0]) and stream.stopped_by == "timeout"
    assert time.perf_counter() - started < 10


def test_steps_are_work() -> None:
    """Intersections of long lists are many steps: what a search may take does not depend on how long lists are."""
    # b and c have no common neighbour, which takes 2 * 20,000 elements to see.
    ends = np.arange(4, 20_004)
    edges = [(0, 1), (0, 2), (0, 3), (1, 3), *((1 + i % 2, v) for i, v in enumerate(ends.tolist()))]
    graph = Graph.from_edges(*zip(*edges, strict=True), vertex_labels=["A", "B", "C", "E", *["D"] * 20_000])
    candidates = made(make_query(graph, "(a:A)--(b:B)--(d:D)--(c:C)--(a), (a)--(e:E)--(b)"), ())
    total, steps = candidates.search([], True, True, 10**6)
    assert total == (0, 0, False) and 300 < steps < 10_000


def test_steps_and_rows_are_limited() -> None:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(*rng.integers(0, 60, (2, 700)), num_vertices=60, vertex_labels=["A"] * 60)
    query = make_query(graph, Pattern("(a:A)--(b:A)--(c:A)--(d:A)--(a), (a)--(c), (b)--(d)"), unique=False)
    candidates = made(query)
    total, steps = candidates.search([], True, True, 100)
    assert total is None and steps <= 200  # fewer where these cannot do
    assert candidates.search([], True, True, 10**7)[0] is not None
    alone = [list(range(4))]
    assert candidates.eliminate(alone, [1], 10, 1)[:2] == (None, "too much")
    assert candidates.eliminate(alone, [1], 10**9, 1)[1] == "done"


def test_counts_beyond_64_bits() -> None:
    graph = star(100_000)
    text = "(a:A), " + ", ".join(f"(a)--(v{i}:B)" for i in range(6))
    wanted = 1
    for i in range(6):
        wanted *= 100_000 - i
    for way in ("auto", "search", "eliminate"):
        query = make_query(graph, text, unique=False)
        assert cpu.count(query, Params(threads=1, switches=Switches(labelled=way))).count == wanted
    loose = make_query(graph, text, mode="homomorphism")
    assert cpu.count(loose).count == 100_000**6


def test_counts_beyond_128_bits_are_an_error() -> None:
    graph = star(1000)
    query = make_query(graph, "(a:A), " + ", ".join(f"(a)--(v{i}:B)" for i in range(14)), mode="homomorphism")
    for way in ("auto", "search", "eliminate"):
        with pytest.raises(CountOverflowError):
            cpu.count(query, Params(switches=Switches(labelled=way)))


def test_what_is_left_to_plans() -> None:
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(
        *rng.integers(0, 50, (2, 300)),
        num_vertices=50,
        vertex_labels=["A"] * 50,
        vertex_columns={"x": np.arange(50)},
    )

    def tried(pattern: str | Pattern, **options: object) -> bool:
        resolved = resolve(make_query(graph, pattern, **options))
        return count_candidates(resolved, Params(), 1, lambda: 1e9) is not None

    assert tried("(a:A)--(b:A)")
    assert tried("(a:A)--(b:A), (b)--(c:A), !(a)--(c)")
    assert not tried(Pattern.clique(3))
    assert not tried("(a:A)--(b:A)--(c:A)", mode="edge-isomorphism")
    assert tried("(a:A)--(b:A)", mode="edge-isomorphism")  # no other edge that it could be
    assert not tried(Pattern("(a:A)--(b:A)").where("a.x < b.x"))


def test_what_explain_says_where_a_plan_is_done_before() -> None:
    """Of a small pattern on long lists: nothing is tried before a cheap plan."""
    query = make_query(with_labels(erdos_renyi(2000, 200_000, seed=1), 2, seed=1), "(a:0)--(b:1)--(c:0)")
    resolved = resolve(query)
    told = {cost: first_tries(resolved, "auto", partial(float, cost)) for cost in (1e3, 1e12)}
    assert told[1e3].startswith("counts between the candidates beside the plan")
    assert told[1e12].startswith("first without a plan")


def test_what_explain_says_of_it() -> None:
    """Only what takes place is told, for every value of the switch."""
    graph = star(50)
    labelled, absent = "(b:B)--(a:A)--(c:B)", "(b:B)--(a:A)--(c:B), !(b)--(c)"
    said = {
        (text, way): first_tries(resolve(make_query(graph, text)), way, lambda: math.inf)
        for text in (labelled, absent, "(a)--(b)")
        for way in ("auto", "search", "eliminate", "plan")
    }
    told = {key for key, words in said.items() if words}
    assert told == {(labelled, way) for way in ("auto", "search", "eliminate")} | {
        (absent, way) for way in ("auto", "search")
    }
    for word, ways in (("backtracking", ("auto", "search")), ("elimination", ("auto", "eliminate"))):
        assert {way for text, way in told if word in said[text, way]} == set(ways)
    assert "50,000 steps" in said[absent, "auto"] and "elimination" not in said[absent, "auto"]
    maps = resolve(make_query(graph, "(a)--(b)--(c)", mode="homomorphism"))
    ways = ("auto", "search", "eliminate")
    assert [bool(first_tries(maps, way, lambda: math.inf)) for way in ways] == [True, False, False]
    assert "by backtracking" in str(
        si.explain(graph, labelled, device="cpu", switches=Switches(labelled="search"))
    )


def test_partitions_are_those_that_may_coincide() -> None:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], vertex_labels=list("ABABA"))
    problem = resolve(make_query(graph, "(a:A)--(b:B)--(c:A)--(d:B)"), ()).problem
    together = sorted((b[0] == b[2], b[1] == b[3], c) for b, c in zip(*partitions(problem), strict=True))
    assert together == [(False, False, 1), (False, True, -1), (True, False, -1), (True, True, 1)]
    loose = resolve(make_query(graph, problem.pattern, mode="homomorphism"), ()).problem
    assert partitions(loose) == ([[0, 1, 2, 3]], [1])


@given(st.integers(1, 7).flatmap(lambda k: st.lists(st.integers(0, 2**k - 1), min_size=k, max_size=k)))
def test_partitions_have_the_coefficients_of_moebius_inversion(drawn: list[int]) -> None:
    k = len(drawn)
    # Symmetric, and everybody overlaps with himself.
    overlaps = [
        sum(1 << u for u in range(k) if u == v or (drawn[v] >> u & drawn[u] >> v & 1)) for v in range(k)
    ]
    blocks, coefficients = _native.coincidences(overlaps, 1000)
    found = {
        tuple(sorted(tuple(v for v in range(k) if b[v] == i) for i in set(b))): c
        for b, c in zip(blocks, coefficients, strict=True)
    }
    wanted = {tuple(sorted(b)): c for b, c in distinct_terms(tuple(range(k)), tuple(overlaps))}
    assert found == wanted and blocks[0] == list(range(k))
    few = _native.coincidences(overlaps, len(wanted) - 1) if len(wanted) > 1 else None
    assert few is None and _native.coincidences(overlaps, len(wanted)) is not None


def test_wrong_arguments_are_refused() -> None:
    candidates = made(make_query(star(3), "(a:A)--(b:B)"))
    with pytest.raises(ValueError, match="of all vertices"):
        candidates.eliminate([[0]], [1], 10, 1)
    with pytest.raises(ValueError, match="block that is not there"):
        candidates.eliminate([[0, 2]], [1], 10, 1)
    with pytest.raises(ValueError, match="one coefficient"):
        candidates.eliminate([[0, 1]], [], 10, 1)
    with pytest.raises(ValueError, match="names what is not there"):
        candidates.search([(0, 1, 9)], True, True, 10)


@pytest.mark.parametrize("shared", [30, 32, 40])
def test_tables_of_many_variables(shared: int) -> None:
    """Vertices with one candidate each take one bit of a key: more than 32 of them stand in a table together."""
    rng = random.Random(1)
    hubs, ends = range(20), range(20 + shared, 40 + shared)
    labels = ["H"] * 10 + ["K"] * 10 + [f"U{i}" for i in range(shared)] + ["W"] * 20
    edges = [(x, 20 + i) for x in hubs for i in range(shared)]
    edges += [(x, y) for x in hubs for y in rng.sample(ends, 5)]
    graph = Graph.from_edges(*zip(*edges, strict=True), num_vertices=len(labels), vertex_labels=labels)
    marked = ", ".join([f"(u{i}:U{i})" for i in range(shared)] + ["(h:H)", "(k:K)", "(w:W)"])
    joined = ", ".join(f"({c})--({x})" for c in "hk" for x in [*(f"u{i}" for i in range(shared)), "w"])
    query = make_query(graph, f"{marked}, {joined}")
    around = [{b for a, b in edges if a == x and b >= 20 + shared} for x in hubs]
    wanted = sum(len(around[h] & around[k]) for h in range(10) for k in range(10, 20))
    for labelled in ("eliminate", "auto", "plan"):
        assert cpu.count(query, Params(switches=Switches(labelled=labelled))).count == wanted > 0  # type: ignore[arg-type]


def test_an_elimination_hears_the_clock() -> None:
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(*rng.integers(0, 900, (2, 20_000)), num_vertices=900, vertex_labels=["A"] * 900)
    pattern = Pattern(", ".join(f"(v{i}:A)--(v{(i + 1) % 5}:A)" for i in range(5)))
    query = make_query(graph, pattern, mode="homomorphism")
    params = Params(timeout=0.1, threads=1, switches=Switches(labelled="eliminate"))
    started = time.perf_counter()
    assert cpu.count(query, params).stopped_by == "timeout"
    assert time.perf_counter() - started < 3


def test_what_relations_are_made_of_is_not_kept() -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], edge_labels=["x", "y", "x"], directed=True)
    assert cpu.count(make_query(graph, "(a)-[:x]->(b)")).count == 2
    kept = [r.fit for r in layout_of(graph)._relations if r.fit is not None]
    assert kept and not any("edges" in fit.__dict__ for fit in kept)
