"""Counts and listings between candidates that are stopped, closed or late: what they say, and that they end."""

from __future__ import annotations

import math
import subprocess
import sys
import threading

import pytest
from tests.native.test_candidates import hesitant_stream, star

import subiso as si
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.candidates import Counter
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve

SEARCH = Params(batch_rows=10, switches=Switches(labelled="search"))
GRAPH, TEXT = star(50), "(a:A)--(b:B), (a)--(c:B)"


def test_a_closed_match_is_cancelled() -> None:
    """Its rows were all there before the first batch was asked for."""
    found = si.match(star(300), TEXT, unique=False, device="cpu", switches=SEARCH.switches)
    taken = 0
    for batch in found.batches():
        taken += batch.num_rows
        found.close()
    assert 0 < taken < 300 * 299 and not found.complete and found.stopped_by == "cancelled"


def test_a_closed_stream_is_cancelled() -> None:
    stream = cpu.stream(make_query(GRAPH, TEXT), Params(batch_rows=10))
    assert len(next(stream)) == 10
    stream.close()
    assert list(stream) == [] and stream.stopped_by == "cancelled"


def test_a_match_that_overtook_its_plan_is_cancelled_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = cpu.stream(hesitant_stream(monkeypatch, 0, math.inf), Params(batch_rows=7))
    assert len(next(stream)) == 7
    stream.close()
    assert list(stream) == [] and stream.stopped_by == "cancelled"


@pytest.mark.parametrize("beside", [True, False])
def test_a_match_that_gave_all_its_rows_is_complete(monkeypatch: pytest.MonkeyPatch, beside: bool) -> None:
    query = hesitant_stream(monkeypatch, 0, math.inf) if beside else make_query(GRAPH, TEXT)
    stream = cpu.stream(query, Params())
    assert len(next(stream))
    stream.close()
    assert stream.stopped_by is None


LATE = """
import threading
import numpy as np
import subiso as si

rng = np.random.default_rng(0)
graph = si.Graph.from_edges(*rng.integers(0, 600, (2, 20_000)), vertex_labels=np.arange(600) % 10)
path = "--".join(f"(v{i}:{i})" for i in range(10))

def late():
    threading.main_thread().join()
    search, plan = si.Switches(labelled="search"), si.Switches(labelled="plan")
    print(len({si.count(graph, path, device="cpu", switches=way) for way in (search, plan)}))
    print(si.match(graph, "(a:0)--(b:1)", device="cpu", switches=search).to_numpy().shape[1])

threading.Thread(target=late).start()
"""


def test_there_are_counts_when_the_main_thread_has_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("1\n2\n", "")


def test_no_thread_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    counter = Counter(resolve(make_query(GRAPH, TEXT)), SEARCH, 1)
    found = counter.searched(None)
    assert found is not None and found.count == 50 * 49 // 2
