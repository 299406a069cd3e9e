"""Checks of the generators' arguments, with errors that name the argument, and their random draws."""

from __future__ import annotations

import operator
import os
import re
from typing import SupportsIndex

import numpy as np

from subiso.errors import GraphError
from subiso.graph.adjacency import native
from subiso.graph.arrays import Array

MAX_VERTICES = 2**32 - 2
MAX_EDGES = 2**40  # far beyond any memory; keeps the arithmetic below inside 64 bits


def whole(name: str, value: SupportsIndex, low: int, high: int | None = None) -> int:
    """`value` as an int between `low` and `high`.

    >>> whole("n", 0, 1)
    Traceback (most recent call last):
    subiso.errors.GraphError: n must be a whole number of at least 1, not 0
    """
    expected = f"at least {low}" if high is None else f"{low} to {high}"
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)):
        raise GraphError(f"{name} must be a whole number of {expected}, not {value!r}")
    if number < low or (high is not None and number > high):
        raise GraphError(f"{name} must be a whole number of {expected}, not {number}")
    return number


def vertices(name: str, value: SupportsIndex, low: int = 0) -> int:
    """A number of vertices that a graph can have."""
    return whole(name, value, low, MAX_VERTICES)


def number(name: str, value: float, most: int) -> float:
    """`value` as a float between 0 and `most`.

    >>> number("p", 1.5, 1)
    Traceback (most recent call last):
    subiso.errors.GraphError: p must be a number between 0 and 1, not 1.5
    """
    try:
        found = -1.0 if isinstance(value, (bool, np.bool_)) else float(value)
    except (TypeError, ValueError):
        found = -1.0
    if not 0.0 <= found <= most:
        raise GraphError(f"{name} must be a number between 0 and {most}, not {value!r}")
    return found


def probability(name: str, value: float) -> float:
    """`value` as a float between 0 and 1."""
    return number(name, value, 1)


def joined(word: str) -> str:
    """A word without the signs that may join its parts.

    >>> joined("power-law"), joined("power_law"), joined("power law")
    ('powerlaw', 'powerlaw', 'powerlaw')
    """
    return re.sub("[-_ ]", "", str(word))


def seed_of(value: SupportsIndex) -> int:
    """A seed: any whole number of 64 bits."""
    return whole("seed", value, 0, 2**64 - 1)


def threads_of(value: SupportsIndex | None) -> int:
    """A number of threads; None is all the cores this process may use."""
    if value is not None:
        return whole("threads", value, 1, 4096)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def binomial(trials: int, p: float, bits: int) -> int:
    """The number of successes in `trials` tries of probability `p`, chosen by 64 random `bits`.

    By inversion: weights are built outwards from the most likely value with the ratio of neighbours, using
    nothing but the four operations, so that every platform finds the same number.

    >>> binomial(100, 0.25, 2**63), binomial(100, 0.25, 0), binomial(100, 1.0, 5)
    (25, 0, 100)
    """
    if p in (0.0, 1.0) or trials == 0:
        return trials if p == 1.0 else 0
    mode = min(int((trials + 1) * p), trials)
    if mode > MAX_EDGES:
        raise GraphError(f"about {mode:.3g} edges were asked for", hint="lower p or n")
    reach = int(12 * (trials * p * (1 - p)) ** 0.5) + 64  # beyond it, less than 2**-64 in all
    up = np.arange(mode + 1, min(mode + reach, trials) + 1, dtype=np.float64)
    down = np.arange(mode - 1, max(mode - reach, 0) - 1, -1, dtype=np.float64)
    above = np.cumprod((trials - up + 1) / up * (p / (1 - p)))
    below = np.cumprod((down + 1) / (trials - down) * ((1 - p) / p))
    total = np.cumsum(np.concatenate([below[::-1], [1.0], above]))
    chosen = int(np.searchsorted(total, bits / 2**64 * total[-1], side="right"))
    return mode - len(down) + min(chosen, len(total) - 1)


def random_bits(count: int, seed: int, stream: int, threads: int = 1) -> Array:
    """`count` draws of 64 bits: the beginning of one of the seed's streams."""
    bits: Array = native.generate_bits(count, seed, stream, threads)
    return bits


def uniform(count: int, seed: int, stream: int, threads: int = 1) -> Array:
    """`count` floats in [0, 1), from the upper 53 of 64 bits each."""
    upper: Array = random_bits(count, seed, stream, threads) >> np.uint64(11)
    return upper * 2.0**-53


def integers(count: int, span: range, seed: int, stream: int, threads: int = 1) -> Array:
    """`count` int64 out of `span`, a range with step 1; the bias is at most len(span) / 2**64."""
    offset: Array = random_bits(count, seed, stream, threads) % np.uint64(len(span))
    return span.start + offset.astype(np.int64)
