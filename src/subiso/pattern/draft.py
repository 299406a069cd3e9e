"""A pattern while its text is read: vertices, edges and conditions as they come, whatever the language."""

from __future__ import annotations

from collections.abc import Container
from itertools import count

from subiso.pattern.build import Parts, finish, make_edge, sorted_conjunction
from subiso.pattern.elements import Alternatives, Comparison, PatternEdge


class Draft:
    """Grows by the parser's calls; `reserved` holds every name in the text, which invented names avoid."""

    def __init__(self, reserved: Container[str]) -> None:
        self.reserved = reserved
        self.indices: dict[str, int] = {}
        self.labels: list[dict[Alternatives, None]] = []
        self.edges: list[PatternEdge] = []
        self.anti_edges: list[PatternEdge] = []
        self.edge_names: set[str] = set()
        self.comparisons: list[Comparison] = []
        self._vertex_numbers = count()
        self._edge_numbers = count()

    def vertex(self, name: str | None) -> int:
        """The index of a vertex, which is new if its name is, or if it has none."""
        if name is None:
            name = next(f"_{i}" for i in self._vertex_numbers if f"_{i}" not in self.reserved)
        index = self.indices.get(name)
        if index is None:
            index = self.indices[name] = len(self.labels)
            self.labels.append({})
        return index

    def edge(
        self, source: int, target: int, directed: bool, labels: Alternatives | None, name: str | None
    ) -> None:
        self.edges.append(make_edge(source, target, directed, labels, name))
        if name is not None:
            self.edge_names.add(name)

    def anti_edge(self, source: int, target: int, directed: bool, labels: Alternatives | None) -> None:
        self.anti_edges.append(make_edge(source, target, directed, labels))

    def invent_edge_name(self) -> str:
        """A name for an edge that has conditions but was given none."""
        return next(f"_e{i}" for i in self._edge_numbers if f"_e{i}" not in self.reserved)

    def owner(self, name: str) -> int | str | None:
        """What a name in a condition means: a vertex's index, an edge's name, or nothing."""
        return self.indices.get(name, name if name in self.edge_names else None)

    def finish(self) -> Parts:
        labels = tuple(sorted_conjunction(groups) for groups in self.labels)
        return finish(tuple(self.indices), labels, self.edges, self.anti_edges, comparisons=self.comparisons)
