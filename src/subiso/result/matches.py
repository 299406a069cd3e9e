"""Matches: what `match` gives. A recipe that streams its rows on every pass, and keeps them when asked."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from subiso.engine.base import Engine, Params, Rows, StoppedBy, Stream, part_of
from subiso.engine.clock import Deadline
from subiso.engine.query import Query
from subiso.result import stages
from subiso.result.canonical import Canonical
from subiso.result.convert import Converter
from subiso.result.edges import EdgeFinder, edge_column_names
from subiso.result.request import Request, check_request
from subiso.result.stages import Report, Table

if TYPE_CHECKING:
    import networkx
    import pandas
    import polars
    import pyarrow


class Matches:
    """The matches of a pattern, one row each; a column per pattern vertex, holding the graph's own ids.

    Nothing runs until rows are asked for. Every pass (`for row in m`, `m.tuples()`, `m.batches()`,
    `m.write()`) runs the query again and holds one batch at a time; `to_arrow`, `to_pandas`, `to_polars`,
    `to_numpy` and `collect` keep the rows, and passes after that read what was kept. Leaving a loop early
    stops the workers.

    >>> import subiso as si
    >>> g = si.Graph.from_edges(["ann", "bob", "cid"], ["bob", "cid", "ann"])
    >>> m = si.match(g, "(a)--(b), (b)--(c), (c)--(a)", order="sorted")
    >>> list(m)
    [{'a': 'ann', 'b': 'bob', 'c': 'cid'}]
    >>> m.complete, len(m)
    (True, 1)
    """

    def __init__(self, queries: Sequence[Query], engine: Engine, params: Params, request: Request) -> None:
        """Made by `subiso.match`; several queries differ in their anchors only."""
        self._queries, self._engine, self._request = list(queries), engine, request
        self._query = self._queries[0]
        self._positions = check_request(self._query, request)
        names = [*self._query.pattern.names, *edge_column_names(self._query.pattern)]
        self._converter = Converter(
            self._query, [names[i] for i in self._positions], self._positions, request.dense
        )
        ahead = [request.limit + 1] if request.limit is not None and request.order is None else []
        self._params = replace(
            params,
            batch_rows=min([params.batch_rows, *ahead]),
            enough=ahead[0] if ahead and not request.distinct else None,
        )
        self._open: list[Stream] = []
        self._kept: list[Table] | None = None
        self._report: Report | None = None
        self._finished = False

    # ---- what is known about the answer

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._converter.names)

    @property
    def schema(self) -> pyarrow.Schema:
        """The Arrow schema of the batches."""
        return self._converter.schema

    @property
    def complete(self) -> bool:
        """True when the latest pass ran to its end and nothing stopped it."""
        return self._finished and self.stopped_by is None

    @property
    def stopped_by(self) -> StoppedBy | None:
        """What ended the latest pass early: "limit", "timeout" or "cancelled"; None if nothing did (yet)."""
        return None if self._report is None else self._report.stopped_by

    def __len__(self) -> int:
        """The number of rows of the latest pass, known once it has ended."""
        if self._report is None or not self._finished:
            raise TypeError(
                "the number of matches is known once they have been read: call collect() first, or count()"
            )
        return self._report.rows

    def __bool__(self) -> bool:
        raise TypeError("whether there are matches is not known before they are read: use exists() or len()")

    def __repr__(self) -> str:
        if self._report is None:
            state = "not read yet"
        elif not self._finished:
            state = f"{self._report.rows} rows read so far"
        else:
            state = f"{self._report.rows} rows, " + (
                "complete" if self.complete else f"stopped by {self.stopped_by}"
            )
        return f"<Matches of {self._query.pattern}: {state}>"

    # ---- passes, one batch in memory at a time

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts {column: id}."""
        names = self.columns
        return (dict(zip(names, row, strict=True)) for row in self.tuples())

    def tuples(self) -> Iterator[tuple[Any, ...]]:
        """Rows as tuples in the order of `columns`."""
        with closing(self._tables()) as tables:
            for table in tables:
                yield from self._converter.tuples(table)

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Arrow record batches, all of one schema."""
        with closing(self._tables()) as tables:
            for table in tables:
                yield self._converter.record_batch(table)

    def arrays(self) -> Iterator[Table]:
        """Batches as arrays of *dense* vertex numbers and edge ids: the form closest to the engine."""
        return self._tables()

    def reader(self) -> pyarrow.RecordBatchReader:
        """The batches as an Arrow reader, for libraries that consume streams."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self._converter.schema, self.batches())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface: any Arrow library can read a Matches."""
        return self.reader().__arrow_c_stream__(requested_schema)

    def write(self, path: str | Path, format: str | None = None) -> int:
        """Stream to a .parquet, .csv, .json, .jsonl or .arrow file; gives the number of rows written."""
        from subiso.result.write import write

        return write(self._converter.schema, self.batches(), Path(path), format)

    # ---- collecting

    def collect(self) -> Matches:
        """Run now and keep the rows; later passes read them instead of searching again."""
        if self._kept is None:
            self._kept = list(self._tables())
        return self

    def to_arrow(self) -> pyarrow.Table:
        """All rows as an Arrow table."""
        import pyarrow as pa

        self.collect()
        return pa.Table.from_batches(list(self.batches()), self._converter.schema)

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a pandas DataFrame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """All rows as a polars DataFrame."""
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """All rows as one array (rows, columns) of the graph's ids; an object array if they are mixed."""
        self.collect()
        return self._converter.numpy(self._kept or [])

    def to_networkx(self, *, union: bool = False) -> list[networkx.Graph] | networkx.Graph:
        """The matched subgraphs as NetworkX graphs, one per row; with union=True a single graph of them all.

        A graph holds the matched vertices and the data edges that satisfy the pattern's edges. Vertices carry
        `roles`, the pattern vertices they stand for; edges their `id` and, where there is one, `label`.
        """
        self.collect()
        return self._converter.to_networkx(self._kept or [], union=union)

    # ---- running

    def close(self) -> None:
        """Stop the workers of any pass under way. A later pass starts afresh."""
        for stream in list(self._open):
            stream.close()

    def __enter__(self) -> Matches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tables(self) -> Generator[Table, None, None]:
        """One pass: from what was kept, or from the engine through the stages."""
        if self._kept is not None:
            yield from self._kept
            return
        report = self._report = Report()
        self._finished = False
        deadline = Deadline(self._params.timeout)
        with closing(self._rows(report, deadline)) as rows:
            try:
                for table in self._staged(rows, report, deadline):
                    report.rows += len(table)
                    yield table
            except (KeyboardInterrupt, GeneratorExit):
                report.stopped_by = "cancelled"
                raise
            finally:
                self._finished = True

    def _rows(self, report: Report, deadline: Deadline) -> Generator[Rows, None, None]:
        """The engine's rows, query after query; the timeout is for all of them together."""
        for i, query in enumerate(self._queries):
            params = replace(
                self._params,
                timeout=deadline.left(),
                progress=part_of(self._params.progress, i, len(self._queries)),
            )
            stream = self._engine.stream(query, params)
            self._open.append(stream)
            canonical = Canonical(query)
            try:
                for rows in stream:
                    yield canonical(rows)
            finally:
                stream.close()
                self._open.remove(stream)
            if stream.stopped_by is not None:
                report.stopped_by = stream.stopped_by
                return

    def _staged(self, rows: Iterable[Rows], report: Report, deadline: Deadline) -> Iterator[Table]:
        request = self._request
        tables: Iterable[Table] = rows
        if request.sample is not None and not request.distinct:
            tables = stages.sample(tables, request.sample, request.seed, merge=False)
        if any(i >= self._query.pattern.num_vertices for i in self._positions):
            tables = _with_edges(tables, EdgeFinder(self._query))
        if request.columns is not None:
            tables = stages.project(tables, self._positions)
        if request.distinct and request.sample is not None:
            tables = stages.sample(tables, request.sample, request.seed, merge=True)
        elif request.distinct:
            tables = stages.distinct(tables, self._query.graph.num_vertices)
        if request.order == "sorted":
            tables = stages.in_order(tables, request.limit, report, self._params.batch_rows, deadline)
        elif request.limit is not None:
            tables = stages.first(tables, request.limit, report)
        return iter(tables)


def _with_edges(batches: Iterable[Table], finder: EdgeFinder) -> Iterator[Table]:
    for batch in batches:
        yield np.concatenate([batch.astype(np.int64), finder(batch)], axis=1)
