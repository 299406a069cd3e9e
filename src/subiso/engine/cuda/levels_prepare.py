"""Everything of a run of schedule `levels` up to its launches: phases, stages, memory, the arguments of each stage."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import FEW_FILTERS, FEW_KEYS, WIDE
from subiso.engine.cuda.levels_kernel import Operands
from subiso.engine.cuda.levels_layout import ADDED, LEVELS_ARGS, TILE
from subiso.engine.cuda.levels_memory import LevelsMemory
from subiso.engine.cuda.levels_phases import Phase, make_phases, single_phases
from subiso.engine.cuda.levels_stages import (
    Stage,
    columns_of_tables,
    has_operands,
    make_stages,
    rarest_list,
    relations_read,
)
from subiso.engine.cuda.levels_store import StageStore, make_store
from subiso.engine.cuda.levels_tune import (
    HAND_BYTES,
    LIST_BYTES,
    PAIR_BYTES,
    PLACE_BYTES,
    SET_BYTES,
    UNLIMITED,
    LevelsWishes,
    Limits,
    expected_bytes,
    most_positions,
    rows_of_tables,
)
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.machine import Buffer, Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.pool import NO_ORIGIN
from subiso.engine.cuda.slices import Sliced, slice_lists
from subiso.engine.cuda.storage import choose_storage, store_bytes
from subiso.engine.cuda.tables import Lowered
from subiso.engine.cuda.tune import Wishes
from subiso.filter.resolve import Resolved
from subiso.plan.plan import Plan

_MOST_ROWS = 1 << 24
"""Of a table, where it is asked how many combinations all rows may have."""

Args = NDArray[Any]


@dataclass(frozen=True)
class Outline:
    """What is known of a run before it has any memory: enough to name its kernels."""

    lowered: Lowered
    phases: tuple[Phase, ...]
    stages: list[Stage]
    wide: bool
    storage: str
    partitioned: bool
    """Only what a stage reads is on the device."""
    hubs: bool
    """Lists may have bit rows, which a kernel fills."""
    at_once: bool
    """The first descent is one launch."""
    operands: Operands
    """Where lists are that candidates are looked up in."""
    staged: int
    """Elements of one that is copied to shared memory, at most; 0 = none is."""


@dataclass
class Prepared:
    """A run's parts."""

    outline: Outline
    slots: list[tuple[int, ...]]
    capacities: list[int]
    memory: LevelsMemory
    store: StageStore
    clear_args: Args
    tail_args: Args
    out: Buffer
    """Where rows leave."""
    counts: tuple[int, int] = (0, 0)
    """(address, words) of the numbers of results per row."""
    args: list[list[Args]] = field(default_factory=list)
    """Per stage the arguments of its launches: one, or one per list."""
    offsets_args: list[list[Args]] = field(default_factory=list)
    """Per stage those that number the candidates of its rows."""
    hand_counts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Stage -> (address, words) of the lengths of its lists."""


def outline(budget: int, resolved: Resolved, plan: Plan, wishes: Wishes) -> Outline:
    """Plans the stages; graphs may take so many bytes of the device."""
    wide = any(csr.num_entries >= WIDE for csr in resolved.csrs)
    storage = choose_storage(resolved, wishes.storage, wide=wide).name
    lowered, levels = lower_plan(plan, resolved.longest), wishes.levels
    partitioned = _partitioned(lowered, budget, resolved, levels, storage, wide=wide)
    lowered, phases = _phases(lowered, resolved, levels, partitioned)
    stages = make_stages(phases)
    operands = _operands(lowered, stages, levels)
    return Outline(
        lowered,
        phases,
        stages,
        wide,
        storage,
        partitioned,
        hubs=storage == "csr" and not partitioned and wishes.hub_bytes > 0,
        at_once=levels.at_once and levels.output == "atomic" and not partitioned,  # nothing in between
        operands=operands,
        staged=0 if operands == "read" else levels.staged,
    )


def _operands(lowered: Lowered, stages: list[Stage], wishes: LevelsWishes) -> Operands:
    """One kernel does all joins; it copies no lists where no join looks anything up."""
    if wishes.operands in ("read", "shared"):
        return wishes.operands
    joins = [stage for stage in stages if stage.kind in ("join", "lists")]
    some = any(has_operands(lowered, level, stage.known) for stage in joins for level in stage.levels)
    return "copied" if some else "read"


def prepare(
    machine: Machine,
    graph: DeviceGraph,
    resolved: Resolved,
    plan: Plan,
    seeds: NDArray[np.uint32],
    wishes: Wishes,
    outline: Outline,
) -> Prepared:
    """Allocates the memory of all stages and fills in their arguments."""
    lowered, stages = outline.lowered, outline.stages
    slots = columns_of_tables(lowered, stages, live=wishes.levels.live)
    most = replace(wishes.levels, table_bytes=expected_bytes(plan.cost, wishes.levels))
    capacities, room = _sizes(lowered, stages, slots, len(seeds), resolved.longest, most)
    memory = LevelsMemory(machine, stages, slots, capacities, room)
    common = np.zeros((), LEVELS_ARGS)
    sliced = slice_lists(lowered, resolved) if outline.storage == "label_csr" else Sliced(lowered)
    reads = relations_read(sliced.lowered, stages)
    store = make_store(
        memory,
        graph,
        resolved,
        sliced,
        reads,
        wishes,
        outline.storage,
        common,
        wide=outline.wide,
        partitioned=outline.partitioned,
    )
    _fill_common(common, memory, graph, resolved, sliced.lowered, seeds, wishes.levels)
    # A row without candidates is nobody's: whoever took it would write what is not there.
    common["staged"], common["alone"] = outline.staged, max(1, wishes.levels.alone)
    window = max(capacities)
    common["parents"], common["vertices"] = (memory._allocate(4 * window).address for _ in range(2))
    counts = _counts(memory, common, window)
    listing = lowered.tail == "rows"
    out = memory._allocate(4 * lowered.num_levels * capacities[-1] if listing else 4)
    prepared = Prepared(
        outline,
        slots,
        capacities,
        memory,
        store,
        common.copy(),
        common.copy(),
        out,
        counts,
    )
    entries = [csr.num_entries for csr in resolved.csrs]
    rarest = wishes.levels.first == "rarest"
    for number in range(len(stages)):
        _fill_stage(prepared, common, number, entries if rarest else None)
    if listing:
        prepared.args[-1][0]["rows"] = out.address
    prepared.tail_args["from"] = memory.tables[-1][0]
    return prepared


def _partitioned(
    lowered: Lowered,
    budget: int,
    resolved: Resolved,
    wishes: LevelsWishes,
    storage: str,
    *,
    wide: bool,
) -> bool:
    """Whether only what a stage reads is on the device. Where data edges are told apart, every
    stage reads everything."""
    if lowered.edges or wishes.partition is not None:
        return wishes.partition is True and not lowered.edges
    reads = relations_read(lowered, make_stages(single_phases(lowered)))
    return store_bytes(resolved, storage, frozenset[int]().union(*reads), wide=wide) > budget


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
    entries = [csr.num_entries for csr in resolved.csrs]
    return make_phases(lowered, most=most, eliminate=eliminate, entries=entries, reverse=resolved.reverse)


def _sizes(
    lowered: Lowered,
    stages: list[Stage],
    slots: list[tuple[int, ...]],
    seeds: int,
    longest: int,
    wishes: LevelsWishes,
) -> tuple[list[int], int]:
    """Rows of every stage's table, and elements of a list."""
    row = PAIR_BYTES + (PLACE_BYTES if wishes.output != "atomic" else 0)
    row += 4 * lowered.num_levels if lowered.tail == "rows" else 0
    for stage, columns in zip(stages, slots, strict=True):
        if stage.kind == "lists":
            row += HAND_BYTES + (SET_BYTES + LIST_BYTES) * len(stage.levels)
        elif columns:
            row += 4 * len(columns) + SET_BYTES
    widths = [stage.width for stage in stages]
    capacities = rows_of_tables(widths, row, seeds, longest, wishes.table_bytes, wishes.rows)
    for number, stage in enumerate(stages):
        if stage.kind == "lists":
            capacities[number] = capacities[stage.source]
    # Every list alone fits, however small tables are.
    return capacities, max(*capacities, longest, 1)


