"""Matches listed by backtracking on the candidate graph: the first ones, or all where these are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso.engine.base import Params, StoppedBy
from subiso.engine.candidate_search import (
    FIRST_STEPS,
    LONG_STEPS,
    Searcher,
    done_soon,
    fits,
    worth_making,
)
from subiso.filter.resolve import Resolved
from subiso.plan.problem import Problem
from subiso.plan.restrictions import restrictions_for

_MOST_LISTED = 1_000_000  # rows that are held at once


@dataclass(frozen=True, eq=False)
class Listed:
    """Matches as rows of ranks, in no particular order; what ended the search before it had them all, if anything."""

    rows: NDArray[np.uint32]
    stopped_by: StoppedBy | None = None


def list_candidates(resolved: Resolved, params: Params, started: float | None = None) -> Listed | None:
    """The query's matches; None where a plan should list them. `started`: the moment that the timeout counts from;
    None: now."""
    switches = params.switches
    if switches.labelled not in ("auto", "search") or not fits(resolved):
        return None
    always = switches.labelled == "search"
    if not always and not worth_making(resolved, lambda: 0.0):  # first rows of a plan cost next to nothing
        return None
    return Lister(resolved, params, started=started).listed(None if always else FIRST_STEPS)


def listed_soon(resolved: Resolved, params: Params, started: float) -> Listed | None:
    """The same beside a device: where the rows are there before a plan would be made, or asked for by name."""
    if params.switches.labelled == "search" or done_soon(resolved):
        return list_candidates(resolved, params, started)
    return None


class Lister(Searcher):
    """Lists one query's matches on its candidate graph."""

    def run(self) -> Listed | None:
        """Beside a plan that takes long."""
        return self.listed(LONG_STEPS)

    def listed(self, steps: int | None) -> Listed | None:
        """All rows, or as many as are enough; None where that takes more steps."""
        width = self.problem.num_vertices
        if not self.made():
            return None if self.why is None else Listed(np.empty((0, width), np.uint32), self.why)
        enough = self.params.enough
        most = _MOST_LISTED if enough is None else min(enough, _MOST_LISTED)
        rows, all_of_them, _ = self.backtracked(self.graph.list, steps, most, _one_of_each(self.problem))
        table: NDArray[np.uint32] = rows.reshape(-1, width)
        if all_of_them or len(table) == enough:
            return Listed(table)
        return None if self.why is None else Listed(table, self.why)


def _one_of_each(problem: Problem) -> tuple[tuple[int, int], ...]:
    """Pairs of vertices whose order tells the row to list from those of the same subgraph."""
    pattern, colors = problem.pattern, problem.colors()
    if not problem.unique or pattern.automorphism_count(extra_colors=colors) == 1:
        return ()
    return restrictions_for(pattern, range(problem.num_vertices), colors)
