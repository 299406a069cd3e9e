"""Everything up to the launch: what makes a run of a plan, by the schedule that it has, on one machine or several."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.cuda.ahead import Begun, CountingRun
from subiso.engine.cuda.by_twigs import plan_twigs
from subiso.engine.cuda.choose import Choice, choose_schedule
from subiso.engine.cuda.levels import LevelsRun
from subiso.engine.cuda.levels_tune import LEAST_TABLE_BYTES
from subiso.engine.cuda.local import LocalRun
from subiso.engine.cuda.machine import Machine, OutOfMemory
from subiso.engine.cuda.memory import Cache, DeviceGraph, GuestCache
from subiso.engine.cuda.pipeline import PipelineRun
from subiso.engine.cuda.pipeline_tune import frugal
from subiso.engine.cuda.search import SearchRun
from subiso.engine.cuda.sets import KeptSets
from subiso.engine.cuda.stream import Listing
from subiso.engine.cuda.tally import TallyRun
from subiso.engine.cuda.times import Times, adding
from subiso.engine.cuda.tune import Wishes, worth_compiling
from subiso.engine.cuda.wedge import WedgeRun
from subiso.errors import DeviceMemoryError
from subiso.filter.candidate_graph import CandidateLayout
from subiso.filter.clique_graph import CliqueLayout
from subiso.filter.resolve import Resolved
from subiso.plan.plan import Plan
from subiso.plan.tally import Tally
from subiso.plan.twig_plan import TwigPlan

Made = TypeVar("Made")


class Runs:
    """Machines, with copies of the graphs they have seen, and how they are wished to run plans."""

    def __init__(
        self,
        machine: Machine | Sequence[Machine],
        wishes: Wishes,
        budget: int | None,
        schedule: str,
        caches: Sequence[Cache] | None,
    ) -> None:
        self.machines = tuple(machine) if isinstance(machine, Sequence) else (machine,)
        self.machine = self.machines[0]
        self.wishes = wishes
        self.schedule = schedule
        self.caches = caches or [Cache(m, budget) for m in self.machines]
        self._guests: WeakKeyDictionary[CandidateLayout, dict[int, Cache]] = WeakKeyDictionary()
        self.times = Times()
        """Where the seconds of the last count went."""

    def choose(self, plan: Plan, resolved: Resolved) -> Choice:
        """The schedule that runs a plan."""
        wanted = "stack" if self.schedule == "auto" and len(self.machines) > 1 else self.schedule
        return choose_schedule(plan, resolved, self.machine.description, wanted, self.wishes.arena_words)

    def prepare(self, plan: Plan, resolved: Resolved, batch_rows: int = 65_536) -> SearchRun:
        """Everything up to the launch, on the first machine."""
        return self.prepare_all(plan, resolved, batch_rows, 1)[0]

    def prepare_all(
        self, plan: Plan, resolved: Resolved, batch_rows: int = 65_536, most: int | None = None
    ) -> list[SearchRun]:
        """Everything up to the launch, on every machine."""
        choice = self.choose(plan, resolved)
        seeds = cpu.seeds_of(plan, resolved)

        def make(wishes: Wishes, sets: KeptSets) -> list[SearchRun]:
            runs: list[SearchRun] = []
            for number in range(len(self.machines))[:most]:
                warps = runs[0].pool_warps if runs else None
                runs.append(self._search(number, plan, resolved, seeds, sets, wishes, batch_rows, warps))
            return runs

        return self._in_memory(plan, choice, make)

    def prepare_listing(self, plan: Plan, resolved: Resolved, batch_rows: int) -> Sequence[Listing]:
        """Runs that list matches: one per machine, by schedule `levels` one alone."""
        choice = self.choose(plan, resolved)
        if choice.schedule != "levels":
            return self.prepare_all(plan, resolved, batch_rows)
        return [self._in_memory(plan, choice, partial(self._levels, plan, resolved, batch_rows))]

    def prepare_count(self, plan: Plan, resolved: Resolved, begun: Begun | None = None) -> CountingRun:
        """A counting run by the schedule that fits the plan, everything up to the launch, on the first machine."""
        choice = begun.choice if begun is not None else self.choose(plan, resolved)

        def make(wishes: Wishes, sets: KeptSets) -> CountingRun:
            nonlocal begun
            mine, begun = begun, None
            if mine is not None:
                try:
                    mine.run.prepare()
                    return mine.run
                except (OutOfMemory, DeviceMemoryError):
                    # Tables of `levels` may be smaller, or have parts of the graph beside them.
                    if choice.schedule != "levels":
                        raise
            return self.begin(plan, resolved, choice, wishes, sets)

        return self._in_memory(plan, choice, make)

    def begin(
        self,
        plan: Plan,
        resolved: Resolved,
        choice: Choice,
        wishes: Wishes,
        sets: KeptSets,
        later: bool = False,
    ) -> CountingRun:
        """A counting run on the first machine; with `later` up to where its kernels are known."""
        if choice.schedule == "levels":
            return self._levels(plan, resolved, 0, wishes, sets, later)
        seeds = cpu.seeds_of(plan, resolved)
        graph = self._graph(0, resolved)
        if choice.local is not None:
            return LocalRun(
                self.machine,
                graph,
                resolved,
                choice.local,
                seeds,
                lambda some: self._search(0, plan, resolved, some, sets, wishes, some=True),
                wishes=wishes,
                later=later,
            )
        if choice.wedges is None:
            assert not plan.codegrees, "such a plan begins at a table that only schedule wedge has"
            return self._search(0, plan, resolved, seeds, sets, wishes, later=later)
        return WedgeRun(
            self.machine, graph, resolved, plan, seeds, choice.wedges, sets=sets, wishes=wishes, later=later
        )

    def prepare_tally(self, plan: Plan, resolved: Resolved, tally: Tally) -> TallyRun:
        """Local counts of a plan, everything up to the launch, on the first machine."""
        wanted = "fine" if self.schedule == "fine" else "stack"
        choice = choose_schedule(plan, resolved, self.machine.description, wanted, self.wishes.arena_words)

        def make(wishes: Wishes, sets: KeptSets) -> TallyRun:
            graph, seeds = self._graph(0, resolved), cpu.seeds_of(plan, resolved)
            wishes = replace(wishes, storage="csr")  # edges are numbered as their entries in these lists
            return TallyRun(tally, self.machine, graph, resolved, plan, seeds, sets=sets, wishes=wishes)

        return self._in_memory(plan, choice, make)

    def prepare_twigs(
        self,
        resolved: Resolved,
        params: Params = Params(),  # noqa: B008 (frozen)
        *,
        listing: bool = False,
        over: Callable[[], bool] = lambda: False,
    ) -> PipelineRun | None:
        """A run of schedule `pipeline`, everything up to the first relation; None where some twig has no match, or time
        is `over` before that is known."""
        with adding(self.times, "plan"):
            query = plan_twigs(resolved, params, self.wishes, over, listing=listing)
        if query is None:
            return None
        choice, cache = Choice("pipeline", ""), self._graph(0, resolved).cache
        return self._in_memory(query.plan, choice, lambda w, _: query.run(self.machine, cache, w))

    def _levels(
        self,
        plan: Plan,
        resolved: Resolved,
        batch_rows: int,
        wishes: Wishes,
        _: KeptSets,
        later: bool = False,
    ) -> LevelsRun:
        graph = self._graph(0, resolved)
        seeds = cpu.seeds_of(plan, resolved)
        while True:
            try:
                return LevelsRun(
                    self.machine,
                    graph,
                    resolved,
                    plan,
                    seeds,
                    wishes=wishes,
                    batch_rows=batch_rows,
                    later=later,
                )
            except DeviceMemoryError:
                if wishes.levels.partition is not None:
                    raise
                wishes = replace(wishes, levels=replace(wishes.levels, partition=True))
            except OutOfMemory:
                smaller = wishes.levels.table_bytes // 4
                if smaller < LEAST_TABLE_BYTES:
                    raise
                wishes = replace(wishes, levels=replace(wishes.levels, table_bytes=smaller))

    def _search(
        self,
        machine: int,
        plan: Plan,
        resolved: Resolved,
        seeds: NDArray[np.uint32],
        sets: KeptSets,
        wishes: Wishes,
        batch_rows: int = 65_536,
        pool_warps: int | None = None,
        some: bool = False,
        later: bool = False,
    ) -> SearchRun:
        # Machines that share a pool must all find the same rows in it: edges or seeds, not what one of them has grown.
        tau = 0 if len(self.machines) > 1 else wishes.tau
        return SearchRun(
            self.machines[machine],
            self._graph(machine, resolved),
            resolved,
            plan,
            seeds,
            sets=sets,
            batch_rows=batch_rows,
            wishes=replace(wishes, tau=tau),
            pool_warps=pool_warps,
            some=some,
            later=later,
        )

    def _in_memory(
        self, plan: Plan | TwigPlan, choice: Choice, make: Callable[[Wishes, KeptSets], Made]
    ) -> Made:
        """A run; where memory is short, a frugal one: few blocks, no kept sets, no bit rows of hubs, no other graph."""
        wishes = worth_compiling(plan.cost, self.wishes)
        with contextlib.suppress(OutOfMemory):
            return make(wishes, choice.sets)
        for cache in self.caches:
            cache.clear()
        few = min(wishes.blocks or sys.maxsize, self.machine.description.multiprocessors)
        own = frugal(wishes.pipeline, self.machine.description.memory)
        try:
            return make(replace(wishes, blocks=few, hub_bytes=0, pipeline=own), KeptSets())
        except OutOfMemory as error:
            description = self.machine.description
            raise DeviceMemoryError(
                f"{description.name} has no room for the search: beside the graph it takes a buffer of "
                f"{error.nbytes:,} bytes (all memory: {description.memory:,})",
                hint='free some of its memory, or use device="cpu"',
            ) from None

    def _graph(self, machine: int, resolved: Resolved) -> DeviceGraph:
        """The machine's copies; those of a candidate graph go with the query, those of cliques are kept."""
        layout, cache = resolved.layout, self.caches[machine]
        if isinstance(layout, CandidateLayout) and not isinstance(layout, CliqueLayout):
            cache = self._guests.setdefault(layout, {}).setdefault(machine, GuestCache(cache))
        return DeviceGraph(cache, layout)
