"""Random queries whose pattern has a hub, and ways to run them that force every class of neighbourhoods."""

from __future__ import annotations

import string

import numpy as np
from random_cases import Draw

from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.query import Query, make_query
from subiso.errors import PatternError
from subiso.graph import Graph
from subiso.pattern import Pattern

TINY = [
    LocalWishes(warps_per_block=2, blocks=2),
    LocalWishes(warp_limit=4, block_limit=7, large_limits=(9, 12), warps_per_block=2, blocks=3, chunk=2),
    LocalWishes(warp_limit=0, block_limit=64, warps_per_block=2, blocks=3, passes=2),
    LocalWishes(warp_limit=0, block_limit=0, warps_per_block=1, blocks=2, chunk=3),
    LocalWishes(warp_limit=2, block_limit=2, scratch_bytes=160, warps_per_block=2, blocks=2, chunk=1),
    LocalWishes(warp_limit=0, block_limit=0, warps_per_block=2, blocks=2, inner_capacity=4),
    LocalWishes(warp_limit=0, block_limit=5, large_limits=(2048,), warps_per_block=2, blocks=2),
]


def hub_graph(d: Draw) -> Graph:
    """10 to 40 vertices, dense in places."""
    n = 10 + d.below(31)
    m = n * (2 + d.below(6))
    skew = d.rng.random(n) ** 2 + 0.05
    src, dst = d.rng.choice(n, (2, m), p=skew / skew.sum())
    return Graph.from_edges(
        src,
        dst,
        num_vertices=n,
        directed=d.chance(0.3),
        vertex_labels=[[label for label in "AB" if d.chance(0.7)] for _ in range(n)],
        edge_labels=np.array([d.one_of("XY") for _ in range(m)], dtype=object) if d.chance(0.3) else None,
    )


def hub_pattern(d: Draw, graph: Graph, plain: bool) -> Pattern:
    """A hub joined to everyone in one way; the others joined, not joined or forbidden to be, as the dice fall."""
    k = 4 + d.below(2)
    names = string.ascii_lowercase[:k]
    arrow = "->" if graph.directed and d.chance(0.7) else "-"
    parts = [f"(a)-{arrow}({other})" for other in names[1:]]
    for i in range(1, k):
        for j in range(i + 1, k):
            if d.chance(0.6):
                label = f"[:{d.one_of(('X', 'Y'))}]" if graph.edge_labels and d.chance(0.3) else ""
                ahead = ">" if graph.directed and d.chance(0.5) else ""
                parts.append(f"({names[i]})-{label}-{ahead}({names[j]})")
            elif not plain and d.chance(0.4):
                parts.append(f"!({names[i]})--({names[j]})")
    if not plain:
        parts += [f"({name}:{d.one_of(('A', 'B', 'A:B'))})" for name in names if d.chance(0.2)]
    return Pattern(", ".join(parts))


def hub_query(seed: int, *, plain: bool = False) -> Query:
    """The same for the same seed."""
    d = Draw(np.random.default_rng([seed, 77]))
    while True:
        graph = hub_graph(d)
        try:
            pattern = hub_pattern(d, graph, plain)
        except PatternError:  # an edge and its opposite
            continue
        mode = d.one_of(("monomorphism", "induced", "monomorphism", "homomorphism"))
        anchor = {d.below(len(pattern.names)): d.below(graph.num_vertices)} if d.chance(0.1) else None
        unique = mode != "homomorphism" and d.chance(0.7)
        return make_query(graph, pattern, mode=mode, unique=unique, anchor=anchor)
