"""What a caller wants of the matches: which columns, how many, in which order. Checked once, here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from subiso.engine.query import Query
from subiso.errors import QueryError
from subiso.result.edges import edge_column_names


@dataclass(frozen=True)
class Request:
    """The shape of the answer; every field has a default that means "as it comes"."""

    limit: int | None = None
    """At most this many rows; None = all."""
    order: str | None = None
    """None = as found; "sorted" = ascending by the columns."""
    edges: bool = False
    """Add a column of edge ids for every pattern edge."""
    columns: tuple[str, ...] | None = None
    """The columns wanted, in this order; None = all."""
    distinct: bool = False
    """Drop equal rows (they arise from leaving columns out)."""
    sample: int | None = None
    """A uniform random sample of this many rows."""
    seed: int = 0
    """Of the sample."""
    dense: bool = False
    """Vertices as dense numbers 0..n-1 instead of the ids the graph was built with."""


def check_request(query: Query, request: Request) -> list[int]:
    """The positions of the wanted columns among all vertex and edge columns, in the wanted order."""
    _natural("limit", request.limit)
    _natural("sample", request.sample)
    if request.order not in (None, "sorted"):
        raise QueryError(f"unknown order {request.order!r}", hint='leave it out or use order="sorted"')
    if request.sample is not None and request.limit is not None:
        raise QueryError("sample= and limit= both say how many rows to give", hint="use one of them")
    if isinstance(request.seed, bool) or not isinstance(request.seed, int):
        raise QueryError(f"seed is {request.seed!r}; it must be an int")
    vertices = list(query.pattern.names)
    edges = edge_column_names(query.pattern)
    if request.columns is None:
        return list(range(len(vertices) + (len(edges) if request.edges else 0)))
    return _positions(request.columns, vertices + edges)


def _positions(columns: Sequence[str], known: list[str]) -> list[int]:
    if not columns:
        raise QueryError("columns= is empty", hint="name at least one, or use exists()")
    for name in columns:
        if name not in known:
            raise QueryError(f"columns: there is no column {name!r}", hint="there are " + ", ".join(known))
    if len(set(columns)) < len(columns):
        raise QueryError("columns= names a column twice")
    return [known.index(name) for name in columns]


def _natural(name: str, value: object) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise QueryError(f"{name} is {value!r}; it must be a whole number, 0 or more, or None")
