"""Local counts: how many matches every vertex or edge takes part in, by role. Plans run on the CPU or on a device.

A role is a pattern vertex or a pattern edge (plan/tally.py). What is wanted are sums over groups of roles, each made of
whole orbits of the pattern's automorphisms; a formula of several plans is added up group by group.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from subiso.engine import cpu
from subiso.engine.base import Params, StoppedBy, part_of
from subiso.engine.lower import lower_tally
from subiso.errors import CountOverflowError
from subiso.filter.clique_graph import CliqueLayout
from subiso.filter.resolve import Resolved
from subiso.plan.choose import make_plan
from subiso.plan.formula import Formula, Term, make_formula
from subiso.plan.plan import CountTail, Plan
from subiso.plan.tally import Role, Tally, make_tally, role_orbits
from subiso.storage.layout import Layout
from subiso.storage.statistics import statistics_of

Counts = NDArray[Any]
"""int64, or Python ints where that is too small."""
Group = Mapping[Role, int]
"""Roles, and how often each counts."""
LARGEST = 2**63 - 1
_LONGEST_TAIL = 19
"""Vertices of a tail: the shares of more, as of the leaves of a star, have coefficients beyond 64 bits (20 * 20!)."""


@dataclass(frozen=True)
class LocalOutcome:
    """Per group the counts by vertex and by edge id, and all matches; no counts where something stopped it."""

    by_vertex: dict[int, Counts]
    by_edge: dict[int, Counts]
    count: int
    stopped_by: StoppedBy | None = None


class Tallies(Protocol):
    """Who runs the plans: `OnCpu`, or a device (engine/cuda/local_counts.py)."""

    def formula(self, resolved: Resolved, params: Params) -> Formula:
        """The plans, whose counts hold for every orbit of roles."""

    def plan(self, term: Term, resolved: Resolved, params: Params, wide: bool) -> Plan:
        """The one that is run for a term; `wide`: its sums need more than 64 bits."""

    def run(
        self, plan: Plan, tally: Tally, resolved: Resolved, params: Params, started: float, wide: bool
    ) -> tuple[int, StoppedBy | None, list[Counts]]:
        """The total before division, what stopped it, and the tally's columns by rank or list entry."""


class OnCpu:
    """Runs them on the native core."""

    def formula(self, resolved: Resolved, params: Params) -> Formula:
        expand, options = params.switches.expand, params.switches.of_plans
        stats = statistics_of(resolved.layout.graph)
        return make_formula(resolved.problem, stats, expand=expand, by_role=True, **options)

    def plan(self, term: Term, resolved: Resolved, params: Params, wide: bool) -> Plan:
        plan = term.plan
        if plan.local is None or (plan.local.cliques and not wide):
            return plan
        # On bit rows looser restrictions cost little, and let matched roles stand for those of the tail.
        options = {**params.switches.of_plans, "local": not wide, "loose": True}
        stats = statistics_of(resolved.layout.graph)
        return make_plan(term.problem, stats, counting=True, **options)

    def run(
        self, plan: Plan, tally: Tally, resolved: Resolved, params: Params, started: float, wide: bool
    ) -> tuple[int, StoppedBy | None, list[Counts]]:
        run = cpu.prepare([plan], resolved, params, lower_tally(plan, tally, wide=wide))
        (total,), stopped_by = cpu.finish(run, params, started)
        if stopped_by is not None:
            return total, stopped_by, []
        halves = run.finish_tally()
        return (
            total,
            None,
            [low.view(np.int64) if high is None else _joined(low, high) for low, high in halves],
        )


