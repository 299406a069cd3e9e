"""Results of commands, small tables and streams of matches, as table, CSV, JSON, Parquet or Arrow."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from subiso.errors import FormatError

if TYPE_CHECKING:
    from subiso.result.matches import Matches

FORMATS = ("table", "csv", "json", "jsonl", "parquet", "arrow")
BINARY = ("parquet", "arrow")
TABLES = {"": "table", ".txt": "table"}  # suffixes of a table for people


def choose_format(format: str | None, output: Path | None) -> str:
    """The format asked for, or the one of the output's suffix, or a table."""
    from subiso.result.write import SUFFIXES

    if format is not None and format not in FORMATS:
        raise typer.BadParameter(f"{format!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    chosen = format or (None if output is None else {**SUFFIXES, **TABLES}.get(output.suffix.lower()))
    if chosen is None and output is not None:
        raise typer.BadParameter(
            f"the suffix {output.suffix!r} names no format; use {', '.join(SUFFIXES)}, .txt, or --format",
            param_hint="--output",
        )
    chosen = chosen or "table"
    if chosen in BINARY and output is None:
        raise typer.BadParameter(f"{chosen} is binary: name a file with --output", param_hint="--format")
    return chosen


def emit(rows: Sequence[dict[str, Any]], format: str | None, output: Path | None) -> None:
    """Write a small table: rows of equal keys."""
    chosen = choose_format(format, output)
    if chosen in BINARY:
        from subiso.result.write import write

        assert output is not None
        table = _arrow(rows)
        write(table.schema, table.to_batches(), output, chosen)
        return
    _put(_text(rows, chosen), output)


def emit_table(table: Any, format: str | None, output: Path | None) -> None:
    """Write an Arrow table, which may be large: binary formats, CSV and JSON lines batch by batch."""
    from subiso.result.write import SINKS, write

    chosen = choose_format(format, output)
    if output is not None and chosen in SINKS:
        write(table.schema, table.to_batches(), output, chosen)
    elif chosen in SINKS:
        sys.stdout.flush()
        SINKS[chosen](table.schema, table.to_batches(), sys.stdout.buffer)
    else:
        _put(_text(table.to_pylist(), chosen), output)


def _put(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FormatError(f"cannot write: {error.strerror}", path=str(output)) from error


def _text(rows: Sequence[dict[str, Any]], format: str) -> str:
    if format == "json":
        return json.dumps(list(rows), indent=1, ensure_ascii=False) + "\n"
    if format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    names = list(rows[0]) if rows else []
    values = [[row[name] for name in names] for row in rows]
    if format == "csv":
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows([names, *values])
        return buffer.getvalue()
    return "".join(f"{line}\n" for line in align([names, *values]))


def _arrow(rows: Sequence[dict[str, Any]]) -> Any:
    import pyarrow as pa

    # A count may be larger than any Arrow integer: the whole column is text then.
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    for name, values in columns.items():
        if any(isinstance(v, int) and abs(v) >= 2**63 for v in values):
            columns[name] = [None if v is None else str(v) for v in values]
    return pa.table(columns)


def align(rows: Iterable[Sequence[Any]], widths: list[int] | None = None) -> list[str]:
    """Lines with aligned columns, numbers to the right.

    >>> align([["name", "n"], ["K4", 5], ["path", 1200]])
    ['name     n', 'K4       5', 'path  1200']
    """
    cells = [[_cell(value) for value in row] for row in rows]
    if widths is None:
        widths = [max(len(text) for text, _ in column) for column in zip(*cells, strict=True)]
    right = [any(is_number for _, is_number in column) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if to_right else text.ljust(width)
            for (text, _), width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]


def _cell(value: Any) -> tuple[str, bool]:
    if value is None:
        return "-", True
    if isinstance(value, float):
        return f"{value:.6g}", True
    return str(value), isinstance(value, int) and not isinstance(value, bool)


def emit_matches(matches: Matches, format: str | None, output: Path | None) -> int:
    """Stream the matches to stdout or a file; the number of rows."""
    chosen = choose_format(format, output)
    if output is not None and chosen != "table":
        return matches.write(output, chosen)
    if chosen == "table":
        return _table(matches, output)
    from subiso.result.write import SINKS

    sys.stdout.flush()
    return SINKS[chosen](matches.schema, matches.batches(), sys.stdout.buffer)


def _table(matches: Matches, output: Path | None) -> int:
    """Column widths come from the first rows, so that the rest can be streamed."""
    rows = matches.tuples()
    head = [matches.columns, *islice(rows, 1000)]
    widths = [max(len(str(row[k])) for row in head) for k in range(len(matches.columns))]
    file = sys.stdout if output is None else output.open("w", encoding="utf-8")
    try:
        file.writelines(f"{line}\n" for line in align(head, widths))
        count = len(head) - 1
        while some := list(islice(rows, 10_000)):
            file.writelines(f"{line}\n" for line in align(some, widths))
            count += len(some)
    finally:
        if output is not None:
            file.close()
    return count
