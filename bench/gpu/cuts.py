"""Patterns with a cut on a GPU: counted by their parts, and without cuts; the CPU beside them.

    PYTHONPATH=src:. python3 bench/gpu/cuts.py --data carry [--graphs rmat16 loc-Gowalla] [--limit 5] [--repeat 2]

From the repository's root, after the in-place build. Milliseconds that the caller waits, plan included, the best of
some runs; over the limit a run is stopped. Kernels are compiled before. `way` is what `cuts` does: parts that are
counted at every vertex or edge of the cut and multiplied, loops, or the host's cuts. The exit status is 1 where counts
differ: from the CPU's, or between ways where it was stopped.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.checked import chosen_graphs, run_script
from bench.techniques import Case, Count, counter, timed

from subiso.bench.data import DataFolder, load_graph
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import engine_on
from subiso.engine.query import Query, make_query
from subiso.filter.resolve import resolve
from subiso.pattern import Pattern

GRAPHS = ["wiki-Vote", "email-Enron", "loc-Gowalla", "rmat16"]
PATTERNS = {
    "bowtie": [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)],
    "path6": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    "triangle, path": [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5)],
    "barbell": [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)],
    "two squares": [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (4, 5), (5, 6), (3, 6)],
    "theta": [(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (0, 5), (5, 3)],
    "6cycle": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)],
}
WAYS = {"cuts": Switches(), "no cuts": Switches(decompose="never", sums=False)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("carry"))
    parser.add_argument("--graphs", nargs="*", default=GRAPHS)
    parser.add_argument("--patterns", nargs="*", default=list(PATTERNS), choices=list(PATTERNS))
    parser.add_argument("--limit", type=float, default=5.0, help="seconds of one run")
    parser.add_argument("--repeat", type=int, default=2)
    given = parser.parse_args()
    data = DataFolder(given.data)
    wrong = False
    print(f"{'graph':12} {'pattern':15} {'count':>26} {'cuts':>9} {'no cuts':>9} {'CPU':>9}  way", flush=True)
    for name in chosen_graphs(data, given.graphs, GRAPHS):
        graph = load_graph(data, name)
        queries = {each: make_query(graph, Pattern.from_edges(PATTERNS[each])) for each in given.patterns}
        cases = [(query, Params(switches=s)) for query in queries.values() for s in WAYS.values()]
        count = counter("cuda", cases, host=True)
        for pattern, query in queries.items():
            case = Case(pattern, query, known_count(query, count, given.limit))
            row = [timed(count, case, switches, given.limit, given.repeat) for switches in WAYS.values()]
            row.append(timed(cpu.count, case, Switches(), given.limit, 1))
            wrong |= any(str(cell).startswith("WRONG") for cell in row)
            cells = " ".join(f"{cell if isinstance(cell, str) else f'{cell:.2f}':>9}" for cell in row)
            told = "-" if case.expected is None else f"{case.expected:,}"
            print(f"{name:12} {pattern:15} {told:>26} {cells}  {way_of(query)}", flush=True)
    return int(wrong)


def known_count(query: Query, count: Count, limit: float) -> int | None:
    """The host's, where it has it in time; then ways on the device are compared with it, otherwise with each other."""
    for way in (cpu.count, count):
        outcome = way(query, Params(timeout=limit))
        if outcome.complete:
            return outcome.count
    return None


def way_of(query: Query) -> str:
    """What the device does by default."""
    engine, resolved = engine_on("cuda"), resolve(query)
    formula = engine.formula(resolved)
    parted = engine.parted(resolved, formula)
    on_host = engine.on_host(resolved, parted or formula)
    if on_host is not None:
        return f"the host, {on_host.technique}"
    return f"loops, {formula.technique}" if parted is None else f"parts, {parted.technique}"


if __name__ == "__main__":
    run_script(main)
