"""Local counts as users get them, `count(..., per=...)`: arrays in the order of the graph's vertices or edges.

Engines count them while they search (engine/local.py). For the reference engine they are read off its rows, which is
also their definition.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from subiso.engine import auto, cpu, cuda, reference
from subiso.engine.base import Engine, Params, StoppedBy, stopped
from subiso.engine.clock import Deadline
from subiso.engine.local import Counts, Group, LocalOutcome, OnCpu, Tallies, as_int64, local_counts
from subiso.engine.query import Query
from subiso.engine.several import in_turn
from subiso.errors import DeviceMemoryError, QueryError, UnsupportedError
from subiso.filter.clique_graph import with_clique_graph
from subiso.filter.relations import RelationTable
from subiso.filter.resolve import Resolved, resolve_for
from subiso.plan.tally import Role, role_of_link
from subiso.result.edges import EdgeFinder
from subiso.result.roles import Roles
from subiso.storage.statistics import statistics_of

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine

Per = Literal["vertex", "edge", "role"]
Local = NDArray[np.int64] | Roles


@dataclass(frozen=True)
class LocalAnswer:
    """What was counted (None when something stopped it), and the number of matches."""

    counts: Local | None
    count: int
    stopped_by: StoppedBy | None = None


def check_per(query: Query, per: str) -> None:
    """Refuse what has no meaning."""
    if per not in get_args(Per):
        raise QueryError(f"unknown per={per!r}", hint="count per " + ", ".join(map(repr, get_args(Per))))
    if per != "role" and not query.injective:
        raise QueryError(
            f'per="{per}" has no meaning in mode="{query.mode}", where a match may be at one place several times',
            hint='per="role" says for each pattern vertex how many matches put it there',
        )


def count_per(query: Query, per: str, engine: Engine, params: Params) -> LocalAnswer:
    """How many matches contain each vertex, use each edge, or have each vertex in each role."""
    check_per(query, per)
    if engine.count is reference.count:
        return _from_rows(query, per, params)
    if engine.count is not auto.count:
        return _tallied(query, per, engine, params)
    deadline = Deadline(params.timeout)
    if auto.on_device(query, params, OnCpu().formula)[0]:
        try:
            left = replace(params, timeout=deadline.left())
            return _tallied(query, per, cast(Engine, cuda.engine_on()), left)
        except (UnsupportedError, DeviceMemoryError) as error:  # the CPU takes everything
            warnings.warn(f"counting on the CPU: {error}", stacklevel=2)
    return _tallied(query, per, cast(Engine, cpu), replace(params, timeout=deadline.left()))


def _tallied(query: Query, per: str, engine: Engine, params: Params) -> LocalAnswer:
    tallies: Tallies = OnCpu() if engine.count is cpu.count else cast("CudaEngine", engine).tallies()
    orbits = query.pattern.orbits_under(sorted(query.anchors))
    resolved = resolve_for(query, params)
    groups, loops = _groups(query, per, orbits, resolved)
    on_device = not isinstance(tallies, OnCpu)
    resolved = with_clique_graph(resolved, statistics_of(query.graph), params.switches, device=on_device)
    if resolved.hopeless or not any(groups):  # no match, or no edge to count
        outcome = LocalOutcome({}, {}, 0 if resolved.hopeless else engine.count(query, params).count)
    else:
        outcome = local_counts(resolved, params, groups, tallies)
    if outcome.stopped_by is not None:
        return LocalAnswer(None, outcome.count, outcome.stopped_by)
    if per == "edge":
        return LocalAnswer(_edges(query, outcome, loops), outcome.count)
    nothing = np.zeros(query.graph.num_vertices, np.int64)
    columns = [outcome.by_vertex.get(group, nothing) for group in range(len(groups))]
    counts = as_int64(columns[0], per) if per == "vertex" else _roles(query, orbits, columns)
    return LocalAnswer(counts, outcome.count)


def count_all_per(queries: list[Query], per: str, engine: Engine, params: Params) -> list[Any]:
    """The local counts of several queries, within one timeout."""

    def answer(query: Query, step: Params) -> Local | None:
        found = count_per(query, per, engine, step)
        if found.stopped_by is not None:
            raise stopped(found.stopped_by, found.count)
        return found.counts

    return in_turn(queries, params, answer)


def _groups(
    query: Query, per: str, orbits: tuple[tuple[int, ...], ...], resolved: Resolved
) -> tuple[list[Group], list[NDArray[np.int64]]]:
    """The roles to count together; per edge: all links, then loops by what edges they may use, and these edges."""
    if per == "vertex":
        return [dict.fromkeys(range(query.pattern.num_vertices), 1)], []
    if per == "role":
        return [dict.fromkeys(orbit, 1) for orbit in orbits], []
    table = RelationTable(query)
    by_fit: dict[Any, tuple[NDArray[np.int64], Counter[Role]]] = {}
    for edge in query.pattern.edges:
        if edge.source == edge.target:
            fit = table.fit(edge)
            found = by_fit.setdefault(
                fit, (_loop_edges(query, None if fit is None else fit.edges), Counter())
            )
            found[1][edge.source] += 1
    links: Group = Counter(role_of_link(link) for link in resolved.problem.links)
    return [links, *(roles for _, roles in by_fit.values())], [ids for ids, _ in by_fit.values()]


def _loop_edges(query: Query, fits: NDArray[np.uint8] | None) -> NDArray[np.int64]:
    """By vertex the smallest id of a fitting self loop; -1 = none."""
    sources, targets = query.graph.edge_endpoints()
    loops = np.flatnonzero((sources == targets) if fits is None else (sources == targets) & (fits != 0))[::-1]
    ids = np.full(query.graph.num_vertices, -1, np.int64)
    ids[sources[loops]] = loops
    return ids


def _edges(query: Query, outcome: LocalOutcome, loops: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The counts of all edges, those that matches use as loops included."""
    edges: Counts = outcome.by_edge.get(0, np.zeros(query.graph.num_edges, np.int64))
    for group, ids in enumerate(loops, 1):
        if group in outcome.by_vertex:
            some = ids >= 0
            more = np.zeros(len(edges), object)
            more[ids[some]] = outcome.by_vertex[group][some]
            edges = edges + more
    return as_int64(edges, "edge")


