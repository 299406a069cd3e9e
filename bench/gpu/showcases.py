"""Hard cases on a GPU, each equal to a known answer: a hub of four million, thirty vertices, the papers' patterns.

    PYTHONPATH=src python bench/gpu/showcases.py --data carry --out DIR [--only hub thirty labelled papers]

From the repository's root, with the graphs packed by bench/gpu/pack.py. Plans are read from tables, so that no query
waits for the compiler. A wrong count makes the exit status 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.ablation.run import run_all  # noqa: E402
from bench.ablation.setting import Setting, Trial, Way, agreed  # noqa: E402
from bench.ablation.study import Study  # noqa: E402
from bench.checked import check_graphs, check_names, run_script  # noqa: E402
from bench.graphs import PATTERNS, HubForms, is_there, with_hub  # noqa: E402

from subiso.bench.data import DataFolder  # noqa: E402
from subiso.engine import cpu  # noqa: E402
from subiso.engine.base import Outcome, Params, Switches  # noqa: E402
from subiso.engine.query import make_query  # noqa: E402
from subiso.graph import Graph  # noqa: E402
from subiso.pattern import Pattern  # noqa: E402

WAYS = (Way("fine", "fine", {"fixed": False}), Way("stack", "stack", {"fixed": False}))
PAPER_WAYS = (Way("auto", "auto", {"fixed": False}), WAYS[1])
HUB_DEGREE = 4_000_000
CPU_SECONDS = 5.0
LABELS = 10


def both(
    setting: Setting,
    graph: Graph,
    pattern: Pattern,
    expected: int | None = None,
    ways: tuple[Way, ...] = WAYS,
    **options: Any,
) -> dict[str, Trial]:
    """A query by both schedules."""
    trials = {
        way.name: setting.try_out(graph, pattern, way, expected=expected, switches=Switches(), **options)
        for way in ways
    }
    agreed(trials)
    return trials


def row(what: dict[str, Any], trials: dict[str, Trial], expected: int | None) -> dict[str, Any]:
    """A line of a table."""
    count = next((t.count for t in trials.values() if t.count is not None), None)
    times = {f"{name} ms": trial.shown for name, trial in trials.items()}
    # Where `stack` keeps no sets it is `fine`, and that both agree says nothing.
    return {**what, "expected": expected, "count": count, **times, "sets": trials["stack"].sets}


def hub(setting: Setting, base: str = "rmat18", degree: int = HUB_DEGREE) -> Study:
    """An R-MAT graph and a vertex joined to all of it and to pendant vertices, four million in all."""
    found = Study("showcase-hub", f"{base} and a hub joined to {degree:,} vertices: equal to closed forms")
    if not is_there(setting.data, base):
        return found
    graph = setting.data.graph(base)
    counts = HubForms(graph).counts(degree)
    whole = with_hub(graph, degree)
    for key, expected in counts.items():
        trials = both(setting, whole, PATTERNS[key], expected)
        line = row({"pattern": key}, trials, expected)
        found.rows.append({**line, **{f"{name} MB": trial.search_mb for name, trial in trials.items()}})
    return found


def thirty(setting: Setting, length: int = 100_000) -> Study:
    """Patterns of thirty vertices whose counts are known."""
    found = Study("showcase-thirty", "Patterns of 30 vertices: equal to closed forms")
    around = np.arange(length)
    ring = Graph.from_edges(around, (around + 1) % length)
    sun = Graph.from_edges(
        np.concatenate([around, around]), np.concatenate([(around + 1) % length, around + length])
    )
    rings = np.arange(length // 30 * 30)
    many = Graph.from_edges(rings, rings // 30 * 30 + (rings + 1) % 30)
    comb = Pattern.from_edges([(i, i + 1) for i in range(14)] + [(i, i + 15) for i in range(15)])
    cases = {
        "a path in a cycle": (ring, Pattern.path(30), length),
        "a cycle in disjoint cycles": (many, Pattern.cycle(30), length // 30),
        # The pendant vertex of either end goes to a leaf, or to the next vertex of the cycle.
        "a comb in a sun": (sun, comb, 4 * length),
    }
    for name, (graph, pattern, expected) in cases.items():
        trials = both(setting, graph, pattern, expected)
        found.rows.append(row({"query": name}, trials, expected))
    return found


def labelled(setting: Setting) -> Study:
    """The labelled queries with their recorded numbers of embeddings."""
    found = Study("showcase-labelled", "Labelled queries: equal to the recorded embeddings")
    queries = setting.data.labelled_queries()
    for name in setting.each(("hprd", "yeast", "email-Enron/labels16")):
        for query in queries.get(name, ()):
            pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
            trials = both(setting, setting.graph(name), pattern, query["embeddings"], unique=False)
            what = {"graph": name, "query": query["name"], "vertices": pattern.num_vertices}
            found.rows.append(row(what, trials, query["embeddings"]))
        mine = [r for r in found.rows if r["graph"] == name]
        done = sum(r["count"] is not None for r in mine)
        found.claim(f"{name}: {done} of {len(mine)} queries finished", done == len(mine))
    return found


@dataclass(frozen=True)
class Case:
    """A pattern of a paper on a graph, in one of its forms."""

    graph: str
    key: str
    induced: bool
    edges: list[tuple[int, int]]

    @property
    def pattern(self) -> Pattern:
        """With labels, vertex i has label i: no two are alike."""
        pattern = Pattern.from_edges(self.edges)
        if "/labels" not in self.graph:
            return pattern
        return Pattern.from_edges(self.edges, vertex_labels=list(range(pattern.num_vertices)))


def papers(
    setting: Setting, labels: int = LABELS, only: list[str] | None = None, cpu_seconds: float = CPU_SECONDS
) -> Study:
    """STMatch's q1-q24 and gMatch's P1-P9: both schedules, the oracle, the CPU where it is quick."""
    found = Study(
        "showcase-papers", "q1-q24 and P1-P9, edge- and vertex-induced, without and with ten labels"
    )
    checked = 0
    with ThreadPoolExecutor(1) as aside:
        waiting: list[tuple[dict[str, Any], Future[Outcome] | None]] = []
        for case in cases(setting, labels):
            if only and case.key not in only:
                continue
            expected = None
            if "/labels" not in case.graph:
                expected = setting.expected(case.graph, case.pattern, induced=case.induced)
            graph = setting.graph(case.graph)
            trials = both(setting, graph, case.pattern, expected, PAPER_WAYS, induced=case.induced)
            what = {"graph": case.graph, "pattern": case.key, "mode": "induced" if case.induced else "edges"}
            line = row(what, trials, expected)
            finished = line["count"] is not None
            query = make_query(graph, case.pattern, induced=case.induced)
            ask = finished and expected is None and time.perf_counter() < setting.deadline
            answer = aside.submit(on_cpu, query, cpu_seconds, setting.deadline) if ask else None
            waiting.append((line, answer))
        for line, answer in waiting:
            checked += settle(line, None if answer is None else answer.result())
            found.rows.append(line)
    times = [[r[f"{way.name} ms"] for way in PAPER_WAYS] for r in found.rows]
    done = sum(all(isinstance(t, float) for t in pair) for pair in times)
    found.claim(f"{done} of {len(found.rows)} rows finished by both schedules", done == len(found.rows))
    found.claim(
        f"{checked} of {len(found.rows)} rows confirmed by the oracle or the CPU engine",
        checked == len(found.rows),
    )
    return found


def cases(setting: Setting, labels: int) -> Iterator[Case]:
    """Quick ones first: with labels, then without."""
    known = setting.data.patterns()
    named = {key: edges for paper in ("gMatch", "STMatch") for key, edges in known[paper].items()}
    for suffix, name in product((f"/labels{labels}", ""), setting.chosen(("wiki-Vote", "email-Enron"))):
        for induced, (key, edges) in product((False, True), named.items()):
            yield Case(name + suffix, key, induced, edges)


def on_cpu(query: Any, seconds: float, deadline: float) -> Outcome:
    """The CPU engine's answer, if there is time for it."""
    left = deadline - time.perf_counter()
    return cpu.count(query, Params(timeout=max(0.0, min(seconds, left))))


