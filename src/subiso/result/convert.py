"""Rows of dense numbers into what callers hold: ids, Arrow batches, NumPy arrays, NetworkX graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from subiso.engine.query import Query
from subiso.errors import QueryError
from subiso.result.edges import EdgeFinder
from subiso.result.stages import Table

if TYPE_CHECKING:
    import networkx
    import pyarrow


def arrow_ids(ids: np.ndarray[Any, Any]) -> pyarrow.Array:
    """Ids as an Arrow array; those of mixed or foreign types are written as text."""
    import pyarrow as pa

    try:
        return pa.array(ids)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array([str(i) for i in ids])


class Converter:
    """Knows the columns of a result: which hold vertices and which edges, and how vertices are written."""

    def __init__(self, query: Query, names: list[str], positions: list[int], dense: bool) -> None:
        self.names = names
        self._query = query
        self._positions = positions
        self._is_vertex = [i < query.pattern.num_vertices for i in positions]
        self._ids = None if dense else query.graph.ids

    def column(self, table: Table, k: int) -> np.ndarray[Any, Any]:
        """Column k as the caller wants to see it."""
        values = table[:, k]
        if not self._is_vertex[k]:
            return values.astype(np.int64)
        return values.astype(np.uint32) if self._ids is None else self._ids[values]

    def tuples(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Rows of plain Python values."""
        return zip(*(self.column(table, k).tolist() for k in range(len(self.names))), strict=True)

    def numpy(self, tables: list[Table]) -> np.ndarray[Any, Any]:
        """One array of all rows; ids that have no common NumPy type make it an object array."""
        whole = np.concatenate(tables) if tables else np.empty((0, len(self.names)), dtype=np.uint32)
        columns = [self.column(whole, k) for k in range(len(self.names))]
        kinds = {c.dtype.kind for c in columns}
        if len({"text" if kind in "OUST" else "number" for kind in kinds}) > 1:
            columns = [c.astype(object) for c in columns]
        return np.stack(columns, axis=1)

    # ---- Arrow

    @cached_property
    def _arrow_ids(self) -> pyarrow.Array:
        assert self._ids is not None
        return arrow_ids(self._ids)

    @cached_property
    def schema(self) -> pyarrow.Schema:
        """The Arrow schema of every batch."""
        import pyarrow as pa

        vertex = pa.uint32() if self._ids is None else self._arrow_ids.type
        kinds = [vertex if is_vertex else pa.int64() for is_vertex in self._is_vertex]
        return pa.schema([pa.field(n, t, nullable=False) for n, t in zip(self.names, kinds, strict=True)])

    def record_batch(self, table: Table) -> pyarrow.RecordBatch:
        """One batch of rows."""
        import pyarrow as pa

        arrays = []
        for k, is_vertex in enumerate(self._is_vertex):
            if is_vertex and self._ids is not None:
                arrays.append(self._arrow_ids.take(pa.array(table[:, k])))
            else:
                arrays.append(pa.array(np.ascontiguousarray(self.column(table, k))))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    # ---- NetworkX

    def to_networkx(self, tables: list[Table], *, union: bool) -> list[networkx.Graph] | networkx.Graph:
        """One graph per row, or one of all rows."""
        width = self._query.pattern.num_vertices
        if self._positions[:width] != list(range(width)):
            raise QueryError(
                "to_networkx needs all vertices of a match, but columns= leaves some out or reorders them",
                hint="leave columns= out",
            )
        finder = EdgeFinder(self._query)
        graphs = [self._new_graph()] if union else []
        for table in tables:
            rows = table[:, :width].astype(np.uint32)
            for row, edges in zip(rows.tolist(), finder(rows).tolist(), strict=True):
                if not union:
                    graphs.append(self._new_graph())
                self._add(graphs[-1], row, edges)
        return graphs[0] if union else graphs

    def _new_graph(self) -> networkx.Graph:
        import networkx as nx

        graph = self._query.graph
        if graph.has_parallel:
            return nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
        return nx.DiGraph() if graph.directed else nx.Graph()

    def _add(self, into: networkx.Graph, row: list[int], edges: list[int]) -> None:
        graph = self._query.graph
        ids = row if self._ids is None else self._ids[row].tolist()
        for name, v in zip(self._query.pattern.names, ids, strict=True):
            roles = into.nodes[v]["roles"] if v in into else ()
            into.add_node(v, roles=roles if name in roles else (*roles, name))
        # A pattern edge may be taken against its direction, so the data edge says where it points.
        name_of = dict(zip(row, ids, strict=True))
        sources, targets = graph.edge_endpoints(np.array(edges, dtype=np.int64))
        for edge, u, v in zip(edges, sources.tolist(), targets.tolist(), strict=True):
            key = {"key": edge} if graph.has_parallel else {}
            into.add_edge(name_of[u], name_of[v], id=edge, **key, **self._edge_label(edge))

    def _edge_label(self, edge: int) -> dict[str, Any]:
        labels = self._query.graph.edge_labels
        if labels is None or labels.codes[edge] >= len(labels.names):
            return {}
        return {"label": labels.names[labels.codes[edge]]}
