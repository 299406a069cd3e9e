"""Each counting technique switched on alone, and all together, through the shim, against the reference engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from shim import ShimMachine
from tests.property.techniques import ALONE, EACH, KINDS, MODES, Technique, family

from subiso.engine import reference
from subiso.engine.base import Params
from subiso.engine.cuda.by_sums import SumsReport
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.local import LocalReport
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import Query, make_query
from subiso.engine.several import count_several
from subiso.filter.resolve import resolve
from subiso.pattern import Pattern

HOST_ONLY = {"failing_sets", "twins", "setops", "labelled"}
"""Switches of the native core, which no kernel asks about."""
WAYS = [name for name in EACH if name.split("=")[0] not in HOST_ONLY]

FAMILIES = {kind: family(kind, MODES[i % 2], 0, vertices=10, patterns=4) for i, kind in enumerate(KINDS)}


def by_tables(engine: CudaEngine, query: Query, params: Params) -> bool:
    return any(term.plan.codegrees for term in engine.formula(resolve(query, ()), params).terms)


Used = Callable[[CudaEngine, Query, Params], bool]
USES: dict[str, tuple[tuple[Pattern, ...], Used]] = {
    "local": (
        (Pattern.clique(3), Pattern.diamond()),
        lambda engine, *_: isinstance(engine.last, LocalReport),
    ),
    "sums": ((Pattern.clique(3), Pattern.diamond()), lambda engine, *_: isinstance(engine.last, SumsReport)),
    "codegrees": ((Pattern.cycle(4), Pattern.cycle(5)), by_tables),
}
"""By switch: patterns that it is used for, and whether the last count did."""


def shim_engine(seed: int, schedule: str = "auto") -> CudaEngine:
    machine = ShimMachine(("forward", "reverse", "random")[seed % 3], seed=seed)
    return CudaEngine(machine, Wishes(fixed=False, blocks=2, warps_per_block=2), schedule=schedule)


@pytest.mark.parametrize("way", WAYS)
def test_equal_to_the_reference(way: str) -> None:
    """By schedule `fine`, whose kernels need not be compiled for every plan."""
    for seed, (kind, asked) in enumerate(FAMILIES.items()):
        engine = shim_engine(seed + len(way), "fine")
        found = tuple(engine.count(query, EACH[way]).count for query in asked.queries)
        assert found == asked.counts, kind


@pytest.mark.parametrize("technique", [t for t in ALONE if t.switch in USES], ids=lambda t: t.name)
def test_schedules_of_their_own(technique: Technique) -> None:
    """The techniques that `fine` has no kernels for, on their patterns: used when they are on, and only then."""
    engine, graph = shim_engine(1), FAMILIES["undirected"].queries[0].graph
    patterns, used = USES[technique.switch]
    for pattern in patterns:
        query = make_query(graph, pattern)
        expected = reference.count(query).count
        for params, on in ((technique.params, True), (technique.without, False)):
            assert engine.count(query, params).count == expected > 0
            assert used(engine, query, params) == on, pattern


@pytest.mark.parametrize("way", ["sums=True", "merge=always"])
def test_lists(way: str) -> None:
    asked = FAMILIES["undirected"]
    assert tuple(count_several(list(asked.queries), shim_engine(1), EACH[way])) == asked.counts
