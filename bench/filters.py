"""What each filter leaves of the candidates, what it takes, and what counts make of it, on the CPU.

    PYTHONPATH=src python bench/filters.py --data ../shared/data --out DIR [--graphs hprd FB13] [--limit 2]

Labelled queries of labelled.json, and seeded random-walk queries with all their edges on edge-labelled graphs. A row
is a graph and a choice of filters: the share of the candidates by labels alone that they leave, milliseconds of the
filters, and of the whole count (one thread, filters, planning and search; a query that is stopped at the limit with
that), means over the queries. `auto` is what queries get. Then GSI's signatures by themselves, by their N and K.
Counts that differ fail the run.
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

from bench.ablation.study import Study, mean  # noqa: E402
from bench.checked import chosen_graphs, run_script, script_parser  # noqa: E402
from subiso.bench.data import DataFolder, load_graph  # noqa: E402
from subiso.bench.machine import describe  # noqa: E402
from subiso.engine import cpu  # noqa: E402
from subiso.engine.base import Params, Switches  # noqa: E402
from subiso.engine.query import Query, make_query  # noqa: E402
from subiso.filter.resolve import resolve_for  # noqa: E402
from subiso.pattern import Pattern  # noqa: E402
from subiso.queries import random_queries  # noqa: E402

LABELLED = ("hprd", "yeast", "email-Enron/labels16")
EDGE_LABELLED = ("FB13", "WN18RR", "NELL-995", "codex-m", "ICEWS14")
SIZES = (4, 8, 12)
WAYS = {
    "none": Switches(filters=()),
    "degree": Switches(filters=("degree",)),
    "frequency": Switches(filters=("degree", "frequency")),
    "signature": Switches(filters=("signature",)),
    "refine": Switches(filters=("refine",)),
    "no signature": Switches(filters=("degree", "frequency", "refine")),
    "all": Switches(filters=("degree", "frequency", "signature", "refine")),
    "auto": Switches(),
}
SHAPES = ((64, 16), (128, 16), (128, 32), (256, 32), (512, 32), (512, 128), (1024, 32))


def queries_of(data: DataFolder, name: str, queries: int) -> list[Query]:
    """So many queries of the file, spread over it; or per size, drawn."""
    graph = load_graph(data, name)
    if name in EDGE_LABELLED:
        return [make_query(graph, p) for p in random_queries(graph, queries, SIZES, seed=1)]
    known = data.labelled_queries()[name]
    every = known[:: max(1, len(known) // (len(SIZES) * queries))]
    return [make_query(graph, Pattern.from_edges(q["edges"], vertex_labels=q["labels"])) for q in every]


def filtered(query: Query, switches: Switches) -> tuple[float, float]:
    """The number of candidates that are left, and milliseconds."""
    params = Params(threads=1, switches=switches)
    took = []
    for _ in range(3):
        started = time.perf_counter()
        resolved = resolve_for(query, params)
        took.append(1000 * (time.perf_counter() - started))
    return sum(resolved.narrowed.sizes), min(took)


def counted(query: Query, switches: Switches, limit: float) -> tuple[int | None, float]:
    """The count, unless it was stopped, and milliseconds."""
    started = time.perf_counter()
    outcome = cpu.count(query, Params(threads=1, timeout=limit, switches=switches))
    ms = 1000 * (time.perf_counter() - started)
    return (outcome.count, ms) if outcome.complete else (None, 1000 * limit)


def filters_of(graphs: dict[str, list[Query]], limit: float) -> Study:
    """A row per graph and choice of filters."""
    found = Study("filters", f"Candidates left, filters and counts; a stopped query with its {limit:g} s")
    for name, queries in graphs.items():
        alone = [filtered(query, WAYS["none"])[0] for query in queries]
        counts: list[int | None] = [None] * len(queries)
        for way, switches in WAYS.items():
            left = [filtered(query, switches) for query in queries]
            tried = [counted(query, switches, limit) for query in queries]
            off = sum(None not in (n, m) and n != m for n, (m, _) in zip(counts, tried, strict=True))
            counts = [m if n is None else n for n, (m, _) in zip(counts, tried, strict=True)]
            found.rows.append(
                {
                    "graph": name,
                    "filters": way,
                    "queries": len(queries),
                    "left": mean(n / max(m, 1.0) for (n, _), m in zip(left, alone, strict=True)),
                    "filter ms": mean(ms for _, ms in left),
                    "count ms": mean(ms for _, ms in tried),
                    "stopped": sum(n is None for n, _ in tried),
                    "state": f"WRONG: {off} counts" if off else "",
                }
            )
    return found


def signatures_of(graphs: dict[str, list[Query]], shapes: Sequence[tuple[int, int]] = SHAPES) -> Study:
    """A row per graph, a column per shape: the share of candidates that signatures leave."""
    found = Study(
        "signatures", "Share of the candidates by labels that signatures of N bits, K for labels, leave"
    )
    for name, queries in graphs.items():
        row: dict[str, Any] = {"graph": name}
        alone = [filtered(query, WAYS["none"])[0] for query in queries]
        for shape in shapes:
            switches = Switches(filters=("signature",), signature=shape)
            left = [filtered(query, switches)[0] for query in queries]
            row["{}, {}".format(*shape)] = mean(n / max(m, 1.0) for n, m in zip(left, alone, strict=True))
        found.rows.append(row)
    return found


def main() -> int:
    parser = script_parser(__doc__)
    parser.add_argument("--graphs", nargs="*", default=[*LABELLED, *EDGE_LABELLED])
    parser.add_argument("--queries", type=int, default=10, help="per size")
    parser.add_argument("--limit", type=float, default=2.0, help="seconds of one count")
    given = parser.parse_args()
    data = DataFolder(given.data)
    names = chosen_graphs(data, given.graphs, (*LABELLED, *EDGE_LABELLED))
    graphs = {name: queries_of(data, name, given.queries) for name in names}
    studies = filters_of(graphs, given.limit), signatures_of(graphs)
    for study in studies:
        study.write(given.out, {"date": datetime.date.today().isoformat(), **describe()})
        print(study.text(), flush=True)
    return int(any(study.wrong for study in studies))


if __name__ == "__main__":
    run_script(main)
