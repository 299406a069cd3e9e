"""The first matches of labelled queries on the CPU: by backtracking with failing sets, and by plans alone.

    PYTHONPATH=src python bench/first_rows.py --data ../shared/data --out DIR [--graphs email-Enron] [--rows 1 1000]

Queries are cut out of the graphs by seeded random walks, so every one has a match. Milliseconds until the first rows
are there, up to so many of them, filters and planning included; means, a query that is stopped at the limit with that.
A way that ends without a match fails the run.
"""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.ablation.study import Study, geometric_mean, mean  # noqa: E402
from bench.checked import chosen_graphs, run_script, script_parser  # noqa: E402
from subiso.bench.data import DataFolder, load_graph  # noqa: E402
from subiso.bench.machine import describe  # noqa: E402
from subiso.engine import cpu  # noqa: E402
from subiso.engine.base import Params, Switches  # noqa: E402
from subiso.engine.query import Query, make_query  # noqa: E402
from subiso.graph import Graph  # noqa: E402
from subiso.graph.generators import with_labels  # noqa: E402
from subiso.queries import random_queries  # noqa: E402

GRAPHS = ("wiki-Vote", "email-Enron", "dblp-2010", "loc-Gowalla")
SIZES = (4, 6, 8, 12, 16, 24, 32)
LABELS = 16
WAYS = {"plans": Switches(labelled="plan"), "auto": Switches()}


def first_rows(query: Query, switches: Switches, rows: int, limit: float) -> tuple[float, str]:
    """Milliseconds, and what is to be said of it: nothing, "stopped" or "no match"."""
    started = time.perf_counter()
    stream = cpu.stream(query, Params(timeout=limit, batch_rows=rows, enough=rows, switches=switches))
    found = next(stream, None)
    ms = 1000 * (time.perf_counter() - started)
    stopped = stream.stopped_by is not None
    stream.close()
    if found is not None:
        return ms, ""
    return (1000 * limit, "stopped") if stopped else (ms, "no match")


def row_of(graph: Graph, name: str, size: int, rows: int, queries: int, limit: float) -> dict[str, Any]:
    """One size of queries, by every way."""
    drawn = [make_query(graph, pattern) for pattern in random_queries(graph, queries, size, seed=1)]
    row: dict[str, Any] = {"graph": name, "vertices": size, "rows": rows}
    lost = 0
    for switches in WAYS.values():  # what is made of a graph once is there before anything is timed
        first_rows(drawn[0], switches, rows, limit)
    for way, switches in WAYS.items():
        tried = [first_rows(query, switches, rows, limit) for query in drawn]
        row[f"{way} ms"] = mean(ms for ms, _ in tried)
        row[f"{way} stopped"] = sum(said == "stopped" for _, said in tried)
        lost += sum(said == "no match" for _, said in tried)
    row["plans / auto"] = row["plans ms"] / row["auto ms"]
    return {**row, "state": f"WRONG: {lost} without a match" if lost else ""}


def study_of(graphs: dict[str, Graph], rows: Sequence[int], queries: int, limit: float) -> Study:
    """A row per graph, size of queries and number of rows."""
    found = Study("first-rows", f"Milliseconds until the first rows, a stopped query with its {limit:g} s")
    for name, graph in graphs.items():
        labelled = with_labels(graph, LABELS, seed=1)
        for size in SIZES:
            found.rows += [row_of(labelled, name, size, most, queries, limit) for most in rows]
    worth = geometric_mean(row["plans / auto"] for row in found.rows) or 0
    found.claim(f"plans alone take {worth:.2f} times as long in the geometric mean", worth > 1)
    return found


def main() -> int:
    parser = script_parser(__doc__)
    parser.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    parser.add_argument("--rows", nargs="*", type=int, default=[1, 1000])
    parser.add_argument("--queries", type=int, default=10, help="per size")
    parser.add_argument("--limit", type=float, default=3.0, help="seconds of one query")
    given = parser.parse_args()
    data = DataFolder(given.data)
    graphs = {name: load_graph(data, name) for name in chosen_graphs(data, given.graphs, GRAPHS)}
    found = study_of(graphs, given.rows, given.queries, given.limit)
    found.write(given.out, {"date": datetime.date.today().isoformat(), **describe()})
    print(found.text())
    return int(found.wrong > 0)


if __name__ == "__main__":
    run_script(main)
