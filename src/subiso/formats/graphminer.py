"""GraphMiner's binary folders: graph.meta.txt with the sizes, raw CSR arrays beside it, labels where there
are any.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.errors import FormatError
from subiso.formats.build import Loops, Parallel, make
from subiso.formats.export import raw_bytes, refuse_loss
from subiso.formats.files import os_errors, replacing
from subiso.formats.layout import counts
from subiso.formats.text import NONE, native
from subiso.graph import EdgeLabels, Graph, VertexLabels

META = ".meta.txt"


@dataclass(frozen=True)
class _Meta:
    n: int
    entries: int
    id_bytes: int
    offset_bytes: int
    label_bytes: int
    edge_label_bytes: int
    max_degree: int | None


def is_folder(path: str | os.PathLike[str]) -> bool:
    """True for a folder that holds such a graph, and for its meta file."""
    return os.path.isfile(os.path.join(path, "graph" + META)) or os.fspath(path).endswith(META)


def _prefix(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    return name.removesuffix(META) if name.endswith(META) else os.path.join(name, "graph")


def read(
    path: str | os.PathLike[str],
    *,
    directed: bool | None = None,
    parallel: Parallel = None,
    loops: Loops = "drop",
    check_counts: bool = True,
) -> Graph:
    """Reads a folder with graph.meta.txt, graph.vertex.bin, graph.edge.bin and perhaps graph.vlabel.bin,
    graph.elabel.bin.

    Undirected unless directed=True: GraphMiner stores every edge in both lists, and that is checked. The
    maximum degree of the meta file must be right (`check_counts=False` lets it pass). `path` is the folder
    or the meta file.
    """
    prefix = _prefix(path)
    meta = _read_meta(prefix + META)
    offsets = _array(prefix + ".vertex.bin", meta.offset_bytes, meta.n + 1).astype(np.int64)
    neighbors = _array(prefix + ".edge.bin", meta.id_bytes, meta.entries).astype(np.int64)
    (fault, vertex, value), mirrors = native.check_lists(offsets, neighbors, not directed)
    _refuse(prefix, meta, fault, vertex, value)
    degrees = np.diff(offsets)
    if check_counts and meta.max_degree is not None and meta.max_degree != degrees.max(initial=0):
        raise FormatError(
            f"the maximum degree is {degrees.max(initial=0)}, the meta file says {meta.max_degree}",
            path=prefix + META,
            hint="check_counts=False reads it as it is",
        )
    owner = np.repeat(np.arange(meta.n), degrees)
    labels, edge_codes = _read_labels(prefix, meta)
    if (
        edge_codes is not None
        and mirrors is not None
        and (edge_codes.codes != edge_codes.codes[mirrors]).any()
    ):
        entry = int(np.argmax(edge_codes.codes != edge_codes.codes[mirrors]))
        what = f"edge {owner[entry]} - {neighbors[entry]} has two labels (entry {entry})"
        raise FormatError(what, path=prefix + ".elabel.bin", hint="pass directed=True")
    if not directed:
        kept = owner <= neighbors
        owner, neighbors = owner[kept], neighbors[kept]
        edge_codes = None if edge_codes is None else edge_codes.take(np.flatnonzero(kept))
    return make(
        prefix,
        owner,
        neighbors,
        num_vertices=meta.n,
        directed=bool(directed),
        vertex_labels=labels,
        edge_labels=edge_codes,
        parallel=parallel,
        loops=loops,
    )


def _read_meta(path: str) -> _Meta:
    with os_errors(path), open(path, "rb") as file:
        raw = file.read(1 << 16)
    numbers = counts(" ".join(raw.decode("ascii", errors="replace").splitlines()))
    if not numbers or len(numbers) < 6:
        hint = "vertices, edges, then bytes per vertex id, edge id, vertex label and edge label are due"
        raise FormatError("not the meta file of a GraphMiner graph", path=path, hint=hint)
    n, entries, *widths = numbers[:6]
    found = _Meta(
        n, entries, widths[0], widths[1], widths[2], widths[3], numbers[6] if len(numbers) > 6 else None
    )
    if found.id_bytes not in (4, 8) or found.offset_bytes not in (4, 8):
        raise FormatError(
            f"ids of {found.id_bytes} and {found.offset_bytes} bytes", path=path, hint="4 or 8 are known"
        )
    return found


def _array(path: str, width: int, count: int) -> NDArray[Any]:
    if width not in (1, 2, 4, 8):
        raise FormatError(f"items of {width} bytes", path=path, hint="1, 2, 4 or 8 are known")
    with os_errors(path):
        size = os.stat(path).st_size
        if size != width * count:
            raise FormatError(
                f"{size} bytes where {width * count} are due ({count} items of {width})",
                path=path,
                hint="the file is cut off, or belongs to another meta file",
            )
        found: NDArray[Any] = np.fromfile(path, f"<u{width}")
    if width == 8 and count and int(found.max()) >= 2**63:
        raise FormatError(f"item {int(found.argmax())} is too large", path=path)
    return found


def _refuse(prefix: str, meta: _Meta, fault: int, vertex: int, value: int) -> None:
    if fault == 1:
        what = f"row pointer {vertex} is {value}: they must rise from 0 to {meta.entries}"
        raise FormatError(what, path=prefix + ".vertex.bin")
    if fault == 2:
        raise FormatError(
            f"vertex {vertex} lists {value}, outside 0..{meta.n - 1}", path=prefix + ".edge.bin"
        )
    if fault == 3:
        what = f"{vertex} lists {value}, but not the other way round"
        raise FormatError(what, path=prefix + ".edge.bin", hint="pass directed=True for a directed graph")


def _read_labels(prefix: str, meta: _Meta) -> tuple[VertexLabels | None, EdgeLabels | None]:
    found: list[Any] = [None, None]
    for i, (suffix, width, count, kind) in enumerate(
        (
            (".vlabel.bin", meta.label_bytes, meta.n, VertexLabels),
            (".elabel.bin", meta.edge_label_bytes, meta.entries, EdgeLabels),
        )
    ):
        if os.path.exists(prefix + suffix):
            names, codes = np.unique(_array(prefix + suffix, width, count), return_inverse=True)
            found[i] = kind(tuple(int(name) for name in names), codes.astype(np.uint32))
    return found[0], found[1]


def write(graph: Graph, path: str | os.PathLike[str], *, lossy: bool = False) -> None:
    """Writes the folder: 4-byte vertex ids, 8-byte row pointers, labels of the fewest bytes that hold them
    (edges: 2).
    """
    folder = Path(path)
    refuse_loss(
        graph,
        str(folder),
        "GraphMiner's format",
        ["vertex labels", "edge labels", "vertices without edges"],
        lossy,
    )
    labels = None if graph.vertex_labels is None else _label_values(graph.vertex_labels, folder)
    edge_labels = None
    if graph.edge_labels is not None:
        edge_labels = _label_values(graph.edge_labels, folder, least=2)[graph.out.edge_ids]
    widths = [
        4,
        8,
        1 if labels is None else labels.itemsize,
        2 if edge_labels is None else edge_labels.itemsize,
    ]
    degrees = np.diff(graph.out.offsets)
    classes = [0 if part is None else len(part.names) for part in (graph.vertex_labels, graph.edge_labels)]
    sizes = f"{graph.num_vertices}\n{len(graph.out.neighbors)}\n{' '.join(map(str, widths))}\n"
    meta = sizes + f"{degrees.max(initial=0)}\n0\n{classes[0]}\n{classes[1]}\n"
    with os_errors(folder, "write"):
        folder.mkdir(exist_ok=True)
        for stale in (".vlabel.bin", ".elabel.bin"):
            (folder / ("graph" + stale)).unlink(missing_ok=True)
    parts = {
        ".vertex.bin": graph.out.offsets.astype("<u8"),
        ".edge.bin": graph.out.neighbors.astype("<u4"),
        ".vlabel.bin": labels,
        ".elabel.bin": edge_labels,
        META: np.frombuffer(meta.encode(), np.uint8),
    }
    for suffix, values in parts.items():
        if values is not None:
            with replacing(folder / ("graph" + suffix)) as file:
                file.write(raw_bytes(values))


def _label_values(labels: VertexLabels | EdgeLabels, folder: Path, least: int = 1) -> NDArray[Any]:
    if getattr(labels, "offsets", None) is not None or (labels.codes == NONE).any():
        raise FormatError(
            "every vertex and edge needs one label here", path=str(folder), hint="write .subiso instead"
        )
    if not all(isinstance(name, int) and 0 <= name < 2**63 for name in labels.names):
        raise FormatError(
            "labels must be integers from 0 here", path=str(folder), hint="write .subiso instead"
        )
    names = np.array(labels.names, np.int64)
    width = next(w for w in (1, 2, 4, 8) if w >= least and names.max(initial=0) < 2 ** (8 * w))
    found: NDArray[Any] = names.astype(f"<u{width}")[labels.codes]
    return found
