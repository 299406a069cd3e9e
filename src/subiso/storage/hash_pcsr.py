"""Hash PCSR (after GSI): a relation's vertices in groups of pairs (vertex, offset), a group read in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.errors import GraphError
from subiso.graph.labels import NONE
from subiso.storage.index import Found, Index, Trace, narrow
from subiso.storage.lists import Lists

THETA = 16
"""Pairs of a group: 128 bytes, one transaction."""
_MULTIPLIER = np.uint64(0x9E3779B1)


class HashPcsr(Index):
    """Groups of `theta` pairs. A vertex's hash names its group; what does not fit there goes on in another group.

    The last pair of a group is (the group that the chain goes on in or NONE, the end of its last list); unused
    pairs are (NONE, that end), so a list always ends where the next pair begins. `groups_per_list` is 1 in GSI, which
    makes chains rare and the index large; fewer groups are fuller. Overflowing vertices go to empty groups, then
    to groups added at the end.

    >>> lists = Lists(9, np.array([2, 5], np.uint32), np.array([0, 1, 3]), np.array([4, 6, 7], np.uint32))
    >>> hashed = HashPcsr(lists, theta=2, groups_per_list=0.5)
    >>> hashed.groups.shape, hashed.chains.tolist(), hashed.bytes
    ((2, 2, 2), [2], 44)
    >>> hashed.neighbors_of(5).tolist(), hashed.neighbors_of(2).tolist(), hashed.neighbors_of(3).tolist()
    ([6, 7], [4], [])
    """

    def __init__(self, lists: Lists, theta: int = THETA, groups_per_list: float = 1.0) -> None:
        whole = isinstance(theta, int | np.integer) and 2 <= theta <= 16
        if not (
            whole and isinstance(groups_per_list, int | float | np.number) and 0 < groups_per_list < np.inf
        ):
            raise GraphError(
                f"a hash PCSR has groups of 2 to 16 pairs, not {theta!r}, and more than 0 groups per list, "
                f"not {groups_per_list!r}"
            )
        self.theta = theta
        self.num_groups = max(1, int(np.ceil(len(lists.keys) * groups_per_list)))
        """The groups that hashes lead to; further ones only continue chains."""
        room = theta - 1
        home = hash_group(lists.keys, self.num_groups)
        order = np.argsort(home, kind="stable")
        home = home[order]
        self.members = members = np.bincount(home, minlength=self.num_groups)
        """By hash: how many vertices have it."""
        place = np.arange(len(order)) - (np.cumsum(members) - members)[home]
        self.chains = np.maximum(-(-members // room), 1)
        """By hash: the groups of its chain."""
        links, starts = self._number(members)
        group = links[starts[home] + place // room]
        self.groups, self.neighbors = self._fill(lists, order, group, place % room)
        later = np.setdiff1d(np.arange(len(links)), starts)
        self.groups[links[later - 1], room, 0] = links[later]

    def _number(self, members: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The group of every link of every chain, chain after chain, and where the chains begin."""
        starts = np.cumsum(self.chains) - self.chains
        groups = np.zeros(int(self.chains.sum()), np.int64)
        groups[starts] = np.arange(self.num_groups)
        extra = np.ones(len(groups), bool)
        extra[starts] = False
        wanted = int(extra.sum())
        empty = np.flatnonzero(members == 0)[:wanted]
        groups[extra] = np.concatenate(
            [empty, np.arange(self.num_groups, self.num_groups + wanted - len(empty))]
        )
        return groups, starts

    def _fill(
        self,
        lists: Lists,
        order: NDArray[np.int64],
        group: NDArray[np.int64],
        slot: NDArray[np.int64],
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Pairs and lists, both group by group."""
        count = max(self.num_groups, int(group.max(initial=0)) + 1)
        by_group = np.lexsort((slot, group))
        stored = lists.reordered(order[by_group])
        offsets = narrow(stored.offsets)
        at, slots = group[by_group], slot[by_group]
        groups = np.empty((count, self.theta, 2), np.uint32)
        groups[:, :, 0] = NONE
        filled = np.searchsorted(at, np.arange(count), side="right")
        groups[:, :, 1] = offsets[filled][:, None]
        groups[at, slots, 0] = stored.keys
        groups[at, slots, 1] = offsets[:-1]
        return groups, stored.neighbors

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        return self.groups, self.neighbors

    def find(self, vertices: NDArray[np.uint32]) -> Found:
        trace = Trace(len(vertices))
        array = trace.array()
        begin, end = np.zeros((2, len(vertices)), np.int64)
        group = hash_group(vertices, self.num_groups)
        left = np.arange(len(vertices))
        while len(left):
            mine = self.groups[group[left]]
            going = np.zeros(len(vertices), bool)
            going[left] = True
            first_byte = group * self.theta * 8
            trace.read(array, first_byte, 1, going)
            trace.read(array, first_byte + self.theta * 8 - 1, 1, going)
            hit = mine[:, :-1, 0] == vertices[left][:, None]
            found = hit.any(axis=1)
            slot = hit.argmax(axis=1)[found]
            rows = np.flatnonzero(found)
            begin[left[found]] = mine[rows, slot, 1]
            end[left[found]] = mine[rows, slot + 1, 1]
            onward = ~found & (mine[:, -1, 0] != NONE)
            group[left[onward]] = mine[onward, -1, 0]
            left = left[onward]
        return Found(begin, end, trace.lines())

    def total_length(self, vertices: NDArray[np.uint32]) -> int:
        return int(_native.look_up_hash(self.groups.ravel(), self.num_groups, self.theta, vertices))


def hash_group(vertices: NDArray[np.uint32], num_groups: int) -> NDArray[np.int64]:
    """The group that a vertex belongs to: a multiplication spreads it over 32 bits, another scales that down.

    >>> hash_group(np.arange(8, dtype=np.uint32), 4).tolist()
    [0, 2, 0, 3, 1, 0, 2, 1]
    """
    spread = (vertices.astype(np.uint64) * _MULTIPLIER) & np.uint64(NONE)
    return (spread * np.uint64(num_groups) >> np.uint64(32)).astype(np.int64)
