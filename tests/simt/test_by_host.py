"""Counts that the host is done with much sooner: by cuts that kernels do not have."""

from __future__ import annotations

import numpy as np
import pytest
from shim import ShimMachine

import subiso as si
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import by_host
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import Query, make_query
from subiso.filter.resolve import resolve


@pytest.fixture
def query(monkeypatch: pytest.MonkeyPatch) -> Query:
    """6-cycles in a graph that is large enough for a cut, and a host quick enough for its size."""
    monkeypatch.setattr(by_host, "_HOST_SPEED", 1e10)
    rng = np.random.default_rng(0)
    return make_query(si.Graph.from_edges(*rng.integers(0, 300, (2, 6000))), si.Pattern.cycle(6))


def engine(*, host: bool = True) -> CudaEngine:
    return CudaEngine(ShimMachine("forward"), host=host)


def test_six_cycles_are_the_hosts(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    resolved = resolve(query)
    kernels = engine().formula(resolved)
    assert engine().on_host(resolved, kernels) is None, "too little to look for another way"
    monkeypatch.setattr(by_host, "LEAST_COST", 1e6)
    formula = engine().on_host(resolved, kernels)
    assert formula is not None and 5 * formula.cost < kernels.cost
    assert engine(host=False).on_host(resolved, kernels) is None
    counting = engine()
    assert counting.count(query).count == cpu.count(query).count
    assert counting.last is None, "no kernel ran"


def test_kernels_count_what_they_are_as_quick_with(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_host, "LEAST_COST", 0.0)
    plain = Params(threads=1, switches=Switches(decompose="never"))
    resolved = resolve(query)
    assert engine().on_host(resolved, engine().formula(resolved, plain), plain) is None


def test_explain_says_so(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_host, "LEAST_COST", 1e6)
    told = str(si.explain(query.graph, query.pattern, device="cuda"))
    assert "the host counts: kernels have no such cuts" in told
    assert "by cut at a, d" in told and "or by kernels (~" in told
