"""NetworkX and igraph: graphs whose vertices and edges carry attributes. Behind the doors in interop.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from subiso.errors import GraphError
from subiso.graph.labels import NONE
from subiso.graph.tables import listed


def networkx_edges(
    graph: Any,
    vertex_label: str | None,
    edge_label: str | None,
    vertex_columns: str | Sequence[str],
    edge_columns: str | Sequence[str],
) -> dict[str, Any]:
    """The arguments of from_edges for a NetworkX graph."""
    if not hasattr(graph, "nodes") or not hasattr(graph, "is_directed"):
        raise GraphError(
            f"a {type(graph).__name__} is no NetworkX graph", hint="Graph.from_edges takes arrays"
        )
    nodes = list(graph.nodes)
    if all(type(node) is int for node in nodes) and set(nodes) == set(range(len(nodes))):
        nodes.sort()
    index = {node: vertex for vertex, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    node_data = [graph.nodes[node] for node in nodes]
    edge_data = [data for _, _, data in edges]
    return {
        "src": np.fromiter((index[u] for u, _, _ in edges), np.uint32, len(edges)),
        "dst": np.fromiter((index[v] for _, v, _ in edges), np.uint32, len(edges)),
        "ids": nodes,
        "directed": bool(graph.is_directed()),
        "vertex_labels": _label(node_data, vertex_label, "vertex_label", "node"),
        "edge_labels": _label(edge_data, edge_label, "edge_label", "edge"),
        "vertex_columns": _columns(node_data, vertex_columns, "vertex_columns", "node", nodes.__getitem__),
        "edge_columns": _columns(edge_data, edge_columns, "edge_columns", "edge", lambda i: edges[i][:2]),
    }


def igraph_edges(
    graph: Any,
    vertex_label: str | None,
    edge_label: str | None,
    vertex_columns: str | Sequence[str],
    edge_columns: str | Sequence[str],
) -> dict[str, Any]:
    """The arguments of from_edges for an igraph graph."""
    if not hasattr(graph, "vs") or not hasattr(graph, "get_edgelist"):
        raise GraphError(f"a {type(graph).__name__} is no igraph Graph", hint="Graph.from_edges takes arrays")
    ends = np.asarray(graph.get_edgelist(), np.int64).reshape(-1, 2)

    def attribute(part: Any, name: str, argument: str, kind: str) -> Any:
        if name not in part.attributes():
            raise _absent(name, argument, kind, part.attributes())
        return part[name]

    return {
        "src": ends[:, 0],
        "dst": ends[:, 1],
        "num_vertices": graph.vcount(),
        "ids": graph.vs["name"] if "name" in graph.vs.attributes() else None,
        "directed": bool(graph.is_directed()),
        "vertex_labels": vertex_label and attribute(graph.vs, vertex_label, "vertex_label", "vertex"),
        "edge_labels": edge_label and attribute(graph.es, edge_label, "edge_label", "edge"),
        "vertex_columns": {
            c: attribute(graph.vs, c, "vertex_columns", "vertex")
            for c in listed(vertex_columns, "vertex_columns")
        },
        "edge_columns": {
            c: attribute(graph.es, c, "edge_columns", "edge") for c in listed(edge_columns, "edge_columns")
        },
    }


def make_networkx(graph: Any, vertex_label: str, edge_label: str) -> Any:
    """See Graph.to_networkx."""
    import networkx as nx

    kinds = {
        (False, False): nx.Graph,
        (True, False): nx.DiGraph,
        (False, True): nx.MultiGraph,
        (True, True): nx.MultiDiGraph,
    }
    made = kinds[graph.directed, graph.has_parallel]()
    names = range(graph.num_vertices) if graph.ids is None else graph.ids.tolist()
    made.add_nodes_from(zip(names, _vertex_data(graph, vertex_label), strict=True))
    src, dst = graph.edge_endpoints()
    ends = ((names[u], names[v]) for u, v in zip(src.tolist(), dst.tolist(), strict=True))
    made.add_edges_from((*pair, data) for pair, data in zip(ends, _edge_data(graph, edge_label), strict=True))
    return made


def _vertex_data(graph: Any, label: str) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = _rows(graph.vertex_columns, graph.num_vertices)
    labels = graph.vertex_labels
    if labels is not None:
        for vertex, row in enumerate(data):
            names = labels.of(vertex)
            if names:
                row[label] = names[0] if labels.offsets is None else names
    return data


def _edge_data(graph: Any, label: str) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = _rows(graph.edge_columns, graph.num_edges)
    if graph.edge_labels is not None:
        for code, row in zip(graph.edge_labels.codes.tolist(), data, strict=True):
            if code != NONE:
                row[label] = graph.edge_labels.names[code]
    return data


def _rows(columns: Any, count: int) -> list[dict[str, Any]]:
    names = list(columns)
    if not names:
        return [{} for _ in range(count)]
    values = (columns[name].tolist() for name in names)
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def _label(data: list[Any], name: str | None, argument: str, kind: str) -> list[Any] | None:
    if name is None:
        return None
    found = [row.get(name) for row in data]
    if data and all(value is None for value in found):
        raise _absent(name, argument, kind, (key for row in data for key in row))
    return found


def _columns(
    data: list[Any], names: str | Sequence[str], argument: str, kind: str, name_of: Callable[[int], Any]
) -> dict[str, Any]:
    columns = {}
    for name in listed(names, argument):
        for row, values in enumerate(data):
            if name not in values:
                raise GraphError(
                    f"{argument}: {kind} {name_of(row)!r} has no attribute {name!r}",
                    hint="give it to all; a float may be NaN",
                )
        columns[name] = [values[name] for values in data]
    return columns


def _absent(name: str, argument: str, kind: str, there: Iterable[Any]) -> GraphError:
    known = ", ".join(repr(each) for each in dict.fromkeys(there))
    return GraphError(
        f"{argument}: no {kind} has an attribute {name!r}", hint=f"there are: {known or 'none'}"
    )
