"""bench/gpu/timed.py: what is reported of several runs, and of single launches."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
from bench.gpu.timed import best_by_plans, print_launches

from subiso.engine.base import Outcome


class Clock:
    """Stands for a machine whose runs take the milliseconds that are given."""

    def __init__(self, *spent: float) -> None:
        self.spent = list(spent)
        self.ran = False

    def milliseconds(self) -> float:
        ran, self.ran = self.ran, False
        return self.spent.pop(0) if ran else 0.0

    def count(self, *_: Any) -> Outcome:
        self.ran = True
        return Outcome(7, None if self.spent[0] < 9000 else "timeout")

    def launch(self, *_: Any) -> None:
        self.ran = True

    def snapshot(self, *_: Any) -> None: ...


@pytest.mark.parametrize(
    ("spent", "expected", "left"),
    [
        ((1.0, 5.0, 4.0, 6.0), (7, 4.0), 0),  # the first one warms up
        ((2500.0, 2100.0, 1.0, 1.0), (7, 2100.0), 2),  # long ones are not repeated
        ((9999.0, 1.0, 1.0, 1.0), (None, math.inf), 3),
    ],
)
def test_the_best_run(spent: tuple[float, ...], expected: tuple[int | None, float], left: int) -> None:
    clock: Any = Clock(*spent)
    assert best_by_plans(clock, clock, None, 3, 9.0) == expected  # type: ignore[arg-type]
    assert len(clock.spent) == left


def test_launches_of_one_name_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    machine: Any = Clock(1.0, 2.0, 4.0)
    launches = [
        SimpleNamespace(kernel=k, blocks=b, shared=0, args=None) for k, b in (("x", 1), ("y", 2), ("x", 3))
    ]
    print_launches(machine, machine, launches, lambda launch: str(launch.kernel))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["x", "2", "launches", "3", "blocks", "5.000", "ms"]
    assert lines[1] == ["y", "1", "launches", "2", "blocks", "2.000", "ms"]
