"""One row for a subgraph, the same from every engine: the smallest of its embeddings, column by column.

With `unique=True` an engine may give any embedding of a subgraph, whichever its vertex order makes cheap.
Here each row is replaced by the lexicographically smallest that automorphisms turn it into, so that
samples, sorted tables and files depend on neither engine nor threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from subiso.engine.base import Rows
from subiso.engine.query import Query
from subiso.pattern import Pattern
from subiso.pattern.automorphism import stabilizer
from subiso.pattern.structure import structure_of

_MOST_EXCHANGED = 16  # columns


class Canonical:
    """Turns rows of one query into the smallest of their orbits.

    >>> from subiso.engine.query import make_query
    >>> from subiso.graph import Graph
    >>> triangle = make_query(Graph.from_edges([0, 1, 2], [1, 2, 0]), Pattern.clique(3))
    >>> Canonical(triangle)(np.array([[2, 0, 1]], dtype=np.uint32)).tolist()
    [[0, 1, 2]]
    """

    def __init__(self, query: Query) -> None:
        self._levels: list[tuple[list[int], NDArray[np.intp]]] = []
        self._free: list[list[int]] = []
        if not query.unique:
            return
        fixed = sorted(query.anchors)
        orbits = [list(orbit) for orbit in query.pattern.orbits_under(fixed) if len(orbit) > 1]
        order = query.pattern.automorphism_count(fixed)
        if order == math.prod(math.factorial(len(orbit)) for orbit in orbits):
            self._free = (
                orbits  # any vertices of an orbit can be exchanged (cliques, stars, ...): sorting is enough
            )
            return
        for i in range(query.pattern.num_vertices):
            if i in query.anchors:
                continue
            moves = _transversal(query.pattern, fixed, i)
            if len(moves) > 1:
                self._levels.append((list(moves), np.array(list(moves.values()), dtype=np.intp)))
            fixed.append(i)

    def __call__(self, rows: Rows) -> Rows:
        """With the vertices before i settled, bring the smallest that can stand at i there; for every i."""
        if self._free:
            columns = rows.T.copy()
            for orbit in self._free:
                _sort(columns, orbit)
            return np.ascontiguousarray(columns.T)
        for orbit, moves in self._levels:
            smallest = rows[:, orbit].argmin(axis=1)
            rows = np.take_along_axis(rows, moves[smallest], axis=1)
        return rows


def _sort(columns: Rows, orbit: Sequence[int]) -> None:
    """Sorts every row of a few columns, by exchanging neighbours in all rows at once; many columns as NumPy does."""
    if len(orbit) > _MOST_EXCHANGED:
        columns[orbit] = np.sort(columns[orbit], axis=0)
        return
    for last in range(len(orbit) - 1, 0, -1):
        for i in range(last):
            a, b = columns[orbit[i]], columns[orbit[i + 1]]
            low = np.minimum(a, b)
            np.maximum(a, b, out=b)
            a[:] = low


def _transversal(pattern: Pattern, fixed: Sequence[int], i: int) -> dict[int, tuple[int, ...]]:
    """For each vertex j of i's orbit an automorphism that keeps `fixed` in place and sends i to j."""
    generators = stabilizer(structure_of(pattern), fixed).generators
    found = {i: tuple(range(pattern.num_vertices))}
    frontier = [i]
    while frontier:
        j = frontier.pop()
        for generator in generators:
            if generator[j] not in found:
                found[generator[j]] = tuple(generator[v] for v in found[j])
                frontier.append(generator[j])
    return found
