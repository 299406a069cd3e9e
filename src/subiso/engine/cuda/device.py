"""A CUDA device through CuPy, which is optional: imported on first use, and missed with a clear message."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.binaries import Binaries, Binary
from subiso.engine.cuda.compile import LEVELS_SINCE, CompileError, Source, Toolchain
from subiso.engine.cuda.later import order
from subiso.engine.cuda.machine import Buffer, Bytes, Description, Kernel, OutOfMemory
from subiso.engine.cuda.times import Spent, adding
from subiso.errors import UnsupportedError

_DEFAULT_SHARED = 48 << 10  # bytes per block that need no asking


def parse_device(device: str) -> tuple[int, ...]:
    """The numbers of devices from "cuda", "cuda:1" or "cuda:0,1"; none for "cuda:all".

    >>> parse_device("cuda"), parse_device("cuda:3"), parse_device("cuda:0,1"), parse_device("cuda:all")
    ((0,), (3,), (0, 1), ())
    """
    if device == "cuda:all":
        return ()
    head, _, numbers = device.partition(":")
    parts = numbers.split(",") if device != "cuda" else ["0"]
    if head != "cuda" or not all(part.isascii() and part.isdigit() for part in parts):
        raise UnsupportedError(
            f"unknown device {device!r}",
            hint='devices are "auto", "cpu", "cuda", "cuda:1", "cuda:0,1", "cuda:all"',
        )
    return tuple(map(int, parts))


def why_not(number: int = 0) -> str | None:
    """Why there is no such CUDA device to use; None when there is."""
    try:
        cupy = importlib.import_module("cupy")
    except ImportError as error:
        return f"CuPy is not installed ({error}): pip install subiso[cuda13] or subiso[cuda12]"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # whatever a driver may say
        return f"CUDA has no usable device: {error}"
    if number >= count:
        return f"there is no device cuda:{number}, only {count} of them"
    return None


def open_devices(device: str = "cuda") -> tuple[CudaMachine, ...]:
    """The machines that a device's name stands for; the same ones every time."""
    numbers = parse_device(device)
    if not numbers:
        open_device(0)  # says why where there is none
        numbers = tuple(range(importlib.import_module("cupy").cuda.runtime.getDeviceCount()))
    # A device that is named twice gets two workers.
    return tuple(open_device(number, numbers[:i].count(number)) for i, number in enumerate(numbers))


@cache
def open_device(number: int = 0, worker: int = 0) -> CudaMachine:
    """One machine of a device; the same one every time."""
    reason = why_not(number)
    if reason is not None:
        raise UnsupportedError(
            f'device="cuda" cannot be used: {reason}', hint='use device="auto" or device="cpu"'
        )
    return CudaMachine(number)


@cache
def nvrtc() -> Toolchain:
    """NVRTC as CuPy has it; needs no device."""
    library = importlib.import_module("cupy").cuda.nvrtc
    version: tuple[int, ...] = library.getVersion()

    def compile_text(text: str, options: tuple[str, ...]) -> bytes:
        program = library.createProgram(text, "subiso.cu", (), ())
        try:
            library.compileProgram(program, options)
            return bytes(library.getCUBIN(program))
        except library.NVRTCError as error:
            log = library.getProgramLog(program)
            raise CompileError(
                f"a kernel does not compile with {options} ({error}):\n{log}", hint="please report this"
            ) from None
        finally:
            library.destroyProgram(program)

    return Toolchain("nvrtc " + ".".join(map(str, version)), compile_text, version >= LEVELS_SINCE)


def binaries_for(architecture: str) -> Binaries:
    """Kernels through NVRTC and the cache on disk; needs no device."""
    return Binaries(nvrtc(), architecture, _order)


def _order(sources: list[Source]) -> bool:
    return order(sources, f"{__name__}:nvrtc")


