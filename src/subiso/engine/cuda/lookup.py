"""Looks many neighbour lists up on a device: what a storage layout costs there (kernels/lookup.cuh)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.buffers import Buffers
from subiso.engine.cuda.kernel import store_lines
from subiso.engine.cuda.layout import FEW_RELATIONS, RELATIONS
from subiso.engine.cuda.machine import Machine, entry_lines

LOOK_UP_ARGS = np.dtype(
    [
        *RELATIONS,
        *((name, np.uint64) for name in ("vertices", "wanted", "count", "sum", "lengths", "touch")),
    ]
)


@dataclass(frozen=True)
class LookUpKernel:
    """One instance of the template in kernels/lookup.cuh."""

    store: str = "csr"
    name: str = "subiso_look_up"
    threads: int = 256
    quick: bool = False
    slow: bool = False

    @property
    def args_type(self) -> str:
        return "subiso::LookUpArgs<Store>"

    def text(self) -> str:
        """The translation unit.

        >>> print(LookUpKernel("compressed").text())
        #include "lookup.cuh"
        #include "stores.cuh"
        using namespace subiso;
        using Store = CompressedStore;
        extern "C" __global__ void __launch_bounds__(256)
        subiso_look_up(const __grid_constant__ subiso::LookUpArgs<Store> args) {
          look_up(args);
        }
        """
        return "\n".join(
            [
                '#include "lookup.cuh"',
                *store_lines(self.store),
                *entry_lines(self, "look_up(args);"),
            ]
        )


class LookUps(Buffers):
    """Look-ups of pairs (rank, relation) through the entries of one store, to be run again and again."""

    def __init__(
        self,
        machine: Machine,
        kernel: LookUpKernel,
        entries: Sequence[NDArray[Any]],
        vertices: NDArray[np.uint32],
        relations: NDArray[np.uint32],
        *,
        blocks: int | None = None,
        touch: bool = False,
    ) -> None:
        """`touch` also reads the first neighbour of every list; `blocks` of None fills the device."""
        super().__init__(machine)
        self.kernel, self.count = kernel, len(vertices)
        self.args: NDArray[Any] = np.zeros((), LOOK_UP_ARGS)
        self._table(self.args, "relations", entries, FEW_RELATIONS)
        self.sum = self._allocate(8)
        self.lengths = self._allocate(max(4 * self.count, 1))
        self.args["vertices"], self.args["wanted"] = self._upload(vertices), self._upload(relations)
        self.args["count"], self.args["sum"], self.args["touch"] = self.count, self.sum.address, touch
        most = -(-self.count // kernel.threads)
        self.blocks = max(1, min(most, 8 * machine.description.multiprocessors) if blocks is None else blocks)

    def run(self) -> int:
        """The sum of the lists' lengths."""
        self.machine.clear(self.sum)
        self.machine.launch(self.kernel, self.blocks, 0, self.args)
        return int(self.machine.snapshot(self.sum, 8).value().view(np.uint64)[0])

    def each(self) -> NDArray[np.uint32]:
        """The length of every list."""
        self.args["lengths"] = self.lengths.address
        self.run()
        self.args["lengths"] = 0
        return self.machine.read(self.lengths, 4 * self.count).view(np.uint32)
