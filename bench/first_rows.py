"""The first matches of labelled queries on the CPU: by backtracking, with failing sets and without, and by plans alone.

    PYTHONPATH=src python bench/first_rows.py --data ../shared/data --out DIR [--graphs email-Enron] [--rows 1 1000]

Queries are cut out of the graphs by seeded random walks, so every one has a match. Milliseconds until the first rows
are there, filters and planning included, where so many are asked for (0: all, of which the first batch is waited for);
means, a query that is stopped at the limit with that. A way that ends without a match fails the run, and so does one
that gives more rows than were asked for, or rows that are no matches.
"""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import numpy as np  # noqa: E402

from bench.ablation.study import Study, geometric_mean, mean  # noqa: E402
from bench.checked import chosen_graphs, run_script, script_parser  # noqa: E402
from bench.sweeps import GRAPHS, LABELS  # noqa: E402
from subiso.bench.data import DataFolder, load_graph  # noqa: E402
from subiso.bench.machine import describe  # noqa: E402
from subiso.engine import cpu  # noqa: E402
from subiso.engine.base import Params, Rows, Switches  # noqa: E402
from subiso.engine.query import Query, make_query  # noqa: E402
from subiso.graph import Graph  # noqa: E402
from subiso.graph.generators import with_labels  # noqa: E402
from subiso.queries import random_queries  # noqa: E402
from subiso.result.edges import EdgeFinder  # noqa: E402

SIZES = (4, 6, 8, 12, 16, 24, 32)
WAYS = {
    "plans": Switches(labelled="plan"),
    "unreasoned": Switches(failing_sets=False),
    "auto": Switches(),
}
"""`unreasoned`: as `auto`, but without failing sets."""


def first_rows(query: Query, switches: Switches, rows: int, limit: float) -> tuple[float, str]:
    """Milliseconds, and what is to be said of it: nothing, "stopped" or "wrong"."""
    params = Params(timeout=limit, switches=switches)
    if rows:
        params = replace(params, batch_rows=rows, enough=rows)
    started = time.perf_counter()
    stream = cpu.stream(query, params)
    found = next(stream, None)
    ms = 1000 * (time.perf_counter() - started)
    stopped = stream.stopped_by is not None
    stream.close()
    if found is not None:
        return ms, "" if len(found) <= params.batch_rows and are_matches(query, found) else "wrong"
    return (1000 * limit, "stopped") if stopped else (ms, "wrong")


def are_matches(query: Query, rows: Rows) -> bool:
    """Different rows of different vertices with the pattern's labels, and an edge for each of its edges."""
    labels, ordered = query.graph.vertex_labels, np.sort(rows, axis=1)
    assert labels is not None and len(labels.codes) == query.graph.num_vertices, "one label each"
    wanted = [labels.code_of(name) for ((name,),) in query.pattern.vertex_labels]
    EdgeFinder(query)(rows)  # refuses rows that lack one
    apart = (ordered[:, 1:] != ordered[:, :-1]).all() and len(np.unique(rows, axis=0)) == len(rows)
    return bool(apart and (labels.codes[rows] == wanted).all())


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
        lost += sum(said == "wrong" for _, said in tried)
    for way in ("plans", "unreasoned"):
        row[f"{way} / auto"] = row[f"{way} ms"] / row["auto ms"]
    return {**row, "state": f"WRONG: {lost} without matches" if lost else ""}


def study_of(graphs: dict[str, Graph], rows: Sequence[int], queries: int, limit: float) -> Study:
    """A row per graph, size of queries and number of rows."""
    found = Study("first-rows", f"Milliseconds until the first rows, a stopped query with its {limit:g} s")
    for name, graph in graphs.items():
        labelled = with_labels(graph, LABELS, seed=1)
        for size in SIZES:
            found.rows += [row_of(labelled, name, size, most, queries, limit) for most in rows]
    for most in rows:
        for way, said in (("plans", "plans take"), ("unreasoned", "without failing sets it takes")):
            worth = geometric_mean(row[f"{way} / auto"] for row in found.rows if row["rows"] == most) or 0
            found.claim(
                f"{said} {worth:.2f} times as long in the geometric mean ({most or 'all'} rows)", worth >= 1
            )
    return found


def main() -> int:
    parser = script_parser(__doc__)
    parser.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    parser.add_argument("--rows", nargs="*", type=int, default=[1, 1000, 0])
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
