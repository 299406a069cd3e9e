"""Pass: how many candidates a loop of a clique's plan must have, that there be enough for the vertices after it."""

from __future__ import annotations

from dataclasses import replace

from subiso.plan.local import is_plain_clique
from subiso.plan.plan import Plan
from subiso.plan.problem import Problem


def demand_candidates(plan: Plan, problem: Problem) -> Plan:
    """The plan, with `Extend.least` set where the pattern is a plain clique and its vertices are in order, or in none.

    The candidates of every vertex are then among those of the one before it. With fewer restrictions (where the
    pattern has an edge twice, say) they need not be.
    """
    k = problem.num_vertices
    in_order = len(plan.restrictions) in (0, k * (k - 1) // 2)
    if not in_order or not is_plain_clique(problem):
        return plan
    return replace(
        plan, extends=tuple(replace(e, least=k - depth) for depth, e in enumerate(plan.extends, 1))
    )
