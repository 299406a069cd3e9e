"""Ways to run schedule `levels` that force small tables, every kind of output and every kind of rows."""

from __future__ import annotations

import re

from subiso.engine.cuda.levels_tune import LevelsWishes, Limits
from subiso.engine.cuda.tune import Wishes


def wishes(**levels: object) -> Wishes:
    """Two blocks of two warps, unless it says otherwise."""
    return Wishes(hub_length=4, levels=LevelsWishes(**{"warps_per_block": 2, "blocks": 2, **levels}))  # type: ignore[arg-type]


TINY = [
    wishes(),
    wishes(rows=7),
    wishes(at_once=True, rows=7),
    wishes(output="prealloc", rows=9, limits=Limits(2, 4, 8)),
    wishes(operands="reused", alone=3, staged=8, rows=20, at_once=True),
    wishes(output="twice", operands="copied", alone=2, rows=5, limits=Limits(3, 5, 9)),
    wishes(output="prealloc", operands="reused", alone=4, staged=8, cache=False, first_seeds=3),
    wishes(first="rarest", cache=False, live=False, rows=64),
    wishes(output="twice", first="rarest", balance=False, rows=33, blocks=1),
    wishes(limits=Limits(1, 2, 4), operands="copied", rows=40, at_once=True),
    wishes(operands="shared", rows=50, warps_per_block=3),
    wishes(operands="shared", rows=64, staged=6, limits=Limits(4, 8, 12), output="prealloc"),
    wishes(operands="shared", output="twice", first="rarest"),
]
PHASES = [
    wishes(parallel=True),
    wishes(parallel=True, rows=6),
    wishes(parallel=True, eliminate=True),
    wishes(parallel=True, eliminate=True, at_once=True, rows=8),
    wishes(eliminate=True, rows=9),
    wishes(parallel=True, eliminate=True, rows=30, limits=Limits(2, 4, 8), output="prealloc"),
    wishes(parallel=True, first="rarest", cache=False, live=False, output="twice", rows=11),
]
"""Several vertices per step, and elimination."""
PARTITIONS = [
    wishes(partition=True),
    wishes(partition=True, rows=6, beside=False),
    wishes(partition=True, parallel=True, rows=9),
    wishes(partition=True, output="prealloc", rows=7, limits=Limits(2, 4, 8)),
    wishes(partition=True, output="twice", first="rarest", parallel=True, rows=30, beside=False),
]
"""One stage's relations on the device at a time."""


def steps_told(text: str) -> tuple[str, ...]:
    """The kinds of steps that explain names, one by one."""
    found = re.search(r"(\d+) steps? \(([^)]*)\)", text)
    assert found is not None, text
    runs = [run.rpartition(" ") for run in found[2].split(", ")]
    steps = tuple(kind for number, _, kind in runs for _ in range(int(number or 1)))
    assert len(steps) == int(found[1])
    return steps
