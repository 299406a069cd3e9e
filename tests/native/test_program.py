"""The reader of programs: what it refuses, and that no mutation of a program crashes the engine."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from tests.native.programs import Lowered, lowered, lowered_cut, lowered_together

from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

RNG = np.random.default_rng(5)
N = 40


def data(directed: bool) -> Graph:
    src, dst = RNG.integers(0, N, (2, 260))
    return Graph.from_edges(
        src,
        dst,
        num_vertices=N,
        directed=directed,
        vertex_labels=RNG.choice(["A", "B"], N),
        edge_labels=RNG.choice(["X", "Y"], 260),
        vertex_columns={"t": RNG.integers(0, 5, N)},
    )


UNDIRECTED, DIRECTED = data(False), data(True)
PROGRAMS = {
    "triangle": lowered(make_query(UNDIRECTED, Pattern.clique(3))),
    "K5 on bit rows": lowered(make_query(UNDIRECTED, Pattern.clique(5))),
    "wheel on bit rows": lowered(make_query(UNDIRECTED, Pattern.wheel(4))),
    "labels": lowered(make_query(UNDIRECTED, "(a:A)--(b:B)--(c:A)--(d)--(a)")),
    "star": lowered(make_query(UNDIRECTED, Pattern.star(4))),
    "induced": lowered(make_query(UNDIRECTED, Pattern.path(4), induced=True)),
    "columns": lowered(make_query(DIRECTED, Pattern("(a)-->(b)-->(c)").where("a.t < b.t", "b.t <= c.t"))),
    "4-cycle by codegrees": lowered_cut(make_query(UNDIRECTED, Pattern.cycle(4))),
    "5-cycle by a cut": lowered_cut(make_query(UNDIRECTED, Pattern.cycle(5))),
    "house by a cut": lowered_cut(make_query(UNDIRECTED, Pattern.house())),
    "labelled path by a cut": lowered_cut(make_query(UNDIRECTED, "(a:A)--(b:B)--(c:A)--(d)--(e:B)--(f)")),
    "prism by a cut": lowered_cut(
        make_query(
            UNDIRECTED,
            Pattern.from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)]),
        )
    ),
    "four plans": max(
        lowered_together(
            [
                make_query(UNDIRECTED, p)
                for p in (Pattern.path(4), Pattern.diamond(), Pattern.cycle(4), Pattern.path(5))
            ],
            decompose="never",
        ),
        key=lambda program: len(program.plans),
    ),
    "plans on bit rows": max(
        lowered_together(
            [make_query(UNDIRECTED, p) for p in (Pattern.wheel(4), Pattern.gem(), Pattern.wheel(5))]
        ),
        key=lambda program: len(program.plans),
    ),
    "emit": lowered(make_query(UNDIRECTED, Pattern.cycle(4)), counting=False),
    "edges": lowered(
        make_query(DIRECTED, "(a)-[:X]->(b)-[:X]->(c)", mode="edge-isomorphism"), counting=False
    ),
}


def run_to_the_end(program: Lowered, code: np.ndarray) -> None:
    run = program.run(np.ascontiguousarray(code, np.int64))
    try:
        run.start()
        for _ in range(20):
            if run.wait(0.005):
                break
            run.next_batch(0)
    finally:
        run.close()


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_themselves_run(name: str) -> None:
    run_to_the_end(PROGRAMS[name], PROGRAMS[name].code)


def test_some_are_searched_on_bit_rows() -> None:
    assert PROGRAMS["K5 on bit rows"].plan.local and PROGRAMS["wheel on bit rows"].plan.local


def test_some_have_parts_and_codegrees() -> None:
    plans = [
        PROGRAMS[f"{name} by {way}"].plan for name, way in (("4-cycle", "codegrees"), ("5-cycle", "a cut"))
    ]
    assert [len(plan.codegrees) for plan in plans] == [1, 1]
    assert [len(plan.parts) for plan in plans] == [0, 1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_shorter_program_is_refused(name: str) -> None:
    program = PROGRAMS[name]
    for length in range(len(program.code)):
        with pytest.raises(ValueError, match="malformed program"):
            program.run(program.code[:length])
    with pytest.raises(ValueError, match="trailing words"):
        program.run(np.append(program.code, 0))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("value", [-(2**63), -2, 10**6, 2**63 - 1])
def test_no_index_out_of_range_is_read(name: str, value: int) -> None:
    """Every word but the coefficients of the tail is an index or a length."""
    program = PROGRAMS[name]
    refused = 0
    for at in range(len(program.code)):
        code = program.code.copy()
        code[at] = value
        try:
            run_to_the_end(program, code)
        except ValueError:
            refused += 1
    assert refused > len(program.code) * 0.8


@pytest.mark.parametrize("name", PROGRAMS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_mutations_are_refused_or_run(name: str, seed: int) -> None:
    program = PROGRAMS[name]
    chance = random.Random(seed)
    code = program.code.tolist()
    for _ in range(chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(code))
        kind = chance.random()
        if kind < 0.6:
            code[at] = chance.choice([-1, 0, 1, 2, 3, 4, 5, code[at] + 1, code[at] - 1, 63, 64])
        elif kind < 0.75:
            del code[at]
        elif kind < 0.9:
            code.insert(at, chance.randint(-1, 3))
        else:
            other = chance.randrange(len(code))
            code[at], code[other] = code[other], code[at]
    note(f"code = {code}")
    try:
        run_to_the_end(program, np.array(code or [0], np.int64))
    except ValueError as error:
        assert "malformed program" in str(error)


def test_arrays_that_do_not_fit() -> None:
    program = PROGRAMS["labels"]
    arguments = program.arguments
    bounds, neighbors = arguments["relations"][0]
    short = {
        "relations": [(bounds[:-1], neighbors)],
        "filters": [np.zeros(0, np.uint64) for _ in arguments["filters"]],
        "vertex_at": arguments["vertex_at"][1:],
        "batch_rows": 0,
    }
    for name, value in short.items():
        with pytest.raises(ValueError, match=r"fit|positive|malformed"):
            program.run(**{name: value})
    with pytest.raises(ValueError, match="relation does not fit"):
        program.run(relations=[(bounds, neighbors[:-1])])
    with pytest.raises(ValueError, match="positive"):
        program.run(threads=0)
    with pytest.raises(ValueError, match="no set operations"):
        program.run(setops="sse9")
