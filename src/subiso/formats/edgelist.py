"""Edge lists as SNAP and KONECT write them: one edge per line, fields apart by spaces or tabs, # and %
comments.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from subiso.errors import FormatError
from subiso.formats.build import Loops, Parallel, build
from subiso.formats.export import id_column, label_column, number_column, plain, refuse_loss, write_rows
from subiso.formats.files import TextSource, replacing_text
from subiso.formats.layout import Which
from subiso.formats.table import Columns, Dialect, Ids, read_edges
from subiso.graph import Graph

_DIRECTIVE = re.compile(r"#\s*subiso:\s*(.*)")
_COUNTS = re.compile(r"#.*?Nodes:\s*([0-9]{1,18})\s+Edges:\s*([0-9]{1,18})\s*$", re.IGNORECASE)


def read(
    path: str | os.PathLike[str],
    *,
    directed: bool | None = None,
    source: Which | None = None,
    target: Which | None = None,
    label: Which | None = None,
    columns: Columns = None,
    ids: Ids = "auto",
    header: bool | None = None,
    comments: str = "#%",
    parallel: Parallel = None,
    loops: Loops = "drop",
    check_counts: bool = True,
) -> Graph:
    """Reads an edge list: `source target` and perhaps further fields on each line.

    Directed or not: `directed` decides; else what the comments say ("Directed graph", "Undirected graph",
    KONECT's asym/sym); else undirected. Further fields become edge columns column3, column4, ...;
    `columns={"time": 2}` names or chooses them, `columns=()` leaves them out, `label=2` makes one the edge
    label (fields count from 0). Ids are integers or text as the first line has them; `ids="text"` reads
    numbers as text. When a SNAP header gives the number of edges the file must have as many
    (`check_counts=False` lets it pass).

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "messages.txt"
    >>> _ = path.write_text("# Directed graph\\n7 9 100\\n9 7 150\\n")
    >>> g = read(path, columns={"time": 2})
    >>> g.directed, g.ids.tolist(), g.edge_columns["time"].tolist()
    (True, [7, 9], [100, 150])
    """
    text = TextSource(path)
    notes = _Comments(text, comments)
    told = notes.directive
    if columns is None and "columns" in told:
        first = 2 + bool(told.get("label"))
        columns = {name: first + i for i, name in enumerate(told["columns"])}
    if label is None and told.get("label"):
        label = 2
    if ids == "auto" and told:
        ids = told.get("ids", "int")
    dialect = Dialect("", comments, False if told else header)
    table = read_edges(
        path,
        dialect,
        source=source,
        target=target,
        label=label,
        columns=columns,
        ids=ids,
        opened=text,
        narrow=True,
    )
    rows = len(table.source.values)
    due = 2 + bool(told.get("label")) + len(told.get("columns", ()))
    if told and rows and table.width != due:
        raise text.error(
            f"{table.width} fields where the '# subiso:' note says {due}", hint="the file is damaged"
        )
    if check_counts:
        notes.check(rows)
    if rows == 0 and "vertices" not in told and "ids" not in told:
        raise text.error("the file has no edges", hint="is it an edge list? pass format= for another format")
    if directed is None:
        directed = notes.directed
    num_vertices = told.get("vertices") if table.source.kind == "i" else None
    return build(table, directed=directed, num_vertices=num_vertices, parallel=parallel, loops=loops)


class _Comments:
    """What the comments above the first edge say: direction, counts, and our own writer's notes."""

    def __init__(self, text: TextSource, comments: str) -> None:
        self.text = text
        self.directed = False
        self.counts: tuple[int, int] | None = None
        self.counts_line = 0
        self.directive: dict[str, Any] = {}
        for number, line in enumerate(text.lines(), 1):
            stripped = line.strip()
            if stripped and stripped[0] not in comments:
                break
            self._take(stripped, number)

    def _take(self, line: str, number: int) -> None:
        if match := _DIRECTIVE.match(line):
            self.directive = _read_directive(self.text, match[1], number)
            self.directed = self.directive["directed"]
        elif match := _COUNTS.match(line):
            self.counts, self.counts_line = (int(match[1]), int(match[2])), number
        elif re.match(r"[#%]\s*undirected\b|%\s*(sym|bip)\b", line, re.IGNORECASE):
            self.directed = False
        elif re.match(r"[#%]\s*directed\b|%\s*asym\b", line, re.IGNORECASE):
            self.directed = True

    def check(self, rows: int) -> None:
        if self.counts is not None and self.counts[1] != rows:
            raise self.text.error(
                f"the header says {self.counts[1]} edges, the file has {rows}",
                line=self.counts_line,
                hint="the file may be cut off; check_counts=False reads it as it is",
            )


def _read_directive(text: TextSource, said: str, number: int) -> dict[str, Any]:
    """Our writer's note: {"directed": ..., "vertices": ..., "label": ..., "columns": [...], "ids":
    "text"}.
    """
    problem = FormatError(
        "the '# subiso:' note is damaged", path=text.path, line=number, hint="remove the line"
    )
    try:
        found = json.loads(said)
    except ValueError:
        raise problem from None
    if not isinstance(found, Mapping) or not isinstance(found.get("directed"), bool):
        raise problem
    vertices, columns = found.get("vertices", 0), found.get("columns", [])
    sound = (
        set(found) <= {"directed", "vertices", "label", "columns", "ids"}
        and isinstance(vertices, int)
        and not isinstance(vertices, bool)
        and vertices >= 0
        and isinstance(columns, list)
        and all(isinstance(name, str) for name in columns)
        and len(set(columns)) == len(columns)
        and isinstance(found.get("label", False), bool)
        and found.get("ids", "int") in ("int", "text")
    )
    if not sound:
        raise problem
    return dict(found)


def write(graph: Graph, path: str | os.PathLike[str], *, lossy: bool = False) -> None:
    """Writes `source target [label] [columns]` with tabs; a '# subiso:' comment keeps direction, names and
    the count.

    Vertex labels and columns have no place here (`lossy=True` leaves them out); nor have vertices without
    edges when the graph has ids of its own.
    """
    name = os.fspath(path)
    keeps = ["edge labels", "edge columns", "vertex ids"]
    refuse_loss(graph, name, "an edge list", [*keeps, *_keeps_isolated(graph)], lossy)
    ends = graph.edge_endpoints()
    encode = plain(name, " \t", "the id")
    table = [id_column(graph, end, name, encode) for end in ends]
    if graph.edge_labels is not None:
        labels = graph.edge_labels
        table.append(
            label_column(labels.names, labels.codes, name, plain(name, " \t", "the label"), empty=False)
        )
    table += [number_column(key, values, name) for key, values in graph.edge_columns.items()]
    note: dict[str, Any] = {"directed": graph.directed}
    if graph.ids is None:
        note["vertices"] = graph.num_vertices
    else:
        note["ids"] = "int" if graph.ids.dtype.kind in "iu" else "text"
    if graph.edge_labels is not None:
        note["label"] = True
    if graph.edge_columns:
        note["columns"] = list(graph.edge_columns)
    kind = "Directed" if graph.directed else "Undirected"
    with replacing_text(path) as file:
        file.write(f"# {kind} graph\n# Nodes: {graph.num_vertices} Edges: {graph.num_edges}\n".encode())
        file.write(f"# subiso: {json.dumps(note)}\n".encode())
        write_rows(file, table, delimiter="\t")


def _keeps_isolated(graph: Graph) -> list[str]:
    return ["vertices without edges"] if graph.ids is None else []
