"""Runs the terms of a formula one after the other, on whichever engine counts their plans."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from subiso.engine.base import Outcome, Params, StoppedBy, part_of
from subiso.plan.formula import Formula, Term
from subiso.plan.plan import Plan

CountPlan = Callable[[Plan, Params], tuple[int, StoppedBy | None]]
"""Counts what a plan finds; what stopped it before its end, if anything."""


def run_terms(formula: Formula, params: Params, started: float, count_plan: CountPlan) -> Outcome:
    """The formula's count; `started` is the moment that its seconds count from."""
    total = 0
    for i, term in enumerate(formula.terms):
        if i and params.poll is not None and params.poll():  # short plans never ask
            return Outcome(0, "cancelled", time.perf_counter() - started)
        step = replace(params, progress=part_of(params.progress, i, len(formula.terms)))
        part, stopped_by = _count_term(term, step, count_plan)
        total += term.coefficient * part
        if stopped_by is not None:
            # Parts of a formula are subtracted from each other, so an unfinished one says nothing.
            total = total if len(formula.terms) == 1 else 0
            return Outcome(total // formula.divisor, stopped_by, time.perf_counter() - started)
    return Outcome(total // formula.divisor, seconds=time.perf_counter() - started)


def _count_term(term: Term, params: Params, count_plan: CountPlan) -> tuple[int, StoppedBy | None]:
    known = params.known
    key = None if known is None else term.key
    if known is not None and key in known:
        return known[key], None
    part, stopped_by = count_plan(term.plan, params)
    if known is not None and key is not None and stopped_by is None:
        known[key] = part
    return part, stopped_by
