"""The .subiso format: a Graph as one memory-mapped file. SPEC.md beside this file is the definition."""

from __future__ import annotations

import itertools
import json
import mmap
import os
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError, GraphError
from subiso.formats.build import texts
from subiso.formats.export import raw_bytes
from subiso.formats.files import GZIP_MAGIC, os_errors, replacing
from subiso.formats.sections import (
    DIRECTED,
    ENTRY_SIZE,
    HEADER_SIZE,
    LOOPS,
    PARALLEL,
    Header,
    Section,
    array_of,
    check_padding,
    check_section,
    pack,
    pad,
    unpack,
)
from subiso.formats.text import NONE
from subiso.graph import EdgeLabels, Graph, VertexLabels

ALWAYS_CHECKED = 64 << 20  # files up to this size are checked in full when opened: it takes under 0.2 s
META_LISTS = ("vertex_labels", "edge_labels", "vertex_columns", "edge_columns")


def read(path: str | os.PathLike[str], *, directed: bool | None = None, check: bool | None = None) -> Graph:
    """Opens a .subiso file without reading its arrays: they are mapped, and pages come in as they are used.

    The header, the section table and the sizes are always checked. `check=True` also checks every checksum
    and the lists themselves, as `verify` does; None does so for files up to 64 MB; False never. The file says
    whether the graph is directed; a `directed` that says otherwise is refused. Do not change the file while
    the graph is in use.
    """
    name = os.fspath(path)
    raw = _map(name)
    header, sections = unpack(raw, name)
    if directed is not None and directed != bool(header.flags & DIRECTED):
        kind = "directed" if header.flags & DIRECTED else "undirected"
        raise FormatError(f"the graph in the file is {kind}", path=name, hint="leave directed= out")
    if check is None:
        check = len(raw) <= ALWAYS_CHECKED
    if check:
        check_padding(raw, sections, name)
        for section in sections.values():
            check_section(raw, section, name)
    return _Reader(name, raw, header, sections).graph(check)


def verify(path: str | os.PathLike[str]) -> Graph:
    """Checks all of a .subiso file: every checksum, padding, neighbour lists, labels. Returns the graph;
    raises FormatError.
    """
    return read(path, check=True)


