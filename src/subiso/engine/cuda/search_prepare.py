"""What a run of schedules `fine` and `stack` needs before its first launch: kernel, launch configuration, buffers and
arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.hubs import HubKernel
from subiso.engine.cuda.kernel import SearchKernel, fixed_tables
from subiso.engine.cuda.layout import ARGS, CONTROL, FEW_FILTERS, FEW_KEYS, FEW_RELATIONS, WIDE, offset_of
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.machine import Kernel, Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.pool import DEEP_UNITS, LIGHT_UNITS, Class, edge_classes, pool_of, units_of
from subiso.engine.cuda.relations import relation_entries
from subiso.engine.cuda.sets import KeptSets, lists_of
from subiso.engine.cuda.slices import Sliced, slice_lists
from subiso.engine.cuda.state import RunState
from subiso.engine.cuda.storage import choose_storage, store_entries
from subiso.engine.cuda.tables import cut_short, first_lists
from subiso.engine.cuda.tune import LaunchConfig, Needs, Wishes, tune
from subiso.filter.resolve import Resolved
from subiso.plan.plan import Plan
from subiso.storage.layout import RelationCsr

_LEAST_ABOVE_SIZES = 8
"""Tasks worth handing over where sizes are counted below each: that is more work than a check."""


@dataclass(frozen=True)
class _Grower:
    """The launch that lists the partial matches of two vertices as the initial pool."""

    kernel: SearchKernel
    config: LaunchConfig
    args: NDArray[Any]


class PreparedSearch(Buffers):
    """One query on one machine; SearchRun launches it."""

    def __init__(
        self,
        machine: Machine,
        graph: DeviceGraph,
        resolved: Resolved,
        plan: Plan,
        seeds: NDArray[np.uint32],
        *,
        sets: KeptSets = KeptSets(),  # noqa: B008 (frozen)
        look_up: bool = False,
        batch_rows: int = 65_536,
        wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
        pool_warps: int | None = None,
        some: bool = False,
        later: bool = False,
    ) -> None:
        """`pool_warps` is for whom the initial pool is cut into units: those of all machines that share it.

        `some` says that the seeds are not all that the plan has, `later` that `prepare` will be called, when the
        kernels of several runs have been compiled side by side.
        """
        super().__init__(machine)
        self.some = some
        self.graph, self.resolved, self.plan = graph, resolved, plan
        self.kept_sets = sets
        self.wishes = wishes
        reverse = resolved.reverse if look_up else None
        self.lowered = lower_plan(plan, resolved.longest, self.kept_sets.numbers, reverse)
        self.num_seeds = len(seeds)
        self.wide = any(csr.num_entries >= WIDE for csr in resolved.csrs)
        self.storage = choose_storage(resolved, wishes.storage, wide=self.wide).name
        labelled = self.storage == "label_csr"
        self.sliced = slice_lists(self.lowered, resolved) if labelled else Sliced(self.lowered)
        self.first_edges = self._first_edges(seeds) if wishes.edges else None
        self.seeds, self.pool_warps, self.batch_rows = seeds, pool_warps or 0, batch_rows
        self.kernel = self._kernel()
        self.expected: LaunchConfig | None = None
        self.expected = self._tune(self._needs(self._usual_registers))
        if self.kernel.tables is None:
            self.kernel = replace(self.kernel, threads=self.expected.threads)
        if not later:
            machine.load(self.kernels)
            self.prepare()

    @property
    def kernels(self) -> list[Kernel]:
        """What is going to be launched, as far as that can be known before anything is compiled."""
        hubs = [HubKernel(self.wide)] if self.storage == "csr" and self.wishes.hub_bytes else []
        grower = [self._grower_kernel()] if self.expected is not None and self.expected.grow else []
        return [self.kernel, *grower, *hubs]

    @property
    def columns(self) -> int:
        return self.lowered.num_levels

    @property
    def _usual_registers(self) -> int:
        """About as many as the kernel will have."""
        return 64

    def prepare(self) -> None:
        """Everything between knowing the kernel and launching it."""
        self.config = self._tune(self._needs(self.machine.registers(self.kernel)))
        self.kernel = replace(self.kernel, threads=self.config.threads)
        self.pool_warps = self.pool_warps or self.config.warps
        self.state = RunState(self.machine, self.config)
        self.search_bytes += self.state.nbytes
        self.args = self._args(self.seeds, self.wishes)
        self.launches = 0
        self.states = [self.state]
        self.last = np.zeros((), CONTROL)
        self.grower = self._grower() if self.config.grow else None

    def _kernel(self) -> SearchKernel:
        lowered, wishes = self.lowered, self.wishes
        return SearchKernel(
            tail=lowered.tail,
            edges=lowered.edges,
            wide_offsets=self.wide,
            tables=fixed_tables(self.sliced.lowered) if wishes.fixed else None,
            threads=32 * (wishes.warps_per_block or 4),
            measure=wishes.measure,
            batch=wishes.batch,
            share=wishes.share and not self.light,
            least=_LEAST_ABOVE_SIZES if lowered.tail == "sizes" else SearchKernel.least,
            sets=lowered.num_sets > 0,
            stop_level=wishes.stop_level,
            detect_level=wishes.detect_level,
            narrow=lowered.narrow,
            store=self.storage,
        )

    def _tune(self, needs: Needs) -> LaunchConfig:
        return tune(self.machine.description, needs, self.wishes)

    # ---- arguments ---------------------------------------------------------------------------------------------
    def _first_edges(self, seeds: NDArray[np.uint32]) -> tuple[RelationCsr, int] | None:
        """The relation whose edges are the initial pool, and the operation of level 1 that it stands for.

        None where edges say too little (a pattern of one edge), too much (few seeds), or too late (edges that have
        to be told apart).
        """
        lowered = self.lowered
        deep = lowered.num_levels >= (2 if lowered.tail == "sizes" else 3)
        if not deep or lowered.edges:
            return None
        if not self.some and 4 * len(seeds) < len(self.resolved.layout.all_ranks):
            return None
        if self.some and not self._are_the_last(seeds):
            return None
        lists = [(self.resolved.csrs[at.relation], at.origin) for at in first_lists(lowered)]
        return min(lists, key=lambda found: found[0].num_entries, default=None)

    def _are_the_last(self, seeds: NDArray[np.uint32]) -> bool:
        """True when the seeds are all vertices from some rank on: their edges stand together then."""
        return len(seeds) > 0 and len(seeds) == len(self.resolved.layout.all_ranks) - int(seeds.min())

    @property
    def light(self) -> bool:
        """An edge of the initial pool leads to one operation on sets: there is nothing to hand over."""
        lowered = self.lowered
        return self.first_edges is not None and lowered.num_levels == {"sizes": 2, "count": 3}.get(
            lowered.tail
        )

    def _needs(self, registers: int) -> Needs:
        lowered, csrs = self.lowered, self.resolved.csrs
        edges = 0 if self.first_edges is None else self.first_edges[0].num_entries
        if not edges and lowered.stack_levels >= 2:
            # The second vertex comes from one of the seed's lists, so the shortest relation bounds the pairs.
            lists = [n for e in self.plan.extends[:1] for n in lists_of(self.plan, e.candidates)]
            edges = min((csrs[at.relation].num_entries for at in lists), default=0)
        return Needs(
            stack_levels=lowered.stack_levels,
            num_seeds=self.num_seeds,
            num_edges=edges,
            from_edges=self.first_edges is not None,
            light=self.light,
            num_sets=lowered.num_sets,
            set_words=self.kept_sets.words,
            registers=registers,
            columns=lowered.num_levels if lowered.tail == "rows" else 0,
            batch_rows=self.batch_rows,
        )

    def _args(self, seeds: NDArray[np.uint32], wishes: Wishes) -> NDArray[Any]:
        args = np.zeros((), ARGS)
        graph, resolved, lowered = self.graph, self.resolved, self.lowered
        if self.storage == "csr":
            relations = relation_entries(graph, resolved, wishes, self.kept, wide=self.wide)
        else:
            relations = store_entries(graph, resolved, self.storage, self.kept, self.sliced.slices)
        self._table(args, "relations", relations, FEW_RELATIONS)
        self._table(args, "filters", self._filters(resolved, lowered.filters), FEW_FILTERS)
        self._table(args, "keys", [self._upload(key) for key in resolved.keys], FEW_KEYS)
        if lowered.edges:
            args["entities"] = self._entities(resolved)
        args["tables"] = self._upload(np.frombuffer(self.sliced.lowered.tables.tobytes(), np.uint8))
        args["row_stride"], args["column_stride"], args["keep"] = self.columns, 1, 1
        args["translate"] = graph.vertex_at().address
        self._fill_pool(args, seeds)
        self._fill_arenas(args)
        self.state.fill(args, self.config)
        self.kept.append(seeds)
        return args

    def _fill_pool(self, args: NDArray[Any], seeds: NDArray[np.uint32]) -> None:
        whole = seeds is self.resolved.layout.all_ranks
        start = self.graph.array(seeds).address if whole else self._upload(seeds)
        chunk = max(1, min(self.config.chunk, len(seeds) // (2 * self.pool_warps)))
        classes = [Class(0, 0, chunk)]
        args["seeds"] = pool_of(start, len(seeds), classes=classes)
        self.units = units_of(len(seeds), classes)
        if self.first_edges is None:
            return
        csr, origin = self.first_edges
        sources = self.graph.sources(csr)
        plain = self.storage == "csr"  # other stores may keep their lists in another order
        neighbors = (
            self.graph.csr(csr, wide=self.wide).neighbors if plain else self.graph.array(csr.neighbors)
        )
        self.kept += [sources, neighbors]
        entries = csr.num_entries
        rows = entries - int(csr.bounds[2 * int(seeds.min())]) if self.some else entries
        classes = edge_classes(csr, self.pool_warps, LIGHT_UNITS if self.light else DEEP_UNITS)
        self.units = units_of(rows, classes)
        args["pool"] = pool_of(
            sources.address,
            rows,
            width=2,
            seconds=neighbors.address,
            capacity=entries,
            origin=origin,
            classes=classes,
        )

    def _fill_arenas(self, args: NDArray[Any]) -> None:
        if not self.lowered.num_sets:
            return
        words = self.config.arena_words
        arenas = self._allocate(4 * words * self.config.warps)
        args["arenas"], args["arena_words"] = arenas.address, words
        limits = self.kept_sets.limits(self.plan, words, self.lowered.num_levels)
        args["arena_limits"][: len(limits)] = limits

    # ---- the initial pool, grown on the device -----------------------------------------------------------------
    def _grower_kernel(self) -> SearchKernel:
        return replace(self.kernel, tail="rows", tables=None, sets=False, tally=False)

    def _grower(self) -> _Grower:
        # Whatever its ops of level 1 read, the pool's rows are found without kept sets.
        short = cut_short(lower_plan(self.plan, 0), 2)
        config = replace(self.config, stack_levels=short.stack_levels, num_sets=0)
        capacity = config.pool_capacity
        pool = self._allocate(2 * capacity * 4)
        state = RunState(self.machine, config)
        self.states.append(state)
        self.search_bytes += state.nbytes
        args = self.args.copy()
        state.fill(args, config)
        args["tables"] = self._upload(np.frombuffer(short.tables.tobytes(), np.uint8))
        args["rows"], args["row_capacity"] = pool.address, capacity
        args["row_stride"], args["column_stride"], args["translate"], args["keep"] = 1, capacity, 0, 0
        grown = state.buffer.address + offset_of("rows")
        classes = [Class(0, 0, self.config.chunk)]
        self.args["pool"] = pool_of(pool.address, 0, width=2, grown=grown, capacity=capacity, classes=classes)
        return _Grower(self._grower_kernel(), config, args)
