"""Which binary of a kernel runs: the settled one, or a hasty one until that is there.

A kernel that is not in the cache on disk takes NVRTC up to two seconds. Compiled in haste it takes a quarter of that,
and runs several times slower, so a short query is done sooner with it. The settled binary is then compiled behind the
scenes (later.py), and taken from the next run on. Both come from the same text: counts cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from subiso.engine.cuda.compile import FLAGS, HASTY, QUICK, Source, Toolchain, binary, cached
from subiso.engine.cuda.machine import Kernel

Order = Callable[[list[Source]], bool]
"""Has sources compiled into the cache, some time later. False: not now."""


@dataclass(frozen=True)
class Binary:
    """A kernel's binary on disk."""

    path: Path
    hasty: bool = False


class Binaries:
    """The binaries of one architecture. `hurry` says whether hasty ones are welcome."""

    def __init__(self, toolchain: Toolchain, architecture: str, order: Order) -> None:
        self.toolchain, self.architecture, self.order = toolchain, architecture, order
        self.hurry = False
        self.wanted: dict[Source, None] = {}
        """Settled versions of what was compiled in haste."""
        self.ordered: set[Source] = set()

    def get(self, kernel: Kernel, mine: Binary | None = None) -> Binary:
        """The settled binary where it is there or there is no hurry, else a hasty one: `mine`, where that is given."""
        settled = self._settled(kernel)
        if self.hurry and self.toolchain.has_levels:
            found = cached(settled, self.toolchain.name)
            if found is not None:
                return Binary(found)
            self.wanted[settled] = None
            return mine or Binary(self._build(self._source(kernel, HASTY)), hasty=True)
        return Binary(self._build(settled))

    def get_all(self, kernels: Sequence[Kernel]) -> None:
        """Builds what is missing, side by side."""
        with ThreadPoolExecutor(max(len(kernels), 1)) as pool:
            list(pool.map(self.get, kernels))

    def settle(self) -> None:
        """Orders the settled versions of what was compiled in haste, once each."""
        new = [source for source in self.wanted if source not in self.ordered]
        if new and not self.order(new):
            return
        self.wanted.clear()
        self.ordered.update(new)

    def _settled(self, kernel: Kernel) -> Source:
        return self._source(kernel, *([QUICK] if kernel.quick and self.toolchain.has_levels else []))

    def _source(self, kernel: Kernel, *flags: str) -> Source:
        return Source(kernel.name, kernel.text(), self.architecture, (*FLAGS, *flags))

    def _build(self, source: Source) -> Path:
        return binary(source, self.toolchain.name, self.toolchain.compile)
