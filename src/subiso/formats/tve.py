"""The two t/v/e dialects of the matching literature: `t n m` (RapidMatch, SubgraphMatching) and `t # 0`
(gSpan).
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError
from subiso.formats.build import EdgeTable, Loops, Parallel, VertexTable, build, vertex_labels
from subiso.formats.export import LABELS, label_column, plain, refuse_loss, write_rows
from subiso.formats.files import TextSource, replacing_text
from subiso.formats.layout import counts
from subiso.formats.text import NONE, Boundary, Cells, Parsed, Schema, line_of_row, parse
from subiso.graph import Graph

COMMENTS = "#%"


def read(
    path: str | os.PathLike[str],
    *,
    directed: bool | None = None,
    index: int | None = None,
    parallel: Parallel = None,
    loops: Loops = "drop",
    check_counts: bool = True,
) -> Graph:
    """Reads either dialect, told apart by the first line; undirected unless directed=True.

    `t n m`, `v id label [degree]`, `e u v [label]`: ids are 0..n-1; n, m and the degrees must be right
    (`check_counts=False` lets m and the degrees pass). `t # 0`, `v id label`, `e u v [label]`: ids may be any
    integers. Labels are integers or text; edges without one are unlabelled. Of a file with several graphs,
    `index` (from 0) chooses one.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.graph"
    >>> _ = path.write_text("t 3 2\\nv 0 5 1\\nv 1 8 2\\nv 2 5 1\\ne 0 1\\ne 1 2\\n")
    >>> g = read(path)
    >>> g.num_edges, g.vertex_labels.names, g.vertex_labels.codes.tolist()
    (2, (5, 8), [0, 1, 0])
    """
    text = TextSource(path)
    gspan = _first_line(text)[1:2] == ["#"]
    parsed = parse(
        text,
        [Schema("is" if gspan else "isi", 2, "v"), Schema("iis", 2, "e")],
        comments=COMMENTS,
        boundary="t",
        hint="lines are: t ..., v id label, e u v [label]",
    )
    part = _choose(text, parsed, index)
    vertices, edges = (_rows(table, *part[kind]) for kind, table in enumerate(parsed.tables))
    if not gspan:
        _check_sizes(text, part[2], vertices, edges, check_counts)
    elif len(vertices[0].values) == 0:
        raise text.error("the graph has no vertices", line=part[2].line)
    _check_ends(text, vertices[0], edges, part[1][0])
    label = None if edges[2].missing == len(edges[2].values) else edges[2]
    labels = vertex_labels(vertices[1])
    return build(
        EdgeTable(text.path, edges[0], edges[1], label),
        VertexTable(text.path, vertices[0], labels),
        directed=bool(directed),
        parallel=parallel,
        loops=loops,
    )


def is_tve(line: str) -> bool:
    """Whether a file whose first line of data this is, is in one of the two dialects.

    >>> is_tve("t 3 2"), is_tve("t # 0"), is_tve("the end"), is_tve("1 2")
    (True, True, False, False)
    """
    words = line.split()
    return words[:1] == ["t"] and (
        words[1:2] == ["#"] or (len(words) == 3 and counts(" ".join(words[1:])) is not None)
    )


def _first_line(text: TextSource) -> list[str]:
    for number, line in enumerate(text.lines(), 1):
        words = line.split()
        if words and words[0][0] not in COMMENTS:
            if words[0] != "t":
                hint = "the file starts with `t n m` or `t # 0`"
                raise text.error(f"a t line is due first, not {line[:80]!r}", line=number, hint=hint)
            return words
    raise text.error("the file has no graph")


def _choose(
    text: TextSource, parsed: Parsed, index: int | None
) -> tuple[tuple[int, int], tuple[int, int], Boundary]:
    """The rows of v and e lines that belong to the chosen graph, and its t line."""
    starts = parsed.boundaries
    ends = [*[start.rows for start in starts[1:]], parsed.rows]
    if len(starts) > 1 and starts[-1].rows == parsed.rows and starts[-1].text.split()[1:] == ["#", "-1"]:
        starts, ends = starts[:-1], ends[:-1]  # gSpan's end mark
    if index is None and len(starts) > 1:
        hint = f"pass index=0..{len(starts) - 1} to choose one"
        raise text.error(f"the file holds {len(starts)} graphs", line=starts[1].line, hint=hint)
    chosen = index or 0
    if not 0 <= chosen < len(starts):
        raise text.error(f"there is no graph {chosen}: the file holds {len(starts)}")
    rows = [(starts[chosen].rows[kind], ends[chosen][kind]) for kind in (0, 1)]
    return rows[0], rows[1], starts[chosen]


def _rows(table: list[Cells | None], begin: int, end: int) -> list[Cells]:
    return [_slice(cells, begin, end) for cells in table if cells is not None]


def _slice(cells: Cells, begin: int, end: int) -> Cells:
    """The column's rows of one graph; names that only other graphs use are left out."""
    values = cells.values[begin:end]
    if cells.kind != "s" or len(values) == len(cells.values):
        return replace(cells, values=values)
    used, codes = np.unique(values, return_inverse=True)
    names = [cells.names[code] for code in used.tolist() if code != NONE]
    codes = np.where(values == NONE, np.uint32(NONE), codes.astype(np.uint32))
    return replace(cells, values=codes, names=names, missing=int((values == NONE).sum()))


