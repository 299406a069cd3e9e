"""Everything of a run of schedule `levels` up to its launches: phases, stages, memory, the arguments of each stage."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import FEW_FILTERS, FEW_KEYS
from subiso.engine.cuda.levels_layout import ADDED, LEVELS_ARGS, TILE
from subiso.engine.cuda.levels_memory import LevelsMemory
from subiso.engine.cuda.levels_shape import Shape
from subiso.engine.cuda.levels_stages import (
    NO_ORIGIN,
    Stage,
    columns_of_tables,
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
    LevelsWishes,
    Limits,
    expected_bytes,
    rows_of_tables,
)
from subiso.engine.cuda.machine import Buffer, Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.slices import Sliced, slice_lists
from subiso.engine.cuda.tables import Lowered
from subiso.engine.cuda.tune import Wishes
from subiso.filter.resolve import Resolved
from subiso.plan.plan import Plan

Args = NDArray[Any]


@dataclass
class Prepared:
    """A run's parts."""

    shape: Shape
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


def prepare(
    machine: Machine,
    graph: DeviceGraph,
    resolved: Resolved,
    plan: Plan,
    seeds: NDArray[np.uint32],
    wishes: Wishes,
    shape: Shape,
) -> Prepared:
    """Allocates the memory of all stages and fills in their arguments."""
    lowered, stages, storage = shape.lowered, shape.stages, shape.storage
    slots = columns_of_tables(lowered, stages, live=wishes.levels.live)
    most = replace(wishes.levels, table_bytes=expected_bytes(plan.cost, wishes.levels))
    capacities, room = _sizes(lowered, stages, slots, len(seeds), resolved.longest, most)
    memory = LevelsMemory(machine, stages, slots, capacities, room)
    common = np.zeros((), LEVELS_ARGS)
    sliced = slice_lists(lowered, resolved) if storage == "label_csr" else Sliced(lowered)
    reads = relations_read(sliced.lowered, stages)
    store = make_store(memory, graph, resolved, sliced, reads, wishes, shape, common)
    _fill_common(common, memory, graph, resolved, sliced.lowered, seeds, wishes.levels)
    window = max(capacities)
    common["parents"], common["vertices"] = (memory._allocate(4 * window).address for _ in range(2))
    counts = _counts(memory, common, window)
    listing = lowered.tail == "rows"
    out = memory._allocate(4 * lowered.num_levels * capacities[-1] if listing else 4)
    prepared = Prepared(shape, slots, capacities, memory, store, common.copy(), common.copy(), out, counts)
    entries = [len(csr.neighbors) for csr in resolved.csrs]
    rarest = wishes.levels.first == "rarest"
    for number in range(len(stages)):
        _fill_stage(prepared, common, number, entries if rarest else None)
    if listing:
        prepared.args[-1][0]["rows"] = out.address
    prepared.tail_args["from"] = memory.tables[-1][0]
    return prepared


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
    filters = [np.bitwise_and.reduce([resolved.filters[f] for f in combined]) for combined in lowered.filters]
    memory._table(args, "filters", [memory._upload(bits) for bits in filters], FEW_FILTERS)
    memory._table(args, "keys", [memory._upload(key) for key in resolved.keys], FEW_KEYS)
    if lowered.edges:
        args["entities"] = memory._entities(resolved)
    args["control"] = memory.state.address
    args["tables"] = memory._upload(np.frombuffer(lowered.tables.tobytes(), np.uint8))
    whole = seeds is resolved.layout.all_ranks
    arrays = [graph.array(resolved.layout.vertex_at), *([graph.array(seeds)] if whole else [])]
    args["translate"] = arrays[0].address
    args["seeds"] = arrays[-1].address if whole else memory._upload(seeds)
    args["columns"] = lowered.num_levels
    args["only"] = args["only_second"] = NO_ORIGIN
    args["staged"], args["cache"] = wishes.staged_lists, wishes.cache
    args["reuse"] = wishes.reuse != "off"
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
    stage, memory = prepared.shape.stages[number], prepared.memory
    args = common.copy()
    args["known"], args["width"] = stage.known, stage.width
    if stage.levels:
        args["level"] = stage.levels[0]
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


def _fill_columns(prepared: Prepared, args: Args, number: int) -> None:
    """Where the columns of the new table come from."""
    stage, mine = prepared.shape.stages[number], prepared.slots[number]
    before = list(prepared.slots[stage.source]) if stage.source >= 0 else []
    args["num_slots"] = len(mine)
    args["source"][: len(mine)] = [
        before.index(p) if p < stage.known else ADDED + p - stage.known for p in mine
    ]


def _fill_next(prepared: Prepared, args: Args, number: int, entries: list[int] | None) -> None:
    """Whose candidates are looked up for the new rows."""
    if number + 1 == len(prepared.shape.stages) or prepared.shape.stages[number].kind == "lists":
        return
    after = prepared.shape.stages[number + 1]
    if after.kind not in ("join", "lists"):
        return
    for level, to, only in zip(
        after.levels, ("next_level", "next_second"), ("only", "only_second"), strict=False
    ):
        args[to] = level
        if entries is not None:
            args[only] = rarest_list(prepared.shape.lowered, level, after.known, entries)
    if len(after.levels) > 1:
        args["to_second"] = prepared.memory.tables[number][1]


def _list_args(prepared: Prepared, args: Args, number: int) -> list[Args]:
    """One launch per list: each reads its own set of candidates and writes its own list."""
    stage, memory = prepared.shape.stages[number], prepared.memory
    hand, sets = memory.hands[number], memory.tables[stage.source]
    rows = prepared.capacities[stage.source]
    prepared.hand_counts[number] = int(hand["counts"][0]), rows * len(stage.levels)
    found = []
    for which, level in enumerate(stage.levels):
        one = args.copy()
        one["hand"], one["spanned"] = hand, 1
        one["width"] = len(stage.members)
        one["level"], one["from"] = level, sets[which]
        if len(sets) > 1:
            one["from_second"] = sets[1 - which]
        one["vertices"], one["counts"] = hand["lists"][which], hand["counts"][which]
        found.append(one)
    return found
