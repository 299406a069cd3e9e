"""Graphs that grow, and hubs that grow (gMatch's table 7 in kind): time and memory, checked by closed forms."""

from __future__ import annotations

from bench.ablation.setting import Setting, Trial, Way, agreed
from bench.ablation.study import Study
from bench.graphs import PATTERNS, HubForms, is_there, with_hub
from bench.plot import line_chart
from subiso.engine.base import Switches

WAYS = (Way("fine", "fine"), Way("stack", "stack"))
SIZES = tuple(f"rmat{scale}" for scale in range(14, 19))
SIZED = ("triangle", "diamond", "K4")
BASE = "rmat14"
HUBS = tuple(1 << k for k in (14, 16, 18, 20, 22))


def study(setting: Setting) -> Study:
    """R-MAT graphs of growing scale: both schedules agree."""
    found = Study("hubs-sizes", "R-MAT graphs: milliseconds and search memory by scale")
    for name in setting.each(SIZES[:1] if setting.rehearsal else SIZES):
        graph = setting.graph(name)
        longest = int(graph.degree().max())
        for key in SIZED:
            trials = {w.name: setting.try_out(graph, PATTERNS[key], w, switches=Switches()) for w in WAYS}
            agreed(trials)
            found.rows.append(row(name, graph.num_edges, longest, key, trials))
    found.plots["hubs-sizes"] = plot(found, "edges", "Growing R-MAT graphs")
    return found


def growing_hub(setting: Setting, base: str = BASE, hubs: tuple[int, ...] = HUBS) -> Study:
    """One graph and a hub of growing degree: equal to the closed forms."""
    found = Study(
        "hubs-degrees", f"{base} and a hub joined to more and more vertices: milliseconds, search memory"
    )
    if not is_there(setting.data, base):
        return found
    graph = setting.data.graph(base)
    forms = HubForms(graph)
    for degree in hubs:
        if setting.late or (setting.rehearsal and degree > min(hubs)):
            break
        whole = with_hub(graph, degree)
        for key, expected in forms.counts(degree).items():
            pattern = PATTERNS[key]
            trials = {
                w.name: setting.try_out(whole, pattern, w, expected=expected, switches=Switches())
                for w in WAYS
            }
            found.rows.append(row(base, whole.num_edges, degree, key, trials))
    found.plots["hubs-degrees"] = plot(found, "max degree", "A growing hub")
    return found


def row(graph: str, edges: int, degree: int, pattern: str, trials: dict[str, Trial]) -> dict[str, object]:
    count = next((t.count for t in trials.values() if t.count is not None), None)
    line = {"graph": graph, "edges": edges, "max degree": degree, "pattern": pattern, "count": count}
    for name, trial in trials.items():
        line[f"{name} ms"], line[f"{name} MB"] = trial.shown, trial.search_mb
    return line


def plot(found: Study, across: str, title: str) -> str:
    lines: dict[str, list[tuple[float, float | None]]] = {}
    for r in found.rows:
        value = r["stack ms"] if isinstance(r["stack ms"], float) else None
        lines.setdefault(r["pattern"], []).append((r[across], value))
    return line_chart(title, across, "milliseconds (stack)", lines, log_x=True, log_y=True)
