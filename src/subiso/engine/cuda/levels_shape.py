"""What is decided of a run of schedule `levels` before anything is on the device: its store, phases and stages."""

from __future__ import annotations

from dataclasses import dataclass

from subiso.engine.cuda.levels_phases import Phase, make_phases, single_phases
from subiso.engine.cuda.levels_stages import Stage, make_stages, relations_read
from subiso.engine.cuda.levels_tune import AT_ONCE_COST, LevelsWishes, most_positions
from subiso.engine.cuda.search import WIDE
from subiso.engine.cuda.storage import choose_storage, store_bytes
from subiso.engine.cuda.tables import Lowered, lower_plan
from subiso.engine.cuda.tune import Wishes
from subiso.filter.resolve import Resolved
from subiso.plan.plan import Plan

_MOST_ROWS = 1 << 24
"""Of a table, where it is asked how many combinations all rows may have."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Of a run."""

    lowered: Lowered
    phases: tuple[Phase, ...]
    stages: list[Stage]
    wide: bool
    storage: str
    partitioned: bool
    """Only what a stage reads of the store is on the device."""
    at_once: bool
    """The first descent is one launch."""
    hubs: bool
    """Some vertices may have bit rows."""


def make_shape(plan: Plan, resolved: Resolved, wishes: Wishes, budget: int) -> Shape:
    """`budget` is what graphs may take of the device's memory."""
    wide = any(len(csr.neighbors) >= WIDE for csr in resolved.csrs)
    storage = choose_storage(resolved, wishes.storage, wide=wide).name
    lowered = lower_plan(plan, resolved.longest)
    partitioned = _partitioned(lowered, resolved, wishes.levels, storage, budget, wide=wide)
    lowered, phases = _phases(lowered, resolved, wishes.levels, partitioned)
    return Shape(
        lowered,
        phases,
        make_stages(phases),
        wide,
        storage,
        partitioned,
        _at_once(plan, wishes.levels, partitioned),
        storage == "csr" and not partitioned and wishes.hub_bytes > 0,
    )


def _partitioned(
    lowered: Lowered, resolved: Resolved, wishes: LevelsWishes, storage: str, budget: int, *, wide: bool
) -> bool:
    """Whether only what a stage reads is on the device. With edge-isomorphism every stage reads everything."""
    if lowered.edges or wishes.partition is not None:
        return wishes.partition is True and not lowered.edges
    reads = relations_read(lowered, make_stages(single_phases(lowered)))
    return store_bytes(resolved, storage, frozenset[int]().union(*reads), wide=wide) > budget


def _at_once(plan: Plan, wishes: LevelsWishes, partitioned: bool) -> bool:
    """Whether the steps of the first descent are one launch: neither uploads nor sums in between."""
    if partitioned or wishes.output != "atomic" or wishes.at_once is False:
        return False
    return wishes.at_once is True or plan.cost <= AT_ONCE_COST


def tail_is_beyond(plan: Plan, resolved: Resolved, budget: int) -> bool:
    """Whether a counting tail, whose sizes are read together, reads more of a graph than there is room for."""
    if sum(csr.nbytes for csr in set(resolved.csrs)) <= budget:
        return False
    reads = relations_read(lower_plan(plan, resolved.longest), [])[-1]
    return sum(csr.nbytes for csr in {resolved.csrs[number] for number in reads}) > budget


def _phases(
    lowered: Lowered, resolved: Resolved, wishes: LevelsWishes, partitioned: bool
) -> tuple[Lowered, tuple[Phase, ...]]:
    eliminate = wishes.eliminate or partitioned
    if lowered.edges or not (wishes.parallel or eliminate):
        return lowered, single_phases(lowered)
    most = most_positions(resolved.longest, wishes.rows or _MOST_ROWS) if wishes.parallel else 1
    entries = [len(csr.neighbors) for csr in resolved.csrs]
    return make_phases(lowered, most=most, eliminate=eliminate, entries=entries, reverse=resolved.reverse)
