"""Roles: counts per vertex and role of a pattern, a dict of arrays by the names of the pattern's vertices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray


class Roles(dict[str, NDArray[np.int64]]):
    """{role: counts by vertex}. A role is called after its first pattern vertex, and found under all its names.

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> roles = si.count(g, "(a)--(b), (b)--(c)", per="role")
    >>> roles.names, roles["a"].tolist(), roles["b"].tolist(), roles["c"] is roles["a"]
    ([('a', 'c'), ('b',)], [2, 3, 3, 2], [3, 1, 1, 0], True)
    """

    def __init__(self, columns: Mapping[tuple[str, ...], NDArray[np.int64]]) -> None:
        super().__init__((names[0], counts) for names, counts in columns.items())
        self.names: list[tuple[str, ...]] = list(columns)
        """The pattern's vertices in each role."""

    def __missing__(self, name: str) -> NDArray[np.int64]:
        for names in self.names:
            if name in names:
                return self[names[0]]
        raise KeyError(name)

    def to_numpy(self, roles: Sequence[str] | None = None) -> NDArray[np.int64]:
        """A matrix with a row per vertex and a column per role: all of them in order, or those named."""
        return np.stack([self[name] for name in (list(self) if roles is None else roles)], axis=1)
