"""Functions over whole families of patterns: motifs and triads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

import numpy as np
from numpy.typing import NDArray

from subiso.api import count
from subiso.engine.base import Params
from subiso.engine.choose import choose_engine, make_params
from subiso.engine.query import check_graph
from subiso.errors import QueryError, UnsupportedError
from subiso.graph import Graph
from subiso.options import How, refuse_unknown
from subiso.pattern import Pattern, connected_patterns
from subiso.plan.colored import all_keys, induced_labelled, labelled_patterns, shape_pattern
from subiso.plan.motif_sums import SIZES
from subiso.plan.motifs import induced_from_subgraphs
from subiso.plan.triads import CONNECTED, TRIADS, subgraphs_from_induced, triad_pattern

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine
    from subiso.result.motifs import Motifs, Triads


@overload
def motifs(
    graph: Graph,
    k: int,
    *,
    induced: bool = False,
    directions: bool = False,
    labels: bool = False,
    per: None = None,
    **options: Unpack[How],
) -> Motifs[int]: ...
@overload
def motifs(
    graph: Graph, k: int, *, induced: bool = False, per: Literal["vertex", "edge"], **options: Unpack[How]
) -> Motifs[NDArray[np.int64]]: ...


def motifs(
    graph: Graph,
    k: int,
    *,
    induced: bool = False,
    directions: bool = False,
    labels: bool = False,
    per: str | None = None,
    **options: Unpack[How],
) -> Motifs[Any]:
    """Count every connected pattern of k vertices: {Pattern: int}, printable as a table.

    Counts are of subgraphs; `induced=True` counts vertex sets by the graph they induce: each connected set of
    k vertices is in exactly one count. Labels are ignored, and so are directions: in a directed graph
    an edge in either direction joins two vertices. `directions=True` tells them apart: the 13 connected kinds
    of three vertices, under the names that `triads` has for them. `labels=True` counts every motif of 3 or 4
    vertices with every choice of the graph's labels for its vertices, where there are any: labelled patterns.

    With `per="vertex"` or `per="edge"` the values are arrays, as those of `count`. `device`, `engine`, `schedule`,
    `threads`, `timeout`, `progress` and `switches` are those of `count`; an engine or a schedule that is named counts
    pattern by pattern, otherwise up to 5 vertices all come from a few sums over the graph, on the CPU or a CUDA device.

    >>> import subiso as si
    >>> print(si.motifs(si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), 3, induced=True))
    motif     count  pattern
    wedge         2  (a)--(b), (b)--(c)
    triangle      1  (a)--(b), (b)--(c), (a)--(c)
    """
    from subiso.result.motifs import Motifs

    check_graph(graph)
    refuse_unknown("motifs", options, How)
    if per is not None:
        return _local(graph, k, induced, per, directions or labels, **options)
    if directions and labels:
        raise UnsupportedError(
            "motifs with directions and labels at once", hint="count the patterns you want"
        )
    if labels:
        return _labelled(graph, k, induced, **options)
    if directions:
        return _directed(graph, k, induced, **options)
    patterns = connected_patterns(k)
    counts = _subgraphs(graph, patterns, **options)
    if induced:
        counts = induced_from_subgraphs(patterns, counts)
    return Motifs(zip(patterns, counts, strict=True))


def triads(
    graph: Graph,
    *,
    threads: int | None = None,
    timeout: float | None = None,
) -> Triads:
    """The triad census of a directed graph: how many vertex triples induce each of the 16 kinds.

    All triples are counted, those without any arc ("003") too, so the counts add up to n(n-1)(n-2)/6. Loops and
    parallel arcs make no difference.

    >>> import subiso as si
    >>> census = si.triads(si.Graph.from_edges([0, 1, 0], [1, 2, 2], num_vertices=4, directed=True))
    >>> {name: count for name, count in census.items() if count}
    {'012': 3, '030T': 1}
    """
    from subiso.result.motifs import Triads

    check_graph(graph)
    return Triads(_census(graph, make_params(threads, timeout)), TRIADS)


def _local(
    graph: Graph, k: int, induced: bool, per: str, told_apart: bool, **options: Unpack[How]
) -> Motifs[Any]:
    from subiso.result.motifs import Motifs

    if per not in ("vertex", "edge"):
        raise QueryError(
            f"unknown per={per!r}", hint='motifs are counted per "vertex" or "edge", or all together'
        )
    if told_apart:
        raise UnsupportedError(
            f'motifs per="{per}" with directions or labels',
            hint=f'count the patterns you want with count(g, [p, q, ...], per="{per}")',
        )
    patterns = connected_patterns(k)
    # A pattern's copies in a denser one have all its vertices but not all its edges: the relations do not hold by edge.
    related = induced and per != "edge"
    counts: list[Any] = count(graph, patterns, per=per, induced=induced and not related, **options)
    if related:
        counts = induced_from_subgraphs(patterns, counts)
    return Motifs(zip(patterns, counts, strict=True))


def _subgraphs(graph: Graph, patterns: list[Pattern], **options: Unpack[How]) -> list[int]:
    if patterns[0].num_vertices not in SIZES:
        return count(graph, patterns, **options)
    from subiso.engine.motifs import count_motifs, count_motifs_on

    params, device = _by_sums(**options), options.get("device", "auto")
    if params is not None:
        return count_motifs(graph, patterns, params, "cpu" if device == "cpu" else "auto")
    engine = choose_engine(options.get("engine", "auto"), device, options.get("schedule"))
    if options.get("schedule") is not None or not hasattr(engine, "motif_sums"):
        return count(graph, patterns, **options)
    return count_motifs_on(cast("CudaEngine", engine), graph, patterns, _params(**options))


def _directed(graph: Graph, k: int, induced: bool, **options: Unpack[How]) -> Motifs[int]:
    from subiso.result.motifs import Motifs

    if k != 3:
        raise UnsupportedError(
            f"motifs of {k} vertices with directions",
            hint="they are of three vertices; count the patterns you want with count(g, [p, q, ...])",
        )
    _check_directed(graph)
    patterns = {name: triad_pattern(name) for name in CONNECTED}
    params = _by_sums(**options)
    if params is None:
        found = count(graph, list(patterns.values()), induced=induced, **options)
    else:
        census = _census(graph, params)
        counts = census if induced else subgraphs_from_induced(census)
        found = [counts[name] for name in CONNECTED]
    names = {pattern: name for name, pattern in patterns.items()}
    return Motifs(zip(patterns.values(), found, strict=True), names)


def _labelled(graph: Graph, k: int, induced: bool, **options: Unpack[How]) -> Motifs[int]:
    from subiso.result.motifs import Motifs

    if k not in (3, 4) or isinstance(k, bool):
        raise UnsupportedError(f"motifs of {k} vertices with labels", hint="they are of 3 or 4 vertices")
    if graph.vertex_labels is None:
        raise QueryError("the graph has no vertex labels", hint="build it with vertex_labels=")
    names, params = graph.vertex_labels.names, _by_sums(**options)
    if params is None:
        keys = all_keys(k, len(names))
        found = count(graph, labelled_patterns(keys, names), induced=induced, **options)
        counts = {key: n for key, n in zip(keys, found, strict=True) if n}
    else:
        from subiso.engine.motifs import count_labelled

        counts = count_labelled(graph, k, params)
        counts = induced_labelled(counts) if induced else counts
    ordered = sorted(counts)
    patterns = labelled_patterns(ordered, names)
    shown = {p: shape_pattern(key[0]).usual_name or "" for key, p in zip(ordered, patterns, strict=True)}
    return Motifs(zip(patterns, (counts[key] for key in ordered), strict=True), shown)


def _census(graph: Graph, params: Params) -> dict[str, int]:
    from subiso.engine.motifs import count_triads

    _check_directed(graph)
    return count_triads(graph, params)


def _check_directed(graph: Graph) -> None:
    if not graph.directed:
        raise QueryError(
            "the graph is undirected, so its triads have no directions",
            hint="build it with directed=True, or leave directions out: motifs(g, 3)",
        )


def _by_sums(**options: Unpack[How]) -> Params | None:
    """How to run where a whole family is counted at once; None where an engine or a GPU was asked for, or no sums."""
    device, params = options.get("device", "auto"), _params(**options)
    if options.get("engine", "auto") != "auto" or device not in ("auto", "cpu"):
        return None
    choose_engine("auto", device, options.get("schedule"))  # refuses a schedule
    return params if params.switches.sums else None


def _params(**options: Unpack[How]) -> Params:
    return make_params(
        options.get("threads"), options.get("timeout"), options.get("progress"), options.get("switches")
    )
