"""What explain prints of a count can be redone by hand: terms as their lines say, then the formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.api.by_hand import count_part, evaluated, terms_of

import subiso as si
from subiso.engine import reference
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.plan.choose import make_plan
from subiso.plan.explain import Explanation
from subiso.plan.formula import make_formula
from subiso.storage.statistics import statistics_of

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "5-cycle": (si.Pattern.cycle(5), {}),
    "house": (si.Pattern.house(), {}),
    "4-cycle": (si.Pattern.cycle(4), {}),
    "path": (si.Pattern.path(6), {}),
    "two arms alike": ("(a)--(b)--(c), (a)--(d)--(e), (a)--(f)", {}),
    "embeddings": (si.Pattern.house(), {"unique": False}),
    "induced": (si.Pattern.path(4), {"induced": True}),
    "absent edge": ("(a)--(b)--(c)--(d)--(a), (d)--(e), !(a)--(c)", {}),
    "anchored": (si.Pattern.cycle(5), {"anchor": {0: 3}}),
    "labels": ("(a:0)--(b:1)--(c:0)--(d:1)--(a), (c)--(e:1)", {}),
    "ring": ("(a)-->(b)-->(c)-->(d)-->(e)-->(a)", {}),
    "directed": ("(a)-->(b)-->(c)-->(d), (e)-->(b), (c)-->(a)", {}),
}


def random_graph(seed: int, *, directed: bool) -> si.Graph:
    rng = np.random.default_rng(seed)
    ends = np.array([(u, v) for u in range(9) for v in range(9) if u < v or (directed and u != v)])
    chosen = ends[rng.random(len(ends)) < (0.45 if directed else 0.6)]
    labels = rng.integers(0, 2, 9)
    return si.Graph.from_edges(*chosen.T, num_vertices=9, directed=directed, vertex_labels=labels)


def forced(query: Any) -> Explanation:
    """By cuts and by inclusion and exclusion, however small the graph is."""
    resolved, stats = resolve(query), statistics_of(query.graph)
    formula = make_formula(resolved.problem, stats, decompose="always", expand="always", codegrees=True)
    return Explanation(resolved, stats, formula, make_plan(resolved.problem, stats, counting=False))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_the_printed_formula_gives_the_count(name: str, seed: int) -> None:
    pattern, options = CASES[name]
    query = make_query(random_graph(seed, directed=name in ("ring", "directed")), pattern, **options)
    told = forced(query)
    lines = count_part(told)
    expected = reference.count(query).count
    assert evaluated(lines, terms_of(lines, told.resolved)) == expected > 0


def test_the_cases_have_all_kinds_of_terms() -> None:
    """Otherwise the test above would say little."""
    told = [
        forced(make_query(random_graph(0, directed=name in ("ring", "directed")), pattern, **options))
        for name, (pattern, options) in CASES.items()
    ]
    text = "\n".join(map(str, told))
    for said in (" = maps of ", " = embeddings of ", " = subgraphs ", " = 1/2 of the embeddings of "):
        assert said in text
    for said in ("may coincide, others not", " < a (by degree, then id)", " and C", "m0^2"):
        assert said in text


def test_homomorphisms_by_a_cut_are_one_product() -> None:
    """Nothing is subtracted, so the plan alone is the count."""
    told = forced(make_query(random_graph(0, directed=False), si.Pattern.house(), mode="homomorphism"))
    assert told.formula.technique.startswith("cut at ")
    assert not any(" = t0" in line for line in count_part(told))
