"""Builds the parts of a Graph from edge arrays or from finished CSR lists: between arrays.py and graph.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from subiso.errors import GraphError
from subiso.graph.adjacency import native
from subiso.graph.arrays import Array, Values, column, make_columns
from subiso.graph.cleanup import CleanUp
from subiso.graph.ends import REMEDY
from subiso.graph.ids import MAX_VERTICES, IdIndex, dense_ends, find_dense, make_ids, number_vertices
from subiso.graph.labels import EdgeLabels, VertexLabels, make_edge_labels, make_vertex_labels

DIRECT_BELOW = 1 << 18  # items: smaller sorts take one simple pass (see native/graph/group.hpp)

Loops = Literal["drop", "error", "keep"]
Parallel = Literal["merge", "keep", "error"] | None


@dataclass
class Parts:
    """What a Graph is made of."""

    directed: bool
    num_edges: int
    offsets: Array
    neighbors: Array
    in_offsets: Array | None = None
    in_neighbors: Array | None = None
    vertex_labels: VertexLabels | None = None
    edge_labels: EdgeLabels | None = None
    vertex_columns: Mapping[str, Array] = field(default_factory=dict)
    edge_columns: Mapping[str, Array] = field(default_factory=dict)
    ids: Array | None = None
    edge_rows: Array | None = None
    has_loops: bool = False
    has_parallel: bool = False
    report: CleanUp = field(default_factory=CleanUp)


@dataclass
class _Ends:
    """The edge table's ends as dense numbers, and how vertices are called."""

    src: Array
    dst: Array
    ids: Array | None
    num_vertices: int

    def index_of(self, keys: list[Any], what: str) -> Array:
        if self.ids is None:
            return find_dense(column(keys, what), what, self.num_vertices)
        return IdIndex(self.ids).find(column(keys, what), what)

    def name(self, vertex: int) -> Any:
        return vertex if self.ids is None else self.ids[vertex : vertex + 1].tolist()[0]


def parts_from_edges(
    src: Any,
    dst: Any,
    *,
    num_vertices: int | None,
    directed: bool,
    vertex_labels: Any,
    edge_labels: Any,
    vertex_columns: Any,
    edge_columns: Any,
    ids: Any,
    vertices: Any,
    parallel: Parallel,
    loops: Loops,
    keep_rows: bool,
) -> Parts:
    """Everything `Graph.from_edges` does; see there."""
    _check_choice("loops", loops, ("drop", "error", "keep"))
    _check_choice("parallel", parallel, (None, "merge", "keep", "error"))
    ends = _read_ends(src, dst, num_vertices, ids, vertices)
    rows = len(ends.src)
    labels_by_row = make_edge_labels(edge_labels, rows)
    columns_by_row = make_columns(edge_columns, rows, "edge")
    if loops == "error":
        _refuse_loops(ends)
    merge = parallel == "merge" or (parallel is None and not columns_by_row)
    built = native.graph_build(
        ends.src,
        ends.dst,
        None if labels_by_row is None else labels_by_row.codes,
        ends.num_vertices,
        bool(directed),
        loops == "keep",
        merge,
        keep_rows or bool(columns_by_row),
        0,
        DIRECT_BELOW,
    )
    if built["duplicates"] and not merge and parallel != "keep":
        _refuse_duplicates(ends, built, directed, labels_by_row, parallel)
    edge_rows = built.get("rows")
    return Parts(
        directed=bool(directed),
        num_edges=built["num_edges"],
        offsets=built["offsets"],
        neighbors=built["neighbors"],
        vertex_labels=make_vertex_labels(vertex_labels, ends.num_vertices, ends.index_of),
        edge_labels=None if labels_by_row is None else labels_by_row.take(edge_rows),
        vertex_columns=make_columns(vertex_columns, ends.num_vertices, "vertex"),
        edge_columns={name: values[edge_rows] for name, values in columns_by_row.items()},
        ids=ends.ids,
        edge_rows=edge_rows,
        has_loops=loops == "keep" and built["loops"] > 0,
        has_parallel=built["has_parallel"],
        report=CleanUp(
            loops_dropped=built["loops"] if loops == "drop" else 0,
            duplicates_merged=built["duplicates"] if merge else 0,
        ),
    )


