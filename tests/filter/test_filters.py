"""Filters: none of them drops a vertex that stands in a match, alone or together, and each drops what it is for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from tests.property.engines import reference_rows
from tests.property.instances import FEATURES, instances
from tests.property.test_engines_agree import ask

from subiso import _native, explain
from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.query import MODES, make_query
from subiso.errors import QueryError
from subiso.filter import narrow
from subiso.filter.narrow import FILTERS
from subiso.filter.resolve import Resolved, resolve, resolve_for
from subiso.filter.signature import pattern_pairs, signature_table
from subiso.graph import Graph
from subiso.graph.generators import erdos_renyi, with_labels
from subiso.queries import random_queries
from subiso.storage.layout import layout_of
from subiso.storage.relation import Relation

ALONE = [(name,) for name in FILTERS]


def candidates(resolved: Resolved, vertex: int) -> set[int]:
    (number,) = resolved.problem.filters[vertex]
    ranks = _native.bit_positions(resolved.filters[number])
    return set(resolved.layout.vertex_at[ranks].tolist())


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), feature=st.sampled_from(FEATURES))
def test_no_filter_drops_a_matched_vertex(mode: str, data: st.DataObject, feature: str) -> None:
    query = ask(data.draw(instances(mode=mode, feature=feature)))
    rows = reference_rows(query)
    for names in [(), *ALONE, FILTERS, None]:
        note(f"filters = {names}")
        resolved = resolve(query, names)
        assert not (rows and resolved.hopeless)
        for vertex, numbers in enumerate(resolved.problem.filters):
            if numbers:
                assert {row[vertex] for row in rows} <= candidates(resolved, vertex)
                assert len(candidates(resolved, vertex)) == resolved.problem.sizes[vertex]
        ways = ("plan",) if resolved.hopeless else ("plan", "search", "eliminate")
        for way in ways:
            switches = Switches(filters=names, labelled=way)
            assert cpu.count(query, Params(threads=1, switches=switches)).count == len(rows)


def sizes(graph: Graph, pattern: str, *filters: str, **options: str) -> tuple[float, ...]:
    return resolve(make_query(graph, pattern, **options), filters).problem.sizes


@pytest.fixture
def stars() -> Graph:
    """0 and 3 are A; 0 has the B neighbours 1 and 2, 3 has one B (4) and the C 5."""
    return Graph.from_edges([0, 0, 3, 3], [1, 2, 4, 5], vertex_labels=list("ABBABC"))


def test_what_each_filter_is_for(stars: Graph) -> None:
    assert sizes(stars, "(a:A)--(b:B), (a)--(c:B)") == (2, 3, 3)
    assert sizes(stars, "(a:A)--(b:B), (a)--(c:B), (a)--(d:C)", "degree")[0] == 0
    assert sizes(stars, "(a:A)--(b:B), (a)--(c:B)", "degree")[0] == 2
    assert sizes(stars, "(a:A)--(b:B), (a)--(c:B)", "frequency") == (1, 3, 3)
    assert sizes(stars, "(a:A)--(b:B), (a)--(c:B)", "signature") == (1, 3, 3)
    assert sizes(stars, "(a:A)--(b:B), (a)--(c:B)", "frequency", "refine") == (1, 2, 2)
    assert sizes(stars, "(a:A)--(b:B), (a)--(c:C)", "refine") == (1, 1, 1)


@pytest.mark.parametrize("mode", ["homomorphism", "edge-isomorphism"])
@pytest.mark.parametrize("name", FILTERS)
def test_one_neighbor_may_serve_for_two(stars: Graph, mode: str, name: str) -> None:
    assert sizes(stars, "(a:A)--(b:B), (a)--(c:B)", name, mode=mode)[0] == 2


def test_refinement_reaches_a_fixed_point() -> None:
    """A long path of one label: what is missing at its end is known at its beginning, however far that is."""
    n = 40
    graph = Graph.from_edges(range(n - 1), range(1, n), vertex_labels=["A"] * (n - 1) + ["B"])
    names = [f"v{i}" for i in range(n - 1)]
    chain = "--".join(f"({name}:A)" for name in names)
    resolved = resolve(make_query(graph, f"{chain}--(end:B)"), ("refine",))
    assert resolved.narrowed.complete
    assert resolved.problem.sizes[-2:] == (1, 1)
    assert resolved.narrowed.before[-1] == 1 and resolved.narrowed.before[0] == n - 1


def test_signatures_tell_directions_and_edge_labels_apart() -> None:
    graph = Graph.from_edges(
        [0, 1, 2], [3, 3, 4], directed=True, vertex_labels=list("AAABB"), edge_labels=list("xyx")
    )
    assert sizes(graph, "(a:A)-[:x]->(b:B)", "signature") == (2, 2)
    assert sizes(graph, "(b:B)-[:x]->(a:A)", "signature") == (0, 0)
    assert sizes(graph, "(a:A)-->(b:B)", "signature") == (3, 2)
    assert sizes(graph, "(a:A)-[:y]->(b:A|B)", "signature") == (1, 1)


def test_pairs_of_a_pattern_vertex() -> None:
    graph = Graph.from_edges([0, 0], [1, 2], vertex_labels=[["A"], ["B"], ["B", "C"]])
    query = make_query(graph, "(a:A)--(b:B), (a)--(c:B:C), (a)--(d), (a)--(e:B|C)")
    assert pattern_pairs(query)[0] == [(0, 0, 1), (0, 0, 1), (0, 0, 2)]
    loose = make_query(graph, query.pattern, mode="homomorphism")
    assert pattern_pairs(loose)[0] == [(0, 0, 1), (0, 0, 2)]


@pytest.mark.parametrize(("num_bits", "label_bits"), [(64, 2), (128, 126), (512, 32), (1024, 64)])
def test_signatures_of_any_shape(num_bits: int, label_bits: int) -> None:
    """However many pairs share a group, vertices of matches stay."""
    rng = np.random.default_rng(num_bits)
    graph = Graph.from_edges(
        *rng.integers(0, 50, (2, 120)), num_vertices=50, vertex_labels=rng.integers(0, 9, 50)
    )
    table = signature_table(graph, num_bits, label_bits)
    assert table is signature_table(graph, num_bits, label_bits)
    assert table.nbytes == 50 * num_bits // 8
    for label in range(9):
        query = make_query(graph, f"(a:{label})--(b:1), (a)--(c:2), (a)--(d:1)")
        bits = np.full(1, 2**50 - 1, np.uint64)
        table.narrow(bits, [query.graph.vertex_labels.code_of(label)], pattern_pairs(query)[0])
        kept = resolve(query).layout.vertex_at[_native.bit_positions(bits)].tolist()
        assert {row[0] for row in reference_rows(query)} <= set(kept)


def test_the_shape_of_signatures_is_a_switch() -> None:
    """With 31 groups for 30 labels, most of which have several, more vertices pass than with GSI's 240."""
    graph = with_labels(erdos_renyi(300, m=2000, seed=1), [f"L{i}" for i in range(30)], seed=1)
    query = make_query(graph, "(a:L1)--(b:L2), (a)--(c:L3)")
    wanted = reference.count(query).count
    passed = {}
    for shape in ((64, 2), (512, 32)):
        switches = Switches(filters=("signature",), signature=shape)
        passed[shape] = resolve_for(query, Params(switches=switches)).problem.sizes
        assert cpu.count(query, Params(switches=switches)).count == wanted > 0
    assert passed[64, 2] > passed[512, 32]


