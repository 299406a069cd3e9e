"""Brings what users pass (lists, NumPy, pandas, polars, Arrow, DLPack) to columns: first step of a Graph."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from subiso.errors import GraphError

Array = np.ndarray[Any, Any]

EXACT_FLOAT = 2.0**53  # beyond it a float64 no longer tells neighbouring whole numbers apart


class Values(NamedTuple):
    """A column: numbers, objects, or Arrow strings.

    `array` holds numbers, or Python objects with None where a value is missing. `missing` marks the rows
    without a number. `arrow` is a PyArrow array of strings in place of `array`, so that it can be encoded
    without making Python objects. `name` is what errors call it, where the caller's table has a better name.
    """

    array: Array
    missing: Array | None = None
    arrow: Any = None
    name: str = ""

    def __len__(self) -> int:
        return len(self.array) if self.arrow is None else len(self.arrow)

    @property
    def is_integer(self) -> bool:
        return self.arrow is None and self.array.dtype.kind in "iu"

    def objects(self) -> list[Any]:
        """The values as Python objects, None where one is missing."""
        if self.arrow is not None:
            return list(self.arrow.to_pylist())
        found: list[Any] = self.array.tolist()
        if self.missing is not None:
            for row in np.flatnonzero(self.missing):
                found[row] = None
        return found


def read_only(array: Array) -> Array:
    """The same memory, seen through an array that refuses to be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def column(values: Any, what: str) -> Values:
    """Any array-like as a column; `what` names it in errors."""
    if isinstance(values, Values):
        return values
    if isinstance(values, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(values)
        return _from_numpy(np.ma.getdata(values), what, missing if missing.any() else None)
    if isinstance(values, np.ndarray):
        return _from_numpy(values, what)
    if _is_from("pandas", values):
        return _from_pandas(values, what)
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return _from_arrow(values, what)
    if isinstance(values, str | bytes):
        raise GraphError(
            f"{what} is one piece of text ({values!r}), not an array", hint=f"pass {what}=[{values!r}]"
        )
    if isinstance(values, Sequence) or not _is_array_like(values):
        if not isinstance(values, Iterable):
            raise GraphError(
                f"{what} is a {type(values).__name__}, not an array", hint="pass a list or a NumPy array"
            )
        return _from_objects(list(values), what)
    return _from_array_like(values, what)


def whole_numbers(values: Values, what: str, *, allow_missing: bool = False) -> Values | None:
    """The column as integers (floats without a fraction are taken), or None when it does not hold numbers."""
    array, missing = values.array, values.missing
    if values.arrow is not None or array.dtype.kind not in "iuf":
        return None
    if array.dtype.kind == "f":
        unknown = np.isnan(array)
        if unknown.any():
            missing = unknown if missing is None else missing | unknown
        known = array if missing is None else np.where(missing, 0, array)
        exact = 2.0 ** (np.finfo(array.dtype).nmant + 1)
        bad = (known != np.floor(known)) | (np.abs(known) > exact)
        if bad.any():
            row = int(np.argmax(bad))
            why = "has a fraction" if abs(array[row]) < exact else "is too large for a float to be exact"
            raise GraphError(f"{what}, row {row}: {array[row]} {why}", hint="pass integers or strings")
        array = known.astype(np.int64)
    if missing is not None and not allow_missing:
        row = int(np.argmax(missing))
        raise GraphError(
            f"{what}, row {row}: the value is missing", hint="drop the rows without a value first"
        )
    return Values(array, missing)


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
        _column_name(name, what): _numeric(values, size, f"{what} column {name!r}")
        for name, values in columns.items()
    }


def _is_from(package: str, values: Any) -> bool:
    # Nothing of a package can arrive here unless somebody imported it: no import of our own is needed.
    return package in sys.modules and type(values).__module__.partition(".")[0] == package


def _is_array_like(values: Any) -> bool:
    return any(
        hasattr(values, name) for name in ("__array__", "__array_interface__", "__dlpack__", "__buffer__")
    ) or (isinstance(values, memoryview | bytearray))


def _from_array_like(values: Any, what: str) -> Values:
    try:
        if (
            hasattr(values, "__array__")
            or hasattr(values, "__array_interface__")
            or not hasattr(values, "__dlpack__")
        ):
            return _from_numpy(np.asarray(values), what)
        return _from_numpy(np.from_dlpack(values), what)
    except GraphError:
        raise
    except Exception as error:
        raise GraphError(
            f"{what}: a {type(values).__name__} could not be read as an array: {error}",
            hint="move it to the CPU first (.cpu(), .get())" if hasattr(values, "__dlpack__") else None,
        ) from error


def _from_numpy(array: Array, what: str, missing: Array | None = None) -> Values:
    if array.ndim != 1:
        raise GraphError(f"{what} has {array.ndim} dimensions (shape {array.shape}); it must have one")
    array = np.asarray(array)  # drops subclasses
    if array.dtype.kind in "OUST":
        return _from_objects(array.tolist(), what, missing)
    if array.dtype.kind not in "biufMm":
        raise GraphError(f"{what} has dtype {array.dtype}, which is neither numbers nor text")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return Values(np.ascontiguousarray(array), missing)


