"""Functions over all motifs of a size: motifs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from subiso.api import How, count
from subiso.engine.choose import choose_engine, make_params
from subiso.engine.query import check_graph
from subiso.graph import Graph
from subiso.pattern import Pattern, connected_patterns
from subiso.plan.motif_sums import SIZES
from subiso.plan.motifs import induced_from_subgraphs

if TYPE_CHECKING:
    from subiso.result.motifs import Motifs


def motifs(graph: Graph, k: int, *, induced: bool = False, **options: Unpack[How]) -> Motifs:
    """Count every connected pattern of k vertices: {Pattern: int}, printable as a table.

    Counts are of subgraphs; `induced=True` counts vertex sets by the graph they induce: each connected set of
    k vertices is in exactly one count. Labels are ignored, and so are directions: in a directed graph
    an edge in either direction joins two vertices. The other options are those of `count`; an engine that
    is named counts pattern by pattern, otherwise up to 5 vertices all come from a few sums over the graph.

    >>> import subiso as si
    >>> print(si.motifs(si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), 3, induced=True))
    motif     count  pattern
    wedge         2  (a)--(b), (b)--(c)
    triangle      1  (a)--(b), (b)--(c), (a)--(c)
    """
    from subiso.result.motifs import Motifs

    check_graph(graph)
    patterns = connected_patterns(k)
    counts = _subgraphs(graph, patterns, **options)
    if induced:
        counts = induced_from_subgraphs(patterns, counts)
    return Motifs(zip(patterns, counts, strict=True))


def _subgraphs(graph: Graph, patterns: list[Pattern], **options: Unpack[How]) -> list[int]:
    by_sums = options.get("engine", "auto") == "auto" and options.get("device", "auto") in ("auto", "cpu")
    if not by_sums or patterns[0].num_vertices not in SIZES:
        return count(graph, patterns, **options)
    from subiso.engine.motifs import count_motifs

    choose_engine(schedule=options.get("schedule"))  # refuses a schedule
    params = make_params(options.get("threads"), options.get("timeout"), options.get("progress"))
    return count_motifs(graph, patterns, params)