def settle(line: dict[str, Any], outcome: Outcome | None) -> bool:
    """Notes what the CPU said; whether the row's count is confirmed by somebody."""
    right = line["expected"] is not None and line["count"] == line["expected"]
    line["confirmed by"] = "oracle" if right else None
    if outcome is not None and outcome.complete:
        line["expected"], line["confirmed by"] = outcome.count, "cpu"
        if line["count"] != outcome.count:
            line["confirmed by"] = f"WRONG: the CPU engine counts {outcome.count}"
    return line["confirmed by"] in ("oracle", "cpu")


SHOWCASES = {"hub": hub, "thirty": thirty, "labelled": labelled, "papers": papers}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("carry"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=list(SHOWCASES))
    parser.add_argument("--graphs", nargs="*", help="for labelled and papers, instead of their own")
    parser.add_argument("--patterns", nargs="*", help="for papers: only these")
    parser.add_argument("--cpu-seconds", type=float, default=CPU_SECONDS, help="for papers, of one count")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=float, default=4.0, help="seconds of one run")
    parser.add_argument("--seconds", type=float, default=540.0, help="for all; later rows are left out")
    options = parser.parse_args()
    from subiso.engine.cuda.device import open_devices

    data = DataFolder(options.data)
    check_graphs(data, options.graphs)
    known = data.patterns()
    check_names("pattern", options.patterns, [*known["gMatch"], *known["STMatch"]])
    machine = open_devices(options.device)[0]
    graphs = tuple(options.graphs or ())
    setting = Setting(machine, data, graphs, options.limit, repeat=0)
    narrowed = partial(papers, only=options.patterns, cpu_seconds=options.cpu_seconds)
    showcases = {**SHOWCASES, "papers": narrowed}
    chosen = [showcases[name] for name in options.only or list(SHOWCASES)]
    return run_all(setting, chosen, options.out, options.seconds)


if __name__ == "__main__":
    run_script(main)
