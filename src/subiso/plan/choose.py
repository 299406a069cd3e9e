"""The planner: runs the passes in order. Problem and statistics in, Plan out; pure."""

from __future__ import annotations

from typing import Literal

from subiso.errors import QueryError
from subiso.plan.assemble import assemble
from subiso.plan.least import demand_candidates
from subiso.plan.local import choose_local, is_plain_clique
from subiso.plan.order import Order, order_by_core, order_by_cost, order_by_gsi, order_by_ri
from subiso.plan.plan import Plan
from subiso.plan.problem import Problem
from subiso.plan.restrictions import loosen, remaining_symmetry, restrictions_for
from subiso.storage.statistics import Statistics

ORDERS = {"cost": order_by_cost, "ri": order_by_ri, "gsi": order_by_gsi, "core": order_by_core}


def make_plan(
    problem: Problem,
    stats: Statistics,
    *,
    counting: bool,
    order: Literal["cost", "ri", "gsi", "core"] = "cost",
    max_tail: int = 99,
    local: bool = True,
    pivots: bool = True,
    least: bool = True,
    loose: bool = False,
) -> Plan:
    """The plan for counting, or for listing every match.

    `max_tail` limits how many vertices are counted from set sizes instead of being matched (1 switches
    inclusion-exclusion off, 0 matches every vertex). `local` allows search on bit rows of neighbourhoods, `pivots`
    counting cliques there without listing them; `least` has loops over sets skipped that are too small for what comes
    after. `loose` drops restrictions that bind only the tail, even where keeping them is cheaper.
    """
    if order not in ORDERS:
        raise QueryError(f"unknown order {order!r}", hint="the orders are " + ", ".join(ORDERS))
    chosen = ORDERS[order](problem, stats, counting=counting, max_tail=max_tail)
    return plan_in_order(
        problem, chosen, counting=counting, local=local, pivots=pivots, least=least, loose=loose
    )


def plan_in_order(
    problem: Problem,
    chosen: Order,
    *,
    counting: bool,
    local: bool = True,
    pivots: bool = True,
    least: bool = True,
    loose: bool = False,
) -> Plan:
    """The plan that matches in a given order; options as in `make_plan`."""
    colors = problem.colors()
    restrictions = restrictions_for(problem.pattern, chosen.prefix, colors) if problem.unique else ()
    divisor = None
    if counting:
        divisor = remaining_symmetry(problem.pattern, chosen.prefix, colors) if problem.unique else 1
        # Cliques stay in order: each list is then read above its vertex only.
        if (chosen.loose or loose) and not is_plain_clique(problem):
            restrictions, factor = loosen(restrictions, chosen.prefix)
            divisor *= factor
    plan = assemble(problem, chosen, restrictions, divisor)
    plan = demand_candidates(plan, problem) if least else plan
    return choose_local(plan, problem, pivots=pivots) if local else plan
