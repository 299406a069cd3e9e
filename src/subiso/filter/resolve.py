"""From a query to a planning problem and what an engine needs to run its plan: relations, candidates, keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from subiso.engine.query import Query
from subiso.filter.candidate_graph import CandidateLayout, Decision
from subiso.filter.candidates import Bits, Part, initial_parts
from subiso.filter.narrow import Asked, Narrowed, Narrower, narrow
from subiso.filter.relations import RelationTable, induced_edges
from subiso.filter.signature import SHAPE
from subiso.filter.slices import sliced
from subiso.pattern import Column
from subiso.plan.problem import Link, PairCheck, Problem
from subiso.storage.layout import Layout, RelationCsr, layout_of
from subiso.storage.relation import Relation

if TYPE_CHECKING:
    from subiso.engine.base import Params
    from subiso.filter.clique_graph import CliqueDecision

NOT_A_NUMBER = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Resolved:
    """A problem, and the arrays that its numbers refer to."""

    problem: Problem
    layout: Layout | CandidateLayout
    relations: tuple[Relation, ...]
    csrs: tuple[RelationCsr, ...]
    reverse: list[int]
    """relation -> the relation of the same edges read from their other end"""
    filters: Sequence[Bits]
    """Candidate bitmaps by filter number (Problem.filters)."""
    keys: tuple[NDArray[np.int64], ...]
    """Vertex columns as comparable integers, by rank."""
    hopeless: bool
    """Some pattern vertex has no candidate: there is no match."""
    narrowed: Narrowed
    """What the filters did."""
    threads: int = 0
    """At most so many for what is made of it before the search; 0 for no limit."""
    candidate_graph: Decision | None = None
    """Whether the csrs are those of a candidate graph, and why; None: not decided."""
    cliques: CliqueDecision | None = None
    """How a plain clique is looked for; None: it is none, or not decided."""

    @property
    def whole(self) -> Layout:
        """The layout of the whole graph, where no candidate graph stands for it."""
        assert isinstance(self.layout, Layout), "a candidate graph is here"
        return self.layout

    @property
    def longest(self) -> int:
        """No neighbour list of the query's relations is longer."""
        return max((csr.longest[0] for csr in self.csrs), default=0)

    def longest_list(self, relation: int, above: bool) -> tuple[int, int]:
        """The lengths of a relation's longest and second longest list, of neighbours above the owner or of all."""
        csr = self.csrs[relation]
        return csr.longest_above if above else csr.longest


def resolve(
    query: Query,
    filters: Sequence[str] | None = None,
    threads: int | None = None,
    narrower: Narrower = narrow,
    over: Callable[[], bool] | None = None,
    signature: tuple[int, int] = SHAPE,
) -> Resolved:
    """Translate a query into the graph's vocabulary and compute its candidates.

    `filters` names those to run (filter/narrow.py has them), on so many threads at most; None: as fits. `narrower` is
    who runs them, and may end refinement early when it hears from `over` that there is no time left. `signature`: the
    bits of a vertex, and those of them for its labels.
    """
    layout = layout_of(query.graph)
    table = RelationTable(query)
    edges = [e for e in query.pattern.edges if e.source != e.target]
    links = table.links_of(edges)
    absent = [e for e in query.pattern.anti_edges if e.source != e.target]
    if query.mode == "induced":
        absent += induced_edges(query)
    forbidden = table.links_of(absent)
    entities = table.entities() if query.mode == "edge-isomorphism" else ()
    reverse = table.reverse()
    csrs = tuple(layout.relation(r) for r in table.relations)
    parts = initial_parts(query, layout, table)
    unconditional = [v for v, mine in enumerate(parts) if not mine]
    _ask_for_edges(parts, links, table.relations, csrs)
    slices = lambda: sliced(query, layout, links, table.relations, threads or 0)  # noqa: E731
    narrowed = narrower(Asked(query, links, csrs, parts, filters, slices, threads or 0, over, signature))
    pairs, keys = _pair_checks(query, layout)
    problem = Problem(
        pattern=query.pattern,
        mode=query.mode,
        unique=query.unique,
        links=tuple(links),
        forbidden=tuple(forbidden),
        absent=tuple(absent),
        pairs=pairs,
        filters=narrowed.numbers,
        anchored=frozenset(query.anchors),
        sizes=narrowed.sizes,
        fans=narrowed.fans,
        overlaps=narrowed.overlaps,
        loops=query.graph.has_loops,
        entities=entities,
        implied=_implied(links, narrowed.numbers, unconditional),
    )
    hopeless = query.graph.num_vertices == 0 or 0 in narrowed.sizes
    return Resolved(
        problem,
        layout,
        tuple(table.relations),
        csrs,
        reverse,
        narrowed.bitmaps,
        keys,
        hopeless,
        narrowed,
        threads or 0,
    )


