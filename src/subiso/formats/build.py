"""Turns the columns a reader found into a Graph: ids, labels, vertex tables. The readers' last step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError, GraphError
from subiso.formats.text import NONE, Cells
from subiso.graph import Graph
from subiso.graph.labels import EdgeLabels, Label, VertexLabels

Parallel = Literal["merge", "keep", "error"] | None
Loops = Literal["drop", "keep", "error"]
PLAUSIBLE = 1 << 24  # vertices that a text file may claim with few edges
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")


@dataclass(frozen=True)
class EdgeTable:
    """Edges as a reader found them: ids of both ends, and what they carry."""

    path: str
    source: Cells
    target: Cells
    label: Cells | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    width: int = 2  # fields per line; 0 = the file has no line of data
    ends: str | None = None  # which columns the ends are: a hint for when they do not fit
    notes: tuple[str, ...] = ()  # what the graph's report is to say


@dataclass(frozen=True)
class VertexTable:
    """Vertices as a reader found them; `labels` has one entry per row."""

    path: str
    ids: Cells
    labels: VertexLabels | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what the graph's report is to say


def build(
    edges: EdgeTable,
    vertices: VertexTable | None = None,
    *,
    directed: bool,
    num_vertices: int | None = None,
    parallel: Parallel = None,
    loops: Loops = "drop",
) -> Graph:
    """The Graph of an edge table and, where there is one, a vertex table that names every vertex."""
    ids: NDArray[Any] | None = None
    source: NDArray[Any]
    target: NDArray[Any]
    labels, columns = None, None
    if vertices is not None:
        names = vertex_ids(vertices)
        source, target = (_find(names, cells, edges) for cells in (edges.source, edges.target))
        num_vertices = len(names)
        ids = None if _is_dense(names) else names
        labels, columns = vertices.labels, vertices.columns or None
    elif edges.source.kind == "s":
        source, target, ids = _join_texts(edges.source, edges.target)
        num_vertices = len(ids)
    else:
        source, target = edges.source.values, edges.target.values
    return make(
        edges.path,
        source,
        target,
        num_vertices=num_vertices,
        directed=directed,
        vertex_labels=labels,
        vertex_columns=columns,
        edge_labels=None if edges.label is None else edge_labels(edges.label),
        edge_columns=dict(edges.columns) or None,
        ids=ids,
        parallel=parallel,
        loops=loops,
    ).with_notes(edges.notes if vertices is None else (*edges.notes, *vertices.notes))


def make(path: str, source: NDArray[Any], target: NDArray[Any], **arguments: Any) -> Graph:
    """Graph.from_edges, whose complaints name the file."""
    claimed = arguments.get("num_vertices") or 0
    if claimed > max(PLAUSIBLE, 64 * len(source)):  # a damaged count must not ask for all the memory there is
        hint = "such a graph can be made with Graph.from_edges and kept as .subiso"
        raise FormatError(f"{claimed} vertices are claimed for {len(source)} edges", path=path, hint=hint)
    try:
        return Graph.from_edges(source, target, **arguments)
    except FormatError:
        raise
    except GraphError as error:
        raise FormatError(error.message, path=path, hint=error.hint) from error


def sorted_codes(cells: Cells) -> tuple[list[str], NDArray[np.uint32]]:
    """The texts of a column in sorted order, and the codes that go with them."""
    order = sorted(range(len(cells.names)), key=cells.names.__getitem__)
    table = np.empty(len(order) + 1, np.uint32)
    table[order] = np.arange(len(order), dtype=np.uint32)
    table[-1] = NONE
    codes = np.minimum(cells.values.astype(np.uint32, copy=False), np.uint32(len(order)))
    return [cells.names[i] for i in order], table[codes]


def label_names(cells: Cells) -> tuple[tuple[Label, ...], NDArray[np.uint32]]:
    """Names and codes of a label column; integers when every label is written as one, otherwise text."""
    if cells.kind in "ib":
        found, codes = np.unique(cells.values, return_inverse=True)
        return tuple(int(name) for name in found), codes.astype(np.uint32)
    if all(_INTEGER.fullmatch(name) and len(name) < 19 for name in cells.names):
        numbers = sorted(range(len(cells.names)), key=lambda code: int(cells.names[code]))
        table = np.empty(len(numbers) + 1, np.uint32)
        table[numbers] = np.arange(len(numbers), dtype=np.uint32)
        table[-1] = NONE
        codes = table[np.minimum(cells.values, len(numbers)).astype(np.int64)]
        return tuple(int(cells.names[code]) for code in numbers), codes
    names, codes = sorted_codes(cells)
    return tuple(names), codes


def edge_labels(cells: Cells) -> EdgeLabels:
    """A label column as the Graph's edge labels, one per row."""
    return EdgeLabels(*label_names(cells))


