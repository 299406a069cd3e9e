"""Estimates: what `count(..., approx=...)` gives, the accuracy asked for, and intervals from block means."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from subiso.engine.base import StoppedBy
from subiso.errors import QueryError


@dataclass(frozen=True)
class Estimate:
    """A count, exact or estimated, and an interval that covers the exact count with the given confidence.

    >>> print(Estimate(1.234e9, low=1.223e9, high=1.245e9, error=0.009, samples=40960))
    1.23e+09 ± 0.9% (95%)
    >>> print(Estimate.of_count(7)), int(Estimate.of_count(7))
    7 (exact)
    (None, 7)
    """

    value: float | int
    """The estimate, unbiased; an int where it is exact."""
    low: float
    """The interval's lower end."""
    high: float
    """The interval's upper end."""
    error: float
    """Half the interval's width, relative to the value: the error reached."""
    samples: int = 0
    """Random walks that the estimate rests on."""
    seconds: float = 0.0
    """How long it took."""
    exact: bool = False
    """True when everything was counted: low and high are the value."""
    confidence: float = 0.95
    """How often, over the seeds, the interval covers the exact count."""
    seed: int = 0
    """What to pass as `seed` for the same estimate again."""
    stopped_by: StoppedBy | None = None
    """"timeout" when the error asked for was not reached in time."""

    @classmethod
    def of_count(cls, count: int, **further: float | int) -> Estimate:
        """An exact count as an estimate."""
        return cls(count, low=count, high=count, error=0.0, exact=True, **further)  # type: ignore[arg-type]

    @property
    def complete(self) -> bool:
        """True when the error asked for was reached."""
        return self.stopped_by is None

    def __int__(self) -> int:
        return round(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        if self.exact:
            return f"{self.value} (exact)"
        note = "" if self.complete else f", stopped by {self.stopped_by}"
        return f"{self.value:.3g} ± {100 * self.error:.2g}% ({100 * self.confidence:g}%{note})"


@dataclass(frozen=True)
class Accuracy:
    """What is asked of an estimate: a relative error with a confidence, and where the random numbers start."""

    error: float
    confidence: float
    seed: int


def make_accuracy(error: float, confidence: float | None = None, seed: int | None = None) -> Accuracy:
    """An accuracy with checked values; without a confidence, 0.95, and without a seed, a random one.

    >>> make_accuracy(0.01, seed=7)
    Accuracy(error=0.01, confidence=0.95, seed=7)
    >>> make_accuracy(1)
    Traceback (most recent call last):
    subiso.errors.QueryError: approx is 1; it must be a relative error between 0 and 1, such as 0.01
    """
    if not _is_number(error) or not 0 < error < 1:
        raise QueryError(f"approx is {error!r}; it must be a relative error between 0 and 1, such as 0.01")
    confidence = 0.95 if confidence is None else confidence
    if not _is_number(confidence) or not 0 < confidence < 1:
        raise QueryError(f"confidence is {confidence!r}; it must be between 0 and 1, such as 0.95")
    if seed is None:
        seed = secrets.randbits(63)
    elif isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise QueryError(f"seed is {seed!r}; it must be a whole number from 0, below 2**64, or None")
    return Accuracy(float(error), float(confidence), int(seed))


def half_width(means: NDArray[np.float64], confidence: float) -> float:
    """Half the width of Student's interval around the mean of independent block means.

    >>> round(half_width(np.array([1.0, 2.0, 3.0, 4.0] * 5), 0.95), 4)
    0.5368
    """
    n = len(means)
    if n < 2:
        return math.inf
    return student_quantile((1 + confidence) / 2, n - 1) * float(means.std(ddof=1)) / math.sqrt(n)


def student_quantile(p: float, freedom: int) -> float:
    """Student's t: the quantile p, by its expansion around the normal one (good from ten degrees of freedom).

    >>> [round(student_quantile(0.975, n), 3) for n in (10, 30, 1000)]
    [2.228, 2.042, 1.962]
    """
    z, n = NormalDist().inv_cdf(p), float(freedom)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3


def skewness(means: NDArray[np.float64]) -> float:
    """How lopsided the block means are: 0 for symmetric ones.

    >>> round(skewness(np.array([0.0] * 9 + [1.0])), 3)
    2.667
    """
    spread = float(means.std())
    return 0.0 if spread == 0 else float(((means - means.mean()) ** 3).mean()) / spread**3


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating) and not isinstance(value, bool)
