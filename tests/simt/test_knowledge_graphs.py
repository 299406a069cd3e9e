"""Queries with cycles on real edge-labelled graphs: every schedule that takes them, and `levels` with every switch and
storage in both orders, against the CPU engine."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from bench.gpu.joins import GRAPHS, STORES, SWITCHES, TABLES
from levels_cases import wishes
from shim import ShimMachine
from tests.data import load_graph

from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import Query, make_query
from subiso.queries import random_queries

MOST = 10_000
"""Embeddings of a query that the shim matches soon enough."""
ASKED = 3
BLOCKS = {"warps_per_block": 2, "blocks": 2}


@cache
def asked(name: str) -> tuple[tuple[Query, int], ...]:
    """The largest of some queries with a cycle, and their counts by plans on the CPU."""
    graph = load_graph(name)
    found: list[tuple[Query, int]] = []
    for pattern in random_queries(graph, 60, [3, 4, 5], edges="all", seed=2):
        if pattern.num_vertices <= len(pattern.edges) <= 20:
            query = make_query(graph, pattern, unique=False)
            outcome = cpu.count(query, Params(switches=Switches(labelled="plan"), timeout=2))
            if outcome.stopped_by is None and 1 < outcome.count <= MOST:
                found.append((query, outcome.count))
    assert len(found) >= ASKED
    return tuple(sorted(found, key=lambda each: -each[0].pattern.num_vertices)[:ASKED])


def check(name: str, ways: dict[str, tuple[str, Wishes]], params: Params = Params()) -> None:  # noqa: B008 (frozen)
    for query, expected in asked(name):
        for way, (schedule, wished) in ways.items():
            engine = CudaEngine(ShimMachine(), wished, schedule=schedule)
            assert engine.count(query, params).count == expected, (way, str(query.pattern))


@pytest.mark.parametrize("name", GRAPHS)
def test_every_schedule(name: str) -> None:
    small = replace(wishes(), blocks=2, warps_per_block=2)
    check(name, {schedule: (schedule, small) for schedule in ("fine", "stack", "levels", "pipeline")})


@pytest.mark.parametrize("order", TABLES)
@pytest.mark.parametrize("name", GRAPHS)
def test_every_switch_of_levels(name: str, order: str) -> None:
    ways = {way: ("levels", Wishes(levels=replace(switch, **BLOCKS))) for way, switch in SWITCHES.items()}
    check(name, ways, TABLES[order])


@pytest.mark.parametrize("order", TABLES)
@pytest.mark.parametrize("name", GRAPHS)
def test_every_storage(name: str, order: str) -> None:
    levels = wishes().levels
    check(
        name, {way: ("levels", replace(store, levels=levels)) for way, store in STORES.items()}, TABLES[order]
    )
