"""Graphs of benchmarks that are made from others: with random labels, with a hub, and what a hub does to counts."""

from __future__ import annotations

import numpy as np

from subiso.bench.data import DataFolder
from subiso.engine import cpu
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern


def is_there(data: DataFolder, name: str) -> bool:
    """Whether the folder has what a graph is made of; True where no folder is named."""
    file = "rmat.py" if name.startswith("rmat") else f"{name.partition('/labels')[0]}.npz"
    return data.path is None or (data.path / file).is_file()


def with_hub(graph: Graph, degree: int) -> Graph:
    """The graph, one more vertex joined to all of it, and pendant vertices that fill the hub's degree up.

    >>> with_hub(Graph.from_edges([0], [1]), 5)
    Graph(6 vertices, 6 edges, undirected)
    """
    n = graph.num_vertices
    if degree < n:
        raise ValueError(f"a hub of degree {degree} cannot be joined to all {n} vertices")
    src, dst = graph.edge_endpoints()
    others = np.delete(np.arange(degree + 1), n)
    return Graph.from_edges(
        np.concatenate([src, np.full(degree, n)]), np.concatenate([dst, others]), num_vertices=degree + 1
    )


PATTERNS = {
    "path3": Pattern.path(3),
    "star3": Pattern.star(3),
    "triangle": Pattern.clique(3),
    "tailed_triangle": Pattern.named("tailed_triangle"),
    "diamond": Pattern.diamond(),
    "K4": Pattern.clique(4),
}


class HubForms:
    """Counts of `with_hub(graph, degree)` for any degree, from counts of the graph without the hub (CPU engine).

    The hub closes a triangle with every edge, a K4 with every triangle, a diamond with every path of three and with
    every edge of a triangle; every degree grows by one.

    >>> HubForms(Graph.from_edges([0, 1, 2], [1, 2, 0])).counts(5)
    {'path3': 19, 'star3': 13, 'triangle': 4, 'tailed_triangle': 18, 'diamond': 6, 'K4': 1}
    """

    def __init__(self, graph: Graph) -> None:
        self.edges = graph.num_edges
        self.degrees = [int(d) for d in graph.degree()]
        self.wedges = sum(d * (d - 1) // 2 for d in self.degrees)
        self.base = {
            name: cpu.count(make_query(graph, PATTERNS[name])).count
            for name in ("triangle", "tailed_triangle", "diamond", "K4")
        }

    def counts(self, degree: int) -> dict[str, int]:
        """By the names of PATTERNS."""
        base, triangles, edges = self.base, self.base["triangle"], self.edges
        grown = [d + 1 for d in self.degrees] + [degree]
        return {
            "path3": sum(d * (d - 1) // 2 for d in grown),
            "star3": sum(d * (d - 1) * (d - 2) // 6 for d in grown),
            "triangle": triangles + edges,
            "tailed_triangle": base["tailed_triangle"]
            + 3 * triangles
            + 2 * self.wedges
            + edges * (degree - 2),
            "diamond": base["diamond"] + 3 * triangles + self.wedges,
            "K4": base["K4"] + triangles,
        }
