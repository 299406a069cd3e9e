"""A Machine that runs kernels through the SIMT shim: NumPy arrays for memory, fibers for lanes."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled import launch as launch_compiled
from numpy.typing import NDArray

from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.layout import offset_of
from subiso.engine.cuda.machine import Description, Kernel, OutOfMemory
from subiso.engine.cuda.times import Spent, adding


def load_simt() -> Any:
    """The test module that CMake builds beside this file (target `_simt`)."""
    found = sorted(Path(__file__).parent.glob("_simt.*.so"))
    if not found:
        pytest.skip("the SIMT shim is not built: cmake -DSUBISO_SIMT=ON", allow_module_level=True)
    spec = importlib.util.spec_from_file_location("_simt", found[0])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


simt = load_simt()


class ShimBuffer:
    """Bytes with an address; poisoned, as a device's memory may hold anything."""

    def __init__(self, nbytes: int) -> None:
        self.bytes = np.full(nbytes + 128, 0xA5, np.uint8)
        self.shift = -self.bytes.ctypes.data % 128  # as a device's allocator aligns
        self.nbytes = nbytes

    @property
    def address(self) -> int:
        return int(self.bytes.ctypes.data) + self.shift

    def view(self, offset: int, nbytes: int) -> NDArray[np.uint8]:
        assert offset + nbytes <= self.nbytes, "outside the buffer"
        return self.bytes[self.shift + offset : self.shift + offset + nbytes]


@dataclass
class ShimSnapshot:
    copy: NDArray[np.uint8]

    def ready(self) -> bool:
        return True

    def value(self) -> NDArray[np.uint8]:
        return self.copy


@dataclass
class ShimMachine:
    """`order` and `seed` choose the interleaving; `stop_after` stops every launch after that many turns of lanes."""

    order: str = "forward"
    seed: int = 0
    stop_after: int | None = None
    room: int | None = None
    description: Description = field(
        default_factory=lambda: Description("SIMT shim", "simt", multiprocessors=2, memory=1 << 30)
    )
    fixed: bool = False
    """Compile plans in, where the engine asks for it; else they are read from tables."""
    turns: int = 0
    atomics: int = 0
    """Atomic operations of the kernels that were compiled from their text."""
    spent: Spent = field(default_factory=Spent)
    compiled_launches: int = 0

    def allocate(self, nbytes: int) -> ShimBuffer:
        if self.room is not None and nbytes > self.room:
            raise OutOfMemory(nbytes)
        return ShimBuffer(nbytes)

    def write(self, buffer: ShimBuffer, array: NDArray[Any], offset: int = 0) -> None:
        with adding(self.spent, "transfer"):
            buffer.view(offset, array.nbytes)[:] = np.frombuffer(array.tobytes(), np.uint8)

    def mark(self) -> int:
        return self.compiled_launches

    def write_beside(self, buffer: ShimBuffer, array: NDArray[Any], offset: int, after: int) -> None:
        """Launches are over when they return: `after` has always come."""
        assert after <= self.compiled_launches
        self.write(buffer, array, offset)

    def clear(self, buffer: ShimBuffer) -> None:
        buffer.view(0, buffer.nbytes)[:] = 0

    def hurrying(self, on: bool) -> AbstractContextManager[None]:
        return nullcontext()

    def waiting(self, needless: Callable[[], bool]) -> AbstractContextManager[None]:
        return nullcontext()

    def load(self, kernels: Iterable[Kernel]) -> None: ...

    def registers(self, kernel: Kernel) -> int:
        return 32

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        """Schedule `fine` has a prebuilt module for plans in tables; other kernels are compiled from their text."""
        stoppable = self.stop_after is not None and "control" in args.dtype.names
        stop = int(args["control"]) + offset_of("stop") if stoppable else 0
        prebuilt = isinstance(kernel, SearchKernel) and kernel.store == "csr" and not kernel.tally
        if not prebuilt or (self.fixed and kernel.tables is not None):
            self.compiled_launches += 1
            turns, atomics = launch_compiled(
                kernel, args, blocks, shared, self.order, self.seed, stop, self.stop_after or 0
            )
            self.turns += turns
            self.atomics += atomics
            return
        self.turns += simt.search(
            kernel.tail,
            kernel.edges,
            kernel.wide_offsets,
            kernel.batch,
            kernel.share,
            kernel.sets,
            kernel.team,
            np.frombuffer(args.tobytes(), np.uint8),
            blocks,
            kernel.threads,
            shared,
            self.order,
            self.seed,
            poke=stop,
            poke_after=self.stop_after or 0,
        )

    def snapshot(self, buffer: ShimBuffer, nbytes: int) -> ShimSnapshot:
        return ShimSnapshot(self.read(buffer, nbytes))

    def read(self, buffer: ShimBuffer, nbytes: int, offset: int = 0) -> NDArray[np.uint8]:
        return buffer.view(offset, nbytes).copy()

    def poke(self, buffer: ShimBuffer, offset: int, value: int) -> None:
        buffer.view(offset, 4).view(np.uint32)[0] = value


@dataclass
class HesitantSnapshot:
    """Not ready when asked first."""

    found: ShimSnapshot
    asked: int = 0

    def ready(self) -> bool:
        self.asked += 1
        return self.asked > 2

    def value(self) -> NDArray[np.uint8]:
        return self.found.value()


class WaitingMachine(ShimMachine):
    """Has its runs looked after: somebody waits for them."""

    def snapshot(self, buffer: ShimBuffer, nbytes: int) -> HesitantSnapshot:  # type: ignore[override]
        return HesitantSnapshot(super().snapshot(buffer, nbytes))
