"""Edge-labelled random-walk queries by every schedule: equal counts, times, and what the techniques of `levels` bring.

Run from the repository's root on a machine with a CUDA device, after the in-place build, with the graphs in a folder
(`pack.py` fills one):

    PYTHONPATH=src:. python3 bench/gpu/joins.py --data carry [--graphs FB13 ...] [--queries 20] [--sizes 4 6 8 10 12]
    ... --edges all [--density dense]                              # queries with cycles
    ... --switches --only-slow 0.1 --timeout 3 --repeat 0          # only those that auto does not answer in 0.1 s

First table, per graph: every schedule on every query, as it would count (tails and all); `auto` as users have it,
where the host may answer first. `wait ms` is what the caller waits for the whole count, filters and planning
included, with kernels compiled and the graph on the device; `search ms` is the part after the preparation. Best of
some runs; means are geometric, over the queries that all schedules finished. Further tables: schedule `levels`
matching every vertex, with each switch the other way in turn (GSI's and GENEVA's ablations), as ratios to what it is
by default; in the planner's order, and in GENEVA's. Plans are read from tables, so that no query has a kernel of its
own. There, `launches` is the mean per count, `MB moved` what was uploaded of the graph for one count of every query,
`MB there` the most of it that a count had on the device. A count that differs fails the run. With `--seconds` every
graph and table has its share of the time, and says how many queries were left out.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

from bench.ablation.rehearse import compile_counts
from bench.checked import check_names, chosen_graphs, run_script, share

from subiso.bench.cold import forget_plans
from subiso.bench.data import DataFolder, load_graph
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import SCHEDULES as KNOWN_SCHEDULES
from subiso.engine.cuda.device import open_devices
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.cuda.levels_tune import LevelsWishes
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.memory import Cache
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import Query, make_query
from subiso.errors import GraphError, SubisoError
from subiso.graph import Graph
from subiso.queries import random_queries

GRAPHS = ("FB13", "WN18RR", "NELL-995", "codex-m", "ICEWS14")
SCHEDULES = ("auto", "fine", "stack", "wedge", "local", "levels", "pipeline")
ALL_ON = LevelsWishes()
STORES = {
    "storage=csr": Wishes(fixed=False, storage="csr", hub_bytes=0),
    **{
        f"storage={name}": Wishes(fixed=False, storage=name)
        for name in ("compressed", "hash_pcsr", "interval_pcsr", "label_csr")
    },
}
"""A named storage has the whole graph, not its candidates; plain lists are without the bit rows of hubs here, so that
bytes and times of all five are those of neighbour lists and what finds them."""
SWITCHES = {
    "as it is": ALL_ON,
    "output=prealloc": replace(ALL_ON, output="prealloc"),
    "output=twice": replace(ALL_ON, output="twice"),
    "first=rarest": replace(ALL_ON, first="rarest"),
    "operands=copied": replace(ALL_ON, operands="copied"),
    "operands=reused": replace(ALL_ON, operands="reused"),
    "operands=shared": replace(ALL_ON, operands="shared"),
    "cache off": replace(ALL_ON, cache=False),
    "balance off": replace(ALL_ON, balance=False),
    "live off": replace(ALL_ON, live=False),
    "parallel": replace(ALL_ON, parallel=True),
    "eliminate": replace(ALL_ON, eliminate=True),
    "parallel, eliminate": replace(ALL_ON, parallel=True, eliminate=True),
    "partition": replace(ALL_ON, partition=True),
    "partition, parallel": replace(ALL_ON, partition=True, parallel=True),
    "partition, one slot": replace(ALL_ON, partition=True, beside=False),
    "at once": replace(ALL_ON, at_once=True),
}
"""GSI's techniques, each turned off (or the other way round), then GENEVA's, turned on; then launches."""
COUNTING = Params()
MATCHING = Params(
    switches=Switches(max_tail=0, decompose="never", expand="never", codegrees=False, local=False)
)
"""Every vertex is matched; the last level is counted all the same."""
TABLES = {
    "the plan's order": MATCHING,
    "core-forest order": replace(MATCHING, switches=replace(MATCHING.switches, order="core")),
}
"""Of switches, the second one in GENEVA's order."""
_ENOUGH = 100.0
"""Milliseconds from which on a run is not repeated."""

Thing = TypeVar("Thing")