def _map(path: str) -> Any:
    with os_errors(path), open(path, "rb") as file:
        head = file.read(2)
        if not head:
            raise FormatError("the file is empty", path=path)
        if head == GZIP_MAGIC:
            raise FormatError(
                "a packed .subiso file cannot be mapped", path=path, hint="unpack it with gunzip first"
            )
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class _Reader:
    """Takes the sections apart into the parts of a Graph; nothing here is longer than the number of
    sections.
    """

    def __init__(self, path: str, raw: Any, header: Header, sections: dict[str, Section]) -> None:
        self.path, self.raw, self.header, self.sections = path, raw, header, sections
        self.meta = self._meta()

    def error(self, name: str, what: str) -> FormatError:
        return FormatError(f"section {name!r}: {what}", path=self.path, hint="the file is damaged")

    def graph(self, check: bool) -> Graph:
        head, directed = self.header, bool(self.header.flags & DIRECTED)
        try:
            graph = Graph.from_csr(
                *self._lists("out", directed),
                directed=directed,
                **self._in_lists(directed),
                vertex_labels=self._vertex_labels(check),
                edge_labels=self._edge_labels(check),
                vertex_columns=self._columns("vertex_columns", "vcol", head.num_vertices),
                edge_columns=self._columns("edge_columns", "ecol", head.num_edges),
                ids=self._ids(),
                edge_rows=self._optional("edge_rows", "<i8", head.num_edges),
                has_loops=bool(head.flags & LOOPS),
                has_parallel=bool(head.flags & PARALLEL),
                num_edges=head.num_edges,
                checked=not check,
            )
        except FormatError:
            raise
        except GraphError as problem:
            raise FormatError(problem.message, path=self.path, hint="the file is damaged") from problem
        flags = DIRECTED * graph.directed + LOOPS * graph.has_loops + PARALLEL * graph.has_parallel
        if graph.num_edges != head.num_edges or flags != head.flags:
            raise FormatError("header: edges or flags are not those of the lists", path=self.path)
        return graph

    def _meta(self) -> dict[str, list[Any]]:
        section = self.sections.get("meta")
        if section is None or section.dtype != "|u1":
            raise FormatError("section 'meta' is missing", path=self.path)
        check_section(self.raw, section, self.path)
        try:
            found = json.loads(bytes(array_of(self.raw, section)))
            sound = isinstance(found, dict) and all(isinstance(found[key], list) for key in META_LISTS)
        except (ValueError, KeyError):
            sound = False
        if not sound or not all(isinstance(x, str) for key in META_LISTS[2:] for x in found[key]):
            raise self.error("meta", "not the description it should be")
        return found  # type: ignore[no-any-return]

    def _take(self, name: str, dtype: str, count: int | None) -> NDArray[Any]:
        section = self.sections.get(name)
        if section is None:
            raise FormatError(f"section {name!r} is missing", path=self.path)
        if section.dtype != dtype or (count is not None and section.count != count):
            raise self.error(
                name, f"{section.count} items of {section.dtype} where {count} of {dtype} are due"
            )
        return array_of(self.raw, section)

    def _optional(self, name: str, dtype: str, count: int) -> NDArray[Any] | None:
        return self._take(name, dtype, count) if name in self.sections else None

    def _lists(self, prefix: str, directed: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        n, m = self.header.num_vertices, self.header.num_edges
        offsets = self._take(f"{prefix}.offsets", "<i8", n + 1)
        neighbors = self._take(f"{prefix}.neighbors", "<u4", None)
        if offsets[0] != 0 or offsets[-1] != len(neighbors):
            raise self.error(f"{prefix}.offsets", "the first or the last offset is wrong")
        least, most = (m, m) if directed else (m, 2 * m)
        if not least <= len(neighbors) <= most:
            raise self.error(f"{prefix}.neighbors", f"{len(neighbors)} entries for {m} edges")
        return offsets, neighbors

    def _in_lists(self, directed: bool) -> dict[str, NDArray[Any]]:
        if not directed:
            return {}
        offsets, neighbors = self._lists("in", directed)
        return {"in_offsets": offsets, "in_neighbors": neighbors}

    def _names(self, key: str) -> tuple[Any, ...]:
        names = self.meta[key]
        kinds = {type(name) for name in names}
        if len(kinds) > 1 or kinds - {int, str} or len(set(names)) != len(names):
            raise self.error("meta", f"{key} are damaged")
        return tuple(names)

    def _codes(
        self, name: str, codes: NDArray[Any], names: tuple[Any, ...], check: bool, none: bool
    ) -> NDArray[Any]:
        if check and len(codes):
            bad = codes >= len(names)
            bad &= (codes != NONE) if none else True
            if bad.any():
                raise self.error(name, f"item {int(np.argmax(bad))} is no label's code")
        return codes

    def _vertex_labels(self, check: bool) -> VertexLabels | None:
        if "vlabel.codes" not in self.sections:
            return None
        n, names = self.header.num_vertices, self._names("vertex_labels")
        offsets = self._optional("vlabel.offsets", "<i8", n + 1)
        codes = self._take("vlabel.codes", "<u4", n if offsets is None else None)
        if offsets is not None:
            if offsets[0] != 0 or offsets[-1] != len(codes) or (check and (np.diff(offsets) < 0).any()):
                raise self.error("vlabel.offsets", "the offsets are wrong")
            if check and not _rising(codes, offsets):
                raise self.error("vlabel.codes", "a vertex's labels are not sorted")
        codes = self._codes("vlabel.codes", codes, names, check, none=offsets is None)
        return VertexLabels(names, codes, offsets)

    def _edge_labels(self, check: bool) -> EdgeLabels | None:
        if "elabel.codes" not in self.sections:
            return None
        names = self._names("edge_labels")
        codes = self._take("elabel.codes", "<u4", self.header.num_edges)
        return EdgeLabels(names, self._codes("elabel.codes", codes, names, check, none=True))

    def _columns(self, key: str, prefix: str, count: int) -> dict[str, NDArray[Any]]:
        found = {}
        for i, name in enumerate(self.meta[key]):
            section = self.sections.get(f"{prefix}.{i}")
            dtype = "" if section is None else section.dtype
            if np.dtype(dtype or "V").kind not in "biuf":
                raise self.error(f"{prefix}.{i}", "missing, or not numbers")
            found[name] = self._take(f"{prefix}.{i}", dtype, count)
        return found

    def _ids(self) -> NDArray[Any] | None:
        n = self.header.num_vertices
        if "ids.offsets" in self.sections:
            return self._long_ids(n)
        section = self.sections.get("ids")
        if section is None:
            return None
        if section.dtype not in ("<i8", "<u8") and not section.dtype.startswith("<U"):
            raise self.error("ids", f"{section.dtype} cannot be ids")
        return self._take("ids", section.dtype, n)

    def _long_ids(self, n: int) -> NDArray[Any]:
        offsets = self._take("ids.offsets", "<i8", n + 1)
        data = self._take("ids", "|u1", None).tobytes()
        ends = offsets.tolist()
        if ends[0] != 0 or ends[-1] != len(data) or (np.diff(offsets) < 0).any():
            raise self.error("ids.offsets", "the offsets are wrong")
        try:
            return texts([data[a:b].decode() for a, b in itertools.pairwise(ends)])
        except UnicodeDecodeError:
            raise self.error("ids", "not UTF-8") from None


def _rising(codes: NDArray[Any], offsets: NDArray[Any]) -> bool:
    """Whether codes rise inside every list."""
    falls = codes[1:] <= codes[:-1]
    starts = offsets[1:-1]
    falls[starts[(starts > 0) & (starts < len(codes))] - 1] = False
    return not falls.any()


def write(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Writes everything the graph holds. The file takes its place only when complete and on disk."""
    name = os.fspath(path)
    arrays = _arrays(graph, name)
    sections: list[Section] = []
    place = HEADER_SIZE + len(arrays) * ENTRY_SIZE
    with replacing(path, sync=True) as file:
        file.seek(place)
        for key, values in arrays.items():
            file.write(bytes(pad(place)))
            place += pad(place)
            dtype = np.dtype(values.dtype).newbyteorder("<").str
            data = raw_bytes(values)
            sections.append(Section(key, dtype, place, data.nbytes, len(values), zlib.crc32(data)))
            file.write(data)
            place += data.nbytes
        flags = DIRECTED * graph.directed + LOOPS * graph.has_loops + PARALLEL * graph.has_parallel
        file.seek(0)
        file.write(pack(Header(graph.num_vertices, graph.num_edges, flags, place, len(sections)), sections))


def _arrays(graph: Graph, path: str) -> dict[str, NDArray[Any]]:
    """The sections' contents, in the order in which they are written."""
    labels, edge_labels = graph.vertex_labels, graph.edge_labels
    meta = {
        "vertex_labels": [] if labels is None else list(labels.names),
        "edge_labels": [] if edge_labels is None else list(edge_labels.names),
        "vertex_columns": list(graph.vertex_columns),
        "edge_columns": list(graph.edge_columns),
    }
    found: dict[str, Any] = {"meta": np.frombuffer(json.dumps(meta).encode(), np.uint8)}
    found |= {"out.offsets": graph.out.offsets, "out.neighbors": graph.out.neighbors}
    if graph.directed:
        found |= {"in.offsets": graph.in_.offsets, "in.neighbors": graph.in_.neighbors}
    if labels is not None:
        found |= {"vlabel.codes": labels.codes} | (
            {} if labels.offsets is None else {"vlabel.offsets": labels.offsets}
        )
    if edge_labels is not None:
        found["elabel.codes"] = edge_labels.codes
    found |= {f"vcol.{i}": values for i, values in enumerate(graph.vertex_columns.values())}
    found |= {f"ecol.{i}": values for i, values in enumerate(graph.edge_columns.values())}
    if graph.ids is not None:
        found |= _id_arrays(graph.ids, path)
    if graph.edge_rows is not None:
        found["edge_rows"] = graph.edge_rows.astype(np.int64, copy=False)
    return found


def _id_arrays(ids: NDArray[Any], path: str) -> dict[str, NDArray[Any]]:
    """Integers as they are; text of fixed width where that does not waste much (it maps), else as UTF-8 with
    offsets.
    """
    if ids.dtype.kind in "iu":
        return {"ids": ids}
    names = ids.tolist()
    if not all(isinstance(name, str) for name in names):
        bad = next(name for name in names if not isinstance(name, str))
        hint = "give the graph integer or text ids"
        raise FormatError(f"the id {bad!r} is a {type(bad).__name__}", path=path, hint=hint)
    encoded = [name.encode() for name in names]
    width = max(map(len, names), default=0)
    if (
        width
        and 4 * width * len(names) <= 8 * sum(map(len, encoded)) + (1 << 20)
        and not any("\0" in x for x in names)
    ):
        return {"ids": np.array(names, f"<U{width}")}
    offsets = np.zeros(len(names) + 1, np.int64)
    np.cumsum([len(each) for each in encoded], out=offsets[1:])
    return {"ids": np.frombuffer(b"".join(encoded), np.uint8), "ids.offsets": offsets}
