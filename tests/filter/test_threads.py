"""`threads=1` holds before the search, too: no filter, candidate graph or table starts a thread of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import subiso as si
from subiso.engine.query import make_query
from subiso.filter.candidate_graph import with_candidate_graph
from subiso.filter.resolve import resolve
from subiso.storage.statistics import statistics_of

needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")


@contextmanager
def watched() -> Iterator[list[int]]:
    """The most threads of this process at a time, beside those that were there before."""
    most, over = [0], threading.Event()
    before: list[int] = []

    def look() -> None:
        before.append(len(os.listdir("/proc/self/task")))
        ready.set()
        while not over.is_set():
            most[0] = max(most[0], len(os.listdir("/proc/self/task")) - before[0])

    ready = threading.Event()
    watcher = threading.Thread(target=look)
    watcher.start()
    ready.wait()
    try:
        yield most
    finally:
        over.set()
        watcher.join()


def labelled() -> si.Graph:
    """Lists that are long enough for several threads; nothing is kept with the graph yet."""
    return si.generators.with_labels(si.generators.rmat(scale=15, edge_factor=24, seed=1), 3, seed=1)


PATTERN = "(a:0)--(b:1)--(c:2)--(a), (c)--(d:0)"


@needs_proc
@pytest.mark.parametrize("filters", [None, ("signature",), ("degree", "frequency", "refine")])
def test_filters(filters: tuple[str, ...] | None) -> None:
    query = make_query(labelled(), PATTERN)
    with watched() as most:
        resolve(query, filters, 1)
    assert most[0] == 0


@needs_proc
def test_candidate_graphs() -> None:
    graph = labelled()
    resolved, stats = resolve(make_query(graph, PATTERN), None, 1), statistics_of(graph)
    with watched() as most:
        assert with_candidate_graph(resolved, stats, "always").candidate_graph is not None
    assert most[0] == 0


@needs_proc
def test_estimates() -> None:
    graph = si.generators.rmat(scale=15, edge_factor=24, seed=1)
    with watched() as most:
        si.count(graph, "(a)--(b)--(c)--(d)--(a), (d)--(e)--(b)", approx=0.2, seed=1, threads=1)
    assert most[0] == 0


def test_counts_do_not_depend_on_them() -> None:
    graph = labelled()
    assert len({si.count(graph, PATTERN, threads=t) for t in (1, 2, 5)}) == 1
