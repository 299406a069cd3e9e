"""Who runs a query's filters, host or device: the Narrower of the CUDA engine, and what `explain` says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from subiso.engine.cuda.filter_kernel import STEPS, FilterKernel
from subiso.engine.cuda.filter_run import FilterRun
from subiso.engine.cuda.filter_tune import (
    Chosen,
    FilterWishes,
    choose_place,
    fetching,
    filter_work,
    restricting_gain,
)
from subiso.engine.cuda.machine import Description, Machine, OutOfMemory
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.restrict import candidates_there, restrict_on_device
from subiso.errors import DeviceMemoryError
from subiso.filter.candidate_graph import Restrict
from subiso.filter.narrow import Asked, Narrowed, Narrower, narrow, nothing_narrowed
from subiso.storage.layout import RelationCsr, layout_of


@dataclass(frozen=True, eq=False)
class DeviceNarrower:
    """Narrows candidates on a machine where that pays, else on the host; a Narrower for `resolve`."""

    machine: Machine
    cache: Cache
    wishes: FilterWishes
    hub_length: int
    """Lists that are longer may have bit rows."""

    def __call__(self, asked: Asked) -> Narrowed:
        query = asked.query
        if not any(asked.begun.filtered):
            return nothing_narrowed(asked.begun, query.graph.num_vertices)
        layout = layout_of(query.graph)
        graph = DeviceGraph(self.cache, layout)
        lost = self.cache.ledger.lost.get(layout, 0.0)
        place, loss = place_of(
            asked,
            self.machine.description,
            self.wishes,
            graph.has,
            lost,
            loaded=self.cache.ledger.loaded,
        )
        if place.on_device:
            try:
                self._load()
                run = FilterRun(self.machine, graph, asked, self.wishes)
                return run.narrowed(str(place), self.hub_length)
            except (OutOfMemory, DeviceMemoryError):
                place = Chosen(False, "the device has no room for them")
        self.cache.ledger.lost[layout] = lost + loss
        narrowed = narrow(asked)
        restrict = self._restrict(graph, asked, narrowed)
        return replace(narrowed, where=str(place), restrict=restrict)

    def _restrict(self, graph: DeviceGraph, asked: Asked, narrowed: Narrowed) -> Restrict:
        """Candidates that the host has found may still get their graph on the device, where that is quicker."""
        gain = restricting_gain(2 * narrowed.reading)  # of both ends of every link
        there = self.cache.ledger.loaded and all(graph.has(csr) for csr in asked.read)
        if self.wishes.place == "host" or gain <= 0 or not there or not all(narrowed.numbers):
            return narrowed.restrict
        bring = partial(candidates_there, self.machine, graph, narrowed.bitmaps, self.wishes, self.hub_length)
        return partial(restrict_on_device, bring)

    def _load(self) -> None:
        self.machine.load(FilterKernel(step) for step in STEPS)
        self.cache.ledger.loaded = True


def place_of(
    asked: Asked,
    machine: Description,
    wishes: FilterWishes,
    has: Callable[[RelationCsr], bool],
    lost: float = 0.0,
    *,
    loaded: bool = False,
) -> tuple[Chosen, float]:
    """Where filters run, and the seconds that the host loses for want of graph and kernels on the device.

    `has`: which relations are there; `loaded`: kernels are; `lost`: what has been lost so earlier.
    """
    n = asked.query.graph.num_vertices
    work = filter_work(asked.links, asked.csrs, asked.parts, asked.begun, n)
    missing = sum(4 * csr.num_entries + 8 * n for csr in asked.read if not has(csr))
    once = fetching(missing, loaded=loaded)
    chosen = choose_place(work, asked.csrs, machine, wishes.place, once=once, lost=lost)
    gain = work.on_host - work.on_device + max(restricting_gain(work.sliced), 0.0)
    return chosen, max(gain, 0.0) if once else 0.0


def told(
    machine: Description,
    has: Callable[[RelationCsr], bool],
    wishes: FilterWishes = FilterWishes(),  # noqa: B008 (frozen)
) -> Narrower:
    """For `explain`: narrows on the host, and says where filters would run."""

    def narrow_here(asked: Asked) -> Narrowed:
        narrowed = narrow(asked)
        if not narrowed.used:
            return narrowed
        place = place_of(asked, machine, wishes, has)[0]
        return replace(narrowed, where=str(place), here=not place.on_device)

    return narrow_here
