"""Which motifs go to a device, without one: an engine that says it was asked."""

from __future__ import annotations

from typing import Any

import pytest

import subiso as si
from subiso.engine import cuda, motifs, reference
from subiso.engine.base import Params, StoppedBy
from subiso.errors import DeviceMemoryError, UnsupportedError

GRAPH = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
SUMS = {"stars2": 500, "cliques3": 7}


class Device:
    """Counts pattern by pattern as the reference does, and motifs as nobody does."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.count = reference.count
        self.stream = reference.stream

    def motif_sums(
        self, graph: si.Graph, size: int, params: Params
    ) -> tuple[dict[str, int], StoppedBy | None]:
        if self.error is not None:
            raise self.error
        return SUMS, "timeout" if params.timeout == 0 else None


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    made = Device()
    monkeypatch.setattr(cuda, "engine_on", lambda *_: made)
    monkeypatch.setattr(cuda, "why_not", lambda: None)
    return made


def counts(**options: Any) -> list[int]:
    return list(si.motifs(GRAPH, 3, **options).values())


def test_a_device_that_is_asked_for_makes_the_sums() -> None:
    assert counts(device="cuda") == [500, 7]
    assert counts(device="cuda", induced=True) == [500 - 3 * 7, 7]
    with pytest.raises(si.TimeoutReached, match="within 0 s"):
        counts(device="cuda", timeout=0)


def test_a_schedule_counts_pattern_by_pattern() -> None:
    assert counts(device="cuda", schedule="fine") == [5, 1]


def test_auto_takes_the_device_for_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert counts() == counts(device="cpu") == [5, 1]
    monkeypatch.setattr(motifs, "DEVICE_COST", 0)
    assert counts() == [500, 7]
    assert counts(device="cpu") == counts(threads=1) == counts(engine="reference") == [5, 1]
    monkeypatch.setattr(cuda, "why_not", lambda: "there is none")
    assert counts() == [5, 1]


@pytest.mark.parametrize("error", [DeviceMemoryError("no room"), UnsupportedError("no room")])
def test_what_fails_there_is_counted_here(
    device: Device, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    device.error = error
    monkeypatch.setattr(motifs, "DEVICE_COST", 0)
    with pytest.warns(UserWarning, match="no room"):
        assert counts() == [5, 1]
    with pytest.raises(type(error)):
        counts(device="cuda")
