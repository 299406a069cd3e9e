"""What all studies share: the device, the graphs, and one way to try a query under a time limit."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from bench.graphs import is_there
from subiso.bench.data import DataFolder, load_graph
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.filter_tune import FilterWishes
from subiso.engine.cuda.machine import Machine
from subiso.engine.cuda.memory import Cache
from subiso.engine.cuda.search import Report
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

PACKED = ("wiki-Vote", "email-Enron", "dblp-2010", "loc-Gowalla", "ego-Twitter", "cnr-2000")
ENUMERATE = Switches(max_tail=1, expand="never", decompose="never", codegrees=False)
"""Every match but for its last vertex is visited, as gMatch and STMatch do: otherwise formulas hide the search."""
_QUICK = 0.05
"""Seconds up to which a run is repeated."""


@dataclass(frozen=True)
class Way:
    """One way to run a query: its name in the tables, a schedule, and what differs from the defaults."""

    name: str
    schedule: str = "auto"
    wishes: dict[str, Any] = field(default_factory=dict)


@dataclass
class Trial:
    """What came of one try. `state` is empty when it finished and its count was right."""

    count: int | None = None
    ms: float | None = None
    """Of the search."""
    wait_ms: float | None = None
    """Of the whole count, preparation included."""
    idle: float | None = None
    whole: bool = False
    """Whether the run that measured the idle rate came to its end."""
    gifts: int | None = None
    search_mb: float | None = None
    report: Any = None
    """What the last run did."""
    sets: bool = False
    """Whether the kernel kept sets, so that schedule `stack` differs from `fine`."""
    state: str = ""

    @property
    def shown(self) -> Any:
        """For a table: milliseconds, or why there are none."""
        return self.state or self.ms


@dataclass
class Setting:
    """Where and how studies run."""

    machine: Machine
    data: DataFolder
    graphs: tuple[str, ...] = ()
    """Instead of a study's own choice."""
    limit: float = 2.0
    """Seconds of one run."""
    repeat: int = 3
    wishes: Wishes = field(default_factory=Wishes)
    """What every way starts from."""
    deadline: float = float("inf")
    """Tries after it are left out (time.perf_counter)."""
    rehearsal: bool = False
    """Only find out what is needed (rehearse.py): every try is begun, none is measured."""

    def __post_init__(self) -> None:
        self.cache = Cache(self.machine)
        self.loaded: dict[str, Graph] = {}
        self.turn = float("inf")

    def graph(self, name: str) -> Graph:
        """A graph of the data folder, read once."""
        if name not in self.loaded:
            self.loaded[name] = load_graph(self.data, name)
        return self.loaded[name]

    def each(self, graphs: tuple[str, ...]) -> Iterator[str]:
        """The chosen graphs in turn; each may take its share of the seconds that are left."""
        names = self.chosen(graphs)
        for i, name in enumerate(names):
            now = time.perf_counter()
            self.turn = now + (self.deadline - now) / (len(names) - i)
            yield name
        self.turn = float("inf")

    @property
    def late(self) -> bool:
        """Whether the time for this graph, or for all, is over."""
        return time.perf_counter() > min(self.turn, self.deadline)

    def chosen(self, graphs: tuple[str, ...]) -> list[str]:
        """The graphs that were asked for, else a study's own; those that are there."""
        return [name for name in self.graphs or graphs if is_there(self.data, name)]

    def patterns(self, *names: str) -> dict[str, Pattern]:
        """Patterns of gMatch's evaluation."""
        known = self.data.patterns()["gMatch"]
        return {name: Pattern.from_edges(known[name]) for name in names}

    def expected(self, graph: str, pattern: Pattern, *, induced: bool = False) -> int | None:
        """What the oracle says, if it knows."""
        form = pattern.canonical_form()
        for answer in self.data.oracle().get(graph, {}).values():
            if len(answer["edges"]) == len(pattern.edges):
                found = Pattern.from_edges(answer["edges"])
                if found.num_vertices == pattern.num_vertices and found.canonical_form() == form:
                    value: int | None = answer["induced" if induced else "subgraphs"]
                    return value
        return None

    def engine(self, way: Way, **more: Any) -> CudaEngine:
        """An engine that runs that way; all share the device's copies of graphs."""
        wishes = replace(self.wishes, **{**way.wishes, **more})
        if self.rehearsal:  # a machine that does nothing would leave no candidate
            wishes = replace(wishes, filters=FilterWishes(place="host"))
        return CudaEngine(self.machine, wishes, schedule=way.schedule, caches=[self.cache])

    def try_out(
        self,
        graph: Graph,
        pattern: Pattern,
        way: Way,
        *,
        expected: int | None = None,
        switches: Switches = ENUMERATE,
        measure: bool = False,
        **options: Any,
    ) -> Trial:
        """Counts: a run under the limit, repeated while it is quick; with `measure`, one more for the idle rate."""
        trial = Trial()
        if self.late:
            return replace(trial, state="left out")
        try:
            query = make_query(graph, pattern, **options)
            self._time(self.engine(way), query, switches, trial)
            if measure:
                # Plans read from tables take the same steps, and need one kernel for all of them.
                self._measure(self.engine(way, measure=True, fixed=False), query, switches, trial)
        except Exception as error:  # a device may fail in ways of its own; the other rows are still wanted
            trial.state = failure(error)
        if not trial.state and expected is not None and trial.count != expected:
            trial.state = f"WRONG: {trial.count}, not {expected}"
        return trial

    def _time(self, engine: CudaEngine, query: Any, switches: Switches, trial: Trial) -> None:
        engine.count(query, Params(timeout=0, switches=switches))  # compiles, copies, and is stopped
        if self.rehearsal:
            return
        params = Params(timeout=self.limit, switches=switches)
        times: list[float] = []
        waits: list[float] = []
        for _ in range(1 + self.repeat):
            started = time.perf_counter()
            outcome = engine.count(query, params)
            waits.append(time.perf_counter() - started)
            if outcome.stopped_by is not None:
                trial.state = outcome.stopped_by
                break
            if trial.count not in (None, outcome.count):
                trial.state = f"WRONG: {trial.count}, then {outcome.count}"
            trial.count = outcome.count
            times.append(engine.times.search)
            if times[-1] > _QUICK:
                break
        trial.report = engine.last
        if engine.last is not None:
            trial.search_mb = engine.last.search_bytes / 1e6
            trial.sets = getattr(getattr(engine.last, "kernel", None), "sets", False)  # sums have none
        if times and not trial.state:
            trial.ms = 1000 * statistics.median(times[1:] or times)
            trial.wait_ms = 1000 * statistics.median(waits[1:] or waits)

    def _measure(self, engine: CudaEngine, query: Any, switches: Switches, trial: Trial) -> None:
        engine.count(query, Params(timeout=0, switches=switches))
        if self.rehearsal:
            return
        limit = self.limit / 2 if trial.state else self.limit
        outcome = engine.count(query, Params(timeout=limit, switches=switches))
        if isinstance(engine.last, Report) and engine.last.steps:
            trial.idle = 1 - engine.last.tasks / (32 * engine.last.steps)
            trial.gifts = engine.last.gifts
            trial.whole = outcome.stopped_by is None
        if outcome.stopped_by is None and trial.count not in (None, outcome.count):
            trial.state = f"WRONG: {trial.count}, measured {outcome.count}"


def failure(error: Exception) -> str:
    """An error in one line, as rows show it.

    >>> failure(ValueError("no room\\nat all"))
    'error: ValueError: no room'
    """
    return f"error: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def agreed(trials: dict[str, Trial]) -> None:
    """Marks finished trials of one query that counted different numbers, where no oracle could say which is right."""
    counts = {t.count for t in trials.values() if t.count is not None and not t.state}
    if len(counts) > 1:
        for trial in trials.values():
            trial.state = trial.state or f"WRONG: {sorted(counts)} in one row"


def speedup(slow: Trial, fast: Trial) -> float | None:
    """How many times faster, where both finished."""
    return slow.ms / fast.ms if slow.ms and fast.ms else None
