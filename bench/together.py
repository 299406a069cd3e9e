"""`python -m bench.together`: sets of patterns counted in one search against one by one, on the CPU.

Prints a table; `--output FILE` writes it too. Graphs come from the shared data folder. Counts must be equal.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent

if find_spec("subiso") is None:  # not installed: the sources beside us
    sys.path.insert(0, str(HERE.parent / "src"))

import subiso as si  # noqa: E402
from subiso.bench.cold import forget_plans  # noqa: E402
from subiso.bench.data import DataFolder, load_graph  # noqa: E402
from subiso.bench.machine import describe  # noqa: E402
from subiso.engine import cpu  # noqa: E402
from subiso.engine.base import Params, Switches  # noqa: E402
from subiso.engine.query import Query, make_query  # noqa: E402
from subiso.engine.several import count_several  # noqa: E402
from subiso.engine.together import plan_teams  # noqa: E402
from subiso.filter.resolve import resolve  # noqa: E402

ENUMERATE = Switches(decompose="never", expand="never", labelled="plan")
DEFAULT = Switches()
TEXT = """# Sets of patterns in one search, on the CPU ({date})

`PYTHONPATH=src python -m bench.together`. "apart s" and "merged s": `Switches(merge="never")` and "auto", best of
{repeat} calls that take turns, all counts equal; "plan s": the first choice of merged plans, with nothing kept (later
calls take most of it from a cache); "searches": how many the set takes and, in brackets, how many plans they run, less
what is counted without plans; "estimate": merged cost over the cost apart, as the planner has it (1: it left all of
them alone). "enumerated": no decompositions, no expansion of absent edges, no counts without plans; "default": every
technique, from which the planner chooses. "k + 1 labelled": a connected part of k vertices of the graph, with one more
of its neighbours each; "k + 2": with two. "its end labelled": one pattern, with each of the graph's labels at one
vertex.