@dataclass
class Timing:
    """One way to run one query."""

    graph: str
    query: str
    way: str
    count: int | None = None
    wait_ms: float | None = None
    search_ms: float | None = None
    stopped_by: str | None = None
    error: str | None = None
    search_mb: float = 0.0
    uploaded_mb: float = 0.0
    """Of the graph's relations, by one count (schedule `levels`): nothing where they are there already."""
    resident_mb: float = 0.0
    """The most of them that were on the device at a time."""
    launches: float = 0.0
    warm: bool = False
    """The times are of runs after the first."""
    again: bool = True
    """Another run may tell more."""

    @property
    def finished(self) -> bool:
        return self.wait_ms is not None and self.stopped_by is None and self.error is None


def main() -> None:
    options = parse()
    data = DataFolder(options.data)
    names = chosen_graphs(data, options.graphs, GRAPHS)
    check_names("schedule", options.schedules, KNOWN_SCHEDULES)
    check_names("switch", options.switches, [*SWITCHES, *STORES])
    machine = open_devices("cuda")[0]
    print(f"{machine.description}\n", flush=True)
    wrong = 0
    everything: list[Timing] = []
    deadline = time.perf_counter() + options.seconds
    for i, name in enumerate(names):
        found, off = run_graph(
            machine, name, load_graph(data, name), options, share(deadline, len(names) - i)
        )
        wrong += off
        everything += found
        if options.json:
            options.json.write_text(json.dumps([asdict(t) for t in everything], indent=1))
    sys.exit(wrong != 0)


def run_graph(
    machine: Machine, name: str, graph: Graph, options: argparse.Namespace, until: float
) -> tuple[list[Timing], int]:
    """All tables of a graph; how many queries have no agreement."""
    queries = {
        f"{size}/{number}": query
        for size in options.sizes
        for number, query in enumerate(drawn(graph, size, options.queries, options))
    }
    size = f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges"
    print(f"\n{name}: {size}, {told(queries.values())}", flush=True)
    if options.only_slow is not None:
        queries = slow_ones(machine, name, queries, options, share(until, 4))
    tables = TABLES if options.switches else {}
    ways = engines_by_schedule(options.schedules)
    found = run_all(machine, name, queries, ways, COUNTING, options, share(until, 1 + len(tables)))
    wrong = report_schedules(found, len(queries))
    known = {t.query: t.count for t in found if t.finished and t.count is not None}
    chosen = {q: query for q, query in queries.items() if options.least <= known.get(q, 0) <= options.most}
    ways = engines_by_switch(options.switches)
    for i, (title, params) in enumerate(tables.items()):
        more = run_all(machine, name, chosen, ways, params, options, share(until, len(tables) - i))
        wrong += report_switches(more, known, title, len(chosen))
        found += more
    return found, wrong


