"""All motifs of a size in a few passes over the graph: runs native/motifs and polls it, as engine/cpu.py does, or has a
CUDA device make the passes."""

from __future__ import annotations

import time
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import DEVICE_COST, Params, StoppedBy
from subiso.engine.sums import result_of, sums_cost, sums_job
from subiso.engine.waiting import threads_of, wait_for
from subiso.errors import (
    Cancelled,
    DeviceMemoryError,
    SubisoError,
    TimeoutReached,
    UnsupportedError,
)
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.colored import Key, labelled_counts
from subiso.plan.motif_sums import counts_from_sums, sums_of
from subiso.plan.triads import triads_from_tally
from subiso.storage.layout import layout_of
from subiso.storage.relation import Relation
from subiso.storage.simple import simple_lists

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine

_MOST_COLORS = 2**15  # kMostColors of native/motifs/tally.hpp


def count_motifs(
    graph: Graph, patterns: list[Pattern], params: Params, device: Literal["auto", "cpu"] = "cpu"
) -> list[int]:
    """The subgraphs of each of the connected patterns of one size, 3 to 5 vertices; directions do not matter.

    "auto" takes a CUDA device where there is one and much to do.

    >>> from subiso.pattern import connected_patterns
    >>> count_motifs(Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), connected_patterns(3), Params())
    [5, 1]
    """
    if device == "auto" and _on_device(graph, patterns, params):
        from subiso.engine import cuda

        try:
            return count_motifs_on(cuda.engine_on(), graph, patterns, params)
        except (UnsupportedError, DeviceMemoryError) as error:
            warnings.warn(f"counting on the CPU: {error}", stacklevel=2)
    return counts_from_sums(patterns, run_job(sums_job(graph, sums_of(patterns), params), params))


def count_motifs_on(engine: CudaEngine, graph: Graph, patterns: list[Pattern], params: Params) -> list[int]:
    """The same with a CUDA engine."""
    sums, stopped_by = engine.motif_sums(graph, patterns[0].num_vertices, params)
    if stopped_by is not None:
        raise _unfinished(params, stopped_by)
    return counts_from_sums(patterns, sums)


def _on_device(graph: Graph, patterns: list[Pattern], params: Params) -> bool:
    if params.threads is not None or sums_cost(graph, sums_of(patterns)) < DEVICE_COST:
        return False
    from subiso.engine import cuda

    return cuda.why_not() is None


def count_triads(graph: Graph, params: Params) -> dict[str, int]:
    """How many vertex triples of a directed graph induce each of the 16 kinds of triads.

    >>> count_triads(Graph.from_edges([0, 1, 2], [1, 2, 0], directed=True), Params())["030C"]
    1
    """
    lists = [simple_lists(graph)]
    lists += [layout_of(graph).relation(Relation(direction)) for direction in ("out", "in")]
    arrays = [(each.bounds, each.neighbors) for each in lists]
    job = _native.triad_tally(lists, graph.num_vertices, *arrays, threads_of(params))
    return triads_from_tally(graph.num_vertices, *run_job(job, params))


def count_labelled(graph: Graph, k: int, params: Params) -> dict[Key, int]:
    """The subgraphs of every shape of 3 or 4 vertices with every choice of labels, where there are any.

    >>> count_labelled(Graph.from_edges([0, 1, 2], [1, 2, 0], vertex_labels=["x", "y", "y"]), 3, Params())
    {(0, (0, 1, 1)): 1, (0, (1, 0, 1)): 2, (1, (0, 1, 1)): 1}
    """
    lists = simple_lists(graph)
    label_sets, colors = _colors(graph)
    job = _native.colored_tally(
        lists,
        graph.num_vertices,
        (lists.bounds, lists.neighbors),
        colors[layout_of(graph).vertex_at],
        len(label_sets),
        k,
        threads_of(params),
    )
    keys, counts = run_job(job, params)
    rows = keys.reshape(-1, 5).tolist()
    tally = ((row[0], row[1 : 1 + k], count) for row, count in zip(rows, counts, strict=True))
    return labelled_counts(tally, label_sets)


def _colors(graph: Graph) -> tuple[list[tuple[int, ...]], NDArray[np.uint32]]:
    """The sets of labels that vertices carry, and the number of every vertex's set."""
    labels = graph.vertex_labels
    assert labels is not None, "refused earlier"
    if labels.offsets is None:  # one colour per label, and one for vertices without any
        none = np.uint32(len(labels.names))
        single: list[tuple[int, ...]] = [(code,) for code in range(len(labels.names))]
        return _checked([*single, ()]), np.minimum(labels.codes, none)
    numbers: dict[tuple[int, ...], int] = {}
    codes, bounds = labels.codes.tolist(), labels.offsets.tolist()
    colors = [numbers.setdefault(tuple(codes[a:b]), len(numbers)) for a, b in pairwise(bounds)]
    return _checked(list(numbers)), np.array(colors, np.uint32)


def _checked(label_sets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    if len(label_sets) > _MOST_COLORS:
        raise UnsupportedError(
            f"labelled motifs of a graph with {len(label_sets):,} different sets of vertex labels",
            hint=f"there may be {_MOST_COLORS:,}",
        )
    return label_sets


def run_job(job: Any, params: Params) -> Any:
    """Start a native job, wait for its end and give its result."""
    stopped_by = wait_for(job, params, time.perf_counter())
    if stopped_by is not None:
        raise _unfinished(params, stopped_by)
    return result_of(job)


def _unfinished(params: Params, stopped_by: StoppedBy) -> SubisoError:
    if stopped_by == "cancelled":
        return Cancelled("the counts were cancelled")
    return TimeoutReached(f"the counts were not finished within {params.timeout:g} s")
