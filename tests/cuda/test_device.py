"""A CUDA machine over a CuPy that is none: which version of a kernel it loads, and when it takes a better one."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from subiso.engine.cuda import device
from subiso.engine.cuda.compile import HASTY, Source, binary
from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.layout import ARGS
from subiso.engine.cuda.levels_kernel import DescentKernel, LevelsKernel

KERNEL, OTHER = SearchKernel(), SearchKernel(tail="sizes")


class FakeContext:
    """A device or a stream."""

    ptr = 0

    def __init__(self, *args: Any, **options: Any) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


class FakeNvrtc:
    """Its binaries say with what they were compiled."""

    NVRTCError = RuntimeError

    def __init__(self) -> None:
        self.compiled: list[tuple[str, ...]] = []

    def getVersion(self) -> tuple[int, int]:
        return 13, 0

    def createProgram(self, text: str, *rest: Any) -> list[str]:
        return [text]

    def compileProgram(self, program: list[str], options: tuple[str, ...]) -> None:
        self.compiled.append(options)
        program[0] = "hasty" if HASTY in options else "settled"

    def getCUBIN(self, program: list[str]) -> bytes:
        return program[0].encode()

    def destroyProgram(self, program: list[str]) -> None: ...


class FakeModule:
    """A kernel that notes its launches."""

    launched: list[str] = []  # noqa: RUF012

    def __init__(self, path: str, enable_cooperative_groups: bool) -> None:
        self.text = Path(path).read_text()
        self.cooperative = enable_cooperative_groups
        self.num_regs = 128 if self.text == "hasty" else 64

    def get_function(self, name: str) -> FakeModule:
        return self

    def __call__(self, *args: Any, **options: Any) -> None:
        self.launched.append(self.text)


@pytest.fixture
def nvrtc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeNvrtc:
    found = FakeNvrtc()
    properties = {
        "name": b"none",
        "major": 9,
        "minor": 0,
        "multiProcessorCount": 2,
        "maxThreadsPerMultiProcessor": 2048,
        "regsPerMultiprocessor": 65_536,
        "sharedMemPerMultiprocessor": 1 << 16,
        "sharedMemPerBlock": 1 << 16,
        "totalGlobalMem": 1 << 30,
    }
    cupy: Any = ModuleType("cupy")
    runtime = SimpleNamespace(getDeviceProperties=lambda number: properties)
    cupy.cuda = SimpleNamespace(nvrtc=found, runtime=runtime, Device=FakeContext, Stream=FakeContext)
    cupy.RawModule = FakeModule
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path))
    monkeypatch.setattr(FakeModule, "launched", [])
    device.nvrtc.cache_clear()
    return found


@pytest.fixture
def orders(nvrtc: FakeNvrtc, monkeypatch: pytest.MonkeyPatch) -> list[Source]:
    found: list[Source] = []
    monkeypatch.setattr(device, "order", lambda sources, toolchain: found.extend(sources) or True)
    return found


def launch(machine: device.CudaMachine, kernel: SearchKernel = KERNEL) -> None:
    machine.launch(kernel, 1, 0, np.zeros((), ARGS))


def deliver(orders: list[Source]) -> None:
    for source in orders:
        binary(source, device.nvrtc().name, device.nvrtc().compile)


def test_haste_then_the_settled_version(orders: list[Source]) -> None:
    machine = device.CudaMachine(0)
    with machine.hurrying(True):
        machine.load([KERNEL, OTHER])
        assert machine.registers(KERNEL) == 128
        launch(machine)
        assert orders == []  # the query comes first
    assert len(orders) == 2
    assert machine.spent.hasty == 1 and machine.spent.compile > 0
    with machine.hurrying(True):
        assert machine.registers(KERNEL) == 128  # it is not there yet
    assert len(orders) == 2
    deliver(orders)
    launch(machine)  # a run that was prepared before keeps its kernel
    with machine.hurrying(True):
        assert machine.registers(KERNEL) == 64
        launch(machine)
    assert FakeModule.launched == ["hasty", "hasty", "settled"]
    assert machine.spent.hasty == 2


def test_kernels_whose_registers_nobody_asks_for_are_replaced_too(orders: list[Source]) -> None:
    machine = device.CudaMachine(0)
    with machine.hurrying(True):
        launch(machine)
    deliver(orders)
    with machine.hurrying(True):
        machine.load([KERNEL])
        launch(machine)
    assert FakeModule.launched == ["hasty", "settled"]


def test_a_long_search_waits(orders: list[Source], nvrtc: FakeNvrtc) -> None:
    machine = device.CudaMachine(0)
    with machine.hurrying(True):
        launch(machine)
    with machine.hurrying(False):
        assert machine.registers(KERNEL) == 64
        launch(machine)
    assert FakeModule.launched == ["hasty", "settled"]
    assert [HASTY in options for options in nvrtc.compiled] == [True, False]


def test_the_next_process_finds_all(orders: list[Source], nvrtc: FakeNvrtc) -> None:
    first, second = device.CudaMachine(0), device.CudaMachine(0)
    with first.hurrying(False):
        launch(first)
    with second.hurrying(True):
        launch(second)
    assert FakeModule.launched == ["settled", "settled"]
    assert len(nvrtc.compiled) == 1 and orders == []


def test_blocks_that_wait_for_each_other_are_launched_together(nvrtc: FakeNvrtc) -> None:
    machine = device.CudaMachine(0)
    descent = DescentKernel((LevelsKernel("clear"),))
    for kernel, together in ((descent, True), (KERNEL, False)):
        machine.launch(kernel, 1, 0, np.zeros((), ARGS))
        assert machine.kernels[kernel][1].cooperative is together
