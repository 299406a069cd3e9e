"""Vertices renamed by share sets (GENEVA): those that are in the same edge-label partitions get neighbouring numbers,
so that the vertices of every partition form few intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.graph import Graph
from subiso.storage.partition import Partitions, partitions_of
from subiso.storage.sorting import sort_rows

_WORK = 2e9
"""Memberships that may be looked at while share sets are put in order: a second or two."""
_LEAST_WINDOW = 64


@dataclass(frozen=True, eq=False)
class Renaming:
    """A permutation of the ranks, and what it was made from."""

    new_of: NDArray[np.uint32]
    """rank -> new number"""
    num_sets: int
    """Share sets: different sets of partitions that vertices are in."""

    @property
    def bytes(self) -> int:
        """Size on a device, where look-ups go through it."""
        return self.new_of.nbytes


def renaming_of(graph: Graph) -> Renaming:
    """The graph's renaming, made on first use and kept with the graph.

    >>> g = Graph.from_edges([0, 2, 4, 1, 3], [9, 9, 9, 9, 9], directed=True, edge_labels=list("xxxyy"))
    >>> from subiso.storage.layout import layout_of
    >>> new = renaming_of(g).new_of[layout_of(g).rank]
    >>> sorted(new[[0, 2, 4]].tolist()), sorted(new[[1, 3]].tolist())     # one interval for x, one for y
    ([0, 1, 2], [3, 4])
    """
    return graph.derived("renaming", lambda: rename(partitions_of(graph), graph.num_vertices))


def rename(partitions: Partitions, num_vertices: int) -> Renaming:
    """Groups vertices by share set, orders the sets, and numbers the vertices set by set."""
    owners, items, num_partitions = _memberships(partitions, num_vertices)
    offsets = np.zeros(num_vertices + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=num_vertices), out=offsets[1:])
    # Sets are told apart by sums of random numbers. Were two sums ever equal, intervals would be more, not wrong.
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_scramble(items), dtype=np.uint64)])
    signature = sums[offsets[1:]] - sums[offsets[:-1]]
    _, example, set_of, weights = np.unique(
        signature, return_index=True, return_inverse=True, return_counts=True
    )
    lengths = offsets[example + 1] - offsets[example]
    set_offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.repeat(offsets[example] - set_offsets[:-1], lengths) + np.arange(int(set_offsets[-1]))
    # Of many sets only those that stand near each other in sorted order are compared.
    window = int(min(max(_WORK / max(len(at), 1), _LEAST_WINDOW), len(weights)))
    order = _native.share_order(set_offsets, items[at], weights.astype(np.int64), num_partitions, window)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    new_of = np.empty(num_vertices, np.uint32)
    new_of[np.argsort(place[set_of], kind="stable")] = np.arange(num_vertices, dtype=np.uint32)
    return Renaming(new_of, len(order))


def _memberships(
    partitions: Partitions, num_vertices: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], int]:
    """Pairs of a rank and a partition that it is in, sorted, and the number of partitions: labels times directions."""
    owners, items, count = [], [], 0
    for side in partitions.sides.values():
        owners.append(side.keys)
        items.append(side.labels + np.uint32(count))
        count += side.num_labels
    limits = num_vertices, count
    joined, partition = sort_rows([np.concatenate(owners), np.concatenate(items)], limits)
    return joined, partition, count


def _scramble(numbers: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """A random-looking 64-bit number for each number (the finaliser of SplitMix64)."""
    x = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)
