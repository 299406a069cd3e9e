"""Relations: which data edges a pattern edge may use, and from which end they are read."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Direction = Literal["out", "in", "any"]
_REVERSED: dict[Direction, Direction] = {"out": "in", "in": "out", "any": "any"}


@dataclass(frozen=True)
class EdgeFit:
    """The data edges that fit a pattern edge (label, mask, comparisons); equal keys mean equal sets."""

    key: Hashable
    given: NDArray[np.uint8] | Callable[[], NDArray[np.uint8]] = field(compare=False, repr=False)
    """By edge id: 1 where the edge fits. Or what makes that, for relations that are mostly known already."""

    @cached_property
    def edges(self) -> NDArray[np.uint8]:
        """By edge id: 1 where the edge fits."""
        return self.given() if callable(self.given) else self.given


@dataclass(frozen=True)
class Relation:
    """`neighbors(v, relation)` are the vertices joined to v by a fitting edge in that direction.

    >>> Relation("out").reversed()
    Relation(direction='in', fit=None)
    """

    direction: Direction
    fit: EdgeFit | None = None

    def reversed(self) -> Relation:
        """The same edges read from their other end."""
        return Relation(_REVERSED[self.direction], self.fit)

    def forget(self) -> None:
        """Drops what can be made again: as much as a byte per data edge."""
        if self.fit is not None and callable(self.fit.given):
            self.fit.__dict__.pop("edges", None)
