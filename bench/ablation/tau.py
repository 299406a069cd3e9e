"""The initial pool's threshold (gMatch's figures 16 and 17): time with and without sharing, and the pool's memory."""

from __future__ import annotations

from bench.ablation.setting import Setting, Way, agreed
from bench.ablation.study import Study
from bench.plot import line_chart

THRESHOLDS = (0, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""Partial matches; 0 starts from the seeds, and so does a threshold that the seeds exceed."""
GRAPHS = ("wiki-Vote", "email-Enron", "loc-Gowalla")
PATTERNS = ("P2", "P9")


def study(setting: Setting) -> Study:
    """A row per graph, pattern and threshold."""
    found = Study(
        "tau", "Milliseconds and search memory by the threshold of the initial pool, grown from seeds"
    )
    for name in setting.each(GRAPHS):
        graph = setting.graph(name)
        for key, pattern in setting.patterns(*PATTERNS).items():
            expected = setting.expected(name, pattern)
            for tau in THRESHOLDS:
                base = {"tau": tau, "edges": False}
                trials = {
                    way.name: setting.try_out(graph, pattern, way, expected=expected)
                    for way in (Way("shared", "fine", base), Way("alone", "fine", {**base, "share": False}))
                }
                agreed(trials)
                found.rows.append(
                    {
                        "graph": name,
                        "pattern": key,
                        "tau": tau,
                        "shared ms": trials["shared"].shown,
                        "alone ms": trials["alone"].shown,
                        "search MB": trials["shared"].search_mb,
                    }
                )
    for column, label in (("shared ms", "milliseconds"), ("search MB", "megabytes beside the graph")):
        found.plots[f"tau-{column.split()[1].lower()}"] = line_chart(
            "The initial pool", "tau", label, series(found, column), log_x=True, log_y=True
        )
    return found


def series(found: Study, column: str) -> dict[str, list[tuple[float, float | None]]]:
    """Lines of a plot; what is no number (a run that was stopped) is left out."""
    lines: dict[str, list[tuple[float, float | None]]] = {}
    for row in found.rows:
        value = row[column] if isinstance(row[column], float) else None
        lines.setdefault(f"{row['graph']} {row['pattern']}", []).append((max(row["tau"], 1), value))
    return lines