def _from_objects(items: list[Any], what: str, missing: Array | None = None) -> Values:
    if missing is not None:
        items = [None if gone else item for item, gone in zip(items, missing, strict=True)]
    kinds = set(map(type, items))
    if kinds and all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return Values(np.array(items, bool))
    if not kinds or all(issubclass(kind, int | np.integer) and not issubclass(kind, bool) for kind in kinds):
        try:
            return Values(np.array(items, np.int64))
        except OverflowError:
            if min(items) >= 0 and max(items) < 2**64:
                return Values(np.array(items, np.uint64))
    elif (
        all(issubclass(kind, int | float | np.integer | np.floating) for kind in kinds) and bool not in kinds
    ):
        return _mixed_numbers(items)
    found = np.empty(len(items), object)
    found[:] = [None if _is_missing(item) else item for item in items] if _may_miss(kinds) else items
    return Values(found)


def _mixed_numbers(items: list[Any]) -> Values:
    # Through float64 a large integer beside a NaN would change in silence; as objects it keeps its value.
    if all(isinstance(item, float | np.floating) or abs(item) <= EXACT_FLOAT for item in items):
        return Values(np.array(items, np.float64))
    found = np.empty(len(items), object)
    found[:] = [None if _is_missing(item) else item for item in items]
    return Values(found)


def _may_miss(kinds: set[type]) -> bool:
    return any(kind not in (str, int) for kind in kinds)


def _is_missing(item: Any) -> bool:
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(item, float | np.floating) and bool(np.isnan(item))


def _from_pandas(series: Any, what: str) -> Values:
    if type(series).__name__ not in ("Series", "Index") and not hasattr(series, "dtype"):
        raise GraphError(
            f"{what} is a pandas {type(series).__name__}; it must be one column", hint="pass a Series"
        )
    if isinstance(series.dtype, np.dtype) and type(series).__name__ != "MultiIndex":
        return _from_numpy(series.to_numpy(), what)
    import pyarrow as pa

    try:
        return _from_arrow(pa.array(series, from_pandas=True), what)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return _from_objects(series.tolist(), what)


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "string_view")


def _from_arrow(values: Any, what: str) -> Values:
    import pyarrow as pa

    if not isinstance(values, pa.Array | pa.ChunkedArray):
        is_stream = hasattr(values, "__arrow_c_stream__")
        values = pa.chunked_array(values) if is_stream else pa.array(values)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # some PyArrow versions keep the chunks of an empty array
            values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
    kind = values.type
    if pa.types.is_dictionary(kind):
        names = values.dictionary
        if _is_text(names.type):
            names = names.cast(pa.large_string())  # views cannot be taken from
        values = names.take(values.indices)
        kind = values.type
    if _is_text(kind):
        return Values(np.empty(0, object), arrow=values.cast(pa.large_string()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        missing = None
        if values.null_count:
            missing = values.is_null().to_numpy(zero_copy_only=False)
            values = values.fill_null(False if pa.types.is_boolean(kind) else pa.scalar(0, kind))
        return _from_numpy(values.to_numpy(zero_copy_only=False), what, missing)
    if pa.types.is_temporal(kind) and not values.null_count and not pa.types.is_time(kind):
        return _from_numpy(values.to_numpy(zero_copy_only=False), what)
    return _from_objects(values.to_pylist(), what)


def _column_name(name: Any, what: str) -> str:
    if not isinstance(name, str) or not name:
        raise GraphError(f"{what}_columns: {name!r} is no name for a column", hint="names are strings")
    return name


def _numeric(values: Any, size: int, what: str) -> Array:
    found = column(values, what)
    if len(found) != size:
        raise GraphError(f"{what} has {len(found):,} values for {size:,} rows")
    if found.arrow is not None or found.array.dtype.kind == "O":
        found = _known_numbers(found, what)
    array, missing = found.array, found.missing
    if array.dtype.kind in "Mm":
        missing = np.isnat(array) if missing is None else missing | np.isnat(array)
        array = array.view(np.int64)
    if missing is None or not missing.any():
        return array
    known = np.where(missing, 0, array)
    if known.dtype.kind in "iu" and max(-int(known.min()), int(known.max())) > EXACT_FLOAT:
        raise _inexact(what)
    return np.where(missing, np.nan, known)


def _known_numbers(values: Values, what: str) -> Values:
    """Objects that are all numbers, or missing, as such."""
    items = values.objects()
    for row, item in enumerate(items):
        if item is not None and not isinstance(item, int | float | np.integer | np.floating | np.bool_):
            raise GraphError(
                f"{what}, row {row}: {item!r} is no number",
                hint="columns hold numbers; pass text as labels, or a mask",
            )
    known = [item for item in items if item is not None]
    truth = [isinstance(item, bool | np.bool_) for item in known]
    if any(truth) and not all(truth):
        raise GraphError(f"{what} mixes true/false with numbers", hint="make them all numbers, or all bool")
    if any(abs(item) > EXACT_FLOAT for item in known) and not all(
        isinstance(i, int | np.integer) for i in items
    ):
        raise _inexact(what)
    missing = np.array([item is None for item in items], bool)
    array = np.array([0 if item is None else item for item in items])
    if array.dtype.kind == "O":
        raise GraphError(
            f"{what} holds integers of more than 64 bits", hint="leave the column out, or pass floats"
        )
    return Values(array, missing)


def _inexact(what: str) -> GraphError:
    return GraphError(
        f"{what} has missing values or fractions beside integers that no float holds exactly",
        hint="drop the rows without a value, or leave the column out",
    )
