"""Graph: an immutable snapshot in CSR form. Everything after reading and before planning works on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Self, TypeVar

import numpy as np

from subiso.errors import GraphError
from subiso.graph.adjacency import Adjacency, entry_edge_ids, native
from subiso.graph.arrays import Array, column, read_only
from subiso.graph.build import DIRECT_BELOW, Loops, Parallel, Parts, parts_from_csr, parts_from_edges
from subiso.graph.cleanup import CleanUp
from subiso.graph.ids import IdIndex, find_dense
from subiso.graph.info import GraphInfo, graph_info, held_bytes, same_graph
from subiso.graph.interop import Doors
from subiso.graph.labels import EdgeLabels, VertexLabels

T = TypeVar("T")


class Graph(Doors):
    """A graph of vertices 0..n-1 with sorted neighbour lists, labels and numeric columns. Immutable.

    Make one with `from_edges` or one of the other `from_...`; `subiso.read` makes one from a file.

    Edges are numbered by (source, target, input row); an undirected edge has its smaller end as source. A
    loop stands once in its vertex's list, any other undirected edge in the lists of both its ends.

    >>> g = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], num_vertices=5)
    >>> g
    Graph(5 vertices, 4 edges, undirected)
    >>> g.neighbors(2).tolist(), g.degree(2), g.degree().tolist()
    ([0, 1, 3], 3, [2, 2, 3, 1, 0])
    """

    __slots__ = ("__weakref__", "_cache", "_lock", "_parts", "edge_columns", "out", "vertex_columns")
    out: Adjacency
    """Neighbour lists; of a directed graph the successors."""
    vertex_columns: Mapping[str, Array]
    """Numeric or bool, by vertex."""
    edge_columns: Mapping[str, Array]
    """Numeric or bool, by edge id."""
    _parts: Parts
    _cache: dict[Hashable, Any]
    _lock: threading.RLock

    def __init__(self) -> None:
        raise TypeError("a Graph is made by Graph.from_edges(...) or another Graph.from_...")

    @classmethod
    def _assemble(cls, parts: Parts) -> Self:
        graph = object.__new__(cls)
        graph._adopt(parts)
        return graph

    def _adopt(self, parts: Parts) -> None:
        put = object.__setattr__
        for name in ("ids", "edge_rows"):
            if getattr(parts, name) is not None:
                setattr(parts, name, read_only(getattr(parts, name)))
        for name in ("vertex_columns", "edge_columns"):
            columns = {key: read_only(values) for key, values in getattr(parts, name).items()}
            setattr(parts, name, columns)
            put(self, name, MappingProxyType(columns))
        put(self, "_parts", parts)
        put(self, "_cache", {})
        put(self, "_lock", threading.RLock())
        make = self._undirected_edge_ids if not parts.directed else self._row_numbers
        put(self, "out", Adjacency(parts.offsets, parts.neighbors, make))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Graph is immutable; {name!r} cannot be set")

    @classmethod
    def from_edges(
        cls,
        src: Any,
        dst: Any,
        *,
        num_vertices: int | None = None,
        directed: bool = False,
        vertex_labels: Any = None,
        edge_labels: Any = None,
        vertex_columns: Any = None,
        edge_columns: Any = None,
        ids: Any = None,
        vertices: Any = None,
        parallel: Parallel = None,
        loops: Loops = "drop",
        keep_rows: bool = False,
    ) -> Self:
        """A graph from the two ends of every edge: lists, arrays, columns of pandas, polars, Arrow.

        Args:
            src: one end of each edge; the source, when directed.
            dst: the other end.
            num_vertices: n, when the ends are numbers 0..n-1 (vertices without edges included). Without it
                the ends may be any integers, strings or other hashable values; the vertices are those that
                appear, in sorted order, and `Graph.ids` gives their ids back.
            directed: whether (u, v) and (v, u) are different edges.
            vertex_labels: one entry per vertex: an int, a string, None, or a list or set of several; or a
                dict from id to label(s).
            edge_labels: one entry per row: an int, a string, or None.
            vertex_columns: dict of numeric arrays with one value per vertex.
            edge_columns: dict of numeric arrays with one value per row (time, weight, amount).
            ids: names of the vertices 0..n-1, when the ends are such numbers.
            vertices: the ids of all vertices, in order, when the ends are ids; those without edges included.
            parallel: what to do with a row that repeats an earlier one (same ends, same label): "merge" keeps
                the first, "keep" keeps both as parallel edges, "error" refuses. None merges when edges
                carry no columns, and otherwise asks for a choice.
            loops: what to do with a row whose two ends are one vertex: "drop", "keep" or "error".
            keep_rows: keep `edge_rows` also when edges carry neither labels nor columns.

        What was dropped or merged stands in `report`.

        >>> g = Graph.from_edges(["ann", "bob", "ann"], ["bob", "cid", "bob"], vertex_labels={"ann": "boss"})
        >>> g.ids.tolist(), g.num_edges, g.report.lines(), g.vertex_labels.mask("boss").tolist()
        (['ann', 'bob', 'cid'], 2, ['merged 1 duplicate edge'], [True, False, False])
        >>> Graph.from_edges([0, 7], [1, 2], num_vertices=4)
        Traceback (most recent call last):
        subiso.errors.GraphError: src, row 1: vertex 7 is outside 0..3
          hint: raise num_vertices, or leave it out to keep the ids as they are
        """
        parts = parts_from_edges(
            src,
            dst,
            num_vertices=num_vertices,
            directed=directed,
            vertex_labels=vertex_labels,
            edge_labels=edge_labels,
            vertex_columns=vertex_columns,
            edge_columns=edge_columns,
            ids=ids,
            vertices=vertices,
            parallel=parallel,
            loops=loops,
            keep_rows=keep_rows,
        )
        return cls._assemble(parts)

    @classmethod
    def from_csr(
        cls,
        offsets: Any,
        neighbors: Any,
        *,
        directed: bool = False,
        in_offsets: Any = None,
        in_neighbors: Any = None,
        vertex_labels: Any = None,
        edge_labels: Any = None,
        vertex_columns: Any = None,
        edge_columns: Any = None,
        ids: Any = None,
        edge_rows: Any = None,
        has_loops: bool = False,
        has_parallel: bool = False,
        num_edges: int | None = None,
        checked: bool = False,
    ) -> Self:
        """A graph on neighbour lists that exist already; int64 offsets and uint32 neighbours are not copied.

        The lists must be sorted, and those of an undirected graph symmetric (a loop once). Edge labels,
        columns and rows go by edge id. All this is verified unless `checked` says that it holds; then
        `has_loops`, `has_parallel` and, for an undirected graph with loops, `num_edges` are believed.

        >>> g = Graph.from_csr([0, 1, 3, 4], [1, 0, 2, 1])
        >>> g, [end.tolist() for end in g.edge_endpoints()]
        (Graph(3 vertices, 2 edges, undirected), [[0, 1], [1, 2]])
        >>> Graph.from_csr([0, 1, 1], [1])
        Traceback (most recent call last):
        subiso.errors.GraphError: the lists do not form a graph: 1 stands in the list of 0 but 0 not ...
        """
        parts = parts_from_csr(
            offsets,
            neighbors,
            directed=directed,
            in_offsets=in_offsets,
            in_neighbors=in_neighbors,
            vertex_labels=vertex_labels,
            edge_labels=edge_labels,
            vertex_columns=vertex_columns,
            edge_columns=edge_columns,
            ids=ids,
            edge_rows=edge_rows,
            has_loops=has_loops,
            has_parallel=has_parallel,
            num_edges=num_edges,
            checked=checked,
        )
        return cls._assemble(parts)

    @property
    def num_vertices(self) -> int:
        return len(self._parts.offsets) - 1

    @property
    def num_edges(self) -> int:
        """Edges, each once; parallel ones and loops that were kept are counted."""
        return self._parts.num_edges

    @property
    def directed(self) -> bool:
        return self._parts.directed

    @property
    def in_(self) -> Adjacency:
        """Predecessors; of an undirected graph the same as `out`. Made when first asked for.

        >>> g = Graph.from_edges([0, 1, 2], [2, 2, 0], num_vertices=3, directed=True)
        >>> g.in_[2].tolist(), g.in_.edge_ids.tolist()
        ([0, 1], [2, 0, 1])
        """
        if not self.directed:
            return self.out
        return self.derived("in_", self._turned)

    @property
    def vertex_labels(self) -> VertexLabels | None:
        return self._parts.vertex_labels

    @property
    def edge_labels(self) -> EdgeLabels | None:
        return self._parts.edge_labels

    @property
    def ids(self) -> Array | None:
        """The original id of every vertex (int64, or objects such as strings); None when they are 0..n-1."""
        return self._parts.ids

    @property
    def edge_rows(self) -> Array | None:
        """The input row of every edge id; kept when edges carry labels or columns, or with keep_rows=True."""
        return self._parts.edge_rows

    @property
    def has_loops(self) -> bool:
        return self._parts.has_loops

    @property
    def has_parallel(self) -> bool:
        """Whether some pair (ordered, when directed) is joined by more than one edge."""
        return self._parts.has_parallel

    @property
    def report(self) -> CleanUp:
        """What building dropped or merged, and had to guess; false when nothing."""
        return self._parts.report

    def with_notes(self, notes: Sequence[str]) -> Self:
        """The same graph, whose `report` says this too; for those who read a graph from a file or table.

        >>> Graph.from_edges([0], [1]).with_notes(["skipped 2 comment lines"]).report.lines()
        ['skipped 2 comment lines']
        """
        if not notes:
            return self
        report = replace(self.report, notes=(*self.report.notes, *notes))
        return self._assemble(replace(self._parts, report=report))

    def index_of(self, ids: Any) -> Array:
        """The vertex (uint32) of every id.

        >>> Graph.from_edges([10, 20], [20, 30]).index_of([30, 10]).tolist()
        [2, 0]
        """
        values = column(ids, "ids")
        if self.ids is None:
            return find_dense(values, "ids", self.num_vertices)
        names = self.ids
        return self.derived("index", lambda: IdIndex(names)).find(values, "ids")

    def ids_of(self, indices: Any) -> Array:
        """The original ids of vertices.

        >>> Graph.from_edges(["x", "y"], ["y", "z"]).ids_of([2, 0]).tolist()
        ['z', 'x']
        """
        vertices = find_dense(column(indices, "indices"), "indices", self.num_vertices)
        return vertices.astype(np.int64) if self.ids is None else self.ids[vertices]

    def neighbors(self, v: int) -> Array:
        """The sorted neighbours of vertex v; of a directed graph its successors."""
        self._check_vertex(v)
        return self.out[v]

    def degree(self, v: Any = None) -> Any:
        """The length of the list of v, of several vertices, or of all; of a directed graph the out-degree."""
        if v is None:
            return np.diff(self.out.offsets)
        if isinstance(v, int | np.integer):
            self._check_vertex(int(v))
            return int(self.out.offsets[v + 1] - self.out.offsets[v])
        vertices = find_dense(column(v, "v"), "v", self.num_vertices)
        return self.out.offsets[vertices.astype(np.int64) + 1] - self.out.offsets[vertices]

    def edge_endpoints(self, edge_ids: Any = None) -> tuple[Array, Array]:
        """The two ends (uint32) of the given edges, or of all in the order of their ids.

        >>> g = Graph.from_edges([3, 1, 0], [2, 0, 3], num_vertices=4)
        >>> [end.tolist() for end in g.edge_endpoints()], [end.tolist() for end in g.edge_endpoints([2])]
        ([[0, 0, 2], [1, 3, 3]], [[2], [3]])
        """
        if edge_ids is None:
            src, dst = native.graph_endpoints(
                self.out.offsets, self.out.neighbors, self.num_edges, not self.directed
            )
            return src, dst
        wanted = np.atleast_1d(np.asarray(edge_ids))
        if wanted.size and (
            wanted.dtype.kind not in "iu" or wanted.min() < 0 or wanted.max() >= self.num_edges
        ):
            raise GraphError(f"edge ids are integers in 0..{self.num_edges - 1}; got {edge_ids!r}")
        wanted = wanted.astype(np.int64)
        first_ids = self._first_edge_ids()
        src = np.searchsorted(first_ids, wanted, side="right") - 1
        # The edges of a source are the last entries of its list: in an undirected graph those not below it.
        dst = self.out.neighbors[self.out.offsets[src + 1] - (first_ids[src + 1] - wanted)]
        return src.astype(np.uint32), dst

    def info(self) -> GraphInfo:
        """Sizes, degree distribution, labels with counts, memory: print it, or read its fields.

        >>> labels = ["cat", "cat", "dog", None]
        >>> print(Graph.from_edges([0, 1, 1, 2], [1, 2, 3, 2], vertex_labels=labels).info())
        vertices       4
        edges          3 undirected
        degree         min 1, median 1, mean 1.5, max 3; 1: 3; 2-3: 1
        vertex labels  2: cat (2), dog (1), none (1)
        ids            0..3
        memory         80 bytes
        clean-up       dropped 1 self loop
        """
        return graph_info(self)

    def equals(self, other: Graph) -> bool:
        """Whether two graphs hold the same: lists, labels, columns, ids. How they were built does not matter.

        >>> a, b = Graph.from_edges([0, 1], [1, 2]), Graph.from_edges([2, 1, 1], [1, 0, 2])
        >>> a.equals(b), a == b
        (True, False)
        """
        return same_graph(self, other)

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays held now (of memory-mapped ones: their size)."""
        return held_bytes(self, self._cache.get("in_"))

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` computes from this graph, kept with it under `key`: a layout, statistics. Not pickled.

        >>> g = Graph.from_edges([0, 1], [1, 2])
        >>> g.derived("widest", lambda: int(g.degree().max()))
        2
        """
        if key not in self._cache:
            with self._lock:
                if key not in self._cache:
                    self._cache[key] = make()
        found: T = self._cache[key]
        return found

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"Graph({self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind})"

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self._parts, each.name) for each in fields(Parts)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._adopt(Parts(**state))

    def __reduce__(self) -> tuple[Any, ...]:
        return _empty, (type(self),), self.__getstate__()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def _check_vertex(self, v: int) -> None:
        if not 0 <= v < self.num_vertices:
            raise GraphError(f"vertex {v} is outside 0..{self.num_vertices - 1}")

    def _first_edge_ids(self) -> Array:
        """int64[n + 1]: the edges with source v are numbered from [v] up to [v + 1]."""
        if self.directed:
            return self.out.offsets
        found: Array = self.derived(
            "upper", lambda: native.graph_upper_offsets(self.out.offsets, self.out.neighbors)
        )
        return found

    def _row_numbers(self) -> Array:
        return np.arange(self.num_edges, dtype=np.uint32 if self.num_edges < 2**32 - 1 else np.int64)

    def _undirected_edge_ids(self) -> Array:
        lists = self.out.offsets, self.out.neighbors
        return entry_edge_ids(*lists, self._first_edge_ids(), self.num_edges, undirected=True)

    def _turned(self) -> Adjacency:
        offsets, neighbors = self._parts.in_offsets, self._parts.in_neighbors
        if offsets is None or neighbors is None:
            offsets, neighbors = native.graph_transpose(self.out.offsets, self.out.neighbors, 0, DIRECT_BELOW)
        lists = offsets, neighbors
        return Adjacency(
            *lists, lambda: entry_edge_ids(*lists, self.out.offsets, self.num_edges, undirected=False)
        )


def _empty(cls: type[Graph]) -> Graph:
    return object.__new__(cls)
