"""Local counts in the native engine: every way to sum them gives the same, wrong code is refused, and none crashes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from tests.native.programs import Lowered, lowered

from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.tally import Role, role_of_link

RNG = np.random.default_rng(6)
GRAPH = Graph.from_edges(
    *RNG.integers(0, 60, (2, 700)), num_vertices=60, vertex_labels=RNG.choice(["A", "B"], 60)
)
PROGRAMS = {
    "deferred": lowered(make_query(GRAPH, Pattern.path(4))),
    "marked": lowered(make_query(GRAPH, Pattern.clique(3))),
    "fixed and general": lowered(make_query(GRAPH, Pattern.house())),
    "matched roles for the tail's": lowered(make_query(GRAPH, Pattern.cycle(4))),
    "pivots": lowered(make_query(GRAPH, Pattern.clique(5))),
    "bit rows": lowered(make_query(GRAPH, Pattern.wheel(4))),
    "labels": lowered(make_query(GRAPH, "(a:A)--(b:B)--(c:A)--(d)--(a)")),
}


def groups(program: Lowered) -> list[list[Role]]:
    """All vertices, and all edges."""
    problem = program.resolved.problem
    return [list(range(problem.num_vertices)), [role_of_link(link) for link in problem.links]]


def columns(program: Lowered, code: Any, **changes: Any) -> list[tuple[Any, Any]]:
    run = program.run(tally=code, **changes)
    run.start()
    assert run.wait(60)
    found: list[tuple[Any, Any]] = run.finish_tally()
    assert not run.failed()
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_and_shared_arrays(name: str) -> None:
    """Workers that share an array add atomically; the sums are those of one worker."""
    program = PROGRAMS[name]
    code = program.tally(groups(program))
    alone = [low.tolist() for low, _ in columns(program, code)]
    assert any(map(any, alone))
    for budget in (0, 1 << 30):
        shared = columns(program, code, threads=4, tally_budget=budget)
        assert [low.tolist() for low, _ in shared] == alone


@pytest.mark.parametrize("name", [name for name, p in PROGRAMS.items() if p.plan.local is None])
@pytest.mark.parametrize("budget", [0, 1 << 30])
def test_wide_sums(name: str, budget: int) -> None:
    program = PROGRAMS[name]
    narrow = columns(program, program.tally(groups(program)))
    wide = columns(program, program.tally(groups(program), wide=True), threads=3, tally_budget=budget)
    for (low, none), (wide_low, high) in zip(narrow, wide, strict=True):
        assert none is None
        assert wide_low.tolist() == low.tolist() and not high.any()


def test_a_run_without_a_tally_has_none() -> None:
    run = PROGRAMS["marked"].run()
    with pytest.raises(ValueError, match="no tally"):
        run.finish_tally()


@pytest.mark.parametrize("name", PROGRAMS)
def test_truncated_code(name: str) -> None:
    program = PROGRAMS[name]
    code = program.tally(groups(program))
    for length in range(len(code)):
        with pytest.raises(ValueError, match="malformed program"):
            program.run(tally=code[:length].copy())
    with pytest.raises(ValueError, match="trailing words"):
        program.run(tally=np.append(code, 0))


@settings(max_examples=60)
@given(name=st.sampled_from(sorted(PROGRAMS)), seed=st.integers(0, 2**32 - 1))
def test_mutated_code_is_refused_or_runs(name: str, seed: int) -> None:
    """Sums may then be nonsense, but nothing is read or written that is not there."""
    program, chance = PROGRAMS[name], random.Random(seed)
    code = program.tally(groups(program))
    for _ in range(chance.choice([1, 1, 2, 5])):
        code[chance.randrange(len(code))] = chance.choice([-1, 0, 1, 2, 3, 4, 7, 64, 2**40, -(2**62)])
    note(repr(code.tolist()))
    try:
        run = program.run(tally=code, threads=2)
    except ValueError:
        return
    run.start()
    assert run.wait(60)
    run.finish_tally()
