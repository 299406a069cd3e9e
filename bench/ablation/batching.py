"""Partial matches dealt together (gMatch's tables 5 and 6): time and idle lanes, naive, unrolled and batched."""

from __future__ import annotations

from typing import Any

from bench.ablation.setting import PACKED, Setting, Trial, Way, agreed
from bench.ablation.study import Study, mean
from bench.plot import bar_chart
from subiso.pattern import Pattern

# Coarse-grained systems keep sets and give a warp one partial match, or a fixed number of them.
WAYS = (
    Way("naive", "stack", {"batch": 1}),
    Way("unroll-4", "stack", {"batch": 4}),
    Way("unroll-8", "stack", {"batch": 8}),
    Way("fine", "fine", {"batch": 1}),
    Way("fine+batch", "fine", {"batch": 32}),
)
PATTERNS = ("P1", "P2", "P4", "P8", "P9")
LABELLED = "email-Enron/labels16"
QUERIES = 6
MOST_EMBEDDINGS = 2_000_000_000


def study(setting: Setting) -> Study:
    """A row per graph and pattern; a graph's last row is the mean."""
    found = Study("batching", "Milliseconds and idle-lane rate by how many partial matches a warp deals out")
    for name in setting.each((*PACKED, LABELLED)):
        trials = labelled(setting, name) if name == LABELLED else plain(setting, name)
        if not trials:
            continue
        for pattern, row in trials.items():
            agreed(row)
            found.rows.append(line(name, pattern, row))
        # Of a run that was stopped, the rate is that of a part: such patterns do not enter the mean.
        whole = [row for row in trials.values() if all(trial.whole for trial in row.values())]
        idle = {way.name: mean(row[way.name].idle for row in whole) for way in WAYS}
        found.rows.append({**dict.fromkeys(found.rows[-1]), "graph": name, "pattern": "mean"})
        found.rows[-1].update({f"{way} idle": rate for way, rate in idle.items()})
        naive, batched = idle["naive"], idle["fine+batch"]
        text = f"{name}: batching at least halves the naive idle rate"
        if naive is None or batched is None:
            found.claim(f"{text} (no pattern was measured to its end)", False)
        else:
            numbers = f"({naive:.1%} -> {batched:.1%}, {len(whole)} of {len(trials)} patterns)"
            found.claim(f"{text} {numbers}", batched <= naive / 2)
            found.claim(f"{name}: with batching fewer than 5% of the lanes are idle", batched < 0.05)
    means = {r["graph"]: r for r in found.rows if r["pattern"] == "mean"}
    found.plots["batching-idle"] = bar_chart(
        "Idle lanes",
        "idle-lane rate",
        list(means),
        {way.name: [row[f"{way.name} idle"] for row in means.values()] for way in WAYS},
    )
    return found


def plain(setting: Setting, name: str) -> dict[str, dict[str, Trial]]:
    """The patterns without labels."""
    graph = setting.graph(name)
    return {
        key: {
            way.name: setting.try_out(
                graph, pattern, way, expected=setting.expected(name, pattern), measure=True
            )
            for way in WAYS
        }
        for key, pattern in setting.patterns(*PATTERNS).items()
    }


def labelled(setting: Setting, name: str) -> dict[str, dict[str, Trial]]:
    """Some queries of twelve vertices, whose candidates are few: where gMatch measured its idle rates."""
    graph = setting.graph(name)
    known = [q for q in setting.data.labelled_queries()[name] if q["embeddings"] is not None]
    queries = sorted((q for q in known if q["embeddings"] < MOST_EMBEDDINGS), key=lambda q: q["embeddings"])
    step = max(1, len(queries) // QUERIES)
    trials: dict[str, dict[str, Trial]] = {}
    for query in queries[::-step][:QUERIES]:  # of all sizes, the largest first
        pattern = Pattern.from_edges(query["edges"], vertex_labels=query["labels"])
        trials[query["name"]] = {
            way.name: setting.try_out(
                graph,
                pattern,
                Way(way.name, way.schedule, {**way.wishes, "fixed": False}),  # else a kernel for each of them
                expected=query["embeddings"],
                measure=True,
                unique=False,
            )
            for way in WAYS
        }
    return trials


def line(graph: str, pattern: str, trials: dict[str, Trial]) -> dict[str, Any]:
    """One row of the table."""
    count = next((t.count for t in trials.values() if t.count is not None), None)
    kept = any(trial.sets for trial in trials.values())
    row: dict[str, Any] = {"graph": graph, "pattern": pattern, "count": count, "sets": kept}
    for name, trial in trials.items():
        row[f"{name} ms"], row[f"{name} idle"] = trial.shown, trial.idle
    return row
