"""Sweeps over labelled queries (gMatch's figure 14): query size, density, number of labels, skew of the labels.

    PYTHONPATH=src python bench/sweeps.py --data ../shared/data --out DIR [--only size labels] [--graphs wiki-Vote]
    ... --only skew --skews 0 1 2.5          # exponents of the power law that labels follow; 0: all alike

Queries are cut out of the graphs by seeded random walks, so every one has a match. Each is counted on the CPU and, if
there is a device, by the schedules that take any query, all under a time limit; quick ones twice, of which the better
time counts. Rows say how many were stopped, by each and by all engines, the JSON file says which. Counts of all that
came to their end must agree, or the exit status is 1.
"""

from __future__ import annotations

import datetime
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.ablation.rehearse import compile_counts  # noqa: E402
from bench.ablation.setting import failure  # noqa: E402
from bench.ablation.study import Study  # noqa: E402
from bench.checked import check_names, chosen_graphs, run_script, script_parser, share  # noqa: E402
from bench.plot import bar_chart, line_chart  # noqa: E402
from subiso.bench.cold import forget_plans  # noqa: E402
from subiso.bench.data import DataFolder, load_graph  # noqa: E402
from subiso.engine import cpu, cuda  # noqa: E402
from subiso.engine.base import Outcome, Params  # noqa: E402
from subiso.engine.cuda.engine import CudaEngine  # noqa: E402
from subiso.engine.cuda.tune import Wishes  # noqa: E402
from subiso.engine.query import Query, make_query  # noqa: E402
from subiso.errors import GraphError  # noqa: E402
from subiso.graph import Graph  # noqa: E402
from subiso.graph.generators import path, with_labels  # noqa: E402
from subiso.pattern import Pattern  # noqa: E402
from subiso.queries import random_queries  # noqa: E402

GRAPHS = ("wiki-Vote", "email-Enron", "dblp-2010", "loc-Gowalla")
SCHEDULES = ("auto", "fine", "levels", "pipeline")
"""Those that take any query; what this version does not have is left out."""
LABELS, SIZE = 16, 12
SWEEPS: dict[str, tuple[Any, ...]] = {
    "size": (4, 8, 12, 16, 20, 24, 28, 32),
    "density": ("walk", "sparse", "dense"),
    "labels": (4, 8, 16, 32, 64),
    "skew": (0.0, 0.5, 1.0, 1.5, 2.0, 2.5),
}
"""Of density, "walk" is the edges that the walk took, most often a tree; of skew, the label of rank r = 1, 2, ... has
weight r**-skew."""

LEFT_OUT = "left out"
"""The state of what there was no time for."""
_QUICK = 0.1
"""Of the limit: what takes longer is not asked again."""

Engine = Callable[[Query, Params], Outcome]


@dataclass
class Answer:
    """What one engine said to one query."""

    engine: str
    count: int | None = None
    ms: float | None = None
    state: str = ""
    """Why there is no count: "timeout", LEFT_OUT, or an error."""


@dataclass
class Point:
    """The queries of one value of a sweep, with all answers."""

    graph: str
    sweep: str
    value: Any
    engines: tuple[str, ...] = ()
    patterns: list[str] = field(default_factory=list)
    answers: list[list[Answer]] = field(default_factory=list)
    """By query."""

    def of(self, engine: str) -> list[Answer]:
        return [answer for answer in self.asked() if answer.engine == engine]

    @property
    def stopped(self) -> int:
        """Queries that every engine was stopped at."""
        return sum(all(answer.state == "timeout" for answer in query) for query in self.answers)

    def asked(self) -> list[Answer]:
        """Of all engines, without what was left out."""
        return [answer for query in self.answers for answer in query if answer.state != LEFT_OUT]