def parse() -> argparse.Namespace:
    parser = drawing_parser(__doc__, sizes=[4, 6, 8, 10, 12], queries=20, seed=0, most=10**8)
    parser.add_argument("--schedules", nargs="*", default=list(SCHEDULES))
    parser.add_argument("--switches", nargs="*", default=[*SWITCHES, *STORES])
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds per query and way")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only-slow", type=float, help="seconds: skip queries that auto answers in them")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="for everything; later queries are left out"
    )
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def drawing_parser(
    text: str | None, *, sizes: list[int], queries: int, seed: int, most: int
) -> argparse.ArgumentParser:
    """Options of scripts that cut queries out of edge-labelled graphs (`drawn`)."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("carry"), help="folder with load.py and *.npz")
    parser.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    parser.add_argument("--sizes", nargs="*", type=int, default=sizes)
    parser.add_argument("--queries", type=int, default=queries, help="per size")
    parser.add_argument(
        "--edges",
        choices=["visited", "all"],
        default="visited",
        help="those that the walk took, hardly ever a cycle, or all between its vertices",
    )
    parser.add_argument("--density", choices=["any", "sparse", "dense"], default="any")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument(
        "--least", type=int, default=1, help="matches of a query whose vertices are all matched"
    )
    parser.add_argument("--most", type=int, default=most, help="the most of them")
    return parser


def drawn(graph: Graph, size: int, count: int, options: argparse.Namespace) -> list[Query]:
    """Queries of a size, cut out of a graph; none where it has no such region, which is told."""
    try:
        found = random_queries(
            graph, count, size, edges=options.edges, density=options.density, seed=options.seed
        )
    except GraphError as error:
        print(error.message, flush=True)
        return []
    return [make_query(graph, pattern) for pattern in found]


def told(queries: Collection[Query]) -> str:
    """How many queries there are, and how many of them have a cycle (they are connected).

    >>> graph = Graph.from_edges([0, 1], [1, 2])
    >>> told([make_query(graph, "(a)--(b)--(c)"), make_query(graph, "(a)--(b)--(c)--(a)")])
    '2 queries, 1 with a cycle'
    """
    joined = [{frozenset((e.source, e.target)) for e in q.pattern.edges} for q in queries]
    cycles = sum(len(pairs) >= q.pattern.num_vertices for q, pairs in zip(queries, joined, strict=True))
    return f"{len(queries)} queries, {cycles} with a cycle"


Ways = dict[str, tuple[str, Wishes]]
"""name -> schedule and wishes"""


def engines_by_schedule(names: list[str]) -> Ways:
    return {name: (name, Wishes(fixed=False)) for name in names}


def engines_by_switch(names: list[str]) -> Ways:
    return {
        name: ("levels", STORES.get(name) or Wishes(fixed=False, levels=SWITCHES[name])) for name in names
    }


def run_all(
    machine: Machine,
    graph: str,
    queries: dict[str, Query],
    ways: Ways,
    params: Params,
    options: argparse.Namespace,
    until: float = math.inf,
) -> list[Timing]:
    """Every query by every way, kernels compiled before; those that there is no time for are left out."""
    caches = [Cache(machine)]  # one copy of the graph for all
    engines = {
        way: CudaEngine(machine, wishes, schedule=schedule, host=schedule == "auto", caches=caches)
        for way, (schedule, wishes) in ways.items()
    }
    compile_counts(list(engines.values()), in_time(((q, params) for q in queries.values()), share(until, 2)))
    found: list[Timing] = []
    limited, chance = replace(params, timeout=options.timeout), random.Random(options.seed)
    for number, query in in_time(queries.items(), until):
        timings = {way: Timing(graph, number, way) for way in engines}
        for turn in range(1 + options.repeat):
            # By chance, since what a run leaves behind in caches and threads is a burden for the next one.
            for way in chance.sample(list(engines), len(engines)):
                if timings[way].again:
                    run_once(engines[way], query, timings[way], limited, first=turn == 0)
        found += timings.values()
    return found


def in_time(things: Iterable[Thing], until: float) -> Iterator[Thing]:
    """As many as begin before a time."""
    return itertools.takewhile(lambda _: time.perf_counter() < until, things)


def slow_ones(
    machine: Machine, graph: str, queries: dict[str, Query], options: argparse.Namespace, until: float
) -> dict[str, Query]:
    """The queries that `auto` has no answer to within the seconds that were asked for."""
    hurried = argparse.Namespace(timeout=options.only_slow, repeat=1, seed=options.seed)
    asked = run_all(machine, graph, queries, engines_by_schedule(["auto"]), COUNTING, hurried, until)
    slow = [t.query for t in asked if not t.finished]
    print(
        f"{len(asked) - len(slow)} of them are skipped: auto answers them in {options.only_slow:g} s; "
        f"{len(queries) - len(asked)} left out",
        flush=True,
    )
    return {number: queries[number] for number in slow}


def run_once(engine: CudaEngine, query: Query, timing: Timing, params: Params, *, first: bool) -> None:
    """One more run; the first one may compile, and copies the graph, and counts only where it stays the only one."""
    forget_plans()
    started = time.perf_counter()
    try:
        outcome = engine.count(query, params)
    except SubisoError as error:
        timing.error, timing.again = str(error).splitlines()[0], False
        return
    wait, search = 1000 * (time.perf_counter() - started), 1000 * engine.times.search
    timing.stopped_by = outcome.stopped_by
    if outcome.stopped_by is None and timing.count not in (None, outcome.count):
        timing.error = f"counted {outcome.count} too"
    if outcome.stopped_by is not None or timing.error is not None:
        # What was stopped while it was cold has another try.
        timing.again = first and timing.error is None
        return
    timing.count = outcome.count
    timing.again = first or wait <= _ENOUGH
    if timing.warm:
        wait, search = min(wait, timing.wait_ms or wait), min(search, timing.search_ms or 0.0)
    timing.wait_ms, timing.search_ms, timing.warm = wait, search, not first
    if engine.last is not None:
        timing.search_mb = engine.last.search_bytes / 1e6
    if isinstance(engine.last, LevelsReport):
        timing.uploaded_mb, timing.resident_mb = engine.last.uploaded / 1e6, engine.last.resident / 1e6
        timing.launches = engine.last.launches


def by_query(timings: list[Timing]) -> dict[str, dict[str, Timing]]:
    found: dict[str, dict[str, Timing]] = {}
    for t in timings:
        found.setdefault(t.query, {})[t.way] = t
    return found


def mean(values: list[float]) -> float:
    return math.exp(statistics.fmean(math.log(max(v, 1e-6)) for v in values)) if values else math.nan


def report_schedules(timings: list[Timing], total: int) -> int:
    """Prints the first table, of so many queries; how many have no agreement."""
    queries = by_query(timings)
    ways = list(dict.fromkeys(t.way for t in timings))
    wrong = disagreements(queries)
    everybody = [q for q in queries.values() if all(q[w].finished for w in ways)]
    print(
        f"{'schedule':10} {'finished':>9} {'wait ms':>9} {'search ms':>10} {'total s':>9} {'best of':>8} {'most MB':>8}"
    )
    for way in ways:
        mine = [q[way] for q in queries.values()]
        waits = [q[way].wait_ms or 0.0 for q in everybody]
        searches = [q[way].search_ms or 0.0 for q in everybody]
        best = sum(q[way].wait_ms == best_wait(q) for q in everybody)
        print(
            f"{way:10} {sum(t.finished for t in mine):9} {mean(waits):9.3f} {mean(searches):10.3f} "
            f"{sum(waits) / 1000:9.3f} {best:8} {max((t.search_mb for t in mine), default=0.0):8.1f}"
        )
        for reason in sorted({t.error for t in mine if t.error}):
            print(f"           {reason}")
    done = [q for q in queries.values() if any(t.finished for t in q.values())]
    if "auto" in ways:
        near = sum(q["auto"].finished and (q["auto"].wait_ms or 0) <= 1.2 * best_wait(q) for q in done)
        print(
            f"auto is within 1.2x of the best schedule on {near} of the {len(done)} queries that anyone finished"
        )
    print(
        f"of all {total} queries {len(done)} were finished by anyone, {len(queries) - len(done)} stopped in every "
        f"way, {total - len(queries)} left out",
        flush=True,
    )
    return wrong


def best_wait(ways: dict[str, Timing]) -> float:
    """Of the schedules by name, the quickest that finished."""
    return min(
        (t.wait_ms for t in ways.values() if t.finished and t.wait_ms and t.way != "auto"), default=math.inf
    )


def report_switches(timings: list[Timing], known: dict[str, int], title: str, total: int) -> int:
    """Prints a table of switches, of so many queries; how many have no agreement."""
    queries = by_query(timings)
    ways = list(dict.fromkeys(t.way for t in timings))
    wrong = disagreements(queries, known)
    everybody = [q for q in queries.values() if all(q[w].finished for w in ways)]
    print(
        f"\nlevels, {title}, every vertex matched: {len(everybody)} of {len(queries)} queries finished by all, "
        f"{total - len(queries)} left out"
    )
    print(
        f"{'switch':20} {'finished':>9} {'search ms':>10} {'ratio':>7} {'total s':>9} {'launches':>9} "
        f"{'MB moved':>9} {'MB there':>9}"
    )
    base = mean([q[ways[0]].search_ms or 0.0 for q in everybody]) if ways else math.nan
    for way in ways:
        times = [q[way].search_ms or 0.0 for q in everybody]
        done = sum(q[way].finished for q in queries.values())
        mine = [q[way] for q in everybody]
        print(
            f"{way:20} {done:9} {mean(times):10.3f} {mean(times) / base:7.2f} {sum(times) / 1000:9.3f} "
            f"{mean([t.launches for t in mine]):9.1f} {sum(t.uploaded_mb for t in mine):9.1f} "
            f"{max((t.resident_mb for t in mine), default=0.0):9.2f}",
            flush=True,
        )
    return wrong


def disagreements(queries: dict[str, dict[str, Timing]], known: dict[str, int] | None = None) -> int:
    wrong = 0
    for number, ways in queries.items():
        counts: dict[str, int | str | None] = {t.way: t.count for t in ways.values() if t.finished}
        counts |= {t.way: t.error for t in ways.values() if t.count is not None and t.error}
        if known and number in known:
            counts["known"] = known[number]
        if len(set(counts.values())) > 1:
            wrong += 1
            print(f"WRONG {number}: {counts}")
    return wrong


if __name__ == "__main__":
    run_script(main)