def parts_from_csr(
    offsets: Any,
    neighbors: Any,
    *,
    directed: bool,
    in_offsets: Any,
    in_neighbors: Any,
    vertex_labels: Any,
    edge_labels: Any,
    vertex_columns: Any,
    edge_columns: Any,
    ids: Any,
    edge_rows: Any,
    has_loops: bool,
    has_parallel: bool,
    num_edges: int | None,
    checked: bool,
) -> Parts:
    """Everything `Graph.from_csr` does; see there."""
    out = _csr_arrays(offsets, neighbors, "")
    into = _in_arrays(directed, in_offsets, in_neighbors)
    n = len(out[0]) - 1
    loops = None
    if not checked:
        loops, has_parallel = _check_lists(out, into, directed)
        has_loops = loops > 0
    for lists in (out, into):  # cheap enough to look at even when the caller vouches for the rest
        if lists[0] is not None and lists[1] is not None and int(lists[0][-1]) != len(lists[1]):
            raise GraphError(f"offsets end at {int(lists[0][-1])} but there are {len(lists[1])} neighbors")
    if directed:
        num_edges = len(out[1])
    elif num_edges is None or not checked:
        if loops is None:  # each loop stands once in its list, every other edge twice
            loops = 2 * int(native.graph_upper_offsets(*out)[-1]) - len(out[1]) if has_loops else 0
        num_edges = (len(out[1]) + loops) // 2
    names = make_ids(ids, n)[0] if ids is not None and not checked else ids
    ends = _Ends(out[1], out[1], names, n)
    return Parts(
        directed=bool(directed),
        num_edges=num_edges,
        offsets=out[0],
        neighbors=out[1],
        in_offsets=into[0],
        in_neighbors=into[1],
        vertex_labels=make_vertex_labels(vertex_labels, n, ends.index_of),
        edge_labels=make_edge_labels(edge_labels, num_edges),
        vertex_columns=make_columns(vertex_columns, n, "vertex"),
        edge_columns=make_columns(edge_columns, num_edges, "edge"),
        ids=None if names is None else np.asarray(names),
        edge_rows=None if edge_rows is None else np.asarray(edge_rows),
        has_loops=has_loops,
        has_parallel=has_parallel,
    )


def _check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if value not in choices:
        raise GraphError(f"{name}={value!r}", hint=f"one of {', '.join(map(repr, choices))}")


def _read_ends(src: Any, dst: Any, num_vertices: int | None, ids: Any, vertices: Any) -> _Ends:
    source, target = column(src, "src"), column(dst, "dst")
    if len(source) != len(target):
        raise GraphError(
            f"src has {len(source):,} rows and dst has {len(target):,}", hint="give both ends of each edge"
        )
    try:
        return _numbered(source, target, _vertex_count(num_vertices), ids, vertices)
    except GraphError as error:
        named = tuple(end.name for end in (source, target) if end.name)
        if not error.message.startswith(named):
            raise
        raise GraphError(error.message, hint=f"{error.hint}; or {REMEDY}" if error.hint else REMEDY) from None


def _numbered(source: Values, target: Values, num_vertices: int | None, ids: Any, vertices: Any) -> _Ends:
    src, dst = source.name or "src", target.name or "dst"
    if vertices is not None:
        if ids is not None:
            raise GraphError(
                "ids= and vertices= together", hint="ids= for dense ends, vertices= for ends that are ids"
            )
        names, n = make_ids(vertices, num_vertices)
        if names is None:
            return _Ends(find_dense(source, src, n), find_dense(target, dst, n), None, n)
        index = IdIndex(names)
        return _Ends(index.find(source, src), index.find(target, dst), names, n)
    names = None
    if ids is not None:
        names, num_vertices = make_ids(ids, num_vertices)
    if num_vertices is None:
        return _Ends(*number_vertices(source, target, src, dst))
    dense = dense_ends(source, src, num_vertices), dense_ends(target, dst, num_vertices)
    return _Ends(*dense, names, num_vertices)


