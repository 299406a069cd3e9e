"""What counting without enumerating brings, technique by technique: none, each alone, all, and all but one.

    PYTHONPATH=src python bench/techniques.py --data ../shared/data --out DIR [--graphs wiki-Vote] [--device cuda]

Milliseconds of a count, plan included, the best of some runs; a run over the limit is stopped. Counts are compared with
the oracle, or between ways; a wrong one makes the exit status 1. On a CUDA device kernels are compiled before.
"""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.ablation.study import Study, geometric_mean  # noqa: E402
from bench.checked import chosen_graphs, run_script, script_parser  # noqa: E402
from subiso.bench.cold import forget_plans  # noqa: E402
from subiso.bench.data import DataFolder, load_graph  # noqa: E402
from subiso.engine import cpu  # noqa: E402
from subiso.engine.base import Outcome, Params, Switches  # noqa: E402
from subiso.engine.query import Query, make_query  # noqa: E402
from subiso.pattern import Pattern  # noqa: E402

TECHNIQUES: dict[str, dict[str, Any]] = {
    "tails": {"max_tail": 99},
    "cuts": {"decompose": "auto"},
    "codegrees": {"codegrees": True},
    "bit rows": {"local": True},
    "sums": {"sums": True},
    "expansion": {"expand": "auto"},
}
"""What each of them is in `Switches`."""
OFF: dict[str, Any] = {
    "max_tail": 1,
    "decompose": "never",
    "codegrees": False,
    "local": False,
    "sums": False,
    "expand": "never",
}
NONE = Switches(**OFF)
WAYS = {
    "none": NONE,
    **{f"{name} alone": replace(NONE, **on) for name, on in TECHNIQUES.items()},
    **{f"all but {name}": Switches(**{key: OFF[key] for key in on}) for name, on in TECHNIQUES.items()},
    "all": Switches(),
}
PATTERNS = ("diamond", "4cycle", "K5", "K5_minus_edge", "house", "5cycle", "W4", "gem", "4star")
"""Of the oracle; 4cycle and house once more induced, which is where expansion helps."""
INDUCED = ("4cycle", "house")
GRAPHS = ("wiki-Vote", "email-Enron")

Count = Callable[[Query, Params], Outcome]


class Case(NamedTuple):
    """A pattern on a graph, and its count, as far as that is known."""

    name: str
    query: Query
    expected: int | None


def study(data: DataFolder, graphs: list[str], device: str, limit: float, repeat: int) -> Study:
    """A row per graph and pattern; then how much longer each way takes than all techniques together, where both end."""
    found = Study("techniques", "Milliseconds by the techniques that are on")
    times: list[dict[str, float | None]] = []
    for name in graphs:
        cases = list(cases_of(data, name))
        count = counter(device, [(case.query, Params(switches=s)) for case in cases for s in WAYS.values()])
        for case in cases:
            row = {way: timed(count, case, switches, limit, repeat) for way, switches in WAYS.items()}
            times.append({way: value if isinstance(value, float) else None for way, value in row.items()})
            found.rows.append({"graph": name, "pattern": case.name, **row})
    both = [{way: row[way] / row["all"] for way in WAYS if row[way] and row["all"]} for row in times]  # type: ignore[operator]
    means = {way: geometric_mean(row.get(way) for row in both) for way in WAYS}
    found.rows.append({"graph": "all", "pattern": "times as long", **means})
    stopped = {way: sum(row[way] is None for row in times) for way in WAYS}
    found.rows.append({"graph": "all", "pattern": "stopped", **stopped})
    return found


def cases_of(data: DataFolder, name: str) -> Iterator[Case]:
    """The patterns on one graph."""
    graph = load_graph(data, name)
    for key, answer in data.oracle()[name].items():
        if key not in PATTERNS:
            continue
        pattern = Pattern.from_edges(answer["edges"])
        yield Case(key, make_query(graph, pattern), answer["subgraphs"])
        if key in INDUCED:
            yield Case(f"{key} induced", make_query(graph, pattern, mode="induced"), answer["induced"])


def timed(count: Count, case: Case, switches: Switches, limit: float, repeat: int) -> float | str:
    """Milliseconds, or why there are none."""
    best = float("inf")
    for _ in range(1 + repeat):
        forget_plans()
        started = time.perf_counter()
        outcome = count(case.query, Params(timeout=limit, switches=switches))
        best = min(best, 1000 * (time.perf_counter() - started))
        if not outcome.complete:
            return outcome.stopped_by or "stopped"
        if case.expected is not None and outcome.count != case.expected:
            return f"WRONG: {outcome.count}, not {case.expected}"
        if best > 500:
            break
    return best


def counter(device: str, cases: Iterable[tuple[Query, Params]], *, host: bool = False) -> Count:
    """The CPU engine's count, or a device's, which has the kernels of these cases compiled; `host` may then help."""
    if device == "cpu":
        return cpu.count
    from bench.ablation.rehearse import compile_counts
    from subiso.engine.cuda.device import open_devices
    from subiso.engine.cuda.engine import CudaEngine
    from subiso.engine.cuda.tune import Wishes

    engine = CudaEngine(open_devices(device)[0], Wishes(fixed=False), host=host)
    compile_counts([engine], cases)
    return engine.count


def main() -> int:
    parser = script_parser(__doc__)
    parser.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--limit", type=float, default=3.0, help="seconds of one run")
    parser.add_argument("--repeat", type=int, default=2)
    given = parser.parse_args()
    data = DataFolder(given.data)
    graphs = chosen_graphs(data, given.graphs, GRAPHS)
    found = study(data, graphs, given.device, given.limit, given.repeat)
    print(found.text())
    date = datetime.date.today().isoformat()
    found.write(given.out, {"date": date, "device": given.device, "limit_s": given.limit})
    return int(found.wrong > 0)


if __name__ == "__main__":
    run_script(main)
