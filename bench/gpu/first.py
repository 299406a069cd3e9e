"""First queries on a GPU: how long a caller waits when no kernel has been compiled yet.

Run from the repository's root on a machine with a CUDA device, after the in-place build (about 50 s):

    PYTHONPATH=src:. python3 bench/gpu/first.py --data carry [--graph wiki-Vote] [--patterns K4 ...] [--no-waits]

Every pattern begins with an empty kernel cache and a machine that has loaded nothing; the process, its CUDA context
and NVRTC are warm. `first` is the first query, with `compile` of it for kernels and `hasty` launches of kernels
compiled in haste; `again` is the same query once more, `next` a new pattern that needs no other kernels. `settled` is
the same query when the settled kernels have come, `after` seconds later; `cached` the first query of a machine that
finds these on disk. `waits` is the first query where haste is turned off. A count that differs fails the run.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.ablation.split import empty_kernel_cache
from bench.checked import run_script
from bench.gpu.run import PATTERNS

from subiso.bench.data import DataFolder, load_graph
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import CudaMachine
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

NEXT = {
    "4cycle": Pattern.from_edges([(i, j) for i in (0, 1) for j in (2, 3, 4)]),
    "tailed_triangle": Pattern.path(4),
    "K4": Pattern.clique(5),
    "house": Pattern.from_edges([(0, 1), (1, 2), (0, 2), (0, 3), (3, 4), (0, 4)]),
    "5cycle": Pattern.path(5),
    "W4": Pattern.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)]),
}
"""Patterns that run the same kernels on wiki-Vote."""
SHOWN = ("triangle", "diamond", *NEXT, "gMatch-P5", "prism")
PATIENCE = 20.0
"""Seconds to wait for settled kernels."""
WAITS = Params(switches=Switches(haste=False))


@dataclass(frozen=True)
class Timed:
    """One query."""

    count: int
    seconds: float
    compile: float
    hasty: int


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("carry"))
    parser.add_argument("--graph", default="wiki-Vote")
    parser.add_argument("--patterns", nargs="*", default=SHOWN, choices=PATTERNS)
    parser.add_argument("--no-waits", action="store_true", help="leave the last column out")
    options = parser.parse_args()
    graph = load_graph(DataFolder(options.data), options.graph)
    with empty_kernel_cache():
        started = time.perf_counter()
        machine = CudaMachine(0)
        opened = time.perf_counter()
        timed(CudaEngine(machine, haste=True), graph, Pattern.path(2))
        print(
            f"CuPy and the context {opened - started:.2f} s, an edge {time.perf_counter() - opened:.2f} s\n"
        )
    print(
        "pattern            first s  compile s  hasty  again ms   next ms  settled ms  after s  cached ms  waits s"
    )
    wrong = [name for name in options.patterns if not row(graph, name, waits=not options.no_waits)]
    sys.exit(f"counts differ: {wrong}" if wrong else 0)


def row(graph: Graph, name: str, *, waits: bool) -> bool:
    """Measures one pattern and prints it; whether all counts agree."""
    pattern = Pattern.from_edges(PATTERNS[name])
    with empty_kernel_cache():
        engine = CudaEngine(CudaMachine(0), haste=True)
        first = timed(engine, graph, pattern)
        again = timed(engine, graph, pattern)
        new = timed(engine, graph, NEXT[name]).seconds if name in NEXT else float("nan")
        after, settled = settle(engine, graph, pattern)
        cached = timed(CudaEngine(CudaMachine(0), haste=True), graph, pattern)
    found = [first, again, settled, cached]
    if waits:
        with empty_kernel_cache():
            found.append(timed(CudaEngine(CudaMachine(0), haste=True), graph, pattern, WAITS))
    print(
        f"{name:18} {first.seconds:7.2f} {first.compile:10.2f} {first.hasty:6} {1e3 * again.seconds:9.1f}"
        f" {1e3 * new:9.1f} {1e3 * settled.seconds:11.1f} {after:8.1f} {1e3 * cached.seconds:10.1f}"
        f" {found[-1].seconds if waits else float('nan'):8.2f}",
        flush=True,
    )
    return len({one.count for one in found}) == 1


def settle(engine: CudaEngine, graph: Graph, pattern: Pattern) -> tuple[float, Timed]:
    """Waits until the query launches settled kernels only: how long, and the query after that."""
    started = time.perf_counter()
    while timed(engine, graph, pattern).hasty and time.perf_counter() - started < PATIENCE:
        time.sleep(0.1)
    return time.perf_counter() - started, timed(engine, graph, pattern)


def timed(engine: CudaEngine, graph: Graph, pattern: Pattern, params: Params = Params()) -> Timed:  # noqa: B008
    """What a caller waits for one count."""
    started = time.perf_counter()
    count = engine.count(make_query(graph, pattern), params).count
    return Timed(count, time.perf_counter() - started, engine.times.compile, engine.times.hasty)


if __name__ == "__main__":
    run_script(main)
