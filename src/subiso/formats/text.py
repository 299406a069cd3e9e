"""Runs the native text parsers over a file and words their errors. Between the files and the readers of text
formats.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError
from subiso.formats.files import TextSource

native: Any = importlib.import_module("subiso._native")

LEAST_CHUNK = 256 << 10  # bytes per thread below which splitting a block does not pay
NONE = 0xFFFFFFFF
(BAD_INTEGER, TOO_LARGE, BAD_NUMBER, NOT_FINITE, TOO_FEW, TOO_MANY, UNKNOWN_TAG, BAD_TEXT, QUOTED, EMPTY) = (
    range(1, 11)
)


class Schema(NamedTuple):
    """The columns of one kind of line: i integer, n number, m number or missing (NaN), s text or nothing, t text,
    - skipped.
    """

    kinds: str
    required: int
    tag: str = ""


@dataclass(frozen=True)
class Cells:
    """One column as read. kind: i int64 (or uint32), f float64, b bool, s uint32 codes into names (NONE =
    empty).
    """

    kind: str
    values: NDArray[np.generic]
    names: list[str] = field(default_factory=list)
    missing: int = 0  # rows in which an optional column was absent
    missing_line: int = 0


class Boundary(NamedTuple):
    """A line that starts a new graph, and how many rows of each schema came before it."""

    line: int
    rows: list[int]
    text: str


@dataclass(frozen=True)
class Parsed:
    tables: list[list[Cells | None]]
    rows: list[int]
    boundaries: list[Boundary]


class QuotedField(Exception):
    """Raised when a field has quotes, which the native parser leaves to a full CSV reader."""


def threads() -> int:
    """Threads for parsing: the cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse(
    source: TextSource,
    schemas: Sequence[Schema],
    *,
    delimiter: str = "",
    comments: str = "",
    boundary: str = "",
    skip: int = 0,
    names: Sequence[str] | None = None,
    hint: str | None = None,
    text_hint: Callable[[int], str] | None = None,
    narrow: bool = False,
) -> Parsed:
    """Parses the whole file; the first bad line becomes a FormatError. delimiter "" = runs of spaces and
    tabs.

    `hint` is for all that is wrong, `text_hint` for the field (from 0) with text where a number is due. With `narrow`,
    a column of integers that all fit comes as uint32, at half the memory.
    """
    parser = native.TableParser(
        schemas=[(s.tag, s.kinds, s.required) for s in schemas],
        delimiter=delimiter,
        comments=comments,
        boundary=boundary,
        skip=skip,
        threads=threads(),
        least_chunk=LEAST_CHUNK,
    )
    for block in source.blocks():
        if not parser.feed(block):
            raise parse_error(source, parser.error(), names, hint, text_hint)
    boundaries = [
        Boundary(line, rows, text.decode("utf-8", "replace")) for line, rows, text in parser.boundaries()
    ]
    finished = parser.finish(narrow)
    tables = [[_cells(source, c, i, names) for i, c in enumerate(columns)] for _, columns in finished]
    return Parsed(tables, [rows for rows, _ in finished], boundaries)


def parse_ragged(
    source: TextSource, *, comments: str, skip: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Lines with any number of integers: all values, how many each line has, and the lines' numbers."""
    parser = native.RaggedParser(comments=comments, skip=skip, threads=threads(), least_chunk=LEAST_CHUNK)
    for block in source.blocks():
        if not parser.feed(block):
            raise parse_error(source, parser.error(), None, None)
    values, counts, numbers = parser.finish()
    return values, counts, numbers


def _cells(
    source: TextSource, column: tuple[str, NDArray[np.generic], list[str], int, int] | None, index: int,
    names: Sequence[str] | None,
) -> Cells | None:  # fmt: skip
    if column is None:
        return None
    kind, values, texts, missing, line = column
    if kind == "!":
        raise source.error(f"{_field_name(index + 1, names)} mixes true/false with numbers")
    if kind == "~":
        raise inexact(source.error, _field_name(index + 1, names))
    if kind == "b":
        values = values.astype(np.bool_)
    return Cells(kind, values, texts, missing, line)


def inexact(error: Callable[..., FormatError], what: str) -> FormatError:
    """The refusal of integers that would change in silence if missing ones beside them became NaN."""
    return error(
        f"{what} has missing values beside integers that no float holds exactly",
        hint="drop the rows without a value, or choose other columns (columns=, vertex_columns=)",
    )


def _field_name(number: int, names: Sequence[str] | None) -> str:
    named = names[number - 1] if names is not None and 0 < number <= len(names) else ""
    return f"field {number} ({named})" if named else f"field {number}"


def parse_error(
    source: TextSource,
    error: tuple[int, int, int, bytes, bytes],
    names: Sequence[str] | None,
    hint: str | None,
    text_hint: Callable[[int], str] | None = None,
) -> Exception:
    """Words the parser's first error: which field, what it says, the line's text."""
    fault, line, number, token_bytes, text_bytes = error
    if fault == QUOTED:
        return QuotedField(source.path, line)
    token = token_bytes.decode("utf-8", "backslashreplace")
    text = text_bytes.decode("utf-8", "backslashreplace")
    where = _field_name(number, names)
    if fault == BAD_NUMBER and text_hint is not None:
        hint = f"{text_hint(number - 1)}; or the line is damaged"
    what, usual = {
        BAD_INTEGER: (f"{where}: {token!r} is not an integer", None),
        TOO_LARGE: (
            f"{where}: {token!r} does not fit into a signed 64-bit integer",
            'ids="text" keeps such ids',
        ),
        BAD_NUMBER: (f"{where}: {token!r} is not a number", None),
        NOT_FINITE: (f"{where}: {token!r} is not a finite number", "remove the line or the column"),
        TOO_FEW: (f"too few fields: {number}", "the file may be cut off here"),
        TOO_MANY: (f"too many fields: {token!r} is one more than expected", None),
        UNKNOWN_TAG: (
            "the line starts with none of the letters this format knows",
            "t, v and e lines are known",
        ),
        BAD_TEXT: (f"{where}: {token!r} is not clean UTF-8 text", "control characters are refused"),
        EMPTY: (f"{where} is empty", None),
    }[fault]
    return FormatError(f"{what} in {text!r}", path=source.path, line=line, hint=hint or usual)


def line_of_row(source: TextSource, row: int, *, comments: str, skip: int = 0, tag: str = "") -> int:
    """The number of the line that holds the given row of data: a slow walk, for error messages only."""
    for number, line in enumerate(source.lines(), 1):
        stripped = line.strip(" \t")
        if (
            number <= skip
            or not stripped
            or stripped[0] in comments
            or (tag and not stripped.startswith(tag))
        ):
            continue
        if row == 0:
            return number
        row -= 1
    return skip