def _fill_common(
    args: Args,
    memory: LevelsMemory,
    graph: DeviceGraph,
    resolved: Resolved,
    lowered: Lowered,
    seeds: NDArray[np.uint32],
    wishes: LevelsWishes,
) -> None:
    """What all launches have in common, beside relations."""
    memory._table(args, "filters", memory._filters(resolved, lowered.filters), FEW_FILTERS)
    memory._table(args, "keys", [memory._upload(key) for key in resolved.keys], FEW_KEYS)
    if lowered.edges:
        args["entities"] = memory._entities(resolved)
    args["control"] = memory.state.address
    args["tables"] = memory._upload(np.frombuffer(lowered.tables.tobytes(), np.uint8))
    whole = seeds is resolved.layout.all_ranks
    arrays = [graph.vertex_at(), *([graph.array(seeds)] if whole else [])]
    args["translate"] = arrays[0].address
    args["seeds"] = arrays[-1].address if whole else memory._upload(seeds)
    args["columns"] = lowered.num_levels
    args["only"] = args["only_second"] = NO_ORIGIN
    args["cache"], args["reuse"] = wishes.cache, wishes.operands == "reused"
    limits = wishes.limits if wishes.limits is not None and wishes.balance else Limits()
    args["limits"] = limits.pool, limits.block, limits.grid
    if wishes.balance and wishes.limits is None:
        args["multiprocessors"] = memory.machine.description.multiprocessors
    memory.kept += arrays


