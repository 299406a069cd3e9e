"""Hubs as bit rows: the longest lists of a relation also as bitmaps over all vertices, so that looking for a neighbour
is one read instead of a search (kernels/hubs.cuh fills them on the device)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.machine import Buffer, Machine, entry_lines

_BLOCK = 256

HUB_ARGS = np.dtype(
    [(name, np.uint64) for name in ("bounds", "neighbors", "rows")]
    + [(name, np.uint32) for name in ("words", "first", "count", "unused")]
)


@dataclass(frozen=True, eq=False)
class Hubs:
    """Rows of `words` words for the vertices from rank `first` on."""

    rows: Buffer
    words: int
    first: int


class Lists(Protocol):
    """A relation on the device."""

    @property
    def bounds(self) -> Buffer: ...

    @property
    def neighbors(self) -> Buffer: ...


@dataclass(frozen=True)
class HubKernel:
    """Fills rows from lists."""

    wide_offsets: bool = False
    name: str = "subiso_hubs"
    threads: int = _BLOCK
    quick: bool = True
    slow: bool = False

    @property
    def args_type(self) -> str:
        return "subiso::HubArgs<Offset>"

    def text(self) -> str:
        """The translation unit.

        >>> print(HubKernel().text())
        #include "hubs.cuh"
        using Offset = subiso::u32;
        extern "C" __global__ void __launch_bounds__(256)
        subiso_hubs(const __grid_constant__ subiso::HubArgs<Offset> args) {
          subiso::fill_hubs(args);
        }
        """
        return "\n".join(
            [
                '#include "hubs.cuh"',
                f"using Offset = subiso::{'i64' if self.wide_offsets else 'u32'};",
                *entry_lines(self, "subiso::fill_hubs(args);"),
            ]
        )


def hub_shape(num_vertices: int, first_long: int | None, most_bytes: int) -> tuple[int, int] | None:
    """(first rank with a row, words of a row), or None where no list is long.

    >>> hub_shape(5, 2, most_bytes=8)
    (3, 1)
    >>> hub_shape(3, None, most_bytes=8) is None
    True
    """
    words = -(-num_vertices // 32)
    if first_long is None:
        return None
    first = max(first_long, num_vertices - most_bytes // (4 * words))
    return (first, words) if first < num_vertices else None


def fill_hubs(machine: Machine, lists: Lists, hubs: Hubs, num_vertices: int, *, wide: bool) -> None:
    """Launches the kernel that fills the rows; nobody waits for it here."""
    args: NDArray[Any] = np.zeros((), HUB_ARGS)
    args["bounds"], args["neighbors"], args["rows"] = (
        lists.bounds.address,
        lists.neighbors.address,
        hubs.rows.address,
    )
    args["words"], args["first"], args["count"] = hubs.words, hubs.first, num_vertices - hubs.first
    blocks = min(-(-int(args["count"]) * 32 // _BLOCK), 8 * machine.description.multiprocessors)
    machine.launch(HubKernel(wide), max(blocks, 1), 0, args)
