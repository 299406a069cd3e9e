"""Adjacency: the neighbour lists of a Graph in CSR form. What every engine reads."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any

from subiso.graph.arrays import Array, read_only

native: Any = importlib.import_module("subiso._native")

ID32_LIMIT = 2**32 - 1
_compute = threading.RLock()  # one for all: these computations are rare and long


class Adjacency:
    """Neighbour lists of all vertices, each sorted by (neighbour, edge id). Immutable.

    >>> from subiso.graph import Graph
    >>> lists = Graph.from_edges([0, 0, 1], [2, 1, 2], num_vertices=3).out
    >>> lists.offsets.tolist(), lists.neighbors.tolist(), lists.edge_ids.tolist()
    ([0, 2, 4, 6], [1, 2, 0, 2, 0, 1], [0, 1, 0, 2, 1, 2])
    """

    __slots__ = ("_edge_ids", "_make_edge_ids", "neighbors", "offsets")
    offsets: Array
    """int64[n + 1]: the list of v is neighbors[offsets[v]:offsets[v + 1]]."""
    neighbors: Array
    """uint32, one per entry."""
    _edge_ids: Array | None
    _make_edge_ids: Callable[[], Array] | None

    def __init__(self, offsets: Array, neighbors: Array, edge_ids: Array | Callable[[], Array]) -> None:
        put = object.__setattr__
        put(self, "offsets", read_only(offsets))
        put(self, "neighbors", read_only(neighbors))
        put(self, "_edge_ids", None if callable(edge_ids) else read_only(edge_ids))
        put(self, "_make_edge_ids", edge_ids if callable(edge_ids) else None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Adjacency is immutable; {name!r} cannot be set")

    @property
    def edge_ids(self) -> Array:
        """The edge id of every entry (uint32; int64 in very large graphs); computed when first asked for."""
        found = self._edge_ids
        if found is None:
            with _compute:
                found = self._edge_ids
                if found is None:
                    assert self._make_edge_ids is not None
                    found = read_only(self._make_edge_ids())
                    object.__setattr__(self, "_edge_ids", found)
        return found

    def __getitem__(self, vertex: int) -> Array:
        """The sorted neighbours of one vertex."""
        return self.neighbors[self.offsets[vertex] : self.offsets[vertex + 1]]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __reduce__(self) -> tuple[Any, ...]:
        return Adjacency, (self.offsets, self.neighbors, self.edge_ids)

    def __repr__(self) -> str:
        return f"Adjacency({len(self):,} vertices, {len(self.neighbors):,} entries)"

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays made so far."""
        made = 0 if self._edge_ids is None else self._edge_ids.nbytes
        return int(self.offsets.nbytes + self.neighbors.nbytes + made)


def entry_edge_ids(
    offsets: Array, neighbors: Array, first_ids: Array, num_edges: int, undirected: bool
) -> Array:
    """Edge ids by entry; `first_ids[u]` is the id of the first edge with source u."""
    make = native.graph_edge_ids32 if num_edges < ID32_LIMIT else native.graph_edge_ids64
    made: Array = make(offsets, neighbors, first_ids, undirected)
    return made
