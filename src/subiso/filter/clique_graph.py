"""What plain cliques are looked for in: the graph in another order of its vertices, without those and without edges
that can be in no clique of the size. Plans and engines see relations as ever, and rows leave with the graph's vertices.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.base import Switches
from subiso.filter.candidate_graph import CandidateLayout, with_candidate_graph
from subiso.filter.clique_ways import CliqueWays, choose_ways
from subiso.filter.resolve import Resolved
from subiso.storage.cores import cores_of
from subiso.storage.layout import Layout, RelationCsr
from subiso.storage.relation import Relation
from subiso.storage.statistics import Statistics

_KEPT_BYTES = 1 << 28  # of such graphs that are kept with a graph, beside the last one
_ROUNDS = 20  # in which edges are dropped, at most


class CliqueLayout(CandidateLayout):
    """Stands for a graph's Layout; numbers may be in another order than ranks. Kept with the graph."""

    def __init__(self, base: Layout, members: NDArray[np.uint32], csr: RelationCsr) -> None:
        super().__init__(base, len(members), lambda: members)
        self.csr = csr
        self._edges: NDArray[np.int64] | None = None

    def entry_edges(self, relation: Relation) -> NDArray[np.int64]:
        """The edge id of every entry of the lists, as Layout has them."""
        if self._edges is None:
            whole, n = self.base.relation(relation), np.uint64(self.base.num_vertices)
            known = _pairs(self.base.all_ranks, whole.lengths, whole.neighbors, n)
            mine = _pairs(self.members, self.csr.lengths, self.members[self.csr.neighbors], n)
            self._edges = self.base.entry_edges(relation)[np.searchsorted(known, mine)]
        return self._edges


def _pairs(
    owners: NDArray[np.uint32], lengths: NDArray[np.int64], neighbors: NDArray[np.uint32], n: np.uint64
) -> NDArray[np.uint64]:
    """Every entry as one number, which grows along sorted lists of sorted owners."""
    return np.repeat(owners.astype(np.uint64), lengths) * n + neighbors


@dataclass(frozen=True)
class CliqueDecision:
    """How cliques are looked for, and what that dropped of the graph."""

    ways: CliqueWays
    vertices: int = 0
    of_vertices: int = 0
    edges: int = 0
    of_edges: int = 0

    @property
    def used(self) -> bool:
        """Whether that is another graph than the whole one."""
        return self.ways.elsewhere

    def lines(self) -> list[str]:
        """As `explain` has them."""
        ways, dropped = self.ways, ""
        if ways.drops:
            gone = self.of_vertices - self.vertices, self.of_edges - self.edges
            dropped = f"; {gone[0]:,} of {self.of_vertices:,} vertices and {gone[1]:,} of {self.of_edges:,} edges gone"
        return [
            f"oriented  by {ways.orientation}: {ways.why_order}",
            f"pruned    {ways.pruned}: {ways.why_pruned}{dropped}",
        ]


def searched_in(
    resolved: Resolved, stats: Statistics, switches: Switches, *, device: bool = False
) -> Resolved:
    """The same problem on the graph that its plans run on: that of its cliques, that of its candidates, or the whole.

    `device`: for kernels.
    """
    found = with_clique_graph(resolved, stats, switches, device=device)
    if found.cliques is not None and found.cliques.used:
        return found
    return with_candidate_graph(found, stats, switches.candidate_graph, device=device)


def with_clique_graph(
    resolved: Resolved, stats: Statistics, switches: Switches, *, device: bool = False
) -> Resolved:
    """The same problem where cliques are looked for, if it is that of a plain clique; else as it is."""
    ways = choose_ways(resolved, stats, switches, device=device)
    if ways is None:
        return resolved
    if not ways.elsewhere:
        return replace(resolved, cliques=CliqueDecision(ways))
    layout, relation = resolved.whole, resolved.relations[0]
    kept: _Kept = layout.graph.derived("clique graphs", _Kept)
    made = kept.get(layout, relation, ways, resolved.problem.num_vertices, resolved.threads)
    whole = resolved.csrs[0]
    sizes = made.num_vertices, layout.num_vertices, made.csr.num_entries // 2, whole.num_entries // 2
    return replace(
        resolved,
        problem=replace(resolved.problem, loops=False),
        layout=made,
        csrs=(made.csr,),
        hopeless=made.num_vertices == 0,
        cliques=CliqueDecision(ways, *sizes),
    )


class _Kept:
    """The clique graphs of one graph, the last ones."""

    def __init__(self) -> None:
        self._made: OrderedDict[Hashable, CliqueLayout] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self, layout: Layout, relation: Relation, ways: CliqueWays, size: int, threads: int
    ) -> CliqueLayout:
        dropped = ways.prune if ways.drops else ""
        key = relation.direction, ways.orientation, dropped, size if dropped else 0
        found = self._made.get(key)
        if found is None:
            found = _make(layout, relation, ways, size, threads)
        with self._lock:
            self._made[key] = found
            self._made.move_to_end(key)
            room = _KEPT_BYTES - sum(made.csr.nbytes for made in self._made.values())
            while room < 0 and len(self._made) > 1:
                room += self._made.popitem(last=False)[1].csr.nbytes
        return found


def _make(layout: Layout, relation: Relation, ways: CliqueWays, size: int, threads: int) -> CliqueLayout:
    csr, cores = layout.relation(relation), cores_of(layout, relation)
    members = cores.ordered_from(size - 1 if ways.drops else 0)
    if ways.orientation == "degree":
        members = np.sort(members)
    lists = _native.in_order(csr.bounds, csr.neighbors, members)
    if ways.prune == "edges":
        lists = _native.without_thin_edges(*lists, size - 2, _ROUNDS, threads)
        left = np.flatnonzero(np.diff(lists[0][::2])).astype(np.uint32)
        members, lists = members[left], _native.in_order(*lists, left)
    return CliqueLayout(layout, members, RelationCsr(*lists))
