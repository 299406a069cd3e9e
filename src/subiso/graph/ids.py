"""Vertex ids of any kind to dense numbers and back: while a Graph is built, and in index_of afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from subiso.errors import GraphError
from subiso.graph.adjacency import native
from subiso.graph.arrays import Array, Values, column, whole_numbers
from subiso.graph.encode import (
    NONE,
    distinct_integers,
    encode_arrow_text,
    encode_objects,
    integer_codes,
    wide,
)

MAX_VERTICES = 2**32 - 2
_INT64_MAX = 2**63 - 1


def dense_ends(values: Values, what: str, num_vertices: int) -> Array:
    """Ends that must be numbers 0..num_vertices-1 already, as uint32."""
    numbers = whole_numbers(refuse_booleans(values, what), what)
    if numbers is None:
        raise GraphError(
            f"{what} holds {_kind(values)}; with num_vertices= or ids= it must be 0..{num_vertices - 1}",
            hint="leave num_vertices out to have the vertices numbered, or list their ids with vertices=",
        )
    dense: Array
    dense, bad = native.graph_to_dense(wide(numbers.array), num_vertices, 0)
    if bad >= 0:
        raise GraphError(
            f"{what}, row {bad}: vertex {numbers.array[bad]} is outside 0..{num_vertices - 1}",
            hint="raise num_vertices, or leave it out to keep the ids as they are",
        )
    return dense


def number_vertices(
    src: Values, dst: Values, src_name: str, dst_name: str
) -> tuple[Array, Array, Array | None, int]:
    """Dense src and dst, the ids in sorted order (None when they are 0..n-1 anyway), and n."""
    ends = [_id_column(src, src_name), _id_column(dst, dst_name)]
    if all(end.arrow is None and end.array.dtype.kind in "iu" for end in ends):
        pair = _same_type(ends[0].array, ends[1].array)
        if pair is not None:
            return _number_integers(*pair)
    if all(end.arrow is not None for end in ends):
        import pyarrow as pa

        names, codes = encode_arrow_text(pa.concat_arrays([end.arrow for end in ends]))
    else:
        names, codes = encode_objects(ends[0].objects() + ends[1].objects())
    _check_count(len(names))
    return codes[: len(ends[0])], codes[len(ends[0]) :], object_array(names), len(names)


def make_ids(ids: Any, num_vertices: int | None) -> tuple[Array | None, int]:
    """The ids a caller gives for the vertices 0..n-1: all there, all different."""
    values = _id_column(column(ids, "ids"), "ids")
    if num_vertices is not None and len(values) != num_vertices:
        raise GraphError(f"ids has {len(values):,} entries for {num_vertices:,} vertices")
    found = values.array if values.is_integer else object_array(values.objects())
    if found.dtype.kind in "iu":
        found = found.astype(
            np.uint64 if found.dtype == np.uint64 and found.max(initial=0) > _INT64_MAX else np.int64
        )
    if len(found) and found.dtype.kind in "iu" and np.array_equal(found, np.arange(len(found))):
        return None, len(values)
    IdIndex(found).check_distinct()
    return found, len(values)


class IdIndex:
    """Finds vertices by their ids; made when first needed."""

    __slots__ = ("_code_of", "_order", "_sorted", "ids")

    def __init__(self, ids: Array) -> None:
        self.ids = ids
        self._order: Array | None = None  # of integers, where they are not sorted anyway
        self._sorted = ids
        self._code_of: dict[Any, int] | None = None
        if ids.dtype.kind in "iu":
            if not np.all(ids[1:] > ids[:-1]):
                self._order = np.argsort(ids, kind="stable")
                self._sorted = ids[self._order]
        else:
            self._code_of = {name: vertex for vertex, name in enumerate(ids.tolist())}

    def check_distinct(self) -> None:
        if self._code_of is not None:
            if len(self._code_of) < len(self.ids):
                first: dict[Any, int] = {}
                for vertex, name in enumerate(self.ids.tolist()):
                    if first.setdefault(name, vertex) != vertex:
                        raise GraphError(f"ids: {name!r} names both vertex {first[name]} and vertex {vertex}")
        elif self._order is not None:
            same = np.flatnonzero(self._sorted[1:] == self._sorted[:-1])
            if len(same):
                a, b = self._order[same[0]], self._order[same[0] + 1]
                raise GraphError(f"ids: {self._sorted[same[0]]} names both vertex {a} and vertex {b}")

    def find(self, values: Values, what: str) -> Array:
        """The vertex of every id."""
        if self._code_of is not None:
            items = values.objects()
            found = np.fromiter((self._code_of.get(item, NONE) for item in items), np.uint32, len(items))
            return _all_found(found, items, what)
        numbers = whole_numbers(values, what)
        if numbers is None:
            raise GraphError(f"{what} holds {_kind(values)}, but the vertices' ids are integers")
        if not len(self.ids):
            return _all_found(np.full(len(numbers), NONE, np.uint32), numbers.array, what)
        limits = np.iinfo(
            self.ids.dtype
        )  # int64 and uint64 do not compare exactly: only those that fit are cast
        fits = (numbers.array >= limits.min) & (numbers.array <= limits.max)
        wanted = np.where(fits, numbers.array, 0).astype(self.ids.dtype)
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self.ids) - 1)
        there = fits & (self._sorted[at] == wanted)
        vertices = at if self._order is None else self._order[at]
        return _all_found(np.where(there, vertices, NONE).astype(np.uint32), numbers.array, what)


def find_dense(values: Values, what: str, num_vertices: int) -> Array:
    """index_of for a graph whose ids are the numbers 0..n-1 themselves."""
    numbers = whole_numbers(refuse_booleans(values, what), what)
    if numbers is None:
        raise GraphError(
            f"{what} holds {_kind(values)}, but the vertices' ids are the integers 0..{num_vertices - 1}"
        )
    found, bad = native.graph_to_dense(wide(numbers.array), num_vertices, 0)
    if bad >= 0:
        raise _unknown(numbers.array[bad], bad, what)
    return np.asarray(found)


def object_array(items: list[Any]) -> Array:
    """A one-dimensional array of objects, also when the objects are tuples."""
    found = np.empty(len(items), object)
    found[:] = items
    return found


def refuse_booleans(values: Values, what: str) -> Values:
    if values.arrow is None and values.array.dtype.kind == "b":
        raise GraphError(f"{what} holds booleans, which are no vertex ids", hint="convert them to integers")
    return values


def _id_column(values: Values, what: str) -> Values:
    """Ids as integers or objects, none of them missing."""
    numbers = whole_numbers(refuse_booleans(values, what), what)
    if numbers is not None:
        return numbers
    if values.arrow is not None:
        missing = values.arrow.is_null().to_numpy(zero_copy_only=False) if values.arrow.null_count else None
    elif values.array.dtype.kind in "Mm":
        missing = np.isnat(values.array)
    else:
        missing = np.fromiter((item is None for item in values.array), bool, len(values.array))
        _check_hashable(values.array, what)
    if missing is not None and missing.any():
        raise GraphError(
            f"{what}, row {int(np.argmax(missing))}: the value is missing",
            hint="drop the rows without a value first",
        )
    return values


def _check_hashable(items: Array, what: str) -> None:
    for row, item in enumerate(items):
        if item.__hash__ is None:
            raise GraphError(f"{what}, row {row}: a {type(item).__name__} cannot name a vertex")


def _same_type(a: Array, b: Array) -> tuple[Array, Array] | None:
    a, b = wide(a), wide(b)
    if a.dtype == b.dtype:
        return a, b
    if any(each.dtype == np.uint64 and each.max(initial=0) > _INT64_MAX for each in (a, b)):
        if any(each.min(initial=0) < 0 for each in (a, b)):
            return None  # no integer type holds both: they go as Python numbers
        return a.astype(np.uint64), b.astype(np.uint64)
    return a.astype(np.int64), b.astype(np.int64)


def _number_integers(src: Array, dst: Array) -> tuple[Array, Array, Array | None, int]:
    names, table = distinct_integers(src, dst)
    _check_count(len(names))
    if len(names) == 0 or (names[0] == 0 and int(names[-1]) == len(names) - 1):
        dense = [native.graph_to_dense(each, len(names), 0)[0] for each in (src, dst)]
        return dense[0], dense[1], None, len(names)
    return integer_codes(names, table, src)[0], integer_codes(names, table, dst)[0], names, len(names)


def _check_count(count: int) -> None:
    if count > MAX_VERTICES:
        raise GraphError(f"{count:,} vertices; at most {MAX_VERTICES:,} are supported")


def _all_found(found: Array, items: Any, what: str) -> Array:
    lost = found == NONE
    if lost.any():
        row = int(np.argmax(lost))
        raise _unknown(items[row], row, what)
    return found


def _unknown(value: Any, row: int, what: str) -> GraphError:
    value = value.item() if isinstance(value, np.generic) else value
    return GraphError(
        f"{what}, row {row}: no vertex has the id {value!r}",
        hint="Graph.ids lists them (None: 0..n-1); vertices without edges need num_vertices= or vertices=",
    )


def _kind(values: Values) -> str:
    if values.arrow is not None:
        return "text"
    if values.array.dtype.kind in "Mm":
        return "times"
    first = next((item for item in values.array.tolist() if item is not None), None)
    return f"values like {first!r} ({type(first).__name__})"
