"""Weights that fall with a power of the rank: the same numbers on every machine, for any exponent."""

from __future__ import annotations

import math

import numpy as np

from subiso.graph.arrays import Array

_TERMS = 14  # of both series: what is left out is below the rounding
_LN_2 = 0.6931471805599453


def falling(count: int, alpha: float) -> Array:
    """r**-alpha for the ranks r = 1 to `count`, to about 13 digits.

    Libraries round powers and logarithms differently from platform to platform, the four operations and square roots
    never: these are all that is used here.

    >>> falling(4, 1.5).round(6).tolist()
    [1.0, 0.353553, 0.19245, 0.125]
    """
    ranks = np.arange(1, count + 1, dtype=np.float64)
    if alpha == 0.0:
        return np.ones(count)
    if alpha == 1.0:
        return 1.0 / ranks
    if alpha == 2.5:
        return 1.0 / (ranks * ranks * np.sqrt(ranks))
    return _power_of_two(-alpha * _binary_logarithm(ranks))


def _binary_logarithm(x: Array) -> Array:
    """From x = m * 2**e and ln m = 2 artanh((m - 1) / (m + 1)), where m is near 1."""
    mantissa, exponent = np.frexp(x)
    low = mantissa < math.sqrt(0.5)
    mantissa, exponent = np.where(low, 2 * mantissa, mantissa), exponent - low
    ratio = (mantissa - 1) / (mantissa + 1)
    square, series = ratio * ratio, np.zeros_like(x)
    for k in reversed(range(_TERMS)):
        series = series * square + 1 / (2 * k + 1)
    logarithm: Array = exponent + 2 * ratio * series / _LN_2
    return logarithm


def _power_of_two(x: Array) -> Array:
    """The whole part goes into the exponent, the rest through the exponential series."""
    whole = np.rint(x)
    rest, series = (x - whole) * _LN_2, np.zeros_like(x)
    for k in reversed(range(_TERMS)):
        series = series * rest / (k + 1) + 1
    power: Array = np.ldexp(series, whole.astype(np.int32))
    return power
