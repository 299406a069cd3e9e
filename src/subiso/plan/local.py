"""Pass: decides whether a counting plan is searched inside the seed's neighbourhood with bit rows."""

from __future__ import annotations

from dataclasses import replace

from subiso.plan.plan import CountTail, Local, Neighbors, Plan, SetExpression
from subiso.plan.problem import Problem

LEAST_CLIQUE = 4
"""Vertices of a clique that is counted by pivoting: with fewer there is nothing to choose."""
_LEAST_LEVELS = 3  # with fewer every row would be read about once, so building it is no gain


def choose_local(plan: Plan, problem: Problem, *, pivots: bool = True) -> Plan:
    """The plan, marked for local search where the seed is joined to every other vertex in one relation.

    `pivots` allows cliques to be counted without listing them.
    """
    if not isinstance(plan.tail, CountTail) or len(plan.order) < _LEAST_LEVELS:
        return plan
    relation = hub_relation(problem, plan.seed.vertex)
    if relation is None or problem.pairs or problem.edges_to_tell_apart or problem.loops:
        return plan
    above_seed = {b for a, b in plan.restrictions if a == plan.seed.vertex}
    above = len(above_seed) == problem.num_vertices - 1
    rows_above = all(_reads_above(e) for e in _expressions(plan))
    least = problem.num_vertices - 1 if problem.injective else 1
    # In order from end to end, so that every clique is found once.
    in_order = above and rows_above and len(plan.tail.vertices) == 1
    cliques = pivots and in_order and problem.num_vertices >= LEAST_CLIQUE and is_plain_clique(problem)
    return replace(plan, local=Local(relation, above, rows_above, least, cliques))


def is_plain_clique(problem: Problem) -> bool:
    """All vertices are joined by edges of one kind without direction, and nothing else is asked."""
    pairs = {frozenset((link.a, link.b)) for link in problem.links}
    relations = {relation for link in problem.links for relation in (link.forward, link.backward)}
    return (
        problem.injective
        and len(relations) == 1
        and len(pairs) == len(problem.links) == problem.num_vertices * (problem.num_vertices - 1) // 2
        and not (problem.forbidden or problem.pairs or problem.anchored or problem.imposed)
        and not any(problem.filters)
    )


def hub_relation(problem: Problem, hub: int) -> int | None:
    """The one relation in which every other vertex is a neighbour of the hub; None where there is none."""
    if any(hub in (link.a, link.b) for link in problem.forbidden):
        return None
    reached = {
        (link.a if link.b == hub else link.b, link.seen_from(hub))
        for link in problem.links
        if hub in (link.a, link.b)
    }
    relations = {relation for _, relation in reached}
    if len(relations) != 1 or len(reached) != problem.num_vertices - 1:
        return None
    return relations.pop()


def _expressions(plan: Plan) -> list[SetExpression]:
    assert isinstance(plan.tail, CountTail)
    return [
        *(step.expression for step in plan.sets),
        *(extend.candidates for extend in plan.extends),
        *(size.expression for size in plan.tail.sizes),
    ]


def _reads_above(e: SetExpression) -> bool:
    """True when every list after the seed's is only read above the vertex it belongs to."""
    lists = [o.list for o in e.operands]
    if isinstance(e.source, Neighbors):
        lists.append(e.source)
    return all(at.position == 0 or at.position in e.lower for at in lists)
