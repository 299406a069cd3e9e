"""Cliques of 3 to 12 vertices, counted and listed: by orientation, with and without pruning and pivots.

    PYTHONPATH=src python bench/cliques.py --data ../shared/data --out DIR [--graphs wiki-Vote] [--device cuda]

Milliseconds, plan included, the best of some runs; a run over the limit is stopped, and that way is not tried on larger
cliques. What a way makes of the graph is made before and timed apart, and so are kernels compiled. Counts are compared
with the oracle, or between ways where it has none, and so are the numbers of rows; a wrong one makes the exit status 1.
Where the CPU has pivots, a device counts set by set.
"""

from __future__ import annotations

import argparse
import datetime
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.ablation.study import Study  # noqa: E402
from bench.checked import chosen_graphs, run_script, script_parser  # noqa: E402
from bench.techniques import counter  # noqa: E402
from subiso.bench.cold import forget_plans  # noqa: E402
from subiso.bench.data import DataFolder, load_graph  # noqa: E402
from subiso.bench.machine import describe  # noqa: E402
from subiso.engine import cpu  # noqa: E402
from subiso.engine.base import Outcome, Params, Switches  # noqa: E402
from subiso.engine.query import Query, make_query  # noqa: E402
from subiso.filter.clique_graph import with_clique_graph  # noqa: E402
from subiso.filter.resolve import resolve  # noqa: E402
from subiso.graph import Graph  # noqa: E402
from subiso.pattern import Pattern  # noqa: E402
from subiso.storage.statistics import statistics_of  # noqa: E402

LOOPS = {
    "degree": Switches(orientation="degree", prune="never", pivots=False, sums=False),
    "degree, sets": Switches(orientation="degree", prune="sets", pivots=False, sums=False),
    "degree, cores": Switches(orientation="degree", prune="cores", pivots=False, sums=False),
    "degeneracy, sets": Switches(orientation="degeneracy", prune="sets", pivots=False, sums=False),
    "degeneracy, cores": Switches(orientation="degeneracy", prune="cores", pivots=False, sums=False),
    "degeneracy, edges": Switches(orientation="degeneracy", prune="edges", pivots=False, sums=False),
    "auto": Switches(),
}
"""Ways to list. Counting takes the first two of them, and:"""
PIVOTS = {
    "pivots": Switches(orientation="degree", prune="sets", sums=False),
    "pivots, cores": Switches(orientation="degree", prune="cores", sums=False),
    "pivots, degeneracy": Switches(orientation="degeneracy", prune="sets", sums=False),
    "pivots, degeneracy, cores": Switches(orientation="degeneracy", prune="cores", sums=False),
    "pivots, degeneracy, edges": Switches(orientation="degeneracy", prune="edges", sums=False),
    "auto": Switches(),
}
"""Auto counts cliques of three and four vertices from sums."""
COUNTED = {"loops": LOOPS["degree"], "loops, sets": LOOPS["degree, sets"], **PIVOTS}
MADE = {
    "order": Switches(orientation="degeneracy", prune="sets"),
    "degree, cores": Switches(orientation="degree", prune="cores"),
    "degeneracy, cores": Switches(orientation="degeneracy", prune="cores"),
    "degeneracy, edges": Switches(orientation="degeneracy", prune="edges"),
}
"""What is made of the graph before the search."""
SIZES = tuple(range(3, 13))
GRAPHS = (
    "wiki-Vote",
    "email-Enron",
    "dblp-2010",
    "cnr-2000",
    "loc-Gowalla",
    "ego-Twitter",
    "soc-Slashdot0902",
    "BlogCatalog",
    "uk-2007-05-100k",
    "ogbl-ddi-train",
)
SLOW = 700.0
"""Milliseconds from which on one run is enough."""
Run = Callable[[Query, Params], Outcome]


def study(
    found: Study,
    name: str,
    graph: Graph,
    known: dict[int, int],
    run: Run,
    ways: dict[str, Switches],
    asked: argparse.Namespace,
) -> None:
    """Adds a row per size; a way that was stopped is not tried on larger cliques."""
    over: set[str] = set()
    for k in asked.sizes:
        query = make_query(graph, Pattern.clique(k))
        tried = {way: Timed(query, switches) for way, switches in ways.items() if way not in over}
        for _ in range(asked.repeat):  # in turns, so that what else the machine does hits all of them
            for each in tried.values():
                each.again(run, asked.limit)
        counts = {each.count for each in tried.values() if each.count is not None}
        row = {way: tried[way].told(known.get(k), counts) if way in tried else None for way in ways}
        over |= {way for way, each in tried.items() if each.count is None}
        found.rows.append({"graph": name, "k": k, "cliques": min(counts, default=None), **row})