@dataclass(frozen=True)
class Options:
    """How sweeps are run."""

    queries: int = 10
    """Per point."""
    limit: float = 5.0
    """Seconds of one query on one engine."""
    seed: int = 1
    deadline: float = float("inf")
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Of some sweeps, instead of all."""
    prepare: Callable[[Sequence[Query]], object] | None = None
    """Compiles what the queries of a point need, before any of them is asked."""


def workload(graph: Graph, sweep: str, value: Any, options: Options) -> tuple[Graph, list[Pattern]]:
    """The graph with the labels of one point of a sweep, and its queries."""
    size = value if sweep == "size" else SIZE
    labels = value if sweep == "labels" else LABELS
    skew = value if sweep == "skew" else 0.0
    labelled = with_labels(graph, labels, "powerlaw", alpha=skew, seed=options.seed)
    kind: dict[str, Any] = {}
    if sweep == "density":
        kind = {"edges": "visited"} if value == "walk" else {"density": value}
    try:
        return labelled, random_queries(labelled, options.queries, size, seed=options.seed, **kind)
    except GraphError:  # no such region: a row without queries
        return labelled, []


def run_point(
    graph: Graph, where: tuple[str, str, Any], engines: Mapping[str, Engine], options: Options
) -> Point:
    """Every query of a point on every engine."""
    labelled, patterns = workload(graph, *where[1:], options)
    point = Point(*where, engines=tuple(engines), patterns=[str(pattern) for pattern in patterns])
    queries = [make_query(labelled, pattern, unique=False) for pattern in patterns]
    if options.prepare is not None and time.perf_counter() < options.deadline:
        options.prepare(queries)
    for query in queries[:1]:  # what is made of a graph once is there before anything is timed
        _ask_once("cpu", cpu.count, query, options)
    for query in queries:
        found = [ask(name, engine, query, options) for name, engine in engines.items()]
        counts = {answer.count for answer in found if answer.count is not None}
        if len(counts) > 1:
            for answer in found:
                answer.state = answer.state or f"WRONG: {sorted(counts)} for one query"
        point.answers.append(found)
    return point


def ask(name: str, engine: Engine, query: Query, options: Options) -> Answer:
    """One query on one engine, preparation included. A quick one is asked again: the first run loads its kernels."""
    first = _ask_once(name, engine, query, options)
    if first.ms is None or first.ms > _QUICK * 1000 * options.limit:
        return first
    again = _ask_once(name, engine, query, options)
    if again.count is None:
        return first if again.state == LEFT_OUT else again
    if again.count != first.count:
        return Answer(name, state=f"WRONG: {first.count}, then {again.count}")
    return min(first, again, key=lambda answer: answer.ms or 0)


def _ask_once(name: str, engine: Engine, query: Query, options: Options) -> Answer:
    if time.perf_counter() > options.deadline:
        return Answer(name, state=LEFT_OUT)
    forget_plans()
    started = time.perf_counter()
    try:
        outcome = engine(query, Params(timeout=options.limit))
    except Exception as error:  # a device may fail in ways of its own; the other answers are still wanted
        return Answer(name, state=failure(error))
    ms = 1000 * (time.perf_counter() - started)
    return (
        Answer(name, outcome.count, ms) if outcome.complete else Answer(name, state=outcome.stopped_by or "")
    )


def row_of(point: Point, limit: float) -> dict[str, Any]:
    """Per engine the mean time, a stopped query counted with its limit, and how many were stopped."""
    row: dict[str, Any] = {"graph": point.graph, "value": str(point.value), "queries": len(point.patterns)}
    problems = ""
    for engine in point.engines:
        mine = point.of(engine)
        times = [
            answer.ms or 1000 * limit for answer in mine if not answer.state.startswith(("WRONG", "error"))
        ]
        row[f"{engine} ms"] = sum(times) / len(times) if times else None
        row[f"{engine} stopped"] = sum(answer.state == "timeout" for answer in mine)
        problems = problems or next((a.state for a in mine if a.state.startswith(("WRONG", "error"))), "")
    row["all stopped"] = point.stopped
    return {**row, "state": problems or (LEFT_OUT if len(mine) < len(point.patterns) else "")}


def study_of(sweep: str, points: Sequence[Point], limit: float) -> Study:
    """The sweep's table and a plot per graph."""
    found = Study(f"sweep-{sweep}", f"Labelled queries by {sweep}: mean ms (stopped ones with their limit)")
    found.rows = [row_of(point, limit) for point in points]
    asked = [answer for point in points for answer in point.asked()]
    left_out = sum(len(query) for point in points for query in point.answers) - len(asked)
    stopped = sum(answer.state == "timeout" for answer in asked)
    made = f"{len(asked)} runs, {stopped} stopped at the limit of {limit:g} s"
    found.claim(made + (f", {left_out} left out" if left_out else ""), not left_out)
    found.claim("all that came to their end agree", found.wrong == 0 and stopped < len(asked))
    late = [answer.ms for answer in asked if answer.ms is not None and answer.ms > 1100 * limit]
    if late:
        found.claim(
            f"{len(late)} answers came well after the limit, the last after {max(late):.0f} ms", False
        )
    for graph in dict.fromkeys(point.graph for point in points):
        rows = [row for row in found.rows if row["graph"] == graph]
        values = [point.value for point in points if point.graph == graph]
        series = {engine: [row[f"{engine} ms"] for row in rows] for engine in points[0].engines}
        found.plots[f"sweep-{sweep}-{graph}"] = _plot(f"{graph}, by {sweep}", sweep, values, series)
    return found


