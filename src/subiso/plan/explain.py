"""What `subiso.explain` prints: the question, the candidates, the plans for counting and for listing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from subiso.engine.candidates import first_tries
from subiso.engine.query import Query
from subiso.filter.candidate_graph import with_candidate_graph
from subiso.filter.resolve import Resolved, resolve
from subiso.plan.choose import make_plan
from subiso.plan.estimate import with_estimates
from subiso.plan.formula import ONE_PLAN, Formula, make_formula
from subiso.plan.formula_text import conditions_text, formula_text, order_text, term_text
from subiso.plan.plan import Plan
from subiso.plan.problem import Problem
from subiso.storage.statistics import Statistics, statistics_of


@dataclass(frozen=True, repr=False)
class Explanation:
    """Printable; `formula` and `listing` are what `count` and `match` run."""

    resolved: Resolved
    stats: Statistics
    formula: Formula
    listing: Plan
    device: tuple[str, ...] = ()
    """Lines on where it would run."""
    first: str = ""
    """What is tried before the plans."""

    @property
    def problem(self) -> Problem:
        return self.resolved.problem

    @property
    def counting(self) -> Plan:
        """The formula's first plan; the only one, unless the count is a sum of several."""
        return self.formula.terms[0].plan

    def __repr__(self) -> str:  # what a notebook shows
        return str(self)

    def __str__(self) -> str:
        p = self.problem
        what = "each subgraph once" if p.unique else "every embedding"
        lines = [
            f"pattern   {p.pattern}",
            f"mode      {p.mode}, {what}"
            + (
                f" ({p.pattern.automorphism_count(extra_colors=p.colors())} automorphisms)"
                if p.unique
                else ""
            ),
            f"graph     {self.stats.num_vertices:,} vertices, mean degree {self.stats.mean_degree:.3g} "
            f"({self.stats.edge_degree:.3g} over edges), closure {self.stats.closure:.3g}",
        ]
        lines += self._filter_lines()
        lines += ["", f"count     ~{self.formula.cost:,.3g} operations"]
        lines += [f"  {self.first}"] if self.first else []
        lines += self._count_lines()
        lines += ["", f"match     ~{self.listing.cost:,.3g} operations"]
        lines += [*_order_lines(self.listing), _indented(self.listing)]
        if self.device:
            lines += ["", *self.device]
        return "\n".join(lines)

    def _filter_lines(self) -> list[str]:
        """Candidates before and after the filters, and what becomes of them."""
        p, narrowed = self.problem, self.resolved.narrowed
        lines = []
        for vertex, numbers in enumerate(p.filters):
            for number in numbers:
                before, after = narrowed.before[vertex], p.sizes[vertex]
                fewer = f", {before:,.0f} before" if before != after else ""
                lines.append(
                    f"filter    {p.pattern.names[vertex]} in C{number}: {after:,.0f} candidates{fewer}"
                )
        if narrowed.used:
            stopped = "" if narrowed.complete else " (stopped before its fixed point)"
            lines.append(f"filters   {', '.join(narrowed.used)}{stopped}")
        if self.resolved.candidate_graph is not None and p.filters:
            lines.append(f"between   candidate graph {self.resolved.candidate_graph}")
        return lines

    def _count_lines(self) -> list[str]:
        formula = self.formula
        lines = []
        if formula.technique != ONE_PLAN or formula.alternatives:
            lines.append(f"  by {formula.technique}" + _otherwise(formula))
        if len(formula.terms) == 1 and formula.terms[0].coefficient == formula.divisor == 1:
            return [*lines, *_order_lines(self.counting), _indented(self.counting)]
        lines.append(f"  count = {formula_text(formula)}")
        for i, term in enumerate(formula.terms):
            lines.append(f"  t{i} = {term_text(term)}  # ~{term.plan.cost:,.3g} operations")
            conditions = conditions_text(term)
            lines += [f"    # where {conditions}"] if conditions else []
            lines.append(_indented(term.plan, 2))
        return lines


def explain(query: Query, device: Sequence[str] = ()) -> Explanation:
    """How the CPU engine would run the query; `device` has lines on where it would run."""
    resolved, stats = resolve(query), statistics_of(query.graph)
    first = "" if resolved.hopeless else first_tries(resolved)
    resolved = with_candidate_graph(resolved, stats)
    problem = resolved.problem
    return Explanation(
        resolved,
        stats,
        _estimated(make_formula(problem, stats, decompose="auto", codegrees=True), problem, stats),
        with_estimates(make_plan(problem, stats, counting=False), problem, stats),
        tuple(device),
        first,
    )


def _estimated(formula: Formula, problem: Problem, stats: Statistics) -> Formula:
    """Sizes are noted where the plan is for the problem itself; the terms of a sum are for denser patterns."""
    term = formula.terms[0]
    if len(formula.terms) > 1 or term.plan.codegrees or term.plan.parts:
        return formula
    return replace(formula, terms=(replace(term, plan=with_estimates(term.plan, problem, stats)),))


def _otherwise(formula: Formula) -> str:
    """What else was looked at, each way once."""
    costs = dict(sorted(formula.alternatives, key=lambda way: -way[1]))
    if not costs:
        return ""
    ways = sorted(costs.items(), key=lambda way: way[1])
    return "; otherwise " + ", ".join(f"{name} ~{cost:,.3g}" for name, cost in ways)


def _order_lines(plan: Plan) -> list[str]:
    """The order that keeps a plan from finding a subgraph more than once."""
    if not plan.restrictions:
        return []
    return [f"  # where {order_text(plan.restrictions, plan.names)} (by degree, then id)"]


def _indented(plan: Plan, depth: int = 1) -> str:
    return "\n".join("  " * depth + line for line in str(plan).splitlines())
