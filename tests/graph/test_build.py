"""Graph.from_edges against an obvious builder in Python, on random edge tables."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subiso.errors import GraphError
from subiso.graph import NONE, Graph

native: Any = importlib.import_module("subiso._native")


@dataclass
class Table:
    n: int
    src: list[int]
    dst: list[int]
    labels: list[int | None] | None
    directed: bool
    loops: str
    parallel: str


@st.composite
def tables(draw: Any) -> Table:
    n = draw(st.integers(1, 8))
    end = st.integers(0, n - 1)
    rows = draw(st.lists(st.tuples(end, end, st.sampled_from([None, 1, 2])), max_size=40))
    return Table(
        n,
        [row[0] for row in rows],
        [row[1] for row in rows],
        [row[2] for row in rows] if draw(st.booleans()) else None,
        draw(st.booleans()),
        draw(st.sampled_from(["drop", "keep"])),
        draw(st.sampled_from(["merge", "keep"])),
    )


def naive_edges(table: Table) -> tuple[list[tuple[int, int, int]], int, int]:
    """(source, target, row) by edge id; loops seen; duplicates seen."""
    seen: set[Any] = set()
    edges, loops, duplicates = [], 0, 0
    for row, (u, v) in enumerate(zip(table.src, table.dst, strict=True)):
        loops += u == v
        if u == v and table.loops == "drop":
            continue
        if not table.directed:
            u, v = min(u, v), max(u, v)  # noqa: PLW2901
        key = (u, v, table.labels[row] if table.labels else None)
        duplicates += key in seen
        if key in seen and table.parallel == "merge":
            continue
        seen.add(key)
        edges.append((u, v, row))
    return sorted(edges), loops, duplicates


def naive_lists(edges: list[tuple[int, int, int]], n: int, directed: bool) -> tuple[list[Any], list[Any]]:
    """For each vertex the sorted (neighbour, edge id), outwards and inwards."""
    out: list[Any] = [[] for _ in range(n)]
    into: list[Any] = [[] for _ in range(n)]
    for edge, (u, v, _) in enumerate(edges):
        out[u].append((v, edge))
        into[v].append((u, edge))
        if not directed and u != v:
            out[v].append((u, edge))
    return [sorted(each) for each in out], [sorted(each) for each in into]


def lists_of(adjacency: Any) -> list[Any]:
    pairs = list(zip(adjacency.neighbors.tolist(), adjacency.edge_ids.tolist(), strict=True))
    ends = adjacency.offsets.tolist()
    return [pairs[a:b] for a, b in pairwise(ends)]


@settings(max_examples=400, deadline=None)
@given(tables())
def test_equals_the_naive_builder(table: Table) -> None:
    edges, loops, duplicates = naive_edges(table)
    graph = Graph.from_edges(
        table.src,
        table.dst,
        num_vertices=table.n,
        directed=table.directed,
        edge_labels=table.labels,
        loops=table.loops,
        parallel=table.parallel,
        keep_rows=True,
    )
    assert (graph.num_vertices, graph.num_edges) == (table.n, len(edges))
    assert graph.edge_rows is not None
    assert graph.edge_rows.tolist() == [row for _, _, row in edges]
    src, dst = graph.edge_endpoints()
    assert list(zip(src.tolist(), dst.tolist(), strict=True)) == [(u, v) for u, v, _ in edges]
    out, into = naive_lists(edges, table.n, table.directed)
    assert lists_of(graph.out) == out
    assert lists_of(graph.in_) == (into if table.directed else out)
    assert graph.has_loops == any(u == v for u, v, _ in edges)
    assert graph.has_parallel == (len({(u, v) for u, v, _ in edges}) < len(edges))
    assert graph.report.loops_dropped == (loops if table.loops == "drop" else 0)
    assert graph.report.duplicates_merged == (duplicates if table.parallel == "merge" else 0)
    if table.labels:
        assert graph.edge_labels is not None
        names = [None if c == NONE else graph.edge_labels.names[c] for c in graph.edge_labels.codes]
        assert names == [table.labels[row] for _, _, row in edges]
    some = list(range(len(edges)))[::-2]
    src, dst = graph.edge_endpoints(np.array(some, np.int64))
    assert list(zip(src.tolist(), dst.tolist(), strict=True)) == [edges[e][:2] for e in some]


@settings(max_examples=200, deadline=None)
@given(tables(), st.integers(1, 5), st.booleans())
def test_threads_and_buckets_change_nothing(table: Table, threads: int, rows: bool) -> None:
    codes = None
    if table.labels:
        codes = np.array([NONE if label is None else label for label in table.labels], np.uint32)
    ends = [np.array(each, np.uint32) for each in (table.src, table.dst)]
    merge, keep = table.parallel == "merge", table.loops == "keep"
    options = (*ends, codes, table.n, table.directed, keep, merge, rows)
    simple = native.graph_build(*options, 1, 1 << 60)
    bucketed = native.graph_build(*options, threads, 0)
    assert simple.keys() == bucketed.keys()
    assert ("rows" in simple) == (rows or codes is not None)
    for key, value in simple.items():
        assert np.array_equal(value, bucketed[key]), key
    turned = [
        native.graph_transpose(simple["offsets"], simple["neighbors"], *how)
        for how in ((1, 1 << 60), (threads, 0))
    ]
    assert all(np.array_equal(a, b) for a, b in zip(*turned, strict=True))


def test_large_enough_for_buckets_and_threads() -> None:
    rng = np.random.default_rng(5)
    n, m = 3000, 1 << 20
    src, dst = rng.integers(0, n, (2, m))
    time = rng.random(m)
    graph = Graph.from_edges(
        src, dst, num_vertices=n, edge_columns={"time": time}, parallel="merge", loops="keep"
    )
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    key = low * n + high
    unique, first = np.unique(key, return_index=True)
    assert graph.edge_rows is not None
    assert np.array_equal(graph.edge_rows, first)
    assert np.array_equal(graph.edge_columns["time"], time[first])
    ends = graph.edge_endpoints()
    assert np.array_equal(ends[0].astype(np.int64) * n + ends[1], unique)
    assert graph.report.duplicates_merged == m - len(unique)
    again = Graph.from_csr(graph.out.offsets, graph.out.neighbors)
    assert again.num_edges == graph.num_edges


def test_a_sorted_table_needs_no_sorting_but_looks_the_same() -> None:
    src, dst = [0, 0, 1, 1, 3], [0, 2, 2, 2, 4]
    given_sorted = Graph.from_edges(src, dst, num_vertices=6, keep_rows=True)
    turned = Graph.from_edges(src[::-1], dst[::-1], num_vertices=6)
    assert given_sorted.equals(turned)
    assert given_sorted.edge_rows is not None
    assert given_sorted.edge_rows.tolist() == [1, 2, 4]
    assert given_sorted.report.lines() == ["dropped 1 self loop", "merged 1 duplicate edge"]


def test_many_parallel_edges_of_many_labels() -> None:
    labels = [row % 7 for row in range(100)]
    graph = Graph.from_edges([0] * 100, [1] * 100, num_vertices=2, edge_labels=labels)
    assert graph.edge_rows is not None
    assert graph.edge_rows.tolist() == list(range(7))
    assert graph.has_parallel
    assert graph.report.duplicates_merged == 93


def test_columns_and_duplicates_ask_for_a_choice() -> None:
    ends: dict[str, Any] = {"src": ["a", "b", "b"], "dst": ["b", "c", "a"], "edge_columns": {"w": [1, 2, 3]}}
    with pytest.raises(
        GraphError, match=r"row 2 repeats row 0: edge \('a', 'b'\), 1 such rows(.|\n)*parallel=\"merge\""
    ):
        Graph.from_edges(**ends)
    assert Graph.from_edges(**ends, parallel="merge").edge_columns["w"].tolist() == [1, 2]
    assert Graph.from_edges(**ends, parallel="keep").edge_columns["w"].tolist() == [1, 3, 2]
    assert Graph.from_edges(**ends, directed=True).edge_columns["w"].tolist() == [1, 3, 2]


def test_parallel_error_looks_at_labels() -> None:
    ends = [0, 1, 0, 0], [1, 2, 1, 1]
    with pytest.raises(GraphError, match="row 3 repeats row 0"):
        Graph.from_edges(*ends, num_vertices=3, edge_labels=["x", "x", "y", "x"], parallel="error")
    graph = Graph.from_edges(*ends, num_vertices=3, edge_labels=["x", "x", "y", None], parallel="error")
    assert graph.num_edges == 4
    assert not graph.report


def test_loops() -> None:
    with pytest.raises(GraphError, match=r"row 1: a self loop at vertex 7 \(1 such rows in all\)"):
        Graph.from_edges([5, 7], [7, 7], loops="error")
    kept = Graph.from_edges([0, 1], [1, 1], loops="keep")
    assert kept.neighbors(1).tolist() == [0, 1]
    assert kept.has_loops
    assert kept.num_edges == 2


def test_graphs_without_edges_or_vertices() -> None:
    for graph in (
        Graph.from_edges([], []),
        Graph.from_edges([], [], num_vertices=0),
        Graph.from_csr([0], []),
    ):
        assert (graph.num_vertices, graph.num_edges, graph.degree().tolist()) == (0, 0, [])
        assert graph.in_.edge_ids.tolist() == []
    lonely = Graph.from_edges(
        [], [], num_vertices=3, directed=True, vertex_labels=["a", None, "b"], edge_labels=[]
    )
    assert lonely.in_.offsets.tolist() == [0, 0, 0, 0]
    assert lonely.edge_endpoints()[0].tolist() == []
    only_loops = Graph.from_edges([4], [4])
    assert (only_loops.num_vertices, only_loops.num_edges, only_loops.report.loops_dropped) == (1, 0, 1)
