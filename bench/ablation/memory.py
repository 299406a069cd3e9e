"""Device memory beside the graph, for every pattern of the GPU benchmark: nothing of it grows with the graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.ablation.setting import Setting, Way, failure
from bench.ablation.study import Study
from bench.gpu.run import PATTERNS
from subiso.engine.base import Params
from subiso.engine.query import make_query
from subiso.pattern import Pattern

PEERS = Path(__file__).parents[1] / "gpu" / "peers.json"
MOST = 1000.0
"""Megabytes that a counting query may take."""


def study(setting: Setting) -> Study:
    """A row per pattern, a column per graph. Searches are only begun: all buffers are made before a launch."""
    found = Study("memory", "Megabytes of device memory beside the graph, schedule auto")
    known = json.loads(PEERS.read_text())
    names = setting.chosen(tuple(known))
    table: dict[str, dict[str, Any]] = {}
    for name in setting.each(tuple(known)):
        if setting.rehearsal and name.startswith("rmat"):
            continue  # takes long to make, and needs no other kernels
        for pattern in known.get(name) or PATTERNS:
            table.setdefault(pattern, dict.fromkeys(names))[name] = megabytes(setting, name, pattern)
    found.rows = [{"pattern": pattern, **row} for pattern, row in table.items()]
    sizes = [v for row in table.values() for v in row.values() if isinstance(v, float)]
    if sizes:
        found.claim(f"all under 1 GB (most: {max(sizes):.0f} MB)", max(sizes) < MOST)
    return found


def megabytes(setting: Setting, name: str, pattern: str) -> float | str | None:
    """What one query allocates."""
    if setting.late:
        return "left out"
    engine = setting.engine(Way("auto"))
    query = make_query(setting.graph(name), Pattern.from_edges(PATTERNS[pattern]))
    try:
        engine.count(query, Params(timeout=0))
    except Exception as error:  # the other rows are still wanted
        return failure(error)
    return engine.last.search_bytes / 1e6 if engine.last is not None else None
