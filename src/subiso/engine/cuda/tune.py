"""Tuning as data: a machine's description and a plan's needs in, a launch configuration out. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from subiso.engine.cuda.filter_tune import FilterWishes
from subiso.engine.cuda.hood_tune import HoodWishes
from subiso.engine.cuda.levels_tune import LevelsWishes
from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.motif_seeds import MotifWishes
from subiso.engine.cuda.pipeline_tune import PipelineWishes

STACK_LEVEL_BYTES = 576
"""One level of a warp's stack (StackLevel in kernels/stack.cuh)."""
SPAN_BYTES = 256
"""Where one set of a level's entries lies (Span in kernels/stack.cuh, one per lane)."""
MAIL_BYTES = 32
ARENA_BYTES = 512 << 20
"""For the kept sets of all warps."""
_ARENA_WORDS = 1 << 15
TEAM_ARENA_BYTES = 64 << 20
"""The same beside tables of codegrees, so that a search stays below a gigabyte."""
FIXED_COST = 2e11
"""Operations from which on a plan is worth compiling in: that takes some seconds, and the search about half as long."""
TOTAL_BYTES = 16
"""Of shared memory per warp: in the end a block adds up its totals there."""
HASTE_COST = 5e8
"""Operations up to which a search is done sooner on kernels compiled in haste, where they take 0.3 to 2.3 ns each, than
the others are compiled, which takes 0.9 to 1.9 s longer."""
HOST_COST = 1e5
"""Operations up to which the host is done before kernels would be launched, ..."""
HOST_SECONDS = 2e-3
"""... and what they may take there, as estimates may be wrong: all of 194 such queries on five knowledge graphs took
less, eight of them more than 0.7 ms."""
TABLE_BYTES = 512 << 20
"""For the codegree tables of all blocks."""
TEAM_STATE_BYTES = 16
_LIGHT_EDGES = 96
"""Of the initial pool, per warp, where hardly anything is below an edge."""
HUB_BYTES = 256 << 20
"""For the bit rows of one relation."""
HUB_LENGTH = 24
"""Lists up to here are searched as quickly as a row is read."""
_MAX_ROWS_BYTES = 64 << 20


@dataclass(frozen=True)
class Needs:
    """What a plan asks of a launch."""

    stack_levels: int
    num_seeds: int
    num_edges: int = 0
    """Partial matches of two vertices at most; 0 = growing a pool is no use (two levels or fewer)."""
    from_edges: bool = False
    """The initial pool is a relation's edges, so nothing needs to grow."""
    light: bool = False
    """Hardly anything happens below an edge, so a small pool does not need all warps."""
    num_sets: int = 0
    """Sets that the search keeps."""
    set_words: int = 0
    """Room that one entry of every level may need for them."""
    registers: int = 64
    """Per thread."""
    columns: int = 0
    """Of the rows that leave; 0 = counting."""
    batch_rows: int = 65_536


@dataclass(frozen=True)
class Wishes:
    """Overrides, for tests and ablations; None = by the rules below."""

    blocks: int | None = None
    warps_per_block: int | None = None
    tau: int | None = None
    """Partial matches that the initial pool should hold; 0 = start from the seeds."""
    pool_capacity: int | None = None
    row_capacity: int | None = None
    chunk: int | None = None
    fixed: bool | None = None
    """Compile the plan in; None = if it is long enough."""
    measure: bool = False
    batch: int = 32
    share: bool = True
    edges: bool = True
    """Start from a relation's edges where that is possible."""
    hub_bytes: int = HUB_BYTES
    """Bit rows for hubs, per relation; 0 = none."""
    hub_length: int = HUB_LENGTH
    """Shorter lists have no bit row."""
    arena_words: int | None = None
    """Room for the sets that a warp keeps."""
    arena_bytes: int = ARENA_BYTES
    """For the kept sets of all warps at most."""
    stop_level: int = 32
    detect_level: int = 32
    slots: int = 1024
    """Of a warp's table of codegrees (schedule `wedge`)."""
    storage: str = "auto"
    """What neighbour lists are read through (storage.py)."""
    local: LocalWishes = LocalWishes()  # noqa: RUF009 (frozen)
    """Of schedule `local`."""
    motifs: MotifWishes = MotifWishes()  # noqa: RUF009 (frozen)
    """Of motif sums."""
    hoods: HoodWishes = HoodWishes()  # noqa: RUF009 (frozen)
    """Of four-cycles in neighbourhoods."""
    levels: LevelsWishes = LevelsWishes()  # noqa: RUF009 (frozen)
    """Of schedule `levels`."""
    pipeline: PipelineWishes = PipelineWishes()  # noqa: RUF009 (frozen)
    """Of schedule `pipeline`."""
    filters: FilterWishes = FilterWishes()  # noqa: RUF009 (frozen)
    """Of filters and candidate graphs: on the host, or on the device."""


@dataclass(frozen=True)
class LaunchConfig:
    """How a plan is launched."""

    blocks: int
    warps_per_block: int
    stack_levels: int
    chunk: int
    """Rows of the initial pool that a warp takes at a time at most."""
    grow: bool
    """First grow the seeds to partial matches of two vertices."""
    pool_capacity: int
    """Rows; when they do not suffice the seeds are used."""
    row_capacity: int
    """Rows of one launch's output."""
    num_sets: int = 0
    arena_words: int = 0
    """Of one warp."""
    team_bytes: int = 0
    """Shared memory of a block beside its stacks."""

    @property
    def threads(self) -> int:
        return 32 * self.warps_per_block

    @property
    def warps(self) -> int:
        return self.blocks * self.warps_per_block

    @property
    def shared_bytes(self) -> int:
        return self.warps_per_block * _stack_bytes(self.stack_levels, self.num_sets) + self.team_bytes

    @property
    def mail_bytes(self) -> int:
        return MAIL_BYTES + _stack_bytes(self.stack_levels, self.num_sets)


