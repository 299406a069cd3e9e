"""explain of a list of patterns: what is shared is shown once, and costs are those of what count runs."""

from __future__ import annotations

import pytest

import subiso as si
from subiso.engine import explain_set as module
from subiso.engine import together
from subiso.engine.base import Params, Switches
from subiso.engine.explain_set import explain_set
from subiso.engine.query import make_query
from subiso.errors import QueryError
from subiso.graph import generators as gen

GRAPH = gen.rmat(9, 8, seed=1)
PATTERNS = [si.Pattern.path(4), si.Pattern.diamond(), si.Pattern.cycle(4), si.Pattern.clique(4)]


@pytest.fixture(autouse=True)
def _small_sets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_WORTH_IT", dict.fromkeys(range(9), 0.0))
    monkeypatch.setattr(module, "families_of", lambda *_: {})


def test_shared_loops_are_printed_once() -> None:
    params = Params(switches=Switches(merge="always", decompose="never"))
    told = explain_set([make_query(GRAPH, p) for p in PATTERNS], params)
    text = str(told)
    merged = max((g for team in told.teams for g in team.together.groups), key=lambda g: len(g.plans))
    assert len(merged.plans) > 1
    assert f"for a in V:  # shared by {len(merged.plans)}" in text
    assert text.count("for a in V") == len(
        [g for t in told.teams for g in t.together.groups if len(g.plans) > 1]
    )
    assert all(f"p{i}" in text for i in range(len(PATTERNS)))


def test_together_never_costs_more_by_the_estimate() -> None:
    for patterns in (PATTERNS, si.connected_patterns(4), si.connected_patterns(5)):
        for mode in ("monomorphism", "induced", "homomorphism"):
            told = explain_set([make_query(GRAPH, p, mode=mode) for p in patterns])
            assert told.cost <= told.apart * (1 + 1e-9)


def test_explain_takes_lists() -> None:
    text = str(si.explain(GRAPH, ["(a)--(b)--(c)", "(a)--(b)"]))
    assert text.startswith("set       2 patterns in ")
    with pytest.raises(QueryError, match="for the CPU"):
        si.explain(GRAPH, ["(a)--(b)"], device="cuda")


def test_sets_without_a_candidate() -> None:
    graph = gen.with_labels(gen.path(5), 1, seed=1)
    assert "0 searches" in str(si.explain(graph, ["(a:9)--(b)", "(a:8)--(b)"]))
