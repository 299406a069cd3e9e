"""Schedule `stack` piece by piece (STMatch's figure 13 in kind): kept sets, unrolling, bit rows, edges as the pool."""

from __future__ import annotations

from bench.ablation.setting import PACKED, Setting, Way, agreed, speedup
from bench.ablation.study import Study, mean
from bench.plot import line_chart

UNROLLED = tuple(Way(f"unroll {size}", "stack", {"batch": size}) for size in (1, 4, 8, 16, 32))
WHOLE = UNROLLED[-1]
WITHOUT = (
    Way("no kept sets", "fine"),
    Way("no bit rows", "stack", {"hub_bytes": 0}),
    Way("no edge pool", "stack", {"edges": False}),
)
PATTERNS = ("P2", "P8", "P9")


def study(setting: Setting) -> Study:
    """A row per graph and pattern: all of it, then without one technique at a time."""
    found = Study("stack", "Schedule stack without one technique at a time: milliseconds, and times slower")
    for name in setting.each(PACKED):
        graph = setting.graph(name)
        for key, pattern in setting.patterns(*PATTERNS).items():
            expected = setting.expected(name, pattern)
            ways = (WHOLE, *WITHOUT, UNROLLED[0])
            trials = {way.name: setting.try_out(graph, pattern, way, expected=expected) for way in ways}
            agreed(trials)
            whole = trials.pop(WHOLE.name)
            row = {"graph": name, "pattern": key, "sets": whole.sets, "whole": whole.shown}
            for way, trial in trials.items():
                row[way], row[f"{way} x"] = trial.shown, speedup(trial, whole)
            found.rows.append(row)
    return found


def unrolling(setting: Setting) -> Study:
    """Lanes in use by how many set operations are combined."""
    found = Study(
        "stack-unrolling", "Schedule stack: milliseconds and lanes in use by set operations combined"
    )
    names = setting.chosen(PACKED[:4])
    for name in setting.each(PACKED[:4]):
        graph = setting.graph(name)
        for key, pattern in setting.patterns(*PATTERNS).items():
            expected = setting.expected(name, pattern)
            row = {"graph": name, "pattern": key}
            trials = {
                way.name: setting.try_out(graph, pattern, way, expected=expected, measure=True)
                for way in UNROLLED
            }
            agreed(trials)
            for way, trial in trials.items():
                row[way] = trial.shown
                row[f"{way} in use"] = None if trial.idle is None else 1 - trial.idle
            found.rows.append(row)
    found.plots["stack-unrolling"] = line_chart(
        "Lanes in use",
        "set operations combined",
        "mean rate of lanes in use",
        {
            name: [
                (way.wishes["batch"], mean(r[f"{way.name} in use"] for r in found.rows if r["graph"] == name))
                for way in UNROLLED
            ]
            for name in names
        },
    )
    return found
