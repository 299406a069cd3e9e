"""Distinct values as sorted names and dense codes: under both vertex ids and labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from subiso.graph.adjacency import native
from subiso.graph.arrays import Array

NONE = np.uint32(0xFFFFFFFF)
_EMPTY = np.empty(0, np.int64)


def wide(array: Array) -> Array:
    """The integers as one of the types the native code takes, contiguous."""
    if array.dtype in (np.int32, np.uint32, np.int64, np.uint64):
        return np.ascontiguousarray(array)
    return array.astype(np.int32)


def distinct_integers(a: Array, b: Array | None = None) -> tuple[Array, Array | None]:
    """The sorted distinct values of two arrays of one type; if the range is small, a table of codes."""
    a = wide(a)
    b = np.empty(0, a.dtype) if b is None else wide(b)
    filled = [array for array in (a, b) if len(array)]
    if not filled:
        return _EMPTY, None
    low, high = min(int(each.min()) for each in filled), max(int(each.max()) for each in filled)
    if high - low < max(4 * (len(a) + len(b)), 1 << 16):
        marks = np.zeros(high - low + 1, np.uint8)
        for each in filled:
            native.graph_mark(each, low, marks, 0)
        there = marks.view(bool)
        table = np.cumsum(there, dtype=np.uint32)
        table -= np.uint32(1)
        table[~there] = NONE
        names = np.flatnonzero(there)
        return (names + low if high < 2**63 else names.astype(np.uint64) + np.uint64(low)), table
    kind = np.uint64 if high >= 2**63 else np.int64
    found: Array = native.graph_distinct(a.astype(kind, copy=False), b.astype(kind, copy=False), 0)
    found.sort()
    return found, None


def integer_codes(names: Array, table: Array | None, values: Array) -> tuple[Array, int]:
    """The code of every value, and the first row whose value has none (-1: all have)."""
    if table is None:
        codes, bad = native.graph_number_by(names, values.astype(names.dtype, copy=False), 0)
    else:
        values = wide(values)
        codes, bad = native.graph_look_up(values, int(names[0]), table, 0)
    return codes, int(bad)


def encode_integers(values: Array, missing: Array | None = None) -> tuple[Array, Array]:
    """Sorted distinct values and the code of each row, NONE where one is missing.

    >>> names, codes = encode_integers(np.array([7, 5, 7]))
    >>> names.tolist(), codes.tolist()
    ([5, 7], [1, 0, 1])
    """
    known = values if missing is None else values[~missing]
    names, table = distinct_integers(known)
    if not len(known):
        return names, np.full(len(values), NONE, np.uint32)
    codes, _ = integer_codes(names, table, known)
    if missing is None:
        return names, codes
    spread = np.full(len(values), NONE, np.uint32)
    spread[~missing] = codes
    return names, spread


def sorted_names(names: list[Any]) -> list[Any]:
    """Sorted by value; values of different types that do not compare stand by type, or as they came."""
    for key in (None, lambda name: (type(name).__name__, name)):
        try:
            return sorted(names, key=key)
        except TypeError:
            continue
    return names


def encode_objects(items: list[Any]) -> tuple[list[Any], Array]:
    """Sorted distinct objects and the code of each row, NONE where the object is None.

    >>> names, codes = encode_objects(["b", None, "a", "b"])
    >>> names, codes[[0, 2, 3]].tolist()
    (['a', 'b'], [1, 0, 1])
    """
    distinct = dict.fromkeys(items)
    distinct.pop(None, None)
    names = sorted_names(list(distinct))
    code_of = {name: code for code, name in enumerate(names)}
    code_of[None] = int(NONE)
    return names, np.fromiter(map(code_of.__getitem__, items), np.uint32, len(items))


def encode_arrow_text(values: Any) -> tuple[list[str], Array]:
    """The same for a PyArrow array of strings, without making a Python object of every row."""
    encoded = values.dictionary_encode()
    names: list[str] = encoded.dictionary.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    new_code = np.empty(len(names) + 1, np.uint32)
    new_code[order] = np.arange(len(names), dtype=np.uint32)
    new_code[len(names)] = NONE
    indices = encoded.indices.fill_null(len(names)) if encoded.indices.null_count else encoded.indices
    return [names[i] for i in order], new_code[indices.to_numpy(zero_copy_only=False)]
