"""Programs of the native engine from real queries, to run as they are or mutated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import Params, Switches
from subiso.engine.lower import lower, lower_tally
from subiso.engine.query import Query
from subiso.engine.together import plan_teams
from subiso.filter.resolve import Resolved, resolve
from subiso.plan.choose import make_plan
from subiso.plan.formula import make_formula
from subiso.plan.plan import CountTail, Plan
from subiso.plan.tally import Role, make_tally
from subiso.storage.statistics import statistics_of


@dataclass(frozen=True, eq=False)
class Lowered:
    """Everything that `_native.make_run` wants."""

    plans: tuple[Plan, ...]
    resolved: Resolved
    code: NDArray[np.int64]
    arguments: dict[str, Any]

    @property
    def plan(self) -> Plan:
        """The only one."""
        (plan,) = self.plans
        return plan

    def tally(self, groups: list[list[Role]], *, wide: bool = False) -> NDArray[np.int64]:
        """Code for local counts of the program, by groups of roles."""
        return lower_tally(self.plan, make_tally(self.plan, self.resolved.problem, groups), wide=wide)

    def run(self, code: NDArray[np.int64] | None = None, *, threads: int = 1, **changes: Any) -> Any:
        arguments = {**self.arguments, "code": self.code if code is None else code, **changes}
        return _native.make_run(**arguments, threads=threads)

    def count(self, **changes: Any) -> int:
        (total,) = self.counts(**changes)
        return total

    def counts(self, **changes: Any) -> list[int]:
        run = self.run(**changes)
        run.start()
        assert run.wait(60)
        totals = run.totals()
        assert not any(overflow for _, _, overflow in totals) and not run.failed()
        divisors = [plan.tail.divisor for plan in self.plans if isinstance(plan.tail, CountTail)]
        return [(high << 64 | low) // d for (high, low, _), d in zip(totals, divisors, strict=True)]


def lowered(query: Query, *, counting: bool = True, **options: Any) -> Lowered:
    """The program that the CPU engine would run for a query."""
    resolved = resolve(query)
    plan = make_plan(resolved.problem, statistics_of(query.graph), counting=counting, **options)
    return _lowered(query, resolved, [plan])


def lowered_together(queries: Sequence[Query], **options: Any) -> list[Lowered]:
    """The programs that the CPU engine would run for several queries, sharing wherever it can."""
    params = Params(switches=Switches(merge="always", **options))
    resolved = {i: resolve(query, ()) for i, query in enumerate(queries)}
    teams, _ = plan_teams(queries, resolved, params)
    return [
        _lowered(queries[0], team.resolved, group.plans) for team in teams for group in team.together.groups
    ]


def lowered_cut(query: Query) -> Lowered:
    """The program for the cut that a query is counted by."""
    resolved = resolve(query)
    formula = make_formula(resolved.problem, statistics_of(query.graph), decompose="always", codegrees=True)
    return _lowered(query, resolved, [formula.terms[0].plan])


def _lowered(query: Query, resolved: Resolved, plans: Sequence[Plan]) -> Lowered:
    plan = plans[0]
    code, filters = lower(plans)
    entities = [resolved.layout.entities(r) for r in resolved.relations] if plan.edge_checks else []
    bitmaps = [np.bitwise_and.reduce([resolved.filters[f] for f in combined]) for combined in filters]
    seeds = resolved.layout.all_ranks
    if plan.seed.filter:
        seeds = _native.bit_positions(resolved.filters[plan.seed.filter[0]])
    arguments = {
        "kept": (resolved, entities, bitmaps, seeds),
        "num_vertices": query.graph.num_vertices,
        "relations": [(csr.bounds, csr.neighbors) for csr in resolved.csrs],
        "reverse": resolved.reverse,
        "filters": bitmaps,
        "keys": list(resolved.keys),
        "entities": [(e.offsets, e.neighbors, e.edge_ids) for e in entities],
        "seeds": seeds,
        "vertex_at": resolved.layout.vertex_at,
        "batch_rows": 100,
    }
    return Lowered(tuple(plans), resolved, code, arguments)
