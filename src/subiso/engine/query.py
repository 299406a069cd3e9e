"""The validated question for any engine: graph, pattern, mode, uniqueness and anchors that fit together.

Everything that can be wrong with the arguments of `count` or `match` is found here, once; an engine never
validates. What is merely unsatisfiable (a label no vertex carries, an anchor with the wrong label) is no
error: it has zero matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from subiso.errors import GraphError, QueryError, UnsupportedError, did_you_mean
from subiso.graph import Graph
from subiso.pattern import Column, Comparison, Pattern

Mode = Literal["monomorphism", "induced", "homomorphism", "edge-isomorphism"]
_FEW_IDS = 10_000  # among which a slip of the pen is looked for
MODES: tuple[Mode, ...] = get_args(Mode)
INJECTIVE_MODES: tuple[Mode, ...] = ("monomorphism", "induced")
"""The modes in which distinct pattern vertices go to distinct data vertices; `unique=True` needs that."""


@dataclass(frozen=True, eq=False)
class Query:
    """One question to an engine. Made by `make_query`, which is the only place that checks it."""

    graph: Graph
    pattern: Pattern
    mode: Mode = "monomorphism"
    unique: bool = True
    anchors: Mapping[int, int] = None  # type: ignore[assignment]  # {} in __post_init__
    """Pattern vertex -> dense data vertex."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "anchors", dict(self.anchors or {}))

    @property
    def injective(self) -> bool:
        """True when distinct pattern vertices must go to distinct data vertices."""
        return self.mode in INJECTIVE_MODES


def make_query(
    graph: Graph,
    pattern: Pattern | str,
    *,
    mode: str = "monomorphism",
    induced: bool = False,
    unique: bool | None = None,
    anchor: Mapping[str | int, Any] | None = None,
) -> Query:
    """Check that everything fits together; the errors say what does not and what to do.

    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> q = make_query(g, "(a)--(b)", anchor={"a": 2})
    >>> q.mode, q.unique, dict(q.anchors)
    ('monomorphism', True, {0: 2})
    """
    check_graph(graph)
    pattern = as_pattern(pattern)
    checked_mode = _mode(mode, induced)
    query = Query(
        graph,
        pattern,
        checked_mode,
        _unique(unique, checked_mode),
        _anchors(graph, pattern, checked_mode, anchor),
    )
    _check_direction(graph, pattern)
    _check_labels(graph, pattern)
    _check_masks(graph, pattern)
    for comparison in pattern.comparisons:
        _check_comparison(graph, pattern, comparison)
    return query


def check_graph(graph: object) -> None:
    """Refuse what is no graph."""
    if not isinstance(graph, Graph):
        raise QueryError(
            f"the first argument is a {type(graph).__name__}, not a subiso.Graph",
            hint="build one with Graph.from_edges, Graph.from_networkx, ..., or read a file with subiso.read",
        )


def as_pattern(pattern: object) -> Pattern:
    """A pattern, or the one that a text stands for."""
    if isinstance(pattern, Pattern):
        return pattern
    if isinstance(pattern, str):
        return Pattern(pattern)
    raise QueryError(
        f"the pattern is a {type(pattern).__name__}, not a subiso.Pattern or its text",
        hint='write it as text, "(a)--(b), (b)--(c)", or use Pattern.from_edges or Pattern.from_networkx',
    )


def _mode(mode: str, induced: bool) -> Mode:
    if mode not in MODES:
        raise QueryError(
            f"unknown mode {mode!r}{did_you_mean(str(mode), MODES)}",
            hint="the modes are " + ", ".join(MODES),
        )
    if induced and mode not in INJECTIVE_MODES:
        raise QueryError(
            f'induced=True contradicts mode="{mode}"',
            hint='induced=True is another way to write mode="induced"',
        )
    return "induced" if induced else mode


