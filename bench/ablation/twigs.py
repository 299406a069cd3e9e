"""Schedule `pipeline` as its paper measured it (STwig join, section 5), in kind: where the time goes, graphs of other
sizes, labels and degrees, queries of other sizes and densities, and what each of its techniques is worth."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from bench.ablation.rehearse import TWIG_KERNELS
from bench.ablation.setting import ENUMERATE, Setting, Trial, Way, agreed, failure
from bench.ablation.stepwise import STEPS, Stepwise
from bench.ablation.study import Study, geometric_mean, mean
from bench.plot import bar_chart, line_chart
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.pipeline import PipelineReport
from subiso.engine.cuda.pipeline_tables import BUILD_ARGS
from subiso.engine.cuda.pipeline_tune import PipelineWishes
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.graph.generators import rmat, with_labels
from subiso.pattern import Pattern
from subiso.queries import Density, random_queries

SEED = 5
QUERIES = 5
"""Per point."""
SIZES = (5, 6, 7, 8, 9, 10)
MIDDLE = 7
WAYS = (Way("pipeline", "pipeline"), Way("fine", "fine"), Way("auto"))
SWITCHES = (
    Way("all", "pipeline"),
    Way("no leaf order", "pipeline", {"pipeline": PipelineWishes(leaf_order=False)}),
    Way("no pruning", "pipeline", {"pipeline": PipelineWishes(prune=False)}),
    Way("no weights", "pipeline", {"pipeline": PipelineWishes(weigh=False)}),
    Way("no overlap", "pipeline", {"pipeline": PipelineWishes(overlap=False)}),
    Way("links only", "pipeline", {"pipeline": PipelineWishes(twig_rows=0)}),
    Way("whole twigs", "pipeline", {"pipeline": PipelineWishes(twig_rows=float("inf"))}),
)
CHUNKS = tuple(1 << bits for bits in (12, 14, 16, 18, 20, 22))


@dataclass(frozen=True)
class Data:
    """A graph as the paper has them: R-MAT with a = 0.4, the other quadrants 0.2 each, uniform labels."""

    scale: int = 14
    degree: int = 32
    labels: int = 16

    @cache  # noqa: B019 (a few, for one process)
    def graph(self) -> Graph:
        plain = rmat(self.scale, self.degree // 2, a=0.4, b=0.2, c=0.2, seed=SEED)
        return with_labels(plain, self.labels, seed=SEED)

    def queries(self, size: int, density: Density = "any") -> list[Pattern]:
        """Cut out of the graph by random walks, so that they have a match."""
        return random_queries(self.graph(), QUERIES, size, density=density, seed=SEED)


BASE = Data()
CLOSE = Data(scale=10, degree=64)
"""A graph in which dense queries are found."""
SWEEPS: dict[str, tuple[Data, ...]] = {
    "vertices": tuple(Data(scale=scale) for scale in (14, 15, 16, 17)),
    "labels": tuple(Data(labels=labels) for labels in (8, 16, 32, 64)),
    "degree": tuple(Data(degree=degree) for degree in (8, 16, 32, 64)),
}


def study(setting: Setting) -> Study:
    """A row per query size: the steps of a run, and the time beside that of the CPU engine and of other schedules."""
    found = Study(
        "twigs", "Twigs and joins: milliseconds by step, and beside the CPU engine, by query size (means)"
    )
    note_kernels(setting)
    for size in SIZES:
        found.rows.append({"vertices": size, **compared(setting, BASE, BASE.queries(size))})
    found.plots["twigs-size"] = plot(found.rows, "vertices", "query vertices")
    ratios = [row["cpu / wait"] for row in found.rows]
    together = geometric_mean(r for r in ratios if isinstance(r, float))
    found.claim(f"pipeline beside the CPU engine: {together or 0:.2f}x in the geometric mean", bool(together))
    return found


def sweeps(setting: Setting) -> Study:
    """A row per graph: vertices, labels, degrees; and one per density of the query."""
    found = Study("twigs-sweeps", "Twigs and joins on graphs and queries of other kinds (means, ms)")
    note_kernels(setting)
    for what, graphs in SWEEPS.items():
        for data in graphs:
            value = {"vertices": 1 << data.scale, "labels": data.labels, "degree": data.degree}[what]
            row = compared(setting, data, data.queries(MIDDLE))
            found.rows.append({"varied": what, "value": str(value), **row})
        mine = [{**r, "value": int(r["value"])} for r in found.rows if r["varied"] == what]
        found.plots[f"twigs-{what}"] = plot(mine, "value", what, log_x=True)
    for density in ("sparse", "dense"):
        row = compared(setting, CLOSE, CLOSE.queries(MIDDLE, density))
        found.rows.append({"varied": "density", "value": density, **row})
    return found


def switches(setting: Setting) -> Study:
    """A row per query: its time with each technique switched off, then with chunks of other sizes."""
    found = Study("twigs-switches", "Twigs and joins: milliseconds with one technique switched off")
    note_kernels(setting)
    ways = [*SWITCHES, *(chunked(rows) for rows in CHUNKS)]
    for size in SIZES[1::2]:
        for number, pattern in enumerate(BASE.queries(size)):
            trials = {way.name: counted(setting, BASE.graph(), pattern, way) for way in ways}
            agreed(trials)
            row: dict[str, Any] = {"vertices": size, "query": number, "embeddings": count_of(trials.values())}
            found.rows.append({**row, **{name: trial.shown for name, trial in trials.items()}})
    for way in SWITCHES[1:]:
        worth = geometric_mean(ratio(row[way.name], row["all"]) for row in found.rows)
        found.claim(f"{way.name}: {worth or 0:.2f}x the time in the geometric mean", (worth or 0) >= 1)
    medians = [median(row[chunked(rows).name] for row in found.rows) for rows in CHUNKS]
    points = list(zip(CHUNKS, medians, strict=True))
    found.plots["twigs-chunks"] = line_chart(
        "Chunk of the probe", "rows", "ms (median)", {"pipeline": points}, log_x=True
    )
    names = [way.name for way in SWITCHES]
    found.plots["twigs-switches"] = bar_chart(
        "Techniques",
        "ms (median)",
        names,
        {"pipeline": [median(row[n] for row in found.rows) for n in names]},
    )
    return found


def chunked(rows: int) -> Way:
    """Small chunks show the overlap, large ones take memory."""
    return Way(f"chunk {rows}", "pipeline", {"pipeline": PipelineWishes(chunk_rows=rows, first_chunk=rows)})


def compared(setting: Setting, data: Data, patterns: Sequence[Pattern]) -> dict[str, Any]:
    """Means over queries that all ways finished; how many of them there were, and how many were stopped."""
    graph = data.graph()
    rows = []
    stopped = 0
    problems = ""
    for pattern in patterns:
        trials = {way.name: counted(setting, graph, pattern, way) for way in WAYS}
        trials["cpu"] = on_cpu(setting, graph, pattern)
        agreed(trials)
        bad = [t.state for t in trials.values() if t.state.startswith(("WRONG", "error"))]
        problems = problems or (bad[0] if bad else "")
        if all(trial.ms for trial in trials.values()):
            split, problem = parts(setting, graph, pattern, trials["cpu"].count)
            problems = problems or problem
            rows.append(
                {**steps(trials["pipeline"]), **split, **{name: trial.ms for name, trial in trials.items()}}
            )
            rows[-1]["pipeline wait"] = trials["pipeline"].wait_ms
            rows[-1]["cpu / wait"] = ratio(trials["cpu"].ms, trials["pipeline"].wait_ms)
        else:
            stopped += all(trial.state != "left out" for trial in trials.values())
    names = ["twigs", "probe rows", "table rows", "listing", "waiting", *STEPS, *(way.name for way in WAYS)]
    names += ["pipeline wait", "cpu"]
    found = {name: mean(row.get(name) for row in rows) for name in names}
    ratios = geometric_mean(row["cpu / wait"] for row in rows)
    return {"queries": len(rows), "stopped": stopped, **found, "cpu / wait": ratios, "state": problems}


def counted(setting: Setting, graph: Graph, pattern: Pattern, way: Way) -> Trial:
    """`auto` counts as users do, the others match by match."""
    switches = Switches() if way.schedule == "auto" else ENUMERATE
    return setting.try_out(graph, pattern, way, switches=switches, unique=False)


def on_cpu(setting: Setting, graph: Graph, pattern: Pattern) -> Trial:
    """The CPU engine, all cores."""
    if setting.rehearsal or setting.late:
        return Trial(state="left out")
    try:
        started = time.perf_counter()
        outcome = cpu.count(make_query(graph, pattern, unique=False), Params(timeout=setting.limit))
    except Exception as error:
        return Trial(state=failure(error))
    ms = 1000 * (time.perf_counter() - started)
    return Trial(outcome.count, ms) if outcome.complete else Trial(state=outcome.stopped_by or "")


def steps(trial: Trial) -> dict[str, Any]:
    """What a run of the schedule did."""
    report = trial.report
    assert isinstance(report, PipelineReport)
    return {
        "twigs": 1 + len(report.plan.joins),
        "probe rows": report.probe_rows,
        "table rows": sum(report.table_rows),
        "listing": 1000 * report.listing,
        "waiting": 1000 * report.waiting,
    }


def parts(
    setting: Setting, graph: Graph, pattern: Pattern, expected: int | None
) -> tuple[dict[str, float], str]:
    """One more run whose steps are waited for: the milliseconds of each (copies, hash tables, joins) where it came to
    its end, and what was wrong."""
    if setting.late:
        return {}, ""
    machine = Stepwise(setting.machine)
    engine = CudaEngine(machine, setting.wishes, schedule="pipeline")
    params = Params(timeout=setting.limit, switches=ENUMERATE)
    try:
        query = make_query(graph, pattern, unique=False)
        engine.count(query, params)  # brings what is kept of the graph
        before = dict(machine.seconds)
        outcome = engine.count(query, params)
    except Exception as error:  # as in Setting.try_out
        return {}, failure(error)
    if not outcome.complete:
        return {}, ""
    wrong = "" if outcome.count == expected else f"WRONG: {outcome.count} step by step"
    return {step: 1000 * (machine.seconds[step] - before[step]) for step in STEPS}, wrong


def note_kernels(setting: Setting) -> None:
    """In a rehearsal runs are stopped before they launch anything, so what they need is said here."""
    if setting.rehearsal:
        for kernel in TWIG_KERNELS:
            setting.machine.launch(kernel, 1, 0, np.zeros((), BUILD_ARGS))


def plot(rows: Sequence[dict[str, Any]], x: str, label: str, *, log_x: bool = False) -> str:
    series = {
        name: [(float(row[x]), row[name]) for row in rows] for name in ("pipeline", "fine", "auto", "cpu")
    }
    return line_chart("Twigs and joins", label, "ms", series, log_x=log_x, log_y=True)


def count_of(trials: Iterable[Trial]) -> int | None:
    return next((trial.count for trial in trials if trial.count is not None), None)


def ratio(slow: Any, fast: Any) -> float | None:
    return slow / fast if isinstance(slow, float) and isinstance(fast, float) else None


def median(values: Iterable[Any]) -> float | None:
    there = [v for v in values if isinstance(v, float)]
    return statistics.median(there) if there else None
