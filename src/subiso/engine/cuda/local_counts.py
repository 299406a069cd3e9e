"""Local counts on a device: formulas whose plans its tables can hold, and how a plan of them runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from subiso.engine.base import Params, StoppedBy
from subiso.engine.cuda.ahead import hurrying
from subiso.engine.cuda.formula import SHORTER_TAILS
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.watch import Watch
from subiso.engine.local import Counts
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved
from subiso.plan.formula import Formula, Term, make_formula
from subiso.plan.plan import Plan
from subiso.plan.tally import Tally
from subiso.storage.statistics import statistics_of

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine


class OnDevice:
    """Runs the plans of local counts on an engine's first machine (engine/local.py asks)."""

    def __init__(self, engine: CudaEngine) -> None:
        self.engine = engine

    def formula(self, resolved: Resolved, params: Params) -> Formula:
        """The one with the longest tails that fit."""
        switches, stats = params.switches, statistics_of(resolved.layout.graph)
        tails = [switches.max_tail, *(t for t in SHORTER_TAILS if t < switches.max_tail)]
        for tail in tails:
            options = {**switches.of_plans, "max_tail": tail}
            formula = make_formula(resolved.problem, stats, expand=switches.expand, by_role=True, **options)
            try:
                for term in formula.terms:
                    lower_plan(term.plan, resolved.longest)
            except UnsupportedError:
                if tail == tails[-1]:
                    raise
            else:
                break
        return formula

    def plan(self, term: Term, resolved: Resolved, params: Params, wide: bool) -> Plan:
        if wide:
            raise UnsupportedError(
                "local counts that may not fit into 64 bits, on a device", hint='use device="cpu"'
            )
        return term.plan

    def run(
        self, plan: Plan, tally: Tally, resolved: Resolved, params: Params, started: float, wide: bool
    ) -> tuple[int, StoppedBy | None, list[Counts]]:
        """The total and the columns, before division."""
        watch = Watch(params, started)
        with hurrying(self.engine, plan.cost, params):
            total, columns = self.engine.prepare_tally(plan, resolved, tally).counts(watch)
        return total, watch.stopped_by, [column.view(np.int64) for column in columns]
