"""Which binary of a kernel runs: the settled one, or a hasty one until that is there.

A kernel that is not in the cache on disk takes NVRTC up to two and a half seconds. One of those that take long
(Kernel.slow) is compiled in haste in a third of that, and runs 7 to 50 times slower, so a short query is done sooner
with it. The settled binary is then compiled behind the scenes (later.py), and taken from the next run on. Both come
from the same text: counts cannot differ.

Every compilation has a thread of its own. Who waits for it may leave when there is no more need: the thread goes on and
fills the cache, who comes next for the same binary waits for the same thread, and an interpreter that ends waits for it
too, since NVRTC cannot be stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from subiso.engine.cuda.compile import FLAGS, HASTY, QUICK, Source, Toolchain, binary, cached
from subiso.engine.cuda.machine import Kernel, Needless

Order = Callable[[list[Source]], bool]
"""Has sources compiled into the cache, some time later. False: not now."""
_LOOK = 0.005
"""Seconds between two looks at whether there is still a need."""


@dataclass(frozen=True)
class Binary:
    """A kernel's binary on disk."""

    path: Path
    hasty: bool = False


class _Mood(threading.local):
    """What the queries of a thread want; several threads may use one machine."""

    hurry: bool = False
    needless: Callable[[], bool] | None = None


class Binaries:
    """The binaries of one architecture. `mood.hurry` says whether hasty ones are welcome."""

    def __init__(self, toolchain: Toolchain, architecture: str, order: Order) -> None:
        self.toolchain, self.architecture, self.order = toolchain, architecture, order
        self.mood = _Mood()
        self.wanted: dict[Source, None] = {}
        """Settled versions of what was compiled in haste."""
        self.ordered: set[Source] = set()
        self.building: dict[Source, Future[Path]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def until(self, needless: Callable[[], bool]) -> Iterator[None]:
        """Meanwhile whoever waits here is sent away with Needless as soon as that is true."""
        before, self.mood.needless = self.mood.needless, needless
        try:
            yield
        finally:
            self.mood.needless = before

    def get(self, kernel: Kernel, mine: Binary | None = None) -> Binary:
        """The settled binary where it is there or there is no hurry, else a hasty one: `mine`, where that is given."""
        source, hasty = self._source_of(kernel)
        if hasty and mine is not None:
            return mine
        return Binary(self._wait([self._build(source)])[0], hasty)

    def get_all(self, kernels: Sequence[Kernel]) -> None:
        """Builds what is missing, side by side."""
        self._wait([self._build(self._source_of(kernel)[0]) for kernel in kernels])

    def settle(self) -> None:
        """Orders the settled versions of what was compiled in haste, once each."""
        new = [source for source in self.wanted if source not in self.ordered]
        if new and not self.order(new):
            return
        self.wanted.clear()
        self.ordered.update(new)

    def _source_of(self, kernel: Kernel) -> tuple[Source, bool]:
        """What is to be compiled, and whether that is a hasty version."""
        has_levels = self.toolchain.has_levels
        settled = self._source(kernel, *([QUICK] if kernel.quick and has_levels else []))
        if not (self.mood.hurry and has_levels and kernel.slow) or cached(settled, self.toolchain.name):
            return settled, False
        self.wanted[settled] = None
        return self._source(kernel, HASTY), True

    def _source(self, kernel: Kernel, *flags: str) -> Source:
        return Source(kernel.name, kernel.text(), self.architecture, (*FLAGS, *flags))

    def _build(self, source: Source) -> Future[Path]:
        """The binary's path; a thread is at work where it is not there yet."""
        with self._lock:
            future = self.building.get(source)
            if future is not None:
                return future
            future = Future()
            found = cached(source, self.toolchain.name)
            if found is not None:
                future.set_result(found)
                return future
            self.building[source] = future
        try:
            threading.Thread(target=self._work, args=(source, future), name=source.name).start()
        except RuntimeError:  # no more threads
            self._work(source, future)
        return future

    def _work(self, source: Source, future: Future[Path]) -> None:
        try:
            future.set_result(binary(source, self.toolchain.name, self.toolchain.compile))
        except BaseException as error:  # whoever waits says it
            future.set_exception(error)
        finally:
            with self._lock:
                del self.building[source]

    def _wait(self, futures: list[Future[Path]]) -> list[Path]:
        needless = self.mood.needless
        patience = None if needless is None else _LOOK
        while wait(futures, patience).not_done:
            if needless is not None and needless():
                raise Needless
        return [future.result() for future in futures]
