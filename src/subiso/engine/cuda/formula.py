"""Formulas that kernels can run: parts as loops, tails that fit into their tables, or have room on the device."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from subiso.engine.base import Params
from subiso.engine.cuda.choose import takes_codegrees
from subiso.engine.cuda.levels_prepare import tail_is_beyond
from subiso.engine.cuda.lowering import lower_plan
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved
from subiso.plan.flatten import flatten
from subiso.plan.formula import Formula, make_formula
from subiso.storage.statistics import statistics_of

SHORTER_TAILS = (6, 5, 4, 3, 2, 1, 0)


def device_formula(resolved: Resolved, params: Params, schedule: str, budget: int, *, alone: bool) -> Formula:
    """How a schedule counts on one device (`alone`) or several, of whose memory graphs may take so many bytes."""
    codegrees = alone and params.switches.codegrees and takes_codegrees(schedule, resolved.problem)
    formula = fitting_formula(resolved, params, codegrees=codegrees)
    if schedule in ("auto", "levels") and any(
        tail_is_beyond(term.plan, resolved, budget) for term in formula.terms
    ):
        params = replace(params, switches=replace(params.switches, max_tail=0))
        formula = fitting_formula(resolved, params, codegrees=codegrees)
    return formula


def fitting_formula(resolved: Resolved, params: Params, *, codegrees: bool) -> Formula:
    """How to count, with plans that the kernels' tables can hold."""
    switches = params.switches
    ways: list[dict[str, Any]] = [
        {"max_tail": switches.max_tail, "decompose": switches.decompose, "codegrees": codegrees},
        *([{"max_tail": switches.max_tail, "decompose": switches.decompose}] if codegrees else []),
        *({"max_tail": tail} for tail in (switches.max_tail, *SHORTER_TAILS)),
    ]
    stats = statistics_of(resolved.layout.graph)
    for way in ways:
        options = {**switches.of_plans, "expand": switches.expand, "most_parts": 1, **way}
        options["max_tail"] = min(options["max_tail"], switches.max_tail)
        formula = flat_formula(make_formula(resolved.problem, stats, **options))
        if formula is None:
            continue
        try:
            for term in formula.terms:
                lower_plan(
                    term.plan, resolved.longest, reverse=resolved.reverse if term.plan.codegrees else None
                )
        except UnsupportedError:
            if way is ways[-1]:
                raise
        else:
            break
    assert formula is not None, "a plan without cuts has no parts"
    return formula


def flat_formula(formula: Formula) -> Formula | None:
    """The formula with parts as loops; None where a plan has two parts with loops."""
    terms = []
    for term in formula.terms:
        plan = flatten(term.plan)
        if plan is None:
            return None
        terms.append(replace(term, plan=plan))
    return replace(formula, terms=tuple(terms))
