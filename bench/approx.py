"""`python -m bench.approx`: how estimates fare on real graphs, coverage over many seeds and time against exact counts.

Prints a table; `--output FILE` writes it too. Graphs and exact counts come from the shared data folder.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent

if find_spec("subiso") is None:  # not installed: the sources beside us
    sys.path.insert(0, str(HERE.parent / "src"))

import subiso as si  # noqa: E402
from bench.checked import check_names, chosen_graphs, run_script  # noqa: E402
from subiso.bench.data import DataFolder  # noqa: E402
from subiso.bench.machine import describe  # noqa: E402

CASES = {
    "wiki-Vote": ["5cycle", "house", "prism", "K5"],
    "email-Enron": ["5cycle", "c5_0102031234", "c5_010203041234", "prism"],
    "loc-Gowalla": ["5cycle", "house", "W4"],
    "ego-Twitter": ["5cycle", "house", "K5", "K5_minus_edge"],
}
HEAD = (
    "graph", "pattern", "exact count", "exact s", "estimate s", "first s", "ratio", "walks", "error", "seeds",
    "covered", "z",
)  # fmt: skip
TEXT = """# Estimates on the CPU ({date})

`count(graph, pattern, approx={error}, seed=s)` for many seeds s. "exact s": one exact count by the same version (">":
stopped there); "estimate s": the median over the seeds; "first s": the first estimate of the pattern, which also
counts every edge's triangles where the pattern has some, kept with the graph from then on; "ratio": exact over
estimate; "walks" and "error": their means, the error being half the width of the 95% interval; "covered": how often
the interval held the exact count, and the standard error that a coverage of 95% would have; "z": the mean of the
estimates less the exact count, in standard errors. Exact counts are those of the oracle.

Machine: {machine}. {threads}.
"""


def exact_seconds(graph: si.Graph, pattern: si.Pattern, expected: int, timeout: float) -> tuple[float, bool]:
    """Seconds of an exact count, and whether it ended in time."""
    start = time.perf_counter()
    try:
        found = si.count(graph, pattern, timeout=timeout)
    except si.TimeoutReached:
        return time.perf_counter() - start, False
    assert found == expected, (found, expected)
    return time.perf_counter() - start, True


@dataclass(frozen=True)
class Case:
    """A pattern on a graph of a folder."""

    folder: Path
    graph: str
    name: str

    @property
    def row(self) -> dict[str, Any]:
        """What the oracle says."""
        found: dict[str, Any] = DataFolder(self.folder).oracle()[self.graph][self.name]
        return found

    @property
    def pattern(self) -> si.Pattern:
        return si.Pattern.from_edges([tuple(e) for e in self.row["edges"]])


@cache
def loaded(folder: Path, name: str) -> si.Graph:
    """A graph with its layout."""
    graph = DataFolder(folder).graph(name)
    si.count(graph, "(a)--(b)--(c)--(a)")
    return graph


def estimates_of(case: Case, error: float, seeds: range, threads: int, deadline: float) -> list[si.Estimate]:
    """One estimate per seed, until the time is over."""
    graph, pattern = loaded(case.folder, case.graph), case.pattern
    found: list[si.Estimate] = []
    for seed in seeds:
        if time.time() > deadline:
            break
        found.append(si.count(graph, pattern, approx=error, seed=seed, threads=threads))
    return found


def all_estimates(case: Case, options: argparse.Namespace) -> list[si.Estimate]:
    """Of all seeds; they do not depend on the number of threads, so that several processes can share them."""
    deadline = time.time() + options.budget
    if options.processes == 1:
        return estimates_of(case, options.error, range(options.seeds), 2, deadline)
    parts = [range(first, options.seeds, options.processes) for first in range(options.processes)]
    with ProcessPoolExecutor(options.processes) as pool:
        waiting = [pool.submit(estimates_of, case, options.error, part, 1, deadline) for part in parts]
        return [estimate for part in waiting for estimate in part.result()]


def measure(case: Case, options: argparse.Namespace) -> list[str]:
    """One row of the table, from the exact count's column on."""
    graph, pattern, expected = loaded(case.folder, case.graph), case.pattern, case.row["subgraphs"]
    estimates = all_estimates(case, options)
    exact, ended = exact_seconds(graph, pattern, expected, options.timeout)
    values = np.array([float(e.value) for e in estimates])
    spread = values.std(ddof=1) / np.sqrt(len(values))
    typical = float(np.median([e.seconds for e in estimates]))
    covered = float(np.mean([e.low <= expected <= e.high for e in estimates]))
    doubt = (0.95 * 0.05 / len(estimates)) ** 0.5
    return [
        f"{expected:,}",
        f"{'' if ended else '>'}{exact:.3g}",
        f"{typical:.3g}",
        f"{estimates[0].seconds:.3g}",
        f"{'' if ended else '>'}{exact / typical:.3g}",
        f"{np.mean([e.samples for e in estimates]):,.0f}",
        f"{100 * np.mean([e.error for e in estimates]):.2f}%",
        f"{len(estimates):,}",
        "exact" if all(e.exact for e in estimates) else f"{100 * covered:.1f} ± {100 * doubt:.1f}%",
        "" if spread == 0 else f"{(values.mean() - expected) / spread:+.2f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.approx", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds for a row's seeds")
    parser.add_argument("--processes", type=int, default=1, help="that share the seeds, one thread each")
    parser.add_argument("--error", type=float, default=0.01)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for an exact count")
    parser.add_argument("--graph", choices=list(CASES), action="append", help="only these")
    parser.add_argument("--pattern", action="append", help="only these")
    parser.add_argument("--data", type=Path, help="the shared data folder")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    folder = options.data or HERE.parent.parent / "shared" / "data"
    graphs = chosen_graphs(DataFolder(folder), options.graph, CASES)
    known = DataFolder(folder).oracle()
    check_names("pattern", options.pattern, set.intersection(*(set(known[name]) for name in graphs)))
    machine = ", ".join(f"{key}: {value}" for key, value in describe().items())
    date = datetime.now(UTC).date().isoformat()
    threads = "Threads: 2" if options.processes == 1 else f"Processes: {options.processes}, one thread each"
    text = TEXT.format(date=date, error=options.error, machine=machine, threads=threads)
    lines = [text, "| " + " | ".join(HEAD) + " |", "| --- | --- |" + " ---: |" * (len(HEAD) - 2)]
    print("\n".join(lines), flush=True)
    for name in graphs:
        for case in options.pattern or CASES[name]:
            row = measure(Case(folder, name, case), options)
            lines.append("| " + " | ".join([name, case, *row]) + " |")
            print(lines[-1], flush=True)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
