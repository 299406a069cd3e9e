"""What a query sees to before its first launch: whether kernels may be compiled in haste, and that those of all plans
of its formula are compiled side by side."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from subiso.engine.base import Params
from subiso.engine.cuda.choose import Choice
from subiso.engine.cuda.levels import LevelsRun
from subiso.engine.cuda.local import LocalRun
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.search import SearchRun
from subiso.engine.cuda.tune import HASTE_COST, worth_compiling
from subiso.engine.cuda.wedge import WedgeRun
from subiso.filter.resolve import Resolved
from subiso.plan.formula import Formula
from subiso.plan.plan import Plan

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine

CountingRun = SearchRun | WedgeRun | LocalRun | LevelsRun
"""Runs whose kernels are known before they are prepared."""


@dataclass(frozen=True)
class Begun:
    """A run that is still to be prepared, and why it is one of its kind."""

    choice: Choice
    run: CountingRun

    @property
    def kernels(self) -> list[Kernel]:
        return self.run.kernels


def hurrying(engine: CudaEngine, cost: float, params: Params) -> AbstractContextManager[object]:
    """Lets kernels be compiled in haste meanwhile, if a search of that cost is short."""
    stack = ExitStack()
    for machine in engine.machines:
        stack.enter_context(machine.hurrying(engine.haste and params.switches.haste and cost <= HASTE_COST))
    return stack


def waiting(engine: CudaEngine, needless: Callable[[], bool]) -> AbstractContextManager[object]:
    """Lets nobody wait for a compiler meanwhile once that is true."""
    stack = ExitStack()
    for machine in engine.machines:
        stack.enter_context(machine.waiting(needless))
    return stack


def begin_all(engine: CudaEngine, formula: Formula, resolved: Resolved, params: Params) -> dict[int, Begun]:
    """Runs of a formula's plans, by their ids; the kernels of all of them are there."""
    known = params.known or {}
    plans = [term.plan for term in formula.terms if not known or term.key not in known]
    plans = [plan for plan in plans if not plan.parts]  # these run one after the other
    if len(plans) < 2 or len(engine.machines) > 1:
        return {}
    begun = {id(plan): begin(engine, plan, resolved) for plan in plans}
    before = engine.machine.spent.compile
    engine.machine.load(kernel for one in begun.values() for kernel in one.kernels)
    engine.times.compile += engine.machine.spent.compile - before
    return begun


def begin(engine: CudaEngine, plan: Plan, resolved: Resolved) -> Begun:
    """The run of a plan that fits, up to where its kernels are known."""
    choice = engine.choose(plan, resolved)
    wishes = worth_compiling(plan.cost, engine.wishes)
    return Begun(choice, engine.begin(plan, resolved, choice, wishes, choice.sets, later=True))
