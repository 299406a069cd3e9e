"""CSV with quoted fields, through PyArrow's reader; a slow second look with Python's csv names the bad
line.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from subiso.errors import FormatError
from subiso.formats.arrow import to_cells
from subiso.formats.files import TextSource, open_bytes, os_errors
from subiso.formats.layout import MISSING, Layout, ends_hint, is_integer, is_number, text_hint
from subiso.formats.text import Cells, Schema, native

if TYPE_CHECKING:
    from subiso.formats.table import Dialect, Opening


def read_quoted(
    text: TextSource, dialect: Dialect, opening: Opening, layout: Layout, schema: Schema
) -> list[Cells | None]:
    """The columns of the file, in the same form as the native parser gives them."""
    import pyarrow as pa

    if dialect.comments:
        hint = "remove the comment lines, or the quotes, or pass comments=''"
        raise text.error("comments and quoted fields in one file are not supported", hint=hint)
    _check_quotes(text, dialect)
    try:
        with os_errors(text.path), open_bytes(text.path) as file:
            table = _read_arrow(file, dialect, opening, schema)
        return [
            None if kind == "-" else _typed(text, layout.names[i], table.column(str(i)), kind)
            for i, kind in enumerate(schema.kinds)
        ]
    except (FormatError, pa.ArrowInvalid, pa.ArrowKeyError) as problem:
        explain(text, dialect, opening, layout, schema)
        if isinstance(problem, FormatError):
            raise
        raise text.error(str(problem).splitlines()[0]) from problem


def _check_quotes(text: TextSource, dialect: Dialect) -> None:
    """PyArrow lets open quotes and text behind a closing quote pass; here they are errors."""
    checker = native.QuoteChecker(dialect.delimiter)
    for block in text.blocks():
        if not checker.feed(block):
            hint = 'a quote inside a quoted field is written twice: ""'
            raise text.error("text behind a closing quote", line=checker.line(), hint=hint)
    if checker.open_line():
        hint = "the file may be cut off"
        raise text.error("a quote opens here and never closes", line=checker.open_line(), hint=hint)


def _read_arrow(file: Any, dialect: Dialect, opening: Opening, schema: Schema) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(i) for i in range(len(schema.kinds))]
    wanted = [str(i) for i, kind in enumerate(schema.kinds) if kind != "-"]
    return arrow_csv.read_csv(
        pa.PythonFile(file, mode="r"),
        read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=opening.skip),
        parse_options=arrow_csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            include_columns=wanted,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


def _typed(text: TextSource, name: str, column: Any, kind: str) -> Cells:
    """A column of text as what it holds. PyArrow's own inference would take 0x10 for sixteen, and words for
    dates.
    """
    import pyarrow as pa
    from pyarrow import compute

    if kind in "ts" or (kind == "i" and column.null_count):
        return to_cells(text.error, name, column, kind)
    column = compute.utf8_trim(column, " \t")
    if kind == "m":
        unknown = compute.match_substring_regex(column, "^(?i:-?nan|na|null)?$")
        column = compute.if_else(unknown, pa.scalar(None, column.type), column)

    def all_match(pattern: str) -> bool:
        return compute.all(compute.match_substring_regex(column, pattern), min_count=0).as_py() is True

    if all_match(r"^-?[0-9]+$"):
        try:
            return to_cells(text.error, name, column.cast(pa.int64()), kind)
        except pa.ArrowInvalid:
            if kind == "i":
                raise
    if kind == "m" and all_match(r"^(true|false|True|False|TRUE|FALSE)$"):
        return to_cells(text.error, name, compute.match_substring_regex(column, "^(?i:true)$"), kind)
    if kind == "m" and all_match(r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$"):
        plain = compute.replace_substring_regex(column, r"^\+", "")
        cells = to_cells(text.error, name, plain.cast(pa.float64()), kind)
        if not np.isinf(cells.values).any():
            return cells
    raise text.error(f"column {name!r} holds something that is no number")


def explain(text: TextSource, dialect: Dialect, opening: Opening, layout: Layout, schema: Schema) -> None:
    """Reads the file again, slowly, and raises FormatError at the first bad line; returns when it finds
    none.
    """
    with os_errors(text.path), open_bytes(text.path) as raw:
        lines = io.TextIOWrapper(io.BufferedReader(raw), encoding="utf-8-sig", newline="")
        reader = csv.reader(_skip(lines, opening.skip), delimiter=dialect.delimiter, strict=True)
        line = opening.skip
        try:
            for row in reader:
                line = opening.skip + reader.line_num
                if row:
                    _check_row(text, row, line, layout, schema)
        except csv.Error as problem:
            raise text.error(str(problem), line=opening.skip + reader.line_num) from problem
        except UnicodeDecodeError as problem:
            raise text.error(f"not UTF-8 text: {problem.reason}", line=line + 1) from problem


def _skip(lines: Iterable[str], count: int) -> Iterator[str]:
    iterator = iter(lines)
    for _ in range(count):
        next(iterator, None)
    yield from iterator


def _check_row(text: TextSource, row: list[str], line: int, layout: Layout, schema: Schema) -> None:
    if len(row) != len(schema.kinds):
        hint = "the file may be cut off here"
        raise text.error(f"{len(row)} fields where {len(schema.kinds)} are due", line=line, hint=hint)
    texts = [
        at for at, kind in enumerate(schema.kinds) if kind == "m" and not _is_finite(row[at].strip(" \t"))
    ]
    for place, (name, kind, value) in enumerate(zip(layout.names, schema.kinds, row, strict=True)):
        if kind in "it" and value == "":
            raise text.error(f"field {name!r} is empty", line=line)
        if kind == "i" and not (is_integer(value.strip()) and -(2**63) <= int(value) < 2**63):
            raise text.error(
                f"field {name!r}: {value!r} is not a 64-bit integer",
                line=line,
                hint="; ".join(filter(None, ("ids='text' takes any ids", ends_hint(layout)))),
            )
        if place in texts:
            raise text.error(
                f"field {name!r}: {value!r} is not a finite number", line=line, hint=text_hint(layout, texts)
            )


def _is_finite(value: str) -> bool:
    word = value.lower() in ("true", "false", *MISSING)
    return is_number(value) and (word or not math.isinf(float(value)))
