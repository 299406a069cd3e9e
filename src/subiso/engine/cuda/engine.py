"""The CUDA engine on one machine or several: the same face as the CPU's. Plans a query, and runs it (runs.py)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from subiso.engine import cpu
from subiso.engine.base import Outcome, Params, StoppedBy
from subiso.engine.candidate_lists import listed_soon
from subiso.engine.candidates import Found
from subiso.engine.cuda.ahead import Begun, begin_all, hurrying, waiting
from subiso.engine.cuda.by_host import host_formula
from subiso.engine.cuda.by_parts import PartsRun, TooLarge, parted_formula
from subiso.engine.cuda.by_sums import SumsReport, SumsRun, SumsWay, prepare_sums, sums_way
from subiso.engine.cuda.by_twigs import Nothing, by_twigs
from subiso.engine.cuda.far import FarCsr
from subiso.engine.cuda.filters import DeviceNarrower
from subiso.engine.cuda.formula import device_formula
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.cuda.local import LocalReport
from subiso.engine.cuda.local_counts import OnDevice
from subiso.engine.cuda.machine import Machine, Needless
from subiso.engine.cuda.memory import Cache
from subiso.engine.cuda.motif_sums import MotifSums
from subiso.engine.cuda.pipeline import PipelineReport
from subiso.engine.cuda.runs import Runs
from subiso.engine.cuda.search import Report, SearchRun
from subiso.engine.cuda.set_of_sums import count_together
from subiso.engine.cuda.several import total_of
from subiso.engine.cuda.stream import CudaStream, Listing, Ready
from subiso.engine.cuda.times import Times, adding
from subiso.engine.cuda.tune import HOST_COST, HOST_SECONDS, Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query
from subiso.engine.race import Race, start
from subiso.engine.terms import run_terms
from subiso.engine.waiting import threads_of
from subiso.errors import DeviceMemoryError, UnsupportedError
from subiso.filter.clique_graph import searched_in
from subiso.filter.resolve import Resolved, resolve_for
from subiso.graph import Graph
from subiso.plan.choose import make_plan
from subiso.plan.formula import Formula
from subiso.plan.plan import Plan
from subiso.storage.statistics import statistics_of

AnyReport = Report | LocalReport | LevelsReport | PipelineReport | SumsReport


class CudaEngine(Runs):
    """Counts and lists on machines, which keep copies of the graphs they have seen."""

    def __init__(
        self,
        machine: Machine | Sequence[Machine],
        wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
        budget: int | None = None,
        schedule: str = "auto",
        caches: Sequence[Cache] | None = None,
        storage: str | None = None,
        host: bool = False,
        haste: bool = False,
    ) -> None:
        """`storage` is what neighbour lists are read through, one of storage.STORAGES; None = as the wishes say.

        `host`: the host counts as well, where it may be done sooner (engine/race.py). `haste`: short queries may run
        kernels that were compiled in haste, until others are there.
        """
        wishes = wishes if storage is None else replace(wishes, storage=storage)
        super().__init__(machine, wishes, budget, schedule, caches)
        self.host = host
        self.haste = haste
        self.last: AnyReport | None = None
        """What the last count or stream did on a device; None where it had no need of one."""

    def count(self, query: Query, params: Params = Params()) -> Outcome:  # noqa: B008 (frozen)
        """Count the query's matches."""
        started = time.perf_counter()
        self.last = None
        times = self.times = Times()
        watch = Watch(params, started)
        with adding(times, "filter"):
            resolved = resolve_for(query, params, self.narrower, watch.over)
            if resolved.hopeless:
                return Outcome(0, seconds=time.perf_counter() - started)
            if watch.stopped_by is not None:
                return Outcome(0, watch.stopped_by, time.perf_counter() - started)
        race = start(resolved, params, threads_of(params), started) if self.host else None
        if isinstance(race, Found):
            return Outcome(race.count, race.stopped_by, time.perf_counter() - started)
        if race is None:
            return self._count(query, resolved, params, started)
        with race:
            try:
                with waiting(self, race.overtakes_compiler):
                    outcome = self._count(query, resolved, params, started, race)
                if outcome.stopped_by is None or race.found is None:
                    return outcome
            except (Needless, DeviceMemoryError, UnsupportedError):
                if race.found is None:
                    raise
            return Outcome(race.found.count, seconds=time.perf_counter() - started)

    def _count(
        self,
        query: Query,
        resolved: Resolved,
        params: Params,
        started: float,
        race: Race[Found] | None = None,
    ) -> Outcome:
        """By kernels, unless the host wins a race."""
        watch = Watch(params, started, race)
        with adding(self.times, "filter"):
            resolved = self._on_candidates(resolved, params)
        if resolved.hopeless:
            return Outcome(0, seconds=time.perf_counter() - started)
        if self._by_twigs(resolved):
            prepare = partial(self.prepare_twigs, resolved, params, over=watch.over)
            total = self._run(lambda: prepare() or Nothing(), watch)
            return Outcome(total, watch.stopped_by, time.perf_counter() - started)
        if watch.answered():
            return Outcome(0, watch.stopped_by, time.perf_counter() - started)
        with adding(self.times, "plan"):
            formula = self.formula(resolved, params)
        soon = self._soon_on_host(formula, resolved, params)
        if soon is not None:
            return replace(soon, seconds=time.perf_counter() - started)
        with hurrying(self, formula.cost, params):
            way = self.sums_way(query, formula, params)
            if way is not None:
                with contextlib.suppress(DeviceMemoryError):  # plans need less of it
                    total = self._run(lambda: self.prepare_sums([way], query.graph), watch)
                    return Outcome(total, watch.stopped_by, time.perf_counter() - started)
            parted = self.parted(resolved, formula, params)
            # In a race the host has better than plans.
            on_host = None if race else self.on_host(resolved, parted or formula, params)
            if on_host is not None:
                return cpu.run_formula(on_host, resolved, params, started)
            if parted is not None:
                with contextlib.suppress(TooLarge):
                    return self._count_terms(parted, resolved, params, started, race)
            return self._count_terms(formula, resolved, params, started, race)

    def _count_terms(
        self, formula: Formula, resolved: Resolved, params: Params, started: float, race: Race[Found] | None
    ) -> Outcome:
        answered = Watch(params, started, race).answered()
        begun = {} if answered else begin_all(self, formula, resolved, params)

        def count_plan(plan: Plan, step: Params) -> tuple[int, StoppedBy | None]:
            watch = Watch(step, started, race)
            if watch.answered():
                return 0, watch.stopped_by
            return self._count_plan(plan, resolved, watch, begun.pop(id(plan), None)), watch.stopped_by

        return run_terms(formula, params, started, count_plan)

    def parted(self, resolved: Resolved, formula: Formula, params: Params = Params()) -> Formula | None:  # noqa: B008
        """A much cheaper formula, whose cuts have several parts; None = there is none."""
        alone = self.schedule == "auto" and len(self.machines) == 1
        return parted_formula(resolved, params, formula) if alone else None

    def on_host(self, resolved: Resolved, formula: Formula, params: Params = Params()) -> Formula | None:  # noqa: B008
        """The host's formula, where it takes much less time than this one; None = it does not, or may not count."""
        return host_formula(resolved, params, formula.cost) if self.host else None

    def _soon_on_host(self, formula: Formula, resolved: Resolved, params: Params) -> Outcome | None:
        """The count, where the host's plans are done before kernels would be launched."""
        here = not any(isinstance(csr, FarCsr) for csr in resolved.csrs)
        if not self.host or not here or formula.cost > HOST_COST:
            return None
        seconds = HOST_SECONDS if params.timeout is None else min(HOST_SECONDS, params.timeout)
        alone = replace(params, threads=1, timeout=seconds, progress=None)
        outcome = cpu.run_formula(formula, resolved, alone, time.perf_counter())
        return None if outcome.stopped_by == "timeout" else outcome

    def _on_candidates(self, resolved: Resolved, params: Params) -> Resolved:
        """The query on another graph where that pays; a storage that is named keeps the whole graph."""
        if resolved.hopeless or self.wishes.storage != "auto":
            return resolved
        return searched_in(resolved, statistics_of(resolved.layout.graph), params.switches, device=True)

    def _by_twigs(self, resolved: Resolved) -> bool:
        one = len(self.machines) == 1
        return by_twigs(one, self.machine.description, self.schedule, resolved) is not None

    @property
    def narrower(self) -> DeviceNarrower:
        """Who runs the filters: the first machine, or the host."""
        return DeviceNarrower(self.machine, self.caches[0], self.wishes.filters, self.wishes.hub_length)

    def formula(self, resolved: Resolved, params: Params = Params()) -> Formula:  # noqa: B008 (frozen)
        """How a query is counted on these machines: plans without parts, which their schedules can run."""
        budget, alone = self.caches[0].budget, len(self.machines) == 1
        return device_formula(resolved, params, self.schedule, budget, alone=alone)

    def sums_way(self, query: Query, formula: Formula, params: Params = Params()) -> SumsWay | None:  # noqa: B008
        """Passes over the graph that count the query in less time than the formula; None = there are none."""
        alone = self.schedule == "auto" and len(self.machines) == 1 and params.switches.sums
        return sums_way(query, formula.cost) if alone else None

    def prepare_sums(self, ways: Sequence[SumsWay], graph: Graph) -> SumsRun:
        """Everything up to the launches, for patterns of one size."""
        return prepare_sums(self, ways, graph)

    def count_together(
        self, queries: Sequence[Query], params: Params, note: Callable[[int, int], None]
    ) -> None:
        """Counts queries on one graph: those from sums share the passes that make them (cuda/set_of_sums.py)."""
        count_together(self, queries, params, note)

    def motif_sums(self, graph: Graph, size: int, params: Params) -> tuple[dict[str, int], StoppedBy | None]:
        """The sums that motif counts of that size are made of, on the first machine; what stopped it, if anything."""
        started = time.perf_counter()
        return self.prepare_motifs(graph, size).sums(params, started)

    def prepare_motifs(self, graph: Graph, size: int) -> MotifSums:
        """Everything up to the launches, on the first machine."""
        alone = len(self.machines) == 1 and self.schedule == "auto"
        engine = self if alone else CudaEngine(self.machine, self.wishes, caches=self.caches[:1])
        return MotifSums(engine, graph, size)

    def tallies(self) -> OnDevice:
        """Who runs the plans of local counts: the first machine."""
        return OnDevice(self)

    def stream(self, query: Query, params: Params = Params()) -> CudaStream:  # noqa: B008 (frozen)
        """List the query's matches batch by batch, in no particular order."""
        started = time.perf_counter()
        self.last = None
        watch = Watch(params, started)
        resolved = resolve_for(query, params, self.narrower, watch.over)
        if watch.stopped_by is not None:
            return CudaStream((), watch, self._note)
        first = self.host and not resolved.hopeless
        listed = listed_soon(resolved, params, started) if first else None
        if listed is not None:
            watch.stopped_by = listed.stopped_by
            rows = resolved.whole.vertex_at[listed.rows]
            return CudaStream([Ready(rows, params.batch_rows)] if len(rows) else (), watch, self._note)
        resolved = self._on_candidates(resolved, params)
        runs: Sequence[Listing] = ()
        if not resolved.hopeless and self._by_twigs(resolved):
            run = self.prepare_twigs(resolved, params, listing=True, over=watch.over)
            runs = () if run is None else (run,)
        elif not resolved.hopeless:
            stats = statistics_of(query.graph)
            plan = make_plan(resolved.problem, stats, counting=False, **params.switches.of_plans)
            with hurrying(self, plan.cost, params):
                runs = self.prepare_listing(plan, resolved, params.batch_rows)
        return CudaStream(runs, watch, self._note)

    def _note(self, report: AnyReport | None) -> None:
        self.last = report

    def _count_plan(self, plan: Plan, resolved: Resolved, watch: Watch, begun: Begun | None) -> int:
        if plan.parts:
            return self._run(lambda: PartsRun(self, plan, resolved), watch)
        if len(self.machines) == 1 or self.schedule == "levels":
            return self._run(lambda: self.prepare_count(plan, resolved, begun), watch)
        return self._run(lambda: _Together(self.prepare_all(plan, resolved)), watch)

    def _run(self, prepare: Callable[[], _Run], watch: Watch) -> int:
        """Prepares a run and counts, with notes on where the time goes."""
        spent = self.machine.spent
        before = replace(spent)
        run = prepare()
        ready = replace(spent)
        watch.begin()
        with adding(self.times, "search"):
            total = run.count(watch)
        self.times.search -= spent.compile - ready.compile
        self.times.compile += spent.compile - before.compile
        self.times.transfer += ready.transfer - before.transfer
        self.times.hasty += spent.hasty - before.hasty
        self.last = run.report()
        return total


class _Run(Protocol):
    """What counts, and says what it did."""

    def count(self, watch: Watch) -> int: ...

    def report(self) -> AnyReport | None: ...


class _Together:
    """Several machines that share a pool."""

    def __init__(self, runs: list[SearchRun]) -> None:
        self.runs = runs

    def count(self, watch: Watch) -> int:
        return self.runs[0].settled(total_of(self.runs, watch.shared(len(self.runs))))

    def report(self) -> Report:
        return self.runs[0].report()