def _unique(unique: bool | None, mode: Mode) -> bool:
    injective = mode in INJECTIVE_MODES
    if unique is None:
        return injective
    if not isinstance(unique, bool | np.bool_):
        raise QueryError(f"unique is {unique!r}; it must be True, False or None")
    if unique and not injective:
        raise QueryError(
            f'unique=True has no meaning in mode="{mode}": where vertices may repeat, the maps that the '
            "pattern's automorphisms turn into each other do not come in groups of one size",
            hint="leave unique= out (each map is counted), or use monomorphism or induced",
        )
    return bool(unique)


def _anchors(
    graph: Graph, pattern: Pattern, mode: Mode, anchor: Mapping[str | int, Any] | None
) -> dict[int, int]:
    if anchor is None:
        return {}
    if not isinstance(anchor, Mapping):
        raise QueryError(
            f"anchor is a {type(anchor).__name__}; it must map pattern vertices to data vertices",
            hint='write anchor={"a": 17}',
        )
    anchors: dict[int, int] = {}
    holder: dict[int, int] = {}
    for key, value in anchor.items():
        i = pattern_vertex(pattern, key, "anchor")
        v = data_vertex(graph, pattern.names[i], value)
        if anchors.setdefault(i, v) != v:
            raise QueryError(
                f"the pattern vertex {pattern.names[i]!r} is anchored twice, at different vertices"
            )
        if mode in INJECTIVE_MODES and holder.setdefault(v, i) != i:
            raise QueryError(
                f"{pattern.names[holder[v]]!r} and {pattern.names[i]!r} are both anchored at {value!r}, but "
                f'in mode="{mode}" they must be different vertices',
                hint='mode="homomorphism" lets vertices repeat',
            )
    return anchors


def pattern_vertex(pattern: Pattern, key: object, what: str) -> int:
    """The index of a pattern vertex given by name or by index."""
    if isinstance(key, str):
        if key in pattern.names:
            return pattern.names.index(key)
        raise QueryError(
            f"{what}: the pattern has no vertex {key!r}{did_you_mean(key, pattern.names)}",
            hint="its vertices are " + ", ".join(pattern.names),
        )
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        if 0 <= key < pattern.num_vertices:
            return int(key)
        raise QueryError(
            f"{what}: the pattern has {pattern.num_vertices} vertices, so no vertex number {key}"
        )
    raise QueryError(f"{what}: {key!r} is neither a pattern vertex's name nor its number")


def data_vertex(graph: Graph, name: str, value: Any) -> int:
    """The dense number of the vertex with this id, the anchor of pattern vertex `name`."""
    if isinstance(value, list | set | range | np.ndarray):  # a tuple may be an id
        raise QueryError(
            f"anchor[{name!r}] is a {type(value).__name__}, one vertex was expected",
            hint="count and match take a list of anchors, the other functions one",
        )
    wanted = np.empty(1, dtype=object)
    wanted[0] = value
    try:
        return int(graph.index_of(wanted if isinstance(value, tuple) else [value])[0])
    except (GraphError, TypeError, OverflowError) as error:
        near = graph.ids if isinstance(value, str) and graph.num_vertices <= _FEW_IDS else None
        raise QueryError(
            f"anchor[{name!r}]: the graph has no vertex {value!r}"
            + ("" if near is None else did_you_mean(value, near)),
            hint="anchors are the ids the graph was built with"
            if graph.ids is not None
            else f"the vertices are 0 to {graph.num_vertices - 1}",
        ) from error


def _check_direction(graph: Graph, pattern: Pattern) -> None:
    if graph.directed:
        return
    for edge in (*pattern.edges, *pattern.anti_edges):
        if edge.directed:
            source, target = pattern.names[edge.source], pattern.names[edge.target]
            raise QueryError(
                f"the pattern's edge ({source})-->({target}) has a direction, but the graph is undirected",
                hint="write -- for -->, use Pattern.to_undirected(), or build the graph with directed=True",
            )


