"""Schedule `local` on the host's side: seeds by neighbourhood size, launches, totals (see kernels/local.cuh)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.hubs import HubKernel
from subiso.engine.cuda.layout import CONTROL, FEW_FILTERS, FEW_RELATIONS, WIDE, offset_of
from subiso.engine.cuda.local_kernel import LocalKernel, fixed_local_tables
from subiso.engine.cuda.local_large import LargeSearch, are_all_large, large_searches
from subiso.engine.cuda.local_layout import LARGE, LOCAL_ARGS
from subiso.engine.cuda.local_seeds import seeds_by_size
from subiso.engine.cuda.local_tables import LoweredLocal
from subiso.engine.cuda.local_tune import (
    WORD,
    LocalWishes,
    SizeClass,
    grouped,
    rounds,
    row_words,
    size_classes,
    team_bytes,
    warp_limit,
)
from subiso.engine.cuda.machine import Buffer, Kernel, Machine, OutOfMemory
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.relations import relation_entries
from subiso.engine.cuda.search import SearchRun
from subiso.engine.cuda.tune import TOTAL_BYTES, Wishes, resident_blocks
from subiso.engine.cuda.watch import Watch
from subiso.filter.resolve import Resolved

_LEAST_SCRATCH = 1 << 16

SearchMaker = Callable[[NDArray[np.uint32]], SearchRun]
"""Makes a run of schedule `fine` for some of the seeds, without the plan's divisor."""


@dataclass(frozen=True)
class LocalReport:
    """What a run did: for explain, tests and ablations."""

    kernel: LocalKernel | None
    """The first one."""
    steps: tuple[str, ...]
    """Of all launches."""
    classes: tuple[SizeClass, ...]
    launches: int = 0
    search_bytes: int = 0
    """Device memory beside the graph."""
    fine_seeds: int = 0
    """Seeds whose rows did not fit: schedule `fine` searched them."""


@dataclass
class _Launch:
    """One kernel's launch."""

    kernel: LocalKernel
    blocks: int
    shared: int
    args: NDArray[Any]
    items: int
    ticket: int = -1
    """Its number among the tickets; -1 = it takes none."""
    counters: int = -1
    """Its first counter."""