def _plot(title: str, sweep: str, values: list[Any], series: dict[str, list[float | None]]) -> str:
    if all(isinstance(value, int | float) for value in values):
        lines = {name: list(zip(map(float, values), ms, strict=True)) for name, ms in series.items()}
        return line_chart(title, sweep, "ms", lines, log_x=sweep == "labels", log_y=True)
    return bar_chart(title, "ms", values, series, log_y=True)


def run_all(
    graphs: Mapping[str, Callable[[], Graph]],
    sweeps: Sequence[str],
    engines: Mapping[str, Engine],
    options: Options,
    out: Path,
) -> int:
    """Runs sweeps, writes their tables, answers and plots; 1 where counts differ or an engine failed."""
    wrong = measured = 0
    about = {"date": datetime.date.today().isoformat(), "limit_s": options.limit, "seed": options.seed}
    for i, sweep in enumerate(sweeps):
        points = list(_points(graphs, sweep, engines, _shared(options, len(sweeps) - i)))
        found = study_of(sweep, points, options.limit)
        found.write(out, {**about, "engines": ", ".join(engines)})
        (out / f"sweep-{sweep}-answers.json").write_text(json.dumps([asdict(p) for p in points], indent=1))
        print(f"{found.text()}\n", flush=True)
        wrong += found.wrong
        measured += sum(len(point.asked()) for point in points)
    print(f"{wrong} rows wrong, {measured} runs; files in {out}")
    if not measured:
        print("nothing was measured: give it graphs, queries or more --seconds", file=sys.stderr)
    return int(wrong > 0 or not measured)


def _points(
    graphs: Mapping[str, Callable[[], Graph]], sweep: str, engines: Mapping[str, Engine], options: Options
) -> Iterator[Point]:
    for i, (name, load) in enumerate(graphs.items()):
        graph, mine = load(), _shared(options, len(graphs) - i)
        for value in options.values.get(sweep) or SWEEPS[sweep]:
            point = run_point(graph, (name, sweep, value), engines, mine)
            print(
                f"{name}, {sweep} {value}: {point.stopped} of {len(point.patterns)} queries stopped in all ways",
                flush=True,
            )
            yield point


def _shared(options: Options, parts: int) -> Options:
    """The same with the seconds that one of several parts may take."""
    return replace(options, deadline=share(options.deadline, parts))


def engines_of(device: str, schedules: Sequence[str]) -> dict[str, CudaEngine]:
    """The schedules, where there is a device. Plans are read from tables: no query has a kernel of its own."""
    if device == "cpu" or cuda.why_not() is not None:
        return {}
    from subiso.engine.cuda.device import open_devices

    machine = open_devices("cuda")[0]
    return {
        schedule: CudaEngine(machine, Wishes(fixed=False), schedule=schedule, host=schedule == "auto")
        for schedule in schedules
    }


def compile_for(engines: Sequence[CudaEngine], queries: Sequence[Query]) -> int:
    """Compiles the kernels that these counts need."""
    return compile_counts(engines, ((query, Params()) for query in queries))


def main() -> int:
    parser = script_parser(__doc__)
    parser.add_argument("--only", nargs="*", choices=list(SWEEPS))
    parser.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    parser.add_argument("--sizes", nargs="*", type=int, default=[], help="of the sweep over sizes")
    parser.add_argument("--skews", nargs="*", type=float, default=[], help="of the sweep over skews")
    parser.add_argument("--device", choices=["auto", "cpu"], default="auto")
    parser.add_argument("--schedules", nargs="*", default=list(SCHEDULES))
    parser.add_argument("--queries", type=int, default=10, help="per point")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds of one query on one engine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=600.0, help="for everything; later queries are left out"
    )
    given = parser.parse_args()
    data = DataFolder(given.data)
    for skew in given.skews:
        with_labels(path(2), 1, "powerlaw", alpha=skew)  # refused here rather than later
    check_names("schedule", given.schedules, cuda.SCHEDULES)
    graphs = {
        name: (lambda name=name: load_graph(data, name)) for name in chosen_graphs(data, given.graphs, GRAPHS)
    }
    on_device = engines_of(given.device, given.schedules)
    prepare = partial(compile_for, list(on_device.values()))
    deadline = time.perf_counter() + given.seconds
    values = {"size": given.sizes, "skew": given.skews}
    options = Options(given.queries, given.limit, given.seed, deadline, values, prepare)
    engines = {"cpu": cpu.count, **{name: engine.count for name, engine in on_device.items()}}
    return run_all(graphs, given.only or list(SWEEPS), engines, options, given.out)


if __name__ == "__main__":
    run_script(main)
