"""device="auto": long counts go to a CUDA device where there is one; everything else stays on the CPU."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace

from subiso.engine import cpu
from subiso.engine.base import DEVICE_COST, Outcome, Params
from subiso.engine.clock import Deadline
from subiso.engine.query import Query
from subiso.engine.sums import is_sure, sums_way
from subiso.errors import DeviceMemoryError, UnsupportedError
from subiso.filter.resolve import Resolved, resolve_for
from subiso.plan.formula import Formula


def count(query: Query, params: Params = Params()) -> Outcome:  # noqa: B008 (frozen)
    """Count on a device if that is likely to pay, and there is one."""
    started, deadline = time.perf_counter(), Deadline(params.timeout)
    sums = sums_way(query, params)
    if is_sure(sums) and sums.cost < DEVICE_COST:
        return sums.count(params, started)
    resolved = resolve_for(query, params)
    found = cpu.count_without_plan(resolved, params, started)
    if found is not None:
        return found
    if _pays(resolved, params)[0]:
        from subiso.engine import cuda

        try:
            counted = cuda.count(query, replace(params, timeout=deadline.left()))
            return replace(counted, seconds=time.perf_counter() - started)
        except (UnsupportedError, DeviceMemoryError) as error:  # the CPU takes everything
            warnings.warn(f"counting on the CPU: {error}", stacklevel=2)
    if is_sure(sums):
        return sums.count(params, started)
    return cpu.count_by_plans(resolved, params, started, sums)


def stream(query: Query, params: Params = Params()) -> cpu.CpuStream:  # noqa: B008 (frozen)
    """List on the CPU: rows have to come back to the host, which takes longer than finding them."""
    return cpu.stream(query, params)


def on_device(
    query: Query,
    params: Params = Params(),  # noqa: B008 (frozen)
    formula_for: Callable[[Resolved, Params], Formula] | None = None,
) -> tuple[bool, str]:
    """Whether a query is counted on a CUDA device, and why; `formula_for` says how it is counted otherwise.

    >>> from subiso import Graph, Pattern
    >>> from subiso.engine.query import make_query
    >>> on_device(make_query(Graph.from_edges([0, 1, 2], [1, 2, 0]), Pattern.clique(3)))
    (False, 'sums over the graph, about 1e+05 operations')
    """
    sums = sums_way(query, params) if formula_for is None else None
    if is_sure(sums) and sums.cost < DEVICE_COST:
        return False, f"sums over the graph, about {sums.cost:,.3g} operations"
    resolved = resolve_for(query, params)
    if resolved.hopeless:
        return False, "some vertex of the pattern has no candidate"
    return _pays(resolved, params, formula_for or cpu.formula_for)


def _pays(
    resolved: Resolved, params: Params, formula_for: Callable[[Resolved, Params], Formula] = cpu.formula_for
) -> tuple[bool, str]:
    if params.threads is not None:
        return False, "threads= was given"
    cost = formula_for(resolved, params).cost
    if cost < DEVICE_COST:
        return False, f"about {cost:,.3g} operations"
    from subiso.engine import cuda

    reason = cuda.why_not()
    return reason is None, reason or f"about {cost:,.3g} operations"
