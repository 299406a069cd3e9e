"""Column comparisons: exact where NumPy would round, false for NaN; the scalar comparison is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subiso.engine.compare import compare_columns, compare_constant
from subiso.engine.reference_data import OPERATORS, compare

INTS = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1), st.integers(2**53 - 2, 2**53 + 2))
FLOATS = st.one_of(st.floats(width=64), st.sampled_from([0.5, 1.0, 2.0**53, 2.0**63, -(2.0**63)]))
CONSTANTS = st.one_of(INTS, FLOATS, st.integers(-(2**70), 2**70), st.just(10**400), st.booleans())


@pytest.mark.parametrize("op", OPERATORS)
@given(values=st.one_of(st.lists(INTS), st.lists(FLOATS), st.lists(st.booleans())), constant=CONSTANTS)
def test_constants(op: str, values: list[float], constant: float) -> None:
    kind = (
        bool
        if values and isinstance(values[0], bool)
        else np.int64
        if values and isinstance(values[0], int)
        else float
    )
    column = np.array(values, dtype=kind)
    assert compare_constant(column, op, constant).tolist() == [
        compare(v, op, constant) for v in column.tolist()
    ]


@pytest.mark.parametrize("op", OPERATORS)
@given(pairs=st.lists(st.tuples(INTS, FLOATS)))
def test_columns_of_integers_and_floats(op: str, pairs: list[tuple[int, float]]) -> None:
    ints = np.array([i for i, _ in pairs], dtype=np.int64)
    floats = np.array([f for _, f in pairs], dtype=np.float64)
    expected = [compare(i, op, f) for i, f in zip(ints.tolist(), floats.tolist(), strict=True)]
    assert compare_columns(ints, op, floats).tolist() == expected
    assert compare_columns(floats, op, floats).tolist() == [compare(f, op, f) for f in floats.tolist()]


def test_signed_and_unsigned() -> None:
    assert compare_columns(np.array([-1]), "<", np.array([2**64 - 1], dtype=np.uint64)).tolist() == [True]
