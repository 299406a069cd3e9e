"""Finds out which kernels studies need, by running them on a machine that does nothing, and compiles all at once."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.ablation.setting import Setting
from subiso.engine.base import Params
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.filter_kernel import STEPS, FilterKernel
from subiso.engine.cuda.filter_tune import FilterWishes
from subiso.engine.cuda.machine import Description, Kernel
from subiso.engine.cuda.pipeline_kernel import BuildKernel, JoinKernel
from subiso.engine.cuda.times import Spent
from subiso.engine.query import Query
from subiso.errors import SubisoError

_MOST_WORKERS = 12
_compiled: set[tuple[str, Kernel]] = set()
TWIG_KERNELS = BuildKernel(), JoinKernel(), JoinKernel(weights=True)
"""Of schedule `pipeline`, whose rehearsal would take its time: twigs are matched on the host."""


@dataclass
class Nothing:
    """A buffer without memory, and a snapshot of zeros."""

    nbytes: int
    address: int = 256

    def ready(self) -> bool:
        return True

    def value(self) -> NDArray[np.uint8]:
        return np.zeros(self.nbytes, np.uint8)


@dataclass
class Rehearsal:
    """A machine that notes the kernels it is given, and launches none."""

    description: Description
    spent: Spent = field(default_factory=Spent)
    kernels: dict[Kernel, None] = field(default_factory=dict)

    def allocate(self, nbytes: int) -> Nothing:
        return Nothing(nbytes)

    def write(self, buffer: Any, array: NDArray[Any], offset: int = 0) -> None: ...

    def mark(self) -> None: ...

    def write_beside(self, buffer: Any, array: NDArray[Any], offset: int, after: None) -> None: ...

    def clear(self, buffer: Any) -> None: ...

    def poke(self, buffer: Any, offset: int, value: int) -> None: ...

    def hurrying(self, on: bool) -> AbstractContextManager[None]:
        return nullcontext()

    def waiting(self, needless: Callable[[], bool]) -> AbstractContextManager[None]:
        return nullcontext()

    def load(self, kernels: Iterable[Kernel]) -> None: ...

    def registers(self, kernel: Kernel) -> int:
        return 64

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        self.kernels[kernel] = None

    def snapshot(self, buffer: Any, nbytes: int) -> Nothing:
        return Nothing(nbytes)

    def read(self, buffer: Any, nbytes: int, offset: int = 0) -> NDArray[np.uint8]:
        return np.zeros(nbytes, np.uint8)


def kernels_of(setting: Setting, studies: Sequence[Callable[[Setting], Any]]) -> list[Kernel]:
    """The kernels that the studies will launch."""
    machine = Rehearsal(setting.machine.description)
    apart = replace(setting, machine=machine, rehearsal=True)
    apart.loaded = setting.loaded  # graphs are read once for both
    for study in studies:
        study(apart)
    return list(machine.kernels)


def compile_counts(engines: Sequence[CudaEngine], cases: Iterable[tuple[Query, Params]]) -> int:
    """Compiles what counts by engines of one machine will launch, in several processes; how many kernels that is."""
    if not engines:
        return 0
    machine = Rehearsal(engines[0].machine.description)
    on_host = FilterWishes(place="host")  # the stand-in's filters would leave no candidate
    stand_ins = [
        CudaEngine(machine, replace(engine.wishes, filters=on_host), schedule=engine.schedule)
        for engine in engines
        if engine.schedule != "pipeline"
    ]
    for query, params in cases:
        for stand_in in stand_ins:
            with suppress(SubisoError):  # said when it is run
                stand_in.count(query, params)
    kernels = [*machine.kernels, *map(FilterKernel, STEPS)]
    kernels += TWIG_KERNELS if len(stand_ins) < len(engines) else ()
    compile_all(kernels, machine.description.architecture)
    return len(kernels)


def compile_all(kernels: Sequence[Kernel], architecture: str) -> None:
    """Puts the binaries into the cache on disk, by several processes; those of an earlier call are there."""
    new = [kernel for kernel in kernels if (architecture, kernel) not in _compiled]
    if not new:
        return
    workers = max(1, min(_MOST_WORKERS, len(new), os.cpu_count() or 1))
    # Not by fork: a process that has used a device must not be copied.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(partial(_compile, architecture), new))
    _compiled.update((architecture, kernel) for kernel in new)


def _compile(architecture: str, kernel: Kernel) -> None:
    from subiso.engine.cuda.device import binaries_for

    try:
        binaries_for(architecture).get(kernel)
    except SubisoError:
        return  # the study that needs it will say so
