"""A CUDA device through CuPy, which is optional: imported on first use, and missed with a clear message."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.compile import FLAGS, QUICK, QUICK_SINCE, CompileError, Source, binary
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
        raise UnsupportedError(f'device="cuda" cannot be used: {reason}', hint='use device="auto" or "cpu"')
    return CudaMachine(number)


def build(kernel: Kernel, architecture: str) -> Path:
    """A kernel's binary, from the cache on disk or through NVRTC; needs no device."""
    nvrtc = importlib.import_module("cupy").cuda.nvrtc
    version: tuple[int, ...] = nvrtc.getVersion()
    flags = (*FLAGS, QUICK) if kernel.quick and version >= QUICK_SINCE else FLAGS
    source = Source(kernel.name, kernel.text(), architecture, flags)

    def compile_text(text: str, options: tuple[str, ...]) -> bytes:
        program = nvrtc.createProgram(text, "subiso.cu", (), ())
        try:
            nvrtc.compileProgram(program, options)
            return bytes(nvrtc.getCUBIN(program))
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program)
            raise CompileError(
                f"a kernel does not compile for {source.architecture} ({error}):\n{log}",
                hint="please report this",
            ) from None
        finally:
            nvrtc.destroyProgram(program)

    return binary(source, "nvrtc " + ".".join(map(str, version)), compile_text)


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
    """One device: a stream for the search, another beside it for looks and pokes."""

    def __init__(self, number: int) -> None:
        self.cupy = importlib.import_module("cupy")
        self.runtime = self.cupy.cuda.runtime
        self.device = self.cupy.cuda.Device(number)
        self.description = self._describe(number)
        with self.device:
            self.stream = self.cupy.cuda.Stream(non_blocking=True)
            self.aside = self.cupy.cuda.Stream(non_blocking=True)
        self.kernels: dict[Kernel, Any] = {}
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

    def clear(self, buffer: Buffer) -> None:
        with self.device:
            self.runtime.memsetAsync(buffer.address, 0, buffer.nbytes, self.stream.ptr)

    def load(self, kernels: Iterable[Kernel]) -> None:
        missing = [kernel for kernel in dict.fromkeys(kernels) if kernel not in self.kernels]
        if len(missing) > 1:
            with adding(self.spent, "compile"), ThreadPoolExecutor(len(missing)) as pool:
                list(pool.map(lambda kernel: build(kernel, self.description.architecture), missing))

    def registers(self, kernel: Kernel) -> int:
        return int(self._kernel(kernel).num_regs)

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        with self.device, self.stream:
            loaded = self._kernel(kernel)
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
        found = self.kernels.get(kernel)
        if found is None:
            with self.device, adding(self.spent, "compile"):
                path = build(kernel, self.description.architecture)
                found = self.cupy.RawModule(path=str(path)).get_function(kernel.name)
            self.kernels[kernel] = found
        return found

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
