"""Labels and columns: from every kind of input, none, one or several per vertex."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subiso.errors import GraphError
from subiso.graph import NONE, EdgeLabels, Graph, VertexLabels
from subiso.graph.labels import make_edge_labels, make_vertex_labels


def labels_of(labels: VertexLabels | None) -> list[set[Any]]:
    assert labels is not None
    return [set(labels.of(vertex)) for vertex in range(len(labels))]


NAMES = st.one_of(st.none(), st.sampled_from(["", "a", "b", "Äpfel"]))
NUMBERS = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(0, 3))


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.lists(NAMES), st.lists(NUMBERS)), st.sampled_from(["list", "objects", "arrow", "polars"]))
def test_one_label_each(items: list[Any], kind: str) -> None:
    given_as: Any = items
    if kind == "objects":
        given_as = np.array(items, object)
    elif kind == "arrow":
        given_as = pa.array(items)
    elif kind == "polars":
        given_as = pl.Series(items, dtype=None if any(i is not None for i in items) else pl.Int64)
    labels = make_vertex_labels(given_as, len(items))
    assert labels_of(labels) == [set() if item is None else {item} for item in items]
    assert labels is not None
    assert labels.names == tuple(sorted({item for item in items if item is not None}))
    assert labels.offsets is None
    assert labels.codes.dtype == np.uint32
    for name in labels.names:
        assert labels.mask(name).tolist() == [item == name for item in items]
    assert labels.counts().tolist() == [items.count(name) for name in labels.names]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 4), st.lists(st.integers(0, 4)), st.sets(st.integers(0, 4))))
)
def test_several_labels(items: list[Any]) -> None:
    labels = make_vertex_labels(items, len(items))
    sets = [set() if i is None else {i} if isinstance(i, int) else set(i) for i in items]
    assert labels_of(labels) == sets
    assert labels is not None
    assert (labels.offsets is None) == all(len(each) < 2 for each in sets)
    for name in range(6):
        assert labels.mask(name).tolist() == [name in each for each in sets]
    if labels.offsets is not None:
        assert labels.offsets.dtype == np.int64
        for a, b in zip(labels.offsets[:-1], labels.offsets[1:], strict=True):
            assert np.all(np.diff(labels.codes[a:b].astype(int)) > 0)


def test_lists_from_arrow_and_polars() -> None:
    items = [["a", "b"], [], None, ["b"]]
    for given_as in (
        pa.array(items),
        pl.Series(items),
        pd.Series(items),
        np.array([*items, "c"], object)[:4],
    ):
        assert labels_of(make_vertex_labels(given_as, 4)) == [{"a", "b"}, set(), set(), {"b"}]


def test_what_becomes_of_types() -> None:
    assert make_vertex_labels(["a", 3, None], 3).names == ("3", "a")  # type: ignore[union-attr]
    assert make_vertex_labels(np.array([2.0, np.nan, 1.0]), 3).names == (1, 2)  # type: ignore[union-attr]
    assert make_vertex_labels([True, False], 2).names == (0, 1)  # type: ignore[union-attr]
    assert make_vertex_labels(pd.Series(["x", None, "y"], dtype="category"), 3).names == ("x", "y")  # type: ignore[union-attr]
    assert make_vertex_labels(pd.Series([1, None, 4], dtype="Int64"), 3).names == (1, 4)  # type: ignore[union-attr]
    assert make_vertex_labels(np.array(["b", "a"]), 2).names == ("a", "b")  # type: ignore[union-attr]
    big = make_vertex_labels([2**63 - 1, None, 5], 3)
    assert big is not None
    assert big.names == (5, 2**63 - 1)


def test_code_of_looks_at_the_value_then_at_its_text() -> None:
    numbers = make_edge_labels([3, 30], 2)
    assert numbers is not None
    assert (numbers.code_of(3), numbers.code_of("30"), numbers.code_of("x")) == (0, 1, None)
    texts = VertexLabels(("3", "x"), np.zeros(1, np.uint32))
    assert (texts.code_of(3), texts.code_of("x"), texts.code_of(4)) == (0, 1, None)


def test_labels_by_id() -> None:
    graph = Graph.from_edges(["a", "b"], ["b", "c"], vertex_labels={"c": ["x", "y"], "a": "x"})
    assert labels_of(graph.vertex_labels) == [{"x"}, set(), {"x", "y"}]
    with pytest.raises(GraphError, match="vertex_labels, row 1: no vertex has the id 'z'"):
        Graph.from_edges(["a", "b"], ["b", "c"], vertex_labels={"c": "x", "z": "x"})
    dense = Graph.from_edges([0], [1], num_vertices=3, vertex_labels={2: 7})
    assert labels_of(dense.vertex_labels) == [set(), set(), {7}]


def test_edge_labels_follow_their_edges() -> None:
    graph = Graph.from_edges([2, 0, 1], [1, 1, 2], num_vertices=3, edge_labels=["x", None, "y"])
    assert graph.edge_labels is not None
    assert graph.edge_labels.codes.tolist() == [NONE, 0, 1]
    assert graph.edge_rows is not None
    assert graph.edge_rows.tolist() == [1, 0, 2]
    same = Graph.from_edges([2, 0], [1, 1], edge_labels=EdgeLabels(("p", "q"), np.array([1, 0], np.uint32)))
    assert same.edge_labels is not None
    assert (same.edge_labels.names, same.edge_labels.codes.tolist()) == (("p", "q"), [0, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vertex_labels": ["a"]}, r"vertex_labels has 1 entries for 2 vertices(.|\n)*num_vertices="),
        ({"edge_labels": ["a", "b"]}, "edge_labels has 2 entries for 1 edges"),
        ({"vertex_labels": [1.5, 2]}, "vertex_labels, row 0: 1.5 has a fraction"),
        ({"vertex_labels": ["a", 1.5]}, r"vertex_labels, row 1: 1.5 is a float(.|\n)*integers or strings"),
        ({"vertex_labels": [b"a", "b"]}, "vertex_labels, row 0: b'a' is a bytes"),
        ({"edge_labels": [("a", "b")]}, "edge_labels, row 0: .* is a tuple"),
        ({"vertex_labels": np.zeros((2, 2))}, "vertex_labels has 2 dimensions"),
        ({"vertex_columns": {"x": [1]}}, "vertex column 'x' has 1 values for 2 rows"),
        ({"vertex_columns": {"x": [1, "a"]}}, "vertex column 'x', row 1: 'a' is no number"),
        ({"vertex_columns": {"x": pa.array(["a", "b"])}}, "vertex column 'x', row 0: 'a' is no number"),
        (
            {"vertex_columns": {"x": pa.array([2**53 + 1, None])}},
            r"'x' has missing values or (.|\n)*drop the rows",
        ),
        ({"vertex_columns": {"x": [2**60, 0.5]}}, "'x' has missing values or fractions beside integers"),
        ({"vertex_columns": {"x": [-(2**63), None]}}, "'x' has missing values or fractions beside integers"),
        ({"vertex_columns": {"x": [True, 2]}}, r"'x' mixes true/false with numbers(.|\n)*make them all"),
        ({"vertex_columns": {"x": [2**64, 2]}}, r"'x' holds integers of more than 64 bits(.|\n)*pass floats"),
        ({"vertex_columns": {3: [1, 2]}}, "vertex_columns: 3 is no name"),
        ({"edge_columns": [1]}, "edge_columns is a list"),
    ],
)
def test_labels_and_columns_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edges([0], [1], **arguments)


@pytest.mark.parametrize(
    ("values", "known"),
    [
        ([1, None], 1),
        ([True, None], 1),
        (np.array([2, None], object), 2),
        (np.ma.masked_equal([3, 7], 7), 3),
        (pd.array([4, None], "Int8"), 4),
        (pd.array([True, None], "boolean"), 1),
        (pl.Series([5, None]), 5),
        (pa.array([False, None]), 0),
        (pa.array([None, None], pa.int64()), None),
        (np.array(["1970-01-07", "NaT"], "M8[D]"), 6),
    ],
)
def test_missing_numbers_are_nan(values: Any, known: int | None) -> None:
    column = Graph.from_edges([0], [1], vertex_columns={"x": values}).vertex_columns["x"]
    assert column.dtype == np.float64
    np.testing.assert_array_equal(column, [np.nan if known is None else known, np.nan])


def test_columns_of_every_kind() -> None:
    graph = Graph.from_edges(
        [1, 0],
        [2, 1],
        vertex_columns={
            "flag": [True, False, True],
            "small": np.array([1, 2, 3], np.int8),
            "day": pd.Series(pd.to_datetime(["1970-01-02"] * 3)).astype("datetime64[s]"),
            "single": np.array([1, 2, 3], np.float32),
            "gap": pa.array([1.5, None, 2.5]),
        },
        edge_columns={"time": pl.Series([9, 4])},
    )
    columns = graph.vertex_columns
    assert [columns[name].dtype.kind for name in columns] == ["b", "i", "i", "f", "f"]
    assert columns["small"].dtype == np.int8
    assert columns["single"].dtype == np.float32
    assert columns["day"].tolist() == [86400] * 3
    assert np.isnan(columns["gap"][1])
    assert graph.edge_columns["time"].tolist() == [4, 9]