def _vertex_count(count: Any) -> int | None:
    if count is None:
        return None
    if not isinstance(count, int | np.integer) or not 0 <= count <= MAX_VERTICES:
        raise GraphError(f"num_vertices={count!r}", hint=f"a whole number in 0..{MAX_VERTICES:,}")
    return int(count)


def _refuse_loops(ends: _Ends) -> None:
    is_loop = ends.src == ends.dst
    if is_loop.any():
        row = int(np.argmax(is_loop))
        vertex = ends.name(int(ends.src[row]))
        raise GraphError(
            f"row {row}: a self loop at vertex {vertex!r} ({int(is_loop.sum()):,} such rows in all)",
            hint='loops="drop" leaves them out, loops="keep" keeps them',
        )


def _refuse_duplicates(
    ends: _Ends, built: Mapping[str, Any], directed: bool, labels: EdgeLabels | None, parallel: Parallel
) -> None:
    u, v = built["duplicate"]
    same = (ends.src == u) & (ends.dst == v)
    if not directed:
        same |= (ends.src == v) & (ends.dst == u)
    rows = np.flatnonzero(same)
    if labels is not None:
        codes = labels.codes[rows]
        _, first, counts = np.unique(codes, return_index=True, return_counts=True)
        rows = rows[codes == codes[first[counts > 1].min()]]
    why = "" if parallel == "error" else ", and edges carry columns, so merging would lose values"
    raise GraphError(
        f"row {rows[1]} repeats row {rows[0]}: edge ({ends.name(u)!r}, {ends.name(v)!r}), "
        f"{built['duplicates']:,} such rows in all{why}",
        hint='parallel="merge" keeps the first row of each, parallel="keep" keeps all as parallel edges',
    )


def _csr_arrays(offsets: Any, neighbors: Any, prefix: str) -> tuple[Array, Array]:
    found = []
    for name, values, dtype in (("offsets", offsets, np.int64), ("neighbors", neighbors, np.uint32)):
        array = np.asarray(values)
        if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
            raise GraphError(f"{prefix}{name} must be a one-dimensional array of integers")
        if (
            array.dtype != dtype
            and len(array)
            and not 0 <= int(array.min()) <= int(array.max()) <= np.iinfo(dtype).max
        ):
            raise GraphError(f"{prefix}{name} holds values outside {np.dtype(dtype)}")
        found.append(np.ascontiguousarray(array, dtype))
    if not 0 < len(found[0]) <= MAX_VERTICES + 1:
        raise GraphError(f"{prefix}offsets has {len(found[0])} entries", hint="n + 1 of them, for n vertices")
    return found[0], found[1]


def _in_arrays(directed: bool, offsets: Any, neighbors: Any) -> tuple[Array | None, Array | None]:
    if (offsets is None) != (neighbors is None):
        raise GraphError("in_offsets and in_neighbors go together", hint="give both, or neither")
    if offsets is None:
        return None, None
    if not directed:
        raise GraphError(
            "in_offsets for an undirected graph", hint="its lists hold both directions; leave them out"
        )
    return _csr_arrays(offsets, neighbors, "in_")


def _check_lists(
    out: tuple[Array, Array], into: tuple[Array | None, Array | None], directed: bool
) -> tuple[int, bool]:
    try:
        loops, has_parallel = native.graph_check_csr(*out)
        if not directed:
            native.graph_check_transposed(*out, *out)
        elif into[0] is not None:
            if len(into[0]) != len(out[0]):
                raise GraphError(f"in_offsets has {len(into[0])} entries, offsets has {len(out[0])}")
            native.graph_check_csr(*into)
            native.graph_check_transposed(*out, *into)
    except ValueError as error:
        if isinstance(error, GraphError):
            raise
        raise GraphError(f"the lists do not form a graph: {error}") from None
    return loops, has_parallel
