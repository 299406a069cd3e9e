"""GraphInfo, what `Graph.info()` and `subiso info` show; also the memory a graph holds, and equality."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from subiso.graph.arrays import Array
from subiso.graph.labels import NONE, Label


@dataclass(frozen=True)
class DegreeInfo:
    """The distribution of degrees.

    >>> print(degree_info(np.array([0, 1, 1, 5])))
    min 0, median 1, mean 1.75, max 5; none: 1; 1: 2; 4-7: 1
    """

    least: int
    median: float
    mean: float
    most: int
    isolated: int
    """Vertices of degree 0."""
    bins: tuple[tuple[int, int, int], ...]
    """(from, to, vertices with such a degree), by powers of two; empty ones left out."""

    def __str__(self) -> str:
        parts = [f"none: {self.isolated:,}"] if self.isolated else []
        for low, high, count in self.bins:
            parts.append(f"{low:,}: {count:,}" if low == high else f"{low:,}-{high:,}: {count:,}")
        head = f"min {self.least:,}, median {self.median:g}, mean {self.mean:.3g}, max {self.most:,}"
        return "; ".join([head, *parts])


@dataclass(frozen=True)
class GraphInfo:
    """Sizes, degrees, labels and memory of a graph; print it, or read its fields."""

    num_vertices: int
    num_edges: int
    directed: bool
    degrees: DegreeInfo
    """Of a directed graph: out-degrees."""
    in_degrees: DegreeInfo | None
    vertex_labels: Mapping[Label, int] | None
    """Vertices with each label, the most frequent first."""
    unlabeled_vertices: int
    edge_labels: Mapping[Label, int] | None
    unlabeled_edges: int
    vertex_columns: Mapping[str, str]
    """Type of each column by name."""
    edge_columns: Mapping[str, str]
    ids: str
    """What the vertices' ids are."""
    loops: int
    has_parallel: bool
    num_bytes: int
    """Memory of the arrays held now."""
    clean_up: tuple[str, ...]

    def __str__(self) -> str:
        rows = [
            ("vertices", f"{self.num_vertices:,}"),
            ("edges", f"{self.num_edges:,} {'directed' if self.directed else 'undirected'}{self._kinds()}"),
            ("out-degree" if self.directed else "degree", str(self.degrees)),
            ("in-degree", "" if self.in_degrees is None else str(self.in_degrees)),
            ("vertex labels", _label_line(self.vertex_labels, self.unlabeled_vertices)),
            ("edge labels", _label_line(self.edge_labels, self.unlabeled_edges)),
            ("vertex columns", ", ".join(f"{name} ({kind})" for name, kind in self.vertex_columns.items())),
            ("edge columns", ", ".join(f"{name} ({kind})" for name, kind in self.edge_columns.items())),
            ("ids", self.ids),
            ("memory", _size(self.num_bytes)),
            *(("clean-up", line) for line in self.clean_up),
        ]
        return "\n".join(f"{name:<15}{text}" for name, text in rows if text)

    def _kinds(self) -> str:
        loops = f", {self.loops:,} self loop{'s' * (self.loops != 1)}" if self.loops else ""
        return loops + (", some parallel" if self.has_parallel else "")


def graph_info(graph: Any) -> GraphInfo:
    """See Graph.info."""
    incoming = None
    if graph.directed:
        incoming = degree_info(np.bincount(graph.out.neighbors, minlength=graph.num_vertices))
    return GraphInfo(
        num_vertices=graph.num_vertices,
        num_edges=graph.num_edges,
        directed=graph.directed,
        degrees=degree_info(graph.degree()),
        in_degrees=incoming,
        vertex_labels=_counts(graph.vertex_labels),
        unlabeled_vertices=_unlabeled(graph.vertex_labels),
        edge_labels=_counts(graph.edge_labels),
        unlabeled_edges=_unlabeled(graph.edge_labels),
        vertex_columns={name: str(values.dtype) for name, values in graph.vertex_columns.items()},
        edge_columns={name: str(values.dtype) for name, values in graph.edge_columns.items()},
        ids=_ids_line(graph.ids, graph.num_vertices),
        loops=_loops(graph),
        has_parallel=graph.has_parallel,
        num_bytes=graph.num_bytes,
        clean_up=tuple(graph.report.lines()),
    )


