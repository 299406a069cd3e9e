"""Schedule `local`, tuning as data: neighbourhood sizes in, classes of seeds and their launches out. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.machine import Description

WORD = 32
_SEVERAL_WIDTHS = 8
"""Words of a row up to which one kernel has code for all powers of two."""
_MOST_MEMBERS = 512
"""Neighbours of a second vertex that kernels/clique_sets.cuh is made for."""
_USUAL_SHARED = 48 << 10
"""Bytes of a block that leave room for several."""
TEAM_BYTES = 16
"""What a team shares beside its rows, members and pair counts (TeamShared in kernels/local.cuh)."""


@dataclass(frozen=True)
class LocalWishes:
    """The limits between classes and other tunables, for tests and sweeps; None = by the rules below."""

    warp_limit: int | None = None
    """Neighbourhoods up to this size belong to one warp."""
    block_limit: int = 256
    """Up to this size, to one block or several; the rows stand in shared memory and a lane holds whole sets."""
    inner_capacity: int = 256
    """Neighbours of a second vertex that a warp has room for; those with more are searched outside."""
    cliques: bool = True
    """Cliques in large neighbourhoods are counted set by set, dense ones by what is absent (kernels/clique_sets.cuh);
    else one by one, like other patterns."""
    clique_capacities: tuple[int, ...] = (128, 256, 384, 512)
    """For that: neighbours of a second vertex that a warp has room for, launch by launch; 512 at most. The fewer, the
    more warps at once."""
    parts: int | None = None
    """For that, and cliques of seven vertices and more: tasks that a second vertex with many neighbours makes."""
    large_limits: tuple[int, ...] = (2048,)
    """Up to these, rows stand in device memory and a warp holds one set: the words per lane follow from the limit."""
    scratch_bytes: int = 256 << 20
    """Device memory for such rows at a time. A neighbourhood that needs more is searched by schedule `fine`."""
    warps_per_block: int = 4
    blocks: int | None = None
    """Of every launch at most; None = as many as the device holds at once."""
    passes: int = 8
    """Times that blocks come back to the largest seeds, and help where pairs are left."""
    items_per_warp: int = 16
    """Small seeds are grouped so that every warp comes about so many times."""
    chunk: int = 4
    """Second vertices that a warp takes at a time from a large neighbourhood."""


@dataclass(frozen=True)
class SizeClass:
    """Seeds from `first` to `end`, of those sorted by size, largest first."""

    kind: str
    """"warp", "block", "large" or "fine" (too large for bit rows)."""
    first: int
    end: int
    least: int
    most: int
    """Sizes of its smallest and largest neighbourhood."""
    slots: int = 1
    """Of a large one: words per lane."""

    @property
    def count(self) -> int:
        return self.end - self.first


def warp_limit(wishes: LocalWishes, num_levels: int, num_seeds: int, machine: Description) -> int:
    """The largest neighbourhood of a single warp: smaller where loops nest deeply or seeds are few.

    >>> h200 = Description("H200", "sm_90", 132)
    >>> [warp_limit(LocalWishes(), levels, seeds, h200) for levels, seeds in ((4, 70_000), (5, 70_000), (4, 7_000))]
    [64, 32, 32]
    """
    if wishes.warp_limit is not None:
        return wishes.warp_limit
    warps = machine.multiprocessors * machine.warps_per_multiprocessor
    return 64 if num_levels <= 4 and num_seeds >= 4 * warps else 32


def size_classes(sizes: NDArray[np.uint32], small: int, wishes: LocalWishes) -> list[SizeClass]:
    """The classes that have seeds, largest neighbourhoods first. `sizes` descend; `small` ones belong to a warp.

    >>> for c in size_classes(np.array([40000, 5000, 300, 90, 20, 9]), 64, LocalWishes()): print(c)
    SizeClass(kind='fine', first=0, end=2, least=5000, most=40000, slots=1)
    SizeClass(kind='large', first=2, end=3, least=300, most=300, slots=2)
    SizeClass(kind='block', first=3, end=4, least=90, most=90, slots=1)
    SizeClass(kind='warp', first=4, end=6, least=9, most=20, slots=1)
    """
    block = max(wishes.block_limit, small)
    limits = [("warp", small, 1), ("block", block, 1)]
    limits += [("large", limit, power_of_two(-(-limit // 1024))) for limit in wishes.large_limits]
    found = []
    below = 0
    for kind, limit, slots in [*limits, ("fine", int(sizes.max(initial=0)), 1)]:
        if limit <= below:
            continue
        # Ascending positions in the reversed array are descending ones here.
        first, end = (len(sizes) - int(np.searchsorted(sizes[::-1], at, "right")) for at in (limit, below))
        if first < end:
            found.append(SizeClass(kind, first, end, int(sizes[end - 1]), int(sizes[first]), slots))
        below = limit
    return found[::-1]


def power_of_two(n: int) -> int:
    """The smallest one that is not below n.

    >>> [power_of_two(n) for n in (1, 2, 3, 8)]
    [1, 2, 4, 8]
    """
    return 1 << max(n - 1, 0).bit_length()


def row_words(size: int) -> int:
    """Words of a row in shared memory."""
    return power_of_two(-(-size // WORD))


def team_bytes(capacity: int, rows: int, words: int) -> int:
    """Shared memory of one team (LocalTeam in kernels/local.cuh).

    >>> team_bytes(64, 64, 2)
    1056
    """
    return TEAM_BYTES + 4 * (-(-rows * words // 4) * 4 + -(-(2 * capacity + 1) // 4) * 4)


@dataclass(frozen=True)
class CliqueRoom:
    """One launch of step "cliques": for second vertices with more than `beyond` neighbours, up to `capacity`."""

    beyond: int
    capacity: int
    least_words: int
    most_words: int
    """Of a row."""
    warps: int
    """Per block."""
    shared: int
    """Bytes of a block."""


def clique_rooms(most: int, vertices: int, wishes: LocalWishes, machine: Description) -> list[CliqueRoom]:
    """The launches for up to `most` neighbours; they end early where a block has no room for more.

    >>> for room in clique_rooms(300, 4, LocalWishes(), Description("H200", "sm_90", 132)): print(room)
    CliqueRoom(beyond=0, capacity=128, least_words=1, most_words=4, warps=4, shared=10304)
    CliqueRoom(beyond=128, capacity=256, least_words=8, most_words=8, warps=4, shared=36992)
    CliqueRoom(beyond=256, capacity=300, least_words=12, most_words=12, warps=3, shared=46944)
    """
    found: list[CliqueRoom] = []
    beyond = 0
    for limit in wishes.clique_capacities:
        capacity, words = min(limit, most), -(-limit // WORD)
        assert limit <= _MOST_MEMBERS, "products of three numbers are 32 bits wide there"
        words = power_of_two(words) if words <= _SEVERAL_WIDTHS else -(-words // 4) * 4
        each = clique_bytes(capacity, words, vertices)
        if capacity <= beyond or each > machine.shared_per_block:
            break
        warps = min(wishes.warps_per_block, max(_USUAL_SHARED // each, 1))
        least = words if found or words > _SEVERAL_WIDTHS else 1
        found.append(CliqueRoom(beyond, capacity, least, words, warps, warps * each))
        beyond = capacity
    return found


def clique_bytes(capacity: int, words: int, vertices: int) -> int:
    """Shared memory of a warp (clique_words in kernels/local_cliques.cuh).

    >>> clique_bytes(256, 8, 4)
    9248
    """
    parts = (capacity * words, capacity, max(vertices - 3, 1) * words)
    return 4 * sum(-(-part // 4) * 4 for part in parts)


def clique_parts(vertices: int, wishes: LocalWishes) -> int:
    """Tasks that a second vertex makes where `vertices` more are looked for: more where loops take long.

    >>> [clique_parts(vertices, LocalWishes()) for vertices in (3, 4, 5, 6, 10)]
    [1, 1, 4, 16, 16]
    """
    if vertices <= 4:
        return 1
    return wishes.parts or (4 if vertices == 5 else 16)


def grouped(sizes: NDArray[np.uint32], num_warps: int, items_per_warp: int) -> NDArray[np.uint32]:
    """Where groups of about the same work begin, and the end of the last. A seed's work grows with its square.

    >>> grouped(np.array([8, 2, 2, 2, 2]), 1, 2)
    array([0, 2, 5], dtype=uint32)
    """
    return grouped_by(sizes.astype(np.float64) ** 2 + WORD, num_warps * items_per_warp)


def grouped_by(weights: NDArray[np.float64], groups: int) -> NDArray[np.uint32]:
    """Where at most about so many groups of the same weight begin, and the end of the last.

    >>> grouped_by(np.array([8.0, 2.0, 2.0, 2.0, 2.0]), 2)
    array([0, 1, 5], dtype=uint32)
    """
    before = np.cumsum(weights) - weights
    quantum = max(weights.sum() / max(groups, 1), 1.0)
    firsts = np.flatnonzero(np.diff(np.floor(before / quantum), prepend=-1.0))
    return np.append(firsts, len(weights)).astype(np.uint32)


def rounds(words: NDArray[np.int64], budget: int) -> Iterator[tuple[int, int]]:
    """Ranges of seeds whose rows fit into `budget` words together. A seed that does not fit alone must not be there.

    >>> list(rounds(np.array([5, 4, 3, 3, 1]), 7))
    [(0, 1), (1, 3), (3, 5)]
    """
    ends = np.cumsum(words)
    first = 0
    while first < len(words):
        before = int(ends[first - 1]) if first else 0
        end = int(np.searchsorted(ends, before + budget, "right"))
        assert end > first, "a neighbourhood that does not fit"
        yield first, end
        first = end
