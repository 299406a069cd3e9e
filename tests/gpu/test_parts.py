"""Cuts on a device: parts counted at every vertex or edge of the cut, and codegree tables beside them."""

from __future__ import annotations

import pytest
from part_cases import CUTTING, PATTERNS, random_graph

import subiso as si
from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import by_parts
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import make_query


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """On graphs this small nothing is worth a cut."""
    monkeypatch.setattr(by_parts, "LEAST_COST", 0.0)
    monkeypatch.setattr(by_parts, "GAIN", 0.0)


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_equal_to_the_reference(pattern: si.Pattern) -> None:
    for seed in (1, 3):
        query = make_query(random_graph(seed), pattern)
        assert CudaEngine(open_device()).count(query, CUTTING).count == reference.count(query).count


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
@pytest.mark.parametrize("parted", [True, False])
def test_equal_to_the_host(pattern: si.Pattern, parted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """On graphs that keep many warps busy; without parts these patterns are cut by codegree tables."""
    monkeypatch.setattr(by_parts, "GAIN", 0.0 if parted else 1e18)
    for seed in (5, 7):
        query = make_query(random_graph(seed, 2000, 12_000), pattern)
        assert CudaEngine(open_device()).count(query, CUTTING).count == si.count(query.graph, pattern)


def test_candidate_graphs() -> None:
    switches = Switches(decompose="always", sums=False, candidate_graph="always", labelled="plan")
    query = make_query(random_graph(6, 500, 2500), PATTERNS["labelled"])
    assert CudaEngine(open_device()).count(query, Params(switches=switches)).count == si.count(
        query.graph, query.pattern
    )
