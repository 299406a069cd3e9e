"""METIS graphs (.metis, .graph): a header, then one line of neighbours per vertex, counted from 1."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError
from subiso.formats.build import make
from subiso.formats.export import refuse_loss
from subiso.formats.files import TextSource, replacing_text
from subiso.formats.layout import counts
from subiso.formats.text import native, parse_ragged
from subiso.graph import Graph

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class _Header:
    n: int
    m: int
    sizes: bool
    weights: int  # per vertex
    edge_weights: bool
    line: int

    @property
    def before(self) -> int:
        """Numbers in a line before the first neighbour."""
        return self.sizes + self.weights


def read(path: str | os.PathLike[str], *, directed: bool | None = None) -> Graph:
    """Reads a METIS graph; always undirected. The fmt flags for vertex sizes, vertex weights and edge
    weights are known.

    Sizes become the vertex column "size"; weights the vertex column "weight" (or "weight1", "weight2", ...)
    and the edge column "weight". Every edge must stand in both lists with the same weight; loops are
    refused, as METIS does.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "path.metis"
    >>> _ = path.write_text("3 2 001\\n2 7\\n1 7 3 9\\n2 9\\n")
    >>> g = read(path)
    >>> g.num_edges, g.edge_columns["weight"].tolist()
    (2, [7, 9])
    """
    text = TextSource(path)
    if directed:
        raise text.error("METIS graphs are undirected", hint="leave directed= out")
    header = _read_header(text)
    values, widths, numbers = parse_ragged(text, comments="%", skip=header.line)
    widths, numbers = _one_line_each(text, header, widths, numbers)
    starts = np.zeros(header.n + 1, np.int64)
    np.cumsum(widths, out=starts[1:])
    columns = {name: values[starts[:-1] + i] for i, name in enumerate(_vertex_columns(header))}
    offsets, neighbors, weights = _lists(header, values, starts)
    source, target, kept = _mirrored(text, header, offsets, neighbors, weights=weights, numbers=numbers)
    return make(
        text.path,
        source,
        target,
        num_vertices=header.n,
        directed=False,
        vertex_columns=columns or None,
        edge_columns=None if weights is None else {"weight": weights[kept]},
        parallel=None if weights is None else "error",
    )


def _read_header(text: TextSource) -> _Header:
    for number, line in enumerate(text.lines(), 1):
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        numbers = counts(line)
        flags = line.split()[2].zfill(3) if numbers is not None and len(numbers) > 2 else "000"
        if numbers is None or not 2 <= len(numbers) <= 4 or len(flags) != 3 or set(flags) - {"0", "1"}:
            hint = "n m [fmt [ncon]] is due, fmt of three digits 0 or 1"
            raise text.error(f"not the header of a METIS graph: {line[:80]!r}", line=number, hint=hint)
        given = numbers[3] if len(numbers) > 3 else int(flags[1])
        if (given > 0) != (flags[1] == "1") or given > 1000:
            raise text.error(f"fmt {flags} and {given} weights per vertex disagree", line=number)
        return _Header(numbers[0], numbers[1], flags[0] == "1", given, flags[2] == "1", number)
    raise text.error("the header is missing", hint="n m [fmt [ncon]] is due first")


def _one_line_each(text: TextSource, header: _Header, widths: Ints, numbers: Ints) -> tuple[Ints, Ints]:
    if len(widths) < header.n:
        hint = "a vertex without neighbours still needs its (empty) line; the file may be cut off"
        raise text.error(f"{header.n} vertices but {len(widths)} lines", line=header.line, hint=hint)
    if widths[header.n :].any():
        extra = header.n + int(np.argmax(widths[header.n :] > 0))
        raise text.error(f"a line too many: there are {header.n} vertices", line=int(numbers[extra]))
    widths = widths[: header.n]
    rest = widths - header.before
    bad = (rest < 0) | ((rest % 2 == 1) if header.edge_weights else False)
    if bad.any():
        row = int(np.argmax(bad))
        what = (
            "neighbours and weights do not pair up"
            if rest[row] >= 0
            else f"{header.before} numbers are due first"
        )
        raise text.error(f"vertex {row + 1}: {what}", line=int(numbers[row]))
    return widths, numbers


def _vertex_columns(header: _Header) -> list[str]:
    names = ["size"] if header.sizes else []
    if header.weights == 1:
        return [*names, "weight"]
    return [*names, *(f"weight{i + 1}" for i in range(header.weights))]


def _lists(header: _Header, values: Ints, starts: Ints) -> tuple[Ints, Ints, Ints | None]:
    """Offsets and neighbours (from 0), and edge weights by entry."""
    if header.before:
        keep = np.ones(len(values), bool)
        for i in range(header.before):
            keep[starts[:-1] + i] = False
        values = values[keep]
        starts = starts - np.arange(header.n + 1) * header.before
    if not header.edge_weights:
        return starts, values - 1, None
    return starts // 2, values[0::2] - 1, values[1::2]


def _mirrored(
    text: TextSource, header: _Header, offsets: Ints, neighbors: Ints, *, weights: Ints | None, numbers: Ints
) -> tuple[Ints, Ints, Any]:
    """Each edge once, after checking that it stands in both lists and that the header's count is right."""
    (fault, vertex, value), mirrors = native.check_lists(offsets, np.ascontiguousarray(neighbors), True)
    if fault == 2:
        raise text.error(f"neighbour {value + 1} is outside 1..{header.n}", line=int(numbers[vertex]))
    if fault:
        hint = "each edge stands in the lines of both its ends"
        raise text.error(
            f"{vertex + 1} lists {value + 1}, but not the other way round",
            line=int(numbers[vertex]),
            hint=hint,
        )
    owner = np.repeat(np.arange(header.n), np.diff(offsets))
    loops = owner == neighbors
    if loops.any():
        vertex = int(owner[np.argmax(loops)])
        raise text.error(
            f"vertex {vertex + 1} lists itself", line=int(numbers[vertex]), hint="METIS allows no loops"
        )
    if len(neighbors) != 2 * header.m:
        raise text.error(
            f"the header promises {header.m} edges, the lists hold {len(neighbors) / 2:g}", line=header.line
        )
    if weights is not None and (weights != weights[mirrors]).any():
        entry = int(np.argmax(weights != weights[mirrors]))
        raise text.error(
            f"edge {owner[entry] + 1} - {neighbors[entry] + 1} has two weights",
            line=int(numbers[owner[entry]]),
        )
    kept = owner < neighbors
    return owner[kept], neighbors[kept], kept