def local_counts(
    resolved: Resolved, params: Params, groups: Sequence[Group], tallies: Tallies
) -> LocalOutcome:
    """Per group and place the sum over its roles: in how many matches the place plays that role."""
    started = time.perf_counter()
    switches = params.switches
    params = replace(params, switches=replace(switches, max_tail=min(switches.max_tail, _LONGEST_TAIL)))
    formula = tallies.formula(resolved, params)
    sums: dict[tuple[int, bool], list[tuple[Fraction, Counts]]] = {}
    total = 0
    for i, term in enumerate(formula.terms):
        step = replace(params, progress=part_of(params.progress, i, len(formula.terms)))
        merged = _merge(term, formula, groups)
        columns = _Columns(tallies, term, resolved, step, started, list(merged.values()))
        total += term.coefficient * columns.count
        if columns.stopped_by is not None:
            total = total if len(formula.terms) == 1 else 0
            return LocalOutcome({}, {}, total // formula.divisor, columns.stopped_by)
        for number, of_edges, counts in columns.found:
            for group, worth in enumerate(list(merged)[number]):
                if worth:
                    sums.setdefault((group, of_edges), []).append((worth / columns.divisor, counts))
    found = {key: _combine(terms) for key, terms in sums.items()}
    by_vertex, by_edge = (
        {group: counts for (group, of_edges), counts in found.items() if of_edges == kind}
        for kind in (False, True)
    )
    return LocalOutcome(by_vertex, by_edge, total // formula.divisor)


def _merge(term: Term, formula: Formula, groups: Sequence[Group]) -> dict[tuple[Fraction, ...], list[Role]]:
    """The roles that one plan is to count together, by what their sum is worth in each group.

    Within an orbit all roles have the same counts, so a group gets its share of the orbit's sum.
    """
    merged: dict[tuple[Fraction, ...], list[Role]] = {}
    for orbit in role_orbits(term.problem, dict.fromkeys(role for group in groups for role in group)):
        worth = tuple(
            Fraction(
                term.coefficient * sum(group.get(role, 0) for role in orbit), len(orbit) * formula.divisor
            )
            for group in groups
        )
        merged.setdefault(worth, []).extend(orbit)
    return merged


class _Columns:
    """Runs one plan and holds the columns of its tally: (number of the roles, whether by edge, counts)."""

    def __init__(
        self,
        tallies: Tallies,
        term: Term,
        resolved: Resolved,
        params: Params,
        started: float,
        roles: list[list[Role]],
    ) -> None:
        self.tallies, self.term, self.resolved = tallies, term, resolved
        self.params, self.started, self.roles = params, started, roles
        # Sums of 64 bits first. No place can be in more matches than there are, once for each role: where that is
        # beyond 64 bits, they may have wrapped.
        total = self.run(wide=False)
        if self.stopped_by is None and total * max(map(len, roles)) > LARGEST:
            total = self.run(wide=True)
        self.count = total // self.divisor

    def run(self, wide: bool) -> int:
        plan = self.tallies.plan(self.term, self.resolved, self.params, wide)
        assert isinstance(plan.tail, CountTail)
        self.divisor = plan.tail.divisor
        tally = make_tally(plan, self.term.problem, self.roles)
        total, self.stopped_by, columns = self.tallies.run(
            plan, tally, self.resolved, self.params, self.started, wide
        )
        self.found: list[tuple[int, bool, Counts]] = []
        if self.stopped_by is None:
            for (number, relation), counts in zip(tally.columns, columns, strict=True):
                placed = self.by_vertex(counts) if relation is None else self.by_edge(counts, relation)
                self.found.append((number, relation is not None, placed))
        return total

    def by_vertex(self, counts: Counts) -> Counts:
        """From ranks to the graph's own numbers."""
        layout = self.resolved.layout
        placed: Counts = np.zeros(layout.graph.num_vertices, counts.dtype)
        placed[layout.vertex_at] = counts
        return placed

    def by_edge(self, counts: Counts, relation: int) -> Counts:
        """From entries of the relation's lists to edge ids; an edge may stand in the lists of both its ends."""
        layout = self.resolved.layout
        assert isinstance(layout, Layout | CliqueLayout), "a candidate graph is here"
        sums: Counts = np.zeros(layout.graph.num_edges, counts.dtype)
        np.add.at(sums, layout.entry_edges(self.resolved.relations[relation]), counts)
        return sums


def _joined(low: NDArray[np.uint64], high: NDArray[np.uint64]) -> Counts:
    """Two halves as Python ints; few counts have anything in the high one."""
    joined: Counts = low.astype(object)
    some = np.flatnonzero(high)
    joined[some] += high.view(np.int64)[some].astype(object) * 2**64
    return joined


def _combine(terms: list[tuple[Fraction, Counts]]) -> Counts:
    """The sum of factor times counts, exact."""
    scale = math.lcm(*(factor.denominator for factor, _ in terms))
    factors = [int(factor * scale) for factor, _ in terms]
    if len(terms) == 1 and factors == [1]:
        return terms[0][1] if scale == 1 else terms[0][1] // scale
    largest = sum(abs(f) * int(c.max(initial=0)) for f, (_, c) in zip(factors, terms, strict=True))
    exact = np.int64 if largest <= LARGEST else object
    total: Counts = np.zeros(len(terms[0][1]), exact)
    for factor, (_, counts) in zip(factors, terms, strict=True):
        total += factor * counts.astype(exact, copy=False)
    return total if scale == 1 else total // scale


def as_int64(counts: Counts, what: str) -> NDArray[np.int64]:
    """The counts as int64; an error where one does not fit."""
    if counts.dtype == object and max(counts, default=0) > LARGEST:
        raise CountOverflowError(
            f"a count per {what} is larger than 2^63 - 1",
            hint="count parts of the graph: anchor a vertex of the pattern, or add a mask",
        )
    return counts.astype(np.int64, copy=False)
