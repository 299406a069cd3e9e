"""A numeric column compared with a constant or another column, exactly; NaN is false. For filters."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def compare_constant(column: NDArray[Any], op: str, constant: float) -> Bools:
    """`column <op> constant` by element, as exact numbers: no rounding to a common type, NaN is always false.

    >>> compare_constant(np.array([2**53, 2**53 + 1]), "<", 2.0**53 + 0.0).tolist()
    [False, False]
    >>> compare_constant(np.array([1.0, np.nan]), "!=", 2).tolist()
    [True, False]
    """
    if isinstance(constant, float) and math.isnan(constant):
        return np.zeros(len(column), dtype=bool)
    if column.dtype.kind == "f":
        return np.asarray(_floats(column, op, constant) & ~np.isnan(column), dtype=bool)
    if column.dtype.kind == "b":
        column = column.astype(np.uint8)
    return _integers(column, op, constant)


def compare_columns(left: NDArray[Any], op: str, right: NDArray[Any]) -> Bools:
    """`left <op> right` by element, as exact numbers; NaN is always false.

    >>> compare_columns(np.array([2**53 + 1]), "==", np.array([2.0**53])).tolist()
    [False]
    """
    if left.dtype.kind == right.dtype.kind or {left.dtype.kind, right.dtype.kind} <= set("iub"):
        known = np.ones(len(left), dtype=bool)
        for side in (left, right):
            if side.dtype.kind == "f":
                known &= ~np.isnan(side)
        return np.asarray(_OPERATORS[op](left, right) & known, dtype=bool)
    # An integer beside a float: long double where it has 64 bits of mantissa, else Python's own numbers.
    if np.finfo(np.longdouble).nmant >= 63:
        return compare_columns(left.astype(np.longdouble), op, right.astype(np.longdouble))
    test = _OPERATORS[op]
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    return np.array([a == a and b == b and bool(test(a, b)) for a, b in pairs], dtype=bool)  # noqa: PLR0124


def _floats(column: NDArray[Any], op: str, constant: float) -> Bools:
    column = column.astype(np.float64, copy=False)
    try:
        near = float(constant)
    except OverflowError:  # an int beyond every float
        near = math.inf if constant > 0 else -math.inf
    if near == constant:
        return np.asarray(_OPERATORS[op](column, near), dtype=bool)
    # The constant lies strictly between two floats and `near` is one of them.
    return _between(column, op, near, near_is_below=near < constant)


def _integers(column: NDArray[Any], op: str, constant: float) -> Bools:
    if isinstance(constant, float):
        if math.isinf(constant):
            constant = 2**64 if constant > 0 else -(2**64)
        elif constant != int(constant):
            return _between(column, op, math.floor(constant), near_is_below=True)
        constant = int(constant)
    return np.asarray(_OPERATORS[op](column, int(constant)), dtype=bool)


def _between(column: NDArray[Any], op: str, near: float, *, near_is_below: bool) -> Bools:
    """The comparison with a constant that no element equals, next to the possible value `near`."""
    if op in ("==", "!="):
        return np.full(len(column), op == "!=", dtype=bool)
    below = column <= near if near_is_below else column < near
    return np.asarray(below if op in ("<", "<=") else ~below, dtype=bool)
