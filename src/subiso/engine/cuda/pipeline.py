"""Schedule `pipeline` on the host's side: hash tables of all relations but the probe, whose rows are listed on the CPU
and sent through the joins in chunks (see kernels/pipeline.cuh). The CPU lists one while the device joins another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.base import Rows
from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.hubs import HubKernel
from subiso.engine.cuda.layout import FEW_KEYS, FEW_RELATIONS, WIDE, offset_of
from subiso.engine.cuda.machine import Buffer, Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.pipeline_build import JoinTable
from subiso.engine.cuda.pipeline_feed import Feeder
from subiso.engine.cuda.pipeline_kernel import BuildKernel, JoinKernel
from subiso.engine.cuda.pipeline_tables import JOIN_ARGS, JOIN_CONTROL, lower_twigs, put_weight
from subiso.engine.cuda.pipeline_tune import (
    extra_room,
    padded,
    part_rows,
    state_capacity,
    table_bytes,
    unit_rows,
)
from subiso.engine.cuda.relations import relation_entries
from subiso.engine.cuda.tune import Wishes, resident_blocks
from subiso.engine.cuda.watch import Watch
from subiso.engine.twigs import RowSource, TwigMatcher, Weight
from subiso.plan.twig_plan import TwigPlan

_WARPS = 4
_ROW_BYTES = 64 << 20
_MOST_TURNS = 1 << 20
_RUN_BYTES = 16  # of the control block: what belongs to the whole run


@dataclass(frozen=True)
class PipelineReport:
    """What a run did: for explain, tests and ablations."""

    kernel: JoinKernel
    plan: TwigPlan
    launches: int = 0
    chunks: int = 0
    parts: int = 0
    """Combinations of parts of hash tables that the probe went through; 1 where all fitted."""
    probe_rows: int = 0
    """Listed on the CPU, over all parts."""
    table_rows: tuple[int, ...] = ()
    states: int = 0
    """Saved by lanes, to go on in a later launch."""
    listing: float = 0.0
    """Seconds that the CPU listed relations."""
    waiting: float = 0.0
    """Seconds that the device had nothing to do meanwhile."""
    search_bytes: int = 0
    """Device memory."""


class PipelineRun(Buffers):
    """One query on one machine, ready to be launched: `count` or `rows`."""

    def __init__(
        self,
        machine: Machine,
        graph: DeviceGraph,
        matcher: TwigMatcher,
        plan: TwigPlan,
        *,
        weights: Sequence[Weight] = (),
        listing: bool = False,
        batch_rows: int = 65_536,
        wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
    ) -> None:
        super().__init__(machine)
        self.matcher, self.plan = matcher, plan
        self.wishes, self.own = wishes, wishes.pipeline
        self.batch_rows = batch_rows
        self.lowered = lower_twigs(plan)
        self.warps_per_block = wishes.warps_per_block or _WARPS
        self.wide = any(csr.num_entries >= WIDE for csr in matcher.resolved.csrs)
        self.kernel = JoinKernel(
            listing, self.lowered.edges, bool(weights), self.wide, 32 * self.warps_per_block
        )
        hubs = [HubKernel(self.wide)] if wishes.hub_bytes else []
        machine.load([self.kernel, BuildKernel(), *hubs])
        self.shared = 128 * self.warps_per_block * self.lowered.lane_words
        self.blocks = self._blocks()
        self.feeder = Feeder(self)
        self.tables = self._join_tables()
        self.args = self._args(graph)
        self._put_weights(weights)
        self._begin()
        self.launches = self.chunks = self.parts = self.probe_rows = self.states = 0

    @property
    def columns(self) -> int:
        return len(self.plan.order)

    # ---- the face ------------------------------------------------------------------------------------------------
    def count(self, watch: Watch) -> int:
        """The number of matches; a part of it when the watch stopped the run."""
        try:
            for _ in self._launch_all(watch):
                self._finish(watch)
        finally:
            self.feeder.close()
        return int(self.last["count_high"]) << 64 | int(self.last["count_low"])

    def rows(self, watch: Watch) -> Iterator[Rows]:
        """Batches of matches. While one buffer is read, the joins fill the other."""
        launches = self._launch_all(watch)
        outputs = self._outputs()
        try:
            mine = next(outputs)
            more = next(launches, False)
            while more:
                found = min(int(self._finish(watch)["rows"]), self._room(mine))
                other = next(outputs)
                more = next(launches, False)
                if found:
                    table = self.machine.read(mine, found * self.columns * 4).view(np.uint32)
                    table = table.reshape(found, self.columns)
                    for begin in range(0, found, self.batch_rows):
                        yield table[begin : begin + self.batch_rows]
                mine = other
        finally:
            self.feeder.close()

    def stop(self) -> None:
        """Ends a running launch, and the listing of rows."""
        self.machine.poke(self.state, offset_of("stop"), 1)
        self.feeder.stop()

    def progress(self) -> float:
        """The fraction of the roots of the relation at hand that were taken up."""
        source = self.feeder.source
        return 0.0 if source is None else source.progress()

    def report(self) -> PipelineReport:
        return PipelineReport(
            self.kernel,
            self.plan,
            self.launches,
            self.chunks,
            self.parts,
            self.probe_rows,
            tuple(table.rows for table in self.tables),
            self.states,
            self.feeder.listing,
            self.feeder.waiting,
            self.search_bytes,
        )

    # ---- launches ------------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        """Nothing is counted or saved; a run before this one may have been stopped."""
        self.last = np.zeros((), JOIN_CONTROL)
        self.states_begin = self.num_states = 0
        self.least_turns = self.own.least_turns

    def _launch_all(self, watch: Watch) -> Iterator[bool]:
        """One launch after the other. Each must be waited for (`_finish`) before the next is asked for."""
        self._begin()
        self.machine.write(self.state, self.last)
        self.machine.clear(self.units)
        for _ in self._all_parts(watch):
            self.parts += 1
            for rows in self._all_chunks(watch):
                self.last["next"] = 0
                while self.last["next"] < rows or self.last["units_left"]:
                    yield self._launch(rows)
                    if watch.expired():
                        return
            while self.num_states and not watch.expired():
                yield self._launch(0)

    def _launch(self, rows: int) -> bool:
        """The next launch on the chunk that is there, or on saved states only."""
        args, states = self.args, self.num_states
        args["num_rows"], args["unit"] = rows, unit_rows(rows, self.warps, self.own.unit)
        args["states_begin"], args["num_states"] = self.states_begin, states
        args["extra_room"] = extra_room(self.state_capacity, 32 * self.warps, states)
        args["least_turns"] = self.least_turns
        control = np.zeros((), JOIN_CONTROL)
        control["next"] = self.last["next"]
        self.machine.write(self.state, np.frombuffer(control.tobytes()[_RUN_BYTES:], np.uint8), _RUN_BYTES)
        self.machine.launch(self.kernel, self.blocks, self.shared, args)
        self.snapshot = self.machine.snapshot(self.state, JOIN_CONTROL.itemsize)
        self.launches += 1
        return True

    def _finish(self, watch: Watch) -> NDArray[Any]:
        """Waits for the launch, and notes which states are left."""
        watch.wait(self, self.snapshot)
        watch.look(self)
        self.last = self.snapshot.value().view(JOIN_CONTROL)[0].copy()
        before, taken = self.num_states, min(int(self.last["taken"]), self.num_states)
        saved = int(self.last["saved"])
        self.states_begin = (self.states_begin + taken) % self.state_capacity
        self.num_states += saved - taken
        self.states += saved
        # Giving work back that cannot be split any further is no use: let it go on for longer.
        stuck = 0 < self.num_states <= before and not self.last["full"]
        self.least_turns = min(2 * self.least_turns, _MOST_TURNS) if stuck else self.own.least_turns
        return self.last

    def _all_parts(self, watch: Watch, number: int = 0) -> Iterator[None]:
        """Every combination of the tables' parts, once; a table that is whole is built only once."""
        if number == len(self.tables):
            self.machine.write(self.plan_buffer, np.frombuffer(self.lowered.tables.tobytes(), np.uint8))
            yield
            return
        table = self.tables[number]
        if table.whole:
            yield from self._all_parts(watch, number + 1)
            return
        for part in table.build(self.machine, self.feeder, watch):
            self.lowered.tables["steps"][number]["table"] = part
            yield from self._all_parts(watch, number + 1)
            if watch.expired():
                return

    def _all_chunks(self, watch: Watch) -> Iterator[int]:
        """The probe's rows, a chunk of them on the device at a time; while it is there the next one is listed."""
        source = self.matcher.scan(self.plan.probe)
        sizes = [min(self.own.first_chunk, self.chunk_rows), self.chunk_rows]
        number, size = 0, sizes[0]
        ahead = self._list(source, number, size)
        while rows := self.feeder.wait(watch, ahead):
            host, ended = self.hosts[number % 2], rows < size
            number, size = number + 1, sizes[1]
            if self.own.overlap and not ended:
                ahead = self._list(source, number, size)
            for begin in range(0, len(host), self.chunk_rows):
                self.machine.write(self.probe, host[begin : begin + rows], 4 * begin)
            self.chunks += 1
            self.probe_rows += rows
            yield rows
            if ended:
                return
            if not self.own.overlap:
                ahead = self._list(source, number, size)

    def _list(self, source: RowSource, number: int, most: int) -> Future[int]:
        host = self.hosts[number % 2]
        return self.feeder.start(source, lambda: source.columns(host, self.chunk_rows, most))

    # ---- memory --------------------------------------------------------------------------------------------------
    def _blocks(self) -> int:
        machine = self.machine
        resident = resident_blocks(
            machine.description, self.warps_per_block, self.shared, machine.registers(self.kernel)
        )
        return self.wishes.blocks or machine.description.multiprocessors * resident

    @property
    def warps(self) -> int:
        return self.blocks * self.warps_per_block

    def _join_tables(self) -> list[JoinTable]:
        joins = self.plan.joins
        budget = table_bytes(self.own, self.machine.description.memory)
        most = part_rows([j.build.rows for j in joins], [1 + len(j.build.columns) for j in joins], budget)
        tables = []
        for join, rows in zip(joins, most, strict=True):
            pool, heads = (self._allocate(nbytes) for nbytes in JoinTable.nbytes(join, rows))
            tables.append(JoinTable(self.matcher, join, rows, pool, heads))
        return tables

    def _put_weights(self, weights: Sequence[Weight]) -> None:
        self.lowered.tables["num_weights"] = len(weights)
        for entry, weight in zip(self.lowered.tables["weights"][: len(weights)], weights, strict=True):
            bits = 0 if weight.bits is None else self._upload(weight.bits)
            put_weight(entry, weight, self.plan, self._upload(weight.values), bits)

    def _outputs(self) -> Iterator[Buffer]:
        """Two buffers in turn, the first one small; the next launch writes into the last one given."""
        capacity = self.wishes.row_capacity or max(self.batch_rows, _ROW_BYTES // (4 * self.columns))
        buffers = [self._output(min(capacity, self.batch_rows), 4 * self.columns)]
        while True:
            for buffer in buffers:
                self.args["rows"], self.args["row_capacity"] = buffer.address, self._room(buffer)
                yield buffer
            if len(buffers) == 1:
                buffers = [self._output(capacity, 4 * self.columns) for _ in range(2)]

    def _room(self, buffer: Buffer) -> int:
        return buffer.nbytes // (4 * self.columns)

    def _args(self, graph: DeviceGraph) -> NDArray[Any]:
        args = np.zeros((), JOIN_ARGS)
        resolved = self.matcher.resolved
        only = self.lowered.relations
        relations = relation_entries(graph, resolved, self.wishes, self.kept, wide=self.wide, only=only)
        self._table(args, "relations", relations, FEW_RELATIONS)
        if any(t.what == "compare" for join in self.plan.joins for t in join.tests):
            self._table(args, "keys", [self._upload(key) for key in resolved.keys], FEW_KEYS)
        if self.lowered.edges:
            args["entities"] = self._entities(resolved)
        if self.kernel.rows:
            args["translate"] = graph.vertex_at().address
        self.chunk_rows = padded(int(min(self.own.chunk_rows, max(self.plan.probe.rows, 1.0))))
        probe_words = self.chunk_rows * len(self.plan.probe.columns)
        self.hosts = [np.empty(probe_words, np.uint32) for _ in range(2)]
        self.probe = self._allocate(4 * probe_words)
        self.plan_buffer = self._allocate(self.lowered.tables.nbytes)
        self.units = self._allocate(16 * self.warps)
        self.state = self._allocate(JOIN_CONTROL.itemsize)
        words = self.lowered.state_words
        self.state_capacity = state_capacity(32 * self.warps, words)
        args["states"] = self._allocate(4 * words * self.state_capacity).address
        args["state_capacity"] = self.state_capacity
        args["control"], args["tables"] = self.state.address, self.plan_buffer.address
        args["probe"], args["probe_stride"] = self.probe.address, self.chunk_rows
        args["units"] = self.units.address
        return args
