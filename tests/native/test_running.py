"""How native runs start, share their work, stop and end: no thread is ever left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator

import numpy as np
import pytest

import subiso as si
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

TASKS = "/proc/self/task"
needs_proc = pytest.mark.skipif(not os.path.isdir(TASKS), reason="threads are counted in /proc")
PROMPT = 5.0
"""Seconds within which a run must have ended that should stop within one: machines are busy at times."""


def complete(n: int) -> Graph:
    u, v = np.triu_indices(n, 1)
    return Graph.from_edges(u, v, num_vertices=n)


def dense(n: int) -> Graph:
    """Without large cliques, so that no pivot is joined to all."""
    u, v = np.triu_indices(n, 1)
    kept = np.random.default_rng(0).random(len(u)) < 0.85
    return Graph.from_edges(u[kept], v[kept], num_vertices=n)


LONG = {
    "bit rows, many levels": make_query(complete(300), Pattern.wheel(11)),
    "bit rows, few levels": make_query(complete(2500), Pattern.wheel(5)),
    "cliques": make_query(dense(600), Pattern.clique(12)),
    "lists": make_query(complete(500), Pattern.path(7)),
    "set sizes": make_query(complete(1000), Pattern.cycle(8)),
    "absent edges": make_query(
        complete(600), "(a)--(b)--(c)--(d)--(e)--(f), !(a)--(c), !(b)--(d), !(c)--(e), (f)--(a)"
    ),
    "64 vertices": make_query(complete(70), Pattern.star(63)),
    "homomorphism": make_query(complete(300), Pattern.grid(3, 4), mode="homomorphism"),
    "edge-isomorphism": make_query(complete(100), Pattern.path(7), mode="edge-isomorphism"),
}


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    before = threads()
    yield
    assert threads() <= before


def threads() -> int:
    """Threads of the process, whoever made them. One that was joined may stay in the list for a moment."""
    if not os.path.isdir(TASKS):
        return 0
    time.sleep(0.02)
    return len(os.listdir(TASKS))


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_count_heeds_its_timeout(name: str, workers: int) -> None:
    start = time.perf_counter()
    outcome = cpu.count(LONG[name], Params(timeout=0.1, threads=workers))
    assert outcome.stopped_by == "timeout" and not outcome.complete
    assert time.perf_counter() - start < PROMPT


@pytest.mark.parametrize("name", ["bit rows, many levels", "lists"])
def test_a_count_can_be_cancelled(name: str) -> None:
    asked: list[bool] = []
    start = time.perf_counter()
    outcome = cpu.count(LONG[name], Params(poll=lambda: bool(asked.append(True)) or len(asked) > 1))
    assert outcome.stopped_by == "cancelled" and len(asked) == 2
    assert time.perf_counter() - start < PROMPT


@pytest.mark.parametrize("name", LONG)
def test_a_stream_heeds_its_timeout_while_batches_flow(name: str) -> None:
    start = time.perf_counter()
    stream = cpu.stream(LONG[name], Params(timeout=0.1, batch_rows=50))
    rows = sum(len(batch) for batch in stream)
    assert stream.stopped_by == "timeout"
    assert rows > 0 or name == "absent edges"
    assert time.perf_counter() - start < PROMPT


@needs_proc
def test_a_stream_closed_early_leaves_no_threads() -> None:
    before = threads()
    stream = cpu.stream(LONG["lists"], Params(threads=3, batch_rows=10))
    next(stream)
    assert threads() == before + 3
    stream.close()
    assert threads() == before
    assert stream.stopped_by == "cancelled" and list(stream) == []
    stream.close()


@needs_proc
def test_a_stream_dropped_early_leaves_no_threads() -> None:
    before = threads()
    stream = cpu.stream(LONG["lists"], Params(threads=3, batch_rows=10))
    next(stream)
    del stream
    assert threads() == before


@needs_proc
def test_matches_left_early_leave_no_threads() -> None:
    before = threads()
    matches = si.match(complete(500), Pattern.path(5), threads=3)
    for _ in matches:
        break
    matches.close()
    assert threads() == before


def test_a_stream_read_to_its_end_is_complete() -> None:
    stream = cpu.stream(make_query(complete(12), Pattern.clique(4)), Params(threads=2, batch_rows=7))
    assert sum(len(batch) for batch in stream) == 495
    stream.close()
    assert stream.stopped_by is None


def test_workers_wait_for_a_slow_reader() -> None:
    """They run ahead by a few batches only, so memory stays bounded."""
    stream = cpu.stream(LONG["lists"], Params(threads=2, batch_rows=1000))
    next(stream)
    time.sleep(0.2)
    cpu_before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - cpu_before < 0.2
    stream.close()


def hub_graph(leaves: int = 1500) -> Graph:
    """One vertex that all others hang on, and a few chords: nearly all the work is below one seed."""
    rng = np.random.default_rng(3)
    src, dst = rng.integers(1, leaves + 1, (2, 4 * leaves))
    return Graph.from_edges(
        np.concatenate([np.zeros(leaves, np.int64), src]),
        np.concatenate([np.arange(1, leaves + 1), dst]),
        num_vertices=leaves + 1,
    )


HUB = [Pattern.path(5), Pattern.cycle(5), Pattern.clique(4), Pattern.house(), Pattern.gem()]


@pytest.mark.parametrize("pattern", HUB, ids=lambda p: p.usual_name)
def test_a_hub_counts_the_same_on_any_number_of_threads(pattern: Pattern) -> None:
    query = make_query(hub_graph(), pattern, anchor={"a": 0})
    counts = {
        cpu.count(query, Params(threads=t, switches=Switches(max_tail=tail))).count
        for t in (1, 2, 5)
        for tail in (1, 99)
    }
    assert len(counts) == 1 and counts.pop() > 0


def cpu_ticks() -> dict[str, int]:
    """Clock ticks that each thread of the process has used."""
    used = {}
    for task in os.listdir(TASKS):
        with open(f"{TASKS}/{task}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        used[task] = int(fields[11]) + int(fields[12])
    return used


@needs_proc
def test_idle_threads_get_work_from_a_hub() -> None:
    """All matches contain one vertex, so there is one seed; the threads still share the work below it."""
    before = cpu_ticks()
    latest: dict[str, int] = {}

    def look() -> bool:
        latest.update({task: ticks for task, ticks in cpu_ticks().items() if task not in before})
        return False

    query = make_query(complete(90), Pattern.path(5), anchor={"a": 0})
    outcome = cpu.count(query, Params(threads=2, poll=look, switches=Switches(max_tail=0, decompose="never")))
    assert outcome.count == 89 * 88 * 87 * 86
    assert len(latest) == 2
    assert min(latest.values()) > 0.2 * max(latest.values()), latest


def test_any_order_of_finding_gives_one_sorted_sequence() -> None:
    g = hub_graph(300)
    expected = None
    for workers in (1, 2, 5):
        rows = si.match(g, Pattern.cycle(4), order="sorted", threads=workers).to_numpy()
        assert expected is None or np.array_equal(rows, expected)
        expected = rows
    assert expected is not None and len(expected)
    first = si.match(g, Pattern.cycle(4), order="sorted", limit=10, threads=3).to_numpy()
    assert np.array_equal(first, expected[:10])


def test_several_counts_at_once_on_one_graph() -> None:
    """Graphs and patterns are shared between threads; the native side never holds the interpreter."""
    from concurrent.futures import ThreadPoolExecutor

    g = hub_graph(400)
    patterns = [Pattern.cycle(4), Pattern.clique(3), Pattern.diamond(), Pattern.path(4)] * 3
    expected = [
        si.count(Graph.from_edges(*g.edge_endpoints(), num_vertices=g.num_vertices), p) for p in patterns
    ]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda p: si.count(g, p, threads=2), patterns)) == expected


PROGRAM = """
import os, signal, time, numpy as np, subiso as si
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore it
u, v = np.triu_indices({n}, 1)
g = si.Graph.from_edges(u, v, num_vertices={n})
def threads():
    return len(os.listdir("/proc/self/task"))
