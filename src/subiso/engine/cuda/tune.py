"""Tuning as data: a machine's description and a plan's needs in, a launch configuration out. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.machine import Description

STACK_LEVEL_BYTES = 576
"""One level of a warp's stack (StackLevel in kernels/stack.cuh)."""
MAIL_BYTES = 16
_MAX_ROWS_BYTES = 64 << 20


@dataclass(frozen=True)
class Needs:
    """What a plan asks of a launch."""

    stack_levels: int
    num_seeds: int
    num_edges: int = 0
    """Partial matches of two vertices at most; 0 = growing a pool is no use (two levels or fewer)."""
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
    fixed: bool = True
    """Compile the plan in."""
    measure: bool = False
    batch: int = 32
    share: bool = True
    local: LocalWishes = LocalWishes()  # noqa: RUF009 (frozen)
    """Of schedule `local`."""


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

    @property
    def threads(self) -> int:
        return 32 * self.warps_per_block

    @property
    def shared_bytes(self) -> int:
        return self.warps_per_block * self.stack_levels * STACK_LEVEL_BYTES

    @property
    def mail_bytes(self) -> int:
        return MAIL_BYTES + self.stack_levels * STACK_LEVEL_BYTES


def tune(machine: Description, needs: Needs, wishes: Wishes = Wishes()) -> LaunchConfig:  # noqa: B008 (frozen)
    """The configuration: as many warps as fit, an initial pool of some tasks per warp.

    >>> h200 = Description("H200", "sm_90", 132)
    >>> c = tune(h200, Needs(stack_levels=2, num_seeds=7115, num_edges=100_000, registers=56))
    >>> c.blocks, c.threads, c.shared_bytes, c.grow
    (1188, 128, 4608, True)
    """
    warps = wishes.warps_per_block or _warps_per_block(machine, needs.stack_levels)
    blocks = wishes.blocks or machine.multiprocessors * resident_blocks(
        machine, warps, warps * needs.stack_levels * STACK_LEVEL_BYTES, needs.registers
    )
    tau = 8 * blocks * warps if wishes.tau is None else wishes.tau
    grow = needs.num_seeds < tau and needs.num_seeds < needs.num_edges
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
    )


def _warps_per_block(machine: Description, stack_levels: int) -> int:
    """Four, or fewer where their stacks would not fit."""
    return max(1, min(4, machine.shared_per_block // (stack_levels * STACK_LEVEL_BYTES)))


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
