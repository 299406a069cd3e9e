"""A whole graph's edges by label in one storage layout: look-ups by label and direction, sizes and statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from subiso.errors import GraphError
from subiso.graph import Graph
from subiso.graph.labels import Label
from subiso.storage.hash_pcsr import HashPcsr
from subiso.storage.index import Index
from subiso.storage.interval_pcsr import IntervalPcsr
from subiso.storage.label_csr import LabelCsr, LabelledCsr
from subiso.storage.layout import layout_of
from subiso.storage.lists import Lists
from subiso.storage.partition import Partitions, partitions_of
from subiso.storage.plain_csr import CompressedCsr, PlainCsr
from subiso.storage.relation import Direction
from subiso.storage.renaming import renaming_of

LAYOUTS = ("labelled_csr", "csr", "compressed", "label_csr", "hash_pcsr", "interval_pcsr")

_OPTIONS = {"hash_pcsr": ("theta", "groups_per_list")}


@dataclass(frozen=True)
class LayoutStatistics:
    """A layout in numbers. A look-up is one (vertex, label, direction) that has a list."""

    layout: str
    bytes: int
    largest: int
    """Bytes of the largest label's part, one direction; of a layout that is not divided by label: of one direction."""
    lists: int
    mean_lines: float
    """Lines of 128 bytes that a look-up reads before it knows where its list is."""
    most_lines: int
    mean_chain: float = 0.0
    """Hash PCSR: groups of the chains that have vertices."""
    longest_chain: int = 0
    intervals: int = 0
    """Interval PCSR: of all labels together."""


class LabelStorage:
    """A graph's edges by label in one layout.

    >>> g = Graph.from_edges([0, 0, 1, 3], [1, 2, 2, 2], directed=True, edge_labels=["x", "y", "x", "x"])
    >>> for layout in LAYOUTS:
    ...     stored = store_labels(g, layout)
    ...     print(layout, stored.bytes, stored.neighbors(2, "x", "in").tolist(), stored.neighbors(0, "x").tolist())
    labelled_csr 104 [1, 3] [1]
    csr 112 [1, 3] [1]
    compressed 104 [1, 3] [1]
    label_csr 144 [1, 3] [1]
    hash_pcsr 928 [1, 3] [1]
    interval_pcsr 156 [1, 3] [1]
    """

    def __init__(self, graph: Graph, layout: str, **options: Any) -> None:
        if layout not in LAYOUTS:
            raise GraphError(f"there is no storage layout {layout!r}", hint=f"there are {', '.join(LAYOUTS)}")
        _check_options(layout, options)
        self.graph, self.layout = graph, layout
        self.order = layout_of(graph)
        partitions = partitions_of(graph)
        self.directions: tuple[Direction, ...] = tuple(partitions.sides)
        self.shared = 0
        """Bytes that belong to no label alone."""
        self._parts = self._divide(partitions, options)

    def _divide(self, partitions: Partitions, options: dict[str, Any]) -> dict[tuple[int, Direction], Index]:
        if self.layout in ("labelled_csr", "label_csr"):
            return self._undivided(partitions)
        make: Callable[[Lists], Index]
        if self.layout == "interval_pcsr":
            renaming = renaming_of(self.graph)
            self.shared = renaming.bytes

            def make(lists: Lists) -> Index:
                return IntervalPcsr(lists, renaming)
        else:
            kind = {"csr": PlainCsr, "compressed": CompressedCsr, "hash_pcsr": HashPcsr}[self.layout]

            def make(lists: Lists) -> Index:
                return kind(lists, **options)

        return {
            (code, direction): make(side.label(code))
            for direction, side in partitions.sides.items()
            for code in range(side.num_labels)
        }

    def _undivided(self, partitions: Partitions) -> dict[tuple[int, Direction], Index]:
        parts: dict[tuple[int, Direction], Index] = {}
        for direction, side in partitions.sides.items():
            whole: LabelCsr | LabelledCsr
            if self.layout == "label_csr":
                whole = LabelCsr(side)
                found: list[Index] = [whole.slice(code) for code in range(side.num_labels)]
            else:
                whole = LabelledCsr(side)
                found = [whole.scan(code) for code in range(side.num_labels)]
            self.shared += whole.bytes
            parts |= {(code, direction): part for code, part in enumerate(found)}
        return parts

    @property
    def bytes(self) -> int:
        """Size on a device."""
        return self.shared + sum(part.bytes for part in self._parts.values())

    def part(self, code: int, direction: Direction = "out") -> Index:
        """One label's lists, by rank; in undirected graphs all directions are one."""
        return self._parts[code, direction if len(self.directions) == 2 else "out"]

    def neighbors(self, v: int, label: Label, direction: Direction = "out") -> NDArray[np.uint32]:
        """The vertices joined to v by an edge of that label: its targets ("out"), sources ("in"), or both ("any")."""
        code = self._code(label)
        if not 0 <= v < self.graph.num_vertices:
            raise GraphError(f"there is no vertex {v}; the graph has {self.graph.num_vertices}")
        if direction not in get_args(Direction):
            raise GraphError(f"there is no direction {direction!r}", hint='there are "out", "in" and "any"')
        if code is None:
            return np.zeros(0, np.uint32)
        directions = self.directions if direction == "any" else (direction,)
        lists = [self.part(code, d).neighbors_of(int(self.order.rank[v])) for d in directions]
        return np.unique(self.order.vertex_at[np.concatenate(lists)])

    def _code(self, label: Label) -> int | None:
        labels = self.graph.edge_labels
        if labels is None:
            raise GraphError("the graph has no edge labels")
        return labels.code_of(label)

    @cached_property
    def statistics(self) -> LayoutStatistics:
        """What look-ups of all lists cost, and more."""
        partitions = partitions_of(self.graph)
        lines = [
            self.part(code, direction).find(side.label(code).keys).lines
            for direction, side in partitions.sides.items()
            for code in range(side.num_labels)
        ]
        every = np.concatenate(lines) if lines else np.zeros(0, np.int64)
        parts = list(self._parts.values())
        hashed = [part for part in parts if isinstance(part, HashPcsr)]
        chains = np.concatenate([part.chains[part.members > 0] for part in hashed] or [np.zeros(0, np.int64)])
        whole = self.shared // len(self.directions) if not any(part.bytes for part in parts) else 0
        return LayoutStatistics(
            self.layout,
            self.bytes,
            max([part.bytes for part in parts] + [whole]),
            len(every),
            float(every.mean()) if len(every) else 0.0,
            int(every.max(initial=0)),
            float(chains.mean()) if len(chains) else 0.0,
            int(chains.max(initial=0)),
            sum(part.num_intervals for part in parts if isinstance(part, IntervalPcsr)),
        )


def _check_options(layout: str, options: Iterable[str]) -> None:
    known = _OPTIONS.get(layout, ())
    for name in options:
        if name not in known:
            raise GraphError(
                f"the storage layout {layout!r} has no option {name!r}",
                hint=f"it has {' and '.join(known)}" if known else "leave it out: only hash_pcsr has options",
            )


def store_labels(graph: Graph, layout: str, **options: Any) -> LabelStorage:
    """A graph's edges by label in one of `LAYOUTS`; hash PCSR takes `theta` and `groups_per_list`.

    >>> g = Graph.from_edges([0, 1], [1, 2], directed=True, edge_labels=["x", "y"])
    >>> store_labels(g, "hash_pcsr", theta=4).statistics.mean_lines
    1.0
    """
    return LabelStorage(graph, layout, **options)
