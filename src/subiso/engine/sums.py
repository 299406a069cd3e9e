"""Counts of a plain pattern of 3 to 5 vertices on the CPU from sums over the graph (native/motifs), without listing."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from subiso import _native
from subiso.engine.base import Outcome, Params
from subiso.engine.query import Query
from subiso.engine.waiting import threads_of, wait_for
from subiso.errors import CountOverflowError
from subiso.graph import Graph
from subiso.pattern import Pattern, is_plain
from subiso.plan.motif_sums import counts_from_sums, sums_asked, sums_of
from subiso.plan.motifs import induced_terms
from subiso.storage.simple import simple_lists

FROM_COMMON = frozenset({"spokes", "wheels", "clique_degrees", "clique_books", "clique_pairs", "common3"})
"""The sums that need the pass over all pairs with common neighbours, which takes longer than all others together."""
_BY_EDGE = frozenset({"triangle_pairs", "triangle_meetings", "tails", "fans", "kites", "cycle_triangles"})
"""Those for which the triangles of every edge are kept."""
FROM_CLIQUES = frozenset({"cliques4", "cliques5", "clique_edges"})
_MOST_ABOVE, _MOST_ABOVE_FIVE = 8192, 512
"""Neighbours of higher degree from which on the bit rows of the pass over cliques take too much memory; and from which
on its loops over cliques of five take too long, should there be large ones."""
_BYTES = 12
"""That a thread needs per vertex of the graph."""
_LITTLE = 1 << 28
"""Bytes that are no matter."""
_SHARE = 4
"""Of the machine's memory, at most one in so many."""
_START = 1e5
"""Steps of a plan that take as long as starting the passes."""


@dataclass(frozen=True)
class Work:
    """What passes over a graph go through."""

    entries: float
    """Of all lists."""
    closing: float
    """Pairs of an edge up from a vertex and another one up from its end: what triangles are looked for among."""
    below: float
    """Paths of two edges with one end above the rest: what cycles are made of."""
    pairs: float
    """Pairs of neighbours of a vertex: what common neighbours are found by."""
    shorter: float
    """Lengths of the lists of every edge's lower end."""
    most_above: int
    """Neighbours of higher degree that a vertex has."""


@dataclass(frozen=True)
class SumsWay:
    """How a count is made from sums."""

    graph: Graph
    terms: tuple[tuple[Pattern, int], ...]
    """Patterns and factors: the count is that of their subgraphs, added up."""
    names: tuple[str, ...]
    """The sums."""

    @property
    def cost(self) -> float:
        """In steps of plans."""
        return sums_cost(self.graph, self.names)

    @property
    def sure(self) -> bool:
        """Plans need not be looked at: these passes were no slower than any of them on all graphs measured."""
        return not FROM_COMMON & set(self.names)

    @property
    def why(self) -> str:
        if self.sure:
            return "degrees, triangles, cycles and cliques need no plan"
        return "pairs with common neighbours are fewer than what a plan goes through"

    def count(self, params: Params, started: float) -> Outcome:
        """The count; 0 where something stopped it."""
        job = sums_job(self.graph, self.names, params)
        stopped_by = wait_for(job, params, started)
        if stopped_by is not None:
            return Outcome(0, stopped_by, time.perf_counter() - started)
        counts = counts_from_sums([pattern for pattern, _ in self.terms], result_of(job))
        total = sum(factor * count for (_, factor), count in zip(self.terms, counts, strict=True))
        return Outcome(total, seconds=time.perf_counter() - started)


def sums_way(query: Query, params: Params = Params()) -> SumsWay | None:  # noqa: B008 (frozen)
    """How the query is counted from sums; None where it can't be, or shouldn't.

    >>> from subiso.engine.query import make_query
    >>> triangle = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> sums_way(make_query(triangle, Pattern.path(4))).names
    ('paths', 'triangle_ends')
    >>> sums_way(make_query(triangle, Pattern.path(6))) is None
    True
    """
    if not params.switches.sums or not may_come_from_sums(query):
        return None
    induced = query.mode == "induced"
    terms = induced_terms(query.pattern) if induced else ((query.pattern, 1),)
    names = sums_of(pattern for pattern, _ in terms)
    if names in (["common3"], ["cliques5"]) or not _within_bounds(query.graph, names, params):
        return None  # plans gather codegrees no worse, and large cliques far better
    copies = 1 if query.unique else query.pattern.automorphism_count()
    return SumsWay(query.graph, tuple((p, factor * copies) for p, factor in terms), tuple(names))


