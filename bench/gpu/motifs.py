"""All motifs of 3, 4 and 5 vertices on a GPU: counts checked, times beside G2Miner's recorded ones, as a table.

Run from the repository's root on a machine with a CUDA device, after the in-place build, with the graphs in a folder
(`pack.py` fills one):

    PYTHONPATH=src:. python3 bench/gpu/motifs.py --data carry [--graphs wiki-Vote ...] [--sizes 3 4 5]

`ms` is the device's own time, from the first kernel to the end of the copy of the sums, `wall` what the caller waits,
both the median after a warm-up, with the graph on the device and kernels compiled. `prepare` is the host's work before
the first launch, which later queries on the same graph do not repeat in full. G2Miner's figure is the better of its two
(enumerating; by formula). Every count that the oracle has is compared with it; where it has none, all are compared with
the CPU's unless these would take long. A wrong count fails the run.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.ablation.rehearse import Rehearsal, compile_all
from bench.checked import chosen_graphs, run_script
from bench.gpu.timed import TimedMachine

from subiso.bench.data import DataFolder, load_graph
from subiso.engine.base import Params
from subiso.engine.cuda.device import parse_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.motifs import count_motifs
from subiso.engine.sums import sums_cost
from subiso.graph import Graph
from subiso.pattern import Pattern, connected_patterns
from subiso.plan.motif_sums import counts_from_sums, sums_of

PEERS = Path(__file__).with_name("motif_peers.json")
"""G2Miner on an H200, milliseconds: {graph: {size: [enumerating, by formula]}}."""


@dataclass
class Row:
    """One line of the table."""

    graph: str
    size: int
    peer: float | None
    ms: float | None = None
    wall: float = 0.0
    prepare: float = 0.0
    megabytes: float = 0.0
    checked: str = ""
    wrong: int = 0

    @property
    def ratio(self) -> float | None:
        return self.peer / self.ms if self.peer and self.ms else None


def main() -> None:
    options = parse()
    peers = json.loads(PEERS.read_text())
    data = DataFolder(options.data)
    names = chosen_graphs(data, options.graphs, peers)
    machine = TimedMachine(parse_device(options.device)[0])
    engine = CudaEngine(machine)
    print(f"{machine.description}\n", flush=True)
    graphs = {name: load_graph(data, name) for name in names}
    rehearse(engine, list(graphs.values()), options.sizes)
    known = data.oracle()
    print("| graph | motifs | ms | G2Miner | ratio | wall | prepare | MB | checked |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    rows = []
    for name, graph in graphs.items():
        for size in options.sizes:
            row = Row(name, size, best(peers.get(name, {}).get(str(size), [])))
            measure(engine, graph, row, known.get(name, {}), options)
            print(line(row), flush=True)
            rows.append(row)
    for size in options.sizes:
        ratios = [row.ratio for row in rows if row.size == size and row.ratio]
        if ratios:
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            print(f"{size}-motifs: {mean:.2f}x G2Miner in {len(ratios)} rows, least {min(ratios):.2f}x")
    sys.exit(any(row.wrong for row in rows))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("carry"), help="folder with load.py, *.npz, oracle")
    parser.add_argument("--graphs", nargs="*")
    parser.add_argument("--sizes", nargs="*", type=int, default=[3, 4, 5])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds per run")
    parser.add_argument(
        "--cpu-cost", type=float, default=1e11, help="sums that cost more are not compared with the CPU's"
    )
    return parser.parse_args()


def rehearse(engine: CudaEngine, graphs: list[Graph], sizes: list[int]) -> None:
    """Compiles the kernels of all cases, by several processes."""
    machine = Rehearsal(engine.machine.description)
    stand_in = CudaEngine(machine)
    started = time.perf_counter()
    for graph in graphs:
        for size in sizes:
            stand_in.motif_sums(graph, size, Params())
    compile_all(list(machine.kernels), machine.description.architecture)
    print(f"{len(machine.kernels)} kernels in {time.perf_counter() - started:.1f} s, planning included\n")


def measure(
    engine: CudaEngine, graph: Graph, row: Row, known: dict[str, Any], options: argparse.Namespace
) -> None:
    started = time.perf_counter()
    ready = engine.prepare_motifs(graph, row.size)
    row.prepare = 1000 * (time.perf_counter() - started)
    row.megabytes = ready.search_bytes / 1e6
    machine = engine.machine
    assert isinstance(machine, TimedMachine)
    machine.milliseconds()
    times, walls, counts = [], [], []
    patterns = connected_patterns(row.size)
    for _ in range(options.repeat + 1):
        started = time.perf_counter()
        sums, stopped_by = ready.sums(Params(timeout=options.timeout), started)
        walls.append(1000 * (time.perf_counter() - started))
        times.append(machine.milliseconds())
        if stopped_by is not None:
            row.checked = stopped_by
            return
        counts.append(counts_from_sums(patterns, sums))
        if times[-1] > 2000:
            break
    row.ms, row.wall = statistics.median(times[1:] or times), statistics.median(walls[1:] or walls)
    check(graph, row, patterns, counts, known, options.cpu_cost)


def check(
    graph: Graph,
    row: Row,
    patterns: list[Pattern],
    counts: list[list[int]],
    known: dict[str, Any],
    most: float,
) -> None:
    """Every run's counts against the first's, and these against the oracle's or the CPU's."""
    first = dict(zip((p.canonical_form() for p in patterns), counts[0], strict=True))
    row.wrong = sum(other != counts[0] for other in counts)
    found: set[object] = set()  # the oracle may have a pattern under two names
    for entry in known.values():
        form = Pattern.from_edges(entry["edges"]).canonical_form()
        if form in first and entry["subgraphs"] is not None:
            found.add(form)
            row.wrong += first[form] != entry["subgraphs"]
    row.checked = f"{len(found)} of {len(patterns)}"
    if len(found) < len(patterns) and sums_cost(graph, sums_of(patterns)) <= most:
        row.wrong += count_motifs(graph, patterns, Params()) != counts[0]
        row.checked += ", all by the CPU"


def best(figures: list[float | str]) -> float | None:
    return min((f for f in figures if not isinstance(f, str)), default=None)


def line(row: Row) -> str:
    def number(value: float | None, form: str = ".3f") -> str:
        return "-" if value is None else f"{value:{form}}"

    cells = [row.graph, str(row.size), number(row.ms), number(row.peer, "g"), number(row.ratio, ".1f")]
    cells += [number(row.wall), number(row.prepare, ".0f"), number(row.megabytes, ".0f")]
    return "| " + " | ".join([*cells, f"{row.wrong} WRONG" if row.wrong else row.checked]) + " |"


if __name__ == "__main__":
    run_script(main)