def _counts(memory: LevelsMemory, args: Args, rows: int) -> tuple[int, int]:
    """Room for the numbers of results per row, which outputs other than "atomic" and lists need."""
    places, even = 8 * (rows + 1), rows + rows % 2
    words = even + 2 * -(-rows // TILE)
    scratch = memory._allocate(places + 4 * words)
    args["places"], args["counts"] = scratch.address, scratch.address + places
    args["count_tiles"] = scratch.address + places + 4 * even
    return scratch.address + places, words


def _fill_stage(prepared: Prepared, common: Args, number: int, entries: list[int] | None) -> None:
    """The arguments of one stage's launches; with `entries` candidates come from the smallest relation's list."""
    stage, memory = prepared.outline.stages[number], prepared.memory
    args = common.copy()
    args["known"], args["width"] = stage.known, stage.width
    if stage.levels:
        _set_level(prepared.outline, args, stage, stage.levels[0])
    if stage.source >= 0:
        sets = memory.tables[stage.source]
        args["from"] = sets[0]
        if len(sets) > 1:
            args["from_second"] = sets[1]
    args["member"][: len(stage.members)] = stage.members
    args["num_sifted"] = len(stage.sifted)
    args["sifted"][: len(stage.sifted)] = stage.sifted
    args["to"] = memory.tables[number][0]
    if stage.kind == "combine":
        args["hand"] = memory.hands[number - 1]
    _fill_columns(prepared, args, number)
    _fill_next(prepared, args, number, entries)
    prepared.offsets_args.append([])
    for table in memory.tables[number]:
        scan = args.copy()
        scan["to"] = table
        prepared.offsets_args[-1].append(scan)
    prepared.args.append(_list_args(prepared, args, number) if stage.kind == "lists" else [args])


def _set_level(outline: Outline, args: Args, stage: Stage, level: int) -> None:
    """Where nothing can be copied, long rows have no warp each."""
    args["level"] = level
    if outline.operands == "copied" and not has_operands(outline.lowered, level, stage.known):
        args["alone"] = UNLIMITED


def _fill_columns(prepared: Prepared, args: Args, number: int) -> None:
    """Where the columns of the new table come from."""
    stage, mine = prepared.outline.stages[number], prepared.slots[number]
    before = list(prepared.slots[stage.source]) if stage.source >= 0 else []
    args["num_slots"] = len(mine)
    args["source"][: len(mine)] = [
        before.index(p) if p < stage.known else ADDED + p - stage.known for p in mine
    ]


def _fill_next(prepared: Prepared, args: Args, number: int, entries: list[int] | None) -> None:
    """Whose candidates are looked up for the new rows."""
    if number + 1 == len(prepared.outline.stages) or prepared.outline.stages[number].kind == "lists":
        return
    after = prepared.outline.stages[number + 1]
    if after.kind not in ("join", "lists"):
        return
    for level, to, only in zip(
        after.levels, ("next_level", "next_second"), ("only", "only_second"), strict=False
    ):
        args[to] = level
        if entries is not None:
            args[only] = rarest_list(prepared.outline.lowered, level, after.known, entries)
    if len(after.levels) > 1:
        args["to_second"] = prepared.memory.tables[number][1]


def _list_args(prepared: Prepared, args: Args, number: int) -> list[Args]:
    """One launch per list: each reads its own set of candidates and writes its own list."""
    stage, memory = prepared.outline.stages[number], prepared.memory
    hand, sets = memory.hands[number], memory.tables[stage.source]
    rows = prepared.capacities[stage.source]
    prepared.hand_counts[number] = int(hand["counts"][0]), rows * len(stage.levels)
    found = []
    for which, level in enumerate(stage.levels):
        one = args.copy()
        one["hand"], one["spanned"] = hand, 1
        one["width"] = len(stage.members)
        _set_level(prepared.outline, one, stage, level)
        one["from"] = sets[which]
        if len(sets) > 1:
            one["from_second"] = sets[1 - which]
        one["vertices"], one["counts"] = hand["lists"][which], hand["counts"][which]
        found.append(one)
    return found
