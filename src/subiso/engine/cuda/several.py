"""One query on several machines: each takes units of the initial pool, as long as there are any.

Every machine has its own copy of the graph and its own thread here. What a machine takes at a time shrinks with what
is left, so that all end together whatever their speed.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from functools import partial

from subiso.engine.aside import begin_aside
from subiso.engine.base import Rows
from subiso.engine.cuda.search import SearchRun
from subiso.engine.cuda.watch import Watch

_ROUNDS = 4
"""A machine takes this part of its fair share of what is left."""
_WAITING = 4
"""Batches per machine that may wait for their reader."""


class Units:
    """Deals the units of a pool to whoever asks.

    >>> units = Units(100, workers=2)
    >>> units.take(), units.take()
    (range(0, 13), range(13, 24))
    """

    def __init__(self, count: int, workers: int) -> None:
        self.count, self.workers = count, workers
        self.next = 0
        self.lock = threading.Lock()

    def take(self) -> range | None:
        """The next units; None when all are taken."""
        with self.lock:
            if self.next >= self.count:
                return None
            begin = self.next
            self.next += -(-(self.count - begin) // (_ROUNDS * self.workers))
            return range(begin, self.next)


def total_of(runs: Sequence[SearchRun], watches: Sequence[Watch]) -> int:
    """The sum of what the machines count; their watches say whether it is complete."""
    units = Units(runs[0].units, len(runs))

    def work(run: SearchRun, watch: Watch) -> int:
        total = 0
        while not watch.expired() and (mine := units.take()) is not None:
            total += run.total(watch, mine)
        return total

    parts: list[Future[int]] = []
    try:
        parts.extend(begin_aside(partial(work, *pair)) for pair in zip(runs, watches, strict=True))
        return sum(part.result() for part in parts)
    finally:
        wait(parts)


def rows_of(runs: Sequence[SearchRun], watches: Sequence[Watch]) -> Iterator[Rows]:
    """The batches of all machines as they come; machines wait when nobody reads."""
    units = Units(runs[0].units, len(runs))
    ready: queue.Queue[Rows | BaseException | None] = queue.Queue(_WAITING * len(runs))
    closed = threading.Event()

    def put(item: Rows | BaseException | None) -> None:
        while not closed.is_set():
            with contextlib.suppress(queue.Full):
                ready.put(item, timeout=0.1)
                break

    def work(run: SearchRun, watch: Watch) -> None:
        try:
            while not closed.is_set() and not watch.expired() and (mine := units.take()) is not None:
                for batch in run.rows(watch, mine):
                    put(batch)
        except BaseException as error:  # raised again where the rows are read
            put(error)
        put(None)

    threads = [
        threading.Thread(target=work, args=pair, daemon=True) for pair in zip(runs, watches, strict=True)
    ]
    for thread in threads:
        thread.start()
    try:
        yield from _until_all_ended(ready.get, len(threads))
    finally:
        closed.set()
        for run in runs:
            run.stop()
        for thread in threads:
            thread.join()


def _until_all_ended(get: Callable[[], Rows | BaseException | None], workers: int) -> Iterator[Rows]:
    while workers:
        item = get()
        if item is None:
            workers -= 1
        elif isinstance(item, BaseException):
            raise item
        else:
            yield item