before = threads()
def left():
    for _ in range(100):  # a thread that was joined may stay in the list for a moment
        if threads() == before:
            break
        time.sleep(0.01)
    return threads() - before
# All that the job imports is imported before: an interrupt inside a text that exec runs (as dataclasses do) makes
# Python end by the signal, although the program has caught it.
large, g = g, si.Graph.from_edges([0, 1, 2], [1, 2, 0])
{job}
g = large
print("ready", flush=True)
try:
    {job}
    how = "ended"
except KeyboardInterrupt:
    how = "interrupted"
# Not inside the handler: where the interrupt hit the loop that reads matches, the traceback still holds the iterator.
print(how + ",", left(), "threads left", flush=True)
"""
JOBS = {
    "count": (300, "si.count(g, si.Pattern.wheel(11))"),
    "local counts": (300, "si.count(g, si.Pattern.wheel(11), per='edge')"),
    "count of lists": (500, "si.count(g, si.Pattern.path(7))"),
    "match": (300, "sum(len(b) for b in si.match(g, si.Pattern.path(6)).arrays())"),
    "collect": (120, "si.match(g, si.Pattern.star(5), sample=10).collect()"),
}


@needs_proc
@pytest.mark.parametrize("job", JOBS)
def test_ctrl_c(job: str) -> None:
    n, line = JOBS[job]
    code = textwrap.dedent(PROGRAM).format(n=n, job=line)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.4)
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=PROMPT)
        finally:
            process.kill()
        assert out == "interrupted, 0 threads left\n"
        assert process.returncode == 0 and time.perf_counter() - sent < PROMPT


@pytest.mark.parametrize("megabytes", [1, 5, 10, 15, 18, 20, 25])
def test_a_run_without_memory_is_an_error_not_an_abort(megabytes: int) -> None:
    code = """
    import resource, numpy as np, subiso as si
    n = 8000  # neighbours of a hub: bit rows of 8 MB
    ring = np.arange(1, n + 1)
    src, dst = np.concatenate([0 * ring, ring]), np.concatenate([ring, np.roll(ring, -1)])
    g = si.Graph.from_edges(src, dst, num_vertices=n + 1)
    small = si.Graph.from_edges([0, 1, 2], [1, 2, 0])
    si.count(small, si.Pattern.gem())
    si.count(g, si.Pattern.clique(3), threads=2)
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + {megabytes} * 1_000_000,) * 2)
    try:
        print("counted", si.count(g, si.Pattern.gem(), threads=2))
    except (MemoryError, RuntimeError) as error:
        print("raised", type(error).__name__)
    """
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("needs /proc")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code).format(megabytes=megabytes)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("raised") or done.stdout == "counted 8000\n"


def test_progress_goes_up() -> None:
    seen: list[float] = []
    cpu.count(LONG["lists"], Params(timeout=0.5, progress=seen.append))
    assert seen and all(0 <= x <= 1 for x in seen) and seen == sorted(seen)


def test_an_error_in_progress_stops_the_run() -> None:
    def fail(_: float) -> None:
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        cpu.count(LONG["lists"], Params(progress=fail, threads=3))


def test_ctrl_c_at_any_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt that arrives while the threads are being started still ends them."""
    prepare = cpu.prepare

    class Interrupted:
        def __init__(self, run: object) -> None:
            self.run = run

        def start(self) -> None:
            self.run.start()  # type: ignore[attr-defined]
            raise KeyboardInterrupt

        def __getattr__(self, name: str) -> object:
            return getattr(self.run, name)

    monkeypatch.setattr(cpu, "prepare", lambda *args: Interrupted(prepare(*args)))
    before = threads()
    with pytest.raises(KeyboardInterrupt) as held:
        cpu.count(LONG["lists"], Params(threads=3))
    assert threads() == before and held.tb is not None
    with pytest.raises(KeyboardInterrupt) as held:
        cpu.stream(LONG["lists"], Params(threads=3))
    assert threads() == before and held.tb is not None
