"""The stages against plain Python on random rows, in random batches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subiso.engine.clock import Deadline
from subiso.result import stages
from subiso.result.stages import Report


@st.composite
def batches(draw: st.DrawFn) -> list[Any]:
    width = draw(st.integers(1, 3))
    kind = draw(st.sampled_from([np.uint32, np.int64]))
    row = st.lists(st.integers(0, 4), min_size=width, max_size=width)
    return [
        np.array(b, dtype=kind).reshape(-1, width)
        for b in draw(st.lists(st.lists(row, max_size=6), max_size=5))
    ]


def flat(tables: Any) -> list[tuple[int, ...]]:
    return [tuple(row) for table in tables for row in table.tolist()]


@given(batches())
def test_distinct(given_batches: list[Any]) -> None:
    found = flat(stages.distinct(given_batches, 5))
    assert sorted(found) == sorted(set(flat(given_batches)))


@given(batches(), st.integers(0, 8))
def test_first(given_batches: list[Any], limit: int) -> None:
    report = Report()
    every = flat(given_batches)
    assert flat(stages.first(given_batches, limit, report)) == every[:limit]
    assert report.stopped_by == ("limit" if len(every) > limit else None)


@given(batches(), st.one_of(st.none(), st.integers(0, 8)), st.integers(1, 3))
def test_in_order(given_batches: list[Any], limit: int | None, batch_rows: int) -> None:
    report = Report()
    every = sorted(flat(given_batches))
    assert flat(stages.in_order(given_batches, limit, report, batch_rows)) == every[:limit]
    assert report.stopped_by == ("limit" if limit is not None and len(every) > limit else None)


@given(batches(), st.integers(0, 6), st.integers(0, 2**70))
def test_sample_does_not_depend_on_order_or_batches(given_batches: list[Any], size: int, seed: int) -> None:
    for merge in (False, True):
        every = list(dict.fromkeys(flat(given_batches))) if merge else flat(given_batches)
        found = flat(stages.sample(given_batches, size, seed, merge=merge))
        assert len(found) == min(size, len(every)) and not Counter(found) - Counter(every)
        turned = [batch[::-1] for batch in reversed(given_batches)]
        assert flat(stages.sample(turned, size, seed, merge=merge)) == found


def test_sample_in_many_batches_keeps_the_smallest_hashes() -> None:
    rows = np.arange(200_000, dtype=np.uint32).reshape(-1, 1)
    whole = flat(stages.sample([rows], 50, 3, merge=False))
    parts = flat(stages.sample(np.array_split(rows, 20), 50, 3, merge=False))
    assert whole == parts
    hashes = stages.hash_rows(rows, 3)
    assert [r for (r,) in whole] == np.argsort(hashes)[:50].tolist()


def test_sample_is_uniform() -> None:
    """Over many seeds each of ten rows is drawn equally often (chi-square, 9 degrees, p > 0.001)."""
    rows = np.arange(10, dtype=np.uint32).reshape(-1, 1)
    drawn = Counter(r for seed in range(3000) for (r,) in flat(stages.sample([rows], 3, seed, merge=False)))
    expected = 3000 * 3 / 10
    assert sum((drawn[r] - expected) ** 2 / expected for r in range(10)) < 27.9


@pytest.mark.parametrize("limit", [3, None])
def test_in_order_holds_no_more_than_asked(limit: int | None) -> None:
    report = Report()
    rows = np.random.default_rng(1).permutation(1000).astype(np.uint32).reshape(-1, 1)
    found = flat(stages.in_order(np.array_split(rows, 100), limit, report, 10))
    assert found == [(i,) for i in range(1000)][:limit]


def test_in_order_leaves_time_to_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rest would take to sort is not there any more: the search is closed, and what it gave is sorted."""
    given, closed = np.random.default_rng(2).integers(0, 99, (10, 5000, 2)), []

    def found() -> Iterator[Any]:
        try:
            yield from given
        finally:
            closed.append(len(closed))

    assert len(flat(stages.in_order(found(), None, Report(), 1000, Deadline(3600.0)))) == 50_000
    ticks = iter(1e9 * i if i < 2 else 1e9 + i * 1e-9 for i in range(20))
    with monkeypatch.context() as disturbed:  # one trial that took years among others does not count
        disturbed.setattr(time, "perf_counter", lambda: next(ticks))
        sorting, batch = stages._Sorting(), given[0]
        foretold = [sorting.seconds(10**6, batch) for _ in range(5)]
    assert foretold[0] > 1e9 and max(foretold[1:]) < 1
    monkeypatch.setattr(stages, "_MISSES", 1e9)
    report, search = Report(), found()
    rows = flat(stages.in_order(search, None, report, 1000, Deadline(3600.0)))
    assert rows == sorted(map(tuple, given[0].tolist()))
    assert report.stopped_by == "timeout" and closed == [0, 1] and next(search, None) is None
