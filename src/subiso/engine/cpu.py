"""The CPU engine: counts from sums where that is quicker; else plans a query, lowers the plan and runs it on the native
core."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import Outcome, Params, Rows, StoppedBy
from subiso.engine.candidate_lists import Listed, list_candidates
from subiso.engine.candidates import count_candidates
from subiso.engine.lower import lower
from subiso.engine.query import Query
from subiso.engine.race import Race, may_eliminate, may_list, may_race
from subiso.engine.sums import SumsWay, is_sure, sums_way
from subiso.engine.terms import run_terms
from subiso.engine.waiting import TICK, Watch, check, threads_of, wait_for
from subiso.errors import CountOverflowError
from subiso.filter.clique_graph import searched_in
from subiso.filter.resolve import Resolved, resolve_for
from subiso.plan.choose import make_plan
from subiso.plan.formula import Formula, make_formula
from subiso.plan.plan import CountTail, Plan
from subiso.storage.statistics import statistics_of

_PATIENCE = 0.1
"""Seconds of a search until others are tried beside it: it may take far longer than was estimated."""


def count(query: Query, params: Params = Params()) -> Outcome:  # noqa: B008 (frozen)
    """Count the query's matches."""
    started = time.perf_counter()
    sums = sums_way(query, params)
    if is_sure(sums):
        return sums.count(params, started)
    resolved = resolve_for(query, params)
    return count_without_plan(resolved, params, started) or count_by_plans(resolved, params, started, sums)


def count_without_plan(resolved: Resolved, params: Params, started: float) -> Outcome | None:
    """The count where no plan is needed for it, or a candidate graph does better (engine/candidates.py)."""
    if resolved.hopeless:
        return Outcome(0, seconds=time.perf_counter() - started)
    found = count_candidates(
        resolved, params, threads_of(params), lambda: formula_for(resolved, params).cost, started
    )
    if found is None:
        return None
    return Outcome(found.count, found.stopped_by, time.perf_counter() - started)


def count_by_plans(
    resolved: Resolved, params: Params, started: float, sums: SumsWay | None = None
) -> Outcome:
    """The count by the cheapest formula, on the graph or on the candidate graph; from sums, where those are cheaper; or
    without a plan, by elimination or with failing sets, where that is there first."""
    race = may_race(resolved, params, 1, _PATIENCE) or may_eliminate(resolved, params, _PATIENCE)
    stats = statistics_of(resolved.layout.graph)
    resolved = searched_in(resolved, stats, params.switches)
    if resolved.hopeless:  # no vertex is left that could be in a clique
        return Outcome(0, seconds=time.perf_counter() - started)
    formula = formula_for(resolved, params)
    if sums is not None and sums.cost < formula.cost:
        return sums.count(params, started)
    if race is None:
        return run_formula(formula, resolved, params, started)
    race.searching()
    with race:
        poll = params.poll or (lambda: False)
        racing = replace(params, poll=lambda: poll() or race.overtakes())
        try:
            outcome = run_formula(formula, resolved, racing, started)
            if outcome.stopped_by is None or race.found is None:
                return outcome
        except MemoryError:
            if race.found is None:
                raise
        return Outcome(race.found.count, seconds=time.perf_counter() - started)


def formula_for(resolved: Resolved, params: Params) -> Formula:
    """How this engine counts."""
    switches = params.switches
    return make_formula(
        resolved.problem,
        statistics_of(resolved.layout.graph),
        expand=switches.expand,
        decompose=switches.decompose,
        codegrees=switches.codegrees,
        **switches.of_plans,
    )


def run_formula(formula: Formula, resolved: Resolved, params: Params, started: float) -> Outcome:
    """Run the plans of a formula one after the other; `started` is the moment that a timeout counts from."""
    return run_terms(formula, params, started, lambda plan, step: _count_plan(plan, resolved, step, started))


def _count_plan(
    plan: Plan, resolved: Resolved, params: Params, started: float
) -> tuple[int, StoppedBy | None]:
    counts, stopped_by = count_plans([plan], resolved, params, started)
    return counts[0], stopped_by