class Timed:
    """One way to count or to list one query, and the best of its runs."""

    def __init__(self, query: Query, switches: Switches) -> None:
        self.query, self.switches = query, switches
        self.best = float("inf")
        self.count: int | None = None
        self.tries = 0
        with_clique_graph(resolve(query), statistics_of(query.graph), switches)  # which is kept

    def again(self, run: Run, limit: float) -> None:
        """Once more, unless it takes so long that another run would tell nothing new, or was stopped."""
        if self.tries and (self.count is None or self.best > SLOW):
            return
        self.tries += 1
        forget_plans()
        started = time.perf_counter()
        outcome = run(self.query, Params(timeout=limit, switches=self.switches))
        self.best = min(self.best, 1000 * (time.perf_counter() - started))
        self.count = outcome.count if outcome.complete else None

    def told(self, expected: int | None, counts: set[int]) -> float | str:
        """Milliseconds, or why there are none."""
        if self.count is None:
            return "over"
        if len(counts) > 1 or self.count != (expected or self.count):
            return f"WRONG: {self.count}, not {expected if expected is not None else min(counts)}"
        return self.best


def list_rows(query: Query, params: Params) -> Outcome:
    """All cliques as arrays of rows, batch by batch; nothing is kept of them."""
    stream = cpu.stream(query, params)
    count = sum(len(rows) for rows in stream)
    return Outcome(count, stream.stopped_by)


def making(found: Study, name: str, graph: Graph, sizes: Sequence[int], repeat: int) -> None:
    """Adds a row per size: milliseconds to make each graph, and the edges that are left, in percent."""
    for k in sizes:
        row: dict[str, Any] = {"graph": name, "k": k}
        for _ in range(repeat):
            fresh = pickle.loads(pickle.dumps(graph))  # without what is kept with it
            resolved, stats = resolve(make_query(fresh, Pattern.clique(k))), statistics_of(fresh)
            for way, switches in MADE.items():  # the first finds the core numbers, too
                started = time.perf_counter()
                made = with_clique_graph(resolved, stats, switches)
                ms = 1000 * (time.perf_counter() - started)
                row[f"{way} ms"] = min(ms, row.get(f"{way} ms", ms))
                if way != "order" and made.cliques is not None:
                    row[f"{way} %"] = round(100 * made.cliques.edges / max(made.cliques.of_edges, 1), 1)
        found.rows.append(row)


def known_counts(data: DataFolder, name: str) -> dict[int, int]:
    """By size, as far as the oracle has them."""
    answers = data.oracle().get(name, {})
    names = {3: "triangle", **{k: f"K{k}" for k in range(4, 13)}}
    return {k: answers[key]["subgraphs"] for k, key in names.items() if key in answers}


def main() -> int:
    parser = script_parser(__doc__)
    parser.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--tables", nargs="*", default=["counting", "listing", "making"])
    parser.add_argument("--device", default="cpu", help="for counting; the other tables are the CPU's")
    parser.add_argument("--limit", type=float, default=3.0, help="seconds of one run")
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    data = DataFolder(given.data)
    tables = {
        "counting": Study("counting", "Milliseconds of a count"),
        "listing": Study("listing", "Milliseconds until all rows are there"),
        "making": Study("making", "Milliseconds to make the graph that is searched, and its edges"),
    }
    for name in chosen_graphs(data, given.graphs, GRAPHS):
        graph, known = load_graph(data, name), known_counts(data, name)
        if "counting" in given.tables:
            queries = [make_query(graph, Pattern.clique(k)) for k in given.sizes]
            run = counter(given.device, [(q, Params(switches=s)) for q in queries for s in COUNTED.values()])
            study(tables["counting"], name, graph, known, run, COUNTED, given)
        if "listing" in given.tables:
            study(tables["listing"], name, graph, known, list_rows, LOOPS, given)
        if "making" in given.tables:
            making(tables["making"], name, graph, [k for k in given.sizes if k % 4 == 0], given.repeat)
    date = datetime.date.today().isoformat()
    about = {"date": date, "device": given.device, "limit_s": given.limit, **describe()}
    for found in (tables[name] for name in given.tables):
        print(found.text(), end="\n\n")
        found.write(given.out, about)
    return int(any(found.wrong for found in tables.values()))


if __name__ == "__main__":
    run_script(main)
