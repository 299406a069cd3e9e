"""Parquet: a table of edges, and perhaps a second one of vertices. Needs PyArrow, imported when first
used.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from subiso.errors import FormatError
from subiso.formats.arrow import to_cells
from subiso.formats.build import Loops, Parallel, VertexTable, build, several_labels, vertex_labels
from subiso.formats.export import check_name, refuse_loss
from subiso.formats.files import os_errors, replacing
from subiso.formats.layout import (
    LABEL_NAMES,
    VERTEX_LABEL_NAMES,
    Layout,
    Which,
    edge_layout,
    ends_hint,
    vertex_layout,
)
from subiso.formats.table import Columns, edge_table, numbers
from subiso.formats.text import NONE, Cells
from subiso.graph import Graph, VertexLabels
from subiso.graph.tables import kinds_of

_KEY = b"subiso"


def read(
    path: str | os.PathLike[str],
    *,
    directed: bool | None = None,
    source: Which | None = None,
    target: Which | None = None,
    label: Which | None = None,
    columns: Columns = None,
    vertices: str | os.PathLike[str] | None = None,
    vertex_label: Which | None = None,
    vertex_columns: Columns = None,
    parallel: Parallel = None,
    loops: Loops = "drop",
) -> Graph:
    """Reads a Parquet table with one edge per row.

    Directed or not: `directed` decides; else the note our own writer leaves in the file; else undirected.
    Columns are found as in CSV: ends and label by name, else the first two are the ends; all others must be
    numbers, dates or times (as integers) and become edge columns, unless `columns=` chooses; nulls become NaN.
    `vertices=` names a second Parquet file: id, label (text, integer, or a list of several), numeric columns.
    """
    name = os.fspath(path)
    table, note = _load(name)
    error = _Errors(name)
    layout = edge_layout(
        error,
        table.column_names,
        table.num_columns,
        source=source,
        target=target,
        label=label,
        columns=columns,
    )
    cells = _cells(error, layout, table)
    if layout.label is not None:
        cells[layout.label] = to_cells(error, layout.names[layout.label], table.column(layout.label), "s")
    edges = edge_table(error, name, layout, cells, lambda: kinds_of(table))
    if edges.source.kind != edges.target.kind:
        hint = f"cast one of the two columns; {ends_hint(layout)}"
        raise error("one end has integer ids and the other text", hint=hint)
    found = None if vertices is None else _read_vertices(vertices, vertex_label, vertex_columns)
    if directed is None:
        directed = note.get("directed", False)
    count = note.get("vertices") if found is None and edges.source.kind == "i" else None
    return build(edges, found, directed=directed, num_vertices=count, parallel=parallel, loops=loops)


class _Errors:
    """Makes FormatErrors that name the file; `more` is said after each hint."""

    def __init__(self, path: str, more: str = "") -> None:
        self.path = path
        self.more = more

    def __call__(self, message: str, *, line: int | None = None, hint: str | None = None) -> FormatError:
        hint = "; ".join(each for each in (hint, self.more) if each) or None
        return FormatError(message, path=self.path, line=line, hint=hint)


def _load(path: str) -> tuple[Any, dict[str, Any]]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with os_errors(path), open(path, "rb") as file:
            table = parquet.read_table(file, page_checksum_verification=True)
            table.validate(full=True)
    except FormatError:
        raise
    except (pa.ArrowException, OSError, ValueError) as problem:
        text = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        hint = "the file may be cut off or damaged"
        raise FormatError(f"not a sound Parquet file: {text}", path=path, hint=hint) from problem
    return table, _read_note(table, path)


def _read_note(table: Any, path: str) -> dict[str, Any]:
    """What our writer left in the file's metadata; pages have checksums, the rest of a Parquet file has none
    but this.
    """
    raw = (table.schema.metadata or {}).get(_KEY)
    if raw is None:
        return {}
    try:
        found = json.loads(raw)
        note = found["note"]
        sound = found["crc"] == _note_sum(note) and note["names"] == table.column_names
        sound = sound and note["rows"] == table.num_rows
    except (ValueError, TypeError, KeyError):
        sound = False
    if not sound:
        hint = "the file is damaged, or was changed without its metadata"
        raise FormatError("the note 'subiso' in the file's metadata does not fit it", path=path, hint=hint)
    return dict(note)


def _note_sum(note: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(note, sort_keys=True).encode())


def _id_cells(error: _Errors, name: str, column: Any) -> Cells:
    cells = to_cells(error, name, column, "i")
    if cells.kind not in "is":
        raise error(f"column {name!r} cannot be ids: it holds {column.type}", hint="integers or text")
    return cells


def _cells(error: _Errors, layout: Layout, table: Any) -> list[Cells | None]:
    """The columns of numbers and of ids, each at its place."""
    cells: list[Cells | None] = [None] * len(layout.names)
    for place in layout.columns.values():
        cells[place] = to_cells(error, layout.names[place], table.column(place), "m")
    for place in layout.ends:
        of_ids = _Errors(error.path, ends_hint(layout))
        cells[place] = _id_cells(of_ids, layout.names[place], table.column(place))
    return cells


def _read_vertices(path: str | os.PathLike[str], label: Which | None, columns: Columns) -> VertexTable:
    import pyarrow as pa

    name = os.fspath(path)
    table, _ = _load(name)
    error = _Errors(name)
    layout = vertex_layout(error, table.column_names, table.num_columns, label=label, columns=columns)
    labels: VertexLabels | None = None
    if layout.label is not None:
        column = table.column(layout.label)
        if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            labels = several_labels([tuple(map(str, row or ())) for row in column.to_pylist()])
        else:
            labels = vertex_labels(to_cells(error, layout.names[layout.label], column, "s"))
    cells = _cells(error, layout, table)
    ids = cells[layout.ends[0]]
    assert ids is not None  # the layout asked for it
    return VertexTable(name, ids, labels, numbers(error, layout, cells), layout.notes)


def write(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    vertices: str | os.PathLike[str] | None = None,
    compression: str = "zstd",
    lossy: bool = False,
) -> None:
    """Writes source, target, label and the edge columns; labels and columns of vertices go to a second file,
    `vertices=`.
    """
    name = os.fspath(path)
    keeps = ["edge labels", "edge columns", "vertex ids"]
    keeps += ["vertices without edges"] if graph.ids is None or vertices is not None else []
    if vertices is not None:
        keeps += ["vertex labels", "vertex columns", "several labels per vertex"]
    refuse_loss(graph, name, "a Parquet edge table", keeps, lossy)
    table: dict[str, Any] = {}
    for key, end in zip(("source", "target"), graph.edge_endpoints(), strict=True):
        table[key] = _id_array(graph, end, name)
    if graph.edge_labels is not None:
        table["label"] = _label_array(graph.edge_labels.names, graph.edge_labels.codes)
    _add_columns(table, graph.edge_columns, LABEL_NAMES, name)
    note: dict[str, Any] = {"directed": graph.directed}
    if graph.ids is None:
        note["vertices"] = graph.num_vertices
    _save(table, name, note, compression)
    if vertices is not None:
        _write_vertices(graph, os.fspath(vertices), compression)


def _write_vertices(graph: Graph, path: str, compression: str) -> None:
    import pyarrow as pa

    table: dict[str, Any] = {"id": _id_array(graph, np.arange(graph.num_vertices), path)}
    labels = graph.vertex_labels
    if labels is not None and labels.offsets is None:
        table["label"] = _label_array(labels.names, labels.codes)
    elif labels is not None:
        rows = [[str(name) for name in labels.of(v)] for v in range(graph.num_vertices)]
        table["label"] = pa.array(rows, pa.list_(pa.string()))
    _add_columns(table, graph.vertex_columns, VERTEX_LABEL_NAMES, path)
    _save(table, path, {"directed": graph.directed}, compression)


def _id_array(graph: Graph, vertices: Any, path: str) -> Any:
    import pyarrow as pa

    if graph.ids is None:
        return pa.array(vertices.astype(np.int64))
    if graph.ids.dtype.kind in "iu":
        return pa.array(graph.ids[vertices])
    if not all(isinstance(name, str) for name in graph.ids):
        raise FormatError("ids are neither integers nor text", path=path, hint="give the graph such ids")
    return pa.DictionaryArray.from_arrays(
        pa.array(vertices.astype(np.int64)), pa.array(graph.ids.tolist(), pa.string())
    )


def _label_array(names: Any, codes: Any) -> Any:
    import pyarrow as pa

    texts = bool(names) and isinstance(names[0], str)
    values = pa.array(list(names), pa.string() if texts else pa.int64())
    return values.take(pa.array(codes.astype(np.int64), mask=codes == NONE))


def _add_columns(table: dict[str, Any], columns: Any, labels: Sequence[str], path: str) -> None:
    for key in columns:
        check_name(key, table, labels, path)
    table.update(columns)


def _save(table: dict[str, Any], path: str, note: dict[str, Any], compression: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    made = pa.table(table)
    note = {**note, "names": made.column_names, "rows": made.num_rows}
    made = made.replace_schema_metadata({_KEY: json.dumps({"note": note, "crc": _note_sum(note)}).encode()})
    try:
        with replacing(path) as file:
            parquet.write_table(made, file, compression=compression, write_page_checksum=True)
    except (pa.ArrowException, ValueError) as problem:
        if isinstance(problem, FormatError):
            raise
        raise FormatError(f"cannot be written: {problem}", path=path) from problem
