"""The initial pool of a search: seeds, or all edges of the relation that leads to the second vertex.

Warps take units of it from a counter; a unit of vertices with long lists has few rows, so that no unit is much more
work than another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.layout import POOL, POOL_CLASSES
from subiso.storage.layout import RelationCsr

LIGHT_UNITS = ((4096, 1), (512, 4), (64, 32), (0, 256))
"""(neighbours of the first vertex at least, edges of a unit), where an edge leads to one operation on sets."""
DEEP_UNITS = ((512, 1), (128, 4), (32, 16), (0, 64))
"""The same where there is a search below every edge."""
NO_ORIGIN = 0xFFFFFFFF
"""No operation of a level is known to hold."""
NEVER = (1 << 64) - 1
"""A row or a unit beyond all others."""


@dataclass(frozen=True)
class Class:
    """From this row and this unit on, a unit has `size` rows."""

    row: int
    unit: int
    size: int


def edge_classes(csr: RelationCsr, warps: int, units: Sequence[tuple[int, int]] = DEEP_UNITS) -> list[Class]:
    """How the edges of a relation, last vertex first, fall into units.

    >>> csr = RelationCsr(np.array([0, 1, 1, 2, 2, 4, 100]), np.zeros(100, np.uint32))
    >>> edge_classes(csr, warps=1, units=((50, 4), (0, 32)))
    [Class(row=0, unit=0, size=4), Class(row=98, unit=25, size=32)]
    """
    ends, entries = csr.bounds[::2], csr.num_entries
    # Ranks follow degrees, so the vertices with long lists come last; where a relation bends that, units are less even.
    lengths = np.maximum.accumulate(csr.lengths)
    most = max(1, entries // (2 * warps))
    found: list[Class] = []
    row = unit = 0
    for least, size in ((least, min(size, most)) for least, size in units):
        end = entries - int(ends[np.searchsorted(lengths, least)])
        if end > row:
            found.append(Class(row, unit, size))
            unit += -(-(end - row) // size)
            row = end
    return found or [Class(0, 0, 1)]


def pool_of(
    vertices: int,
    rows: int,
    *,
    width: int = 1,
    seconds: int = 0,
    grown: int = 0,
    capacity: int = 0,
    origin: int = NO_ORIGIN,
    classes: Sequence[Class],
) -> NDArray[Any]:
    """A pool as kernels read it; addresses are numbers here."""
    pool = np.zeros((), POOL)
    pool["vertices"], pool["seconds"], pool["grown"] = vertices, seconds, grown
    pool["rows"], pool["capacity"], pool["width"], pool["origin"] = rows, capacity or rows, width, origin
    pool["last_unit"] = NEVER
    pool["classes"]["row"], pool["classes"]["unit"] = NEVER, NEVER
    for i, c in enumerate(classes[:POOL_CLASSES]):
        pool["classes"][i] = (c.row, c.unit, c.size)
    return pool


def units_of(rows: int, classes: Sequence[Class]) -> int:
    """How many units there are.

    >>> units_of(100, [Class(0, 0, 4), Class(98, 25, 32)])
    26
    """
    last = classes[-1]
    return last.unit + -(-max(rows - last.row, 0) // last.size)
