"""The random numbers behind the generators, against a second implementation of their description."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subiso import _native
from subiso.graph.generators.arguments import binomial, uniform

WORD = 2**64
GAMMA = 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % WORD
    return x ^ (x >> 31)


def draw(seed: int, stream: int, i: int) -> int:
    key = mix(mix((seed + GAMMA) % WORD) ^ mix(WORD - 1 - stream))
    return mix((key + (i + 1) * GAMMA) % WORD)


@given(seed=st.integers(0, WORD - 1), stream=st.integers(0, WORD - 1))
def test_draws_follow_their_description(seed: int, stream: int) -> None:
    assert _native.generate_bits(5, seed, stream, 1).tolist() == [draw(seed, stream, i) for i in range(5)]


def test_more_draws_begin_with_the_same_ones() -> None:
    assert (_native.generate_bits(300_000, 7, 1, 3)[:100] == _native.generate_bits(100, 7, 1, 1)).all()


def test_draws_look_uniform() -> None:
    u = uniform(1_000_000, 3, 5)
    cells = np.histogram(u, bins=100, range=(0, 1))[0]
    assert ((cells - 10_000) ** 2 / 10_000).sum() < 99 + 5 * np.sqrt(2 * 99)
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < 0.005
    assert abs(np.corrcoef(u, uniform(1_000_000, 3, 6))[0, 1]) < 0.005  # another stream
    assert abs(np.corrcoef(u, uniform(1_000_000, 4, 5))[0, 1]) < 0.005  # another seed


@pytest.mark.parametrize("size", [1, 2, 3, 10, 2**16, 2**16 + 1, 100_003, 2**17])
def test_a_sample_of_everything_is_a_permutation(size: int) -> None:
    for seed in (0, 1):
        assert (np.sort(_native.generate_sample(size, size, seed, 0, 2)) == np.arange(size)).all()


def test_a_large_sample_is_spread_evenly() -> None:
    size, count = 10**15, 100_000
    sample = _native.generate_sample(size, count, 1, 0, 2)
    assert len(np.unique(sample)) == count
    cells = np.histogram(sample.astype(np.float64), bins=50, range=(0, size))[0]
    assert ((cells - 2000) ** 2 / 2000).sum() < 49 + 5 * np.sqrt(2 * 49)


def test_small_permutations_are_all_equally_likely() -> None:
    orders = [tuple(_native.generate_sample(4, 4, seed, 0, 1).tolist()) for seed in range(24_000)]
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert ((counts - 1000) ** 2 / 1000).sum() < 23 + 5 * np.sqrt(2 * 23)


def test_too_large_a_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="more numbers asked for than there are"):
        _native.generate_sample(3, 4, 0, 0, 1)


@pytest.mark.parametrize(("trials", "p"), [(10, 0.3), (1000, 0.01), (10**6, 0.5), (10**12, 1e-9)])
def test_binomial_has_the_right_mean_and_variance(trials: int, p: float) -> None:
    bits = _native.generate_bits(4000, 11, 0, 1)
    drawn = np.array([binomial(trials, p, int(b)) for b in bits], float)
    variance = trials * p * (1 - p)
    assert abs(drawn.mean() - trials * p) < 5 * np.sqrt(variance / len(drawn))
    assert 0.85 < drawn.var() / variance < 1.15


@given(trials=st.integers(0, 40), p=st.floats(0, 1), bits=st.integers(0, WORD - 1))
def test_binomial_stays_in_range(trials: int, p: float, bits: int) -> None:
    assert 0 <= binomial(trials, p, bits) <= trials


def test_binomial_by_exact_probabilities() -> None:
    from math import comb

    bounds = np.cumsum([comb(6, k) * 0.3**k * 0.7 ** (6 - k) for k in range(7)])
    for u in np.linspace(0.001, 0.999, 400):
        assert binomial(6, 0.3, int(u * WORD)) == np.searchsorted(bounds, u, side="right")
