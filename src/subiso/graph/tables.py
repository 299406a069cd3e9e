"""Tables of edges and vertices, sparse matrices and edge_index arrays. Behind the doors in interop.py."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from subiso.errors import GraphError
from subiso.graph.arrays import Array, Values, column
from subiso.graph.ends import SAMPLE, find_ends, guess_note, is_row_index, kind_of

# Types by the names that pandas, polars and Arrow share; values of all others are looked at.
_WHOLE = re.compile(r"u?int\d")
_NO_IDS = re.compile(r"bool|date|time|duration|decimal|interval|period|large_list|list|struct|map|null")


def edge_table(
    edges: Any,
    source: str | None,
    target: str | None,
    edge_label: str | None,
    edge_columns: str | Sequence[str],
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What from_edges takes from a table of edges of pandas, polars or Arrow, and what to note about its ends."""
    table = _Table(edges, "edges")
    if len(table.names) < 2:
        raise GraphError(f"edges has the columns {table.names}; two are needed")
    columns = listed(edge_columns, "edge_columns")
    wanted = [table.place(name, "edge_columns") for name in columns]
    if edge_label is not None:
        wanted.append(table.place(edge_label, "edge_label"))
    first = None if source is None else table.place(source, "source")
    second = None if target is None else table.place(target, "target")
    ends = find_ends(table.names, first, second, wanted)
    src, dst = (
        _named(table.get(table.names[at], what), table.names[at])
        for at, what in ((ends.source, "source"), (ends.target, "target"))
    )
    return {
        "src": src,
        "dst": dst,
        "edge_labels": None if edge_label is None else table.get(edge_label, "edge_label"),
        "edge_columns": {name: table.get(name, "edge_columns") for name in columns},
    }, guess_note(table.names, ends, kinds_of(table.table) if ends.guess else (), wanted)


def kinds_of(table: Any) -> list[str]:
    """What the columns of a DataFrame or Arrow table may be as ids (see `kind_of`): by their types, and where these
    leave it open by their first values.
    """
    is_arrow = hasattr(table, "column_names")
    names = list(table.column_names if is_arrow else table.columns)
    top = table.slice(0, SAMPLE) if is_arrow else table.head(SAMPLE)

    def kind(name: Any, type_: str) -> str:
        if _WHOLE.match(type_):
            return "i"
        if _NO_IDS.match(type_) or names.count(name) > 1:
            return "-"
        return kind_of(column(top[name], str(name)).objects())

    types = table.schema.types if is_arrow else table.dtypes
    return [kind(name, str(type_).lower()) for name, type_ in zip(names, types, strict=True)]


def listed(names: Any, argument: str) -> list[Any]:
    """Names of columns; a single one may stand by itself."""
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Iterable):
        kind = type(names).__name__
        raise GraphError(
            f"{argument}= names columns, not {names!r} ({kind})", hint=f"a list: {argument}=[...]"
        )
    return list(names)


def _named(values: Any, name: Any) -> Values:
    what = f"column {name!r}"
    found = column(values, what)
    return Values(found.array, found.missing, found.arrow, name=what)


def vertex_table(
    vertices: Any,
    vertex_id: str | None,
    vertex_label: str | Sequence[str] | None,
    columns: str | Sequence[str],
) -> dict[str, Any]:
    """What from_edges takes from a table of vertices."""
    if vertices is None:
        if vertex_id or vertex_label or columns:
            raise GraphError(
                "vertex_id, vertex_label and vertex_columns name columns of vertices=, which is missing",
                hint="pass a table with one row per vertex as vertices=",
            )
        return {}
    table = _Table(vertices, "vertices")
    if not table.names:
        raise GraphError("vertices has no columns", hint="its first column holds the ids")
    first = next((name for name in table.names if not is_row_index(name)), table.names[0])
    found: dict[str, Any] = {
        "vertices": table.get(first if vertex_id is None else vertex_id, "vertex_id"),
        "vertex_columns": {
            name: table.get(name, "vertex_columns") for name in listed(columns, "vertex_columns")
        },
    }
    if isinstance(vertex_label, str):
        found["vertex_labels"] = table.get(vertex_label, "vertex_label")
    elif vertex_label:
        each = [column(table.get(name, "vertex_label"), name).objects() for name in vertex_label]
        found["vertex_labels"] = [list(row) for row in zip(*each, strict=True)]
    return found


