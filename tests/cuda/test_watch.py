"""Looking after runs without a device: limits, cancellation, several runs under one watch."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from subiso.engine.base import Params
from subiso.engine.cuda.watch import Watch


@dataclass
class Run:
    """Ends when it was told to stop often enough, or when its time is over."""

    stops: int = 1
    seconds: float = 5.0
    told: int = 0
    began: float = field(default_factory=time.perf_counter)

    def stop(self) -> None:
        self.told += 1

    def progress(self) -> float:
        return 0.5

    def ready(self) -> bool:
        return self.told >= self.stops or time.perf_counter() - self.began > self.seconds

    def value(self) -> NDArray[np.uint8]:
        return np.zeros(0, np.uint8)


class Winner:
    """A rival who has the answer."""

    def searching(self) -> None: ...

    def overtakes(self) -> bool:
        return True


def test_a_timeout_stops_a_run() -> None:
    watch, run = Watch(Params(timeout=0.02), time.perf_counter()), Run()
    watch.wait(run, run)
    assert (watch.stopped_by, run.told) == ("timeout", 1)


def test_a_stopped_watch_stops_every_further_run() -> None:
    """Runs that were begun together wait behind each other; the later ones must end too."""
    watch = Watch(Params(timeout=0.02), time.perf_counter())
    for run in (Run(), Run(stops=3)):
        watch.wait(run, run)
        assert run.told == run.stops


def test_what_stops_one_machine_stops_all() -> None:
    leader, follower = Watch(Params(timeout=0.02), time.perf_counter()).shared(2)
    for watch, run in ((leader, Run()), (follower, Run())):
        watch.wait(run, run)
        assert (run.told, watch.stopped_by) == (1, "timeout")


def test_runs_that_follow_each_other_are_one() -> None:
    """Each shows its part of the progress; what stops one stops those behind it."""
    seen: list[float] = []
    whole = Watch(Params(poll=lambda: len(seen) > 1, progress=seen.append), time.perf_counter())
    for i in range(2):
        run = Run()
        whole.part(i, 2).wait(run, run)
        assert (run.told, whole.stopped_by) == (1, "cancelled")
    assert seen[:2] == [0.25, 0.25]
    won = Watch(Params(), time.perf_counter(), Winner())
    assert won.part(0, 2).expired() and won.stopped_by == "cancelled"


def test_polling_cancels_and_progress_is_shown() -> None:
    seen: list[float] = []
    watch, run = Watch(Params(poll=lambda: len(seen) > 1, progress=seen.append), time.perf_counter()), Run()
    watch.wait(run, run)
    assert watch.stopped_by == "cancelled" and seen == [0.5, 0.5]


def test_an_interruption_stops_the_run_before_it_is_passed_on() -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    watch, run = Watch(Params(poll=interrupt), time.perf_counter()), Run()
    with pytest.raises(KeyboardInterrupt):
        watch.wait(run, run)
    assert run.told == 1


def test_runs_of_many_short_waits_are_looked_after() -> None:
    seen: list[float] = []
    params = Params(poll=lambda: len(seen) > 1, progress=seen.append)
    watch, run = Watch(params, time.perf_counter() - 1), Run()
    watch.look(run)
    watch.look(run)  # too soon
    assert seen == [0.5]
    watch.looked -= 1
    watch.look(run)
    assert (watch.stopped_by, run.told, seen) == ("cancelled", 1, [0.5, 0.5])
