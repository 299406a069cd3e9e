"""count of several patterns: what is shared changes no answer, and is computed once."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import subiso as si
from subiso.engine import cpu, together
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.engine.several import count_several
from subiso.errors import Cancelled, CountOverflowError, TimeoutReached
from subiso.graph import generators as gen
from subiso.plan import merge
from subiso.result.local import count_all_per

FIVES = [si.Pattern.named(name) for name in ("house", "cycle5", "gem", "wheel4", "bowtie", "path5")]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The plans that the CPU engine runs."""
    found: list[Any] = []
    original = cpu.count_plans
    monkeypatch.setattr(
        cpu, "count_plans", lambda plans, *rest: found.extend(plans) or original(plans, *rest)
    )
    without_plan = cpu.count_candidates

    def noted(*arguments: Any) -> Any:
        answer = without_plan(*arguments)
        found.extend([answer] if answer is not None else [])
        return answer

    monkeypatch.setattr(cpu, "count_candidates", noted)
    return found


@pytest.mark.parametrize(
    "options", [{}, {"induced": True}, {"unique": False}, {"induced": True, "unique": False}]
)
def test_families_are_counted_together(options: dict[str, bool], runs: list[Any]) -> None:
    graph = gen.rmat(9, 8, seed=1)
    patterns = [*FIVES, "(x)--(y)--(z)--(x)", si.Pattern.clique(4)]
    together = si.count(graph, patterns, **options)
    assert len(runs) <= 4  # what is not of five vertices
    by_plans = Params(switches=Switches(sums=False))
    queries = [make_query(graph, p, **options) for p in patterns]
    assert together == [cpu.count(query, by_plans).count for query in queries]


@pytest.mark.parametrize("options", [{}, {"device": "cpu"}, {"engine": "cpu"}])
def test_lists_take_sums_as_single_patterns_do(options: dict[str, str], runs: list[Any]) -> None:
    graph = gen.rmat(9, 8, seed=1)
    few = [si.Pattern.clique(3), si.Pattern.cycle(4), si.Pattern.cycle(5), si.Pattern.house()]
    assert si.count(graph, few, **options) == [si.count(graph, p) for p in few]
    assert not runs
    alone = si.count(graph, si.Pattern.path(6))
    searches = len(runs)
    assert si.count(graph, [few[2], si.Pattern.path(6)], **options) == [si.count(graph, few[2]), alone]
    assert len(runs) == 2 * searches > 0


def test_small_work_is_planned_one_by_one(runs: list[Any]) -> None:
    graph = gen.path(50)
    assert si.count(graph, [si.Pattern.star(6), si.Pattern.path(6)]) == [0, 45]
    assert len(runs) == 2


def test_equal_patterns_run_once(runs: list[Any]) -> None:
    graph = gen.with_labels(gen.rmat(8, 6, seed=1), 2, seed=1)
    same = ["(a:0)--(b:1), (b)--(c)", "(x)--(y:1)--(z:0)", si.Pattern("(c)--(b:1)--(a:0)")]
    counts = si.count(graph, [*same, "(a:1)--(b:1), (b)--(c)"])
    assert len(set(counts[:3])) == 1 and counts[3] != counts[0] and len(runs) == 2


def test_equal_terms_run_once(runs: list[Any]) -> None:
    """Induced counts as formulas have denser patterns in common."""
    graph = gen.with_labels(gen.rmat(8, 6, seed=2), 2, seed=1)
    texts = [
        "(a:0)--(b:0), (b)--(c:0), (c)--(d:0)",
        "(a:0)--(b:0), (a)--(c:0), (a)--(d:0)",
        "(a:0)--(b:0), (b)--(c:0), (c)--(d:0), (d)--(a)",
    ]
    queries = [make_query(graph, text, induced=True) for text in texts]
    found = count_several(queries, cpu, Params(switches=Switches(expand="always", labelled="plan")))
    # the shapes with four vertices of one label: path, claw, cycle, tailed triangle, diamond, clique
    assert len(runs) == 6
    assert found == [si.count(graph, text, induced=True, engine="reference") for text in texts]


def test_conditions_and_anchors_keep_patterns_apart() -> None:
    graph = gen.rmat(7, 6, seed=3)
    low, high = (np.arange(128) < 64), (np.arange(128) >= 64)
    masked = [si.Pattern("(a)--(b)").where(a=mask) for mask in (low, high)]
    assert si.count(graph, masked) == [si.count(graph, p) for p in masked]
    rows = si.count(graph, ["(a)--(b)", "(a)--(b), (b)--(c)"], anchor={"a": [0, 1, 2]})
    assert rows == [si.count(graph, p, anchor={"a": [0, 1, 2]}) for p in ("(a)--(b)", "(a)--(b), (b)--(c)")]
    modes = [
        si.count(graph, [si.Pattern.path(3)] * 2, mode=mode) for mode in ("homomorphism", "edge-isomorphism")
    ]
    assert modes == [
        [si.count(graph, si.Pattern.path(3), mode=mode)] * 2 for mode in ("homomorphism", "edge-isomorphism")
    ]


