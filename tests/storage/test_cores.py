"""Core numbers, the degeneracy order, and relations in other orders and without thin edges, against naive ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from tests.storage.rough import rough_graphs

from subiso import _native
from subiso.graph import Graph
from subiso.storage.cores import Cores, cores_of
from subiso.storage.layout import Layout, RelationCsr, layout_of
from subiso.storage.relation import Relation

Edges = set[tuple[int, int]]


def read(graph: Graph) -> tuple[Layout, Relation, RelationCsr, Cores]:
    layout, relation = layout_of(graph), Relation("any" if graph.directed else "out")
    return layout, relation, layout.relation(relation), cores_of(layout, relation)


def told(graph: Graph) -> str:
    return f"{graph} {list(zip(*graph.edge_endpoints(), strict=True))}"


def edges_of(csr: RelationCsr) -> Edges:
    """As (lower, higher); checks that lists are sorted, split at their owner and the same from both ends."""
    found: Edges = set()
    for v in range(csr.num_vertices):
        begin, split, end = csr.bounds[2 * v : 2 * v + 3].tolist()
        below, above = csr.neighbors[begin:split].tolist(), csr.neighbors[split:end].tolist()
        assert below + above == sorted({*below, *above})
        assert all(u <= v for u in below) and all(u > v for u in above)
        found |= {(v, u) for u in above}
    assert csr.bounds[0] == 0 and csr.bounds[-1] == len(csr.neighbors)
    mirrored = [(u, v) for v, u in entries(csr) if u < v]
    assert set(mirrored) == found and len(mirrored) == len(found)
    return found


def entries(csr: RelationCsr) -> list[tuple[int, int]]:
    return list(
        zip(np.repeat(np.arange(csr.num_vertices), csr.lengths).tolist(), csr.neighbors.tolist(), strict=True)
    )


@given(graph=rough_graphs())
def test_core_numbers_of_networkx(graph: Graph) -> None:
    networkx = pytest.importorskip("networkx")
    note(told(graph))
    _, _, csr, cores = read(graph)
    simple = networkx.Graph((u, v) for u, v in entries(csr) if u != v)
    simple.add_nodes_from(range(csr.num_vertices))
    expected = networkx.core_number(simple)
    assert cores.numbers.tolist() == [expected[v] for v in range(csr.num_vertices)]
    assert cores.degeneracy == max(expected.values())


@given(graph=rough_graphs())
def test_the_order_is_a_degeneracy_order(graph: Graph) -> None:
    """No vertex has more neighbours after it than its core number, which never falls along the order."""
    note(told(graph))
    _, _, csr, cores = read(graph)
    order = cores.order.tolist()
    assert sorted(order) == list(range(csr.num_vertices))
    place = {v: i for i, v in enumerate(order)}
    later = np.zeros(csr.num_vertices, int)
    for u, v in entries(csr):
        later[u] += place[v] > place[u]
    assert (later <= cores.numbers).all()
    assert (np.diff(cores.numbers[cores.order].astype(int)) >= 0).all()
    for least in range(cores.degeneracy + 2):
        assert set(cores.ordered_from(least).tolist()) == set(np.flatnonzero(cores.numbers >= least).tolist())


def test_a_larger_graph() -> None:
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(*rng.zipf(1.6, (2, 20_000)).clip(max=3000) - 1, num_vertices=3000)
    layout, _, csr, cores = read(graph)
    simple = graph.to_networkx()
    simple.remove_edges_from(networkx.selfloop_edges(simple))
    expected = networkx.core_number(networkx.Graph(simple))
    assert [expected[v] for v in layout.vertex_at.tolist()] == cores.numbers.tolist()
    above = RelationCsr(*_native.in_order(csr.bounds, csr.neighbors, cores.order)).longest_above[0]
    assert above <= cores.degeneracy < csr.longest_above[0]


@given(graph=rough_graphs(), data=st.data())
def test_another_order_of_some_vertices(graph: Graph, data: st.DataObject) -> None:
    note(told(graph))
    _, _, csr, _ = read(graph)
    members = data.draw(st.permutations(range(csr.num_vertices)))
    members = members[: data.draw(st.integers(0, len(members)))]
    number = {v: i for i, v in enumerate(members)}
    expected = {
        (min(number[u], number[v]), max(number[u], number[v]))
        for u, v in entries(csr)
        if u != v and u in number and v in number
    }
    found = RelationCsr(*_native.in_order(csr.bounds, csr.neighbors, np.array(members, np.uint32)))
    assert found.num_vertices == len(members) and edges_of(found) == expected


@given(graph=rough_graphs(), least=st.integers(0, 4), threads=st.sampled_from([0, 1, 3]))
def test_thin_edges_go(graph: Graph, least: int, threads: int) -> None:
    """Until none is left, as far as a few rounds go: all that are in triangles enough with what stays do stay."""
    note(told(graph))
    _, _, csr, cores = read(graph)
    lists = _native.in_order(csr.bounds, csr.neighbors, cores.order)
    whole = edges_of(RelationCsr(*lists))
    one = edges_of(RelationCsr(*_native.without_thin_edges(*lists, least, 1, threads)))
    assert one == {edge for edge in whole if triangles(edge, whole) >= least}
    expected = whole
    while (left := {edge for edge in expected if triangles(edge, expected) >= least}) != expected:
        expected = left
    assert edges_of(RelationCsr(*_native.without_thin_edges(*lists, least, 99, threads))) == expected


def triangles(edge: tuple[int, int], edges: Edges) -> int:
    others: tuple[set[int], set[int]] = (set(), set())
    for u, v in itertools.chain(edges, ((v, u) for u, v in edges)):
        for side, end in enumerate(edge):
            others[side].update({v} if u == end else ())
    return len(others[0] & others[1])


def test_triangles_by_several_threads() -> None:
    """Enough entries that threads are worth it: as one thread finds them."""
    rng = np.random.default_rng(2)
    graph = Graph.from_edges(*rng.integers(0, 1500, (2, 300_000)), num_vertices=1500)
    _, _, csr, _ = read(graph)
    assert csr.num_entries > 2**18
    made = [_native.without_thin_edges(csr.bounds, csr.neighbors, 52, 1, threads) for threads in (1, 2)]
    assert 0 < len(made[0][1]) < csr.num_entries
    for one, two in zip(*made, strict=True):
        assert np.array_equal(one, two)


def test_what_does_not_fit_is_refused() -> None:
    _, _, csr, _ = read(Graph.from_edges([0, 1, 2], [1, 2, 0]))
    with pytest.raises(ValueError, match="no vertex"):
        _native.in_order(csr.bounds, csr.neighbors, np.array([3], np.uint32))
    with pytest.raises(ValueError, match="twice"):
        _native.in_order(csr.bounds, csr.neighbors, np.array([1, 1], np.uint32))
    with pytest.raises(ValueError, match="two numbers per vertex"):
        _native.peel(csr.bounds[:-1], csr.neighbors)
    with pytest.raises(ValueError, match="does not fit"):
        _native.peel(csr.bounds, csr.neighbors[:-1])
