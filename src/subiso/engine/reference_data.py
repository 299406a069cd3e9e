"""The reference engine's view of a graph: dictionaries and sets, filled as they are asked for."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from subiso.graph import Graph

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class Data:
    """The graph as dictionaries, filled as they are asked for."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._after: dict[int, dict[int, list[int]]] = {}

    def after(self, u: int) -> dict[int, list[int]]:
        """The data edges that leave u (or touch it, in an undirected graph): neighbour -> edge ids."""
        if u not in self._after:
            adjacency = self.graph.out
            span = slice(int(adjacency.offsets[u]), int(adjacency.offsets[u + 1]))
            neighbors, ids = adjacency.neighbors[span].tolist(), adjacency.edge_ids[span].tolist()
            found: dict[int, list[int]] = {}
            for v, edge in zip(neighbors, ids, strict=True):
                found.setdefault(v, []).append(edge)
            self._after[u] = found
        return self._after[u]

    def before(self, u: int) -> list[int]:
        adjacency = self.graph.in_
        found: list[int] = adjacency.neighbors[
            int(adjacency.offsets[u]) : int(adjacency.offsets[u + 1])
        ].tolist()
        return found

    def edges(self, u: int, v: int) -> list[int]:
        """The ids of the data edges from u to v (between them, in an undirected graph)."""
        return self.after(u).get(v, [])

    def vertex_codes(self, names: frozenset[Any]) -> set[int]:
        assert self.graph.vertex_labels is not None
        codes = (self.graph.vertex_labels.code_of(name) for name in names)
        return {code for code in codes if code is not None}

    def edge_codes(self, names: frozenset[Any] | None) -> set[int] | None:
        if names is None:
            return None
        assert self.graph.edge_labels is not None
        codes = (self.graph.edge_labels.code_of(name) for name in names)
        return {code for code in codes if code is not None}

    def codes_of(self, v: int) -> set[int]:
        labels = self.graph.vertex_labels
        if labels is None:
            return set()
        if labels.offsets is None:
            return {int(labels.codes[v])}
        return set(labels.codes[int(labels.offsets[v]) : int(labels.offsets[v + 1])].tolist())

    def edge_code(self, edge: int) -> int:
        assert self.graph.edge_labels is not None
        return int(self.graph.edge_labels.codes[edge])

    def vertex_value(self, column: str, v: int) -> Any:
        return self.graph.vertex_columns[column][v].item()

    def edge_value(self, column: str, edge: int) -> Any:
        return self.graph.edge_columns[column][edge].item()


def compare(left: Any, op: str, right: Any) -> bool:
    """Compare two numbers exactly; NaN stands for "not known", so every comparison with it is false, != too.

    >>> compare(2**60, "<", 2**60 + 1.0), compare(float("nan"), "!=", 1)
    (False, False)
    """
    if left != left or right != right:  # noqa: PLR0124 (NaN, for ints of any size too)
        return False
    return bool(OPERATORS[op](left, right))


def assign_distinct(choices: list[list[int]]) -> list[int] | None:
    """A different item for each list, from the list; None when there is none (bipartite matching).

    >>> assign_distinct([[1, 2], [1]]), assign_distinct([[1], [1]])
    ([2, 1], None)
    """
    holder: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for item in choices[i]:
            if item not in tried:
                tried.add(item)
                if item not in holder or place(holder[item], tried):
                    holder[item] = i
                    return True
        return False

    if not all(place(i, set()) for i in range(len(choices))):
        return None
    chosen = {i: item for item, i in holder.items()}
    return [chosen[i] for i in range(len(choices))]