Machine: {machine}. {threads} threads, shared with other work: differences below 10% mean nothing.
"""


@dataclass(frozen=True)
class Case:
    graph: str
    name: str
    patterns: Callable[[si.Graph], list[si.Pattern]]
    mode: str = "monomorphism"
    enumerated: bool = True


def connected(k: int) -> Callable[[si.Graph], list[si.Pattern]]:
    return lambda graph: si.connected_patterns(k)


def grown(core: int, more: int, count: int, seed: int = 1) -> Callable[[si.Graph], list[si.Pattern]]:
    """Labelled queries with a common core: a part of the graph, and so many of its neighbours at random."""

    def make(graph: si.Graph) -> list[si.Pattern]:
        rng = np.random.default_rng(seed)
        chosen = _grow(graph, [int(rng.integers(graph.num_vertices))], core, rng)
        found: dict[object, si.Pattern] = {}
        for _ in range(20 * count):
            pattern = _cut_out(graph, _grow(graph, chosen, core + more, rng))
            found.setdefault(pattern.canonical_form(), pattern)
            if len(found) == count:
                break
        return list(found.values())

    return make


def by_label(text: str) -> Callable[[si.Graph], list[si.Pattern]]:
    """One pattern with every label of the graph in the place of `{}`."""

    def make(graph: si.Graph) -> list[si.Pattern]:
        assert graph.vertex_labels is not None
        return [si.Pattern(text.format(label)) for label in graph.vertex_labels.names]

    return make


def _grow(graph: si.Graph, begun: list[int], size: int, rng: np.random.Generator) -> list[int]:
    vertices = list(begun)
    while len(vertices) < size:
        around = np.unique(np.concatenate([graph.out[v] for v in vertices]))
        fresh = around[~np.isin(around, vertices)]
        vertices.append(int(fresh[rng.integers(len(fresh))]))
    return vertices


def _cut_out(graph: si.Graph, vertices: list[int]) -> si.Pattern:
    place = {v: i for i, v in enumerate(vertices)}
    edges = [(i, place[int(u)]) for v, i in place.items() for u in graph.out[v] if place.get(int(u), -1) > i]
    assert graph.vertex_labels is not None
    return si.Pattern.from_edges(edges, vertex_labels=[graph.vertex_labels.of(v) for v in vertices])


BOTH = (True, False)
PLAIN = (("email-Enron", 4), ("ca-AstroPh", 4), ("hprd", 5), ("bitcoin-alpha", 5))
LABELLED = (
    ("hprd", 6, 1, 20), ("yeast", 8, 1, 40), ("email-Enron/labels16", 5, 1, 20), ("email-Enron/labels4", 5, 1, 20),
    ("email-Enron/labels8", 6, 2, 20), ("BlogCatalog", 4, 1, 20),
)  # fmt: skip
TRIANGLE = "(a)--(b), (b)--(c), (c)--(a), (a)--(d:{})"
CYCLE = "(a)--(b), (b)--(c), (c)--(d), (d)--(a), (a)--(e:{})"
BY_LABEL = (
    ("email-Enron/labels16", "tailed triangle, its end labelled", TRIANGLE),
    ("hprd/labels16", "tailed triangle, its end labelled", TRIANGLE),
    ("hprd/labels16", "tailed 4-cycle, its end labelled", CYCLE),
)
CASES = [
    *(Case(graph, f"{k} vertices", connected(k), "monomorphism", e) for graph, k in PLAIN for e in BOTH),
    *(
        Case(graph, f"{core} + {more} labelled", grown(core, more, count), "monomorphism", e)
        for graph, core, more, count in LABELLED
        for e in BOTH
    ),
    *(
        Case(graph, name, by_label(text), mode, e)
        for graph, name, text in BY_LABEL
        for mode in ("monomorphism", "homomorphism")
        for e in BOTH
    ),
]


def measure(queries: list[Query], switches: Switches, repeat: int, threads: int) -> tuple[float, float]:
    """Seconds apart and merged, best of several that take turns."""
    best = {"never": float("inf"), "auto": float("inf")}
    counts = {}
    for _ in range(repeat):
        for merge in ("never", "auto"):
            params = Params(threads=threads, switches=replace(switches, merge=merge))
            start = time.perf_counter()
            found = count_several(queries, cpu, params)
            best[merge] = min(best[merge], time.perf_counter() - start)
            assert counts.setdefault(0, found) == found, "counts differ"
    return best["never"], best["auto"]


def planned(queries: list[Query], switches: Switches, threads: int) -> tuple[float, str, float]:
    """Seconds that the first choice of plans takes, searches, and what the estimate says."""
    params = Params(threads=threads, switches=switches)
    resolved = {i: resolve(query) for i, query in enumerate(queries)}
    waiting = {
        i: r for i, r in resolved.items() if cpu.count_without_plan(r, params, time.perf_counter()) is None
    }
    if not waiting:
        return 0.0, "0", 1.0
    forget_plans()
    start = time.perf_counter()
    teams, alone = plan_teams(queries, waiting, params)
    seconds = time.perf_counter() - start
    plans = [len(group.plans) for team in teams for group in team.together.groups]
    rest = sum(cpu.formula_for(waiting[i], params).cost for i in alone)
    merged, apart = sum(team.together.cost for team in teams) + rest, sum(team.apart for team in teams) + rest
    return seconds, f"{len(plans) + len(alone)} ({sum(plans) + len(alone)})", merged / apart


def row(case: Case, data: DataFolder, repeat: int, threads: int) -> list[str]:
    graph = load_graph(data, case.graph)
    queries = [make_query(graph, pattern, mode=case.mode) for pattern in case.patterns(graph)]
    switches = ENUMERATE if case.enumerated else DEFAULT
    apart, merged = measure(queries, switches, repeat, threads)
    seconds, searches, estimate = planned(queries, switches, threads)
    return [
        case.graph, case.name, str(len(queries)), case.mode, "enumerated" if case.enumerated else "default",
        f"{apart:.3f}", f"{merged:.3f}", f"{apart / merged:.2f}", f"{seconds:.3f}", searches, f"{estimate:.2f}",
    ]  # fmt: skip


HEAD = (
    "graph",
    "set",
    "queries",
    "mode",
    "how",
    "apart s",
    "merged s",
    "ratio",
    "plan s",
    "searches",
    "estimate",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--only", help="graphs or sets whose name holds this")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    print("\n".join(lines))
    for case in CASES:
        if given.only is None or given.only in f"{case.graph} {case.name} {case.mode} {case.enumerated}":
            lines.append(
                "| " + " | ".join(row(case, DataFolder(given.data), given.repeat, given.threads)) + " |"
            )
            print(lines[-1], flush=True)
    if given.output is not None:
        date = datetime.now(UTC).strftime("%Y-%m-%d")
        text = TEXT.format(
            date=date,
            machine=", ".join(map(str, describe().values())),
            threads=given.threads,
            repeat=given.repeat,
        )
        given.output.write_text(text + "\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
