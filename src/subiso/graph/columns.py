"""Numeric columns of vertices and edges: time, weight, age. Checked once, when the Graph is built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from subiso.errors import GraphError
from subiso.graph.arrays import Array, column


def make_columns(columns: Any, size: int, what: str) -> dict[str, Array]:
    """Columns by name, each numeric or bool with one value per row. Dates and durations become int64.

    >>> since = np.array(["1970-01-02", "1970-01-03"], "datetime64[D]")
    >>> make_columns({"age": [30, 41], "since": since}, 2, "vertex")
    {'age': array([30, 41]), 'since': array([1, 2])}
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise GraphError(
            f"{what}_columns is a {type(columns).__name__}", hint="pass a dict from a name to an array"
        )
    return {
        _name(name, what): _one(values, size, f"{what} column {name!r}") for name, values in columns.items()
    }


def _name(name: Any, what: str) -> str:
    if not isinstance(name, str) or not name:
        raise GraphError(f"{what}_columns: {name!r} is no name for a column", hint="names are strings")
    return name


def _one(values: Any, size: int, what: str) -> Array:
    found = column(values, what)
    if len(found) != size:
        raise GraphError(f"{what} has {len(found):,} values for {size:,} rows")
    array = found.array
    if found.arrow is not None or array.dtype.kind == "O":
        row, item = next(
            ((r, i) for r, i in enumerate(found.objects()) if not isinstance(i, int | float)), (0, None)
        )
        if item is None:
            raise GraphError(
                f"{what}, row {row}: the value is missing", hint="fill it in first; a float may be NaN"
            )
        raise GraphError(
            f"{what}, row {row}: {item!r} is no number",
            hint="columns hold numbers; pass text as labels, or a mask",
        )
    if found.missing is not None:
        if array.dtype.kind != "f":
            row = int(np.argmax(found.missing))
            raise GraphError(
                f"{what}, row {row}: the value is missing", hint="fill it in first; a float may be NaN"
            )
        array = np.where(found.missing, np.nan, array)
    if array.dtype.kind in "Mm":
        if np.isnat(array).any():
            raise GraphError(f"{what}, row {int(np.argmax(np.isnat(array)))}: the time is missing")
        array = array.view(np.int64)
    return array
