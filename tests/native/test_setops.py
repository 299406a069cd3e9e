"""The set operations of every target against NumPy: random lists, awkward sizes, unaligned starts, extreme values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.property.engines import SETOPS

from subiso import _native

List = NDArray[np.uint32]
SIZES = [*range(20), 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65, 70]


def check(name: str, a: List, b: List) -> None:
    where = f"a = {a.tolist()}\nb = {b.tolist()}"
    both = np.intersect1d(a, b)
    assert np.array_equal(_native.intersect(name, a, b), both), where
    assert _native.intersect_count(name, a, b) == len(both), where
    assert np.array_equal(_native.subtract(name, a, b), np.setdiff1d(a, b)), where


def pick(rng: np.random.Generator, size: int, below: int, shift: int = 0) -> List:
    """A sorted list that starts `shift` elements into its memory, so that vectors load unaligned."""
    room = np.zeros(size + shift, np.uint32)
    room[shift:] = np.sort(rng.choice(below, size, replace=False))
    return room[shift:]


@pytest.mark.parametrize("name", SETOPS)
@pytest.mark.parametrize("spread", [1, 3, 40])
def test_all_small_sizes(name: str, spread: int) -> None:
    rng = np.random.default_rng(spread)
    for size_a in SIZES:
        for size_b in SIZES:
            below = max(size_a, size_b, 1) * spread
            shift_a, shift_b = rng.integers(0, 8, 2)
            check(name, pick(rng, size_a, below, shift_a), pick(rng, size_b, below, shift_b))


@pytest.mark.parametrize("name", SETOPS)
@pytest.mark.parametrize(
    "sizes", [(3, 1000), (1000, 3), (40, 961), (40, 960), (40, 959), (5000, 5000), (1, 10_000)]
)
def test_merging_and_galloping(name: str, sizes: tuple[int, int]) -> None:
    """On both sides of the ratio of lengths at which lists are searched instead of merged."""
    rng = np.random.default_rng(sum(sizes))
    for below in (max(sizes), 4 * max(sizes), 2**31):
        check(name, pick(rng, sizes[0], below, 1), pick(rng, sizes[1], below, 3))


@pytest.mark.parametrize("name", SETOPS)
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 16, 17, 64])
def test_shapes_that_step_in_odd_ways(name: str, size: int) -> None:
    ascending = np.arange(size, dtype=np.uint32)
    top = np.uint32(2**32 - 1)
    for a in (ascending, ascending * 2, ascending + np.uint32(8), top - ascending[::-1]):
        for b in (
            ascending,
            ascending * 2 + np.uint32(1),
            ascending * 9,
            top - ascending[::-1],
            top - ascending[::-1] * 3,
        ):
            check(name, np.ascontiguousarray(a), np.ascontiguousarray(b))
            check(name, np.ascontiguousarray(a), np.ascontiguousarray(b[::2]))


lists = st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 100), max_size=80, unique=True).map(
    lambda values: np.array(sorted(values), np.uint32)
)


@pytest.mark.parametrize("name", SETOPS)
@given(a=lists, b=lists)
def test_any_lists(name: str, a: List, b: List) -> None:
    check(name, a, b)


def test_scalar_always_runs_and_the_default_is_one_of_them() -> None:
    assert "scalar" in SETOPS
    assert _native.setops_name() in SETOPS


def test_unknown_target() -> None:
    with pytest.raises(ValueError, match="no set operations named 'sse9'"):
        _native.setops_name("sse9")
