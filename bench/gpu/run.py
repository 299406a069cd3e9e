"""Small patterns on a GPU: counts checked against the oracle, times beside the peers' recorded ones.

Run from the repository's root on a machine with a CUDA device, after the in-place build, with the graphs in a folder
(`pack.py` fills one):

    PYTHONPATH=src:. python3 bench/gpu/run.py --data carry [--graphs wiki-Vote ...] [--patterns K4 ...]

`ms` is the device's own time, from the first kernel to the end of the copy of the result, `wall` what the caller waits;
graph on the device, kernels compiled, both the median after a warm-up. `first` is the first query in this process, with
all preparation but compilation, which happens before, by several processes. A wrong count fails the run.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.ablation.rehearse import compile_counts
from bench.checked import check_names, chosen_graphs, run_script
from bench.gpu.timed import TimedMachine

from subiso.bench.data import DataFolder, load_graph
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import open_devices, parse_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import MODES, make_query
from subiso.errors import SubisoError
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern

HERE = Path(__file__).parent
PATTERNS: dict[str, list[tuple[int, int]]] = {
    "triangle": [(0, 1), (1, 2), (0, 2)],
    "4cycle": [(0, 1), (1, 2), (2, 3), (0, 3)],
    "diamond": [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)],
    "tailed_triangle": [(0, 1), (1, 2), (0, 2), (0, 3)],
    **{f"K{k}": [(i, j) for j in range(k) for i in range(j)] for k in (4, 5, 6, 7)},
    "house": [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 4)],
    "5cycle": [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)],
    "W4": [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)],
    "gem": [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)],
    "K5-e": [(i, j) for j in range(5) for i in range(j) if (i, j) != (3, 4)],
    "gMatch-P5": [(0, 1), (0, 2), (1, 3), (2, 4), (3, 4), (2, 3), (1, 4)],
    "gMatch-P6": [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (1, 4), (2, 3)],
    "prism": [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)],
}


_WARM_UP = 0.5
"""Seconds of counting before the first row."""


@dataclass
class Row:
    """One line of the table."""

    graph: str
    pattern: str
    expected: int | None
    count: int | None = None
    ms: float | None = None
    wall_ms: float | None = None
    first_ms: float | None = None
    stopped_by: str | None = None
    error: str | None = None
    peers: dict[str, Any] = field(default_factory=dict)
    tail: str = ""
    levels: int = 0
    search_mb: float = 0.0

    @property
    def best_peer(self) -> float | None:
        return min((t for t in self.peers.values() if isinstance(t, float)), default=None)

    @property
    def wrong(self) -> bool:
        known = self.expected is not None and self.count is not None and self.stopped_by is None
        return self.error is not None or (known and self.count != self.expected)


def main() -> None:
    options = parse()
    if options.sanitize:
        sanitize()
        return
    if options.check:
        check(open_devices(options.device)[0], options.check)
        return
    peers = json.loads((HERE / "peers.json").read_text())
    data = DataFolder(options.data)
    names = chosen_graphs(data, options.graphs, peers)
    check_names("pattern", options.patterns, {pattern for name in names for pattern in peers.get(name, ())})
    machine = TimedMachine(parse_device(options.device)[0])
    wishes = Wishes(
        tau=options.tau,
        fixed=not options.tables,
        share=not options.no_share,
        local=LocalWishes(**dict(options.local)),
    )
    engine = CudaEngine(machine, replace(wishes, **dict(options.wish)), schedule=options.schedule)
    print(f"{machine.description}\n", flush=True)
    graphs = {name: load_graph(data, name) for name in names}
    cases = {
        name: [pattern for pattern in options.patterns or list(peers[name]) if pattern in peers[name]]
        for name in graphs
    }
    rehearse(engine, [(graphs[name], pattern) for name in graphs for pattern in cases[name]])
    rows = []
    if graphs:  # a device that has idled takes a while to reach its clock rate
        started = time.perf_counter()
        while time.perf_counter() < started + _WARM_UP:
            engine.count(make_query(next(iter(graphs.values())), Pattern.clique(4)))
    for name, graph in graphs.items():
        heading(name, graph)
        for pattern in cases[name]:
            known = peers[name][pattern]
            rows.append(
                measure(engine, graph, Row(name, pattern, known["count"], peers=known["ms"]), options)
            )
            print(line(rows[-1]), flush=True)
    summary(rows)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    sys.exit(any(row.wrong for row in rows))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path("carry"), help="folder with load.py, *.npz and rmat.py"
    )
    parser.add_argument("--graphs", nargs="*")
    parser.add_argument("--patterns", nargs="*")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument(
        "--timeout", type=float, default=20.0, help="seconds per run; such a row is not repeated"
    )
    parser.add_argument(
        "--tau", type=int, help="partial matches of the initial pool (0: start from the seeds)"
    )
    parser.add_argument("--tables", action="store_true", help="plans in memory instead of compiled in")
    parser.add_argument("--no-share", action="store_true", help="no hand-over of work")
    parser.add_argument(
        "--schedule", default="auto", help="auto, fine, stack, wedge, local, levels or pipeline"
    )
    parser.add_argument(
        "--wish", nargs="*", type=wish, default=[], help="name=number: a field of tune.Wishes"
    )
    parser.add_argument("--no-local", action="store_true", help="no search on bit rows of neighbourhoods")
    parser.add_argument(
        "--local",
        nargs="*",
        type=local_wish,
        default=[],
        metavar="NAME=NUMBER",
        help="tunables of schedule local (LocalWishes), e.g. warp_limit=32 large_limits=1024,8192",
    )
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--check", type=int, metavar="SEEDS", help="random queries against the reference instead"
    )
    parser.add_argument(
        "--sanitize", action="store_true", help="run compute-sanitizer on small queries instead"
    )
    return parser.parse_args()


def rehearse(engine: CudaEngine, cases: list[tuple[Graph, str]]) -> None:
    """Compiles the kernels of all cases, and says so."""
    started = time.perf_counter()
    queries = (make_query(graph, Pattern.from_edges(PATTERNS[pattern])) for graph, pattern in cases)
    kernels = compile_counts([engine], ((query, Params()) for query in queries))
    print(f"{kernels} kernels in {time.perf_counter() - started:.1f} s, planning included", flush=True)


def wish(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    return name, int(value)


def local_wish(text: str) -> tuple[str, int | tuple[int, ...]]:
    """One field of LocalWishes; several numbers are separated by commas.

    >>> local_wish("passes=2"), local_wish("large_limits=1024,8192"), local_wish("clique_capacities=256")
    (('passes', 2), ('large_limits', (1024, 8192)), ('clique_capacities', (256,)))
    """
    name, _, value = text.partition("=")
    numbers = tuple(int(part) for part in value.split(","))
    return name, numbers if name in ("large_limits", "clique_capacities") else numbers[0]


def measure(engine: CudaEngine, graph: Graph, row: Row, options: argparse.Namespace) -> Row:
    try:
        time_row(engine, graph, row, options)
    except SubisoError as error:
        row.error = str(error).splitlines()[0]
    return row


def time_row(engine: CudaEngine, graph: Graph, row: Row, options: argparse.Namespace) -> None:
    query = make_query(graph, Pattern.from_edges(PATTERNS[row.pattern]))
    started = time.perf_counter()
    params = Params(timeout=options.timeout, switches=Switches(local=not options.no_local))
    outcome = engine.count(query, params)
    row.first_ms = 1000 * (time.perf_counter() - started)
    row.count, row.stopped_by = outcome.count, outcome.stopped_by
    if outcome.stopped_by is not None:
        return
    resolved = resolve(query)
    formula = engine.formula(resolved, params)
    divisor = formula.divisor
    way = engine.sums_way(query, formula, params)
    runs: list[tuple[int, Any]]
    if way is not None:
        divisor, runs = 1, [(1, engine.prepare_sums([way], graph))]
    else:
        runs = [(term.coefficient, engine.prepare_count(term.plan, resolved)) for term in formula.terms]
    report = runs[0][1].report()
    row.tail = "sums" if way is not None else report.kernel.tail if report.kernel is not None else "fine"
    row.levels, row.search_mb = runs[0][1].columns, report.search_bytes / 1e6
    times, walls = [], []
    machine = engine.machine
    assert isinstance(machine, TimedMachine)
    machine.milliseconds()
    for _ in range(options.repeat + 1):
        started = time.perf_counter()
        total = sum(c * run.count(Watch(Params(), started)) for c, run in runs)
        walls.append(1000 * (time.perf_counter() - started))
        times.append(machine.milliseconds())
        if total // divisor != row.count:
            row.error = f"another run counted {total // divisor}"
        if times[-1] > 2000:
            break
    row.ms, row.wall_ms = statistics.median(times[1:] or times), statistics.median(walls[1:] or walls)


def heading(name: str, graph: Graph) -> None:
    print(f"\n{name}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges")
    print(
        f"{'pattern':16} {'count':>18} {'ms':>10} {'best peer':>10} {'ratio':>7} {'gMatch':>9} "
        f"{'wall':>9} {'first':>7}  plan"
    )


def line(row: Row) -> str:
    best, gmatch = row.best_peer, row.peers.get("gMatch", "-")
    ratio = f"{best / row.ms:7.2f}" if best and row.ms else f"{'-':>7}"
    state = row.error or row.stopped_by or (f"WRONG, not {row.expected}" if row.wrong else "")
    return (
        f"{row.pattern:16} {row.count if row.count is not None else '-':>18} {_ms(row.ms)} {_ms(best)} {ratio} "
        f"{gmatch!s:>9} {row.wall_ms or 0:9.3f} {row.first_ms or 0:7.0f}  "
        f"{row.levels} {row.tail} {row.search_mb:.1f} MB {state}"
    )


def _ms(value: float | None) -> str:
    return f"{'-':>10}" if value is None else f"{value:10.3f}"


def summary(rows: list[Row]) -> None:
    """Geometric means of the speed-up over the best peer and over each of them."""
    print(
        f"\n{sum(r.ms is not None for r in rows)} of {len(rows)} rows finished, {sum(r.wrong for r in rows)} wrong"
    )

    def mean(name: str, ratios: list[float]) -> None:
        if ratios:
            value = math.exp(statistics.fmean(map(math.log, ratios)))
            print(f"over {name:30} {value:8.2f}x in {len(ratios)} rows, least {min(ratios):.2f}x")

    done = [r for r in rows if r.ms]
    mean("the best peer", [r.best_peer / r.ms for r in done if r.best_peer and r.ms])
    three = ("gMatch", "STMatch", "T-DFS")
    best = [(r, [r.peers[p] for p in three if isinstance(r.peers.get(p), float)]) for r in done]
    mean("the best of gMatch, STMatch, T-DFS", [min(p) / r.ms for r, p in best if p and r.ms])
    for name in ("G2Miner", "GraphSet", *three):
        mean(name, [r.peers[name] / r.ms for r in done if isinstance(r.peers.get(name), float) and r.ms])


def check(machine: Machine, seeds: int) -> None:
    """What tests/gpu does, without pytest: random queries of every kind against the reference."""
    sys.path.insert(0, str(HERE.parents[1] / "tests" / "simt"))
    cases = importlib.import_module("random_cases")
    ways = [
        Wishes(fixed=False, hub_length=2),
        Wishes(fixed=False, tau=0, row_capacity=64, edges=False),
        Wishes(fixed=False, blocks=3, tau=9999, edges=False, arena_words=64),
    ]
    wrong = 0
    for mode in MODES:
        for seed in range(seeds):
            query = cases.random_query(seed, mode)
            wanted = cases.expected_rows(query)
            schedule = ("fine", "stack", "levels", "pipeline")[seed // 3 % 4]
            engine = CudaEngine(machine, ways[seed % len(ways)], schedule=schedule)
            found = engine.count(query).count
            rows = [tuple(r) for batch in engine.stream(query, Params()) for r in batch.tolist()]
            if found != len(wanted) or cases.canonical(query, rows) != wanted:
                wrong += 1
                print(f"WRONG {found} {len(rows)} not {len(wanted)}: {cases.describe(query, seed)}")
    print(f"{seeds * len(MODES)} random queries, {wrong} wrong", flush=True)
    sys.exit(wrong != 0)


def sanitize() -> None:
    """compute-sanitizer over queries that take every path: hand-over, full output, initial pool."""
    for tool in ("memcheck", "racecheck", "synccheck"):
        command = ["compute-sanitizer", f"--tool={tool}", "--error-exitcode=9", sys.executable]
        done = subprocess.run([*command, str(HERE / "small.py")], check=False, capture_output=True, text=True)
        print(f"{tool}: {'clean' if done.returncode == 0 else f'exit {done.returncode}'}")
        print("\n".join((done.stdout + done.stderr).splitlines()[-12:]), flush=True)


if __name__ == "__main__":
    run_script(main)