def _check_labels(graph: Graph, pattern: Pattern) -> None:
    for i, conjunction in enumerate(pattern.vertex_labels):
        if conjunction and graph.vertex_labels is None:
            raise QueryError(
                f"the pattern wants {_names(conjunction[0])} at vertex {pattern.names[i]!r}, "
                "but the graph has no vertex labels",
                hint="build the graph with vertex_labels=, or leave the label out of the pattern",
            )
    for edge in (*pattern.edges, *pattern.anti_edges):
        if edge.labels is not None and graph.edge_labels is None:
            raise QueryError(
                f"the pattern wants {_names(edge.labels)} at the edge between {pattern.names[edge.source]!r} "
                f"and {pattern.names[edge.target]!r}, but the graph has no edge labels",
                hint="build the graph with edge_labels=, or leave the label out of the pattern",
            )


def _check_masks(graph: Graph, pattern: Pattern) -> None:
    for name, mask in zip(pattern.names, pattern.masks, strict=True):
        if mask is not None and len(mask.array) != graph.num_vertices:
            raise QueryError(
                f"the mask of vertex {name!r} has {len(mask.array)} entries, "
                f"the graph {graph.num_vertices} vertices",
                hint="a vertex mask has one bool per vertex, in the order of graph.ids",
            )
    for edge in (*pattern.edges, *pattern.anti_edges):
        if edge.mask is not None and len(edge.mask.array) != graph.num_edges:
            where = f"{pattern.names[edge.source]!r} to {pattern.names[edge.target]!r}"
            raise QueryError(
                f"the mask of the edge from {where} has {len(edge.mask.array)} entries, "
                f"the graph {graph.num_edges} edges",
                hint="an edge mask has one bool per edge id; mask[graph.edge_rows] makes one from a mask "
                "over the input's rows (build the graph with keep_rows=True)",
            )


def _check_comparison(graph: Graph, pattern: Pattern, comparison: Comparison) -> None:
    left, right = comparison.left, comparison.right
    if isinstance(right, Column) and (isinstance(left.owner, str) or isinstance(right.owner, str)):
        raise UnsupportedError(
            f"the comparison of {_column_text(pattern, left)} with {_column_text(pattern, right)}: "
            "an edge's column can be compared with a constant only",
            hint="within one edge, compute a bool array over the edges and use where(name=mask)",
        )
    _check_column(graph, pattern, left)
    if isinstance(right, Column):
        _check_column(graph, pattern, right)
    elif isinstance(right, str):
        if isinstance(left.owner, str):
            name, which = left.owner, "edges with a mask, one bool per edge id"
        else:
            name, which = (
                pattern.names[left.owner],
                "vertices with a mask, one bool per vertex in the order of graph.ids",
            )
        raise QueryError(
            f"{_column_text(pattern, left)} holds numbers, but is compared with the text {right!r}",
            hint=f"compare with a number, or select the {which}: where({name}=array)",
        )


def _check_column(graph: Graph, pattern: Pattern, column: Column) -> None:
    if isinstance(column.owner, str):
        names = [e.name for e in (*pattern.edges, *pattern.anti_edges) if e.name is not None]
        if column.owner not in names:
            raise QueryError(f"the pattern has no edge {column.owner!r}{did_you_mean(column.owner, names)}")
    known = graph.edge_columns if isinstance(column.owner, str) else graph.vertex_columns
    kind = "edge" if isinstance(column.owner, str) else "vertex"
    if column.column not in known:
        raise QueryError(
            f"{_column_text(pattern, column)}: the graph has no {kind} column {column.column!r}"
            f"{did_you_mean(column.column, known)}",
            hint=f"its {kind} columns are {', '.join(known)}"
            if known
            else f"build the graph with {kind}_columns={{{column.column!r}: array}}",
        )


def _column_text(pattern: Pattern, column: Column) -> str:
    owner = column.owner if isinstance(column.owner, str) else pattern.names[column.owner]
    return f"{owner}.{column.column}"


def _names(labels: Iterable[object]) -> str:
    return "label " + " or ".join(sorted(repr(label) for label in labels))
