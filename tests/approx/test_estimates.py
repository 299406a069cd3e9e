"""`count(approx=...)`: intervals that hold what they promise, the same for a seed, exact where that is cheaper."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import subiso as si
from subiso.engine import approximate
from subiso.engine.estimate import half_width, skewness, student_quantile
from subiso.errors import QueryError, UnsupportedError

FIVE_CYCLE, HOUSE, PRISM = (si.Pattern.named(name) for name in ("5cycle", "house", "prism"))


@cache
def skewed(scale: int = 9) -> si.Graph:
    return si.generators.rmat(scale=scale, edge_factor=8, seed=1)


@pytest.fixture
def no_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums over the graph count the small patterns of these tests sooner than walks could estimate them."""
    monkeypatch.setattr(approximate, "sums_way", lambda *_: None)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs are sampled too, by small blocks: quicker, and harder on the intervals."""
    monkeypatch.setattr(approximate, "_PLANNED", 1e9)
    monkeypatch.setattr(approximate, "_PLANNED_LOCAL", 1e9)
    monkeypatch.setattr(approximate, "_PLANNED_PIVOTED", 1e9)
    monkeypatch.setattr(approximate, "_WALKS", 32)


@pytest.mark.usefixtures("eager", "no_sums")
@pytest.mark.parametrize(
    ("pattern", "error"),
    [(FIVE_CYCLE, 0.03), (HOUSE, 0.05), (si.Pattern.clique(4), 0.05)],
    ids=["5cycle", "house", "K4"],
)
def test_intervals_cover_the_count(pattern: si.Pattern, error: float) -> None:
    graph, seeds = skewed(8), 300
    exact = si.count(graph, pattern)
    found = [si.count(graph, pattern, approx=error, seed=s, threads=1) for s in range(seeds)]
    assert not any(e.exact for e in found) and all(e.complete and e.error <= error for e in found)
    covered = sum(e.low <= exact <= e.high for e in found) / seeds
    assert 0.91 <= covered <= 0.985
    values = np.array([e.value for e in found])
    z = (values.mean() - exact) / (values.std(ddof=1) / math.sqrt(seeds))
    assert abs(z) < 3.5


@pytest.mark.usefixtures("no_sums")
def test_a_large_count_on_the_usual_settings() -> None:
    graph = skewed(11)
    estimate = si.count(graph, FIVE_CYCLE, approx=0.01, seed=4)
    exact = si.count(graph, FIVE_CYCLE)
    assert not estimate.exact and estimate.complete and 0 < estimate.error <= 0.01
    assert abs(estimate.value - exact) < 2 * estimate.error * exact
    assert estimate.samples > 0 and estimate.seconds > 0
    assert int(estimate) == round(estimate.value) and float(estimate) == estimate.value
    assert str(estimate) == f"{estimate.value:.3g} ± {100 * estimate.error:.2g}% (95%)"


@pytest.mark.usefixtures("eager")
@pytest.mark.usefixtures("no_sums")
def test_a_seed_gives_one_answer_for_any_number_of_threads() -> None:
    answers = [si.count(skewed(), HOUSE, approx=0.05, seed=3, threads=t) for t in (1, 2, 5)]
    assert len({(e.value, e.low, e.high, e.samples) for e in answers}) == 1
    assert si.count(skewed(), HOUSE, approx=0.05, seed=4).value != answers[0].value
    unseeded = [si.count(skewed(), HOUSE, approx=0.05) for _ in range(2)]
    assert unseeded[0].value != unseeded[1].value
    assert si.count(skewed(), HOUSE, approx=0.05, seed=unseeded[0].seed).value == unseeded[0].value


@pytest.mark.usefixtures("eager")
@pytest.mark.usefixtures("no_sums")
def test_more_confidence_takes_more_walks() -> None:
    sure = si.count(skewed(), HOUSE, approx=0.01, seed=1, confidence=0.999)
    usual = si.count(skewed(), HOUSE, approx=0.01, seed=1)
    assert sure.samples > 1.5 * usual.samples and max(sure.error, usual.error) <= 0.01
    assert str(sure).endswith("(99.9%)")


@pytest.mark.parametrize("pattern", ["(a)--(b)", "(a)", si.Pattern.star(4), "(a)--(b)--(c)--(a)", FIVE_CYCLE])
def test_what_is_cheap_is_counted(pattern: Any) -> None:
    graph = skewed()
    estimate = si.count(graph, pattern, approx=0.01)
    exact = si.count(graph, pattern)
    assert estimate.exact and estimate.value == exact and isinstance(estimate.value, int)
    assert (estimate.low, estimate.high, estimate.error, estimate.samples) == (exact, exact, 0, 0)
    assert str(estimate) == f"{exact} (exact)"


def test_none_is_known_to_be_none() -> None:
    labelled = si.Graph.from_edges([0, 1], [1, 2], vertex_labels=["A", "B", "A"])
    none = si.count(labelled, "(a:C)--(b)", approx=0.1, seed=1)
    assert (none.value, none.exact, none.seed) == (0, True, 1)
    bipartite = si.generators.complete_bipartite(60, 60)
    none = si.count(bipartite, FIVE_CYCLE, approx=0.1)
    assert none.exact and none.value == 0


@pytest.mark.parametrize("factor", [1.0, 30.0])
def test_rare_patterns_are_counted(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    """One clique in a graph without others: no pilot can see enough, however dear counting is thought to be."""
    for name in ("_PLANNED", "_PLANNED_LOCAL"):
        monkeypatch.setattr(approximate, name, factor * getattr(approximate, name))
    graph = si.generators.planted_cliques(4000, 40_000, size=7, copies=1, seed=2)
    pattern = si.Pattern.clique(7)
    estimate = si.count(graph, pattern, approx=0.05, seed=1)
    assert estimate.low <= si.count(graph, pattern) <= estimate.high
    assert estimate.exact or estimate.samples > 0


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("mode", ["monomorphism", "induced", "homomorphism", "edge-isomorphism"])
def test_labels_directions_masks_and_anti_edges(mode: str) -> None:
    chance = np.random.default_rng(5)
    n, m = 300, 6000
    graph = si.Graph.from_edges(
        *chance.integers(0, n, (2, m)),
        num_vertices=n,
        directed=True,
        vertex_labels=chance.choice(["A", "B"], n),
        edge_labels=chance.choice(["X", "Y"], m),
        vertex_columns={"age": chance.integers(0, 90, n)},
    )
    pattern = si.Pattern(
        "(a:A)-[:X]->(b), (b)-->(c), (a)-->(d:A|B), (d)--(c), !(b)-->(d) WHERE a.age < b.age"
    ).where(c=chance.random(n) < 0.8)
    exact = si.count(graph, pattern, mode=mode)
    estimate = si.count(graph, pattern, mode=mode, approx=0.05, seed=2)
    assert exact > 0 and not estimate.exact and estimate.low <= exact <= estimate.high


@pytest.mark.usefixtures("eager")
def test_lists_of_patterns_and_of_anchors() -> None:
    graph = skewed()
    hub = int(np.argmax(graph.degree()))
    one, two = si.count(graph, [FIVE_CYCLE, HOUSE], approx=0.05, seed=1)
    assert one.value == si.count(graph, FIVE_CYCLE, approx=0.05, seed=1).value
    assert two.value == si.count(graph, HOUSE, approx=0.05, seed=two.seed).value
    name = HOUSE.names[0]
    rows = si.count(graph, HOUSE, anchor={name: [hub, hub]}, approx=0.05, seed=1)
    exact = si.count(graph, HOUSE, anchor={name: hub})
    assert len(rows) == 2 and all(abs(e.value - exact) < 0.15 * exact for e in rows)


def test_a_timeout_gives_what_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = skewed(11)
    counted = si.count(
        graph, PRISM, approx=1e-6, seed=1, timeout=1.0
    )  # would be counted exactly, which takes longer
    monkeypatch.setattr(approximate, "_PLANNED", 1e9)
    walked = si.count(graph, PRISM, approx=1e-4, seed=1, timeout=1.0)
    for estimate in (counted, walked):
        assert estimate.stopped_by == "timeout" and not estimate.complete and not estimate.exact
        assert 1e-4 < estimate.error < 0.2 and estimate.low < estimate.value < estimate.high
        assert "stopped by timeout" in str(estimate)
    assert walked.samples > counted.samples
    assert abs(walked.value - counted.value) < 3 * counted.error * counted.value


def test_no_time_at_all() -> None:
    with pytest.raises(si.TimeoutReached, match="no estimate"):
        si.count(skewed(11), PRISM, approx=0.01, timeout=0)


@pytest.mark.usefixtures("eager")
def test_progress_is_told() -> None:
    told: list[float] = []
    si.count(skewed(), PRISM, approx=0.05, seed=1, progress=told.append)
    assert told and told == sorted(told) and 0 <= told[0] <= told[-1] <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"approx": 0}, "approx is 0; it must be a relative error between 0 and 1"),
        ({"approx": 1.0}, "approx is 1.0"),
        ({"approx": True}, "approx is True"),
        ({"approx": "1%"}, "approx is '1%'"),
        ({"approx": math.nan}, "approx is nan"),
        ({"approx": 0.1, "confidence": 1}, "confidence is 1; it must be between 0 and 1"),
        ({"approx": 0.1, "seed": -1}, "seed is -1; it must be a whole number from 0"),
        ({"approx": 0.1, "seed": 1.5}, "seed is 1.5"),
        ({"seed": 1}, "seed= is for estimates"),
        ({"confidence": 0.95}, "confidence= is for estimates"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        si.count(skewed(), FIVE_CYCLE, **options)


def test_estimates_are_the_cpu_engine_s() -> None:
    with pytest.raises(UnsupportedError, match='approx= with engine="reference"'):
        si.count(skewed(), FIVE_CYCLE, approx=0.1, engine="reference")


def test_student_quantiles_against_known_ones() -> None:
    table = {(0.975, 10): 2.228139, (0.975, 39): 2.022691, (0.995, 30): 2.749996, (0.9, 20): 1.325341}
    for (p, freedom), expected in table.items():
        assert student_quantile(p, freedom) == pytest.approx(expected, abs=2e-4)


def test_intervals_and_skewness_by_hand() -> None:
    assert half_width(np.array([3.0]), 0.95) == math.inf
    assert half_width(np.array([3.0, 3.0, 3.0]), 0.95) == 0
    assert skewness(np.array([1.0, 1.0])) == 0 and skewness(np.array([0.0, 1.0])) == 0
    assert skewness(np.array([0.0, 0.0, 3.0])) == pytest.approx(0.70710678)
