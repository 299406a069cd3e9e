"""Many anchors in one call: `anchor={"a": [1, 2, 3]}` into a query per row, or one masked query for all."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from subiso.engine.query import Query, data_vertex, make_query, pattern_vertex
from subiso.errors import GraphError, QueryError
from subiso.graph import Graph
from subiso.pattern import Pattern

Anchor = Mapping[str | int, Any]


def anchor_rows(anchor: Anchor | None) -> list[dict[str | int, Any]] | None:
    """The rows of a table of anchors, or None when every vertex has a single anchor.

    Lists stand side by side, row by row; a single anchor holds for all rows.

    >>> anchor_rows({"a": [1, 2], "b": 7})
    [{'a': 1, 'b': 7}, {'a': 2, 'b': 7}]
    >>> anchor_rows({"a": 1}) is None
    True
    """
    if not isinstance(anchor, Mapping):
        return None  # nothing, or something make_query refuses
    lists = {key: _values(value) for key, value in anchor.items() if _is_list(value)}
    if not lists:
        return None
    lengths = {key: len(values) for key, values in lists.items()}
    if len(set(lengths.values())) > 1:
        raise QueryError(
            "the lists of anchors differ in length: "
            + ", ".join(f"{k!r} has {n}" for k, n in lengths.items()),
            hint="they are read row by row: the first of each list, then the second, ...",
        )
    return [
        {key: lists[key][r] if key in lists else value for key, value in anchor.items()}
        for r in range(next(iter(lengths.values())))
    ]


def anchored_queries(graph: Graph, pattern: Pattern, anchor: Anchor, **options: Any) -> list[Query]:
    """Queries whose matches together are those of all rows, each once: a single masked one if possible."""
    rows = anchor_rows(anchor)
    if rows is None:
        return [make_query(graph, pattern, anchor=anchor, **options)]
    lists = [key for key, value in anchor.items() if _is_list(value)]
    if len(lists) == 1:
        masked = _as_mask(graph, pattern, lists[0], _values(anchor[lists[0]]))
        if masked is not None:
            single = {key: value for key, value in anchor.items() if key != lists[0]}
            return [make_query(graph, masked, anchor=single, **options)]
    different: dict[tuple[tuple[int, int], ...], Query] = {}
    for row in rows:
        query = make_query(graph, pattern, anchor=row, **options)
        different.setdefault(tuple(sorted(query.anchors.items())), query)
    return list(different.values()) or [_nothing(graph, pattern, options)]


def _as_mask(graph: Graph, pattern: Pattern, key: str | int, values: list[Any]) -> Pattern | None:
    """The pattern with vertex `key` restricted to the anchors; None if others could then stand in for it.

    An anchored vertex takes no part in automorphisms. A masked one does not either, as long as no other
    vertex has the same mask.
    """
    i = pattern_vertex(pattern, key, "anchor")
    allowed = np.zeros(graph.num_vertices, dtype=bool)
    allowed[_data_vertices(graph, pattern.names[i], values)] = True
    before = pattern.masks[i]
    if before is not None:
        if len(before.array) != graph.num_vertices:
            return None  # make_query says so
        allowed &= before.array
    masked = pattern.where(**{pattern.names[i]: allowed})
    if any(masked.masks[i] == mask for j, mask in enumerate(masked.masks) if j != i):
        return None
    return masked


def _data_vertices(graph: Graph, name: str, values: list[Any]) -> list[int]:
    """The vertices of many ids: all at once, or one by one to name the one that is wrong."""
    if values and not any(isinstance(value, tuple) for value in values):
        with contextlib.suppress(GraphError, TypeError, OverflowError):
            found: list[int] = graph.index_of(values).tolist()
            return found
    return [data_vertex(graph, name, value) for value in values]


def _nothing(graph: Graph, pattern: Pattern, options: dict[str, Any]) -> Query:
    """A query without matches, for an empty table of anchors."""
    none = np.zeros(graph.num_vertices, dtype=bool)
    return make_query(graph, pattern.where(**{pattern.names[0]: none}), **options)


def _is_list(value: object) -> bool:
    # A tuple may be an id (NetworkX grids), and so may a frozenset.
    return isinstance(value, list | range | set | np.ndarray) or hasattr(value, "to_numpy")


def _values(value: Any) -> list[Any]:
    if hasattr(value, "to_numpy"):  # a pandas or polars column
        value = value.to_numpy()
    return value.tolist() if isinstance(value, np.ndarray) else list(value)
