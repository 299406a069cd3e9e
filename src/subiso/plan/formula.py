"""Counts as sums of counts: edges that must be absent are counted by inclusion and exclusion where that is cheaper.

A plan that checks absent edges must match almost every vertex; one without such checks can count its last vertices
from set sizes. The matches without an edge are all matches less those with it, and so on for several edges.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.plan.plan import Plan
from subiso.plan.problem import Problem
from subiso.storage.statistics import Statistics

_MOST_ABSENT = 6  # edges; their subsets are all looked at
_LARGEST_COMPARED = 8  # vertices
_WORTH_IT = 1e6  # operations; below, planning a formula costs more than it saves


@dataclass(frozen=True)
class Term:
    """coefficient * (matches of the pattern, counted by the plan)."""

    coefficient: int
    pattern: Pattern
    plan: Plan
    kind: tuple[str, bool] | None = None
    """Mode and uniqueness, where the pattern and these say what is counted (no anchors)."""

    @property
    def key(self) -> Hashable:
        """Equal for terms with equal counts on one graph; None where that is not known or costs too much."""
        if self.kind is None or self.pattern.num_vertices > _LARGEST_COMPARED:
            return None
        return self.pattern.canonical_form(), self.kind


@dataclass(frozen=True)
class Formula:
    """(the sum of the terms) / divisor is the count."""

    terms: tuple[Term, ...]
    divisor: int = 1

    @property
    def cost(self) -> float:
        return sum(term.plan.cost for term in self.terms)


def make_formula(
    problem: Problem,
    stats: Statistics,
    *,
    expand: Literal["auto", "always", "never"] = "auto",
    **options: Any,
) -> Formula:
    """The cheapest way found to count: one plan, or several whose counts are added and subtracted.

    `expand` says whether to do the latter; the other options are those of `make_plan`.
    """
    plan = make_plan(problem, stats, counting=True, **options)
    direct = Formula((_term(1, problem, plan),))
    if not problem.injective or expand == "never" or (expand == "auto" and direct.cost < _WORTH_IT):
        return direct
    symmetry = 1 if problem.unique else _symmetry(problem)
    if symmetry > 1:  # every subgraph once, times its embeddings
        once = replace(problem, unique=True)
        plan = make_plan(once, stats, counting=True, **options)
        direct = Formula((_term(symmetry, once, plan),))
    if not 0 < len(problem.absent) <= _MOST_ABSENT:
        return direct
    expanded = _expand(problem, stats, **options)
    return expanded if expand == "always" or expanded.cost < direct.cost else direct


def _expand(problem: Problem, stats: Statistics, **options: Any) -> Formula:
    """Embeddings of P without the edges F: the sum over S in F of (-1)^|S| embeddings of P with S."""
    grouped: dict[Hashable, tuple[Problem, int]] = {}
    for size in range(len(problem.absent) + 1):
        for chosen in combinations(range(len(problem.absent)), size):
            denser = _with_links(problem, chosen)
            key = _kind(denser)
            known, coefficient = grouped.get(key, (denser, 0))
            grouped[key] = known, coefficient + (-1) ** size
    terms = tuple(
        _term(
            coefficient * _symmetry(denser),
            denser,
            make_plan(denser, stats, counting=True, **options),
        )
        for denser, coefficient in grouped.values()
        if coefficient
    )
    return Formula(terms, _symmetry(problem) if problem.unique else 1)


def _with_links(problem: Problem, chosen: tuple[int, ...]) -> Problem:
    """The problem with some of the absent edges demanded instead, and the others no longer asked about."""
    links = [problem.forbidden[i] for i in chosen]
    edges = [problem.absent[i] for i in chosen]
    # Absent self loops stay: they are in the candidates already, but symmetry has to know of them.
    loops = [e for e in problem.pattern.anti_edges if e.source == e.target]
    mean = [(fan, back) for fan, back in problem.fans] or [(1.0, 1.0)]
    typical = tuple(sum(side) / len(mean) for side in zip(*mean, strict=True))
    return replace(
        problem,
        pattern=problem.pattern.with_edges([*problem.pattern.edges, *edges], anti_edges=loops),
        mode="monomorphism",
        unique=True,
        links=(*problem.links, *links),
        forbidden=(),
        absent=(),
        fans=(*problem.fans, *[typical] * len(links)) if problem.fans else (),
    )


def _kind(problem: Problem) -> Hashable:
    """Equal for problems with equal counts. Anchored vertices are told apart by not merging any."""
    if problem.anchored:
        return problem.pattern
    return problem.pattern.canonical_form()


def _term(coefficient: int, problem: Problem, plan: Plan) -> Term:
    kind = None if problem.anchored else (problem.mode, problem.unique)
    return Term(coefficient, problem.pattern, plan, kind)


def _symmetry(problem: Problem) -> int:
    return problem.pattern.automorphism_count(extra_colors=problem.colors())