def degree_info(degrees: Array) -> DegreeInfo:
    """The distribution of an array of degrees."""
    if not len(degrees):
        return DegreeInfo(0, 0.0, 0.0, 0, 0, ())
    counts = np.bincount(degrees)
    bins = []
    low = 1
    while low < len(counts):
        count = int(counts[low : 2 * low].sum())
        if count:
            bins.append((low, 2 * low - 1, count))
        low *= 2
    below = np.cumsum(counts)
    half = (len(degrees) - 1) // 2, len(degrees) // 2
    median = float(np.searchsorted(below, half, side="right").mean())
    least = int(np.argmax(counts > 0))
    return DegreeInfo(least, median, float(degrees.mean()), len(counts) - 1, int(counts[0]), tuple(bins))


def _counts(labels: Any) -> dict[Label, int] | None:
    if labels is None:
        return None
    pairs = zip(labels.names, labels.counts().tolist(), strict=True)
    return dict(sorted(pairs, key=lambda pair: -pair[1]))


def _unlabeled(labels: Any) -> int:
    if labels is None:
        return 0
    if getattr(labels, "offsets", None) is not None:
        return int((np.diff(labels.offsets) == 0).sum())
    return int((labels.codes == NONE).sum())


def _loops(graph: Any) -> int:
    if not graph.has_loops:
        return 0
    owner = np.repeat(np.arange(graph.num_vertices, dtype=np.uint32), graph.degree())
    return int((owner == graph.out.neighbors).sum())


def _ids_line(ids: Array | None, n: int) -> str:
    if ids is None:
        return f"0..{n - 1:,}" if n else ""
    shown = ", ".join(map(str, ids[:3].tolist()))
    kind = "int" if ids.dtype.kind in "iu" else type(ids[0]).__name__
    return f"{kind}: {shown}{', ...' * (len(ids) > 3)}"


def _label_line(counts: Mapping[Label, int] | None, unlabeled: int, most: int = 8) -> str:
    if counts is None:
        return ""
    shown = [f"{name} ({count:,})" for name, count in list(counts.items())[:most]]
    rest = [f"{len(counts) - most:,} more"] if len(counts) > most else []
    without = [f"none ({unlabeled:,})"] if unlabeled else []
    return f"{len(counts):,}: {', '.join(shown + rest + without)}"


def _size(count: int) -> str:
    if count < 1000:
        return f"{count} bytes"
    power = min((len(str(count)) - 1) // 3, 4)
    return f"{count / 1000**power:,.1f} {' kMGT'[power]}B"


def same_graph(a: Any, b: Any) -> bool:
    """See Graph.equals."""
    if a.directed != b.directed or a.num_edges != b.num_edges:
        return False
    lists = ((a.out.offsets, b.out.offsets), (a.out.neighbors, b.out.neighbors), (a.ids, b.ids))
    return (
        all(_same_array(x, y) for x, y in lists)
        and _same_labels(a.vertex_labels, b.vertex_labels)
        and _same_labels(a.edge_labels, b.edge_labels)
        and _same_columns(a.vertex_columns, b.vertex_columns)
        and _same_columns(a.edge_columns, b.edge_columns)
    )


def held_bytes(graph: Any, in_lists: Any) -> int:
    """See Graph.num_bytes. Objects, such as strings, count as the references to them."""
    arrays = [graph.ids, graph.edge_rows, *graph.vertex_columns.values(), *graph.edge_columns.values()]
    for labels in (graph.vertex_labels, graph.edge_labels):
        if labels is not None:
            arrays += [labels.codes, getattr(labels, "offsets", None)]
    held = sum(array.nbytes for array in arrays if array is not None)
    return int(held + graph.out.num_bytes + (0 if in_lists is None else in_lists.num_bytes))


def _same_array(a: Array | None, b: Array | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")


def _same_labels(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    offsets = getattr(a, "offsets", None), getattr(b, "offsets", None)
    return a.names == b.names and _same_array(a.codes, b.codes) and _same_array(*offsets)


def _same_columns(a: Mapping[str, Array], b: Mapping[str, Array]) -> bool:
    return a.keys() == b.keys() and all(_same_array(a[name], b[name]) for name in a)
