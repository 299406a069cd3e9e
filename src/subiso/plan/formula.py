"""Counts as sums of counts: the cheapest way found to write a count as one plan or several.

Edges that must be absent are counted by inclusion and exclusion: a plan that checks absent edges must match almost
every vertex; one without such checks can count its last vertices from set sizes. Patterns with a cut are counted by
their components (plan/decompose.py). Both give sums of counts of other patterns, which are planned in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal, NamedTuple

from subiso.pattern import Pattern
from subiso.pattern.canonical import EASY_TO_COMPARE
from subiso.plan.choose import make_plan
from subiso.plan.cutplan import Cut, assemble_cut
from subiso.plan.cuts import MOST_VERTICES, cuts_by_cost
from subiso.plan.decompose import Decomposition, kind, take_apart
from subiso.plan.plan import Plan
from subiso.plan.problem import Problem
from subiso.plan.tally import Role, image, role_of_link
from subiso.storage.statistics import Statistics

Choice = Literal["auto", "always", "never"]
ONE_PLAN = "one plan"

_MOST_ABSENT = 6  # edges; their subsets are all looked at
_MOST_TURNS = 720  # automorphisms of a pattern whose absent edges are sorted into orbits
_WORTH_IT = 1e6  # operations; below, planning a formula costs more than it saves
_WORTH_CUTTING = 1e7  # the same for cuts, of which there are more;
_PER_VERTEX = 5.0  # and more by this for every vertex beyond five
_CUTS_LOOKED_AT = 3  # cuts whose quotients are planned, those with the cheapest plans


@dataclass(frozen=True)
class Term:
    """coefficient * (matches of the problem's pattern, counted by the plan)."""

    coefficient: int
    problem: Problem
    plan: Plan
    cut: Cut | None = None
    """The plan is this cut's: it counts maps that are no matches too."""

    @property
    def key(self) -> Hashable:
        """Equal for terms with equal counts on one graph; None where that is not known or costs too much."""
        problem = self.problem
        special = self.cut is not None or problem.anchored or problem.imposed or problem.apart
        if special or problem.num_vertices > EASY_TO_COMPARE:
            return None
        return self.pattern.canonical_form(), problem.mode, problem.unique

    @property
    def pattern(self) -> Pattern:
        return self.problem.pattern


@dataclass(frozen=True)
class Formula:
    """(the sum of the terms) / divisor is the count."""

    terms: tuple[Term, ...]
    divisor: int = 1
    technique: str = ONE_PLAN
    alternatives: tuple[tuple[str, float], ...] = ()
    """What else was looked at, and its cost."""

    @property
    def cost(self) -> float:
        return sum(term.plan.cost for term in self.terms)


class _Ways(NamedTuple):
    """What a planner may do, as make_formula has it."""

    expand: Choice
    decompose: Choice
    codegrees: bool
    most_parts: int
    wide_cuts: bool
    by_role: bool


def make_formula(
    problem: Problem,
    stats: Statistics,
    *,
    expand: Choice = "auto",
    decompose: Choice = "never",
    codegrees: bool = False,
    most_parts: int = 99,
    wide_cuts: bool = True,
    by_role: bool = False,
    **options: Any,
) -> Formula:
    """The cheapest way found to count: one plan, or several whose counts are added and subtracted.

    `expand` says whether absent edges are counted by inclusion and exclusion, `decompose` whether patterns are cut,
    `codegrees` whether plans for cuts may use codegree tables, `most_parts` how many parts they may have, `wide_cuts`
    whether those with several may have more than a vertex or an edge; the other options are those of `make_plan`. With
    `by_role` the formula holds for the counts of every orbit of the pattern's vertices and edges too; it cuts nothing.
    """
    pattern = problem.pattern
    masked = any(mask is not None for mask in pattern.masks)
    masked |= any(edge.mask is not None for edge in (*pattern.edges, *pattern.anti_edges))
    plan = _make if masked else _make_once  # masks are as large as the graph, and not kept
    ways = _Ways(expand, "never" if by_role else decompose, codegrees, most_parts, wide_cuts, by_role)
    return plan(problem, stats, ways, tuple(options.items()))


def _make(
    problem: Problem,
    stats: Statistics,
    ways: _Ways,
    options: tuple[tuple[str, Any], ...],
) -> Formula:
    planner = _Planner(stats, ways, dict(options))
    if problem.unique or not problem.injective:
        return planner.best(problem)
    once = planner.best(replace(problem, unique=True))
    if once.cost < _WORTH_IT and once.technique == ONE_PLAN and not planner.forced:
        return planner.direct(problem)
    # Every subgraph once, times its embeddings.
    return _sum([(Fraction(_symmetry(problem)), once)], once.technique, once.alternatives)


_make_once = lru_cache(maxsize=256)(_make)


class _Planner:
    """Plans a problem and, by the same rules, those that its count is made of; each kind once."""

    def __init__(self, stats: Statistics, ways: _Ways, options: dict[str, Any]) -> None:
        self.stats = stats
        self.expand, self.decompose, self.codegrees, self.most_parts, self.wide_cuts, self.by_role = ways
        self.options = options
        self.forced = "always" in (self.expand, self.decompose)
        self.known: dict[Hashable, Formula] = {}

    def best(self, problem: Problem) -> Formula:
        """The formula for the problem's matches: each once where it says so."""
        key = kind(problem), problem.imposed != (), problem.apart, problem.mode, problem.forbidden != ()
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._choose(problem)
        return found

    def _choose(self, problem: Problem) -> Formula:
        direct = self.direct(problem)
        ways = [direct]
        if self._wanted(self.expand, direct.cost, _WORTH_IT) and self._expandable(problem):
            expanded = self.expanded(problem, math.inf if self.expand == "always" else direct.cost)
            if expanded is not None and self.expand == "always":
                return expanded
            ways += [expanded] if expanded is not None else []
        worth_it = _WORTH_CUTTING * _PER_VERTEX ** max(0, problem.num_vertices - 5)
        if self._wanted(self.decompose, direct.cost, worth_it):
            limit = math.inf if self.decompose == "always" else min(way.cost for way in ways)
            ways += self.decomposed(problem, limit)
            if self.decompose == "always" and len(ways) > 1:
                ways = ways[1:]
        best = min(ways, key=lambda way: way.cost)
        others = tuple((way.technique, way.cost) for way in ways if way is not best)
        return replace(best, alternatives=others)

    @staticmethod
    def _wanted(choice: Choice, cost: float, worth_it: float) -> bool:
        return choice == "always" or (choice == "auto" and cost >= worth_it)

    @staticmethod
    def _expandable(problem: Problem) -> bool:
        return problem.injective and 0 < len(problem.absent) <= _MOST_ABSENT

    def direct(self, problem: Problem) -> Formula:
        plan = make_plan(problem, self.stats, counting=True, **self.options)
        return Formula((Term(1, problem, plan),))

    def expanded(self, problem: Problem, limit: float) -> Formula | None:
        """Embeddings of P without the edges F: the sum over S in F of (-1)^|S| embeddings of P with S.

        Sets S that make isomorphic patterns are one term; by role, only those that P's own symmetry exchanges. None
        as soon as it is known to cost more than the limit.
        """
        turns = _turns(problem) if self.by_role else []
        grouped: dict[Hashable, tuple[Problem, int]] = {}
        for size in range(len(problem.absent) + 1):
            for chosen in combinations(range(len(problem.absent)), size):
                denser = _with_links(problem, chosen)
                key = _smallest_image(chosen, turns) if self.by_role else kind(denser)
                known, coefficient = grouped.get(key, (denser, 0))
                grouped[key] = known, coefficient + (-1) ** size
        # What is known of isomorphic problems has other numbers for the vertices, and so for the roles.
        solve = self.direct if self.by_role else self.best
        parts = []
        costs: dict[Plan, float] = {}
        for denser, coefficient in grouped.values():
            if coefficient:
                weight = Fraction(coefficient * _symmetry(denser), _symmetry(problem))
                parts.append((weight, solve(denser)))
                costs.update((term.plan, term.plan.cost) for term in parts[-1][1].terms)
                if sum(costs.values()) > limit:
                    return None
        return _sum(parts, "inclusion and exclusion of absent edges")

    def decomposed(self, problem: Problem, limit: float) -> list[Formula]:
        """By the cuts that look cheapest; those that turn out dearer than the limit are dropped."""
        if problem.num_vertices > MOST_VERTICES or problem.edges_to_tell_apart:
            return []
        cuts = cuts_by_cost(
            problem,
            self.stats,
            below=limit,
            codegrees=self.codegrees,
            max_tail=self.options.get("max_tail", 99),
        )
        found = []
        alike: dict[Hashable, Cut] = {}  # those that symmetry turns into each other cost the same
        for cut in cuts:
            if self._allowed(problem, cut):
                alike.setdefault((cut.cost, cut.kept, len(cut.order), len(cut.parts)), cut)
        for cut in list(alike.values())[:_CUTS_LOOKED_AT]:
            parts = take_apart(problem, cut)
            if parts is not None:
                found.append(self._by_cut(problem, parts))
        return found

    def _allowed(self, problem: Problem, cut: Cut) -> bool:
        if len(cut.parts) > self.most_parts:
            return False
        joined = {frozenset((edge.source, edge.target)) for edge in problem.pattern.edges}
        narrow = len(cut.order) == 1 or (len(cut.order) == 2 and frozenset(cut.order) in joined)
        return self.wide_cuts or narrow or len(cut.parts) <= 1

    def _by_cut(self, problem: Problem, parts: Decomposition) -> Formula:
        own = Formula((Term(1, problem, assemble_cut(problem, parts.cut), parts.cut),))
        symmetry = _symmetry(problem) if problem.unique else 1
        weighted = [(Fraction(parts.factor, symmetry), own)]
        for shrinkage in parts.shrinkages:
            embeddings = shrinkage.weight * _symmetry(shrinkage.problem)
            weighted.append((Fraction(-embeddings, symmetry), self.best(shrinkage.problem)))
        names = problem.pattern.names
        cut = ", ".join(names[v] for v in parts.cut.order)
        return _sum(weighted, f"cut at {cut}")


def _sum(
    parts: Iterable[tuple[Fraction, Formula]],
    technique: str,
    alternatives: tuple[tuple[str, float], ...] = (),
) -> Formula:
    """The weighted sum of formulas; terms with the same plan become one."""
    weights: dict[Plan, tuple[Fraction, Term]] = {}
    for weight, formula in parts:
        for term in formula.terms:
            share = weight * term.coefficient / formula.divisor
            known, first = weights.get(term.plan, (Fraction(0), term))
            weights[term.plan] = known + share, first
    divisor = math.lcm(*(weight.denominator for weight, _ in weights.values()))
    terms = [replace(term, coefficient=int(w * divisor)) for w, term in weights.values() if w]
    return Formula(tuple(terms), divisor, technique, alternatives)


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


def _turns(problem: Problem) -> list[tuple[int, ...]]:
    """Each automorphism of the pattern as what it does to the numbers of the absent edges; [] if there are many."""
    if _symmetry(problem) > _MOST_TURNS:
        return []
    number: dict[Role, int] = {role_of_link(link): i for i, link in enumerate(problem.forbidden)}
    return [
        tuple(number[image(link, turn)] for link in problem.forbidden)
        for turn in problem.pattern.automorphisms()
        if all(turn[v] == v for v in problem.anchored)
    ]


def _smallest_image(chosen: tuple[int, ...], turns: list[tuple[int, ...]]) -> tuple[int, ...]:
    return min((tuple(sorted(turn[i] for i in chosen)) for turn in turns), default=chosen)


def _symmetry(problem: Problem) -> int:
    return problem.pattern.automorphism_count(extra_colors=problem.colors())
