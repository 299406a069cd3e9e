"""How the reference engine runs: timeouts, cancelling, progress, batches, closing."""

from __future__ import annotations

import numpy as np

from subiso.engine import reference
from subiso.engine.base import Outcome, Params
from subiso.engine.query import Query, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern


def long_query() -> Query:
    n = 40
    u, v = np.triu_indices(n, 1)
    return make_query(Graph.from_edges(u, v, num_vertices=n), Pattern.clique(6))


def short_query() -> Query:
    return make_query(Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), "(a)--(b)")


def test_outcome() -> None:
    outcome = reference.count(short_query(), Params())
    assert outcome.count == 4 and outcome.complete and outcome.stopped_by is None and outcome.seconds > 0
    assert not Outcome(3, "cancelled").complete


def test_timeout_keeps_the_partial_count() -> None:
    outcome = reference.count(long_query(), Params(timeout=0.2))
    assert outcome.stopped_by == "timeout" and outcome.count > 0 and 0.2 <= outcome.seconds < 2


def test_timeout_of_zero_counts_nothing() -> None:
    outcome = reference.count(long_query(), Params(timeout=0))
    assert (outcome.count, outcome.stopped_by) == (0, "timeout")


def test_cancelling() -> None:
    asked = []

    def poll() -> bool:
        asked.append(True)
        return len(asked) > 1

    outcome = reference.count(long_query(), Params(poll=poll))
    assert outcome.stopped_by == "cancelled" and len(asked) == 2


def test_progress_rises_to_one() -> None:
    seen: list[float] = []
    reference.count(long_query(), Params(progress=seen.append, timeout=0.5))
    assert seen and seen == sorted(seen) and seen[-1] < 1
    seen.clear()
    reference.count(short_query(), Params(progress=seen.append))
    assert seen == [1.0]


def test_stream_in_batches() -> None:
    batches = list(reference.stream(short_query(), Params(batch_rows=3)))
    assert [len(b) for b in batches] == [3, 1]
    assert all(b.dtype == np.uint32 and b.shape[1] == 2 for b in batches)


def test_stream_that_times_out_gives_what_it_has() -> None:
    stream = reference.stream(long_query(), Params(timeout=0.2))
    rows = sum(len(b) for b in stream)
    assert rows > 0 and stream.stopped_by == "timeout"


def test_closing_a_stream() -> None:
    stream = reference.stream(long_query(), Params(batch_rows=10))
    assert len(next(stream)) == 10
    stream.close()
    stream.close()
    assert list(stream) == [] and stream.stopped_by == "cancelled"


def test_closing_after_the_end_changes_nothing() -> None:
    stream = reference.stream(short_query(), Params())
    list(stream)
    stream.close()
    assert stream.stopped_by is None
