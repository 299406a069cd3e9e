"""Counts that the host is done with much sooner than kernels: by cuts whose parts these cannot multiply."""

from __future__ import annotations

from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.cuda.far import FarCsr
from subiso.engine.waiting import threads_of
from subiso.filter.resolve import Resolved
from subiso.plan.formula import Formula

LEAST_COST = 3e10
"""Operations of the kernels from which on the host's way is looked for, ..."""
_HOST_SPEED = 2e9
"""... what a thread of the host does in a second, ..."""
_DEVICE_SPEED = 5e10
"""... and what an H200 does, both by the planner's estimate, ..."""
_GAIN = 2.0
"""... and how many times as long the kernels must take."""


def host_formula(resolved: Resolved, params: Params, device_cost: float) -> Formula | None:
    """The host's way to count, where kernels would take much longer for theirs; None where they would not."""
    if device_cost < LEAST_COST or any(isinstance(csr, FarCsr) for csr in resolved.csrs):
        return None
    formula = cpu.formula_for(resolved, params)
    here = formula.cost / (threads_of(params) * _HOST_SPEED)
    return formula if _GAIN * here <= device_cost / _DEVICE_SPEED else None