def _roles(query: Query, orbits: tuple[tuple[int, ...], ...], columns: list[Counts]) -> Roles:
    """Subgraphs: a role is an orbit. Embeddings: every vertex is a role, and those of an orbit have equal counts."""
    names = query.pattern.names
    by_orbit = list(zip(orbits, columns, strict=True))
    if query.unique:
        return Roles({tuple(names[v] for v in orbit): as_int64(counts, "role") for orbit, counts in by_orbit})
    each = {v: as_int64(counts // len(orbit), "role") for orbit, counts in by_orbit for v in orbit}
    return Roles({(names[v],): each[v] for v in sorted(each)})


def _from_rows(query: Query, per: str, params: Params) -> LocalAnswer:
    """The definition: every match, one by one."""
    orbits = query.pattern.orbits_under(sorted(query.anchors))
    stream = reference.stream(query, params)
    by_vertex = np.zeros((query.pattern.num_vertices, query.graph.num_vertices), np.int64)
    by_edge = np.zeros(query.graph.num_edges, np.int64)
    find = EdgeFinder(query)
    count = 0
    for rows in stream:
        count += len(rows)
        for v in range(rows.shape[1]):
            np.add.at(by_vertex[v], rows[:, v], 1)
        if per == "edge":
            np.add.at(by_edge, find(rows).ravel(), 1)
    if stream.stopped_by is not None:
        return LocalAnswer(None, count, stream.stopped_by)
    if per == "edge":
        return LocalAnswer(by_edge, count)
    if per == "vertex":
        return LocalAnswer(by_vertex.sum(axis=0), count)
    return LocalAnswer(_roles(query, orbits, [by_vertex[list(orbit)].sum(axis=0) for orbit in orbits]), count)
