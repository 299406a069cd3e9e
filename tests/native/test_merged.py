"""Several plans in one search: what they share, how work is handed over, what happens when it stops."""

from __future__ import annotations

import time

import numpy as np
import pytest
from tests.native.programs import Lowered, lowered_together
from tests.native.test_running import PROMPT, complete, hub_graph

import subiso as si
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.query import Query, make_query
from subiso.engine.together import count_together
from subiso.errors import Cancelled, CountOverflowError, TimeoutReached
from subiso.graph import Graph
from subiso.pattern import Pattern

ALWAYS = Switches(merge="always", decompose="never", labelled="plan")
TREES = [
    Pattern.path(4),
    Pattern.path(5),
    Pattern.star(3),
    Pattern.star(4),
    Pattern.cycle(4),
    Pattern.cycle(5),
]
HUBS = [
    Pattern.wheel(4),
    Pattern.wheel(5),
    Pattern.gem(),
    Pattern.clique(4),
    Pattern.clique(5),
    Pattern.diamond(),
]


def ask(graph: Graph, patterns: list[Pattern], **options: object) -> list[Query]:
    return [make_query(graph, pattern, **options) for pattern in patterns]


def alone(queries: list[Query]) -> list[int]:
    return [cpu.count(query, Params(switches=Switches(merge="never"))).count for query in queries]


def together(queries: list[Query], params: Params) -> list[int]:
    found: dict[int, int] = {}
    count_together(queries, params, found.__setitem__)
    return [found[i] for i in range(len(queries))]


def merged(programs: list[Lowered]) -> Lowered:
    return max(programs, key=lambda program: len(program.plans))


@pytest.mark.parametrize("patterns", [TREES, HUBS], ids=["lists", "bit rows"])
@pytest.mark.parametrize("induced", [False, True])
def test_any_number_of_threads_counts_the_same(patterns: list[Pattern], induced: bool) -> None:
    """Nearly all the work is below one seed, so it is handed over in the middle of shared loops."""
    queries = ask(hub_graph(60), patterns, induced=induced)
    expected = alone(queries)
    for threads in (1, 2, 5):
        for tail in (0, 1, 99):
            switches = Switches(merge="always", decompose="never", expand="never", max_tail=tail)
            assert together(queries, Params(threads=threads, switches=switches)) == expected


@pytest.mark.parametrize("steps", range(6))
def test_work_that_is_handed_over_is_counted_once(steps: int) -> None:
    """Graphs around the size at which the calling thread gives up and leaves the rest to others."""
    n = 14 + 3 * steps
    rng = np.random.default_rng(steps)
    graph = Graph.from_edges(*rng.integers(0, n, (2, 5 * n)), num_vertices=n)
    for patterns in (TREES, HUBS):
        queries = ask(graph, patterns)
        for tail in (0, 99):
            switches = Switches(merge="always", decompose="never", max_tail=tail)
            assert together(queries, Params(threads=3, switches=switches)) == alone(queries)


def test_plans_with_one_beginning_are_one_program() -> None:
    graph = hub_graph(60)
    programs = lowered_together(ask(graph, TREES), decompose="never")
    shared = merged(programs)
    assert len(shared.plans) >= 3
    counts = {
        plan: count
        for program in programs
        for plan, count in zip(program.plans, program.counts(), strict=True)
    }
    assert sorted(counts.values()) == sorted(alone(ask(graph, TREES)))


def test_bit_rows_are_shared() -> None:
    graph = complete(12)
    shared = merged(lowered_together(ask(graph, [Pattern.wheel(4), Pattern.gem(), Pattern.wheel(5)])))
    assert len(shared.plans) > 1 and all(plan.local for plan in shared.plans)
    names = {plan.names: plan for plan in shared.plans}
    assert len(names) > 0 and all(count > 0 for count in shared.counts())


def test_neighborhoods_too_large_for_bit_rows() -> None:
    m = 8200
    ring = np.arange(1, m + 1)
    src = np.concatenate([np.zeros(m, np.int64), ring])
    g = Graph.from_edges(src, np.concatenate([ring, np.roll(ring, -1)]), num_vertices=m + 1)
    queries = ask(g, [Pattern.gem(), Pattern.wheel(5), Pattern.wheel(4)])
    assert together(queries, Params(switches=ALWAYS)) == [m, 0, 0]


def test_one_that_overflows_is_an_error() -> None:
    m = 2_000_000
    star = Graph.from_edges(np.zeros(m, np.int64), np.arange(1, m + 1), num_vertices=m + 1)
    queries = ask(star, [Pattern.star(3), Pattern.star(7)], mode="homomorphism")
    with pytest.raises(CountOverflowError, match="128-bit"):
        together(queries, Params(switches=ALWAYS))


@pytest.mark.parametrize("threads", [1, 3])
def test_a_timeout_stops_all_of_them(threads: int) -> None:
    queries = ask(complete(400), [Pattern.path(6), Pattern.cycle(6), Pattern.path(3)])
    start = time.perf_counter()
    found: dict[int, int] = {}
    with pytest.raises(TimeoutReached):
        count_together(queries, Params(timeout=0.3, threads=threads, switches=ALWAYS), found.__setitem__)
    assert time.perf_counter() - start < PROMPT
    assert found == {2: 400 * 399 * 398 // 2}


def test_a_poll_cancels_all_of_them() -> None:
    """What was finished before is noted, parts of counts are not."""
    queries = ask(complete(400), [Pattern.path(6), Pattern.cycle(6), Pattern.path(3)])
    found: dict[int, int] = {}
    asked: list[bool] = []
    poll = lambda: bool(asked.append(True)) or len(asked) > 3  # noqa: E731
    with pytest.raises(Cancelled, match="cancelled"):
        count_together(queries, Params(poll=poll, switches=ALWAYS), found.__setitem__)
    assert found == {2: 400 * 399 * 398 // 2}


def test_progress_goes_up_to_the_end() -> None:
    seen: list[float] = []
    queries = ask(hub_graph(1500), TREES)
    together(queries, Params(progress=seen.append, switches=ALWAYS))
    assert seen == sorted(seen) and all(0 <= x <= 1 for x in seen)


def test_finished_patterns_are_told_of() -> None:
    """Patterns of one search are finished together; what was finished before it is told."""
    graph = complete(1500)
    patterns = [Pattern.path(6), Pattern.path(3), Pattern.cycle(6)]
    with pytest.raises(TimeoutReached) as caught:
        si.count(graph, patterns, timeout=1.0, threads=1)
    assert caught.value.done == [] and caught.value.finished == {1: 1500 * 1499 * 1498 // 2}
