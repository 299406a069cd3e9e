"""The CUDA engine on one machine: the same face as the CPU's. Plans a query, lowers the plan, runs schedule `fine`."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import Outcome, Params, Rows, StoppedBy
from subiso.engine.cuda.fine import FineRun, Report
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.tables import Lowered, lower_plan
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved, resolve
from subiso.graph.stats import Statistics, statistics_of
from subiso.plan.choose import make_plan
from subiso.plan.plan import Plan

_TAILS = (99, 3, 2, 1, 0)
"""Vertices that a counting tail may hold: the first that the kernels' tables can take."""


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
        self.last: Report | None = None
        """What the last finished run did."""

    def count(self, query: Query, params: Params = Params()) -> Outcome:  # noqa: B008 (frozen)
        """Count the query's matches."""
        started = time.perf_counter()
        run = self.prepare(query, params, counting=True)
        if run is None:
            return Outcome(0, seconds=time.perf_counter() - started)
        watch = Watch(params, started)
        total = run.count(watch)
        self.last = run.report()
        if params.progress is not None and watch.stopped_by is None:
            params.progress(1.0)
        return Outcome(total, watch.stopped_by, time.perf_counter() - started)

    def stream(self, query: Query, params: Params = Params()) -> CudaStream:  # noqa: B008 (frozen)
        """List the query's matches batch by batch, in no particular order."""
        return CudaStream(self, query, params)

    def prepare(self, query: Query, params: Params, *, counting: bool) -> FineRun | None:
        """Everything up to the launch; None where there is no match anyway."""
        resolved = resolve(query)
        if resolved.hopeless:
            return None
        plan, lowered = plan_for_tables(resolved, statistics_of(query.graph), counting=counting)
        return FineRun(
            self.machine,
            DeviceGraph(self.cache, resolved.layout),
            resolved,
            lowered,
            _seeds(plan, resolved),
            batch_rows=params.batch_rows,
            wishes=self.wishes,
        )


class CudaStream:
    """An iterator over batches; the device runs ahead by one buffer."""

    def __init__(self, engine: CudaEngine, query: Query, params: Params) -> None:
        self._engine = engine
        self._watch = Watch(params, time.perf_counter())
        self._run = engine.prepare(query, params, counting=False)
        self._batches: Iterator[Rows] = iter(()) if self._run is None else self._run.rows(self._watch)

    @property
    def stopped_by(self) -> StoppedBy | None:
        return self._watch.stopped_by

    def __iter__(self) -> CudaStream:
        return self

    def __next__(self) -> Rows:
        try:
            return next(self._batches)
        except StopIteration:
            self.close()
            raise

    def close(self) -> None:
        """Stop the search and let its memory go."""
        run, self._run = self._run, None
        self._batches = iter(())
        if run is not None:
            run.stop()
            self._engine.last = run.report()

    def __del__(self) -> None:
        self.close()


def plan_for_tables(resolved: Resolved, stats: Statistics, *, counting: bool) -> tuple[Plan, Lowered]:
    """The plan and its tables; a counting tail is made shorter until the tables can hold it."""
    for max_tail in _TAILS[:-1]:
        plan = make_plan(resolved.problem, stats, counting=counting, max_tail=max_tail)
        try:
            return plan, lower_plan(plan, stats.max_degree)
        except UnsupportedError:
            if not counting:
                raise
    plan = make_plan(resolved.problem, stats, counting=counting, max_tail=_TAILS[-1])
    return plan, lower_plan(plan, stats.max_degree)


def _seeds(plan: Plan, resolved: Resolved) -> NDArray[np.uint32]:
    if not plan.seed.filter:
        return resolved.layout.all_ranks
    seeds: NDArray[np.uint32] = _native.bit_positions(resolved.filters[plan.seed.filter[0]])
    return seeds
