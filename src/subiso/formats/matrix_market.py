"""Matrix Market coordinate files (.mtx): a square sparse matrix as a graph, entry (i, j) as edge i -> j,
from 1.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subiso.formats.build import Loops, Parallel, make
from subiso.formats.export import number_column, refuse_loss, write_rows
from subiso.formats.files import TextSource, replacing_text
from subiso.formats.layout import counts
from subiso.formats.text import Schema, line_of_row, parse
from subiso.graph import Graph

MAGIC = "%%matrixmarket"
_KINDS = {"pattern": "ii", "integer": "iii", "real": "iin"}


@dataclass(frozen=True)
class _Header:
    field: str
    symmetric: bool
    rows: int
    columns: int
    entries: int
    line: int  # of the sizes


def read(
    path: str | os.PathLike[str],
    *,
    directed: bool | None = None,
    column: str | None = "weight",
    parallel: Parallel = None,
    loops: Loops = "drop",
) -> Graph:
    """Reads a coordinate matrix: pattern, integer or real; general or symmetric.

    Directed or not: symmetric matrices give undirected graphs and general ones directed graphs, unless
    `directed` says otherwise (a symmetric matrix read as directed has both arcs). Values become the edge
    column named by `column` (None leaves them out); explicit zeros are edges. Entries on the diagonal are
    loops.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.mtx"
    >>> _ = path.write_text("%%MatrixMarket matrix coordinate integer general\\n3 3 2\\n1 2 5\\n3 1 7\\n")
    >>> g = read(path)
    >>> g.directed, [end.tolist() for end in g.edge_endpoints()], g.edge_columns["weight"].tolist()
    (True, [[0, 2], [1, 0]], [5, 7])
    """
    text = TextSource(path)
    header = _read_header(text)
    cells = parse(
        text, [Schema(_KINDS[header.field], len(_KINDS[header.field]))], comments="%", skip=header.line
    ).tables[0]
    ends = []
    for cell in cells[:2]:
        assert cell is not None
        ends.append(_from_one(text, cell.values.astype(np.int64, copy=False), header))
    if len(ends[0]) != header.entries:
        raise text.error(
            f"the header promises {header.entries} entries, the file has {len(ends[0])}",
            line=header.line,
            hint="the file may be cut off: fetch it again",
        )
    weights = None
    if column is not None and len(cells) > 2 and cells[2] is not None:
        values = cells[2].values
        if cells[2].kind == "b":
            raise text.error("true/false in a matrix of numbers")
        weights = values.astype(np.float64) if header.field == "real" else values
    directed = not header.symmetric if directed is None else directed
    if header.symmetric and directed:
        off = ends[0] != ends[1]
        ends = [np.concatenate([ends[0], ends[1][off]]), np.concatenate([ends[1], ends[0][off]])]
        weights = None if weights is None else np.concatenate([weights, weights[off]])
    return make(
        text.path,
        ends[0],
        ends[1],
        num_vertices=header.rows,
        directed=directed,
        edge_columns=None if weights is None else {column: weights},
        parallel=parallel,
        loops=loops,
    )


def _read_header(text: TextSource) -> _Header:
    field, symmetric = "", False
    for number, line in enumerate(text.lines(), 1):
        if number == 1:
            field, symmetric = _read_banner(text, line)
        elif line.strip() and not line.lstrip().startswith("%"):
            sizes = counts(line)
            if sizes is None or len(sizes) != 3:
                hint = "rows, columns and entries are due here"
                raise text.error(f"not the sizes of a matrix: {line[:80]!r}", line=number, hint=hint)
            rows, columns, entries = sizes
            if rows != columns:
                hint = "only square matrices are graphs; number the two sides apart to read a bipartite one"
                raise text.error(f"a matrix of {rows} by {columns}", line=number, hint=hint)
            return _Header(field, symmetric, rows, columns, entries, number)
    raise text.error("the line with the sizes is missing", hint="the file may be cut off")


def _read_banner(text: TextSource, line: str) -> tuple[str, bool]:
    words = line.lower().split()
    if not words or words[0] != MAGIC:
        raise text.error(
            "the first line is not a Matrix Market banner", line=1, hint="it starts with %%MatrixMarket"
        )
    if len(words) != 5 or words[1] != "matrix":
        hint = "%%MatrixMarket matrix coordinate pattern symmetric, for instance"
        raise text.error(f"not a full banner: {line[:80]!r}", line=1, hint=hint)
    for word, known in (
        (words[2], ("coordinate",)),
        (words[3], tuple(_KINDS)),
        (words[4], ("general", "symmetric")),
    ):
        if word not in known:
            raise text.error(f"{word!r} is not supported", line=1, hint=f"known here: {', '.join(known)}")
    return words[3], words[4] == "symmetric"


def _from_one(text: TextSource, values: NDArray[np.int64], header: _Header) -> NDArray[np.int64]:
    bad = (values < 1) | (values > header.rows)
    if bad.any():
        row = int(np.argmax(bad))
        line = line_of_row(text, row, comments="%", skip=header.line)
        raise text.error(
            f"index {values[row]} is outside 1..{header.rows}", line=line, hint="indices count from 1"
        )
    return values - 1


def write(
    graph: Graph, path: str | os.PathLike[str], *, column: str | None = None, lossy: bool = False
) -> None:
    """Writes the adjacency matrix: symmetric (lower triangle) for an undirected graph, general for a
    directed one.

    One edge column can be the values: `column=`, or the only one there is; it comes back under the name
    "weight".
    """
    name = os.fspath(path)
    if column is None and len(graph.edge_columns) == 1:
        column = next(iter(graph.edge_columns))
    rest = [key for key in graph.edge_columns if key != column]
    keeps = ["vertices without edges", *([] if rest else ["edge columns"])]
    refuse_loss(graph, name, "Matrix Market", keeps, lossy)
    source, target = (end.astype(np.int64) + 1 for end in graph.edge_endpoints())
    table = [source, target] if graph.directed else [target, source]
    field = "pattern"
    if column is not None:
        values = graph.edge_columns[column]
        values = values.astype(np.int64) if values.dtype.kind == "b" else values
        field = "real" if values.dtype.kind == "f" else "integer"
        table.append(number_column(column, values, name))  # type: ignore[arg-type]
    symmetry = "general" if graph.directed else "symmetric"
    with replacing_text(path) as file:
        file.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n".encode())
        file.write(f"{graph.num_vertices} {graph.num_vertices} {graph.num_edges}\n".encode())
        write_rows(file, list(table), delimiter=" ")
