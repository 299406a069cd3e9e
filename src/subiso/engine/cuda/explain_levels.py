"""Schedule `levels` in words: its steps, who checks edges, where results go, what is on the device meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from subiso.engine.cuda.levels_prepare import outline
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import room_on
from subiso.engine.cuda.tune import Wishes
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved
from subiso.plan.plan import Plan


def levels_text(
    plan: Plan,
    resolved: Resolved,
    machine: Description,
    wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
) -> str:
    """What the schedule makes of a plan; nothing where the plan is too much for its tables."""
    levels = wishes.levels
    if not machine.memory and levels.partition is None:
        # Nobody knows what there is room for, and some stores are made to be measured.
        wishes = replace(wishes, levels=replace(levels, partition=False))
    try:
        found = outline(room_on(machine), resolved, plan, wishes)
    except UnsupportedError:
        return ""
    kinds = [stage.kind for stage in found.stages]
    width = max((phase.width for phase in found.phases), default=1)
    parts = [
        f"{len(kinds)} step{'s' * (len(kinds) > 1)} ({_runs(kinds)})",
        "a vertex each" if width == 1 else f"up to {width} vertices each",
        "edges eliminated by steps of their own" if "sift" in kinds else "edges checked with their vertex",
        f"output {levels.output}",
        "only what a step reads on the device" if found.partitioned else "the whole graph on the device",
    ]
    return ", ".join([*parts, *(["the first descent in one launch"] if found.at_once else [])])


def _runs(kinds: Iterable[str]) -> str:
    """
    >>> _runs(["seed", "join", "join", "sift", "join"])
    'seed, 2 join, sift, join'
    """
    runs = [(kind, len(list(same))) for kind, same in groupby(kinds)]
    return ", ".join(kind if number == 1 else f"{number} {kind}" for kind, number in runs)
