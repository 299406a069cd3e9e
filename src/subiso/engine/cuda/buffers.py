"""What a run keeps on the device beside the graph: its buffers, counted, and tables that are partly arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.machine import Buffer, Machine, upload


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

    def _table(self, args: NDArray[Any], name: str, values: Sequence[Any], few: int) -> None:
        """The first few values travel with the arguments, the others lie in memory."""
        for i, value in enumerate(values[:few]):
            args[name][i] = value
        if len(values) > few:
            args[f"more_{name}"] = self._upload(np.array(values[few:]))
