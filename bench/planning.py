"""What planning takes: milliseconds of one core for a query that nobody has asked before, its candidates known.

    PYTHONPATH=src:. python bench/planning.py --data ../shared/data [--graphs wiki-Vote WN18RR]

`cpu` is for the CPU engine, `device` for an H200, with cuts in several parts and those of the host; no device is
needed, and making the candidate graph is contained. Per set of queries the median, the mean and the most; the best of
`--repeat` runs each, in time of the processor.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.checked import chosen_graphs, run_script
from bench.gpu.cuts import PATTERNS
from bench.gpu.joins import GRAPHS as EDGE_LABELLED
from bench.gpu.labelled import GRAPH as LABELLED
from subiso.bench.cold import forget_plans
from subiso.bench.data import DataFolder, load_graph
from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.cuda.by_host import host_formula
from subiso.engine.cuda.by_parts import parted_formula
from subiso.engine.cuda.formula import device_formula
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import room_on
from subiso.engine.query import Query, make_query
from subiso.filter.clique_graph import searched_in
from subiso.filter.resolve import Resolved, resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.queries import random_queries
from subiso.storage.statistics import statistics_of

UNLABELLED = ("wiki-Vote", "loc-Gowalla")
SIZES = (4, 6, 8, 10, 12)
H200 = Description("H200", "sm_90", 132, memory=150 << 30)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--graphs", nargs="*")
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    data = DataFolder(given.data)
    print(
        f"{'graph':22} {'queries':>16} {'cpu: median':>12} {'mean':>8} {'most':>8} {'device: median':>15} ",
        end="",
    )
    print(f"{'mean':>8} {'most':>8}")
    for name in chosen_graphs(data, given.graphs, (*UNLABELLED, LABELLED, *EDGE_LABELLED)):
        graph = load_graph(data, name)
        for title, queries in sets(data, name, graph):
            resolved = [r for r in map(resolve, queries) if not r.hopeless]
            cells = []
            for way in (for_cpu, for_device):
                took = [best(way, r, given.repeat) for r in resolved]
                cells += [statistics.median(took), statistics.fmean(took), max(took)]
            shown = "{:12.2f} {:8.2f} {:8.2f} {:15.2f} {:8.2f} {:8.2f}".format(*cells)
            print(f"{name:22} {title:>16} {shown}", flush=True)
    return 0


def sets(data: DataFolder, name: str, graph: Graph) -> Iterator[tuple[str, list[Query]]]:
    """Sets of queries by name: patterns with cuts one by one, recorded queries, or walks of every size."""
    if name in UNLABELLED:
        for title, edges in PATTERNS.items():
            yield title, [make_query(graph, Pattern.from_edges(edges))]
    elif name == LABELLED:
        known = data.labelled_queries()[name]
        patterns = [Pattern.from_edges(q["edges"], vertex_labels=q["labels"]) for q in known]
        yield f"{len(known)} recorded", [make_query(graph, pattern, unique=False) for pattern in patterns]
    else:
        for size in SIZES:
            walks = random_queries(graph, 20, size, edges="visited", seed=0)
            yield f"20 walks of {size}", [make_query(graph, pattern) for pattern in walks]


def for_cpu(resolved: Resolved) -> None:
    cpu.formula_for(resolved, Params())


def for_device(resolved: Resolved) -> None:
    found = searched_in(resolved, statistics_of(resolved.layout.graph), Params().switches, device=True)
    formula = device_formula(found, Params(), "auto", room_on(H200), alone=True)
    parted = parted_formula(found, Params(), formula)
    host_formula(found, Params(), (parted or formula).cost)


def best(way: Callable[[Resolved], None], resolved: Resolved, repeat: int) -> float:
    """Milliseconds of the processor."""
    took = []
    for _ in range(repeat):
        forget_plans()
        began = time.process_time()
        way(resolved)
        took.append(1000 * (time.process_time() - began))
    return min(took)


if __name__ == "__main__":
    run_script(main)
