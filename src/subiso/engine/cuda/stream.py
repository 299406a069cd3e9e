"""Listing on machines: an iterator over batches of matches, in no particular order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Protocol

from subiso.engine.base import Rows, StoppedBy
from subiso.engine.cuda.search import SearchRun
from subiso.engine.cuda.several import rows_of
from subiso.engine.cuda.watch import Watch


class Listing(Protocol):
    """A run that lists, by any schedule."""

    def rows(self, watch: Watch) -> Iterator[Rows]: ...

    def stop(self) -> None: ...

    def report(self) -> Any: ...


class Ready:
    """Rows that the host has found before a device was asked."""

    def __init__(self, rows: Rows, batch_rows: int) -> None:
        self._rows, self._batch_rows = rows, batch_rows

    def rows(self, watch: Watch) -> Iterator[Rows]:
        del watch
        for begin in range(0, len(self._rows), self._batch_rows):
            yield self._rows[begin : begin + self._batch_rows]

    def stop(self) -> None:
        """Nothing runs."""

    def report(self) -> None:
        """No device did anything."""


class CudaStream:
    """The batches of runs that share a query, one per machine; a device runs ahead by one buffer."""

    def __init__(self, runs: Sequence[Listing], watch: Watch, done: Callable[[Any], None]) -> None:
        """`done` hears what the first run did, when all is over."""
        self._runs = runs
        self._done = done
        self._watch = watch
        self._batches: Iterator[Rows] = iter(())
        if len(runs) == 1:
            self._batches = runs[0].rows(self._watch)
        elif runs:
            together = [run for run in runs if isinstance(run, SearchRun)]
            self._batches = rows_of(together, self._watch.shared(len(together)))

    @property
    def stopped_by(self) -> StoppedBy | None:
        return self._watch.stopped_by

    def __iter__(self) -> CudaStream:
        return self

    def __next__(self) -> Rows:
        try:
            return next(self._batches)
        except StopIteration:
            self._end()
            raise

    def close(self) -> None:
        """Stop the search and let its memory go; before the end, that cancels the rest."""
        if self._runs:
            self._watch.stopped_by = self._watch.stopped_by or "cancelled"
            self._stop()
        self._end()

    def _stop(self) -> None:
        for run in self._runs:
            run.stop()

    def _end(self) -> None:
        runs, self._runs = self._runs, ()
        batches, self._batches = self._batches, iter(())
        if isinstance(batches, Generator):
            batches.close()
        if runs:
            self._done(runs[0].report())

    def __del__(self) -> None:
        self._stop()
