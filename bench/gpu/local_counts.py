"""Local counts on a GPU beside the CPU: cliques, four-cycles, diamonds per vertex and per edge, compared, as a table.

Run from the repository's root on a machine with a CUDA device, after the in-place build, with the graphs in a folder
(`pack.py` fills one):

    PYTHONPATH=src:. python3 bench/gpu/local_counts.py --data carry [--graphs wiki-Vote ...] [--patterns K4 ...]

`ms` is the device's own time, from the first kernel to the end of the copy of the total, of all plans together; `wall`
what the caller waits, arrays included, `CPU` the same of the CPU engine with all its cores: the median after a warm-up.
Arrays that differ fail the run.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from bench.checked import chosen_graphs, run_script
from bench.gpu.timed import TimedMachine

from subiso.bench.cold import forget_plans
from subiso.bench.data import DataFolder, load_graph
from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.cuda.device import parse_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import Query, make_query
from subiso.pattern import Pattern
from subiso.result.local import count_per

GRAPHS = ("wiki-Vote", "email-Enron", "dblp-2010", "loc-Gowalla", "ego-Twitter")
PATTERNS = {
    "triangle": Pattern.clique(3),
    "K4": Pattern.clique(4),
    "K5": Pattern.clique(5),
    "4cycle": Pattern.cycle(4),
    "diamond": Pattern.diamond(),
    "tailed_triangle": Pattern.named("tailed_triangle"),
}


def main() -> None:
    options = parse()
    data = DataFolder(options.data)
    names = chosen_graphs(data, options.graphs, GRAPHS)
    machine = TimedMachine(parse_device(options.device)[0])
    engine = CudaEngine(machine)
    print(f"{machine.description}\n")
    print("| graph | pattern | per | ms | wall | CPU | CPU / wall | equal |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    wrong = False
    for name in names:
        graph = load_graph(data, name)
        for pattern in options.patterns:
            query = make_query(graph, PATTERNS[pattern])
            for per in ("vertex", "edge"):
                wall, ms, found = timed(query, per, engine, options, machine)
                slow, _, wanted = timed(query, per, cpu, options)
                if found is None or wanted is None:
                    print(f"| {name} | {pattern} | {per} | timeout |  |  |  |  |", flush=True)
                    continue
                same = bool(np.array_equal(found, wanted))
                wrong |= not same
                print(
                    f"| {name} | {pattern} | {per} | {ms:.2f} | {wall:.2f} | {slow:.2f} | {slow / wall:.1f} | "
                    f"{'yes' if same else 'NO'} |",
                    flush=True,
                )
    sys.exit(wrong)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("carry"))
    parser.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    parser.add_argument("--patterns", nargs="*", default=list(PATTERNS), choices=list(PATTERNS))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds per run")
    return parser.parse_args()


def timed(
    query: Query, per: str, engine: Any, options: argparse.Namespace, machine: TimedMachine | None = None
) -> tuple[float, float, Any]:
    """Milliseconds that the caller waits, those of the device, and the array; None when time ran out."""
    walls, times = [], []
    for _ in range(options.repeat + 1):
        forget_plans()
        started = time.perf_counter()
        answer = count_per(query, per, engine, Params(timeout=options.timeout))
        walls.append(1000 * (time.perf_counter() - started))
        times.append(machine.milliseconds() if machine is not None else 0.0)
        if answer.counts is None or walls[-1] > 5000:
            break
    return statistics.median(walls[1:] or walls), statistics.median(times[1:] or times), answer.counts


if __name__ == "__main__":
    run_script(main)
