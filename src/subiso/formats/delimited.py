"""CSV and TSV: a table of edges, and perhaps a second one of vertices."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError
from subiso.formats.build import Loops, Parallel, build
from subiso.formats.export import (
    TextColumn,
    check_name,
    id_column,
    label_column,
    number_column,
    quoting,
    refuse_loss,
    write_rows,
)
from subiso.formats.files import TextSource, replacing_text
from subiso.formats.layout import LABEL_NAMES, VERTEX_LABEL_NAMES, Which
from subiso.formats.table import Columns, Dialect, Ids, delimiter_of, read_edges, read_vertices
from subiso.formats.text import NONE
from subiso.graph import Graph


def read(
    path: str | os.PathLike[str],
    *,
    directed: bool | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    source: Which | None = None,
    target: Which | None = None,
    label: Which | None = None,
    columns: Columns = None,
    ids: Ids = "auto",
    comments: str = "",
    vertices: str | os.PathLike[str] | None = None,
    vertex_label: Which | None = None,
    vertex_columns: Columns = None,
    label_separator: str | None = None,
    parallel: Parallel = None,
    loops: Loops = "drop",
) -> Graph:
    """Reads a CSV or TSV table with one edge per row; undirected unless directed=True.

    A header is found by itself (`header=` decides): source and target, from and to, payer and payee and the like
    are known by name, as are label and type; otherwise the first two fields are the ends, and where that is a
    guess `Graph.report` says so. All other fields become numeric edge columns; `columns=[...]` chooses some,
    `columns={"time": "ts"}` renames. An empty label is no label, an empty number (or nan, NA, null) is NaN, an
    empty end is an error. `vertices=` names a second table: id, label, numeric columns (`vertex_label=`,
    `vertex_columns=`; several labels in one field with `label_separator=";"`); every vertex must stand in
    it. Quoted fields are understood.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pays.csv"
    >>> _ = path.write_text("from,to,type,amount\\nann,bob,PAYS,12.5\\nbob,cid,OWES,3\\n")
    >>> g = read(path, directed=True)
    >>> g.ids.tolist(), g.edge_labels.names, g.edge_columns["amount"].tolist()
    (['ann', 'bob', 'cid'], ('OWES', 'PAYS'), [12.5, 3.0])
    """
    text = TextSource(path)
    delimiter = delimiter_of(path, ",") if delimiter is None else delimiter
    dialect = Dialect(delimiter, comments, header)
    edges = read_edges(
        path,
        dialect,
        source=source,
        target=target,
        label=label,
        columns=columns,
        ids=ids,
        opened=text,
        narrow=vertices is None,
    )
    if edges.width == 0:
        raise text.error("the file has neither a header nor edges", hint="is it a table of edges?")
    found = None
    if vertices is not None:
        found = read_vertices(
            vertices,
            Dialect(delimiter_of(vertices, delimiter), comments, header),
            label=vertex_label,
            columns=vertex_columns,
            ids=ids if ids != "auto" or not len(edges.source.values) else _as_ids(edges.source.kind),
            label_separator=label_separator,
        )
    return build(edges, found, directed=bool(directed), parallel=parallel, loops=loops)


def _as_ids(kind: str) -> Ids:
    return "text" if kind == "s" else "int"


def write(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    vertices: str | os.PathLike[str] | None = None,
    label_separator: str | None = None,
    lossy: bool = False,
) -> None:
    """Writes a header and one edge per row; labels and columns of vertices go to the second file,
    `vertices=`.
    """
    name = os.fspath(path)
    delimiter = delimiter_of(path, ",") if delimiter is None else delimiter
    keeps = ["edge labels", "edge columns", "vertex ids"]
    if vertices is not None:
        keeps += ["vertex labels", "vertex columns", "vertices without edges"]
        keeps += ["several labels per vertex"] if label_separator else []
    refuse_loss(graph, name, "CSV", keeps, lossy)
    encode = quoting(name, delimiter)
    heads = ["source", "target"]
    table = [id_column(graph, end, name, encode) for end in graph.edge_endpoints()]
    if graph.edge_labels is not None:
        heads.append("label")
        table.append(label_column(graph.edge_labels.names, graph.edge_labels.codes, name, encode, empty=True))
    _write_table(path, heads, LABEL_NAMES, table, graph.edge_columns, delimiter)
    if vertices is not None:
        _write_vertices(graph, vertices, delimiter_of(vertices, delimiter), label_separator)


def _write_vertices(
    graph: Graph, path: str | os.PathLike[str], delimiter: str, separator: str | None
) -> None:
    name = os.fspath(path)
    encode = quoting(name, delimiter)
    heads = ["id"]
    table = [id_column(graph, np.arange(graph.num_vertices), name, encode)]
    labels = graph.vertex_labels
    if labels is not None and (labels.offsets is None or separator):
        heads.append("label")
        if labels.offsets is None:
            table.append(label_column(labels.names, labels.codes, name, encode, empty=True))
        else:
            table.append(_joined_labels(graph, name, delimiter, separator or ""))
    _write_table(path, heads, VERTEX_LABEL_NAMES, table, graph.vertex_columns, delimiter)


def _write_table(
    path: str | os.PathLike[str],
    heads: list[str],
    labels: Sequence[str],
    table: list[TextColumn],
    numbers: Mapping[str, NDArray[Any]],
    delimiter: str,
) -> None:
    """Writes the table, and numeric columns behind it; `labels` are the names that readers know a label by."""
    name = os.fspath(path)
    for key, values in numbers.items():
        check_name(key, heads, labels, name)
        table.append(number_column(key, values, name, gaps=True))
    encode = quoting(name, delimiter)
    with replacing_text(path) as file:
        file.write(delimiter.encode().join(map(encode, (*heads, *numbers))) + b"\n")
        write_rows(file, table, delimiter=delimiter)


def _joined_labels(graph: Graph, path: str, delimiter: str, separator: str) -> TextColumn:
    labels = graph.vertex_labels
    assert labels is not None and labels.offsets is not None
    encode = quoting(path, delimiter)
    for label in labels.names:
        if separator in str(label):
            raise FormatError(f"the label {label!r} holds the separator {separator!r}", path=path)
    code_of: dict[bytes, int] = {}
    codes = np.full(graph.num_vertices, NONE, np.uint32)
    for vertex in range(graph.num_vertices):
        if names := labels.of(vertex):
            joined = encode(separator.join(map(str, names)))
            codes[vertex] = code_of.setdefault(joined, len(code_of))
    return codes, list(code_of)