def resolve_for(
    query: Query, params: Params, narrower: Narrower = narrow, over: Callable[[], bool] | None = None
) -> Resolved:
    """The same with the filters and threads of a run."""
    switches = params.switches
    return resolve(query, switches.filters, params.threads, narrower, over, switches.signature)


def _ask_for_edges(
    parts: list[list[Part]], links: list[Link], relations: list[Relation], csrs: tuple[RelationCsr, ...]
) -> None:
    """Vertices need an edge of every kind that the pattern has at them, where these are not just any edges."""
    asked: set[tuple[int, int]] = set()
    for a, b, forward, backward in links:
        if relations[forward].fit is not None:
            asked |= {(a, forward), (b, backward)}
    for vertex, relation in sorted(asked):
        parts[vertex].append(Part(csrs[relation].owners, True))


def _implied(
    links: Sequence[Link], numbers: Sequence[tuple[int, ...]], unconditional: Iterable[int]
) -> frozenset[tuple[int, int, int]]:
    """The filters that lists imply (Problem.implied): filters take nobody from a leaf of the pattern of which nothing
    else is asked that is a neighbour of a candidate at its other end."""
    found: set[tuple[int, int, int]] = set()
    for v in unconditional:
        around = [link for link in links if v in (link.a, link.b)]
        if len(around) == 1:
            (link,) = around
            root = link.a + link.b - v
            found |= {(root, link.seen_from(root), f) for f in numbers[v]}
    return frozenset(found)


def _pair_checks(query: Query, layout: Layout) -> tuple[tuple[PairCheck, ...], tuple[NDArray[np.int64], ...]]:
    """Comparisons between two vertices' columns, and the columns as integers that compare the same way."""
    checks: list[PairCheck] = []
    keys: list[NDArray[np.int64]] = []
    columns = query.graph.vertex_columns
    for c in query.pattern.comparisons:
        if not isinstance(c.right, Column) or isinstance(c.left.owner, str) or c.left.owner == c.right.owner:
            continue
        assert isinstance(c.right.owner, int), "comparisons with edges are refused earlier"
        left, right = _as_ranks(columns[c.left.column], columns[c.right.column])
        checks.append(PairCheck(c.left.owner, c.op, c.right.owner, len(keys), len(keys) + 1))
        keys += [left[layout.vertex_at], right[layout.vertex_at]]
    return tuple(checks), tuple(keys)


def _as_ranks(
    left: NDArray[np.generic], right: NDArray[np.generic]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two numeric columns as ranks in their common order: exact for 64-bit integers beside floats, NaN marked."""
    common = np.result_type(left, right)
    if common.kind == "f" and {left.dtype.kind, right.dtype.kind} != {"f"}:
        common = np.dtype(np.longdouble)  # integers beside floats, and signed beside unsigned ones
    both = np.concatenate([left.astype(common), right.astype(common)])
    ranks = np.unique(both, return_inverse=True)[1].astype(np.int64)
    if both.dtype.kind == "f":
        ranks[np.isnan(both)] = NOT_A_NUMBER
    return ranks[: len(left)], ranks[len(left) :]
