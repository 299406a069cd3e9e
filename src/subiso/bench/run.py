"""Runs a suite: every case timed, checked and weighed. Gets a Suite, gives a Report; prints nothing."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Protocol

from subiso.bench import memory
from subiso.bench.cold import forget_plans
from subiso.bench.data import load_graph as load_shared
from subiso.bench.listing import listing_memory
from subiso.bench.machine import describe
from subiso.bench.probe import import_seconds, probe_scaling
from subiso.bench.report import Report, Row
from subiso.bench.suite import Case, Query, Seconds, Suite
from subiso.errors import SubisoError
from subiso.graph.graph import Graph

PeerResults = Mapping[str, Mapping[str, Mapping[str, Seconds]]]  # graph -> case -> peer -> seconds


class Face(Protocol):
    """What a benchmark needs of a matcher; tests put others in the place of ours."""

    def pattern(self, query: Query) -> Any: ...
    def count(
        self, graph: Graph, pattern: Any, *, threads: int | None, unique: bool, timeout: float | None
    ) -> int: ...
    def motifs(
        self, graph: Graph, k: int, *, threads: int | None, timeout: float | None
    ) -> Mapping[Any, int]: ...


class Subiso:
    """subiso's public functions, on the CPU."""

    def pattern(self, query: Query) -> Any:
        from subiso.pattern import Pattern

        return Pattern.from_edges(query.edges, vertex_labels=query.labels, directed=query.directed)

    def count(self, graph: Graph, pattern: Any, **options: Any) -> int:
        from subiso.api import count

        found: int = count(graph, pattern, device="cpu", **options)
        return found

    def motifs(self, graph: Graph, k: int, **options: Any) -> Mapping[Any, int]:
        from subiso.census import motifs

        found: Mapping[Any, int] = motifs(graph, k, device="cpu", **options)
        return found


@dataclass(frozen=True)
class Options:
    """How to run a suite; every field has a default."""

    threads: int | None = None
    """None: as the suite says, else all cores."""
    repeat: int = 3
    """Runs per case; the best counts."""
    timeout: float | None = 300.0
    """Seconds for one count."""
    scaling: bool = True
    """Also run with one thread, beside the memory-bound probe."""
    startup: bool = True
    """Also measure the import."""
    peers: PeerResults = field(default_factory=dict)
    """Peers' seconds measured in the same session; they take the place of the recorded ones."""