def write(graph: Graph, path: str | os.PathLike[str], *, lossy: bool = False) -> None:
    """Writes an undirected graph without loops and parallel edges; integer columns named as `read` names
    them are kept.
    """
    name = os.fspath(path)
    for what, there in (
        ("directed", graph.directed),
        ("loops", graph.has_loops),
        ("parallel edges", graph.has_parallel),
    ):
        if there:
            raise FormatError(
                f"METIS cannot hold a graph that is or has: {what}", path=name, hint="write .subiso"
            )
    fronts = {key: values for key, values in graph.vertex_columns.items() if values.dtype.kind in "iu"}
    count = len(fronts) - ("size" in fronts)
    order = _vertex_columns(_Header(0, 0, "size" in fronts, count, False, 0))
    known = list(fronts) and sorted(fronts) == sorted(order)
    weights = graph.edge_columns.get("weight")
    weighted = weights is not None and weights.dtype.kind in "iu"
    keeps = ["vertices without edges"]
    keeps += ["vertex columns"] if known and len(fronts) == len(graph.vertex_columns) else []
    keeps += ["edge columns"] if weighted and len(graph.edge_columns) == 1 else []
    refuse_loss(graph, name, "METIS", keeps, lossy)
    fronts = {key: fronts[key] for key in order} if known else {}
    flags = f"{'size' in fronts:d}{bool(fronts) and count > 0:d}{weighted:d}"
    head = f"{graph.num_vertices} {graph.num_edges}" + ("" if flags == "000" else f" {flags}")
    head += f" {count}" if flags[1] == "1" and count > 1 else ""
    offsets = graph.out.offsets
    entries = [graph.out.neighbors.astype(np.int64) + 1]
    if weights is not None and weighted:
        entries.append(np.ascontiguousarray(weights[graph.out.edge_ids], np.int64))
    columns = [np.ascontiguousarray(values, np.int64) for values in fronts.values()]
    with replacing_text(path) as file:
        file.write(head.encode() + b"\n")
        for begin in range(0, graph.num_vertices, 1 << 16):
            end = min(begin + (1 << 16), graph.num_vertices)
            file.write(native.render_lists(columns, np.ascontiguousarray(offsets), entries, begin, end))
