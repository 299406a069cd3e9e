"""Ids of any kind: numbered in sorted order, found again, and refused by row when they cannot be ids."""

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
from subiso.graph import Graph

SPARSE = st.integers(-(2**63), 2**63 - 1)
NEAR = st.integers(-3, 12)
TEXT = st.text(max_size=3)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(*(st.lists(st.tuples(kind, kind), max_size=30) for kind in (NEAR, SPARSE, TEXT))), st.booleans()
)
def test_any_ids(rows: list[Any], as_arrow: bool) -> None:
    src: Any = [u for u, _ in rows]
    dst: Any = [v for _, v in rows]
    if as_arrow and rows:
        src, dst = pa.array(src), pa.chunked_array([dst[:1], dst[1:]])
    graph = Graph.from_edges(src, dst, directed=True, loops="keep")
    names = sorted({name for row in rows for name in row})
    n = len(names)
    assert graph.num_vertices == n
    if names == list(range(n)):
        assert graph.ids is None
    else:
        assert graph.ids is not None
        assert graph.ids.tolist() == names
        assert graph.ids.dtype == (object if isinstance(names[0], str) else np.int64)
    a, b = graph.edge_endpoints()
    back = list(zip(graph.ids_of(a).tolist(), graph.ids_of(b).tolist(), strict=True))
    assert back == sorted(set(rows))
    assert graph.index_of(names).tolist() == list(range(n))
    assert graph.index_of(names).dtype == np.uint32


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int32", "uint32", "int64", "uint64", ">i8", "float32", "float64"]
)
def test_every_kind_of_number(dtype: str) -> None:
    src, dst = np.array([3, 1, 100], dtype), np.array([1, 100, 7], dtype)
    graph = Graph.from_edges(src, dst)
    assert graph.ids is not None
    assert (graph.ids.tolist(), graph.ids.dtype) == ([1, 3, 7, 100], np.int64)
    assert Graph.from_edges(src, dst, num_vertices=101).neighbors(1).tolist() == [3, 100]


def test_columns_of_different_types() -> None:
    mixed = Graph.from_edges(np.array([1, 300], np.int16), np.array([2**40, 1], np.uint64))
    assert mixed.ids is not None
    assert mixed.ids.tolist() == [1, 300, 2**40]
    huge = Graph.from_edges(np.array([2**64 - 1], np.uint64), np.array([5], np.int32))
    assert huge.ids is not None
    assert (huge.ids.tolist(), huge.ids.dtype) == ([5, 2**64 - 1], np.uint64)
    assert huge.index_of([2**64 - 1]).tolist() == [1]
    with pytest.raises(GraphError, match="no vertex has the id -1"):
        huge.index_of([-1])
    with pytest.raises(GraphError, match="no vertex has the id 18446744073709551615"):
        mixed.index_of([2**64 - 1])
    assert mixed.index_of(np.array([300], np.uint64)).tolist() == [1]
    both = Graph.from_edges(np.array([2**64 - 1], np.uint64), np.array([-5], np.int32))
    assert both.ids is not None
    assert both.ids.tolist() == [-5, 2**64 - 1]
    texts = Graph.from_edges(["u1", "u2"], [7, 9])
    assert texts.ids is not None
    assert texts.ids.tolist() == [7, 9, "u1", "u2"]
    assert texts.index_of(["u1", 9]).tolist() == [2, 1]


def test_other_hashable_ids() -> None:
    tuples = Graph.from_edges([(0, 1), (1, 1)], [(1, 1), (2, 0)])
    assert tuples.ids is not None
    assert tuples.ids.tolist() == [(0, 1), (1, 1), (2, 0)]
    days = Graph.from_edges(*np.array([["2024-01-02"], ["2024-01-01"]], "datetime64[D]"))
    assert days.ids is not None
    assert [str(day) for day in days.ids] == ["2024-01-01", "2024-01-02"]


@pytest.mark.parametrize(
    "kind", ["list", "numpy", "pandas", "category", "polars", "polars-category", "arrow", "view"]
)
def test_text_from_every_library(kind: str) -> None:
    makers: dict[str, Any] = {
        "list": list,
        "numpy": np.array,
        "pandas": pd.Series,
        "category": lambda items: pd.Series(items, dtype="category"),
        "polars": pl.Series,
        "polars-category": lambda items: pl.Series(items, dtype=pl.Categorical),
        "arrow": pa.array,
        "view": lambda items: pa.array(items, pa.string_view()),
    }
    make = makers[kind]
    graph = Graph.from_edges(make(["bob", "ann"]), make(["cid", "bob"]))
    assert graph.ids is not None
    assert graph.ids.tolist() == ["ann", "bob", "cid"]
    assert [end.tolist() for end in graph.edge_endpoints()] == [[0, 1], [1, 2]]
    assert graph.index_of(make(["cid"])).tolist() == [2]


def test_given_ids_name_dense_vertices() -> None:
    graph = Graph.from_edges([0, 2], [1, 1], ids=[30, 10, 20, 40])
    assert graph.num_vertices == 4
    assert graph.index_of([10, 20, 30, 40]).tolist() == [1, 2, 0, 3]
    assert graph.ids_of([3, 0]).tolist() == [40, 30]
    assert Graph.from_edges([0], [1], ids=range(3)).ids is None


def test_given_vertices_hold_the_ends() -> None:
    graph = Graph.from_edges(["b", "c"], ["a", "b"], vertices=["c", "b", "a", "lonely"])
    assert graph.num_vertices == 4
    assert [end.tolist() for end in graph.edge_endpoints()] == [[0, 1], [1, 2]]
    with pytest.raises(GraphError, match="dst, row 1: no vertex has the id 'x'"):
        Graph.from_edges(["b", "c"], ["a", "x"], vertices=["c", "b", "a"])
    assert Graph.from_edges([1], [0], vertices=[0, 1, 2]).ids is None