class CudaBuffer:
    """Device memory from CuPy's pool."""

    def __init__(self, memory: Any, nbytes: int) -> None:
        self.memory = memory
        self.nbytes = nbytes

    @property
    def address(self) -> int:
        return int(self.memory.ptr)


class CudaSnapshot:
    """A copy into pinned memory, and the event behind it."""

    def __init__(self, pinned: Any, nbytes: int, event: Any) -> None:
        self.pinned = pinned
        self.nbytes = nbytes
        self.event = event

    def ready(self) -> bool:
        return bool(self.event.done)

    def value(self) -> Bytes:
        self.event.synchronize()
        return np.frombuffer(self.pinned, np.uint8, self.nbytes).copy()


class CudaMachine:
    """One device: a stream for the search, one beside it for looks and pokes, one for uploads while it runs."""

    def __init__(self, number: int) -> None:
        self.cupy = importlib.import_module("cupy")
        self.runtime = self.cupy.cuda.runtime
        self.device = self.cupy.cuda.Device(number)
        self.description = self._describe(number)
        with self.device:
            self.stream = self.cupy.cuda.Stream(non_blocking=True)
            self.aside = self.cupy.cuda.Stream(non_blocking=True)
            self.uploads = self.cupy.cuda.Stream(non_blocking=True)
        self.binaries = binaries_for(self.description.architecture)
        self.kernels: dict[Kernel, tuple[Binary, Any]] = {}
        self.replaced: list[Any] = []
        """Kernels that were compiled in haste; they stay, as a launch of theirs may still run."""
        self.spent = Spent()

    def allocate(self, nbytes: int) -> CudaBuffer:
        try:
            with self.device, self.stream:
                return CudaBuffer(self.cupy.cuda.alloc(max(nbytes, 1)), nbytes)
        except self.cupy.cuda.memory.OutOfMemoryError:
            raise OutOfMemory(nbytes) from None

    def write(self, buffer: Buffer, array: NDArray[Any], offset: int = 0) -> None:
        array = np.ascontiguousarray(array)
        with self.device, adding(self.spent, "transfer"):
            # From pageable memory the call returns once the bytes are staged, so the array may change afterwards.
            self.runtime.memcpyAsync(
                buffer.address + offset,
                array.ctypes.data,
                array.nbytes,
                self.runtime.memcpyHostToDevice,
                self.stream.ptr,
            )

    def mark(self) -> Any:
        with self.device:
            event = self.cupy.cuda.Event(disable_timing=True)
            event.record(self.stream)
        return event

    def write_beside(self, buffer: Buffer, array: NDArray[Any], offset: int, after: Any) -> None:
        array = np.ascontiguousarray(array)
        with self.device, adding(self.spent, "transfer"):
            self.uploads.wait_event(after)
            self.runtime.memcpyAsync(
                buffer.address + offset,
                array.ctypes.data,
                array.nbytes,
                self.runtime.memcpyHostToDevice,
                self.uploads.ptr,
            )
            done = self.cupy.cuda.Event(disable_timing=True)
            done.record(self.uploads)
            self.stream.wait_event(done)

    def clear(self, buffer: Buffer) -> None:
        with self.device:
            self.runtime.memsetAsync(buffer.address, 0, buffer.nbytes, self.stream.ptr)

    @contextmanager
    def hurrying(self, on: bool) -> Iterator[None]:
        mood = self.binaries.mood
        before, mood.hurry = mood.hurry, on
        try:
            yield
        finally:
            mood.hurry = before
            self.binaries.settle()

    def waiting(self, needless: Callable[[], bool]) -> AbstractContextManager[None]:
        return self.binaries.until(needless)

    def load(self, kernels: Iterable[Kernel]) -> None:
        missing = [kernel for kernel in dict.fromkeys(kernels) if not self._is_settled(kernel)]
        if len(missing) > 1:
            with adding(self.spent, "compile"):
                self.binaries.get_all(missing)
        for kernel in missing:
            if kernel in self.kernels:
                self._fetch(kernel)

    def registers(self, kernel: Kernel) -> int:
        if not self._is_settled(kernel):
            self._fetch(kernel)
        return int(self._kernel(kernel).num_regs)

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        with self.device, self.stream:
            loaded = self._kernel(kernel)
            self.spent.hasty += not self._is_settled(kernel)
            if shared > _DEFAULT_SHARED:
                loaded.max_dynamic_shared_size_bytes = shared
            packed = np.frombuffer(args.tobytes(), f"V{args.nbytes}")
            loaded((blocks,), (kernel.threads,), (packed,), shared_mem=shared)

    def snapshot(self, buffer: Buffer, nbytes: int) -> CudaSnapshot:
        with self.device:
            pinned = self.cupy.cuda.alloc_pinned_memory(nbytes)
            self._copy_back(pinned.ptr, buffer.address, nbytes, self.stream)
            event = self.cupy.cuda.Event(disable_timing=True)
            event.record(self.stream)
        return CudaSnapshot(pinned, nbytes, event)

    def read(self, buffer: Buffer, nbytes: int, offset: int = 0) -> Bytes:
        with self.device:
            pinned = self.cupy.cuda.alloc_pinned_memory(max(nbytes, 1))
            self._copy_back(pinned.ptr, buffer.address + offset, nbytes, self.aside)
            self.aside.synchronize()
        # The array keeps the pinned memory alive: no second copy of the rows.
        return np.frombuffer(pinned, np.uint8, nbytes)

    def poke(self, buffer: Buffer, offset: int, value: int) -> None:
        word = np.array([value], np.uint32)
        with self.device:
            self.runtime.memcpyAsync(
                buffer.address + offset,
                word.ctypes.data,
                4,
                self.runtime.memcpyHostToDevice,
                self.aside.ptr,
            )
            self.aside.synchronize()

    def _copy_back(self, to: int, address: int, nbytes: int, stream: Any) -> None:
        self.runtime.memcpyAsync(to, address, nbytes, self.runtime.memcpyDeviceToHost, stream.ptr)

    def _kernel(self, kernel: Kernel) -> Any:
        if kernel not in self.kernels:
            self._fetch(kernel)
        return self.kernels[kernel][1]

    def _is_settled(self, kernel: Kernel) -> bool:
        return kernel in self.kernels and not self.kernels[kernel][0].hasty

    def _fetch(self, kernel: Kernel) -> None:
        """Loads a kernel, or a better version of it where there is one."""
        mine, old = self.kernels.get(kernel, (None, None))
        with self.device, adding(self.spent, "compile"):
            binary = self.binaries.get(kernel, mine)
            if binary == mine:
                return
            if old is not None:
                self.replaced.append(old)
            # A cooperative launch fails where blocks would wait for others that have no room.
            together = getattr(kernel, "cooperative", False)
            module = self.cupy.RawModule(path=str(binary.path), enable_cooperative_groups=together)
            found = module.get_function(kernel.name)
        self.kernels[kernel] = binary, found

    def _describe(self, number: int) -> Description:
        found = self.runtime.getDeviceProperties(number)
        name = found["name"].decode() if isinstance(found["name"], bytes) else str(found["name"])
        return Description(
            name=name,
            architecture=f"sm_{found['major']}{found['minor']}",
            multiprocessors=int(found["multiProcessorCount"]),
            warps_per_multiprocessor=int(found["maxThreadsPerMultiProcessor"]) // 32,
            blocks_per_multiprocessor=int(found.get("maxBlocksPerMultiProcessor", 16)),
            registers_per_multiprocessor=int(found["regsPerMultiprocessor"]),
            shared_per_multiprocessor=int(found["sharedMemPerMultiprocessor"]),
            shared_per_block=int(found.get("sharedMemPerBlockOptin") or found["sharedMemPerBlock"]),
            memory=int(found["totalGlobalMem"]),
        )
