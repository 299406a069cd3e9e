"""device="auto" without a device: when it would take one, and what it does when that fails."""

from __future__ import annotations

import time

import pytest

from subiso.engine import auto, cpu, cuda
from subiso.engine.base import Outcome, Params
from subiso.engine.query import Query, make_query
from subiso.errors import DeviceMemoryError, UnsupportedError
from subiso.graph import Graph
from subiso.pattern import Pattern


@pytest.fixture
def query(monkeypatch: pytest.MonkeyPatch) -> Query:
    """A query that is worth a device, which is there."""
    monkeypatch.setattr(auto, "DEVICE_COST", 0)
    monkeypatch.setattr(cuda, "why_not", lambda: None)
    return make_query(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3]), Pattern.clique(3))


def test_long_counts_go_to_the_device(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "count", lambda *_: Outcome(42))
    assert auto.count(query).count == 42


def test_the_device_gets_the_time_that_is_left(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def slowly(*_: object) -> None:
        time.sleep(0.3)

    def device(_: Query, params: Params) -> Outcome:
        given.append(params.timeout)
        return Outcome(42, seconds=0.0)

    monkeypatch.setattr(cpu, "count_without_plan", slowly)
    monkeypatch.setattr(cuda, "count", device)
    found = auto.count(query, Params(timeout=10.0))
    assert given[0] is not None and 5 < given[0] < 9.75 and found.seconds > 0.25
    auto.count(query, Params(timeout=0.1))
    auto.count(query)
    assert given[1:] == [0.0, None]


def test_the_rest_stays(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "count", lambda *_: Outcome(42))
    assert auto.count(query, Params(threads=1)).count == 1
    monkeypatch.setattr(cuda, "why_not", lambda: "no device")
    assert auto.on_device(query) == (False, "no device") and auto.count(query).count == 1
    monkeypatch.setattr(auto, "DEVICE_COST", 1e10)
    assert auto.count(query).count == 1


@pytest.mark.parametrize("error", [DeviceMemoryError("no room"), UnsupportedError("no room")])
def test_what_fails_there_is_counted_here(
    query: Query, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Outcome:
        raise error

    monkeypatch.setattr(cuda, "count", fail)
    with pytest.warns(UserWarning, match="counting on the CPU: no room"):
        assert auto.count(query).count == 1
