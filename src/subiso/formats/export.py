"""What the writers share: refusing to lose anything in silence, and columns of text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError
from subiso.formats.text import NONE, native
from subiso.graph import Graph
from subiso.graph.ends import is_row_index

ROWS = 1 << 18  # rows rendered at a time
LABELS = ("vertex labels", "edge labels", "vertices without edges")  # what t/v/e files hold
TextColumn = NDArray[np.int64] | NDArray[np.float64] | tuple[NDArray[np.uint32], list[bytes]]


def refuse_loss(graph: Graph, path: str, format_: str, keeps: Sequence[str], lossy: bool) -> None:
    """Raises when the graph has something the format cannot hold, unless the caller said lossy=True."""
    several = graph.vertex_labels is not None and graph.vertex_labels.offsets is not None
    has = {
        "vertex labels": graph.vertex_labels is not None,
        "several labels per vertex": several,
        "edge labels": graph.edge_labels is not None,
        "vertex columns": bool(graph.vertex_columns),
        "edge columns": bool(graph.edge_columns),
        "vertex ids": graph.ids is not None,
        "vertices without edges": "vertices without edges" not in keeps and _has_isolated(graph),
    }
    held = [what for what, there in has.items() if there]
    lost = [what for what in held if what not in keeps]
    if lost and not lossy:
        also = ", .lg (t/v/e) labels" if set(held) <= set(LABELS) and not graph.directed else ""
        raise FormatError(
            f"{format_} cannot hold the graph's {', '.join(lost)}",
            path=path,
            hint=f"lossy=True leaves them out; .subiso holds everything{also}",
        )


def _has_isolated(graph: Graph) -> bool:
    alone = np.diff(graph.out.offsets) == 0
    if graph.directed and alone.any():
        alone &= np.bincount(graph.out.neighbors, minlength=graph.num_vertices) == 0
    return bool(alone.any())


def id_column(graph: Graph, vertices: NDArray[Any], path: str, encode: Callable[[str], bytes]) -> TextColumn:
    """The original ids of the given vertices as a column to write."""
    if graph.ids is None:
        return vertices.astype(np.int64)
    if graph.ids.dtype.kind in "iu":
        return number_column("ids", graph.ids[vertices], path)
    names = graph.ids.tolist()
    for name in names:
        if not isinstance(name, str):
            hint = "give the graph integer or text ids"
            raise FormatError(f"the id {name!r} is a {type(name).__name__}", path=path, hint=hint)
    return vertices.astype(np.uint32), [encode(name) for name in names]


def number_column(name: str, values: NDArray[Any], path: str, *, gaps: bool = False) -> TextColumn:
    """A numeric or bool column as a column to write; NaN is an empty field, where the format has such `gaps`."""
    if values.dtype.kind == "b":
        return values.astype(np.uint32), [b"false", b"true"]
    if values.dtype.kind in "iu":
        if values.dtype == np.uint64 and values.max(initial=0) >= 2**63:
            raise FormatError(f"{name}: {values.max()} does not fit into a signed 64-bit integer", path=path)
        return np.ascontiguousarray(values, np.int64)
    if np.isinf(values).any() or (not gaps and np.isnan(values).any()):
        csv = "" if np.isinf(values).any() else "CSV, "
        hint = f"write {csv}.subiso or Parquet, which hold such values"
        held = "infinite values" if gaps else "NaN or infinite values"
        raise FormatError(f"column {name!r} holds {held}", path=path, hint=hint)
    return np.ascontiguousarray(values, np.float64)


def check_name(name: str, before: Collection[str], labels: Collection[str], path: str) -> None:
    """Refuses the name of a column that readers would take for something else: for a column `before` it, for the row
    index, or, where no label is written, for the label, which has one of the names `labels`.
    """
    if name in before or is_row_index(name) or ("label" not in before and name.lower() in labels):
        hint = "rename it first, or write .subiso"
        raise FormatError(
            f"a column cannot be called {name!r} here: it would not be read as one", path=path, hint=hint
        )


def label_column(
    names: Sequence[int | str], codes: NDArray[Any], path: str, encode: Callable[[str], bytes], *, empty: bool
) -> TextColumn:
    """Labels as a column to write; `empty` says whether the format can leave a label out."""
    if not empty and (codes == NONE).any():
        hint = "label them all, or write CSV, Parquet or .subiso"
        raise FormatError("some labels are missing, which the format cannot say", path=path, hint=hint)
    return np.ascontiguousarray(codes, np.uint32), [encode(str(name)) for name in names]


def plain(path: str, forbidden: str, what: str) -> Callable[[str], bytes]:
    """An encoder for formats without quotes: refuses texts that would not read back as one field."""

    def encode(text: str) -> bytes:
        if not text or any(c in forbidden or ord(c) < 32 or ord(c) == 127 for c in text) or text[0] in "#%":
            hint = "write CSV, Parquet or .subiso instead"
            raise FormatError(f"{what} {text!r} cannot be written without quotes", path=path, hint=hint)
        return text.encode()

    return encode


def quoting(path: str, delimiter: str) -> Callable[[str], bytes]:
    """An encoder for CSV: quotes where needed."""

    def encode(text: str) -> bytes:
        if not text:
            raise FormatError("empty text cannot be told from a missing one in CSV", path=path)
        special = any(c in (delimiter, '"') or ord(c) < 32 or ord(c) == 127 for c in text)
        if special or text != text.strip(" \t"):
            text = '"' + text.replace('"', '""') + '"'
        return text.encode()

    return encode


def write_rows(file: Any, columns: list[TextColumn], *, delimiter: str, prefix: str = "") -> None:
    """Renders and writes the rows of equally long columns, a slice at a time."""
    count = min(len(c[0]) if isinstance(c, tuple) else len(c) for c in columns)
    for begin in range(0, count, ROWS):
        end = min(begin + ROWS, count)
        file.write(native.render_rows(columns, prefix, delimiter, begin, end))


def raw_bytes(values: NDArray[Any]) -> Any:
    """The array's memory in little-endian order, as bytes that can be written and summed without a copy."""
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return little.view(np.uint8).data
