"""Waiting for a compiler that takes its time: until there is no more need, and no longer."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from bench.ablation.rehearse import Rehearsal

from subiso.engine import race
from subiso.engine.base import Params
from subiso.engine.candidates import Counter, Found
from subiso.engine.cuda import engine
from subiso.engine.cuda.binaries import Binaries
from subiso.engine.cuda.compile import CompileError, Toolchain
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.machine import Description, Kernel, Needless
from subiso.engine.query import Query, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

KERNELS = [SearchKernel(), SearchKernel(tail="sizes")]
WAIT = 30.0


class SlowCompiler:
    """Compiles nothing before it may go on."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        self.begun: list[str] = []
        self.binaries = Binaries(Toolchain("c 1", self.compile), "sm_90", lambda sources: True)

    def compile(self, text: str, options: tuple[str, ...]) -> bytes:
        self.begun.append(text)
        assert self.may_go_on.wait(WAIT)
        if "bad" in text:
            raise CompileError("it is bad")
        return text.encode()

    def finish(self) -> None:
        """Lets it go on, and waits for all that has begun."""
        self.may_go_on.set()
        for thread in threading.enumerate():
            if thread.name.startswith("subiso_"):
                thread.join(WAIT)


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowCompiler]:
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path))
    compiler = SlowCompiler()
    yield compiler
    compiler.finish()


def test_who_has_no_more_need_leaves_and_the_cache_is_filled(slow: SlowCompiler) -> None:
    looks = iter([False, False, True])
    with slow.binaries.until(lambda: next(looks)), pytest.raises(Needless):
        slow.binaries.get_all(KERNELS)
    slow.finish()
    assert sorted(slow.begun) == sorted(kernel.text() for kernel in KERNELS)
    assert slow.binaries.building == {}
    for kernel in KERNELS:
        assert slow.binaries.get(kernel).path.read_text() == kernel.text()
    assert len(slow.begun) == len(KERNELS)


def test_what_is_being_compiled_is_not_compiled_again(slow: SlowCompiler) -> None:
    for _ in range(3):
        with slow.binaries.until(lambda: True), pytest.raises(Needless):
            slow.binaries.get(KERNELS[0])
    threading.Timer(0.05, slow.may_go_on.set).start()
    assert slow.binaries.get(KERNELS[0]).path.read_text() == KERNELS[0].text()  # nobody else has an answer
    assert len(slow.begun) == 1


def test_what_is_there_is_had_all_the_same(slow: SlowCompiler) -> None:
    slow.may_go_on.set()
    slow.binaries.get_all(KERNELS)
    with slow.binaries.until(lambda: True):
        slow.binaries.get_all(KERNELS)


def test_errors_reach_who_waits_and_nobody_else(slow: SlowCompiler) -> None:
    bad = SearchKernel(tables="bad")
    with slow.binaries.until(lambda: True), pytest.raises(Needless):
        slow.binaries.get(bad)
    slow.finish()
    for _ in range(2):
        with pytest.raises(CompileError, match="it is bad"):
            slow.binaries.get(bad)


class Waiting(Rehearsal):
    """A machine that compiles before it does nothing."""

    binaries: Binaries

    def waiting(self, needless: Callable[[], bool]) -> AbstractContextManager[None]:
        return self.binaries.until(needless)

    def load(self, kernels: Iterable[Kernel]) -> None:
        self.binaries.get_all(list(kernels))


def labelled() -> Query:
    rng = np.random.default_rng(8)
    labels = rng.choice(list("ABC"), 40)
    graph = Graph.from_edges(rng.integers(0, 40, 120), rng.integers(0, 40, 120), vertex_labels=labels)
    return make_query(graph, Pattern.from_edges([(0, 1), (1, 2), (0, 2)], vertex_labels=["A", "B", "C"]))


def test_the_hosts_answer_does_not_wait_for_the_compiler(
    slow: SlowCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race, "done_soon", lambda _: False)  # no query is answered before the race, ...
    monkeypatch.setattr(engine, "HOST_COST", 0.0)  # ... and none by plans

    monkeypatch.setattr(Counter, "found", property(lambda _: Found(77) if slow.begun else None))
    machine = Waiting(Description("H200", "sm_90", 132, memory=150 << 30))
    machine.binaries = slow.binaries
    outcome = CudaEngine(machine, host=True).count(labelled(), Params(timeout=WAIT))
    assert outcome.count == 77 and outcome.complete
    assert slow.begun and not slow.may_go_on.is_set() and not machine.kernels
    slow.finish()
    monkeypatch.setattr(Counter, "found", None)
    begun = len(slow.begun)
    CudaEngine(machine, host=True).count(labelled())
    assert machine.kernels and len(slow.begun) == begun  # they were in the cache


SCRIPT = """
import sys, time
sys.path[:0] = {path!r}
from subiso.engine.cuda.binaries import Binaries
from subiso.engine.cuda.compile import Toolchain
from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.machine import Needless

def compile_text(text, options):
    time.sleep(0.5)
    return text.encode()

binaries = Binaries(Toolchain("c 1", compile_text), "sm_90", lambda sources: True)
try:
    with binaries.until(lambda: True):
        binaries.get(SearchKernel())
except Needless:
    print("left")
"""


def test_an_interpreter_that_ends_meanwhile_ends_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-Wall", "-c", SCRIPT.format(path=sys.path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "left\n", "")
    assert len(list(tmp_path.iterdir())) == 1  # whole, in the cache
