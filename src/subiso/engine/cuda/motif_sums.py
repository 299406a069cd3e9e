"""All sums of motifs of a size on a device: the passes of MotifRun, and counts from the schedules for them.

Cliques come from schedule `local`, as any count of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from subiso.engine.base import Params, StoppedBy
from subiso.engine.cuda.ahead import CountingRun, begin
from subiso.engine.cuda.hoods import HoodRun
from subiso.engine.cuda.machine import Kernel, OutOfMemory
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.motif_kernel import Pass
from subiso.engine.cuda.motif_seeds import MotifWishes
from subiso.engine.cuda.motifs import MotifRun
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import make_query
from subiso.errors import DeviceMemoryError, UnsupportedError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.storage.layout import RelationCsr, layout_of
from subiso.storage.simple import simple_lists

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine

COUNTED = {
    3: {},
    4: {"cliques4": Pattern.clique(4)},
    5: {"cliques5": Pattern.clique(5)},
}
"""The sums that are counts of a pattern."""
_FRUGAL_BYTES = 64 << 20
_MOST_BYTES, _LEAST_LISTS = 900 << 20, 64 << 20
"""Beside the graph, tables of passes and lists of neighbourhoods together; and for the lists in any case."""


@dataclass(frozen=True)
class Counted:
    """A count as a sum of runs."""

    terms: list[tuple[int, CountingRun]]
    divisor: int = 1

    def count(self, watch: Watch) -> int:
        parts = [watch.part(i, len(self.terms)) for i in range(len(self.terms))]
        found = (factor * run.count(part) for part, (factor, run) in zip(parts, self.terms, strict=True))
        return sum(found) // self.divisor

    @property
    def search_bytes(self) -> int:
        reports = [run.report() for _, run in self.terms]
        return sum(report.search_bytes for report in reports if report is not None)


class Counting:
    """A pattern's count by the schedules that fit, up to where their kernels are known."""

    def __init__(self, engine: CudaEngine, graph: Graph, pattern: Pattern) -> None:
        self.engine = engine
        self.resolved = resolve(make_query(graph, pattern))
        self.formula = None if self.resolved.hopeless else engine.formula(self.resolved)
        terms = () if self.formula is None else self.formula.terms
        self.begun = {id(term.plan): begin(engine, term.plan, self.resolved) for term in terms}

    @property
    def kernels(self) -> list[Kernel]:
        return [kernel for begun in self.begun.values() for kernel in begun.kernels]

    def prepare(self) -> Counted:
        """Everything between knowing the kernels and launching them."""
        if self.formula is None:
            return Counted([])
        terms = []
        for term in self.formula.terms:
            run = self.engine.prepare_count(term.plan, self.resolved, self.begun.pop(id(term.plan)))
            terms.append((term.coefficient, run))
        return Counted(terms, self.formula.divisor)


class MotifSums:
    """The sums of one size, ready to be computed again and again."""

    def __init__(self, engine: CudaEngine, graph: Graph, size: int) -> None:
        lists = simple_lists(graph)
        check_range(lists)
        counting = {name: Counting(engine, graph, pattern) for name, pattern in COUNTED[size].items()}
        kernels = [kernel for one in counting.values() for kernel in one.kernels]
        self.run = passes_on(engine, graph, lists, size, beside=kernels)
        self.counted = {name: one.prepare() for name, one in counting.items()}

    @property
    def search_bytes(self) -> int:
        """Device memory beside the graph."""
        return self.run.search_bytes + sum(counted.search_bytes for counted in self.counted.values())

    def sums(self, params: Params, started: float) -> tuple[dict[str, int], StoppedBy | None]:
        """By the names that native/motifs has for them, and what stopped it, if anything: nothing counts then."""
        steps = 1 + len(self.counted)
        watch = Watch(params, started)
        sums = self.run.sums(watch.part(0, steps))
        for i, (name, counted) in enumerate(self.counted.items(), 1):
            if watch.expired():
                break
            sums[name] = counted.count(watch.part(i, steps))
        return sums, watch.stopped_by


def passes_on(
    engine: CudaEngine,
    graph: Graph,
    lists: RelationCsr,
    size: int,
    passes: tuple[Pass, ...] | None = None,
    beside: Sequence[Kernel] = (),
) -> MotifRun:
    """The passes; with small tables where memory is short. `beside` are kernels to be compiled at the same time."""
    few = replace(engine.wishes.motifs, table_bytes=_FRUGAL_BYTES, large_bytes=_FRUGAL_BYTES // 4)

    def make(wishes: MotifWishes) -> MotifRun:
        on_device = DeviceGraph(engine.caches[0], layout_of(graph))
        return MotifRun(engine.machine, on_device, lists, size, wishes, passes, beside)

    try:
        return make(engine.wishes.motifs)
    except OutOfMemory:
        engine.caches[0].clear()
    try:
        return make(few)
    except OutOfMemory as error:
        raise _no_room(engine, error) from None


def hoods_on(engine: CudaEngine, run: MotifRun) -> HoodRun:
    """The 4-cycles in neighbourhoods, behind passes that make the triangles of edges; frugal where memory is short."""
    room = max(_LEAST_LISTS, _MOST_BYTES - run.search_bytes)
    wishes = replace(engine.wishes.hoods, list_bytes=min(engine.wishes.hoods.list_bytes, room))
    while True:
        try:
            return HoodRun(run, wishes)
        except OutOfMemory as error:
            if wishes.list_bytes == 0:
                raise _no_room(engine, error) from None
            wishes = replace(wishes, list_bytes=wishes.list_bytes // 16)


def _no_room(engine: CudaEngine, error: OutOfMemory) -> DeviceMemoryError:
    device = engine.machine.description
    return DeviceMemoryError(
        f"{device.name} has no room for the sums of motifs: beside the graph they take a buffer of "
        f"{error.nbytes:,} bytes (all memory: {device.memory:,})",
        hint='free some of its memory, or use device="cpu"',
    )


def in_range(lists: RelationCsr) -> bool:
    """Whether all sums fit: every one is at most a small multiple of the walks of four steps."""
    longest, _ = lists.longest
    return bool(32 * len(lists.lengths) * longest**4 < 2**127)


def check_range(lists: RelationCsr) -> None:
    """Refuses a graph whose sums may not fit."""
    if not in_range(lists):
        raise UnsupportedError(
            f"sums of motifs around a vertex of {lists.longest[0]:,} neighbours may leave 128 bits on a device",
            hint='use device="cpu", which notices',
        )
