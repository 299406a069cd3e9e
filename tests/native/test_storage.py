"""Relations, ranks and bitmaps of the storage room against naive ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from tests.storage.rough import rough_graphs

from subiso import _native
from subiso.graph import Graph
from subiso.storage.layout import layout_of, pack_bits
from subiso.storage.relation import Direction, EdgeFit, Relation

DIRECTIONS: tuple[Direction, ...] = ("out", "in", "any")


def arcs(graph: Graph, direction: Direction) -> list[tuple[int, int, int]]:
    """(from, to, edge id) for every data edge, read in the direction."""
    found = set()
    for edge, (u, v) in enumerate(zip(*(side.tolist() for side in graph.edge_endpoints()), strict=True)):
        if direction in ("out", "any") or not graph.directed:
            found.add((u, v, edge))
        if direction in ("in", "any") or not graph.directed:
            found.add((v, u, edge))
    return sorted(found)


@pytest.mark.parametrize("direction", DIRECTIONS)
@given(graph=rough_graphs(), data=st.data())
def test_relations(direction: Direction, graph: Graph, data: st.DataObject) -> None:
    fits = np.array(
        data.draw(st.lists(st.booleans(), min_size=graph.num_edges, max_size=graph.num_edges)), np.uint8
    )
    fit = data.draw(st.sampled_from([None, EdgeFit("test", fits)]))
    note(f"{graph} {list(zip(*graph.edge_endpoints(), strict=True))} {fit}")
    layout = layout_of(graph)
    rank = layout.rank.tolist()
    wanted = [(rank[u], rank[v], e) for u, v, e in arcs(graph, direction) if fit is None or fits[e]]

    csr = layout.relation(Relation(direction, fit))
    assert csr.bounds[0] == 0 and csr.bounds[-1] == len(csr.neighbors)
    for v in range(graph.num_vertices):
        begin, split, end = csr.bounds[2 * v : 2 * v + 3]
        expected = sorted({t for s, t, _ in wanted if s == v})
        assert csr.neighbors[begin:end].tolist() == expected
        assert csr.neighbors[split:end].tolist() == [t for t in expected if t > v]

    entities = layout.entities(Relation(direction, fit))
    found = {
        (v, int(entities.neighbors[i]), int(entities.edge_ids[i]))
        for v in range(graph.num_vertices)
        for i in range(entities.offsets[v], entities.offsets[v + 1])
    }
    assert found == set(wanted)


@given(graph=rough_graphs())
def test_ranks_go_by_degree_then_id(graph: Graph) -> None:
    layout = layout_of(graph)
    degrees = np.diff(graph.out.offsets) + (np.diff(graph.in_.offsets) if graph.directed else 0)
    order = sorted(range(graph.num_vertices), key=lambda v: (degrees[v], v))
    assert layout.vertex_at.tolist() == order
    assert layout.rank[layout.vertex_at].tolist() == list(range(graph.num_vertices))


@given(mask=st.lists(st.booleans(), max_size=300))
def test_bitmaps(mask: list[bool]) -> None:
    words = pack_bits(np.array(mask, dtype=bool))
    assert len(words) == (len(mask) + 63) // 64
    assert _native.bit_positions(words).tolist() == [i for i, bit in enumerate(mask) if bit]
