"""What a query sees to before its first launch: whether kernels may be compiled in haste, and that those of all plans
of its formula are compiled side by side."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from subiso.engine.base import Params
from subiso.engine.cuda.choose import Choice
from subiso.engine.cuda.local import LocalRun
from subiso.engine.cuda.search import SearchRun
from subiso.engine.cuda.tune import HASTE_COST, worth_compiling
from subiso.engine.cuda.wedge import WedgeRun
from subiso.filter.resolve import Resolved
from subiso.plan.formula import Formula

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine

LaterRun = SearchRun | WedgeRun | LocalRun
"""Runs whose kernels are known before they are prepared."""


@dataclass(frozen=True)
class Begun:
    """A run that is still to be prepared, and why it is one of its kind."""

    choice: Choice
    run: LaterRun


def hurrying(engine: CudaEngine, cost: float, params: Params) -> AbstractContextManager[object]:
    """Lets kernels be compiled in haste meanwhile, if a search of that cost is short."""
    stack = ExitStack()
    for machine in engine.machines:
        stack.enter_context(machine.hurrying(engine.haste and params.switches.haste and cost <= HASTE_COST))
    return stack


def begin_all(engine: CudaEngine, formula: Formula, resolved: Resolved, params: Params) -> dict[int, Begun]:
    """Runs of a formula's plans, by their ids; the kernels of all of them are there."""
    known = params.known or {}
    plans = [term.plan for term in formula.terms if not known or term.key not in known]
    if len(plans) < 2 or len(engine.machines) > 1:
        return {}
    begun = {}
    for plan in plans:
        choice = engine.choose(plan, resolved)
        if choice.schedule != "levels":
            wishes = worth_compiling(plan.cost, engine.wishes)
            begun[id(plan)] = Begun(
                choice, engine.begin(plan, resolved, choice, wishes, choice.sets, later=True)
            )
    before = engine.machine.spent.compile
    engine.machine.load(kernel for one in begun.values() for kernel in one.run.kernels)
    engine.times.compile += engine.machine.spent.compile - before
    return begun
