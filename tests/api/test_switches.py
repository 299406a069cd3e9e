"""`switches=` reaches every function, is checked, and changes no answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import subiso as si
from subiso.engine import base, cpu, motifs, sums
from subiso.errors import QueryError, UnsupportedError

GRAPH = si.generators.rmat(7, 6, seed=1)
PLAIN = si.Switches(sums=False, expand="never", decompose="never", max_tail=0, labelled="plan")
CALLS: dict[str, Callable[..., Any]] = {
    "count": lambda **how: si.count(GRAPH, si.Pattern.cycle(4), **how),
    "counts": lambda **how: si.count(GRAPH, ["(a)--(b)--(c)", si.Pattern.clique(4)], **how),
    "per": lambda **how: si.count(GRAPH, si.Pattern.clique(3), per="vertex", **how).tolist(),
    "match": lambda **how: si.match(GRAPH, si.Pattern.clique(3), order="sorted", **how).to_numpy().tolist(),
    "exists": lambda **how: si.exists(GRAPH, si.Pattern.clique(3), **how),
    "cliques": lambda **how: si.cliques(GRAPH, 5, **how),
    "motifs": lambda **how: dict(si.motifs(GRAPH, 4, **how)),
}


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, seen = CALLS[name](), []
    lower = cpu.lower
    monkeypatch.setattr(cpu, "lower", lambda plans: seen.extend(plans) or lower(plans))
    for module in (motifs, sums):
        monkeypatch.setattr(module, "sums_job", lambda *_: pytest.fail("sums were made"))
    assert CALLS[name](switches=PLAIN) == usual
    assert seen and not any(getattr(plan.tail, "vertices", ()) for plan in seen)


def test_explain_tells_the_plan_that_runs() -> None:
    square = si.Pattern.cycle(4)
    usual, plain = (str(si.explain(GRAPH, square, device="cpu", switches=s)) for s in (None, PLAIN))
    assert "from sums over the whole graph" in usual and "from sums" not in plain
    assert "for d in" in plain and "n0" not in plain  # every vertex is matched
    both = str(si.explain(GRAPH, [square, "(a)--(b)--(c)"], device="cpu", switches=PLAIN))
    assert "sums over the whole graph" not in both
    labelled = si.generators.random_labels(GRAPH, 3, seed=1)
    text = "(a:0)--(b:1)--(c:0)"
    assert "first without a plan" in str(si.explain(labelled, text, device="cpu"))
    assert "first without a plan" not in str(si.explain(labelled, text, device="cpu", switches=PLAIN))
    with pytest.raises(UnsupportedError, match="explain with switches and device='auto'"):
        si.explain(GRAPH, square, switches=PLAIN)


def test_filters_that_are_named_are_told() -> None:
    labelled = si.generators.random_labels(GRAPH, 3, seed=1)
    switches = si.Switches(filters=("degree",))
    assert "filters   degree\n" in str(si.explain(labelled, "(a:0)--(b:1)", device="cpu", switches=switches))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"setops": "avx3"},
            r"setops is 'avx3'; did you mean 'avx2'\?\n.*may be 'scalar', 'avx2', 'avx512', None",
        ),
        ({"setops": 3}, r"setops is 3\n"),
        ({"max_tail": "x"}, r"max_tail is 'x'\n.*it may be a whole number from 0"),
        ({"max_tail": True}, r"max_tail is True\n"),
        ({"max_tail": -1}, r"max_tail is -1\n"),
        ({"signature": (64.0, 2)}, r"signature is \(64\.0, 2\)\n.*a tuple \(a whole number from 0, a whole"),
        ({"signature": (64, 2, 2)}, r"signature is \(64, 2, 2\)\n"),
        ({"signature": "x"}, r"signature is 'x'\n"),
        ({"filters": "degree"}, r"filters is 'degree'\n.*a tuple \(a text, \.\.\.\), None"),
        ({"filters": (3,)}, r"filters is \(3,\)\n"),
        ({"twins": None}, r"twins is None\n.*True, False"),
    ],
)
def test_values_of_other_kinds(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=f"(?s)Switches: {message}"):
        si.Switches(**wrong)
    assert si.Switches(filters=("degree", "refine"), signature=(64, 2), setops="scalar", max_tail=0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: si.Switches(order="rii"), r"Switches: order is 'rii'; did you mean 'ri'\?\n.*'cost', 'ri'"),  # type: ignore[arg-type]
        (lambda: si.Switches(sums=1.5), r"Switches: sums is 1\.5\n.*True, False"),  # type: ignore[arg-type]
        (lambda: si.count(GRAPH, "(a)--(b)", switches={"sums": False}), r"switches is \{'sums': False\}"),  # type: ignore[call-overload]
        (lambda: si.count(GRAPH, "(a)--(b)", switches=si.Switches(filters=("x",))), "unknown filter 'x'"),
    ],
)
def test_what_is_no_switch(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(QueryError, match=f"(?s){message}"):
        make()


def test_set_operations_that_the_machine_lacks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert base._runs("scalar") and not base._runs("sse9")
    monkeypatch.setattr(base, "_runs", lambda name: name != "avx512")
    with pytest.raises(QueryError, match=r"does not run setops='avx512'\n  hint: it runs scalar, avx2$"):
        si.Switches(setops="avx512")
    assert si.Switches(setops="avx2").setops == "avx2"