@pytest.mark.parametrize("seed", range(5))
def test_random_lists(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = gen.erdos_renyi(25, m=90, seed=seed, directed=bool(seed % 2))
    pool = [p for k in (2, 3, 4, 5) for p in si.connected_patterns(k)]
    chosen = [pool[i] for i in rng.integers(0, len(pool), 12)]
    induced = bool(rng.integers(2))
    expected = [si.count(graph, p, engine="reference", induced=induced) for p in chosen]
    assert si.count(graph, chosen, induced=induced) == expected
    assert si.count(graph, chosen, induced=induced, engine="cpu") == expected


@pytest.mark.parametrize("expand", ["auto", "always"])
def test_cuts_are_not_taken_for_counts(expand: Any) -> None:
    """Plans for a cut count more than matches, and quotients may be under an order: neither is shared by pattern."""
    graph = gen.with_labels(gen.erdos_renyi(16, m=45, seed=5), 2, seed=1)
    patterns = [p for k in (4, 5) for p in si.connected_patterns(k)]
    texts = ["(a:0)--(b)--(c:1)--(d)--(a)", "(a:0)--(b)--(c)--(d)--(e)--(a), (b)--(e), !(c)--(a)"]
    queries = [make_query(graph, p) for p in (*patterns, *texts)]
    queries += [make_query(graph, p, induced=True) for p in (*patterns[:12], *texts)]
    switches = Switches(decompose="always", expand=expand)
    found = count_several(queries, cpu, Params(switches=switches))
    assert found == [cpu.count(q, Params(switches=Switches(decompose="never"))).count for q in queries]


@pytest.mark.parametrize(
    "patterns", [[si.Pattern.cycle(7)], [si.Pattern.path(6), si.Pattern.cycle(6)], FIVES]
)
@pytest.mark.parametrize("sums", [False, True])
def test_a_cancelled_set_has_no_counts(patterns: list[si.Pattern], sums: bool) -> None:
    """One pattern, several in one search or one by one, or sums: a part of a count is not taken for it."""
    queries = [make_query(gen.complete(500), pattern) for pattern in patterns]
    for way in ("always", "never"):
        switches = Switches(merge=way, decompose="never")
        with pytest.raises(Cancelled):
            count_several(queries, cpu, Params(poll=lambda: True, switches=switches), sums=sums)


def test_cancelled_local_counts() -> None:
    query = make_query(gen.complete(500), si.Pattern.cycle(7))
    with pytest.raises(Cancelled):
        count_all_per([query], "vertex", cpu, Params(poll=lambda: True))


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize(
    "step", [(cpu, "formula_for"), (together, "order_by_greed"), (merge, "choices_beside")]
)
def test_planning_heeds_the_timeout(
    step: tuple[Any, str], labelled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is looked at from pattern to pattern, in every part of planning a set."""
    made: list[int] = []
    original = getattr(*step)

    def slow(*arguments: Any, **options: Any) -> Any:
        made.append(1)
        time.sleep(0.05)
        return original(*arguments, **options)

    monkeypatch.setattr(*step, slow)
    monkeypatch.setattr(together, "_WORTH_LARGE", 0.0)
    shapes = [
        shape(k) for k in (7, 8, 9, 10) for shape in (si.Pattern.path, si.Pattern.cycle, si.Pattern.star)
    ]
    patterns = [si.Pattern(f"{p}, (a:0)") if labelled else p for p in shapes]
    graph = gen.with_labels(gen.rmat(6, 4, seed=1), 2, seed=1)
    queries = [make_query(graph, pattern) for pattern in patterns]
    asked = "auto" if step[1] == "order_by_greed" else "always"
    params = Params(timeout=0.2, switches=Switches(merge=asked, labelled="plan", expand="never"))
    with pytest.raises(TimeoutReached, match=r"not finished within 0\.2 s"):
        count_several(queries, cpu, params)
    assert 0 < len(made) < len(patterns)


@pytest.mark.parametrize("sums", [False, True])
def test_nothing_is_planned_when_the_time_is_over(sums: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "formula_for", None)
    queries = [make_query(gen.rmat(6, 4, seed=1), pattern) for pattern in FIVES]
    with pytest.raises(TimeoutReached, match=r"within 0 s \(0 so far\)") as caught:
        count_several(queries, cpu, Params(timeout=0.0), sums=sums)
    assert caught.value.done == [] and caught.value.finished == {}


def test_timeout_has_the_finished_ones() -> None:
    graph = gen.rmat(16, 16, seed=1)
    stars = si.count(graph, si.Pattern.star(3))  # lays the graph out, too
    with pytest.raises(TimeoutReached) as caught:
        si.count(graph, [si.Pattern.star(3), *FIVES], timeout=1)
    assert caught.value.done == [stars]


def test_an_overflow_keeps_the_counts_that_are_there() -> None:
    graph = si.generators.complete(400)
    with pytest.raises(CountOverflowError) as caught:
        si.count(graph, [si.Pattern.clique(3), si.Pattern.clique(40)])
    assert caught.value.finished == {0: 10_586_800} and CountOverflowError("alone").finished == {}
