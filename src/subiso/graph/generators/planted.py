"""Graphs with something hidden in them, to try searches on: rings of payments, cliques in noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subiso.errors import GraphError
from subiso.graph.adjacency import native
from subiso.graph.arrays import Array
from subiso.graph.generators.arguments import (
    MAX_EDGES,
    integers,
    seed_of,
    threads_of,
    uniform,
    vertices,
    whole,
)
from subiso.graph.generators.labels import draw_labels
from subiso.graph.generators.models import UNORDERED
from subiso.graph.graph import Graph
from subiso.graph.labels import VertexLabels

ACCOUNT_KINDS = {"business": 3, "exchange": 1, "person": 16}  # kind -> how many of 20 accounts
DAY, HOUR = 86_400, 3_600

# Which of the seed's streams is read for what.
SIZES, MEMBERS, STARTS, GAPS, SUMS, FEES, PAYERS, PAYEES, TIMES, AMOUNTS, KINDS, PAYER_IDS, PAYEE_IDS = range(
    13
)


@dataclass(frozen=True)
class Payments:
    """Columns of some payments; `ring` is -1 for those that belong to none."""

    src: Array
    dst: Array
    amount: Array
    time: Array
    ring: Array


def transactions(
    n: int,
    m: int,
    *,
    rings: int = 10,
    smallest: int = 3,
    largest: int = 5,
    days: int = 90,
    seed: int = 0,
    threads: int | None = None,
) -> Graph:
    """Payments between `n` accounts in which some payment rings are hidden: directed, with parallel edges.

    A ring of k accounts is k payments a -> b -> ... -> a, each one to six hours after the one before, of a
    sum that shrinks by one to three per cent at every step. Rings share no account. The other payments are
    between accounts of very unequal activity, at any time, of Pareto-distributed amounts; they may close
    further rings by chance.

    Vertices are labelled "person", "business" or "exchange". Edge columns: `amount`, `time` (seconds since
    the beginning) and, as the truth to compare with, `ring` (number of the ring, or -1); vertex column:
    `ring`.

    n: number of accounts
    m: number of payments, those of the rings included
    rings: number of rings
    smallest: fewest accounts in a ring, at least 2
    largest: most accounts in a ring
    days: length of the period
    seed: the same seed gives the same graph
    threads: how many threads draw (default: all cores); no influence on the result

    >>> g = transactions(1000, 5000, rings=4, seed=1)
    >>> g.num_edges, sorted(g.edge_columns), g.vertex_labels.names
    (5000, ['amount', 'ring', 'time'], ('business', 'exchange', 'person'))
    """
    n, m, days = vertices("n", n, 2), whole("m", m, 0, MAX_EDGES), whole("days", days, 2, 100_000)
    smallest = whole("smallest", smallest, 2)
    largest, rings = whole("largest", largest, smallest), whole("rings", rings, 0)
    if 6 * HOUR * largest >= days * DAY:
        raise GraphError(
            f"rings of {largest} payments do not fit into {days} days", hint="pass a larger days="
        )
    seed, threads = seed_of(seed), threads_of(threads)
    sizes = integers(rings, range(smallest, largest + 1), seed, SIZES)
    planted = int(sizes.sum())
    if planted > min(n, m):
        raise GraphError(
            f"{rings} rings need {planted} accounts and payments, but n is {n} and m is {m}",
            hint="plant fewer rings",
        )
    inside = _ring_payments(n, sizes, largest, days, seed)
    others = _other_payments(n, m - planted, days, seed, threads)
    kinds = draw_labels(list(ACCOUNT_KINDS.values()), n, seed, KINDS, threads)
    vertex_ring = np.full(n, -1, np.int32)
    vertex_ring[inside.src] = inside.ring
    columns = {
        name: np.concatenate([getattr(inside, name), getattr(others, name)])
        for name in ("amount", "time", "ring")
    }
    return Graph.from_edges(
        np.concatenate([inside.src, others.src]),
        np.concatenate([inside.dst, others.dst]),
        num_vertices=n,
        directed=True,
        vertex_labels=VertexLabels(tuple(ACCOUNT_KINDS), kinds),
        vertex_columns={"ring": vertex_ring},
        edge_columns=columns,
        parallel="keep",
    )


def _ring_payments(n: int, sizes: Array, largest: int, days: int, seed: int) -> Payments:
    """The payments of all rings: ring r has sizes[r] of them, in order of time."""
    rings, planted = len(sizes), int(sizes.sum())
    ring = np.repeat(np.arange(rings, dtype=np.int32), sizes)
    ends = np.cumsum(sizes)
    position = np.arange(planted) - np.repeat(ends - sizes, sizes)
    members = native.generate_sample(n, planted, seed, MEMBERS, 1).astype(np.uint32)
    follower = np.arange(1, planted + 1)
    follower[ends - 1] = ends - sizes
    gaps = integers(rings * largest, range(HOUR, 6 * HOUR), seed, GAPS).reshape(rings, largest)
    starts = integers(rings, range(days * DAY - 6 * HOUR * largest), seed, STARTS)
    sums = 2_000.0 + 18_000.0 * uniform(rings, seed, SUMS)
    kept = 0.97 + 0.02 * uniform(rings * largest, seed, FEES).reshape(rings, largest)
    amounts = sums[:, None] * np.cumprod(kept, axis=1)
    return Payments(
        src=members,
        dst=members[follower],
        amount=_cents(amounts[ring, position]),
        time=starts[ring] + np.cumsum(gaps, axis=1)[ring, position],
        ring=ring,
    )


def _other_payments(n: int, count: int, days: int, seed: int, threads: int) -> Payments:
    """Payments outside the rings; the square of a uniform number makes a few accounts very active."""
    payer_rank, payee_rank = (
        np.minimum(np.square(uniform(count, seed, stream, threads)) * n, n - 1).astype(np.int64)
        for stream in (PAYERS, PAYEES)
    )
    src = native.generate_sample(n, n, seed, PAYER_IDS, threads).astype(np.uint32)[payer_rank]
    dst = native.generate_sample(n, n, seed, PAYEE_IDS, threads).astype(np.uint32)[payee_rank]
    dst = np.where(src == dst, (dst.astype(np.int64) + 1) % n, dst).astype(np.uint32)  # nobody pays himself
    return Payments(
        src=src,
        dst=dst,
        amount=_cents(5.0 / np.sqrt(1.0 - uniform(count, seed, AMOUNTS, threads))),
        time=integers(count, range(days * DAY), seed, TIMES, threads),
        ring=np.full(count, -1, np.int32),
    )


def _cents(amount: Array) -> Array:
    return np.floor(amount * 100.0) / 100.0


def planted_cliques(
    n: int, m: int, *, size: int = 8, copies: int = 1, seed: int = 0, threads: int | None = None
) -> Graph:
    """`copies` cliques without a common vertex, hidden among `m` random edges.

    Random edges that fall into a clique are merged with its own, so that the graph may have a few edges less
    than m + copies * size * (size - 1) / 2. Vertex column `clique`: number of the clique, or -1.

    n: number of vertices
    m: number of random edges
    size: vertices per clique
    copies: number of cliques
    seed: the same seed gives the same graph
    threads: how many threads draw (default: all cores); no influence on the result

    >>> g = planted_cliques(1000, 0, size=5, copies=3)
    >>> g.num_edges, int((g.vertex_columns["clique"] >= 0).sum())
    (30, 15)
    """
    n, m, seed = vertices("n", n, 1), whole("m", m, 0), seed_of(seed)
    size, copies = whole("size", size, 1), whole("copies", copies, 0)
    if m > n * (n - 1) // 2:
        raise GraphError(f"m must be at most {n * (n - 1) // 2:,}, the pairs of {n:,} vertices, not {m:,}")
    if size * copies > n:
        raise GraphError(f"{copies} cliques of {size} need {size * copies} vertices, but n is {n}")
    src, dst = native.generate_pairs(UNORDERED, 0, n, 0, n, m, seed, 0, threads_of(threads))
    members = native.generate_sample(n, size * copies, seed, 1, 1).astype(np.uint32).reshape(copies, size)
    u, v = np.triu_indices(size, 1)
    clique = np.full(n, -1, np.int32)
    clique[members] = np.arange(copies, dtype=np.int32)[:, None]
    return Graph.from_edges(
        np.concatenate([src, members[:, u].ravel()]),
        np.concatenate([dst, members[:, v].ravel()]),
        num_vertices=n,
        vertex_columns={"clique": clique},
        parallel="merge",
    )
