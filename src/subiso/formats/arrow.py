"""Columns of PyArrow as Cells: for Parquet, and for CSV with quotes. PyArrow is imported when first
needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from subiso.errors import FormatError
from subiso.formats.text import NONE, Cells, inexact


def to_cells(error: Callable[..., FormatError], name: str, column: Any, kind: str) -> Cells:
    """A column as Cells. kind as in Schema: i integers or t text (ids: no nulls), m numbers or null, s text or
    null.
    """
    import pyarrow as pa

    array = _one_array(column)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if kind in "it" and array.null_count:
        row = int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
        raise error(f"column {name!r}, row {row}: the value is missing", hint="drop the rows without a value")
    type_ = array.type
    if pa.types.is_string(type_) or pa.types.is_large_string(type_) or type_ == pa.string_view():
        return _texts(array.cast(pa.large_string()))
    if pa.types.is_null(type_) and kind == "s":
        return Cells("s", np.full(len(array), NONE, np.uint32))
    if kind == "m" and (pa.types.is_floating(type_) or pa.types.is_null(type_)):
        return _reals(array)
    if pa.types.is_boolean(type_):
        if kind == "m" and array.null_count:
            return _reals(array)
        return Cells("b", array.to_numpy(zero_copy_only=False))
    if pa.types.is_integer(type_) or (kind == "m" and pa.types.is_temporal(type_)):
        return _integers(error, name, array, kind)
    if kind == "s":
        return _texts(array.cast(pa.large_string()))
    hint = "floats and nested values cannot be ids; cast the column to integers or text"
    raise error(
        f"column {name!r} has type {type_}", hint=hint if kind in "it" else "leave it out with columns=[...]"
    )


def _one_array(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    return column


def _texts(array: Any) -> Cells:
    encoded = array.dictionary_encode()
    indices = encoded.indices
    codes = (
        (indices.fill_null(-1) if indices.null_count else indices).to_numpy().astype(np.uint32)
    )  # -1 -> NONE
    return Cells("s", codes, encoded.dictionary.to_pylist())


def _reals(array: Any) -> Cells:
    """Numbers as floats, NaN for nulls."""
    import pyarrow as pa

    return Cells("f", array.cast(pa.float64()).to_numpy(zero_copy_only=False))


def _integers(error: Callable[..., FormatError], name: str, array: Any, kind: str) -> Cells:
    import pyarrow as pa

    try:
        if pa.types.is_temporal(array.type):
            array = array.cast(pa.int64() if array.type.bit_width == 64 else pa.int32())
        if kind == "s" and array.null_count:
            return _texts(array.cast(pa.large_string()))
        if array.null_count:
            return _with_gaps(error, name, array)
        return Cells("i", array.cast(pa.int64()).to_numpy())
    except pa.ArrowInvalid as problem:
        raise error(
            f"column {name!r}: {problem}", hint="values must fit into signed 64-bit integers"
        ) from problem


def _with_gaps(error: Callable[..., FormatError], name: str, array: Any) -> Cells:
    """Integers with nulls as floats, unless these would change one of them."""
    import pyarrow as pa

    try:
        return _reals(array)
    except pa.ArrowInvalid:
        raise inexact(error, f"column {name!r}") from None
