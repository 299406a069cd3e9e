"""What a run keeps on the device beside the graph: its buffers, counted, and tables that are partly arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.far import FarBits
from subiso.engine.cuda.machine import Buffer, Machine, OutOfMemory, upload
from subiso.errors import DeviceMemoryError
from subiso.filter.resolve import Resolved

LEAST_ROWS = 1024
"""Of output, where memory is short."""


class Buffers:
    """For runs to inherit; `kept` lives as long as the run, `search_bytes` is what it takes."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.kept: list[Any] = []
        self.search_bytes = 0

    def _allocate(self, nbytes: int) -> Buffer:
        buffer = self.machine.allocate(nbytes)
        self.kept.append(buffer)
        self.search_bytes += nbytes
        return buffer

    def _upload(self, array: NDArray[Any]) -> int:
        """The address of a copy."""
        buffer = upload(self.machine, array)
        self.kept.append(buffer)
        self.search_bytes += buffer.nbytes
        return buffer.address

    def _filters(self, resolved: Resolved, combined: Sequence[Sequence[int]]) -> list[int]:
        """The addresses of candidate bitmaps, each the intersection of some."""
        filters = resolved.filters
        far = filters if isinstance(filters, FarBits) and filters.machine is self.machine else None
        self.kept.append(far)
        return [
            far.address(numbers[0])
            if far is not None and len(numbers) == 1
            else self._upload(np.bitwise_and.reduce([filters[f] for f in numbers]))
            for numbers in combined
        ]

    def _output(self, rows: int, row_bytes: int, least: int = LEAST_ROWS) -> Buffer:
        """A buffer of that many rows, or of fewer where memory is short."""
        while True:
            try:
                buffer = self.machine.allocate(rows * row_bytes)
                self.search_bytes += buffer.nbytes
                return buffer
            except OutOfMemory:
                if rows <= least:
                    raise DeviceMemoryError(
                        f"{self.machine.description.name} has no room for {rows} rows of output "
                        f"({rows * row_bytes:,} bytes)",
                        hint='free some of its memory, or use device="cpu"',
                    ) from None
                rows //= 2

    def _entities(self, resolved: Resolved) -> int:
        """The address of the data edges of every relation, for edge-isomorphism."""
        entities = [resolved.layout.entities(r) for r in resolved.relations]
        addresses = [[self._upload(a) for a in (e.offsets, e.neighbors, e.edge_ids)] for e in entities]
        return self._upload(np.array(addresses, np.uint64).reshape(-1, 3))

    def _table(self, args: NDArray[Any], name: str, values: Sequence[Any], few: int) -> None:
        """The first few values travel with the arguments, the others lie in memory."""
        for i, value in enumerate(values[:few]):
            args[name][i] = value
        if len(values) > few:
            args[f"more_{name}"] = self._upload(np.array(values[few:]))
