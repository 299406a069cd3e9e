"""Filters and candidate graphs, on the host and on the device: the same candidates, and what each of them takes.

Run from the repository's root on a machine with a CUDA device, after the in-place build, with the graphs in a folder
(`pack.py` fills one):

    PYTHONPATH=src:. python3 bench/gpu/filters.py --data carry [--queries 12] [--scales 18 20] [--out OUT]

Per graph, means over its queries in milliseconds, each the best of some: `filter` from the query to candidates
(`unsigned`: on the device without signatures), `graph` from these to the candidate graph, `copy` of the host's
candidate graph to the device, where its own is already. The graph itself is there by then; `first` is what its copy
took, with the kernels' compilation. `kernels` is the device's own time of both steps, `rule` how often the rule of
engine/cuda/filter_tune.py takes the device, `loss` what its choices take beyond the better ones. Candidates or lists
that differ fail the run. OUT/filters.json has every query, to set the rule's constants by.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from bench.checked import check_folder, run_script
from bench.gpu.timed import TimedMachine
from bench.graphs import is_there

from subiso.bench.data import DataFolder, load_graph
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.filter_tables import Asked
from subiso.engine.cuda.filter_tune import FilterWishes, filter_work
from subiso.engine.cuda.filters import place_of
from subiso.engine.cuda.memory import DeviceGraph, GuestCache
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import Query, make_query
from subiso.filter.candidate_graph import with_candidate_graph
from subiso.filter.candidates import initial_parts
from subiso.filter.narrow import FILTERS, begin
from subiso.filter.relations import RelationTable
from subiso.filter.resolve import Resolved, resolve
from subiso.graph import Graph
from subiso.graph.generators import rmat, with_edge_labels, with_labels
from subiso.pattern import Pattern
from subiso.queries import random_queries
from subiso.storage.layout import layout_of
from subiso.storage.statistics import statistics_of

GRAPHS = ("hprd", "yeast", "email-Enron/labels16")
CHECKED = 3
"""Queries of a large graph whose lists are compared; of a small graph, all."""
LARGE = 1 << 16
Made = TypeVar("Made")


@dataclass
class Timing:
    """One query, milliseconds."""

    graph: str
    query: str
    vertices: int
    words: float
    elements: float
    sliced: float
    host_filter: float = 0.0
    host_graph: float = 0.0
    copy: float = 0.0
    device_filter: float = 0.0
    device_graph: float = 0.0
    unsigned: float = 0.0
    """The device's filters without signatures."""
    kernels: float = 0.0
    rule: bool = False
    members: int = 0
    pairs: int = 0
    used: str = ""

    @property
    def host(self) -> float:
        return self.host_filter + self.host_graph + self.copy

    @property
    def device(self) -> float:
        return self.device_filter + self.device_graph

    @property
    def loss(self) -> float:
        chosen = self.device if self.rule else self.host
        return chosen - min(self.host, self.device)


def main() -> None:
    options = parse()
    data = DataFolder(options.data)
    check_folder(data)
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "simt"))
    machine = TimedMachine()
    print(machine.description, flush=True)
    everything: list[Timing] = []
    for name, graph, queries in cases(data, options):
        everything += measure(machine, name, graph, queries, options.repeat)
    if options.out is not None:
        path = options.out / "filters.json"
        path.write_text(json.dumps([asdict(one) for one in everything], indent=1))