def vertex_labels(cells: Cells, separator: str | None = None) -> VertexLabels:
    """A label column as the Graph's vertex labels; with a separator a field may hold several."""
    if separator is None or cells.kind != "s" or not any(separator in name for name in cells.names):
        return VertexLabels(*label_names(cells))
    parts = [tuple(part for part in name.split(separator) if part) for name in cells.names]
    return several_labels([() if code == NONE else parts[code] for code in cells.values.tolist()])


def several_labels(rows: list[tuple[str, ...]]) -> VertexLabels:
    """Vertex labels from one tuple of texts per vertex."""
    distinct = list(dict.fromkeys(name for row in rows for name in row))
    code_of = {name: code for code, name in enumerate(distinct)}
    flat = np.array([code_of[name] for row in rows for name in row], np.uint32)
    names, codes = label_names(Cells("s", flat, distinct))
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    owner = np.repeat(np.arange(len(rows)), np.diff(offsets))
    order = np.lexsort((codes, owner))
    codes, owner = codes[order], owner[order]
    fresh = np.ones(len(codes), bool)
    fresh[1:] = (codes[1:] != codes[:-1]) | (owner[1:] != owner[:-1])
    np.cumsum(np.bincount(owner[fresh], minlength=len(rows)), out=offsets[1:])
    return VertexLabels(names, codes[fresh], offsets)


def texts(names: list[str]) -> NDArray[Any]:
    """An object array of strings: NumPy's fixed-width text would cut trailing NULs and waste memory."""
    found = np.empty(len(names), object)
    found[:] = names
    return found


def vertex_ids(table: VertexTable) -> NDArray[Any]:
    """The ids of a vertex table in row order; each may stand there once."""
    cells = table.ids
    if cells.kind == "s":
        counts = np.bincount(cells.values, minlength=len(cells.names))
        if (counts > 1).any():
            twice = cells.names[int(np.argmax(counts > 1))]
            raise FormatError(
                f"vertex {twice!r} stands there twice", path=table.path, hint="one row per vertex"
            )
        return texts([cells.names[code] for code in cells.values.tolist()])
    if cells.kind != "i":
        raise FormatError("vertex ids must be integers or text", path=table.path)
    order = np.argsort(cells.values, kind="stable")
    ordered = cells.values[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(same):
        row = int(order[same[0] + 1])
        raise FormatError(
            f"vertex {cells.values[row]} stands there twice, the second time in row {row}",
            path=table.path,
            hint="one row per vertex",
        )
    return cells.values


def _is_dense(names: NDArray[Any]) -> bool:
    return names.dtype.kind == "i" and bool((names == np.arange(len(names))).all())


def _find(names: NDArray[Any], cells: Cells, edges: EdgeTable) -> NDArray[np.int64]:
    """The vertices' numbers by their ids; an id that the vertex table lacks is an error."""
    if cells.kind == "s" and names.dtype.kind == "O":
        index = {name: i for i, name in enumerate(names.tolist())}
        table = np.array([index.get(name, -1) for name in cells.names] or [-1], np.int64)
        found = table[cells.values]
    elif cells.kind == "i" and names.dtype.kind == "i":
        order = np.argsort(names, kind="stable")
        place = np.searchsorted(names, cells.values, sorter=order)
        place[place == len(names)] = 0
        found = order[place] if len(names) else np.full(len(cells.values), -1, np.int64)
        if len(names):
            found[names[found] != cells.values] = -1
    else:
        hint = 'read both with ids="text"' + (f"; {edges.ends}" if edges.ends else "")
        raise FormatError(
            "ids are integers in one of the two files and text in the other", path=edges.path, hint=hint
        )
    missing = np.flatnonzero(found < 0)
    if len(missing):
        row = int(missing[0])
        value = cells.names[int(cells.values[row])] if cells.kind == "s" else int(cells.values[row])
        raise FormatError(
            f"edge {row}: vertex {value!r} is not in the vertex file", path=edges.path, hint=edges.ends
        )
    numbers: NDArray[np.int64] = found.astype(np.int64, copy=False)
    return numbers


def _join_texts(source: Cells, target: Cells) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Codes of both ends in one sorted list of texts."""
    names = sorted({*source.names, *target.names})
    index = {name: i for i, name in enumerate(names)}
    ends = []
    for cells in (source, target):
        table = np.array([index[name] for name in cells.names], np.int64)
        ends.append(table[cells.values] if len(table) else np.zeros(0, np.int64))
    return ends[0], ends[1], texts(names)
