"""Random graphs with the degrees of a given one: the yardstick for what is frequent by more than chance."""

from __future__ import annotations

from subiso.errors import GraphError
from subiso.graph.adjacency import native
from subiso.graph.generators.arguments import seed_of
from subiso.graph.graph import Graph

_UNDIRECTED, _DIRECTED, _KEEP_MUTUAL = 0, 1, 2  # enum Rewiring of native/generate
_MOST_STEPS = 2**62


def rewire(
    graph: Graph, swaps: float = 10, *, seed: int = 0, keep_mutual: bool = False, sample: int = 0
) -> Graph:
    """A random simple graph in which every vertex has the degree it has in `graph`.

    `swaps` times the number of edges, two edges u-v and x-y are drawn and become u-y and x-v, unless that makes
    a loop or a second edge; about 10 forget where they came from. In a directed graph in- and out-degrees stay, and
    with `keep_mutual=True` also how many of a vertex's arcs are mutual. Ids, labels and columns stay with their
    vertices; edge labels and columns are not carried over, since no edge is the same as before.

    seed, sample: the same numbers give the same graph; samples of one seed are independent of each other

    >>> from subiso.graph.generators import barabasi_albert
    >>> g = barabasi_albert(100, 3, seed=1)
    >>> h = rewire(g, seed=1)
    >>> bool((h.degree() == g.degree()).all()), h.equals(g), h.equals(rewire(g, seed=1))
    (True, False, True)
    """
    _check(graph, keep_mutual)
    kind = _KEEP_MUTUAL if keep_mutual else _DIRECTED if graph.directed else _UNDIRECTED
    src, dst = graph.edge_endpoints()
    src, dst = native.generate_rewired(
        src, dst, kind, _steps(swaps, graph.num_edges), seed_of(seed), seed_of(sample)
    )
    return Graph.from_edges(
        src,
        dst,
        num_vertices=graph.num_vertices,
        ids=graph.ids,
        directed=graph.directed,
        vertex_labels=graph.vertex_labels,
        vertex_columns=graph.vertex_columns,
    )


def _check(graph: Graph, keep_mutual: bool) -> None:
    if not isinstance(graph, Graph):
        raise GraphError(f"rewire takes a subiso.Graph, not a {type(graph).__name__}")
    if graph.has_loops or graph.has_parallel:
        what = "self loops" if graph.has_loops else "parallel edges"
        raise GraphError(
            f"rewire takes simple graphs, and this one has {what}",
            hint='build it with loops="drop" and parallel="merge"',
        )
    if keep_mutual and not graph.directed:
        raise GraphError("keep_mutual is for directed graphs, and this one is undirected")


def _steps(swaps: float, num_edges: int) -> int:
    valid = isinstance(swaps, int | float) and not isinstance(swaps, bool) and 0 <= swaps < float("inf")
    if not valid or swaps * num_edges > _MOST_STEPS:
        raise GraphError(f"swaps is {swaps!r}; it must be a number of switches per edge, 0 or more")
    return int(swaps * num_edges)
