"""What the CUDA engine asks of a machine: memory, launches, and two ways past a running kernel (poke and peek).

A device through CuPy (`device.py`) is one; the SIMT shim of the tests is another, so that everything on the host's side
of a launch is tested without a device as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.times import Spent

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Description:
    """A machine as launch configurations see it."""

    name: str
    architecture: str
    """As the compiler wants it, `sm_90`."""
    multiprocessors: int
    warps_per_multiprocessor: int = 64
    blocks_per_multiprocessor: int = 32
    registers_per_multiprocessor: int = 65_536
    shared_per_multiprocessor: int = 233_472
    shared_per_block: int = 232_448
    memory: int = 0
    """Bytes."""


class Kernel(Protocol):
    """What can be compiled and launched. Hashable: equal ones are compiled once.

    One whose blocks wait for each other has an attribute `cooperative`, which is true.
    """

    @property
    def name(self) -> str:
        """The entry's name in the text."""

    @property
    def threads(self) -> int:
        """Per block."""

    @property
    def args_type(self) -> str:
        """The C++ type of its one argument."""

    @property
    def quick(self) -> bool:
        """Better compiled soon than well."""

    @property
    def slow(self) -> bool:
        """Takes the compiler about a second or more: a short query does better with a hasty version."""

    def text(self) -> str:
        """The translation unit."""


def entry_lines(kernel: Kernel, statement: str, bounds: str = "") -> list[str]:
    """The end of most kernels' texts: an entry that does one thing, compiled for its block or for given bounds."""
    return [
        f'extern "C" __global__ void __launch_bounds__({bounds or kernel.threads})',
        f"{kernel.name}(const __grid_constant__ {kernel.args_type} args) {{",
        f"  {statement}",
        "}",
    ]


class Buffer(Protocol):
    """Memory of the machine; freed when the last reference goes."""

    @property
    def address(self) -> int: ...

    @property
    def nbytes(self) -> int: ...


class OutOfMemory(Exception):
    """The machine has no room for a buffer of that size."""

    def __init__(self, nbytes: int) -> None:
        super().__init__(f"{nbytes:,} bytes")
        self.nbytes = nbytes


class Needless(Exception):
    """Nobody needs what was waited for."""


class Snapshot(Protocol):
    """A buffer's beginning as it was when everything asked for before had happened."""

    def ready(self) -> bool: ...

    def value(self) -> Bytes:
        """Waits until it is ready."""


class Mark(Protocol):
    """A moment: when everything that was asked for before has happened."""


class Machine(Protocol):
    """One device. Writes, launches and snapshots happen in the order they are asked for."""

    @property
    def description(self) -> Description: ...

    @property
    def spent(self) -> Spent: ...

    def allocate(self, nbytes: int) -> Buffer:
        """Memory with unknown contents; OutOfMemory where there is none."""

    def write(self, buffer: Buffer, array: NDArray[Any], offset: int = 0) -> None: ...

    def mark(self) -> Mark:
        """The moment after all that was asked for up to now."""

    def write_beside(self, buffer: Buffer, array: NDArray[Any], offset: int, after: Mark) -> None:
        """Writes once `after` has come, while launches since then may be running; what follows waits for it."""

    def clear(self, buffer: Buffer) -> None:
        """Sets all bytes to zero."""

    def hurrying(self, on: bool) -> AbstractContextManager[None]:
        """While it lasts, and where it is on, kernels that are not there yet are compiled in haste.

        They are compiled well after that, behind the scenes, and replaced when somebody next asks for their registers.
        """

    def waiting(self, needless: Callable[[], bool]) -> AbstractContextManager[None]:
        """While it lasts, compilers are waited for until that is true: Needless is raised then, and they go on."""

    def load(self, kernels: Iterable[Kernel]) -> None:
        """Compiles those that are not yet, side by side."""

    def registers(self, kernel: Kernel) -> int:
        """Registers per thread of a kernel; compiles it if need be."""

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        """`args` is one element of the type that mirrors the kernel's (layout.ARGS)."""

    def snapshot(self, buffer: Buffer, nbytes: int) -> Snapshot: ...

    def read(self, buffer: Buffer, nbytes: int, offset: int = 0) -> Bytes:
        """What is there now, while a kernel may be running."""

    def poke(self, buffer: Buffer, offset: int, value: int) -> None:
        """Writes a 32-bit word now, while a kernel may be running."""


def upload(machine: Machine, array: NDArray[Any]) -> Buffer:
    """A copy of an array on the machine (of at least one byte, so that it has an address)."""
    array = np.ascontiguousarray(array)
    buffer = machine.allocate(max(array.nbytes, 1))
    if array.nbytes:
        machine.write(buffer, array)
    return buffer
