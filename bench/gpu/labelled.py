"""Labelled queries on a GPU beside gMatch's recorded times: what a caller waits, preparation included.

Run from the repository's root on a machine with a CUDA device, after the in-place build, with the graphs in a folder
(`pack.py` fills one):

    PYTHONPATH=src:. python3 bench/gpu/labelled.py --data carry [--ways auto kernels fine stack] [--json FILE]

`auto` is `device="cuda"` as users have it: the host may answer what it has counted before a kernel would start.
`kernels` is the same without the host. Everything is counted anew in every run (filters, candidate graph, plan, search,
copy of the result); kernels are compiled and the graph is on the device before. The best of some runs; gMatch's figure
is its preparation and its join. A count that differs from the recorded one, or between ways, fails the run.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.ablation.rehearse import compile_counts
from bench.checked import check_graphs, check_names, run_script

from subiso.bench.cold import forget_plans
from subiso.bench.data import DataFolder, load_graph
from subiso.engine.base import Params
from subiso.engine.cuda.device import open_devices
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import Query, make_query
from subiso.errors import SubisoError
from subiso.pattern import Pattern

GRAPH = "email-Enron/labels16"
WAYS = ("auto", "kernels", "fine", "stack", "levels")
_ENOUGH = 0.5
"""Seconds from which on a run is not repeated."""


@dataclass
class Row:
    """One query: its count by every way, milliseconds or why there are none, and the peer's milliseconds."""

    query: str
    expected: int | None
    peer: float | None
    counts: dict[str, int] = field(default_factory=dict)
    ms: dict[str, float] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)

    @property
    def wrong(self) -> bool:
        said = {*self.counts.values(), *([] if self.expected is None else [self.expected])}
        return len(said) > 1


def main() -> None:
    options = parse()
    data = DataFolder(options.data)
    check_graphs(data, [GRAPH])
    check_names("way", options.ways, WAYS)
    machine = open_devices("cuda")[0]
    print(f"{machine.description}\n", flush=True)
    graph = load_graph(data, GRAPH)
    ways = {
        way: CudaEngine(machine, schedule="auto" if way == "kernels" else way, host=way == "auto")
        for way in options.ways
    }
    known_queries = data.labelled_queries()[GRAPH]
    queries = [
        make_query(graph, Pattern.from_edges(known["edges"], vertex_labels=known["labels"]), unique=False)
        for known in known_queries
    ]
    compile_counts(list(ways.values()), ((query, Params()) for query in queries))
    print(f"{'query':8} {'count':>20} {'gMatch':>10} " + " ".join(f"{way:>10}" for way in ways))
    rows = []
    for known, query in zip(known_queries, queries, strict=True):
        peer = known["peers_ms"].get("gMatch")
        row = Row(known["name"], known["embeddings"], None if peer is None else sum(peer))
        for way, engine in ways.items():
            measure(engine, query, way, row, options)
        rows.append(row)
        print(line(row, list(ways)), flush=True)
    summary(rows, list(ways))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    sys.exit(any(row.wrong for row in rows))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("carry"), help="folder with load.py and *.npz")
    parser.add_argument("--ways", nargs="*", default=list(WAYS))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds per query and way")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measure(engine: CudaEngine, query: Query, way: str, row: Row, options: argparse.Namespace) -> None:
    best = math.inf
    for number in range(options.repeat + 1):
        forget_plans()
        started = time.perf_counter()
        try:
            outcome = engine.count(query, Params(timeout=options.timeout))
        except SubisoError as error:
            row.states[way] = f"error: {str(error).splitlines()[0]}"
            return
        seconds = time.perf_counter() - started
        if outcome.stopped_by is not None:
            row.states[way] = outcome.stopped_by
            return
        if row.counts.setdefault(way, outcome.count) != outcome.count:
            row.counts[f"{way} again"] = outcome.count
        if number or seconds > _ENOUGH:  # the first one copies the graph
            best = min(best, seconds)
        if seconds > _ENOUGH:
            break
    row.ms[way] = 1000 * best


def line(row: Row, ways: list[str]) -> str:
    shown = " ".join(
        f"{row.ms[way]:10.3f}" if way in row.ms else f"{row.states.get(way, '')[:10]:>10}" for way in ways
    )
    count = next(iter(row.counts.values()), None)
    peer = "-" if row.peer is None else f"{row.peer:.3f}"
    state = f" WRONG {row.counts}, not {row.expected}" if row.wrong else ""
    known = "" if row.expected is not None else f" (no recorded count; {len(row.counts)} ways agree)"
    return f"{row.query:8} {count if count is not None else '-':>20} {peer:>10} {shown}{state or known}"


def summary(rows: list[Row], ways: list[str]) -> None:
    print(f"\n{sum(row.wrong for row in rows)} of {len(rows)} queries wrong")
    for way in ways:
        ratios = [row.peer / row.ms[way] for row in rows if row.peer and way in row.ms]
        done = sum(way in row.ms for row in rows)
        if ratios:
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            faster = sum(r > 1 for r in ratios)
            print(
                f"{way:8} finished {done} of {len(rows)}; faster than gMatch on {faster} of {len(ratios)}, "
                f"{mean:.2f}x in the geometric mean, least {min(ratios):.2f}x"
            )


if __name__ == "__main__":
    run_script(main)
