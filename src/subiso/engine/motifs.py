"""All motifs of a size in a few passes over the graph: runs native/motifs and polls it, as engine/cpu.py does."""

from __future__ import annotations

import time
from typing import Any

from subiso import _native
from subiso.engine.base import Params
from subiso.engine.cpu import native_threads, wait_for
from subiso.errors import CountOverflowError, TimeoutReached
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.motif_sums import counts_from_sums
from subiso.plan.triads import triads_from_tally
from subiso.storage.layout import layout_of
from subiso.storage.relation import Relation


def count_motifs(graph: Graph, patterns: list[Pattern], params: Params) -> list[int]:
    """The subgraphs of each of the connected patterns of one size, 3 to 5 vertices; directions do not matter.

    >>> from subiso.pattern import connected_patterns
    >>> count_motifs(Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), connected_patterns(3), Params())
    [5, 1]
    """
    lists = layout_of(graph).relation(Relation("any" if graph.directed else "out"))
    arrays = (lists.bounds, lists.neighbors)
    job = _native.motif_sums(
        lists, graph.num_vertices, arrays, patterns[0].num_vertices, native_threads(params)
    )
    return counts_from_sums(patterns, run_job(job, params))


def count_triads(graph: Graph, params: Params) -> dict[str, int]:
    """How many vertex triples of a directed graph induce each of the 16 kinds of triads.

    >>> count_triads(Graph.from_edges([0, 1, 2], [1, 2, 0], directed=True), Params())["030C"]
    1
    """
    lists = [layout_of(graph).relation(Relation(direction)) for direction in ("any", "out", "in")]
    arrays = [(each.bounds, each.neighbors) for each in lists]
    job = _native.triad_tally(lists, graph.num_vertices, *arrays, native_threads(params))
    return triads_from_tally(graph.num_vertices, *run_job(job, params))


def run_job(job: Any, params: Params) -> Any:
    """Start a native job, wait for its end and give its result."""
    stopped_by = wait_for(job, params, time.perf_counter())
    if stopped_by == "timeout":
        raise TimeoutReached(f"the counts were not finished within {params.timeout:g} s")
    try:
        return job.result()
    except OverflowError as error:
        raise CountOverflowError(
            "a sum left the range of the 128-bit accumulators", hint="count in parts of the graph"
        ) from error
