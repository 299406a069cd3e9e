"""The doors of Graph to other libraries. None of them is imported before its door is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from subiso.graph import attributes, tables
from subiso.graph.build import Loops, Parallel


class Doors:
    """What `Graph` inherits: from_... and to_... of other libraries."""

    __slots__ = ()

    @classmethod
    def from_edges(cls, *args: Any, **kwargs: Any) -> Self:
        raise NotImplementedError  # Graph has it

    def with_notes(self, notes: Sequence[str]) -> Self:
        raise NotImplementedError  # Graph has it

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        vertex_label: str | None = None,
        edge_label: str | None = None,
        vertex_columns: str | Sequence[str] = (),
        edge_columns: str | Sequence[str] = (),
        parallel: Parallel = None,
        loops: Loops = "drop",
        keep_rows: bool = False,
    ) -> Self:
        """A graph from a NetworkX Graph, DiGraph, MultiGraph or MultiDiGraph.

        `vertex_label` and `edge_label` name the attributes that hold labels (a node may lack it; a list or
        set gives several), `vertex_columns` and `edge_columns` name numeric attributes. Node names become
        ids; vertices stand in the order of the nodes, or by number where the nodes are 0..n-1.

        >>> from subiso.graph import Graph

        >>> import networkx as nx
        >>> G = nx.DiGraph([("a", "b"), ("b", "c")])
        >>> G.nodes["a"]["kind"] = "cat"
        >>> g = Graph.from_networkx(G, vertex_label="kind")
        >>> g, g.ids.tolist(), g.vertex_labels.of(0)
        (Graph(3 vertices, 2 edges, directed), ['a', 'b', 'c'], ('cat',))
        """
        found = attributes.networkx_edges(graph, vertex_label, edge_label, vertex_columns, edge_columns)
        return cls.from_edges(**found, parallel=parallel, loops=loops, keep_rows=keep_rows)

    @classmethod
    def from_igraph(
        cls,
        graph: Any,
        *,
        vertex_label: str | None = None,
        edge_label: str | None = None,
        vertex_columns: str | Sequence[str] = (),
        edge_columns: str | Sequence[str] = (),
        parallel: Parallel = None,
        loops: Loops = "drop",
        keep_rows: bool = False,
    ) -> Self:
        """A graph from an igraph Graph; its vertex attribute "name", where there is one, becomes the ids.

        >>> from subiso.graph import Graph

        >>> import igraph
        >>> G = igraph.Graph([(0, 1), (1, 2)], vertex_attrs={"name": ["a", "b", "c"], "kind": [1, 1, 2]})
        >>> g = Graph.from_igraph(G, vertex_label="kind")
        >>> g.ids.tolist(), g.vertex_labels.names, g.vertex_labels.codes.tolist()
        (['a', 'b', 'c'], (1, 2), [0, 0, 1])
        """
        found = attributes.igraph_edges(graph, vertex_label, edge_label, vertex_columns, edge_columns)
        return cls.from_edges(**found, parallel=parallel, loops=loops, keep_rows=keep_rows)

    @classmethod
    def from_pandas(
        cls,
        edges: Any,
        source: str | None = None,
        target: str | None = None,
        *,
        directed: bool = False,
        edge_label: str | None = None,
        edge_columns: str | Sequence[str] = (),
        vertices: Any = None,
        vertex_id: str | None = None,
        vertex_label: str | Sequence[str] | None = None,
        vertex_columns: str | Sequence[str] = (),
        parallel: Parallel = None,
        loops: Loops = "drop",
        keep_rows: bool = False,
    ) -> Self:
        """A graph from a table of edges and, if wanted, a table of vertices; the arguments name columns.

        Without `source` and `target` the ends are columns called source and target, from and to, payer and
        payee or the like, else the first two that are wanted for nothing else; where that is a guess, `report`
        says so. A number that is missing is NaN. Without `vertex_id` the
        id is the first column of `vertices`. With a table of vertices every end must be in it. Several
        `vertex_label` columns give a vertex several labels. `parallel`, `loops` and `keep_rows` are those of
        `from_edges`.

        >>> from subiso.graph import Graph

        >>> import pandas as pd
        >>> ends = {"from": ["a", "b"], "to": ["b", "c"]}
        >>> edges = pd.DataFrame({**ends, "kind": ["pays", "owes"], "sum": [3, 4]})
        >>> g = Graph.from_pandas(edges, directed=True, edge_label="kind", edge_columns=["sum"])
        >>> g, g.edge_labels.names, g.edge_columns["sum"].tolist()
        (Graph(3 vertices, 2 edges, directed), ('owes', 'pays'), [3, 4])
        """
        found, notes = tables.edge_table(edges, source, target, edge_label, edge_columns)
        found.update(tables.vertex_table(vertices, vertex_id, vertex_label, vertex_columns))
        made = cls.from_edges(**found, directed=directed, parallel=parallel, loops=loops, keep_rows=keep_rows)
        return made.with_notes(notes)

    @classmethod
    def from_polars(
        cls, edges: Any, source: str | None = None, target: str | None = None, **options: Any
    ) -> Self:
        """A graph from polars tables; the arguments are those of `from_pandas`.

        >>> from subiso.graph import Graph

        >>> import polars as pl
        >>> Graph.from_polars(pl.DataFrame({"u": [5, 6], "v": [6, 7]}), "u", "v").ids.tolist()
        [5, 6, 7]
        """
        return cls.from_pandas(edges, source, target, **options)

    @classmethod
    def from_arrow(
        cls, edges: Any, source: str | None = None, target: str | None = None, **options: Any
    ) -> Self:
        """A graph from PyArrow tables or anything with the Arrow PyCapsule interface; see `from_pandas`.

        >>> from subiso.graph import Graph

        >>> import pyarrow as pa
        >>> Graph.from_arrow(pa.table({"u": ["x", "y"], "v": ["y", "z"]})).ids.tolist()
        ['x', 'y', 'z']
        """
        return cls.from_pandas(edges, source, target, **options)

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        directed: bool = False,
        values: str | None = None,
        vertex_labels: Any = None,
        vertex_columns: Any = None,
        ids: Any = None,
        loops: Loops = "drop",
    ) -> Self:
        """A graph from a square SciPy sparse matrix: entry (u, v) is an edge. Stored zeros are no edges.

        For an undirected graph the matrix must be symmetric or triangular. `values` names the edge column
        that keeps the entries. Entries are no rows, so there is no `keep_rows`.

        >>> from subiso.graph import Graph

        >>> import scipy.sparse as sp
        >>> g = Graph.from_scipy(sp.csr_array([[0, 5, 0], [5, 0, 2], [0, 2, 0]]), values="weight")
        >>> g, g.edge_columns["weight"].tolist()
        (Graph(3 vertices, 2 edges, undirected), [5, 2])
        """
        found = tables.matrix_edges(matrix, directed, values)
        return cls.from_edges(
            **found,
            directed=directed,
            vertex_labels=vertex_labels,
            vertex_columns=vertex_columns,
            ids=ids,
            loops=loops,
        )

    @classmethod
    def from_edge_index(cls, edge_index: Any, *, num_vertices: int | None = None, **options: Any) -> Self:
        """A graph from a 2 x m array, as PyTorch Geometric has it, or a PyG Data object.

        Takes NumPy arrays, tensors in CPU memory, and anything with DLPack or `__array_interface__`;
        `options` are those of `from_edges`. An undirected PyG graph holds each edge twice, which merges here.

        >>> from subiso.graph import Graph

        >>> import numpy as np
        >>> Graph.from_edge_index(np.array([[0, 1, 1], [1, 0, 2]]), num_vertices=4)
        Graph(4 vertices, 2 edges, undirected)
        """
        src, dst, count = tables.edge_index_ends(edge_index, num_vertices)
        return cls.from_edges(src, dst, num_vertices=count, **options)

    def to_networkx(self, *, vertex_label: str = "label", edge_label: str = "label") -> Any:
        """A NetworkX graph: ids as node names, labels (a tuple where several) and columns as attributes.

        It is a MultiGraph or MultiDiGraph when there are parallel edges.

        >>> from subiso.graph import Graph
        >>> g = Graph.from_edges(["a", "b"], ["b", "c"], edge_labels=[7, 8])
        >>> g.to_networkx().edges(data=True)
        EdgeDataView([('a', 'b', {'label': 7}), ('b', 'c', {'label': 8})])
        """
        return attributes.make_networkx(self, vertex_label, edge_label)