def matrix_edges(matrix: Any, directed: bool, values: str | None) -> dict[str, Any]:
    """The arguments of from_edges for a SciPy sparse matrix."""
    if not hasattr(matrix, "tocoo"):
        raise GraphError(
            f"a {type(matrix).__name__} is no SciPy sparse matrix", hint="scipy.sparse.csr_array(matrix)"
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"the matrix has shape {matrix.shape}; an adjacency matrix is square")
    found = matrix.tocoo(copy=True)
    found.sum_duplicates()
    found.eliminate_zeros()
    rows, columns, data = found.row, found.col, found.data
    if not directed:
        keep = _one_triangle(rows, columns, data if values else None, matrix.shape[0])
        rows, columns, data = rows[keep], columns[keep], data[keep]
    return {
        "src": rows,
        "dst": columns,
        "num_vertices": matrix.shape[0],
        "edge_columns": {values: data} if values else None,
    }


def edge_index_ends(edge_index: Any, num_vertices: int | None) -> tuple[Array, Array, int | None]:
    """The two rows of an edge_index, and the number of vertices if the object knows it."""
    if hasattr(edge_index, "edge_index"):  # a PyG Data object
        if num_vertices is None:
            num_vertices = getattr(edge_index, "num_nodes", None)
        edge_index = edge_index.edge_index
    try:
        is_dlpack_only = not hasattr(edge_index, "__array__") and not hasattr(
            edge_index, "__array_interface__"
        )
        use_dlpack = is_dlpack_only and hasattr(edge_index, "__dlpack__")
        ends = np.from_dlpack(edge_index) if use_dlpack else np.asarray(edge_index)
    except Exception as error:
        raise GraphError(
            f"edge_index: a {type(edge_index).__name__} could not be read as an array: {error}",
            hint="move it to the CPU first (.cpu(), .get())",
        ) from error
    if ends.ndim != 2 or ends.shape[0] != 2:
        turn = "; pass its transpose" if ends.ndim == 2 and ends.shape[1] == 2 else ""
        raise GraphError(f"edge_index has shape {ends.shape}", hint=f"it must be 2 x m{turn}")
    return ends[0], ends[1], num_vertices


class _Table:
    """Column names and columns of a pandas, polars or Arrow table."""

    def __init__(self, table: Any, what: str) -> None:
        self.what = what
        package = type(table).__module__.partition(".")[0]
        if package == "polars" and hasattr(table, "collect"):
            table = table.collect()
        if package not in ("pandas", "polars"):
            table = _arrow_table(table, what)
        elif not hasattr(table, "columns"):
            raise GraphError(f"{what} is a {package} {type(table).__name__}", hint="pass a DataFrame")
        self.table = table
        self.names: list[Any] = list(table.column_names if hasattr(table, "column_names") else table.columns)

    def place(self, name: Any, argument: str) -> int:
        """Where the column with this name is."""
        self._check(name, argument)
        return self.names.index(name)

    def get(self, name: Any, argument: str) -> Any:
        self._check(name, argument)
        return self.table[name]

    def _check(self, name: Any, argument: str) -> None:
        there = ", ".join(map(repr, self.names))
        if hasattr(name, "__len__") and not isinstance(name, str | tuple):  # a list, a column itself
            hint = f"the columns are: {there}"
            raise GraphError(f"{argument}: a {type(name).__name__} is no name of a column", hint=hint)
        if self.names.count(name) != 1:
            problem = "has no column" if name not in self.names else "has several columns"
            raise GraphError(f"{argument}: {self.what} {problem} {name!r}", hint=f"the columns are: {there}")


def _arrow_table(table: Any, what: str) -> Any:
    import pyarrow as pa

    if isinstance(table, pa.RecordBatchReader):
        return table.read_all()
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        try:
            return pa.table(table)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise GraphError(f"{what}: a {type(table).__name__} is no table: {error}") from error
    raise GraphError(
        f"{what}: a {type(table).__name__} is no table",
        hint="pass a pandas or polars DataFrame, an Arrow table, or arrays to Graph.from_edges",
    )


def _one_triangle(rows: Array, columns: Array, data: Array | None, n: int) -> Array:
    """Which entries stand for the edges of a symmetric or triangular matrix, each once."""
    upper, lower = rows <= columns, rows >= columns
    if upper.all() or lower.all():
        return np.ones(len(rows), bool)
    key = rows.astype(np.int64) * n + columns
    turned = columns.astype(np.int64) * n + rows
    order, turned_order = np.argsort(key), np.argsort(turned)
    lone = ~np.isin(key, turned)
    if lone.any():
        at = int(np.argmax(lone))
        raise GraphError(
            f"the matrix has an entry at ({rows[at]}, {columns[at]}) but none at ({columns[at]}, {rows[at]})",
            hint="pass directed=True, or make it symmetric",
        )
    if data is not None and not np.array_equal(data[order], data[turned_order]):
        at = order[int(np.argmax(data[order] != data[turned_order]))]
        raise GraphError(
            f"the entries at ({rows[at]}, {columns[at]}) and ({columns[at]}, {rows[at]}) differ",
            hint="pass directed=True, or leave values= out",
        )
    return upper
