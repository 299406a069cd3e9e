"""The CUDA engine on one machine or several: the same face as the CPU's. Plans a query, chooses a schedule, runs it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import Outcome, Params, Rows, StoppedBy, part_of
from subiso.engine.cuda.choose import choose_schedule
from subiso.engine.cuda.fine import FineRun, Report
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.several import rows_of, total_of
from subiso.engine.cuda.tables import lower_plan
from subiso.engine.cuda.times import Times, adding
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
    """Counts and lists on machines, which keep copies of the graphs they have seen."""

    def __init__(
        self,
        machine: Machine | Sequence[Machine],
        wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
        budget: int | None = None,
        schedule: str = "auto",
        caches: Sequence[Cache] | None = None,
    ) -> None:
        self.machines = tuple(machine) if isinstance(machine, Sequence) else (machine,)
        self.machine = self.machines[0]
        self.wishes = wishes
        self.schedule = schedule
        self.caches = caches or [Cache(m, budget) for m in self.machines]
        self.last: Report | None = None
        """What the last finished run did."""

    def count(self, query: Query, params: Params = Params()) -> Outcome:  # noqa: B008 (frozen)
        """Count the query's matches."""
        started = time.perf_counter()
        times = Times()
        with adding(times, "filter"):
            resolved = resolve(query)
        if resolved.hopeless:
            return Outcome(0, seconds=time.perf_counter() - started)
        with adding(times, "plan"):
            formula = fitting_formula(resolved, params)
        total = 0
        for i, term in enumerate(formula.terms):
            watch = Watch(replace(params, progress=part_of(params.progress, i, len(formula.terms))), started)
            total += term.coefficient * self._count_plan(term.plan, resolved, watch, times)
            if watch.stopped_by is not None:
                # Parts of a formula are subtracted from each other, so an unfinished one says nothing.
                total = total if len(formula.terms) == 1 else 0
                return Outcome(total // formula.divisor, watch.stopped_by, time.perf_counter() - started)
        return Outcome(total // formula.divisor, seconds=time.perf_counter() - started)

    def stream(self, query: Query, params: Params = Params()) -> CudaStream:  # noqa: B008 (frozen)
        """List the query's matches batch by batch, in no particular order."""
        return CudaStream(self, query, params)

    def prepare(self, plan: Plan, resolved: Resolved, batch_rows: int = 65_536) -> FineRun:
        """Everything up to the launch, on the first machine."""
        return self.prepare_all(plan, resolved, batch_rows, 1)[0]

    def prepare_all(
        self, plan: Plan, resolved: Resolved, batch_rows: int = 65_536, most: int | None = None
    ) -> list[FineRun]:
        """Everything up to the launch, on every machine."""
        description, words = self.machine.description, self.wishes.arena_words
        choice = choose_schedule(plan, resolved, description, self.schedule, words)
        # Machines that share a pool must all find the same rows in it: edges or seeds, not what one of them has grown.
        wishes = replace(self.wishes, tau=0) if len(self.machines) > 1 else self.wishes
        runs: list[FineRun] = []
        for machine, cache in list(zip(self.machines, self.caches, strict=True))[:most]:
            run = FineRun(
                machine,
                DeviceGraph(cache, resolved.layout),
                resolved,
                plan,
                _seeds(plan, resolved),
                sets=choice.sets,
                batch_rows=batch_rows,
                wishes=wishes,
                pool_warps=runs[0].pool_warps if runs else None,
            )
            runs.append(run)
        return runs

    def _count_plan(self, plan: Plan, resolved: Resolved, watch: Watch, times: Times) -> int:
        spent = self.machine.spent
        before = replace(spent)
        runs = self.prepare_all(plan, resolved)
        ready = replace(spent)
        with adding(times, "search"):
            alone = len(runs) == 1
            total = runs[0].total(watch) if alone else total_of(runs, watch.shared(len(runs)))
        times.search -= spent.compile - ready.compile
        times.compile += spent.compile - before.compile
        times.transfer += ready.transfer - before.transfer
        self.last = replace(runs[0].report(), times=times)
        return runs[0].settled(total)


class CudaStream:
    """An iterator over batches; the device runs ahead by one buffer."""

    def __init__(self, engine: CudaEngine, query: Query, params: Params) -> None:
        self._engine = engine
        self._watch = Watch(params, time.perf_counter())
        self._runs: list[FineRun] = []
        self._batches: Iterator[Rows] = iter(())
        resolved = resolve(query)
        if not resolved.hopeless:
            stats = statistics_of(query.graph)
            plan = make_plan(resolved.problem, stats, counting=False, **_plan_options(params))
            runs = self._runs = engine.prepare_all(plan, resolved, params.batch_rows)
            alone = len(runs) == 1
            self._batches = (
                runs[0].rows(self._watch) if alone else rows_of(runs, self._watch.shared(len(runs)))
            )

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
        if self._runs:
            self._watch.stopped_by = self._watch.stopped_by or "cancelled"
            self._stop()
        self._end()

    def _stop(self) -> None:
        for run in self._runs:
            run.stop()

    def _end(self) -> None:
        runs, self._runs = self._runs, []
        batches, self._batches = self._batches, iter(())
        if isinstance(batches, Generator):
            batches.close()
        if runs:
            self._engine.last = runs[0].report()

    def __del__(self) -> None:
        self._stop()


def fitting_formula(resolved: Resolved, params: Params) -> Formula:
    """How to count, with tails that the kernels' tables can hold."""
    options = {**_plan_options(params), "expand": params.switches.expand}
    stats = statistics_of(resolved.layout.graph)
    longest = max((csr.longest[0] for csr in resolved.csrs), default=0)
    for max_tail in (params.switches.max_tail, *_SHORTER_TAILS):
        options["max_tail"] = min(max_tail, params.switches.max_tail)
        formula = make_formula(resolved.problem, stats, **options)
        try:
            for term in formula.terms:
                lower_plan(term.plan, longest)
        except UnsupportedError:
            if max_tail == _SHORTER_TAILS[-1]:
                raise
        else:
            break
    return formula


def _plan_options(params: Params) -> dict[str, Any]:
    return {"order": params.switches.order, "max_tail": params.switches.max_tail, "local": False}


def _seeds(plan: Plan, resolved: Resolved) -> NDArray[np.uint32]:
    if not plan.seed.filter:
        return resolved.layout.all_ranks
    seeds: NDArray[np.uint32] = _native.bit_positions(resolved.filters[plan.seed.filter[0]])
    return seeds
