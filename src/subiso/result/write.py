"""Sinks: a stream of record batches into a Parquet, CSV, JSON or Arrow file, a batch in memory at a time."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from subiso.errors import FormatError

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".feather": "arrow",
}


def write(schema: pa.Schema, batches: Iterable[pa.RecordBatch], path: Path, format: str | None = None) -> int:
    """Write beside the path and rename at the end, so that a file of that name is never half a result."""
    sink = _sink(path, format)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            rows = sink(schema, batches, file)
        part.replace(path)
    except OSError as error:
        raise FormatError(f"cannot write: {error.strerror or error}", path=str(path)) from error
    finally:
        part.unlink(missing_ok=True)
    return rows


def _sink(path: Path, format: str | None) -> Callable[[pa.Schema, Iterable[pa.RecordBatch], IO[bytes]], int]:
    name = format or SUFFIXES.get(path.suffix.lower())
    if name not in SINKS:
        what = f"unknown format {format!r}" if format else f"the suffix {path.suffix!r} names no format"
        raise FormatError(what, path=str(path), hint="use " + ", ".join(SINKS))
    return SINKS[name]


def write_parquet(schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> int:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(file, schema) as writer:
        return _write_all(batches, writer)


def write_arrow(schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> int:
    import pyarrow as pa

    with pa.ipc.new_file(file, schema) as writer:
        return _write_all(batches, writer)


def write_csv(schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> int:
    import pyarrow.csv

    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(schema.names)
    file.write(header.getvalue().encode())
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="needed")
    with pyarrow.csv.CSVWriter(file, schema, write_options=options) as writer:
        return _write_all(batches, writer)


def _write_all(batches: Iterable[pa.RecordBatch], writer: Any) -> int:
    """Through a writer of PyArrow; the number of rows."""
    rows = 0
    for batch in batches:
        writer.write_batch(batch)
        rows += batch.num_rows
    return rows


def write_jsonl(schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> int:
    """One object per line."""
    rows = 0
    for batch in batches:
        for row in batch.to_pylist():
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        rows += batch.num_rows
    return rows


def write_json(schema: pa.Schema, batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> int:
    """One array of objects, an object per line."""
    rows = 0
    file.write(b"[")
    for batch in batches:
        for row in batch.to_pylist():
            file.write((b",\n " if rows else b"\n ") + json.dumps(row, ensure_ascii=False).encode())
            rows += 1
    file.write(b"\n]\n" if rows else b"]\n")
    return rows


SINKS = {
    "parquet": write_parquet,
    "csv": write_csv,
    "json": write_json,
    "jsonl": write_jsonl,
    "arrow": write_arrow,
}
