"""Patterns from other libraries' graphs."""

from __future__ import annotations

from typing import Any

from subiso.errors import PatternError
from subiso.pattern.build import Parts, from_edges


def from_networkx(graph: Any, vertex_label: str | None, edge_label: str | None) -> Parts:
    """The parts of Pattern.from_networkx; duck-typed, so that NetworkX need not be there."""
    if not all(hasattr(graph, part) for part in ("nodes", "edges", "is_directed")):
        raise PatternError(f"expected a NetworkX graph, not {type(graph).__name__}")
    nodes = list(graph.nodes)
    index = {node: i for i, node in enumerate(nodes)}
    vertex_labels = None
    if vertex_label is not None:
        vertex_labels = [graph.nodes[node].get(vertex_label) for node in nodes]
        _check_attribute(vertex_label, vertex_labels, "vertex")
    pairs, edge_labels = [], []
    for source, target, data in graph.edges(data=True):
        pairs.append((index[source], index[target]))
        edge_labels.append(None if edge_label is None else data.get(edge_label))
    if edge_label is not None:
        _check_attribute(edge_label, edge_labels, "edge")
    names = [node if isinstance(node, str) else str(node) for node in nodes]
    return from_edges(pairs, vertex_labels, edge_labels, graph.is_directed(), names=names)


def _check_attribute(name: str, values: list[Any], what: str) -> None:
    if values and all(value is None for value in values):
        raise PatternError(f"no {what} of the graph has the attribute {name!r}")
