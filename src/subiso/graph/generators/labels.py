"""Random labels for the vertices or edges of any graph: uniform, Zipf or another power law."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from subiso.errors import GraphError
from subiso.graph.adjacency import native
from subiso.graph.arrays import Array
from subiso.graph.generators.arguments import joined, number, seed_of, threads_of, whole
from subiso.graph.generators.powers import falling
from subiso.graph.graph import Graph
from subiso.graph.labels import EdgeLabels, Label, VertexLabels

ALPHAS = {"uniform": 0.0, "zipf": 1.0, "powerlaw": 2.5}
_STEEPEST = 10


def with_labels(
    graph: Graph,
    k: int | Sequence[Label],
    distribution: str = "uniform",
    *,
    alpha: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Graph:
    """The same graph with random vertex labels; labels it had before are replaced.

    `k` is the number of labels, which are then 0 .. k - 1, or a list of the labels to choose from. The
    label of rank r = 1, 2, ... has weight 1 ("uniform"), 1/r ("zipf") or r**-alpha ("powerlaw"; 2.5 unless given).

    >>> from subiso.graph.generators import complete
    >>> g = with_labels(complete(1000), ["often", "less", "rare"], "zipf", seed=1)
    >>> dict(zip(g.vertex_labels.names, g.vertex_labels.counts().tolist()))
    {'less': 279, 'often': 546, 'rare': 175}
    """
    chosen = _choose(
        k, _exponent(distribution, alpha), graph.num_vertices, (seed_of(seed), 0, threads_of(threads))
    )
    return _replace(graph, vertex_labels=VertexLabels(*chosen))


def with_edge_labels(
    graph: Graph,
    k: int | Sequence[Label],
    distribution: str = "uniform",
    *,
    alpha: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Graph:
    """The same graph with random edge labels; see `with_labels`.

    >>> from subiso.graph.generators import cycle
    >>> with_edge_labels(cycle(100), 3, seed=1).edge_labels.names
    (0, 1, 2)
    """
    chosen = _choose(
        k, _exponent(distribution, alpha), graph.num_edges, (seed_of(seed), 1, threads_of(threads))
    )
    return _replace(graph, edge_labels=EdgeLabels(*chosen))


def random_labels(
    graph: Graph,
    k: int | Sequence[Label],
    distribution: str = "uniform",
    on: str = "vertices",
    *,
    alpha: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Graph:
    """The same graph with random labels on its vertices, its edges or both; labels it had there are replaced.

    k: the number of labels, which are then 0 .. k - 1, or a list of labels: k=["A", "B"]
    distribution: uniform, zipf (the label of rank r has weight 1/r) or powerlaw (r**-alpha)
    on: vertices, edges, or both
    alpha: the exponent of powerlaw, 0 to 10; None: 2.5
    seed: of the random numbers
    threads: that draw; they make no difference to what is drawn

    >>> from subiso.graph.generators import cycle
    >>> g = random_labels(cycle(100), 3, "zipf", "both", seed=1)
    >>> g.vertex_labels.counts().tolist(), g.edge_labels.counts().tolist()
    ([53, 29, 18], [58, 26, 16])
    """
    if on not in ("vertices", "edges", "both"):
        raise GraphError(f"on must be vertices, edges or both, not {on!r}")
    if on != "edges":
        graph = with_labels(graph, k, distribution, alpha=alpha, seed=seed, threads=threads)
    if on != "vertices":
        graph = with_edge_labels(graph, k, distribution, alpha=alpha, seed=seed, threads=threads)
    return graph


def draw_labels(weights: Sequence[float] | Array, count: int, seed: int, stream: int, threads: int) -> Array:
    """`count` indices into `weights`, each drawn with its weight, as uint32."""
    scaled = np.maximum((np.asarray(weights, np.float64) * 2**52).astype(np.int64), 1).tolist()
    total = sum(scaled)
    bounds = [(part << 64) // total for part in accumulate(scaled)][:-1]
    drawn: Array = native.generate_categories(np.array(bounds, np.uint64), count, seed, stream, threads)
    return drawn


def _exponent(distribution: str, alpha: float | None) -> float:
    """The label of rank r = 1, 2, ... has the weight r to the power of minus this."""
    name = joined(distribution)
    if name not in ALPHAS:
        raise GraphError(f"unknown distribution {distribution!r}", hint=f"one of {', '.join(ALPHAS)}")
    if alpha is not None and name != "powerlaw":
        raise GraphError(f"{distribution} has no alpha", hint='distribution="powerlaw"')
    return ALPHAS[name] if alpha is None else number("alpha", alpha, _STEEPEST)


def _choose(
    k: int | Sequence[Label], alpha: float, count: int, source: tuple[int, int, int]
) -> tuple[tuple[Label, ...], Array]:
    """Sorted names and `count` codes, drawn from `source`: seed, stream, threads."""
    labels = list(k) if isinstance(k, (list, tuple)) else list(range(whole("k", k, 1, 2**24)))  # type: ignore[arg-type]
    kinds = {type(label) for label in labels}
    if not (kinds in ({int}, {str}) and len(set(labels)) == len(labels)):
        raise GraphError(
            "k must be a number of labels, or a list of distinct labels, all ints or all strings"
        )
    drawn = draw_labels(falling(len(labels), alpha), count, *source)
    names = sorted(labels)
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.array([code_of[label] for label in labels], np.uint32)
    return tuple(names), codes[drawn]


def _replace(graph: Graph, **labels: VertexLabels | EdgeLabels) -> Graph:
    """A graph on the same adjacency arrays with other labels."""
    both = {"vertex_labels": graph.vertex_labels, "edge_labels": graph.edge_labels, **labels}
    return Graph.from_csr(
        graph.out.offsets,
        graph.out.neighbors,
        directed=graph.directed,
        vertex_columns=graph.vertex_columns,
        edge_columns=graph.edge_columns,
        ids=graph.ids,
        edge_rows=graph.edge_rows,
        has_loops=graph.has_loops,
        has_parallel=graph.has_parallel,
        num_edges=graph.num_edges,
        checked=True,
        **both,
    )
