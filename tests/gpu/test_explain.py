"""What explain says of a real device is what its engine does there."""

from __future__ import annotations

import re

import pytest
from levels_cases import steps_told

import subiso as si
from subiso.engine.cuda.by_sums import SumsReport
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve

GRAPH = si.generators.rmat(13, 16, seed=1)
PATTERNS = {
    "house": si.Pattern.house(),
    "5-cycle": si.Pattern.cycle(5),
    "4-cycle": si.Pattern.cycle(4),
    "path": si.Pattern.path(5),
    "6-clique": si.Pattern.clique(6),
}


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_as_the_engine_does(pattern: si.Pattern) -> None:
    engine, query = CudaEngine(open_device()), make_query(GRAPH, pattern)
    told = si.explain(GRAPH, pattern, device="cuda")
    assert "as there is no device here" not in told.device.lines[0]
    assert engine.count(query).count == si.count(GRAPH, pattern, device="cpu")
    resolved = resolve(query)
    if isinstance(engine.last, SumsReport):
        assert tuple(re.findall(r"^  pass (\w+): ", str(told), re.MULTILINE)) == engine.last.passes
    else:
        formula = engine.formula(resolved)
        assert told.device.formula == formula
        chosen = [engine.choose(term.plan, resolved).schedule for term in formula.terms]
        assert [said.split()[1].rstrip(":") for said in told.device.schedules] == chosen


def test_a_list() -> None:
    text = str(si.explain(GRAPH, list(PATTERNS.values()), device="cuda"))
    assert text.startswith("set       5 patterns: 2 share passes over the graph, 3 run alone\n")


@pytest.mark.parametrize("name", ["4-cycle", "house"])
def test_levels_as_told(name: str) -> None:
    graph = si.generators.rmat(9, 8, seed=1)
    said = si.explain(graph, PATTERNS[name], device="cuda", schedule="levels").device.schedules[-1]
    engine = CudaEngine(open_device(), schedule="levels")
    engine.count(make_query(graph, PATTERNS[name]))
    assert isinstance(engine.last, LevelsReport)
    assert steps_told(said) == engine.last.stages
    assert ("the whole graph on the device" in said) != engine.last.partitioned
