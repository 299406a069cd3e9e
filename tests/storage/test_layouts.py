"""Storage layouts against brute force: random multigraphs with labels and directions, and extreme ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subiso import _native
from subiso.errors import GraphError
from subiso.graph import Graph
from subiso.storage.hash_pcsr import HashPcsr, hash_group
from subiso.storage.index import LINE
from subiso.storage.interval_pcsr import IntervalPcsr
from subiso.storage.label_csr import LabelCsr, LabelledCsr
from subiso.storage.labels import LAYOUTS, LabelStorage, store_labels
from subiso.storage.layout import Layout, layout_of
from subiso.storage.lists import Lists, lists_of
from subiso.storage.partition import one_label, partitions_of
from subiso.storage.plain_csr import CompressedCsr, PlainCsr
from subiso.storage.relation import EdgeFit, Relation
from subiso.storage.renaming import renaming_of
from subiso.storage.sorting import sort_rows

LABELS = "wxyz"
OPTIONS = [
    *((layout, {}) for layout in LAYOUTS),
    ("hash_pcsr", {"theta": 2}),
    ("hash_pcsr", {"theta": 3, "groups_per_list": 0.2}),
    ("hash_pcsr", {"theta": 4, "groups_per_list": 3.0}),
]


@st.composite
def multigraphs(draw: st.DrawFn) -> Graph:
    """Few or many vertices, labels that nothing carries, loops, parallel edges, edges without a label."""
    n = draw(st.integers(1, 40))
    hubs = draw(st.booleans())
    vertex = st.integers(0, min(n - 1, 2)) if hubs else st.integers(0, n - 1)
    edges = draw(
        st.lists(st.tuples(vertex, st.integers(0, n - 1), st.sampled_from([*LABELS, None])), max_size=120)
    )
    src, dst = [e[0] for e in edges], [e[1] for e in edges]
    several = st.one_of(st.none(), st.lists(st.sampled_from("AB"), max_size=2))
    return Graph.from_edges(
        np.array(src, np.int64),
        np.array(dst, np.int64),
        num_vertices=n,
        directed=draw(st.booleans()),
        edge_labels=np.array([e[2] for e in edges] + [None], dtype=object)[:-1],
        vertex_labels=draw(st.one_of(st.none(), st.lists(several, min_size=n, max_size=n))),
        loops="keep",
        parallel="keep",
    )


def brute_force(graph: Graph, v: int, label: str, direction: str) -> list[int]:
    found = set()
    assert graph.edge_labels is not None
    code = graph.edge_labels.code_of(label)
    for s, t, c in zip(*graph.edge_endpoints(), graph.edge_labels.codes, strict=True):
        if code is None or c != code:
            continue
        if s == v and (direction in ("out", "any") or not graph.directed):
            found.add(int(t))
        if t == v and (direction in ("in", "any") or not graph.directed):
            found.add(int(s))
    return sorted(found)


def all_lists(stored: LabelStorage, label: str, direction: Any) -> list[list[int]]:
    return [stored.neighbors(v, label, direction).tolist() for v in range(stored.graph.num_vertices)]


@settings(max_examples=60, deadline=None)
@given(multigraphs())
def test_every_layout_gives_what_brute_force_gives(graph: Graph) -> None:
    stores = [store_labels(graph, layout, **options) for layout, options in OPTIONS]
    for direction in ("out", "in", "any"):
        for label in LABELS:
            wanted = [brute_force(graph, v, label, direction) for v in range(graph.num_vertices)]
            for stored in stores:
                assert all_lists(stored, label, direction) == wanted, (stored.layout, label, direction)
    everyone = layout_of(graph).all_ranks
    for direction, side in partitions_of(graph).sides.items():
        for code in range(side.num_labels):
            total = int(side.label(code).lengths.sum())
            for stored in stores:
                assert stored.part(code, direction).total_length(everyone) == total, stored.layout


@settings(max_examples=60, deadline=None)
@given(multigraphs(), st.sampled_from("AB"))
def test_slices_by_vertex_label(graph: Graph, kind: str) -> None:
    layout, labels = layout_of(graph), graph.vertex_labels
    side = partitions_of(graph).sides["out"]
    stored = LabelCsr(side, layout)
    code = None if labels is None else labels.code_of(kind)
    for edge_label in range(side.num_labels):
        for lists in [side.label(edge_label)]:
            for v, begin, end in zip(lists.keys, lists.offsets, lists.offsets[1:], strict=False):
                whole = lists.neighbors[begin:end]
                if labels is None:
                    assert stored.slice(edge_label).neighbors_of(int(v)).tolist() == whole.tolist()
                elif code is not None:
                    has = labels.mask(kind)[layout.vertex_at[whole]]
                    assert stored.slice(edge_label, code).neighbors_of(int(v)).tolist() == whole[has].tolist()


def relation_of(graph: Graph, code: int, direction: Any) -> Relation:
    assert graph.edge_labels is not None
    return Relation(direction, EdgeFit((code,), (graph.edge_labels.codes == code).view(np.uint8)))


@settings(max_examples=30, deadline=None)
@given(multigraphs())
def test_partitions_are_the_relations_of_labels(graph: Graph) -> None:
    """Lists that are sorted out of all edges at once equal those that the engines build label by label."""
    layout = layout_of(graph)
    assert graph.edge_labels is not None
    for direction, side in partitions_of(graph).sides.items():
        for code in range(len(graph.edge_labels.names)):
            mine, theirs = side.label(code), lists_of(layout.relation(relation_of(graph, code, direction)))
            for name in ("keys", "offsets", "neighbors"):
                assert getattr(mine, name).tolist() == getattr(theirs, name).tolist()


@settings(max_examples=40, deadline=None)
@given(multigraphs(), st.sampled_from(["out", "in", "any"]))
def test_indexes_of_any_relation(graph: Graph, direction: Any) -> None:
    """Of relations that are no label's edges too, and by the native look-ups."""
    layout = layout_of(graph)
    lists = lists_of(layout.relation(Relation(direction)))
    everyone = layout.all_ranks
    wanted = np.zeros(graph.num_vertices, np.int64)
    wanted[lists.keys] = lists.lengths
    renaming = renaming_of(graph)
    assert sorted(renaming.new_of.tolist()) == list(range(graph.num_vertices))
    indexes = [PlainCsr(lists), CompressedCsr(lists), HashPcsr(lists, 3, 0.4), IntervalPcsr(lists, renaming)]
    for index in indexes:
        found = index.find(everyone)
        assert (found.end - found.begin).tolist() == wanted.tolist()
        for v in everyone:
            begin, end = layout.relation(Relation(direction)).bounds[[2 * v, 2 * v + 2]]
            expected = layout.relation(Relation(direction)).neighbors[begin:end].tolist()
            assert index.neighbors_of(int(v)).tolist() == expected
            assert index.total_length(np.array([v], np.uint32)) == wanted[v]
        assert index.total_length(everyone) == wanted.sum()
    single = LabelCsr(one_label(lists))
    assert single.slice(0).total_length(everyone) == wanted.sum()
    assert single.slice(1).total_length(everyone) == 0