def _check_sizes(
    text: TextSource, start: Boundary, vertices: list[Cells], edges: list[Cells], check_counts: bool
) -> None:
    sizes = counts(start.text.strip()[1:])
    if sizes is None or len(sizes) != 2:
        raise text.error(f"not a t line: {start.text!r}", line=start.line, hint="`t n m` is due")
    n, m = sizes
    ids = vertices[0].values.astype(np.int64, copy=False)
    if len(ids) != n:
        hint = "the file may be cut off"
        raise text.error(
            f"the t line promises {n} vertices, there are {len(ids)}", line=start.line, hint=hint
        )
    outside = (ids < 0) | (ids >= n)
    if outside.any():
        row = int(np.argmax(outside))
        raise text.error(f"vertex {ids[row]} is outside 0..{n - 1}", line=_line(text, start, row, "v"))
    if not check_counts:
        return
    if len(edges[0].values) != m:
        raise text.error(
            f"the t line promises {m} edges, there are {len(edges[0].values)}",
            line=start.line,
            hint="the file may be cut off; check_counts=False reads it as it is",
        )
    if 0 < vertices[2].missing < len(vertices[2].values):
        raise text.error("a degree is missing here but not everywhere", line=vertices[2].missing_line)
    if vertices[2].missing == 0:
        _check_degrees(text, start, ids, vertices[2].values, edges)


def _check_degrees(
    text: TextSource,
    start: Boundary,
    ids: NDArray[np.int64],
    degrees: NDArray[np.generic],
    edges: list[Cells],
) -> None:
    n = len(ids)
    ends = np.concatenate([edges[0].values, edges[1].values]).astype(np.int64, copy=False)
    found = np.bincount(ends[(ends >= 0) & (ends < n)], minlength=n)
    wrong = found[ids] != degrees
    if wrong.any():
        row = int(np.argmax(wrong))
        raise text.error(
            f"vertex {ids[row]} has degree {found[ids[row]]}, the file says {degrees[row]}",
            line=_line(text, start, row, "v"),
            hint="check_counts=False reads it as it is",
        )


def _check_ends(text: TextSource, ids: Cells, edges: list[Cells], before: int) -> None:
    known = np.sort(ids.values)
    for cells in edges[:2]:
        place = np.minimum(np.searchsorted(known, cells.values), max(len(known) - 1, 0))
        unknown = known[place] != cells.values if len(known) else np.ones(len(cells.values), bool)
        if unknown.any():
            row = int(np.argmax(unknown))
            line = line_of_row(text, before + row, comments=COMMENTS, tag="e")
            raise text.error(f"vertex {cells.values[row]} has no v line", line=line)


def _line(text: TextSource, start: Boundary, row: int, tag: str) -> int:
    return line_of_row(text, start.rows[0] + row, comments=COMMENTS, tag=tag)


def write(
    graph: Graph, path: str | os.PathLike[str], *, dialect: str = "rapidmatch", lossy: bool = False
) -> None:
    """Writes `t n m` with degrees (dialect="rapidmatch"), or `t # 0` (dialect="gspan"). Every vertex needs
    one label.

    A graph without vertex labels gets the label 0 everywhere, which the formats demand.
    """
    name = os.fspath(path)
    if dialect not in ("rapidmatch", "gspan"):
        raise FormatError(f"dialect={dialect!r} is unknown", path=name, hint="rapidmatch or gspan")
    refuse_loss(graph, name, "t/v/e", LABELS, lossy)
    encode = plain(name, " \t", "the label")
    n = graph.num_vertices
    labels = graph.vertex_labels
    if labels is None:
        label = np.zeros(n, np.uint32), [b"0"]
    elif labels.offsets is not None:
        raise FormatError(
            "a vertex has several labels", path=name, hint="t/v/e files hold one; write .subiso"
        )
    else:
        label = label_column(labels.names, labels.codes, name, encode, empty=False)  # type: ignore[assignment]
    source, target = (end.astype(np.int64) for end in graph.edge_endpoints())
    table = [source, target]
    if graph.edge_labels is not None:
        codes = graph.edge_labels.codes
        table.append(label_column(graph.edge_labels.names, codes, name, encode, empty=True))  # type: ignore[arg-type]
    degrees = np.bincount(np.concatenate([source, target]), minlength=n)
    with replacing_text(path) as file:
        file.write(f"t {n} {graph.num_edges}\n".encode() if dialect == "rapidmatch" else b"t # 0\n")
        vertices = [np.arange(n), label, *([degrees] if dialect == "rapidmatch" else [])]
        write_rows(file, vertices, delimiter=" ", prefix="v ")  # type: ignore[arg-type]
        write_rows(file, list(table), delimiter=" ", prefix="e ")
