"""Cuts with several parts on a device: parts counted at every vertex or edge of the cut, multiplied."""

from __future__ import annotations

import random

import numpy as np
import pytest
from part_cases import BOWTIE, CUTTING, PATTERNS, random_graph
from shim import ShimMachine

import subiso as si
from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import by_parts
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """On graphs this small nothing is worth a cut."""
    monkeypatch.setattr(by_parts, "LEAST_COST", 0.0)
    monkeypatch.setattr(by_parts, "GAIN", 0.0)


def shim_engine(order: str = "forward", **options: object) -> CudaEngine:
    return CudaEngine(ShimMachine(order, seed=1, **options), Wishes(fixed=False, blocks=2, warps_per_block=2))  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_equal_to_the_reference(pattern: si.Pattern, order: str) -> None:
    query = make_query(random_graph(3 if order == "random" else 1), pattern)
    assert shim_engine(order).count(query, CUTTING).count == reference.count(query).count


@pytest.mark.parametrize("mode", ["homomorphism", "monomorphism"])
@pytest.mark.parametrize("name", ["bowtie", "path", "triangle with a path", "barbell", "two squares"])
def test_parts_are_multiplied(name: str, mode: str) -> None:
    query = make_query(random_graph(2), PATTERNS[name], mode=mode, unique=False)  # type: ignore[arg-type]
    engine, resolved = shim_engine(), resolve(query)
    formula = engine.parted(resolved, engine.formula(resolved, CUTTING), CUTTING)
    assert formula is not None and any(term.plan.parts for term in formula.terms)
    assert engine.count(query, CUTTING).count == reference.count(query).count


@pytest.mark.parametrize("seed", range(6))
def test_random_patterns(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees with some more edges; also without parts, whose tables of codegrees hold some vertices only."""
    rng = random.Random(seed)
    for _ in range(4):
        k = rng.randint(4, 6)
        edges = {(rng.randrange(i), i) for i in range(1, k)}
        edges |= {tuple(sorted(rng.sample(range(k), 2))) for _ in range(rng.randrange(3))}
        query = make_query(random_graph(rng.randrange(1000)), si.Pattern.from_edges(sorted(edges)))
        for parted in (True, False):
            monkeypatch.setattr(by_parts, "GAIN", 0.0 if parted else 1e18)
            assert shim_engine("random").count(query, CUTTING).count == si.count(query.graph, query.pattern)


@pytest.mark.parametrize("mode", ["homomorphism", "monomorphism"])
@pytest.mark.parametrize(
    "text", ["(a:B)--(b:A), (a)--(c), (b)--(d), (c)--(d)", "(a:A)--(b)--(c)--(d:B)--(e)--(c)"]
)
def test_candidate_graphs(text: str, mode: str) -> None:
    """Where every vertex has candidates, plans have no tables of codegrees."""
    switches = Switches(decompose="always", sums=False, candidate_graph="always", labelled="plan")
    for seed in range(4):
        query = make_query(random_graph(2 * seed), si.Pattern(text), mode=mode)  # type: ignore[arg-type]
        found = shim_engine("random").count(query, Params(switches=switches))
        assert found.count == reference.count(query).count


def test_too_large_for_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then by a formula without parts."""
    query = make_query(random_graph(2), BOWTIE)

    def too_large(*_: object) -> int:
        raise by_parts.TooLarge

    monkeypatch.setattr(by_parts.PartsRun, "count", too_large)
    assert shim_engine().count(query, CUTTING).count == reference.count(query).count


def test_exact_sums() -> None:
    rng = np.random.default_rng(0)
    for bits in (20, 31, 40, 62):
        columns = [rng.integers(0, 2**bits, 100, np.uint64) for _ in range(3)]
        wanted = sum(int(a) * int(b) * int(c) for a, b, c in zip(*columns, strict=True))
        assert by_parts.sum_of_products(columns) == wanted
    assert by_parts.sum_of_products([np.zeros(0, np.uint64)] * 2) == 0


def test_a_stop_and_no_cut() -> None:
    query = make_query(random_graph(2), BOWTIE)
    stopped = shim_engine().count(query, Params(timeout=0.0, switches=CUTTING.switches))
    assert stopped.stopped_by == "timeout" and stopped.count == 0
    engine, resolved = shim_engine(), resolve(query)
    never = Params(switches=Switches(decompose="never"))
    assert engine.parted(resolved, engine.formula(resolved, never), never) is None


def test_explain_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_parts, "GAIN", 1.0)
    rng = np.random.default_rng(1)
    graph = si.Graph.from_edges(*rng.integers(0, 3000, (2, 60_000)))
    told = str(si.explain(graph, PATTERNS["triangle with a path"], device="cuda"))
    assert "schedule stack: counts every part at every vertex or edge of the cut, and multiplies" in told
