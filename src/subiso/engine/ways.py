"""The ways to estimate a count by random walks: a plan to walk down and a proposal, the most promising first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.walks import Proposal, Tree, Walks
from subiso.filter.resolve import Resolved
from subiso.plan.choose import make_plan
from subiso.plan.plan import CountTail, Plan
from subiso.plan.problem import Problem
from subiso.storage.statistics import Statistics

# Measured on social networks; which one is best also depends on the graph, so pilots decide.
OPEN = (Proposal(closing=0.25, shared=0.5), Proposal(closing=0.25))
"""For patterns in which no vertex hangs on an edge."""
CLOSED = (
    Proposal(closing=0.25, triangles=1.0, shared=0.5),
    Proposal(closing=0.0, triangles=0.9, shared=0.5),
)


@dataclass(frozen=True)
class Way:
    """A way to walk."""

    walks: Walks
    divisor: int
    """The walks' estimates are this many times the count."""


def ways_to_walk(resolved: Resolved, stats: Statistics, params: Params) -> Iterator[Way]:
    """The ways that are worth a try, each prepared when it is asked for; none when there can be no match."""
    # Walks that keep to restrictions often end in nothing: all embeddings are sampled, and divided by the symmetry.
    problem = replace(resolved.problem, unique=False)
    symmetry = 1
    if resolved.problem.unique:
        symmetry = problem.pattern.automorphism_count(extra_colors=problem.colors())
    for plan in _plans(problem, stats, params):
        assert isinstance(plan.tail, CountTail)
        run, seeds = cpu.prepare([plan], resolved, params), cpu.seeds_of(plan, resolved)
        for how in CLOSED if Tree(plan, problem, hang=True).hanging else OPEN:
            walks = Walks(run, plan, resolved, seeds, how)
            if not walks.possible:
                return
            yield Way(walks, plan.tail.divisor * symmetry)


def _plans(problem: Problem, stats: Statistics, params: Params) -> Iterator[Plan]:
    options = {**params.switches.of_plans, "local": False}
    known: list[Plan] = []
    for order in ("cost", "ri"):
        plan = make_plan(problem, stats, counting=True, **{**options, "order": order})
        if all((plan.extends, plan.tail) != (other.extends, other.tail) for other in known):
            known.append(plan)
            yield plan
