"""The CUDA engine on one machine: the same face as the CPU's. Plans a query, lowers the plan, runs a schedule."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import Outcome, Params, Rows, StoppedBy, part_of
from subiso.engine.cuda.fine import FineRun, Report
from subiso.engine.cuda.local import LocalReport, LocalRun
from subiso.engine.cuda.local_tables import lower_local
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.tables import Lowered, lower_plan
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved, resolve
from subiso.plan.choose import make_plan
from subiso.plan.formula import Formula, make_formula
from subiso.plan.plan import Plan
from subiso.storage.statistics import statistics_of

_SHORTER_TAILS = (3, 2, 1, 0)


class CudaEngine:
    """Counts and lists on a machine, which keeps copies of the graphs it has seen."""

    def __init__(
        self,
        machine: Machine,
        wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
        budget: int | None = None,
    ) -> None:
        self.machine = machine
        self.wishes = wishes
        self.cache = Cache(machine, budget)
        self.last: Report | LocalReport | None = None
        """What the last finished run did."""

    def count(self, query: Query, params: Params = Params()) -> Outcome:  # noqa: B008 (frozen)
        """Count the query's matches."""
        started = time.perf_counter()
        resolved = resolve(query)
        if resolved.hopeless:
            return Outcome(0, seconds=time.perf_counter() - started)
        formula = fitting_formula(resolved, params)
        total = 0
        for i, term in enumerate(formula.terms):
            watch = Watch(replace(params, progress=part_of(params.progress, i, len(formula.terms))), started)
            total += term.coefficient * self._count_plan(term.plan, resolved, watch)
            if watch.stopped_by is not None:
                # Parts of a formula are subtracted from each other, so an unfinished one says nothing.
                total = total if len(formula.terms) == 1 else 0
                return Outcome(total // formula.divisor, watch.stopped_by, time.perf_counter() - started)
        return Outcome(total // formula.divisor, seconds=time.perf_counter() - started)

    def stream(self, query: Query, params: Params = Params()) -> CudaStream:  # noqa: B008 (frozen)
        """List the query's matches batch by batch, in no particular order."""
        return CudaStream(self, query, params)

    def prepare(self, plan: Plan, resolved: Resolved, batch_rows: int = 65_536) -> FineRun:
        """Schedule `fine`, everything up to the launch."""
        lowered = lower_plan(plan, _longest_list(resolved))
        return self._fine(lowered, resolved, _seeds(plan, resolved), batch_rows)

    def prepare_count(self, plan: Plan, resolved: Resolved) -> FineRun | LocalRun:
        """The schedule that fits a counting plan, everything up to the launch."""
        longest = _longest_list(resolved)
        fine = lower_plan(plan, longest)
        try:
            local = lower_local(plan, resolved.reverse, longest) if plan.local is not None else None
        except UnsupportedError:  # its tables are smaller in some respects
            local = None
        if local is None:
            return self._fine(fine, resolved, _seeds(plan, resolved))
        return LocalRun(
            self.machine,
            DeviceGraph(self.cache, resolved.layout),
            resolved,
            local,
            _seeds(plan, resolved),
            lambda seeds: self._fine(replace(fine, divisor=1), resolved, seeds),
            wishes=self.wishes,
        )

    def _fine(
        self, lowered: Lowered, resolved: Resolved, seeds: NDArray[np.uint32], batch_rows: int = 65_536
    ) -> FineRun:
        graph = DeviceGraph(self.cache, resolved.layout)
        return FineRun(
            self.machine, graph, resolved, lowered, seeds, batch_rows=batch_rows, wishes=self.wishes
        )

    def _count_plan(self, plan: Plan, resolved: Resolved, watch: Watch) -> int:
        run = self.prepare_count(plan, resolved)
        total = run.count(watch)
        self.last = run.report()
        return total


class CudaStream:
    """An iterator over batches; the device runs ahead by one buffer."""

    def __init__(self, engine: CudaEngine, query: Query, params: Params) -> None:
        self._engine = engine
        self._watch = Watch(params, time.perf_counter())
        self._run: FineRun | None = None
        self._batches: Iterator[Rows] = iter(())
        resolved = resolve(query)
        if not resolved.hopeless:
            stats = statistics_of(query.graph)
            plan = make_plan(resolved.problem, stats, counting=False, **_plan_options(params))
            self._run = engine.prepare(plan, resolved, params.batch_rows)
            self._batches = self._run.rows(self._watch)

    @property
    def stopped_by(self) -> StoppedBy | None:
        return self._watch.stopped_by

    def __iter__(self) -> CudaStream:
        return self

    def __next__(self) -> Rows:
        try:
            return next(self._batches)
        except StopIteration:
            self._end()
            raise

    def close(self) -> None:
        """Stop the search and let its memory go; before the end, that cancels the rest."""
        if self._run is not None:
            self._watch.stopped_by = self._watch.stopped_by or "cancelled"
            self._run.stop()
        self._end()

    def _end(self) -> None:
        run, self._run = self._run, None
        self._batches = iter(())
        if run is not None:
            self._engine.last = run.report()

    def __del__(self) -> None:
        if self._run is not None:
            self._run.stop()


def fitting_formula(resolved: Resolved, params: Params) -> Formula:
    """How to count, with tails that the kernels' tables can hold."""
    options = {**_plan_options(params), "expand": params.switches.expand}
    stats = statistics_of(resolved.layout.graph)
    for max_tail in (params.switches.max_tail, *_SHORTER_TAILS):
        options["max_tail"] = min(max_tail, params.switches.max_tail)
        formula = make_formula(resolved.problem, stats, **options)
        try:
            for term in formula.terms:
                lower_plan(term.plan, _longest_list(resolved))
        except UnsupportedError:
            if max_tail == _SHORTER_TAILS[-1]:
                raise
        else:
            break
    return formula


def _longest_list(resolved: Resolved) -> int:
    """No neighbour list of the graph is longer."""
    graph = resolved.layout.graph

    def measure() -> int:
        degrees = np.diff(graph.out.offsets)
        if graph.directed:
            degrees = degrees + np.diff(graph.in_.offsets)
        return int(degrees.max(initial=0))

    return graph.derived("longest list", measure)


def _plan_options(params: Params) -> dict[str, Any]:
    switches = params.switches
    return {"order": switches.order, "max_tail": switches.max_tail, "local": switches.local}


def _seeds(plan: Plan, resolved: Resolved) -> NDArray[np.uint32]:
    if not plan.seed.filter:
        return resolved.layout.all_ranks
    seeds: NDArray[np.uint32] = _native.bit_positions(resolved.filters[plan.seed.filter[0]])
    return seeds