def run_suite(
    suite: Suite,
    options: Options | None = None,
    face: Face | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Report:
    """Runs all cases of a suite. `tell` is given a line now and then, for the impatient."""
    options, face = options or Options(), face or Subiso()
    threads = options.threads or suite.threads
    bare = memory.bare_interpreter()
    processes = threads or 2
    probes = (
        [probe_scaling(processes)] if options.scaling and processes > 1 else []
    )  # before, and again after
    rows: list[Row] = []
    for name, cases in groupby(sorted(suite.cases, key=_graph_order(suite)), key=lambda case: case.graph):
        tell(f"loading {name}")
        try:
            graph = load_graph(suite, name)
        except SubisoError as error:
            rows += [Row(case, status="error", message=error.message) for case in cases]
            continue
        for case in cases:
            row = run_case(case, graph, face, options, threads)
            row.weigh(bare, _megabytes(graph))
            row.peers, row.paired = _peers(case, options.peers)
            rows.append(row)
            tell(row.line())
        del graph
    if probes:
        probes.append(probe_scaling(processes))
    return Report(
        suite=suite,
        rows=rows,
        threads=threads,
        repeat=options.repeat,
        machine=describe(),
        probe=sum(probes) / len(probes) if probes else None,
        startup=import_seconds() if options.startup else {},
        listing=listing_memory() if options.startup else "",
        bare=bare,
    )


def load_graph(suite: Suite, name: str) -> Graph:
    """A graph of the suite, generated or read."""
    from subiso.graph.generators import generate

    source = dict(suite.graphs[name])
    if "shared" in source:
        return load_shared(suite.data, source["shared"])
    return generate(source.pop("generator"), source)


def run_case(case: Case, graph: Graph, face: Face, options: Options, threads: int | None) -> Row:
    """Times and checks one case; what goes wrong is written into the row."""
    row = Row(case)
    memory.reset_peak()
    try:
        ask = (
            _motif_asker(case, graph, face, options)
            if case.motif_sizes
            else _asker(case, graph, face, options)
        )
        times = [_answer(row, ask, threads) for _ in range(max(options.repeat, 1)) if row.status == "ok"]
        row.peak = memory.peak()
        if row.status != "ok":
            return row
        row.first, row.ours = sum(times[0]), min(map(sum, times))
        row.median = statistics.median(min(runs) for runs in zip(*times, strict=True))
        if options.scaling and (threads or 2) > 1 and row.ours >= LEAST_SCALED:
            alone = [_answer(row, ask, 1) for _ in range(max(options.repeat, 1))]
            row.alone = min(map(sum, alone))
    except TimeoutError:
        row.status, row.message = "timeout", f"did not finish within {options.timeout:g} s"
    except Exception as error:  # a crashing engine fails its case, not the other cases
        row.status, row.message = "error", f"{type(error).__name__}: {error}"
    return row


LEAST_SCALED = 0.05  # seconds: shorter runs say nothing about threads

Ask = Callable[[int | None], list[tuple[str, int, int, float]]]  # threads -> name, got, expected, seconds


def _asker(case: Case, graph: Graph, face: Face, options: Options) -> Ask:
    prepared = [(query, face.pattern(query)) for query in case.queries]

    def ask(threads: int | None) -> list[tuple[str, int, int, float]]:
        answers = []
        for query, pattern in prepared:
            forget_plans()
            start = time.perf_counter()
            got = face.count(graph, pattern, threads=threads, unique=case.unique, timeout=options.timeout)
            answers.append((query.name, got, query.count, time.perf_counter() - start))
        return answers

    return ask


def _motif_asker(case: Case, graph: Graph, face: Face, options: Options) -> Ask:
    prepared = [(query, face.pattern(query)) for query in case.queries]

    def ask(threads: int | None) -> list[tuple[str, int, int, float]]:
        start = time.perf_counter()
        found = {k: face.motifs(graph, k, threads=threads, timeout=options.timeout) for k in case.motif_sizes}
        seconds = time.perf_counter() - start
        answers = []
        for query, pattern in prepared:
            k = 1 + max(map(max, query.edges))
            answers.append((query.name, found[k][pattern], query.count, seconds / len(prepared)))
        return answers

    return ask


def _answer(row: Row, ask: Ask, threads: int | None) -> list[float]:
    """Seconds per query; a wrong answer is noted and ends the case."""
    answers = ask(threads)
    row.count = sum(got for _, got, _, _ in answers)
    wrong = [
        f"{name} is {want:,} but was counted as {got:,}" for name, got, want, _ in answers if got != want
    ]
    if wrong:
        row.status, row.message = "wrong", "; ".join(wrong[:3]) + (" ..." if len(wrong) > 3 else "")
    return [seconds for _, _, _, seconds in answers]


def _peers(case: Case, measured: PeerResults) -> tuple[dict[str, Seconds], bool]:
    """The peers' seconds of a case, and whether they were measured in this session."""
    paired = measured.get(case.graph, {}).get(case.name)
    return (dict(case.peers), False) if paired is None else (dict(paired), True)


def _graph_order(suite: Suite) -> Callable[[Case], int]:
    order = {name: place for place, name in enumerate(suite.graphs)}
    return lambda case: order[case.graph]


def _megabytes(graph: Graph) -> float:
    sides = [graph.out, graph.in_] if graph.directed else [graph.out]
    arrays = [array for side in sides for array in (side.offsets, side.neighbors)]
    arrays += [labels.codes for labels in (graph.vertex_labels, graph.edge_labels) if labels is not None]
    return math.fsum(array.nbytes for array in arrays) / memory.MEGABYTE
