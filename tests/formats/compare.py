"""Compares graphs by what they mean: edges between original ids with labels and columns, and vertices with
theirs.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from subiso.graph import NONE, Graph


def known(values: Any) -> list[Any]:
    """The values of a column, None where one is NaN: NaN is not equal to itself."""
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124


def vertices_of(graph: Graph) -> dict[Any, tuple[Any, ...]]:
    """id -> (labels as texts, values of the columns by name)."""
    ids = range(graph.num_vertices) if graph.ids is None else graph.ids.tolist()
    names = sorted(graph.vertex_columns)
    columns = [known(graph.vertex_columns[name]) for name in names]
    labels = graph.vertex_labels
    found = {}
    for v, name in enumerate(ids):
        own = () if labels is None else tuple(map(str, labels.of(v)))
        found[name] = (own, tuple(zip(names, (column[v] for column in columns), strict=True)))
    assert len(found) == graph.num_vertices
    return found


def edges_of(graph: Graph) -> Counter[tuple[Any, ...]]:
    """(source id, target id, label as text, columns) with multiplicity; undirected ends are sorted."""
    ids = list(range(graph.num_vertices)) if graph.ids is None else graph.ids.tolist()
    names = sorted(graph.edge_columns)
    columns = [known(graph.edge_columns[name]) for name in names]
    found: Counter[tuple[Any, ...]] = Counter()
    source, target = (end.tolist() for end in graph.edge_endpoints())
    for e, (u, v) in enumerate(zip(source, target, strict=True)):
        ends = (ids[u], ids[v]) if graph.directed else tuple(sorted((ids[u], ids[v]), key=str))
        code = NONE if graph.edge_labels is None else int(graph.edge_labels.codes[e])
        label = None if code == NONE else str(graph.edge_labels.names[code])
        found[(*ends, label, tuple(zip(names, (column[e] for column in columns), strict=True)))] += 1
    return found


def assert_same(found: Graph, wanted: Graph) -> None:
    assert found.directed == wanted.directed
    assert vertices_of(found) == vertices_of(wanted)
    assert edges_of(found) == edges_of(wanted)
    assert (found.has_loops, found.has_parallel) == (wanted.has_loops, wanted.has_parallel)
