"""Each counting technique switched on alone, and all together, through the shim, against the reference engine."""

from __future__ import annotations

import pytest
from shim import ShimMachine
from tests.property.techniques import ALONE, EACH, KINDS, MODES, family

from subiso.engine import reference
from subiso.engine.cuda import by_sums
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.engine.several import count_several
from subiso.pattern import Pattern

HOST_ONLY = {"failing_sets", "twins", "setops", "labelled"}
"""Switches of the native core, which no kernel asks about."""
WAYS = [name for name in EACH if name.split("=")[0] not in HOST_ONLY]


def shim_engine(seed: int, schedule: str = "auto") -> CudaEngine:
    machine = ShimMachine(("forward", "reverse", "random")[seed % 3], seed=seed)
    return CudaEngine(machine, Wishes(fixed=False, blocks=2, warps_per_block=2), schedule=schedule)


@pytest.mark.parametrize("way", WAYS)
def test_equal_to_the_reference(way: str) -> None:
    """By schedule `fine`, whose kernels need not be compiled for every plan."""
    for seed, kind in enumerate(KINDS):
        mode = MODES[seed % 2]
        asked = family(kind, mode, 9, vertices=8, patterns=3)
        engine = shim_engine(seed + len(way), "fine")
        found = tuple(engine.count(query, EACH[way]).count for query in asked.queries)
        assert found == asked.counts, (kind, mode)


@pytest.mark.parametrize("way", ["local=True", "codegrees=True", "sums=True"])
def test_schedules_of_their_own(way: str) -> None:
    """The techniques that `fine` has no kernels for, on the patterns that they are for."""
    engine, graph = (
        shim_engine(1),
        family("undirected", "monomorphism", 9, vertices=8, patterns=3).queries[0].graph,
    )
    for pattern in (Pattern.clique(3), Pattern.diamond(), Pattern.cycle(4)):
        query = make_query(graph, pattern)
        assert engine.count(query, EACH[way]).count == reference.count(query).count > 0


@pytest.mark.parametrize("way", ["sums=True", "merge=always"])
def test_lists(way: str) -> None:
    asked = family("undirected", "monomorphism", 9, vertices=8, patterns=3)
    assert tuple(count_several(list(asked.queries), shim_engine(1), EACH[way])) == asked.counts


def test_sums_alone_are_used() -> None:
    query = make_query(
        family("undirected", "monomorphism", 9, vertices=8).queries[0].graph, Pattern.clique(3)
    )
    alone = next(technique for technique in ALONE if technique.switch == "sums")
    engine = shim_engine(0)
    with_sums = engine.count(query, alone.params).count
    assert isinstance(engine.last, by_sums.SumsReport)
    assert engine.count(query, alone.without).count == with_sums > 0
    assert not isinstance(engine.last, by_sums.SumsReport)