def count_plans(
    plans: Sequence[Plan], resolved: Resolved, params: Params, started: float
) -> tuple[list[int], StoppedBy | None]:
    """The counts of plans that begin with the same loops, in one search."""
    totals, stopped_by = finish(prepare(plans, resolved, params), params, started)
    divisors = [plan.tail.divisor for plan in plans if isinstance(plan.tail, CountTail)]
    return [total // divisor for total, divisor in zip(totals, divisors, strict=True)], stopped_by


def finish(run: Any, params: Params, started: float) -> tuple[list[int], StoppedBy | None]:
    """Run counting plans to their end, or until something stops them; their totals before division."""
    stopped_by = wait_for(run, params, started)
    totals = run.totals()
    if any(overflow for _, _, overflow in totals):
        raise CountOverflowError(
            "the count left the range of the 128-bit accumulators",
            hint="count parts of the graph: anchor a vertex of the pattern, or add a mask",
        )
    return [(high << 64) | low for high, low, _ in totals], stopped_by


def stream(query: Query, params: Params = Params()) -> CpuStream:  # noqa: B008 (frozen)
    """List the query's matches batch by batch, in no particular order."""
    return CpuStream(query, params)


class CpuStream:
    """An iterator over batches; workers run ahead by a few batches and then wait."""

    def __init__(self, query: Query, params: Params) -> None:
        started = time.perf_counter()
        self._columns = query.pattern.num_vertices
        self._run: Any = None
        self._watch: Watch | None = None
        self._race: Race[Listed] | None = None
        self._stopped_early: StoppedBy | None = None
        self._listed: Rows = np.empty((0, self._columns), np.uint32)
        """Rows that are there without the run, and not given yet."""
        switches = params.switches
        resolved = resolve_for(query, params)
        if resolved.hopeless:
            return
        listed = list_candidates(resolved, params, started)
        self._vertex_at, self._batch_rows = resolved.layout.vertex_at, params.batch_rows
        if listed is not None:
            self._listed, self._stopped_early = self._vertex_at[listed.rows], listed.stopped_by
            return
        race = may_list(resolved, params, _PATIENCE)
        stats = statistics_of(query.graph)
        resolved = searched_in(resolved, stats, switches)
        if not resolved.hopeless:
            plan = make_plan(resolved.problem, stats, counting=False, **switches.of_plans)
            self._run = prepare([plan], resolved, params)
            try:  # Ctrl-C may come while it starts
                self._watch = Watch(self._run, params, started)
                self._run.start()
                if race is not None:
                    self._race = race
                    race.searching()
            except BaseException:
                self._end()
                raise

    @property
    def stopped_by(self) -> StoppedBy | None:
        by_watch = self._watch.stopped_by if self._watch is not None else None
        return by_watch or self._stopped_early

    def __iter__(self) -> CpuStream:
        return self

    def __next__(self) -> Rows:
        while self._run is not None and self._watch is not None:
            done = self._run.done()
            batch = self._run.next_batch(TICK)
            if batch is not None:
                self._leave_race()
                self._watch.look()
                rows: Rows = batch.reshape(-1, self._columns)
                return rows
            if done:
                self._end()
                break
            self._watch.look()
            if self._watch.stopped_by is not None:
                self._leave_race()
            listed = self._race.look() if self._race is not None else None
            if listed is not None:
                self._listed = self._vertex_at[listed.rows]
                self._end(overtaken=True)
                break
        if not len(self._listed):
            raise StopIteration
        rows, self._listed = np.split(self._listed, [self._batch_rows])
        return rows

    def close(self) -> None:
        """Stop the workers and join their threads; before the end, that cancels the rest."""
        if self._run is not None or len(self._listed):
            self._stopped_early = self._stopped_early or "cancelled"
        self._listed = self._listed[:0]
        self._end()

    def _leave_race(self) -> None:
        """Once rows of the plan were given, it is the plan that gives the rest."""
        if self._race is not None:
            self._race.stop()
            self._race = None

    def _end(self, *, overtaken: bool = False) -> None:
        """Overtaken: nobody asks any more whether the run could do it."""
        self._leave_race()
        run, self._run = self._run, None
        if run is not None:
            run.close()
            if not overtaken:
                check(run)

    def __del__(self) -> None:
        self._leave_race()
        if self._run is not None:
            self._run.close()


def prepare(
    plans: Sequence[Plan], resolved: Resolved, params: Params, tally: NDArray[np.int64] | None = None
) -> Any:
    """A native run of a plan, or of several that count and have the same seeds; not yet started.

    `tally`: local counts to keep, as lower_tally writes them; for one plan.
    """
    code, filters = lower(plans)
    layout = resolved.layout
    checked = any(plan.edge_checks for plan in plans)
    entities = [layout.entities(r) for r in resolved.relations] if checked else []
    bitmaps = [np.bitwise_and.reduce([resolved.filters[f] for f in combined]) for combined in filters]
    seeds = seeds_of(plans[0], resolved)
    kept = (resolved, entities, bitmaps, seeds)  # the native side reads their memory
    return _native.make_run(
        kept,
        layout.num_vertices,
        [(csr.bounds, csr.neighbors) for csr in resolved.csrs],
        resolved.reverse,
        code,
        bitmaps,
        list(resolved.keys),
        [(e.offsets, e.neighbors, e.edge_ids) for e in entities],
        seeds,
        layout.vertex_at,
        params.batch_rows,
        threads_of(params),
        params.switches.setops,
        tally,
    )


def seeds_of(plan: Plan, resolved: Resolved) -> NDArray[np.uint32]:
    """The ranks that the plan's first loop runs over."""
    if not plan.seed.filter:
        return resolved.layout.all_ranks
    bits = np.bitwise_and.reduce([resolved.filters[f] for f in plan.seed.filter])
    seeds: NDArray[np.uint32] = _native.bit_positions(bits)
    return seeds