def test_signatures_are_looked_at_where_lists_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = with_labels(erdos_renyi(60, m=200, seed=1), 3, seed=1)
    query = make_query(graph, "(a:0)--(b:1)--(c:2)")
    assert "signature" not in resolve(query).narrowed.used
    monkeypatch.setattr(narrow, "_LONG_LISTS", 100)
    with_signatures = resolve(query)
    assert with_signatures.narrowed.used == FILTERS
    assert "signature" in str(explain(graph, "(a:0)--(b:1)--(c:2)"))


def test_refinement_that_takes_too_long_ends_before_its_fixed_point(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = with_labels(erdos_renyi(400, m=1600, seed=1), 3, seed=1)
    pattern = "(a:0)--(b:1)--(c:2)--(a), (c)--(d:0)"
    query = make_query(graph, pattern)
    whole, wanted = resolve(query).narrowed, cpu.count(query).count
    assert whole.complete
    monkeypatch.setattr(narrow, "_MOST_REFINING", 100)
    part = resolve(query).narrowed
    assert not part.complete and part.sizes != whole.sizes
    assert all(more >= fewer for more, fewer in zip(part.sizes, whole.sizes, strict=True)), part.sizes
    assert cpu.count(query).count == wanted == reference.count(query).count > 0
    assert "stopped before its fixed point" in str(explain(graph, pattern))


def test_wrong_shapes_and_names_are_refused() -> None:
    graph = Graph.from_edges([0], [1], vertex_labels=["A", "B"])
    for num_bits, label_bits in ((63, 8), (0, 2), (64, 0), (64, 64), (64, 31)):
        with pytest.raises(QueryError, match=f"no signature has {num_bits} bits, {label_bits} of them"):
            signature_table(graph, num_bits, label_bits)
    with pytest.raises(QueryError, match="unknown filter 'colour'"):
        resolve(make_query(graph, "(a:A)--(b)"), ("colour",))


def test_lists_of_one_label_leave_what_whole_lists_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subiso.filter.slices._LEAST", 0)
    names = [f"L{i}" for i in range(5)]
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(
        rng.integers(0, 60, 300),
        rng.integers(0, 60, 300),
        vertex_labels=rng.choice(names, 60),
    )
    for pattern in random_queries(graph, 10, 6, seed=2):
        query = make_query(graph, pattern)
        short, whole = resolve(query), resolve(query, ("degree", "frequency", "refine"))
        assert short.problem.sizes == whole.problem.sizes
        assert short.problem.fans == whole.problem.fans


def test_filters_that_are_not_named_read_lists_of_one_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subiso.filter.slices._LEAST", 0)
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(*rng.integers(0, 60, (2, 300)), vertex_labels=rng.choice(list("ABCDE"), 60))
    query = make_query(graph, "(a:A)--(b:B)--(c:C)")

    def read(filters: tuple[str, ...] | None) -> int:
        """Elements of the lists that the filters may look at."""
        asked: list[narrow.Asked] = []
        resolve(query, filters, narrower=lambda a: (asked.append(a), narrow.narrow(a))[1])
        begun = narrow.begin(asked[0])
        return sum(begun.lists[r].num_entries for k in begun.links for r in (k.forward, k.backward))

    whole = 4 * layout_of(graph).relation(Relation("out")).num_entries
    assert read(("degree", "frequency", "refine")) == whole
    assert 0 < 3 * read(None) < whole


def test_long_relations_are_sliced_for_the_second_query(
    monkeypatch: pytest.MonkeyPatch, stars: Graph
) -> None:
    monkeypatch.setattr("subiso.storage.layout._SLICED_ENTRIES", 0)
    layout, relation, names = layout_of(stars), Relation("out"), frozenset(["C"])
    assert layout.relation_to(relation, names) is None
    found = layout.relation_to(relation, names)
    assert found is not None and found.lengths.sum() == 1 and layout.relation_to(relation, names) is found
    assert layout.relation_to(relation, frozenset(["B"])) is None, "half of the vertices are B: not worth it"


def test_few_lists_by_label_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subiso.storage.layout._SLICED_BYTES", 1)
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], vertex_labels=list("ABCD"))
    layout = layout_of(graph)
    first = layout.relation_to(Relation("out"), frozenset(["A"]))
    layout.relation_to(Relation("out"), frozenset(["B"]))
    assert layout.relation_to(Relation("out"), frozenset(["A"])) is not first
