"""The formats by name, how a file's format is found, and the two doors: read and write."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from subiso.errors import FormatError
from subiso.formats import graphminer, matrix_market, sections, tve
from subiso.formats.files import read_head, suffix_of
from subiso.formats.layout import counts
from subiso.formats.values import described, fits
from subiso.graph import Graph


@dataclass(frozen=True)
class Format:
    """A file format: its name, the suffixes that stand for it (a further .gz aside), and the module with
    read and write.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    about: str
    preset: tuple[tuple[str, Any], ...] = ()

    def reader(self) -> Callable[..., Graph]:
        return getattr(importlib.import_module(f"subiso.formats.{self.module}"), "read")  # type: ignore[no-any-return] # noqa: B009

    def writer(self) -> Callable[..., None]:
        return getattr(importlib.import_module(f"subiso.formats.{self.module}"), "write")  # type: ignore[no-any-return] # noqa: B009


FORMATS = {
    each.name: each
    for each in (
        Format("subiso", (".subiso",), "binary", "our own memory-mapped binary format: holds everything"),
        Format(
            "edgelist",
            (".txt", ".edges", ".edgelist", ".el", ".snap"),
            "edgelist",
            "SNAP and KONECT edge lists",
        ),
        Format("csv", (".csv",), "delimited", "comma-separated table of edges"),
        Format("tsv", (".tsv", ".tab"), "delimited", "tab-separated table of edges", (("delimiter", "\t"),)),
        Format("matrix-market", (".mtx", ".mm"), "matrix_market", "Matrix Market coordinate matrix"),
        Format("parquet", (".parquet", ".pq"), "parquet", "Parquet table of edges"),
        Format("tve", (".lg", ".gspan"), "tve", "t/v/e files of the matching literature"),
        Format("metis", (".metis",), "metis", "METIS adjacency lists"),
        Format("graphminer", (), "graphminer", "GraphMiner's binary folder"),
    )
}
_ALIASES = {
    "snap": "edgelist",
    "mtx": "matrix-market",
    "gspan": "tve",
    "rapidmatch": "tve",
    "konect": "edgelist",
}
BY_SUFFIX = {suffix: each for each in FORMATS.values() for suffix in each.suffixes}


def read(
    path: str | os.PathLike[str], *, format: str | None = None, directed: bool | None = None, **options: Any
) -> Graph:
    """Reads a graph from a file of any known format, found by suffix and content unless `format` names it.

    `directed=None` leaves the choice to the file or the format (each reader's docstring says which); further
    options are the reader's: see `subiso.formats.FORMATS` and, for instance, `subiso.formats.edgelist.read`.
    Everything that is wrong with a file is a FormatError naming it; what was dropped or merged is in
    `Graph.report`.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "triangle.txt"
    >>> _ = path.write_text("# a triangle and a repeated edge\\n1 2\\n2 3\\n3 1\\n1 3\\n")
    >>> g = read(path)
    >>> g, g.report.lines()
    (Graph(3 vertices, 3 edges, undirected), ['merged 1 duplicate edge'])
    """
    chosen = detect(path) if format is None else _named(format, path)
    reader = chosen.reader()
    return reader(path, directed=directed, **_options(chosen, reader, options, path))


def write(graph: Graph, path: str | os.PathLike[str], *, format: str | None = None, **options: Any) -> None:
    """Writes a graph in the format that `format` or the suffix names; the file appears only when complete.

    A format that cannot hold something the graph has is refused, unless lossy=True is passed; .subiso holds
    everything.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> g = Graph.from_edges([0, 1], [1, 2], num_vertices=4, vertex_labels=["a", "b", "a", None])
    >>> write(g, folder / "g.subiso")
    >>> read(folder / "g.subiso").vertex_labels.names
    ('a', 'b')
    >>> write(g, folder / "g.txt")
    Traceback (most recent call last):
    subiso.errors.FormatError: ...g.txt: an edge list cannot hold the graph's vertex labels
      hint: lossy=True leaves them out; .subiso holds everything, .lg (t/v/e) labels
    """
    if format is not None:
        chosen = _named(format, path)
    else:
        found = BY_SUFFIX.get(suffix_of(path))
        if found is None:
            known = ", ".join(BY_SUFFIX)
            hint = f"pass format= ({', '.join(FORMATS)}) or use one of {known}"
            raise FormatError(
                "the suffix stands for no format that can be written", path=os.fspath(path), hint=hint
            )
        chosen = found
    writer = chosen.writer()
    writer(graph, path, **_options(chosen, writer, options, path))


def detect(path: str | os.PathLike[str]) -> Format:
    """The format of an existing file: by content where that is sure, else by suffix, else by the look of its
    first line.
    """
    name = os.fspath(path)
    if graphminer.is_folder(path):
        return FORMATS["graphminer"]
    head = read_head(path)
    by_suffix = BY_SUFFIX.get(suffix_of(path))
    if head.startswith(sections.MAGIC):
        return FORMATS["subiso"]
    if head.startswith(b"PAR1"):
        return FORMATS["parquet"]
    if by_suffix is not None and by_suffix.name in ("subiso", "parquet"):
        return by_suffix
    if not head:
        raise FormatError("the file is empty", path=name)
    first = _first_line(head)
    if head[:64].lower().startswith(matrix_market.MAGIC.encode()):
        return FORMATS["matrix-market"]
    if tve.is_tve(first):
        return FORMATS["tve"]
    if by_suffix is not None:
        return by_suffix
    guess = _by_look(path, head, first)
    if guess is None:
        hint = f"pass format=: {', '.join(FORMATS)}"
        raise FormatError("neither suffix nor content tell the format", path=name, hint=hint)
    return FORMATS[guess]


def _first_line(head: bytes) -> str:
    """The first line that is neither blank nor a comment."""
    for line in head.decode("utf-8", "replace").lstrip("\ufeff").splitlines():
        stripped = line.strip()
        if stripped and stripped[0] not in "#%":
            return stripped
    return ""


def _by_look(path: str | os.PathLike[str], head: bytes, first: str) -> str | None:
    if b"\0" in head or not first:
        return None
    if suffix_of(path) == ".graph" and counts(first) is not None and 2 <= len(first.split()) <= 4:
        return "metis"  # `t n m` files share the suffix, and were told apart before
    if "," in first:
        return "csv"
    return "edgelist" if len(first.split()) >= 2 else None


def _named(name: str, path: str | os.PathLike[str]) -> Format:
    found = FORMATS.get(_ALIASES.get(name.lower(), name.lower()))
    if found is None:
        raise FormatError(
            f"format {name!r} is unknown", path=os.fspath(path), hint=f"known: {', '.join(FORMATS)}"
        )
    return found


def _options(
    chosen: Format, function: Callable[..., Any], given: dict[str, Any], path: str | os.PathLike[str]
) -> dict[str, Any]:
    known, kinds = inspect.signature(function).parameters, get_type_hints(function)
    for name, value in given.items():
        if name not in known or name in ("path", "graph", "directed"):
            names = ", ".join(k for k in known if k not in ("path", "graph", "directed")) or "none"
            hint = f"options of {chosen.name}: {names}"
            raise FormatError(
                f"option {name!r} is unknown to the format {chosen.name}", path=os.fspath(path), hint=hint
            )
        if not fits(value, kinds[name]):
            raise FormatError(
                f"option {name!r} is {value!r}; it must be {described(kinds[name])}", path=os.fspath(path)
            )
    return {**dict(chosen.preset), **given}
