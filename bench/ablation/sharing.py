"""Work handed over between warps (gMatch's table 8, STMatch's figure 12): on, off, and down to which level."""

from __future__ import annotations

from bench.ablation.setting import PACKED, Setting, Way, agreed, speedup
from bench.ablation.study import Study, geometric_mean
from bench.plot import bar_chart

# Starting from seeds, a hub is one task: the pool of edges hides most of what sharing is for, so both are shown.
OFF, ON = Way("off", "stack", {"share": False}), Way("on", "stack")
SEEDS = {"edges": False, "tau": 0}
SWITCHED = (
    Way("seeds, off", "stack", {"share": False, **SEEDS}),
    Way("seeds, on", "stack", SEEDS),
    OFF,
    ON,
)
LEVELS = tuple(
    Way(f"stop {stop}, detect {detect}", "stack", {"stop_level": stop, "detect_level": detect, **SEEDS})
    for stop, detect in ((0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (32, 32))
)
PATTERNS = ("P2", "P4", "P9")
SWEPT = ("P9",)
SWEPT_GRAPHS = ("wiki-Vote", "loc-Gowalla")


def study(setting: Setting) -> Study:
    """A row per graph and pattern: times, speed-ups, hand-overs."""
    found = Study("sharing", "Milliseconds with and without handing work over, from seeds and from edges")
    names = setting.chosen(PACKED)
    for name in setting.each(PACKED):
        graph = setting.graph(name)
        for key, pattern in setting.patterns(*PATTERNS).items():
            expected = setting.expected(name, pattern)
            trials = {
                way.name: setting.try_out(
                    graph, pattern, way, expected=expected, measure=way.name == "seeds, on"
                )
                for way in SWITCHED
            }
            agreed(trials)
            row = {"graph": name, "pattern": key, **{way: trial.shown for way, trial in trials.items()}}
            row["seeds speed-up"] = speedup(trials["seeds, off"], trials["seeds, on"])
            row["speed-up"] = speedup(trials["off"], trials["on"])
            row["hand-overs"] = trials["seeds, on"].gifts
            found.rows.append(row)
    ups = [[r for r in found.rows if r["graph"] == name] for name in names]
    found.plots["sharing"] = bar_chart(
        "What handing over gains",
        "times faster (geometric mean)",
        names,
        {
            "from seeds": [geometric_mean(r["seeds speed-up"] for r in rows) for rows in ups],
            "from edges": [geometric_mean(r["speed-up"] for r in rows) for rows in ups],
        },
    )
    return found


def levels(setting: Setting) -> Study:
    """How deep work is handed over (StopLevel) and how deep anybody looks who is idle (DetectLevel)."""
    found = Study(
        "sharing-levels", "Milliseconds by the levels down to which work is handed over and asked for"
    )
    for name in setting.each(SWEPT_GRAPHS):
        graph = setting.graph(name)
        for key, pattern in setting.patterns(*SWEPT).items():
            expected = setting.expected(name, pattern)
            trials = {way.name: setting.try_out(graph, pattern, way, expected=expected) for way in LEVELS}
            agreed(trials)
            found.rows.append({"graph": name, "pattern": key, **{w: t.shown for w, t in trials.items()}})
    return found
