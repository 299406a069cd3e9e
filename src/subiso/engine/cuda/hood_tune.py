"""Four-cycles in neighbourhoods, tuning as data: sizes of neighbourhoods in, classes of hubs and rounds out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.hood_layout import CURSOR_BYTES, MEMBER_BYTES

LEAST_MEMBERS = 4
"""Of a neighbourhood with a four-cycle."""
ALIGNED = 16


@dataclass(frozen=True)
class HoodWishes:
    """The limits between classes and other tunables, for tests and sweeps; the numbers were chosen for an H200."""

    warp_rows: int = 64
    """Neighbourhoods up to this size are bit rows in the hands of a warp,"""
    block_rows: tuple[int, ...] = (256, 512)
    """up to these of a block; a launch for each."""
    warp_ends: int = 2048
    """Of those up to this size, a warp counts the wedges from one member,"""
    block_ends: tuple[tuple[int, int], ...] = ((8192, 8), (32_768, 16), (65_535, 32))
    """up to these a block with so many warps. Places and counts take 16 bits up to 65,535 members."""
    window: int = 49_152
    """Ends that a block has counters for in still larger ones; it comes once for every window of them."""
    window_warps: int = 32
    list_bytes: int = 512 << 20
    """For the lists of a round. A neighbourhood that needs more is read from the graph's lists."""
    warps_per_block: int = 8
    """Of everything else."""
    blocks: int | None = None
    """Of every launch at most; None = as many as the device holds at once."""
    units_per_team: int = 16
    chunk: int = 4
    """Members that a warp takes at a time; a block takes one."""


def within(wishes: HoodWishes, shared: int) -> HoodWishes:
    """The wishes on a device whose blocks have so many bytes of shared memory: larger neighbourhoods go by windows.

    >>> small = within(HoodWishes(), 99 << 10)
    >>> small.window, small.block_ends
    (25340, ((8192, 8), (32768, 16), (50680, 32)))
    >>> within(HoodWishes(), 227 << 10) == HoodWishes()
    True
    """
    room = shared - ALIGNED
    ends = tuple((min(limit, room // 2), warps) for limit, warps in wishes.block_ends)
    return replace(wishes, window=min(wishes.window, room // 4), block_ends=ends)


@dataclass(frozen=True, eq=False)
class HoodClass:
    """Hubs that one kind of team works on."""

    kind: Literal["rows", "wedges", "unwritten"]
    hubs: NDArray[np.int64]
    """Largest neighbourhood first."""
    block: bool
    warps: int
    """Of a block."""
    window: int
    """Members that a team has room for."""
    narrow: bool = True


def hood_classes(
    degrees: NDArray[np.int64], needed: NDArray[np.int64], wishes: HoodWishes
) -> list[HoodClass]:
    """The classes that have hubs, those with the largest neighbourhoods first.

    `needed` are the entries that the lists of a neighbourhood may have.

    >>> degrees = np.array([3, 5, 100, 600, 3000, 70_000, 80_000])
    >>> for c in hood_classes(degrees, np.array([0] * 6 + [1 << 30]), HoodWishes()):
    ...     print(c.kind, c.hubs, c.warps, c.window, c.narrow)
    unwritten [6] 32 49152 False
    wedges [5] 32 49152 False
    wedges [4] 8 3000 True
    wedges [3] 8 600 True
    rows [2] 8 100 True
    rows [1] 8 5 True
    """
    own = wishes.warps_per_block
    limits: list[tuple[int, str, bool, int]] = [(wishes.warp_rows, "rows", False, own)]
    limits += [(limit, "rows", True, own) for limit in wishes.block_rows]
    limits.append((wishes.warp_ends, "wedges", False, own))
    limits += [(limit, "wedges", True, warps) for limit, warps in wishes.block_ends]
    order = np.argsort(-degrees, kind="stable")
    found: list[HoodClass] = []
    below = LEAST_MEMBERS - 1
    for limit, kind, block, warps in limits:
        hubs = order[(degrees[order] > below) & (degrees[order] <= limit)]
        below = max(limit, below)
        if kind == "rows":
            found += _class("rows", hubs, degrees, block, warps)
            continue
        fits = hub_bytes(degrees[hubs], needed[hubs], 2) <= wishes.list_bytes
        found += _class("wedges", hubs[fits], degrees, block, warps)
        found += _windows("unwritten", hubs[~fits], wishes)
    hubs = order[degrees[order] > below]
    fits = hub_bytes(degrees[hubs], needed[hubs], 4) <= wishes.list_bytes
    found += _windows("wedges", hubs[fits], wishes)
    found += _windows("unwritten", hubs[~fits], wishes)
    return found[::-1]


def _class(
    kind: Literal["rows", "wedges"],
    hubs: NDArray[np.int64],
    degrees: NDArray[np.int64],
    block: bool,
    warps: int,
) -> list[HoodClass]:
    return [HoodClass(kind, hubs, block, warps, int(degrees[hubs].max()))] if len(hubs) else []


def _windows(
    kind: Literal["wedges", "unwritten"], hubs: NDArray[np.int64], wishes: HoodWishes
) -> list[HoodClass]:
    return [HoodClass(kind, hubs, True, wishes.window_warps, wishes.window, False)] if len(hubs) else []


def hub_bytes(sizes: NDArray[np.int64], needed: NDArray[np.int64], item: int) -> NDArray[np.int64]:
    """What neighbourhoods take of the memory for lists, if a list's entry takes `item` bytes.

    >>> hub_bytes(np.array([3]), np.array([10]), 2)
    array([100])
    """
    return (MEMBER_BYTES + CURSOR_BYTES) * (sizes + 1) + item * needed + 2 * ALIGNED


def rows_bytes(capacity: int) -> int:
    """Shared memory of a team with bit rows (kernels/hoods_rows.cuh)."""
    stride = -(-capacity // 32) | 1
    return ALIGNED + -(-4 * capacity * (1 + stride) // ALIGNED) * ALIGNED


def ends_bytes(window: int, item: int) -> int:
    """Shared memory of a team that counts wedges (kernels/hoods_wedges.cuh)."""
    words = -(-item * window // 4)
    return ALIGNED + -(-4 * words // ALIGNED) * ALIGNED


def starts_of(amounts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.uint64]:
    """Where each begins, and where the last ends.

    >>> starts_of([3, 4]).tolist()
    [0, 3, 7]
    """
    return np.concatenate([[0], np.cumsum(amounts)]).astype(np.uint64)
