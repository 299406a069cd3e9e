"""Matches: rows in every form, limits, order, projection, samples, and what a result knows about itself."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import numpy as np
import pytest

import subiso as si
from subiso.engine import reference
from subiso.errors import QueryError

TRIANGLE = "(a)--(b), (b)--(c), (c)--(a)"
EDGE = "(a)--(b)"
CPU = {"engine": "reference"}


@pytest.fixture
def graph() -> si.Graph:
    """A triangle 10 20 30 with a tail 10-40."""
    return si.Graph.from_edges([10, 20, 30, 10], [20, 30, 10, 40])


@pytest.fixture
def dense() -> si.Graph:
    u, v = np.triu_indices(30, 1)
    return si.Graph.from_edges(u, v, num_vertices=30)


def rows(matches: si.Matches) -> list[tuple[Any, ...]]:
    return list(matches.tuples())


def test_all_forms_hold_the_same_rows(graph: si.Graph) -> None:
    m = si.match(graph, EDGE, unique=False, order="sorted", **CPU)
    expected = [(10, 20), (10, 30), (10, 40), (20, 10), (20, 30), (30, 10), (30, 20), (40, 10)]
    assert rows(m) == expected
    assert list(m) == [{"a": a, "b": b} for a, b in expected]
    assert list(m.to_arrow().to_pydict()) == m.columns == ["a", "b"]
    assert m.to_arrow().num_rows == 8
    assert [tuple(r) for r in m.to_pandas().values.tolist()] == expected
    assert m.to_polars().rows() == expected
    assert [tuple(r) for r in m.to_numpy().tolist()] == expected
    assert np.concatenate(list(m.arrays())).tolist() == [
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 0],
        [1, 2],
        [2, 0],
        [2, 1],
        [3, 0],
    ]


def test_dense_numbers(graph: si.Graph) -> None:
    assert si.match(graph, TRIANGLE, dense=True, **CPU).to_numpy().tolist() == [[0, 1, 2]]
    assert str(si.match(graph, TRIANGLE, dense=True, **CPU).to_arrow().schema.field("a").type) == "uint32"


def test_text_ids() -> None:
    g = si.Graph.from_edges(["x", "y"], ["y", "z"])
    m = si.match(g, "(a)--(b)--(c)", **CPU)
    assert rows(m) == [("x", "y", "z")]
    assert m.to_arrow().to_pylist() == [{"a": "x", "b": "y", "c": "z"}]
    assert m.to_numpy().tolist() == [["x", "y", "z"]]


def test_text_ids_beside_edge_ids() -> None:
    g = si.Graph.from_edges(["x", "y"], ["y", "z"])
    m = si.match(g, "(a)--(b)", edges=True, order="sorted", **CPU)
    assert m.to_numpy().tolist() == [["x", "y", 0], ["y", "z", 1]]
    assert m.to_arrow().to_pylist() == [{"a": "x", "b": "y", "a--b": 0}, {"a": "y", "b": "z", "a--b": 1}]


def test_no_matches_keep_their_columns(graph: si.Graph) -> None:
    m = si.match(graph, si.Pattern.clique(4), **CPU)
    assert rows(m) == [] and len(m) == 0 and m.complete
    assert m.to_arrow().num_rows == 0 and m.to_arrow().schema == m.schema
    assert m.to_numpy().shape == (0, 4) and list(m.to_pandas().columns) == ["a", "b", "c", "d"]


def test_what_a_result_knows(graph: si.Graph) -> None:
    m = si.match(graph, EDGE, **CPU)
    assert not m.complete and m.stopped_by is None and "not read yet" in repr(m)
    with pytest.raises(TypeError, match="known once they have been read"):
        len(m)
    with pytest.raises(TypeError, match="use exists"):
        bool(m)
    iterator = iter(m)
    next(iterator)
    assert not m.complete and "rows read so far" in repr(m)
    assert len(list(iterator)) == 3
    assert m.complete and len(m) == 4 and "4 rows, complete" in repr(m)


def test_passes_start_afresh_until_collected(graph: si.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    stream = reference.stream
    monkeypatch.setattr(reference, "stream", lambda q, p: runs.append(1) or stream(q, p))
    m = si.match(graph, EDGE, **CPU)
    assert runs == []
    assert len(rows(m)) == len(rows(m)) == 4 and len(runs) == 2
    m.to_arrow()
    m.to_pandas()
    assert len(rows(m)) == 4 and len(m) == 4 and m.complete and len(runs) == 3


@pytest.mark.parametrize(("limit", "complete"), [(0, False), (1, False), (3, False), (4, True), (5, True)])
@pytest.mark.parametrize("order", [None, "sorted"])
def test_limit(graph: si.Graph, limit: int, complete: bool, order: str | None) -> None:
    m = si.match(graph, EDGE, limit=limit, order=order, **CPU)
    assert len(rows(m)) == min(limit, 4) == len(m)
    assert m.complete is complete and m.stopped_by == (None if complete else "limit")


def test_limit_of_no_matches(graph: si.Graph) -> None:
    m = si.match(graph, si.Pattern.clique(4), limit=0, **CPU)
    assert rows(m) == [] and m.complete


def test_sorted_limit_gives_the_smallest(dense: si.Graph) -> None:
    m = si.match(dense, TRIANGLE, limit=4, order="sorted", **CPU)
    assert rows(m) == [(0, 1, 2), (0, 1, 3), (0, 1, 4), (0, 1, 5)]


def test_timeout(dense: si.Graph) -> None:
    m = si.match(dense, si.Pattern.clique(7), timeout=0.3, **CPU)
    found = rows(m)
    assert m.stopped_by == "timeout" and not m.complete and len(m) == len(found) > 0
    assert "stopped by timeout" in repr(m)


def test_timeout_while_sorting_is_a_timeout(dense: si.Graph) -> None:
    m = si.match(dense, si.Pattern.clique(7), timeout=0.3, limit=1, order="sorted", **CPU)
    assert len(rows(m)) == 1 and m.stopped_by == "timeout"


def test_leaving_early_cancels(dense: si.Graph) -> None:
    m = si.match(dense, TRIANGLE, **CPU)
    for _ in m.tuples():
        break
    assert m.stopped_by == "cancelled" and not m.complete


class Endless:
    """A stream that never ends of itself; each batch is a fresh array."""

    stopped_by = None

    def __init__(self, query: object, params: object) -> None:
        self.closed = False

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.closed:
            raise StopIteration
        return np.array([[0, 1], [0, 2]], dtype=np.uint32)

    def close(self) -> None:
        if not self.closed:
            self.closed, self.stopped_by = True, "cancelled"


def test_close(graph: si.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "stream", Endless)
    with si.match(graph, EDGE, **CPU) as m:
        batches = m.arrays()
        next(batches)
        m.close()
        assert list(batches) == []
    assert m.stopped_by == "cancelled" and not m.complete


def test_ctrl_c_cancels(graph: si.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Interrupted:
        stopped_by = None

        def __iter__(self) -> Any:
            return self

        def __next__(self) -> Any:
            raise KeyboardInterrupt

        def close(self) -> None:
            closed.append(True)

    monkeypatch.setattr(reference, "stream", lambda q, p: Interrupted())
    m = si.match(graph, EDGE, **CPU)
    with pytest.raises(KeyboardInterrupt):
        rows(m)
    assert m.stopped_by == "cancelled" and not m.complete and closed


def test_columns(graph: si.Graph) -> None:
    m = si.match(graph, TRIANGLE, columns=["c", "a"], **CPU)
    assert m.columns == ["c", "a"] and rows(m) == [(30, 10)]
    assert si.match(graph, TRIANGLE, columns="b", **CPU).columns == ["b"]


def test_distinct_speaks_of_all_embeddings(graph: si.Graph) -> None:
    """A vertex is not missed because the one representative of its triangle has it in another column."""
    assert rows(si.match(graph, TRIANGLE, columns=["a"], distinct=True, order="sorted", **CPU)) == [
        (10,),
        (20,),
        (30,),
    ]
    assert rows(si.match(graph, TRIANGLE, columns=["a"], distinct=True, unique=True, **CPU)) == [(10,)]
    m = si.match(graph, "(a)--(b)--(c)", columns=["a", "c"], distinct=True, order="sorted", **CPU)
    every = {(a, c) for a, _, c in rows(si.match(graph, "(a)--(b)--(c)", unique=False, **CPU))}
    assert rows(m) == sorted(every)


def test_distinct_with_a_limit(dense: si.Graph) -> None:
    m = si.match(dense, EDGE, columns=["a"], distinct=True, limit=30, **CPU)
    assert len(rows(m)) == 30 and m.complete
    m = si.match(dense, EDGE, columns=["a"], distinct=True, limit=29, **CPU)
    assert len(rows(m)) == 29 and m.stopped_by == "limit"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": -1}, "limit is -1"),
        ({"limit": 2.0}, "limit is 2.0"),
        ({"sample": True}, "sample is True"),
        ({"order": "random"}, "unknown order 'random'"),
        ({"sample": 2, "limit": 2}, "sample= and limit= both"),
        ({"sample": 2, "seed": 0.5}, "seed is 0.5"),
        ({"columns": []}, "columns= is empty"),
        ({"columns": ["z"]}, "there is no column 'z'"),
        ({"columns": ["a", "a"]}, "names a column twice"),
    ],
)
def test_refused_requests(graph: si.Graph, options: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        si.match(graph, EDGE, **options)


def test_several_patterns(graph: si.Graph) -> None:
    first, second = si.match(graph, [EDGE, TRIANGLE], **CPU)
    assert len(rows(first)) == 4 and rows(second) == [(10, 20, 30)]


def test_many_anchors(graph: si.Graph) -> None:
    m = si.match(graph, EDGE, anchor={"a": [10, 40, 10]}, order="sorted", **CPU)
    assert rows(m) == [(10, 20), (10, 30), (10, 40), (40, 10)]
    m = si.match(graph, EDGE, anchor={"a": [10, 20], "b": [40, 30]}, order="sorted", **CPU)
    assert rows(m) == [(10, 40), (20, 30)]
    assert rows(si.match(graph, EDGE, anchor={"a": []}, **CPU)) == []
    assert rows(si.match(graph, EDGE, anchor={"a": [], "b": []}, **CPU)) == []
    with pytest.raises(QueryError, match="no vertex 99"):
        si.match(graph, EDGE, anchor={"a": [10, 99]}, **CPU)


def test_many_anchors_equal_one_by_one(graph: si.Graph) -> None:
    """Also where another vertex has the very mask that the anchors amount to."""
    for pattern in (si.Pattern(EDGE), si.Pattern(EDGE).where(b=np.array([True, True, False, False]))):
        single = [rows(si.match(graph, pattern, anchor={"a": v}, **CPU)) for v in (10, 20)]
        together = rows(si.match(graph, pattern, anchor={"a": [10, 20]}, **CPU))
        assert sorted(together) == sorted(itertools.chain.from_iterable(single))


def test_edge_columns(graph: si.Graph) -> None:
    m = si.match(graph, "(a)-[first]-(b)--(c)", edges=True, order="sorted", **CPU)
    assert m.columns == ["a", "b", "c", "first", "b--c"]
    sources, targets = graph.edge_endpoints()
    for a, b, c, e, f in rows(m):
        for edge, pair in ((e, {a, b}), (f, {b, c})):
            assert {int(graph.ids[sources[edge]]), int(graph.ids[targets[edge]])} == pair
    assert rows(si.match(graph, "(a)-[e]-(b)", columns=["e"], order="sorted", **CPU)) == [
        (0,),
        (1,),
        (2,),
        (3,),
    ]


def test_networkx(graph: si.Graph) -> None:
    m = si.match(graph, "(a)--(b)--(c)", order="sorted", **CPU)
    graphs = m.to_networkx()
    assert len(graphs) == 5 and all(g.number_of_edges() == 2 for g in graphs)
    assert graphs[0].nodes[20]["roles"] == ("b",) and sorted(graphs[0].nodes) == [10, 20, 30]
    union = m.to_networkx(union=True)
    assert sorted(map(sorted, union.edges)) == [[10, 20], [10, 30], [10, 40], [20, 30]]
    assert set(union.nodes[10]["roles"]) == {"a", "b"} and union.nodes[40]["roles"] == ("c",)
    assert si.match(graph, si.Pattern.clique(4), **CPU).to_networkx() == []
    with pytest.raises(QueryError, match="needs all vertices"):
        si.match(graph, EDGE, columns=["a"], **CPU).to_networkx()


def test_networkx_of_a_directed_labelled_multigraph() -> None:
    g = si.Graph.from_edges([0, 0, 1], [1, 1, 0], directed=True, edge_labels=["X", "Y", "X"])
    m = si.match(g, "(a)-[:Y]->(b), (a)-[:X]-(b), (b)-[:X]->(a)", **CPU)
    (found,) = m.to_networkx()
    assert (
        sorted(found.edges(data="label")) == [(0, 1, "X"), (0, 1, "Y"), (1, 0, "X")] and found.is_multigraph()
    )
    assert sorted(found.edges(data="id")) == [(0, 1, 0), (0, 1, 1), (1, 0, 2)]


def test_arrow_stream_interface(graph: si.Graph) -> None:
    import polars as pl
    import pyarrow as pa

    assert pa.table(si.match(graph, EDGE, **CPU)).num_rows == 4
    assert pl.DataFrame(si.match(graph, EDGE, **CPU)).height == 4


def test_memory_stays_bounded(graph: si.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing keeps the batches that have passed."""
    monkeypatch.setattr(reference, "stream", Endless)
    alive: list[Any] = []
    batches = si.match(graph, EDGE, edges=True, **CPU).batches()
    for batch in itertools.islice(batches, 50):
        alive.append(weakref.ref(batch))
        del batch
        assert sum(ref() is not None for ref in alive) <= 2
    batches.close()
