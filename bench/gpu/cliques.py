"""Cliques on a GPU: set by set, dense sets by what is absent, and one by one (LocalWishes.cliques), step by step.

    PYTHONPATH=src:. python bench/gpu/cliques.py --data carry [--cases rmat16:5,6,7 rmat20:6] [--limit 60] [--steps]
        [--local parts=8 clique_capacities=256,512]

From the repository's root, after the in-place build. Times are the device's own milliseconds, the best of `--repeat`
runs after one to warm up; a run of over two seconds is not repeated, one of over `--limit` seconds is stopped, and `-`
stands there. With `--steps` every launch of counting set by set has a time of its own, added up by kernel and room. The
exit status is 1 where the two ways, or the oracle, disagree.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.checked import check_graphs, run_script
from bench.gpu.run import local_wish
from bench.gpu.timed import TimedMachine, best_by_plans, print_launches

from subiso.bench.data import DataFolder, load_graph
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.local import LocalRun
from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import Query, make_query
from subiso.filter.resolve import resolve
from subiso.pattern import Pattern

CASES = [("rmat16", (5, 6, 7)), ("rmat18", (5, 6, 7)), ("rmat20", (5, 6))]
KNOWN = {("rmat20", 5): 632_581_392_831, ("rmat20", 6): 19_812_472_342_767}
"""Counts of graphs that the oracle does not have, by bit rows, one by one."""


def main() -> None:
    options = parse()
    data = DataFolder(options.data)
    check_graphs(data, [name for name, _ in options.cases])
    known = data.oracle() if (options.data / "oracle.json").exists() else {}
    machine = TimedMachine()
    wishes = replace(LocalWishes(), **dict(options.local))
    by_sets, one_by_one = (
        CudaEngine(machine, Wishes(local=replace(wishes, cliques=on))) for on in (True, False)
    )
    wrong = False
    print(
        f"{'graph':12} {'k':>2} {'cliques':>20} {'by sets':>10} {'one by one':>12} {'ratio':>7}", flush=True
    )
    for name, sizes in options.cases:
        graph = load_graph(data, name)
        for k in sizes:
            query = make_query(graph, Pattern.clique(k))
            found, new = best_by_plans(by_sets, machine, query, options.repeat, options.limit)
            other, old = None, math.inf
            if not options.alone:
                other, old = best_by_plans(one_by_one, machine, query, options.repeat, options.limit)
            expected = known.get(name, {}).get(f"K{k}", {}).get("subgraphs", KNOWN.get((name, k)))
            counts = {count for count in (found, other, expected) if count is not None}
            wrong |= len(counts) > 1
            note = f"WRONG: {found}, {other}, expected {expected}" if len(counts) > 1 else ""
            shown = "-" if found is None else str(found)
            ratio = f"{old / new:7.2f}" if math.isfinite(old) and math.isfinite(new) else f"{'-':>7}"
            print(f"{name:12} {k:2} {shown:>20} {ms(new):>10} {ms(old):>12} {ratio} {note}", flush=True)
            if options.steps and found is not None:
                steps(by_sets, machine, query)
    sys.exit(wrong)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("carry"))
    parser.add_argument("--cases", nargs="*", type=case, default=CASES, metavar="GRAPH:K,K")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of one run")
    parser.add_argument("--alone", action="store_true", help="set by set only")
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--local", nargs="*", type=local_wish, default=[], metavar="NAME=NUMBER")
    return parser.parse_args()


def case(text: str) -> tuple[str, tuple[int, ...]]:
    """A graph and sizes.

    >>> case("rmat16:5,6")
    ('rmat16', (5, 6))
    """
    name, _, sizes = text.partition(":")
    return name, tuple(int(k) for k in sizes.split(","))


def ms(time: float) -> str:
    return f"{time:.3f}" if math.isfinite(time) else "-"


def steps(engine: CudaEngine, machine: TimedMachine, query: Query) -> None:
    """A line per kernel and room, then the memory."""
    resolved = resolve(query)
    (term,) = engine.formula(resolved, Params(switches=Switches(sums=False))).terms
    run = engine.prepare_count(term.plan, resolved)
    assert isinstance(run, LocalRun)
    machine.write(run.state, run.image)

    def name(launch: Any) -> str:
        room = f"beyond {launch.args['beyond']} up to {launch.args['capacity']}"
        return f"{launch.kernel.step} {room}, {launch.shared // 1024} KB x {launch.kernel.threads}"

    print_launches(machine, run.state, run.work, name)
    print(f"    {run.report().search_bytes / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    run_script(main)