def cases(data: DataFolder, options: argparse.Namespace) -> Iterator[tuple[str, Graph, dict[str, Query]]]:
    """Graphs, each with its queries."""
    for name in (name for name in GRAPHS if is_there(data, name)):
        graph = load_graph(data, name)
        found = data.labelled_queries()[name]
        yield (
            name,
            graph,
            {
                q["name"]: make_query(graph, Pattern.from_edges(q["edges"], vertex_labels=q["labels"]))
                for q in found[:: max(1, len(found) // options.queries)]
            },
        )
    for scale in options.scales:
        for labels in (16, 128):
            graph = with_labels(rmat(scale, seed=1), labels, "uniform", seed=1)
            yield f"rmat{scale}/{labels}", graph, drawn(graph, options.queries)
    graph = with_labels(rmat(min(options.scales), seed=2, directed=True), 8, "zipf", seed=2)
    graph = with_edge_labels(graph, 8, "zipf", seed=2)
    yield f"rmat{min(options.scales)} directed, edge labels", graph, drawn(graph, options.queries)


def drawn(graph: Graph, count: int) -> dict[str, Query]:
    patterns = random_queries(graph, max(1, count // 3), [4, 8, 12], edges="visited", seed=3)
    return {f"{p.num_vertices}/{i}": make_query(graph, p) for i, p in enumerate(patterns)}


def measure(
    machine: TimedMachine, name: str, graph: Graph, queries: dict[str, Query], repeat: int
) -> list[Timing]:
    engine = CudaEngine(machine, Wishes(filters=FilterWishes(place="device")))
    stats = statistics_of(graph)
    began = time.perf_counter()
    warm = resolve(next(iter(queries.values())), narrower=engine.narrower)
    first = 1000 * (time.perf_counter() - began)
    print(f"\n{name}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges; first {first:.1f} ms")
    found = []
    for number, (key, query) in enumerate(queries.items()):
        if number < CHECKED or graph.num_vertices < LARGE:
            check(query, engine, f"{name} {key}")
        one = describe(engine, name, key, query)
        found.append(one)
        one.host_filter, here = best(repeat, lambda: resolve(query))  # noqa: B023 (called at once)
        one.used = ", ".join(here.narrowed.used)
        one.device_filter, there = best(repeat, lambda: resolve(query, narrower=engine.narrower))  # noqa: B023
        others = tuple(name for name in FILTERS if name != "signature")
        one.unsigned, _ = best(repeat, lambda: resolve(query, others, narrower=engine.narrower))  # noqa: B023
        if here.hopeless:
            continue
        one.host_graph, made = best(repeat, lambda: with_candidate_graph(here, stats, "always"))  # noqa: B023
        assert made.candidate_graph is not None
        one.members, one.pairs = made.candidate_graph.vertices, made.candidate_graph.pairs
        one.copy, _ = best(repeat, lambda: copied(machine, engine, made))  # noqa: B023

        def on_device(there: Resolved = there) -> Resolved:
            made = with_candidate_graph(there, stats, "always")
            machine.stream.synchronize()
            return made

        one.device_graph, _ = best(repeat, on_device)
        machine.milliseconds()
        with_candidate_graph(resolve(query, narrower=engine.narrower), stats, "always")
        one.kernels = machine.milliseconds()
    report(found)
    del warm
    return found


def describe(engine: CudaEngine, name: str, key: str, query: Query) -> Timing:
    """The query's work as the rule sees it, and what it decides where the graph is on the device."""
    layout, table = layout_of(query.graph), RelationTable(query)
    links = [table.link_of(e) for e in query.pattern.edges]
    csrs = [layout.relation(r) for r in table.relations]
    parts = initial_parts(query, layout, table)
    asked = Asked(query, links, csrs, parts, begin(query, links, csrs, parts, None))
    work = filter_work(links, csrs, parts, asked.begun, layout.num_vertices)
    rule = place_of(asked, engine.machine.description, FilterWishes(), lambda _: True, loaded=True)[
        0
    ].on_device
    return Timing(name, key, query.pattern.num_vertices, work.words, work.elements, work.sliced, rule=rule)


def check(query: Query, engine: CudaEngine, what: str) -> None:
    from filter_cases import assert_same  # type: ignore[import-not-found]

    assert_same(query, None, engine.narrower, what)


def copied(machine: TimedMachine, engine: CudaEngine, made: Resolved) -> None:
    """The host's candidate graph goes to the device, as a search would ask for it."""
    graph = DeviceGraph(GuestCache(engine.caches[0]), made.layout)
    kept = [graph.csr(csr, wide=False) for csr in made.csrs]
    graph.vertex_at()
    machine.stream.synchronize()
    del kept


def best(repeat: int, run: Callable[[], Made]) -> tuple[float, Made]:
    """The shortest of some runs in milliseconds, and the result of one."""
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        made = run()
        times.append(1000 * (time.perf_counter() - began))
    return min(times), made


def report(found: list[Timing]) -> None:
    columns = (
        "host_filter",
        "host_graph",
        "copy",
        "host",
        "device_filter",
        "device_graph",
        "device",
        "unsigned",
        "kernels",
    )
    means = {column: statistics.fmean(getattr(one, column) for one in found) for column in columns}
    print("  " + "  ".join(f"{column} {mean:.3f}" for column, mean in means.items()))
    faster = sum(one.device < one.host for one in found)
    elements = statistics.fmean(one.elements for one in found)
    loss = sum(one.loss for one in found) / max(sum(min(one.host, one.device) for one in found), 1e-9)
    print(
        f"  {len(found)} queries, {elements:.3g} list elements each: device faster on {faster}, "
        f"rule takes it on {sum(one.rule for one in found)}, loss {100 * loss:.1f}%",
        flush=True,
    )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--queries", type=int, default=12)
    parser.add_argument("--scales", type=int, nargs="+", default=[18, 20])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=Path, default=None)
    return parser.parse_args()


if __name__ == "__main__":
    run_script(main)