def is_sure(way: SumsWay | None) -> TypeGuard[SumsWay]:
    """Whether there is a way, and no need to look at plans."""
    return way is not None and way.sure


def may_come_from_sums(query: Query) -> bool:
    """Whether there are sums for the query, whatever they cost."""
    return (
        query.injective and not query.anchors and is_plain(query.pattern) and bool(sums_asked(query.pattern))
    )


def sums_job(graph: Graph, names: Sequence[str], params: Params) -> Any:
    """A native job that makes sums, not yet started."""
    lists = simple_lists(graph)
    arrays = (lists.bounds, lists.neighbors)
    return _native.motif_sums(lists, graph.num_vertices, arrays, list(names), threads_of(params))


def result_of(job: Any) -> Any:
    """What a native job that ended has found."""
    try:
        return job.result()
    except OverflowError as error:
        raise CountOverflowError(
            "a sum left the range of the 128-bit accumulators", hint="count in parts of the graph"
        ) from error


def sums_cost(graph: Graph, names: Sequence[str]) -> float:
    """What sums cost, in steps of plans; the factors were measured on seven graphs."""
    wanted, work = set(names), work_of(graph)
    cost = _START + 4 * work.entries
    if wanted & FROM_CLIQUES:
        cost += 4 * work.closing + 8 * work.entries
    if wanted & FROM_COMMON:
        return cost + 5 * work.pairs + 15 * work.entries
    if wanted & _BY_EDGE:
        cost += 3 * work.closing + 15 * work.entries
    elif wanted & {"cliques3", "triangle_ends", "triangle_degrees", "tails_up"}:
        cost += work.closing + 6 * work.entries
    if wanted & {"books2", "books3", "bulls", "darts"} and not wanted & _BY_EDGE:
        cost += min(work.shorter + 8 * work.entries, 3 * work.closing + 15 * work.entries)
    if wanted & {"fans", "kites"}:
        cost += 5 * work.closing + 10 * work.entries
    if wanted & {"cycles4", "cycle_triangles", "square_degrees", "closed_walks5"}:
        weighed, five = bool(wanted & {"cycle_triangles", "square_degrees"}), "closed_walks5" in wanted
        cost += (3 + 3 * weighed + 6 * five) * work.below + (10 + 15 * weighed + 10 * five) * work.entries
    return cost


def work_of(graph: Graph) -> Work:
    """Worked out on first use and kept with the graph.

    >>> work_of(Graph.from_edges([0, 1, 2], [1, 2, 0]))
    Work(entries=6.0, closing=1.0, below=2.0, pairs=12.0, shorter=6.0, most_above=2)
    """

    def measure() -> Work:
        bounds = simple_lists(graph).bounds.astype(np.float64)
        down, up = bounds[1::2] - bounds[:-1:2], bounds[2::2] - bounds[1::2]
        degrees = down + up
        closing, below = float(down @ up), float((down + degrees - 1) @ up) / 2
        pairs, shorter = float(degrees @ degrees), float(up @ degrees)
        return Work(float(bounds[-1]), closing, below, pairs, shorter, int(up.max(initial=0)))

    work: Work = graph.derived("work of sums", measure)
    return work


def _within_bounds(graph: Graph, names: Sequence[str], params: Params) -> bool:
    """Whether memory and, where there are large cliques, time stay within bounds."""
    scratch = _BYTES * graph.num_vertices * threads_of(params)
    if scratch > _LITTLE and _SHARE * scratch > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        return False
    if not FROM_CLIQUES & set(names):
        return True
    return work_of(graph).most_above <= (_MOST_ABOVE_FIVE if "cliques5" in names else _MOST_ABOVE)
