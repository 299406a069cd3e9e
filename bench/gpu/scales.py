"""What counts cost as a graph grows: R-MAT graphs of 2^14 to 2^24 vertices on a GPU, with plots.

    PYTHONPATH=src:. python bench/gpu/scales.py --out DIR [--scales 14 16 18 20 22 24] [--limit 20] [--seconds 200]

From the repository's root, after the in-place build. `ms` is the device's own time, from the first kernel to the
copied result, the median of some runs; making the graph, its layout and statistics, which later queries find there,
is not in it (`made` says how many seconds that took). For triangles `GB/s` says how fast the lists were read that any
intersection has to read: for every edge, the shorter one of the two upper lists; the last line has the device's copy
bandwidth to compare with. Runs must agree; triangles are compared with another schedule, and all counts of small
scales with the CPU engine's, where that finishes in a few seconds. A wrong one makes the exit status 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.ablation.study import Study  # noqa: E402
from bench.checked import run_script  # noqa: E402
from bench.gpu import run  # noqa: E402
from bench.gpu.timed import TimedMachine  # noqa: E402
from bench.plot import line_chart  # noqa: E402

from subiso.engine import cpu  # noqa: E402
from subiso.engine.base import Params  # noqa: E402
from subiso.engine.cuda.engine import CudaEngine  # noqa: E402
from subiso.engine.cuda.motif_seeds import work_of  # noqa: E402
from subiso.engine.query import make_query  # noqa: E402
from subiso.graph import Graph  # noqa: E402
from subiso.graph.generators import rmat  # noqa: E402
from subiso.pattern import Pattern  # noqa: E402
from subiso.storage.layout import layout_of  # noqa: E402
from subiso.storage.relation import Relation  # noqa: E402
from subiso.storage.simple import simple_lists  # noqa: E402
from subiso.storage.statistics import statistics_of  # noqa: E402

NAMES = ("triangle", "K4", "4cycle", "house", "5cycle")
CPU_SECONDS = 4.0
CPU_SCALE = 17
"""Graphs up to this scale are counted by the CPU too."""


def study(machine: TimedMachine, scales: list[int], limit: float, seconds: float) -> Study:
    """A row per scale and pattern; what would begin after its time is left out."""
    found = Study("scales", "R-MAT graphs, edge factor 16: milliseconds by scale")
    deadline = time.perf_counter() + seconds
    stopped: set[str] = set()
    for scale in scales:
        if time.perf_counter() > deadline:
            break
        began = time.perf_counter()
        graph = prepared(rmat(scale, 16, seed=1))
        made = time.perf_counter() - began
        engine = CudaEngine(machine)
        engine.count(make_query(graph, Pattern.path(3)))  # copies the graph
        for name in NAMES:
            if name not in stopped and time.perf_counter() < deadline:
                row = measure(engine, graph, name, limit)
                found.rows.append({"scale": scale, "edges": graph.num_edges, "made": made, **row})
                print({**found.rows[-1]}, flush=True)
                if row["ms"] is None:  # it will not be quicker on a larger graph
                    stopped.add(name)
    lines = {
        name: [(row["edges"], row["ms"]) for row in found.rows if row["pattern"] == name] for name in NAMES
    }
    found.plots["scales"] = line_chart(
        "R-MAT graphs, edge factor 16", "edges", "milliseconds", lines, log_x=True, log_y=True
    )
    found.claim(f"copy bandwidth: {bandwidth(machine):,.0f} GB/s", True)
    return found


def prepared(graph: Graph) -> Graph:
    """With all that is made of it once."""
    layout_of(graph).relation(Relation("out"))
    statistics_of(graph)
    work_of(simple_lists(graph))
    return graph


def measure(engine: CudaEngine, graph: Graph, name: str, limit: float) -> dict[str, Any]:
    options = argparse.Namespace(timeout=limit, no_local=False, repeat=3)
    row = run.measure(engine, graph, run.Row("", name, None), options)
    if row.ms is None:
        return {"pattern": name, "count": None, "ms": None, "GB/s": None, "checked": row.error or ""}
    checked = "" if row.error is None else f"WRONG: {row.error}"
    if name == "triangle" and not checked:  # by a search, or by a pass: what was not taken
        other = CudaEngine(engine.machine, schedule="stack", caches=engine.caches)
        again = other.count(make_query(graph, Pattern.clique(3)), Params(timeout=limit))
        by_search = "stack" if again.count == row.count else f"WRONG: {again.count} by stack"
        checked = by_search if again.complete else ""
    if "WRONG" not in checked and graph.num_vertices <= 1 << CPU_SCALE:
        query = make_query(graph, Pattern.from_edges(run.PATTERNS[name]))
        found = cpu.count(query, Params(timeout=CPU_SECONDS))
        checked = (
            checked if not found.complete else "cpu" if found.count == row.count else f"WRONG: {found.count}"
        )
    rate = read_bytes(graph) / row.ms / 1e6 if name == "triangle" else None
    return {"pattern": name, "count": row.count, "ms": row.ms, "GB/s": rate, "checked": checked}


def read_bytes(graph: Graph) -> float:
    """Of the shorter upper list of every edge's two.

    >>> read_bytes(Graph.from_edges([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3]))  # lists of 3, 2, 1 and 0: four elements
    16.0
    """
    csr = layout_of(graph).relation(Relation("out"))
    above = (csr.bounds[2::2] - csr.bounds[1::2]).astype(np.int64)
    sources = np.repeat(np.arange(len(above)), csr.lengths)
    upwards = csr.neighbors > sources
    ends = sources[upwards], csr.neighbors[upwards]
    return 4.0 * float(np.minimum(above[ends[0]], above[ends[1]]).sum())


def bandwidth(machine: TimedMachine) -> float:
    """Gigabytes per second that a copy inside the device reads and writes."""
    cupy = machine.cupy
    source = cupy.zeros(1 << 28, cupy.uint32)
    target = cupy.empty_like(source)
    times = []
    for _ in range(4):
        began, ended = cupy.cuda.Event(), cupy.cuda.Event()
        began.record()
        cupy.copyto(target, source)
        ended.record()
        ended.synchronize()
        times.append(cupy.cuda.get_elapsed_time(began, ended))
    return float(2 * source.nbytes / min(times) / 1e6)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scales", type=int, nargs="+", default=list(range(14, 25, 2)))
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of one run")
    parser.add_argument("--seconds", type=float, default=200.0, help="for all; later rows are left out")
    options = parser.parse_args()
    machine = TimedMachine(0)
    found = study(machine, options.scales, options.limit, options.seconds)
    print(found.text())
    found.write(options.out, {"device": machine.description.name, "limit_s": options.limit})
    return int(any("WRONG" in row["checked"] for row in found.rows))


if __name__ == "__main__":
    run_script(main)
