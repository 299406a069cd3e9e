"""Global memory that the joins of schedule `levels` read, by the hardware's counters: GSI's table 4 in kind.

Run from the repository's root on a machine with a CUDA device and Nsight Compute (`ncu`), after the in-place build:

    PYTHONPATH=src:. python3 bench/gpu/transactions.py --data carry [--graphs NELL-995 WN18RR] [--queries 3]
    ... --edges all [--density dense]                              # queries with cycles

Every query is matched to its last vertex with each switch in turn, and with each storage layout. `requests`: loads of a
warp from global memory; `sectors`: pieces of 32 bytes that these take; `ratio`: sectors to those of what it is by
default; `host MB` and `device MB`: the most that relations take in either memory, the host's with what is made of them
for the device; `tables MB`: what a search takes there beside them. Counts must agree.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bench.ablation.rehearse import compile_counts
from bench.checked import chosen_graphs, run_script
from bench.gpu.joins import GRAPHS, MATCHING, STORES, drawing_parser, drawn, engines_by_switch
from numpy.typing import NDArray

from subiso.bench.data import DataFolder, load_graph
from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.cuda.device import CudaMachine, open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.levels import LevelsReport
from subiso.engine.cuda.levels_kernel import LevelsKernel
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.storage import store_bytes
from subiso.engine.query import Query
from subiso.errors import SubisoError
from subiso.filter.resolve import resolve
from subiso.graph import Graph

WAYS = [
    "as it is",
    "output=prealloc",
    "output=twice",
    "operands=copied",
    "operands=reused",
    "operands=shared",
    "cache off",
    "balance off",
    "eliminate",
    "parallel",
    "partition",
    *STORES,
]
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
_DRAWN = 30
"""Queries per size to choose from."""
_NCU = ["ncu", "--csv", "--profile-from-start", "off", "--kernel-name", "regex:subiso_levels"]
# What is counted does not depend on these, and a launch is profiled several times as fast without them.
_NCU += ["--cache-control", "none", "--clock-control", "none"]


class CountingMachine(CudaMachine):
    """Counts the launches of `levels`."""

    launches = 0

    def launch(self, kernel: Kernel, blocks: int, shared: int, args: NDArray[Any]) -> None:
        self.launches += isinstance(kernel, LevelsKernel)
        super().launch(kernel, blocks, shared, args)


@dataclass
class Read:
    """What one way read, over all queries of a graph."""

    launches: int = 0
    requests: float = 0.0
    sectors: float = 0.0
    mb: tuple[float, ...] = (0.0, 0.0, 0.0)
    """The most of any query: the host's relations, the device's, and its tables."""
    counts: list[int] = field(default_factory=list)


def main() -> None:
    options = parse()
    if options.child:
        run_queries(options)
        return
    data = DataFolder(options.data)
    graphs, machine = chosen_graphs(data, options.graphs, GRAPHS), open_device()
    engines = [
        CudaEngine(machine, wishes, schedule=schedule)
        for schedule, wishes in engines_by_switch(WAYS).values()
    ]
    wrong = 0
    for name in graphs:
        queries = suitable(load_graph(data, name), options)
        compile_counts(engines, ((query, MATCHING) for query in queries))
        wrong += report(name, parse_output(watched(name)))
    sys.exit(wrong)


def watched(name: str) -> str:
    """What a child says of one graph's queries, and the profiler of their launches."""
    command = [*_NCU, "--metrics", f"{REQUESTS},{SECTORS}", sys.executable, *sys.argv, "--child", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit("ncu (Nsight Compute) is not on the path: it comes with the CUDA toolkit")
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
    return done.stdout


def parse() -> argparse.Namespace:
    parser = drawing_parser(__doc__, sizes=[4, 6], queries=3, seed=1, most=10**7)
    parser.add_argument("--child", metavar="GRAPH", help=argparse.SUPPRESS)
    return parser.parse_args()


def run_queries(options: argparse.Namespace) -> None:
    """What ncu watches: every way once unseen, so that graph and kernels are there, then once seen."""
    machine = CountingMachine(0)
    profiler = machine.cupy.cuda.profiler
    queries = suitable(load_graph(DataFolder(options.data), options.child), options)
    for way, (schedule, wishes) in engines_by_switch(WAYS).items():
        engine = CudaEngine(machine, wishes, schedule=schedule)
        for query in queries:
            try:
                count = engine.count(query, MATCHING).count
            except SubisoError:
                continue
            report = engine.last
            if not isinstance(report, LevelsReport):
                continue
            machine.launches = 0
            profiler.start()
            engine.count(query, MATCHING)
            machine.stream.synchronize()
            profiler.stop()
            sizes = host_bytes(query, wishes.storage), report.resident, report.search_bytes
            print(told(way, machine.launches, count, [size / 1e6 for size in sizes]), flush=True)


def told(way: str, launches: int, count: int, mb: Sequence[float]) -> str:
    """A line of the child's, for parse_output."""
    return "\t".join(map(str, ("READ", way, launches, count, *mb)))


def suitable(graph: Graph, options: argparse.Namespace) -> list[Query]:
    """Of every size the first few queries that have some matches, but not too many."""
    found: list[Query] = []
    for size in options.sizes:
        fit = (query for query in drawn(graph, size, _DRAWN, options) if fits(query, options))
        found += itertools.islice(fit, options.queries)
    return found


def fits(query: Query, options: argparse.Namespace) -> bool:
    outcome = cpu.count(query, Params(timeout=1.0))
    return outcome.complete and options.least <= outcome.count <= options.most


def host_bytes(query: Query, storage: str) -> int:
    """The query's relations, and what finds their lists where another storage than offsets is named."""
    resolved = resolve(query)
    plain = sum(csr.nbytes for csr in set(resolved.csrs))
    if storage in ("auto", "csr"):
        return plain
    return plain + store_bytes(resolved, storage, range(len(resolved.csrs)))


def parse_output(text: str) -> dict[str, Read]:
    """Per way what was told of its queries, with what the profiler says of their launches."""
    found: dict[str, Read] = defaultdict(Read)
    owners: list[str] = []
    rows: list[str] = []
    for line in text.splitlines():
        if line.startswith("READ\t"):
            way, launches, count, *sizes = line.split("\t")[1:]
            read = found[way]
            read.launches += int(launches)
            read.counts.append(int(count))
            read.mb = tuple(map(max, read.mb, map(float, sizes)))
            owners += [way] * int(launches)
        elif line.startswith('"'):
            rows.append(line)
    for row in csv.DictReader(io.StringIO("\n".join(rows))):
        read = found[owners[int(row["ID"])]]
        value = float(row["Metric Value"].replace(",", ""))
        if row["Metric Name"] == REQUESTS:
            read.requests += value
        else:
            read.sectors += value
    return dict(found)


def report(graph: str, ways: dict[str, Read]) -> int:
    """Prints a graph's table; how many ways have other counts than the first, or none."""
    first = ways.get(WAYS[0], Read())
    print(f"\n{graph}: {len(first.counts)} queries, {sum(first.counts):,} matches")
    head = ("launches", "requests", "sectors", "ratio", "host MB", "device MB", "tables MB")
    widths = (9, 12, 12, 6, 8, 9, 9)
    print(f"{'switch':22} " + " ".join(f"{h:>{w}}" for h, w in zip(head, widths, strict=True)))
    wrong = 0
    for way in WAYS:
        read = ways.get(way, Read())
        ratio = read.sectors / first.sectors if first.sectors else np.nan
        host, device, tables = read.mb
        print(
            f"{way:22} {read.launches:9} {read.requests:12,.0f} {read.sectors:12,.0f} {ratio:6.2f} "
            f"{host:8.2f} {device:9.2f} {tables:9.2f}",
            flush=True,
        )
        if not read.counts or read.counts != first.counts:
            wrong += 1
            print(f"WRONG {way}: {read.counts} instead of {first.counts}")
    return wrong


if __name__ == "__main__":
    run_script(main)
