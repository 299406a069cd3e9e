"""Reads delimited tables of edges or vertices: what edge lists (SNAP) and CSV/TSV share."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError
from subiso.formats.build import EdgeTable, VertexTable, vertex_labels
from subiso.formats.files import TextSource, suffix_of
from subiso.formats.layout import (
    MISSING,
    Layout,
    Which,
    edge_layout,
    ends_hint,
    is_integer,
    is_number,
    looks_like_header,
    text_hint,
    vertex_layout,
)
from subiso.formats.text import Cells, QuotedField, Schema, parse
from subiso.graph.ends import ROW_INDEX, SAMPLE, Ends, guess_note, kind_of

Ids = Literal["auto", "int", "text"]
Columns = Which | Sequence[Which] | Mapping[str, Which] | None
_TEXT_HINT = "pass ids='text' if ids are not all integers"


@dataclass(frozen=True)
class Dialect:
    """How a table is written: delimiter ("" = runs of spaces and tabs), characters that start a comment,
    header or not.
    """

    delimiter: str
    comments: str = ""
    header: bool | None = None


@dataclass(frozen=True)
class Opening:
    """What the top of the file says: the fields' names, the first row of data, the lines above the data, and
    what to note where it is not sure that these are names, or none.
    """

    names: list[str] | None
    first: list[str] | None
    skip: int
    notes: tuple[str, ...] = ()


def split_fields(line: str, delimiter: str) -> list[str]:
    """The fields of a line, as the parser cuts them, quotes taken off.

    >>> split_fields(" 1  2\\t3", ""), split_fields('a, "b" ,', ",")
    (['1', '2', '3'], ['a', 'b ', ''])
    """
    if delimiter == "":
        return re.split(r"[ \t]+", line.strip(" \t"))
    if '"' in line:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    return [part.strip(" \t") for part in line.split(delimiter)]


def check_dialect(source: TextSource, dialect: Dialect) -> None:
    """Refuses delimiters that cannot work."""
    if len(dialect.delimiter.encode()) > 1 or dialect.delimiter in {"\n", "\r", '"'}:
        raise source.error(f"the delimiter must be one ASCII character, not {dialect.delimiter!r}")
    if any(ord(char) > 127 for char in dialect.comments):
        raise source.error(f"comments must be ASCII characters, not {dialect.comments!r}")


def open_table(source: TextSource, dialect: Dialect, *, vertices: bool = False) -> Opening:
    """Looks at the first lines: is there a header, how many fields are there."""
    check_dialect(source, dialect)
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(source.lines()):
        stripped = line.strip(" \t")
        if not stripped and not (dialect.delimiter and dialect.delimiter in line):
            continue
        if stripped[:1] and stripped[0] in dialect.comments:
            continue
        try:
            rows.append((number, split_fields(line, dialect.delimiter)))
        except csv.Error as problem:
            raise source.error(f"{problem} in {line[:80]!r}", line=number + 1) from problem
        if len(rows) == 2:
            break
    if not rows:
        return Opening(None, None, 0)
    (number, first), second = rows[0], rows[1][1] if len(rows) > 1 else None
    header, notes = _header(dialect, first, second, vertices=vertices)
    if not header:
        return Opening(None, first, 0, notes)
    names = [name.strip("\ufeff") for name in first]
    names[0] = names[0] or ROW_INDEX
    for name in names:
        if "\ufffd" in name or any(ord(char) < 32 or ord(char) == 127 for char in name):
            raise source.error(f"the name {name!r} is not clean UTF-8 text", line=number + 1)
        if not name:
            hint = "write a name there, or pass header=False if the line is none"
            raise source.error("a field of the header has no name", line=number + 1, hint=hint)
    return Opening(names, second, number + 1, notes)


def _header(
    dialect: Dialect, first: list[str], second: list[str] | None, *, vertices: bool
) -> tuple[bool, tuple[str, ...]]:
    """Whether there is a header, and what to note where nobody said so and text over text may be either."""
    if dialect.header is not None:
        return dialect.header, ()
    if looks_like_header(first, second, vertices=vertices):
        return True, ()
    if vertices or not dialect.delimiter or any(map(is_number, first)):
        return False, ()
    line = dialect.delimiter.join(first)
    return False, (f"the first line, {line!r}, was read as an edge; header=True takes it for a header",)


def read_edges(
    path: str | os.PathLike[str],
    dialect: Dialect,
    *,
    source: Which | None = None,
    target: Which | None = None,
    label: Which | None = None,
    columns: Columns = None,
    ids: Ids = "auto",
    opened: TextSource | None = None,
    narrow: bool = False,
) -> EdgeTable:
    """The edges of a delimited file; every field that is not source, target or label becomes a numeric
    column, with NaN where it is empty or nan.
    """
    text = opened or TextSource(path)
    opening = open_table(text, dialect)
    width = len(opening.names or opening.first or ())
    if not width:
        return EdgeTable(text.path, _no_cells(), _no_cells(), width=0)
    layout = edge_layout(
        text.error, opening.names, width, source=source, target=target, label=label, columns=columns
    )
    cells = _read(text, dialect, opening, layout, ids=ids, narrow=narrow)
    return edge_table(text.error, text.path, layout, cells, lambda: _kinds(opening, cells), opening.notes)


def edge_table(
    error: Callable[..., FormatError],
    path: str,
    layout: Layout,
    cells: list[Cells | None],
    kinds: Callable[[], list[str]],
    notes: tuple[str, ...] = (),
) -> EdgeTable:
    """The edges of a table whose columns have been read: of text, or of Parquet. `kinds` are those of guess_note."""
    first, second = layout.ends
    if layout.guess:
        chosen = layout.chosen if layout.label is None else {*layout.chosen, layout.label}
        notes = (*notes, *guess_note(layout.names, Ends(first, second, layout.guess), kinds(), chosen))
    return EdgeTable(
        path,
        _needed(cells[first]),
        _needed(cells[second]),
        None if layout.label is None else cells[layout.label],
        numbers(error, layout, cells),
        len(layout.names),
        ends_hint(layout),
        (*notes, *layout.notes),
    )


def numbers(
    error: Callable[..., FormatError], layout: Layout, cells: list[Cells | None]
) -> dict[str, NDArray[np.generic]]:
    """The columns of numbers by name; all that are text, an end or a label among them, are refused at once."""
    found = {name: _needed(cells[place]) for name, place in layout.columns.items()}
    texts = [name for name, column in found.items() if column.kind == "s"]
    if texts:
        which = ", ".join(map(repr, texts))
        many = f"columns {which} are" if len(texts) > 1 else f"column {which} is"
        hint = text_hint(layout, [layout.columns[name] for name in texts])
        raise error(f"{many} text; graph columns are numbers", hint=hint)
    return {  # ends may be uint32: see narrow
        name: column.values.astype(np.int64, copy=False) if column.kind == "i" else column.values
        for name, column in found.items()
    }


def _kinds(opening: Opening, cells: list[Cells | None]) -> list[str]:
    """What columns may be as ids, by their first values; the first row is all there is of those that were not read."""
    kinds = []
    for column, field in zip_longest(cells, opening.first or ()):
        unread = [None if field is None or field.lower() in MISSING else field]
        kinds.append(
            kind_of(unread if column is None else column.names[:SAMPLE] or column.values[:SAMPLE].tolist())
        )
    return kinds


def read_vertices(
    path: str | os.PathLike[str],
    dialect: Dialect,
    *,
    label: Which | None = None,
    columns: Columns = None,
    ids: Ids = "auto",
    label_separator: str | None = None,
) -> VertexTable:
    """The vertices of a delimited file: an id, perhaps a label, and numeric columns."""
    text = TextSource(path)
    opening = open_table(text, dialect, vertices=True)
    width = len(opening.names or opening.first or ())
    if not width:
        raise text.error("the file has no vertices")
    layout = vertex_layout(text.error, opening.names, width, label=label, columns=columns)
    cells = _read(text, dialect, opening, layout, ids=ids)
    labels = None if layout.label is None else vertex_labels(_needed(cells[layout.label]), label_separator)
    numeric = numbers(text.error, layout, cells)
    return VertexTable(text.path, _needed(cells[layout.ends[0]]), labels, numeric, layout.notes)


def _read(
    text: TextSource, dialect: Dialect, opening: Opening, layout: Layout, *, ids: Ids, narrow: bool = False
) -> list[Cells | None]:
    as_text = _ids_are_text(text, opening, layout, ids)
    wanted = set(layout.columns.values())
    kinds = ["m" if i in wanted else "-" for i in range(len(layout.names))]
    for end in layout.ends:
        kinds[end] = "t" if as_text else "i"
    if layout.label is not None:
        kinds[layout.label] = "s"
    schema = Schema("".join(kinds), len(kinds))
    try:
        return parse(
            text,
            [schema],
            delimiter=dialect.delimiter,
            comments=dialect.comments,
            skip=opening.skip,
            names=layout.names if opening.names else None,
            hint=None if as_text else _hint(layout),
            text_hint=lambda place: text_hint(
                layout, _texts(opening, layout, place), named=bool(opening.names)
            ),
            narrow=narrow,
        ).tables[0]
    except QuotedField:
        from subiso.formats.quoted import read_quoted

        return read_quoted(text, dialect, opening, layout, schema)


def _hint(layout: Layout) -> str:
    which = "source=, target=, label= and columns=" if len(layout.ends) > 1 else "label= and columns="
    fields = ", ".join(layout.names)
    return f"{_TEXT_HINT}; {which} choose among {fields}; the file may be cut off or damaged"


def _texts(opening: Opening, layout: Layout, place: int) -> list[int]:
    """The columns with text where numbers are due: the one where it was found, and what the first row shows."""
    first = opening.first or []
    others = {at for at in layout.columns.values() if at < len(first) and not is_number(first[at])}
    return sorted({place} | others)


def _ids_are_text(text: TextSource, opening: Opening, layout: Layout, ids: Ids) -> bool:
    """ "auto" lets the first row decide: later rows must agree, so a slip of the pen is not taken for a
    name.
    """
    if ids not in ("auto", "int", "text"):
        raise text.error(f"ids={ids!r} is unknown", hint="ids is 'auto', 'int' or 'text'")
    if ids != "auto" or opening.first is None:
        return ids == "text"
    fields = [opening.first[end] for end in layout.ends if end < len(opening.first)]
    return not all(is_integer(value) for value in fields)


def _no_cells() -> Cells:
    return Cells("i", np.zeros(0, np.int64))


def _needed(cells: Cells | None) -> Cells:
    assert cells is not None  # the layout asked for it
    return cells


def delimiter_of(path: str | os.PathLike[str], default: str) -> str:
    """Comma for .csv, tab for .tsv, otherwise the default; .gz does not matter."""
    return {".csv": ",", ".tsv": "\t"}.get(suffix_of(path), default)
