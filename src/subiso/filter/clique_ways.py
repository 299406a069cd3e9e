"""How plain cliques are looked for: along which order of the vertices, and without what of the graph. By size and
statistics alone; bench/cliques.py measures what the rules below rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from subiso.engine.base import Switches
from subiso.filter.resolve import Resolved
from subiso.plan.local import is_plain_clique
from subiso.storage.layout import Layout
from subiso.storage.statistics import Statistics

_LEAST = 3  # vertices of a clique that is looked for, not just an edge
_LEAST_BY_CORES = 5  # of one whose search takes longer than to find the degeneracy order
_DENSE = 20.0  # neighbours above a vertex, over edges, from which on it does
_MOST_BYTES = 1 << 30  # of lists that are copied without being asked to

_PRUNED = {
    "never": "nothing",
    "sets": "sets too small for the vertices to come",
    "cores": "sets too small for the vertices to come, and vertices with core numbers below {}",
    "edges": "sets too small for the vertices to come, and edges in fewer than {} triangles",
}


@dataclass(frozen=True)
class CliqueWays:
    """An order and what is dropped, with the reasons in words."""

    orientation: Literal["degree", "degeneracy"]
    prune: Literal["never", "sets", "cores", "edges"]
    why_order: str
    why_pruned: str
    pruned: str
    """What is dropped, in words."""

    @property
    def order(self) -> str:
        """What the order of the vertices is by, in words."""
        return "degree, then id" if self.orientation == "degree" else "core number, in degeneracy order"

    @property
    def drops(self) -> bool:
        """Whether some of the graph goes before the search."""
        return self.prune in ("cores", "edges")

    @property
    def elsewhere(self) -> bool:
        """Whether a graph is made for it."""
        return self.drops or self.orientation != "degree"


def choose_ways(
    resolved: Resolved, stats: Statistics, switches: Switches, *, device: bool = False
) -> CliqueWays | None:
    """As the switches say, or what is likely to be quickest; None where the problem is no plain clique."""
    problem = resolved.problem
    looked_for = problem.num_vertices >= _LEAST and isinstance(resolved.layout, Layout)
    if not looked_for or len(resolved.relations) != 1 or resolved.hopeless or not is_plain_clique(problem):
        return None
    by_cores, why = _pays(resolved, stats, device)
    orientation, why_order = switches.orientation, "asked for"
    if orientation == "auto":
        orientation, why_order = "degeneracy" if by_cores else "degree", why
    prune, why_pruned = switches.prune, "asked for"
    if prune == "auto":
        # Along the degeneracy order they come first, so that nothing is spent on leaving them out.
        with_order = orientation == "degeneracy"
        prune = "cores" if with_order else "sets"
        why_pruned = "the order has them first" if with_order else "more would cost about what it saves"
    bound = {"cores": problem.num_vertices - 1, "edges": problem.num_vertices - 2}.get(prune)
    return CliqueWays(orientation, prune, why_order, why_pruned, _PRUNED[prune].format(bound))


def _pays(resolved: Resolved, stats: Statistics, device: bool) -> tuple[bool, str]:
    """Whether the degeneracy order is likely to pay in the first query already, and why."""
    above = f"a vertex has {stats.above.pairs:,.1f} neighbours above it, over edges"
    if device:
        return False, "as everything on a device"
    if resolved.problem.num_vertices < _LEAST_BY_CORES:
        return False, f"another order pays from {_LEAST_BY_CORES} vertices on"
    if resolved.csrs[0].nbytes > _MOST_BYTES:
        return False, "another order would be a copy of a large graph"
    if stats.above.pairs < _DENSE:
        return False, f"{above}: another order pays from {_DENSE:.0f} on"
    return True, above
