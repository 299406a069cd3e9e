"""Schedule `local`, large neighbourhoods: which kernels search their rows, with what room. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from subiso.engine.cuda.local_kernel import LocalKernel
from subiso.engine.cuda.local_tables import LoweredLocal
from subiso.engine.cuda.local_tune import (
    WORD,
    LocalWishes,
    SizeClass,
    clique_parts,
    clique_rooms,
    row_words,
    team_bytes,
)
from subiso.engine.cuda.machine import Description

INNER_LEVELS = 4
"""Loops from which on it pays to copy the rows that a second vertex needs, in large neighbourhoods;"""
DEEP_LEVELS = 5
"""and in all that are too large for a warp, where the plan is compiled in or cliques are counted set by set."""


@dataclass(frozen=True)
class LargeSearch:
    """One launch over the second vertices of large neighbourhoods; capacity and so on as LocalArgs has them."""

    kernel: LocalKernel
    shared: int
    """Bytes of a block."""
    chunk: int
    parts: int | None = None
    """Tasks of a second vertex; None = one per 32 words of its row."""
    capacity: int = 0
    beyond: int = 0
    vertices: int = 0


def is_inner(lowered: LoweredLocal) -> bool:
    """Whether large neighbourhoods are searched second vertex by second vertex, each with rows of its own."""
    return lowered.inner is not None and lowered.num_levels >= INNER_LEVELS


def by_sets(lowered: LoweredLocal, wishes: LocalWishes) -> bool:
    """Whether cliques in large neighbourhoods are counted set by set."""
    return is_inner(lowered) and lowered.cliques and wishes.cliques


def are_all_large(lowered: LoweredLocal, wishes: LocalWishes, fixed: bool) -> bool:
    """Whether all neighbourhoods that are too large for a warp count as large. `fixed`: the plan is compiled in."""
    return is_inner(lowered) and lowered.num_levels >= DEEP_LEVELS and (fixed or by_sets(lowered, wishes))


def large_searches(
    c: SizeClass, lowered: LoweredLocal, plain: LocalKernel, wishes: LocalWishes, machine: Description
) -> list[LargeSearch]:
    """The launches, in order. `plain`: a kernel as all of them are, with the plan where it is compiled in."""
    sets = clique_searches(c, lowered, plain, wishes, machine) if by_sets(lowered, wishes) else []
    beyond = sets[-1].capacity if sets else 0
    if sets and beyond >= c.most - 1:
        return sets
    warps, chunk = wishes.warps_per_block, wishes.chunk
    search = replace(plain, step="search", slots=c.slots, narrow=lowered.narrow)
    if not is_inner(lowered):
        return [LargeSearch(search, 16 * warps, chunk)]
    # Behind the others nobody has so few neighbours that there would be room for their rows.
    room = min(c.most, WORD if sets else wishes.inner_capacity)
    inner = replace(
        search,
        step="inner",
        least_words=1 if plain.tables is not None else row_words(room),
        most_words=row_words(room),
        matrix=lowered.inner or 0,
        any_size=c.most > room,
    )
    rows = lowered.num_matrices * room + len(lowered.filters)
    shared = warps * team_bytes(room, rows, inner.most_words)
    return [*sets, LargeSearch(inner, shared, chunk, 1, room, beyond)]


def clique_searches(
    c: SizeClass, lowered: LoweredLocal, plain: LocalKernel, wishes: LocalWishes, machine: Description
) -> list[LargeSearch]:
    """Set by set: for second vertices with few neighbours, and with more. A plan's last vertex is its tail."""
    vertices = lowered.num_levels - 1
    parts = clique_parts(vertices, wishes)
    return [
        LargeSearch(
            replace(
                plain,
                step="cliques",
                least_words=room.least_words,
                most_words=room.most_words,
                fours=vertices > 3,
                tables=None,
                threads=32 * room.warps,
            ),
            room.shared,
            1 if parts > 1 else wishes.chunk,
            parts,
            room.capacity,
            room.beyond,
            vertices,
        )
        for room in clique_rooms(c.most - 1, vertices, wishes, machine)
    ]