FAILURES: list[tuple[dict[str, Any], str]] = [
    ({"src": [0, 1], "dst": [1]}, "src has 2 rows and dst has 1"),
    ({"src": [0, 1.5], "dst": [1, 2]}, "src, row 1: 1.5 has a fraction"),
    ({"src": [0, 2.0**60], "dst": [1, 2]}, "src, row 1: .* too large for a float"),
    ({"src": [0, float("nan")], "dst": [1, 2]}, "src, row 1: the value is missing"),
    ({"src": [0, float("inf")], "dst": [1, 2]}, "src, row 1: inf"),
    ({"src": [0, 1], "dst": [1, None]}, "dst, row 1: the value is missing"),
    ({"src": ["a", "b"], "dst": ["b", None]}, "dst, row 1: the value is missing"),
    ({"src": pa.array(["a", "b"]), "dst": pa.array(["b", None])}, "dst, row 1: the value is missing"),
    ({"src": pa.array([1, 2]), "dst": pa.array([2, None])}, "dst, row 1: the value is missing"),
    (
        {"src": pd.Series([1, 2]), "dst": pd.Series([2, pd.NA], dtype="Int64")},
        "dst, row 1: the value is missing",
    ),
    ({"src": pl.Series([1, 2]), "dst": pl.Series([2, None])}, "dst, row 1: the value is missing"),
    ({"src": np.ma.masked_equal([1, 5], 5), "dst": [1, 2]}, "src, row 1: the value is missing"),
    ({"src": [True, False], "dst": [1, 2]}, "src holds booleans"),
    ({"src": [0, -1], "dst": [1, 2], "num_vertices": 3}, "src, row 1: vertex -1 is outside 0..2"),
    ({"src": [0, 1], "dst": [1, 3], "num_vertices": 3}, "dst, row 1: vertex 3 is outside 0..2"),
    ({"src": [0], "dst": [2**32], "num_vertices": 3}, "dst, row 0: vertex 4294967296 is outside"),
    (
        {"src": ["a"], "dst": ["b"], "num_vertices": 3},
        "src holds values like 'a' .str.; with num_vertices= or ids=",
    ),
    ({"src": [[0]], "dst": [1]}, "src, row 0: a list cannot name a vertex"),
    ({"src": np.zeros((2, 2)), "dst": [1]}, "src has 2 dimensions"),
    ({"src": "ab", "dst": [1]}, "src is one piece of text"),
    ({"src": 5, "dst": [1]}, "src is a int, not an array"),
    ({"src": np.zeros(1, complex), "dst": [1]}, "src has dtype complex128"),
    ({"src": [0], "dst": [1], "num_vertices": 2**32}, "num_vertices=4294967296(.|\n)*whole number"),
    ({"src": [0], "dst": [1], "num_vertices": 2.0}, "num_vertices=2.0"),
    ({"src": np.array([2**25], np.float32), "dst": [1]}, "src, row 0: .* too large for a float"),
    ({"src": [0], "dst": [1], "num_vertices": -1}, "num_vertices=-1"),
    ({"src": [0], "dst": [1], "ids": ["a", "b", "a"]}, "ids: 'a' names both vertex 0 and vertex 2"),
    ({"src": [0], "dst": [1], "ids": [7, 8, 7]}, "ids: 7 names both vertex 0 and vertex 2"),
    ({"src": [0], "dst": [1], "ids": ["a"], "num_vertices": 2}, "ids has 1 entries for 2 vertices"),
    ({"src": [0], "dst": [1], "ids": ["a", None]}, "ids, row 1: the value is missing"),
    ({"src": [0], "dst": [1], "ids": ["a"], "vertices": ["a"]}, "ids= and vertices= together"),
    ({"src": [0], "dst": [1], "loops": "merge"}, "loops='merge'"),
    ({"src": [0], "dst": [1], "parallel": "drop"}, "parallel='drop'"),
]


@pytest.mark.parametrize(("arguments", "message"), FAILURES, ids=[message for _, message in FAILURES])
def test_bad_ends_are_refused_by_row(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(**arguments)


def test_unknown_ids() -> None:
    for graph, ids, message in [
        (Graph.from_edges([0], [1]), [0, 9], "ids, row 1: no vertex has the id 9"),
        (Graph.from_edges([0], [1]), [-1], "no vertex has the id -1"),
        (Graph.from_edges([0], [1]), ["x"], "the vertices' ids are the integers 0..1"),
        (Graph.from_edges([5], [8]), [8, 7], "ids, row 1: no vertex has the id 7"),
        (Graph.from_edges([5], [8]), ["x"], "the vertices' ids are integers"),
        (Graph.from_edges(["p"], ["q"]), ["q", "x"], "ids, row 1: no vertex has the id 'x'"),
    ]:
        with pytest.raises(GraphError, match=message):
            graph.index_of(ids)
    with pytest.raises(GraphError, match="no vertex has the id 2"):
        Graph.from_edges([0], [1]).ids_of([2])


def test_many_sparse_ids() -> None:
    rng = np.random.default_rng(2)
    names = np.concatenate([np.unique(rng.integers(-(2**62), 2**62, 50_000)), [0]])
    ends = names[rng.integers(0, len(names), (2, 400_000))]
    graph = Graph.from_edges(*ends, directed=True, parallel="keep", loops="keep", keep_rows=True)
    assert graph.ids is not None
    assert np.array_equal(graph.ids, np.unique(ends))
    src, dst = graph.edge_endpoints()
    assert np.array_equal(graph.ids[src], ends[0][graph.edge_rows])
    assert np.array_equal(graph.ids[dst], ends[1][graph.edge_rows])