def tune(machine: Description, needs: Needs, wishes: Wishes = Wishes()) -> LaunchConfig:
    """The configuration: as many warps as fit, an initial pool of some tasks per warp.

    >>> h200 = Description("H200", "sm_90", 132)
    >>> c = tune(h200, Needs(stack_levels=2, num_seeds=7115, num_edges=100_000, registers=56))
    >>> c.blocks, c.threads, c.shared_bytes, c.grow
    (1188, 128, 4608, True)
    """
    stack = _stack_bytes(needs.stack_levels, needs.num_sets)
    warps = wishes.warps_per_block or max(1, min(4, machine.shared_per_block // stack))
    blocks = wishes.blocks or machine.multiprocessors * resident_blocks(
        machine, warps, warps * stack, needs.registers
    )
    if needs.light and not wishes.blocks:
        blocks = max(1, min(blocks, needs.num_edges // (_LIGHT_EDGES * warps)))
    tau = 8 * blocks * warps if wishes.tau is None else wishes.tau
    grow = not needs.from_edges and needs.num_seeds < tau and needs.num_seeds < needs.num_edges
    capacity = wishes.pool_capacity or min(needs.num_edges, max(tau, 1 << 20))
    row_capacity = wishes.row_capacity or max(
        needs.batch_rows, _MAX_ROWS_BYTES // (4 * needs.columns) if needs.columns else 0
    )
    return LaunchConfig(
        blocks=blocks,
        warps_per_block=warps,
        stack_levels=needs.stack_levels,
        chunk=min(wishes.chunk or 32, 32),
        grow=grow,
        pool_capacity=capacity if grow else 0,
        row_capacity=max(row_capacity, 32) if needs.columns else 0,
        num_sets=needs.num_sets,
        arena_words=_arena_words(needs, blocks * warps, wishes) if needs.num_sets else 0,
    )


def worth_compiling(cost: float, wishes: Wishes) -> Wishes:
    """The wishes for a plan of that cost, with a decision on compiling it in."""
    return wishes if wishes.fixed is not None else replace(wishes, fixed=cost >= FIXED_COST)


def tune_team(
    machine: Description, needs: Needs, wishes: Wishes, team: str, num_vertices: int, slots: int
) -> LaunchConfig:
    """The configuration of schedule `wedge`: blocks or warps that share a table of codegrees.

    Tables of blocks lie in device memory, two words per vertex; where there is no room for many, blocks are larger.
    """
    stack = _stack_bytes(needs.stack_levels, needs.num_sets)
    best: LaunchConfig | None = None
    for warps in (
        [wishes.warps_per_block] if wishes.warps_per_block else [4] if team == "warp" else [8, 16, 32]
    ):
        shared = TEAM_STATE_BYTES if team == "block" else warps * (TEAM_STATE_BYTES + 10 * slots)
        if warps * stack + shared > machine.shared_per_block:
            continue
        resident = resident_blocks(machine, warps, warps * stack + shared, needs.registers)
        blocks = wishes.blocks or machine.multiprocessors * resident
        if team == "block":
            blocks = max(1, min(blocks, TABLE_BYTES // (8 * num_vertices)))
        if best is None or blocks * warps > best.warps:
            words = _arena_words(needs, blocks * warps, wishes) if needs.num_sets else 0
            best = LaunchConfig(
                blocks, warps, needs.stack_levels, 32, False, 0, 0, needs.num_sets, words, shared
            )
    assert best is not None, "a stack of 32 levels fits"
    return best


def most_set_words(machine: Description) -> int:
    """Room that the sets of one entry per level may take together; larger ones are not kept."""
    return ARENA_BYTES // 4 // (machine.multiprocessors * machine.warps_per_multiprocessor // 2)


def _arena_words(needs: Needs, warps: int, wishes: Wishes) -> int:
    """Room for 32 entries of every level where that is little, else for as many as there is memory for."""
    words = wishes.arena_words or min(32 * needs.set_words, _ARENA_WORDS, wishes.arena_bytes // 4 // warps)
    return -(-max(words, needs.set_words) // 32) * 32


def _stack_bytes(levels: int, num_sets: int) -> int:
    """Of a warp: its levels, where its sets lie, where those of a level begin (Stack::bytes in kernels/stack.cuh)."""
    return levels * STACK_LEVEL_BYTES + num_sets * SPAN_BYTES + (-(-levels // 4) * 16 if num_sets else 0)


def resident_blocks(machine: Description, warps: int, shared: int, registers: int) -> int:
    """Blocks of so many warps, bytes of shared memory and registers per thread that a multiprocessor holds at once.

    >>> resident_blocks(Description("H200", "sm_90", 132), 4, 4608, 56)
    9
    """
    taken = -(-max(registers, 1) // 8) * 8
    return max(
        1,
        min(
            machine.blocks_per_multiprocessor,
            machine.warps_per_multiprocessor // warps,
            machine.shared_per_multiprocessor // (shared + 1024),  # the system keeps 1 KB of every block
            machine.registers_per_multiprocessor // (warps * 32 * taken),
        ),
    )