def numbered(count: int, keys: np.ndarray) -> Lists:  # type: ignore[type-arg]
    """One neighbour per list: the owner."""
    return Lists(count, keys.astype(np.uint32), np.arange(len(keys) + 1), keys.astype(np.uint32))


def test_chains_overflow_into_empty_groups_first() -> None:
    """With as many groups as vertices, none are added (claim 1 of GSI), whatever the hashes."""
    rng = np.random.default_rng(0)
    for theta in (2, 3, 16):
        keys = np.sort(rng.choice(100_000, 3000, replace=False))
        index = HashPcsr(numbered(100_000, keys), theta)
        assert len(index.groups) == index.num_groups == 3000
        assert index.groups.nbytes == 3000 * theta * 8
        assert (index.chains == np.maximum(1, -(-index.members // (theta - 1)))).all()
        found = index.find(keys.astype(np.uint32))
        assert (index.neighbors[found.begin] == keys).all()
        assert (found.end == found.begin + 1).all()
        missing = np.setdiff1d(np.arange(100_000), keys).astype(np.uint32)
        assert (index.find(missing).end == 0).all()
    assert found.lines.max() == 1, "groups of 128 bytes hold every hash's vertices here"


def test_few_groups_have_long_chains() -> None:
    keys = np.arange(500)
    index = HashPcsr(numbered(500, keys), 4, groups_per_list=1 / 500)
    assert index.num_groups == 1 and index.chains.tolist() == [-(-500 // 3)]
    found = index.find(keys.astype(np.uint32))
    assert (index.neighbors[found.begin] == keys).all()
    assert found.lines.max() == -(-167 * 32 // LINE)


def test_hashes_spread() -> None:
    """Dense ids, as ranks are, fall on groups about as evenly as random ones."""
    groups = np.bincount(hash_group(np.arange(65_536, dtype=np.uint32), 65_536), minlength=65_536)
    assert groups.max() <= 4
    assert hash_group(np.array([2**32 - 2], np.uint32), 2**31)[0] < 2**31


def test_lines_of_the_baselines() -> None:
    """By hand: 64 vertices of one label, every second of 128; offsets of 4 bytes, 32 a line."""
    keys = np.arange(0, 128, 2)
    lists = numbered(128, keys)
    plain = PlainCsr(lists).find(np.array([0, 31, 62], np.uint32))
    assert plain.lines.tolist() == [1, 2, 1]
    # 64 keys are two lines, of which the search begins in the second; 66 and 126 stay there. Offsets 63 and 64 are in
    # two lines; vertex 3 has none.
    compressed = CompressedCsr(lists).find(np.array([0, 66, 126, 3], np.uint32))
    assert compressed.lines.tolist() == [3, 2, 3, 2]


def test_share_sets_make_few_intervals() -> None:
    """Vertices drawn from a few kinds: every label is a handful of intervals, at random they would be hundreds."""
    rng = np.random.default_rng(3)
    kinds = [[0], [0, 1], [1], [1, 2], [0, 2], [3]]
    kind = rng.integers(0, len(kinds), 3000)
    src = np.concatenate([np.flatnonzero(kind == k) for k, labels in enumerate(kinds) for _ in labels])
    labels = np.concatenate([np.full((kind == k).sum(), label) for k, ls in enumerate(kinds) for label in ls])
    graph = Graph.from_edges(
        src, np.full(len(src), 3000), num_vertices=3001, directed=True, edge_labels=labels
    )
    assert renaming_of(graph).num_sets == len(kinds) + 1
    stored = store_labels(graph, "interval_pcsr")
    out = [stored.part(code, "out") for code in range(4)]
    intervals = [part.num_intervals for part in out if isinstance(part, IntervalPcsr)]
    assert all(found <= most for found, most in zip(intervals, [2, 2, 2, 1], strict=True)), intervals
    assert stored.statistics.intervals <= 11


def test_share_sets_follow_what_they_have_in_common() -> None:
    """Vertices with labels i and i + 1: chained, a label is one interval, but where the chain turns; else it is two."""
    labels = 40
    vertex = np.random.default_rng(4).permutation(labels - 1)
    first = np.arange(labels - 1)
    graph = Graph.from_edges(
        np.concatenate([vertex, vertex]),
        np.full(2 * len(vertex), labels - 1),
        directed=True,
        edge_labels=np.concatenate([first, first + 1]),
    )
    stored = store_labels(graph, "interval_pcsr")
    parts = [stored.part(code, "out") for code in range(labels)]
    assert sum(part.num_intervals for part in parts if isinstance(part, IntervalPcsr)) <= labels + 2


def test_single_vertices_and_empty_graphs() -> None:
    one = Graph.from_edges([0], [0], num_vertices=1, directed=True, edge_labels=["x"], loops="keep")
    empty = Graph.from_edges([], [], num_vertices=3, edge_labels=np.array([], dtype=object))
    for layout in LAYOUTS:
        assert store_labels(one, layout).neighbors(0, "x", "in").tolist() == [0]
        assert store_labels(empty, layout).statistics.lists == 0


def test_sizes_are_what_the_formats_say() -> None:
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 50, (2, 400))
    labels = rng.integers(0, 5, 400)
    graph = Graph.from_edges(src, dst, num_vertices=50, directed=True, edge_labels=labels, loops="keep")
    triples = np.unique(np.stack([labels, src, dst]), axis=1)
    m = triples.shape[1]
    lists = np.unique(triples[[0, 1]], axis=1).shape[1] + np.unique(triples[[0, 2]], axis=1).shape[1]
    sizes = {layout: store_labels(graph, layout).bytes for layout in LAYOUTS}
    assert sizes["labelled_csr"] == 2 * (4 * 51 + 8 * m)
    assert sizes["csr"] == 2 * (5 * 4 * 51 + 4 * m)
    assert sizes["compressed"] == 8 * m + 8 * lists + 2 * 5 * 4
    assert sizes["label_csr"] == 2 * (4 * 51 + 4 * m) + 8 * lists + 2 * 8
    assert sizes["hash_pcsr"] == 8 * m + 128 * lists
    intervals = store_labels(graph, "interval_pcsr").statistics.intervals
    assert sizes["interval_pcsr"] == 4 * 50 + 8 * m + 4 * (lists + 10) + 8 * (intervals + 10)


def test_few_relations_with_conditions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go, as many as it takes; those without a condition stay, and what was dropped is made again."""
    graph = Graph.from_edges(
        np.arange(60), np.arange(1, 61), directed=True, edge_labels=np.repeat(np.arange(6), 10)
    )
    relations = [relation_of(graph, code, "out") for code in range(6)]
    one = Layout(graph).relation(relations[0]).nbytes

    def kept(most: int, size: int) -> list[int]:
        monkeypatch.setattr("subiso.storage.layout._MAX_FITTED", most)
        monkeypatch.setattr("subiso.storage.layout._FITTED_BYTES", size)
        layout = Layout(graph)
        layout.relation(Relation("out"))
        for relation in relations:
            assert layout.relation(relation).num_entries == 10
        assert Relation("out") in layout._relations
        found = [code for code, relation in enumerate(relations) if relation in layout._relations]
        assert layout.relation(relations[0]).num_entries == 10
        return found

    assert kept(2, 0) == [4, 5]
    assert kept(2, 3 * one) == [3, 4, 5]
    assert kept(2, 6 * one) == kept(6, 0) == list(range(6))


def test_mistakes() -> None:
    graph = Graph.from_edges([0], [1])
    with pytest.raises(GraphError, match="there is no storage layout 'pcsr'"):
        store_labels(graph, "pcsr")
    with pytest.raises(GraphError, match="groups of 2 to 16 pairs, not 1"):
        HashPcsr(numbered(3, np.arange(3)), theta=1)
    for theta, per_list in ((4.5, 1.0), ("4", 1.0), (4, "1"), (4, 0), (4, float("inf")), (4, float("nan"))):
        with pytest.raises(GraphError, match="groups of 2 to 16 pairs, not"):
            HashPcsr(numbered(3, np.arange(3)), theta, per_list)  # type: ignore[arg-type]
    for layout in LAYOUTS:
        for name in {"bogus", "theta"} - ({"theta"} if layout == "hash_pcsr" else set()):
            with pytest.raises(GraphError, match=f"layout '{layout}' has no option '{name}'"):
                store_labels(graph, layout, **{name: 4})
    with pytest.raises(GraphError, match="the graph has no edge labels"):
        store_labels(graph, "csr").neighbors(0, "x")
    labelled = Graph.from_edges([0], [1], edge_labels=["x"])
    with pytest.raises(GraphError, match="there is no vertex 2"):
        store_labels(labelled, "csr").neighbors(2, "x")
    assert store_labels(labelled, "csr").neighbors(0, "unknown").tolist() == []
    for directed in (False, True):
        arrow = store_labels(Graph.from_edges([0], [1], edge_labels=["x"], directed=directed), "csr")
        for label in ("x", "unknown"):
            with pytest.raises(GraphError, match="there is no direction 'sideways'"):
                arrow.neighbors(0, label, "sideways")  # type: ignore[arg-type]


def test_share_order_checks_its_input() -> None:
    one, two = np.array([0, 1]), np.array([5], np.uint32)
    with pytest.raises(ValueError, match="an item is no partition"):
        _native.share_order(one, two, np.array([1]), 3, 8)
    with pytest.raises(ValueError, match="one weight per set"):
        _native.share_order(one, two, np.array([1, 1]), 9, 8)


def test_share_order_in_windows() -> None:
    """Small windows give some order of all sets, larger ones no worse a one."""
    rng = np.random.default_rng(5)
    rows = np.unique(rng.random((300, 9)) < 0.3, axis=0)
    offsets = np.concatenate([[0], np.cumsum(rows.sum(1))]).astype(np.int64)
    items = np.nonzero(rows)[1].astype(np.uint32)

    def boundaries(window: int) -> int:
        order = _native.share_order(offsets, items, np.ones(len(rows), np.int64), 9, window)
        assert sorted(order.tolist()) == list(range(len(rows)))
        placed = rows[order].astype(np.int8)
        return int(placed[0].sum() + (np.diff(placed, axis=0) == 1).sum())

    assert boundaries(1 << 14) < boundaries(1) * 0.9


def test_a_scan_reads_the_whole_list() -> None:
    """A label beside every neighbour: 1000 of them are 32 lines of labels, whichever label is asked for."""
    graph = Graph.from_edges(
        np.zeros(1000, int), np.arange(1, 1001), directed=True, edge_labels=np.arange(1000) % 2
    )
    side = partitions_of(graph).sides["out"]
    hub = layout_of(graph).rank[[0]]
    assert LabelledCsr(side).scan(1).find(hub).lines.tolist() in ([33], [34])
    assert LabelCsr(side).slice(1).find(hub).lines.tolist() in ([2], [3])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**20), st.integers(0, 3))), st.booleans())
def test_packed_rows_sort_like_wide_ones(rows: list[tuple[int, int, int]], distinct: bool) -> None:
    columns = [np.array([row[i] for row in rows], np.uint32) for i in range(3)]
    wanted = sorted(set(rows)) if distinct else sorted(rows)
    for limits in ([6, 2**20 + 1, 4], [2**32, 2**32, 2**32]):
        found = sort_rows(columns, limits, distinct=distinct)
        assert list(zip(*(c.tolist() for c in found), strict=True)) == wanted
