"""Wheels (a hub and a 4-cycle around it) on a GPU: by plans, and by 4-cycles in neighbourhoods, step by step.

    PYTHONPATH=src:. python bench/gpu/wheels.py --data carry [--graphs cnr-2000 rmat20] [--timeout 9] [--steps]
        [--hoods warp_ends=1024 list_bytes=268435456]

From the repository's root, after the in-place build. `plans` and `sums` are the device's own milliseconds, the best of
`--repeat` runs after one to warm up; `chosen` is what `schedule="auto"` takes. With `--steps` every launch has a time
of its own, added up by kernel and threads of a block. The exit status is 1 where the two ways, or the oracle, disagree.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import replace
from pathlib import Path

from bench.checked import chosen_graphs, run_script
from bench.gpu.run import PATTERNS
from bench.gpu.timed import TimedMachine, best_by_plans, print_launches

from subiso.bench.data import DataFolder, load_graph
from subiso.engine.base import Params
from subiso.engine.cuda.by_sums import SumsRun, sums_way
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.hood_tune import HoodWishes
from subiso.engine.cuda.hoods import HoodRun
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query, make_query
from subiso.filter.resolve import resolve
from subiso.pattern import Pattern

GRAPHS = ["wiki-Vote", "email-Enron", "dblp-2010", "loc-Gowalla", "ego-Twitter", "cnr-2000", "rmat20"]


def main() -> None:
    options = parse()
    data = DataFolder(options.data)
    names = chosen_graphs(data, options.graphs, GRAPHS)
    machine = TimedMachine()
    engine = CudaEngine(machine, Wishes(hoods=replace(HoodWishes(), **dict(options.hoods))))
    known = data.oracle() if (options.data / "oracle.json").exists() else {}
    wrong = False
    print(f"{'graph':16} {'wheels':>18} {'plans':>10} {'sums':>10} chosen", flush=True)
    for name in names:
        query = make_query(load_graph(data, name), Pattern.from_edges(PATTERNS["W4"]))
        by_plans, plans = None, math.inf
        if options.timeout > 0:
            by_plans, plans = best_by_plans(engine, machine, query, options.repeat, options.timeout)
        found, sums, run = time_sums(engine, machine, query, options.repeat)
        way = engine.sums_way(query, engine.formula(resolve(query)))
        chosen = "plans" if way is None else "sums"
        expected = known.get(name, {}).get("W4", {}).get("subgraphs", found)
        differ = found != expected or by_plans not in (None, found)
        wrong |= differ
        note = f"WRONG: plans {by_plans}, oracle {expected}" if differ else ""
        print(f"{name:16} {found:18} {plans:10.3f} {sums:10.3f} {chosen} {note}", flush=True)
        if options.steps:
            steps(machine, run)
    sys.exit(wrong)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("carry"))
    parser.add_argument("--graphs", nargs="*", default=GRAPHS)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=9.0, help="seconds for plans; 0: without them")
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--hoods", nargs="*", type=wish, default=[], metavar="NAME=NUMBER")
    return parser.parse_args()


def wish(text: str) -> tuple[str, object]:
    """One field of HoodWishes; limits of several classes are separated by commas, warps follow a colon.

    >>> wish("chunk=8"), wish("block_rows=128,512"), wish("block_ends=8192:8,65535:32")
    (('chunk', 8), ('block_rows', (128, 512)), ('block_ends', ((8192, 8), (65535, 32))))
    """
    name, _, value = text.partition("=")
    if name == "block_ends":
        return name, tuple(tuple(map(int, part.split(":"))) for part in value.split(",") if part)
    if name == "block_rows":
        return name, tuple(int(part) for part in value.split(",") if part)
    return name, int(value)


def time_sums(
    engine: CudaEngine, machine: TimedMachine, query: Query, repeat: int
) -> tuple[int, float, SumsRun]:
    way = sums_way(query, math.inf)
    assert way is not None
    run = engine.prepare_sums([way], query.graph)
    best = math.inf
    for number in range(repeat + 1):
        machine.milliseconds()
        found = run.count(Watch(Params(), time.perf_counter()))
        spent = machine.milliseconds()
        best = min(best, spent if number else math.inf)
    return found, best, run


def steps(machine: TimedMachine, run: SumsRun) -> None:
    """The triangles, a line per kernel, then the memory."""
    hoods = run.counted["wheels"]
    assert isinstance(hoods, HoodRun)
    machine.milliseconds()
    run.run.sums(Watch(Params(), time.perf_counter()))
    print(f"    triangles {machine.milliseconds():.3f} ms", flush=True)
    machine.clear(hoods.state)
    print_launches(
        machine,
        hoods.state,
        hoods.launches,
        lambda launch: f"{launch.kernel.call} x {launch.kernel.threads}, {launch.shared // 1024} KB",
    )
    print(f"    {run.report().search_bytes / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    run_script(main)