class LocalRun(Buffers):
    """One counting query on one machine, ready to be launched again and again."""

    def __init__(
        self,
        machine: Machine,
        graph: DeviceGraph,
        resolved: Resolved,
        lowered: LoweredLocal,
        seeds: NDArray[np.uint32],
        make_fine: SearchMaker,
        *,
        wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
        later: bool = False,
    ) -> None:
        """`later` says that `prepare` will be called, when the kernels of several runs have been compiled."""
        super().__init__(machine)
        self.graph, self.resolved, self.make_fine = graph, resolved, make_fine
        self.lowered = lowered
        self.wishes: LocalWishes = wishes.local
        self.all_wishes = wishes
        self.launches = 0
        self.plan_text = fixed_local_tables(lowered) if wishes.fixed else None
        self.wide = any(csr.num_entries >= WIDE for csr in resolved.csrs)
        self.seeds, self.sizes = seeds_by_size(resolved, lowered, seeds)
        self.rows = self._rows(resolved)
        small = warp_limit(self.wishes, lowered.num_levels, len(self.sizes), machine.description)
        limits = self.wishes
        if are_all_large(lowered, self.wishes, self.plan_text is not None):
            limits = replace(limits, block_limit=min(limits.block_limit, small))
        self.classes = size_classes(self.sizes, small, limits)
        self.work: list[_Launch] = []
        self.num_counters = 0
        if not later:
            machine.load(self.kernels)
            self.prepare()

    @property
    def kernels(self) -> list[Kernel]:
        """What is going to be launched, as far as that can be known before anything is compiled."""
        hubs = [HubKernel(self.wide)] if self.all_wishes.hub_bytes else []
        return [*(kernel for c in self.classes for kernel in self._kernels(c)), *hubs]

    def prepare(self) -> None:
        """Everything between knowing the kernels and launching them."""
        self.args = self._args(self.graph, self.resolved)
        self._prepare()
        self._allocate_state()
        self.fine = self.make_fine(self.seeds[: self.too_large]) if self.too_large else None

    def count(self, watch: Watch) -> int:
        """The kernels' total, put right for symmetry; a part of it when the watch stopped the run."""
        total = 0
        if self.work:
            self.machine.write(self.state, self.image)
            for launch in self.work:
                self.launches += 1
                self.machine.launch(launch.kernel, launch.blocks, launch.shared, launch.args)
            snapshot = self.machine.snapshot(self.state, CONTROL.itemsize)
            watch.wait(self, snapshot)
            control = snapshot.value().view(CONTROL)[0]
            high, low = int(control["count_high"]), int(control["count_low"])
            total = ((high - (1 << 64) if high >> 63 else high) << 64) | low
        total *= self.lowered.coefficient
        if self.fine is not None and not watch.expired():
            total += self.fine.total(watch) * self.fine.lowered.coefficient
        return total // self.lowered.divisor

    def stop(self) -> None:
        """Ends a running launch early, and those behind it."""
        self.machine.poke(self.state, offset_of("stop"), 1)
        if self.fine is not None:
            self.fine.stop()

    def progress(self) -> float:
        """The fraction of all items that were taken up."""
        items = sum(launch.items for launch in self.work)
        taken = self.machine.read(self.state, 8 * len(self.work), CONTROL.itemsize).view(np.uint64)
        done = sum(min(int(taken[w.ticket]), w.items) for w in self.work if w.ticket >= 0)
        return min(1.0, done / max(items, 1))

    def report(self) -> LocalReport:
        first = self.work[0].kernel if self.work else None
        used = self.search_bytes + (self.fine.search_bytes if self.fine is not None else 0)
        steps = tuple(launch.kernel.step for launch in self.work)
        return LocalReport(first, steps, tuple(self.classes), self.launches, used, self.too_large)

    @property
    def columns(self) -> int:
        return self.lowered.num_levels

    # ---- launches ----------------------------------------------------------------------------------------------
    def _prepare(self) -> None:
        """The launches, largest neighbourhoods first."""
        self.too_large = 0
        scratch, words = self._scratch()
        for c in self.classes:
            kernels = self._kernels(c)
            if c.kind == "fine":
                self.too_large = c.end
            elif c.kind == "large":
                self._add_large(c, kernels, scratch, words)
            else:
                self._add_team(c, kernels[0])

    def _kernels(self, c: SizeClass) -> list[LocalKernel]:
        """What a class's launches run, in order."""
        threads = 32 * self.wishes.warps_per_block
        if c.kind == "fine":
            return []
        if c.kind == "large":
            plain = LocalKernel("build", wide_offsets=self.wide, threads=threads)
            return [replace(plain, step="clear"), plain, *(search.kernel for search in self._searches(c))]
        return [
            LocalKernel(
                "team",
                block=c.kind == "block",
                least_words=self._least_words(c),
                most_words=row_words(c.most),
                narrow=self.lowered.narrow,
                wide_offsets=self.wide,
                tables=self.plan_text,
                threads=threads,
            )
        ]

    def _scratch(self) -> tuple[Buffer | None, int]:
        """Memory for large neighbourhoods: what they need, or less. And its words."""
        large = [c for c in self.classes if c.kind == "large"]
        wanted = sum(int(self._row_words(c.first, c.end).sum()) for c in large)
        # Plans without rows, such as those of stars, have the memory all the same: its address goes to the kernels.
        nbytes = min(4 * max(wanted, len(large)), self.wishes.scratch_bytes)
        while nbytes:
            try:
                return self._allocate(nbytes), nbytes // 4
            except OutOfMemory:
                nbytes = nbytes // 2 if nbytes > _LEAST_SCRATCH else 0
        return None, 0

    def _rows(self, resolved: Resolved) -> NDArray[np.int64]:
        """Per seed, the members of its neighbourhood that have rows."""
        if self.lowered.above or not self.lowered.rows_after:
            return self.sizes.astype(np.int64)
        bounds = resolved.csrs[self.lowered.relation].bounds
        rows: NDArray[np.int64] = (bounds[2::2] - bounds[1::2])[self.seeds].astype(np.int64)
        return rows

    def _row_words(self, first: int, end: int) -> NDArray[np.int64]:
        """Words that the rows of large neighbourhoods take."""
        rows = self.lowered.num_matrices * self.rows[first:end] + len(self.lowered.filters)
        words: NDArray[np.int64] = rows * (-(-self.sizes[first:end].astype(np.int64) // WORD))
        return words

    def _add_large(
        self, c: SizeClass, kernels: list[LocalKernel], scratch: Buffer | None, budget: int
    ) -> None:
        needed = self._row_words(c.first, c.end)
        beyond = int(np.count_nonzero(needed > budget))  # the first ones, as sizes descend
        if beyond:
            self.too_large = c.first + beyond
        if beyond == c.count:
            return
        assert scratch is not None
        clear, build, *_ = kernels
        for begin, end in rounds(needed[beyond:], budget):
            args = self.args.copy()
            args["scratch"] = scratch.address
            seeds = c.first + beyond + begin, c.first + beyond + end
            parts: int | None = 1
            table = self._describe(args, *seeds, parts)
            batches = int(table["first_batch"][-1])
            self._add(clear, args, 0, items=0, tasks=self.wishes.chunk * batches)
            self._add(build, args, 0, items=batches, tasks=batches)
            for search in self._searches(c):
                if search.parts != parts:
                    parts = search.parts
                    table = self._describe(args, *seeds, parts)
                tasks = int(table["first_task"][self._having_more(search.beyond, *seeds)])
                if tasks == 0:
                    continue
                for name in ("capacity", "beyond", "vertices", "chunk"):
                    args[name] = getattr(search, name)
                args["parts"] = parts or 1
                self._add(search.kernel, args, search.shared, items=tasks, tasks=-(-tasks // search.chunk))

    def _having_more(self, neighbors: int, first: int, end: int) -> int:
        """The seeds, the first ones of some, that can have a second vertex with more neighbours than so many."""
        return int(np.count_nonzero(self.sizes[first:end] > neighbors + 1)) if neighbors else end - first

    def _searches(self, c: SizeClass) -> list[LargeSearch]:
        """The launches that search the rows of a class of large neighbourhoods."""
        threads = 32 * self.wishes.warps_per_block
        plain = LocalKernel("search", wide_offsets=self.wide, tables=self.plan_text, threads=threads)
        return large_searches(c, self.lowered, plain, self.wishes, self.machine.description)

    def _describe(self, args: NDArray[Any], first: int, end: int, parts: int | None) -> NDArray[Any]:
        """The table of large seeds, which is put on the device.

        `parts`: tasks of a second vertex; None = one per 32 words of its row.
        """
        sizes = self.sizes[first:end].astype(np.int64)
        words = -(-sizes // WORD)
        table = np.zeros(len(sizes) + 1, LARGE)
        table["vertex"][:-1], table["stride"][:-1] = self.seeds[first:end], words
        table["rows"][1:] = np.cumsum(self._row_words(first, end))
        table["first_batch"][1:] = np.cumsum(words)
        table["first_task"][1:] = np.cumsum(self.rows[first:end] * (parts or -(-words // WORD)))
        args["large"], args["num_seeds"] = self._upload(table), len(sizes)
        return table

    def _add_team(self, c: SizeClass, kernel: LocalKernel) -> None:
        lowered, wishes = self.lowered, self.wishes
        rows = int(self.rows[c.first : c.end].max())
        each = team_bytes(c.most, lowered.num_matrices * rows + len(lowered.filters), kernel.most_words)
        shared = each if kernel.block else each * wishes.warps_per_block
        args = self.args.copy()
        args["seeds"] = int(self.args["seeds"]) + 4 * c.first
        args["capacity"], args["row_capacity"], args["num_seeds"] = c.most, rows, c.count
        if kernel.block:
            args["helped"] = helped = min(c.count, 4 * self._resident(kernel, shared))
            items = c.count + helped * wishes.passes
            self._add(kernel, args, shared, items=items, tasks=items * wishes.warps_per_block)
            self.work[-1].counters = self.num_counters
            self.num_counters += c.count
            return
        warps = self._resident(kernel, shared) * wishes.warps_per_block
        starts = grouped(self.sizes[c.first : c.end], warps, wishes.items_per_warp)
        args["starts"] = self._upload(starts)
        self._add(kernel, args, shared, items=len(starts) - 1, tasks=len(starts) - 1)

    def _least_words(self, c: SizeClass) -> int:
        """Of a row. Plans in tables have code for one width: it is large enough."""
        return row_words(c.most if self.plan_text is None else c.least)

    def _add(self, kernel: LocalKernel, args: NDArray[Any], shared: int, *, items: int, tasks: int) -> None:
        """`tasks` many warps are of use."""
        args = args.copy()
        args["num_items"] = items
        warps = kernel.threads // 32
        shared = max(shared, TOTAL_BYTES * warps)
        blocks = min(self._resident(kernel, shared), max(-(-tasks // warps), 1))
        ticket = sum(w.ticket >= 0 for w in self.work) if items else -1
        self.work.append(_Launch(kernel, blocks, shared, args, items, ticket))

    def _resident(self, kernel: LocalKernel, shared: int) -> int:
        """Blocks that the device holds at once."""
        machine = self.machine
        most = machine.description.multiprocessors * resident_blocks(
            machine.description, kernel.threads // 32, shared, machine.registers(kernel)
        )
        return min(most, self.wishes.blocks or most)

    def _allocate_state(self) -> None:
        """The control block, a ticket per launch and the counters, cleared before every run by one copy."""
        tickets = CONTROL.itemsize
        counters = tickets + 8 * len(self.work)
        self.image = np.zeros(counters + 4 * self.num_counters, np.uint8)
        self.state = self._allocate(len(self.image))
        for launch in self.work:
            launch.args["control"] = self.state.address
            launch.args["ticket"] = self.state.address + tickets + 8 * max(launch.ticket, 0)
            if launch.counters >= 0:
                launch.args["counters"] = self.state.address + counters + 4 * launch.counters

    # ---- arguments ---------------------------------------------------------------------------------------------
    def _args(self, graph: DeviceGraph, resolved: Resolved) -> NDArray[Any]:
        args = np.zeros((), LOCAL_ARGS)
        relations = relation_entries(graph, resolved, self.all_wishes, self.kept, wide=self.wide)
        self._table(args, "relations", relations, FEW_RELATIONS)
        self._table(args, "filters", self._filters(resolved, self.lowered.filters), FEW_FILTERS)
        args["tables"] = self._upload(np.frombuffer(self.lowered.tables.tobytes(), np.uint8))
        args["seeds"] = self._upload(self.seeds)
        return args
