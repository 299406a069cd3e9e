"""Which version of a kernel is taken, with a compiler that only writes down what it was asked."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from subiso.engine.cuda.binaries import Binaries, Binary
from subiso.engine.cuda.compile import HASTY, QUICK, Source, Toolchain, binary
from subiso.engine.cuda.hood_kernel import HoodKernel
from subiso.engine.cuda.hubs import HubKernel
from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.levels_kernel import LevelsKernel
from subiso.engine.cuda.local_kernel import LocalKernel
from subiso.engine.cuda.motif_kernel import MotifKernel

KERNEL = SearchKernel()


class Setting:
    """Binaries, and what was compiled and ordered."""

    def __init__(self, *, has_levels: bool = True) -> None:
        self.compiled: list[tuple[str, ...]] = []
        self.orders: list[list[Source]] = []
        toolchain = Toolchain("c 1", self.compile, has_levels)
        self.busy = False
        self.binaries = Binaries(toolchain, "sm_90", self.order)

    def order(self, sources: list[Source]) -> bool:
        if not self.busy:
            self.orders.append(sources)
        return not self.busy

    def compile(self, text: str, options: tuple[str, ...]) -> bytes:
        self.compiled.append(options)
        return text.encode()

    def deliver(self) -> None:
        """Compiles what was ordered last, as the other process would."""
        for source in self.orders[-1]:
            binary(source, "c 1", lambda text, _: text.encode())


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path))


def test_without_hurry_the_settled_one() -> None:
    setting = Setting()
    assert not setting.binaries.get(KERNEL).hasty
    assert HASTY not in setting.compiled[0]
    setting.binaries.settle()
    assert setting.orders == []


def test_in_a_hurry_a_hasty_one_and_the_settled_one_is_ordered_once() -> None:
    setting = Setting()
    setting.binaries.mood.hurry = True
    hasty = setting.binaries.get(KERNEL)
    assert hasty.hasty and HASTY in setting.compiled[0]
    assert setting.binaries.get(KERNEL) == hasty and len(setting.compiled) == 1
    for _ in range(2):
        setting.binaries.settle()
        setting.binaries.get(KERNEL)
    assert [len(order) for order in setting.orders] == [1]
    assert HASTY not in setting.orders[0][0].flags and setting.orders[0][0].text == KERNEL.text()


def test_an_order_that_is_not_taken_is_given_again() -> None:
    setting = Setting()
    setting.binaries.mood.hurry = setting.busy = True
    setting.binaries.get(KERNEL)
    setting.binaries.settle()
    setting.busy = False
    setting.binaries.get(LocalKernel("team"))
    setting.binaries.settle()
    assert [len(order) for order in setting.orders] == [2]


def test_the_settled_one_once_it_is_there() -> None:
    setting = Setting()
    setting.binaries.mood.hurry = True
    hasty = setting.binaries.get(KERNEL)
    setting.binaries.settle()
    assert setting.binaries.get(KERNEL, hasty) is hasty
    setting.deliver()
    found = setting.binaries.get(KERNEL, hasty)
    assert not found.hasty and found.path != hasty.path
    assert len(setting.compiled) == 1


def test_a_long_search_does_not_take_what_a_short_one_left() -> None:
    setting = Setting()
    setting.binaries.mood.hurry = True
    hasty = setting.binaries.get(KERNEL)
    setting.binaries.mood.hurry = False
    assert not setting.binaries.get(KERNEL, hasty).hasty
    assert HASTY not in setting.compiled[-1]


def test_a_broken_settled_one_is_not_taken() -> None:
    setting = Setting()
    found = setting.binaries.get(KERNEL)
    found.path.write_bytes(b"broken")
    setting.binaries.mood.hurry = True
    assert setting.binaries.get(KERNEL).hasty


def test_kernels_that_are_settled_quickly() -> None:
    """They keep their own level, but for the first time where that takes long all the same."""
    setting = Setting()
    kernel = LocalKernel("team")
    assert kernel.quick and kernel.slow
    setting.binaries.mood.hurry = True
    assert setting.binaries.get(kernel).hasty
    assert HASTY in setting.compiled[0] and QUICK not in setting.compiled[0]
    setting.binaries.mood.hurry = False
    setting.binaries.get(kernel)
    assert QUICK in setting.compiled[1] and HASTY not in setting.compiled[1]


def test_no_haste_where_it_saves_nothing() -> None:
    setting = Setting()
    setting.binaries.mood.hurry = True
    kernels = [
        LocalKernel("build"),
        LevelsKernel("join"),
        HubKernel(),
        MotifKernel("walks"),
        HoodKernel("rows"),
    ]
    for kernel in kernels:
        assert not kernel.slow and not setting.binaries.get(kernel).hasty
    setting.binaries.settle()
    assert len(setting.compiled) == len(kernels) and setting.orders == []
    assert setting.binaries.get(MotifKernel("common")).hasty


def test_a_compiler_without_levels_knows_no_haste() -> None:
    setting = Setting(has_levels=False)
    setting.binaries.mood.hurry = True
    for kernel in (KERNEL, LocalKernel("team")):
        assert setting.binaries.get(kernel) == Binary(setting.binaries.get(kernel).path, hasty=False)
    assert not {HASTY, QUICK} & {option for options in setting.compiled for option in options}


def test_side_by_side() -> None:
    """Every compilation waits for the others: they must all have begun."""
    kernels = [SearchKernel(threads=32 * n) for n in range(1, 6)]
    barrier = threading.Barrier(len(kernels), timeout=20)

    def compile_text(text: str, options: tuple[str, ...]) -> bytes:
        barrier.wait()
        return text.encode()

    binaries = Binaries(Toolchain("c 1", compile_text), "sm_90", lambda sources: True)
    binaries.get_all(kernels)
    assert all(binaries.get(kernel).path.read_text() == kernel.text() for kernel in kernels)
    binaries.get_all([])
