"""GSI's order: |C(u)| / degree says who is first, and then how common the edges to the matched part are."""

from __future__ import annotations

from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.plan.order import order_by_gsi
from subiso.storage.statistics import statistics_of


def made(edges: list[tuple[int, int]], labels: str) -> Graph:
    return Graph.from_edges(*zip(*edges, strict=True), num_vertices=len(labels), vertex_labels=list(labels))


def order_of(graph: Graph, text: str) -> tuple[int, ...]:
    resolved = resolve(make_query(graph, text))
    found = order_by_gsi(resolved.problem, statistics_of(graph), counting=False)
    return (*found.prefix, *found.tail)


def test_few_candidates_with_many_neighbours_come_first() -> None:
    """Two A, three B, four C; of (a:A)--(b:B)--(c:C) the scores are 2 / 1, 3 / 2 and 4 / 1."""
    edges = [(0, 2), (1, 3), (0, 4), (2, 5), (3, 6), (4, 7), (4, 8)]
    assert order_of(made(edges, "AABBBCCCC"), "(a:A)--(b:B)--(c:C)")[0] == 1


def test_rare_edges_are_followed_first() -> None:
    """Four A with 24 edges to six B, six C with 6 edges: 4 * 24 is more than 6 * 6, and less than 6 * 36."""
    dense, rare = [(a, b) for a in range(4) for b in range(4, 10)], [(b, b + 6) for b in range(4, 10)]
    common = [(b, c) for b in range(4, 10) for c in range(10, 16)]
    for further, order in ((rare, (1, 2, 0)), (common, (1, 0, 2))):
        graph = made(dense + further, "AAAABBBBBBCCCCCC")
        assert order_of(graph, "(a:A)--(b:B)--(c:C)") == order


def test_edges_are_counted_and_not_neighbours() -> None:
    """90 edges from A to B and 75 to C; a B has nine neighbours of A, a C has two or three. C is larger, too."""
    a, b, c = range(10), range(10, 20), range(20, 50)
    edges = [(v, x) for x in b for v in a if v != x - 10]
    edges += [((2 * x + i) % 10, x) for x in c for i in range(2 + x % 2)]
    assert len(edges) == 90 + 75
    graph = made(edges, "A" * 10 + "B" * 10 + "C" * 30)
    assert order_of(graph, "(a:A)--(b:B), (a)--(c:C)") == (0, 1, 2)


def test_rare_edge_labels_are_followed_first() -> None:
    """Both ends have the same candidates and degree; only the labels of the edges differ."""
    hubs, ends = range(10), range(10, 50)
    pairs = [(h, e) for h in hubs for e in ends]
    rare = [(h, e) for h, e in pairs if (h + e) % 8 == 0]
    graph = Graph.from_edges(
        *zip(*(pairs + rare), strict=True),
        edge_labels=["common"] * len(pairs) + ["rare"] * len(rare),
        vertex_labels=["A"] * 10 + ["B"] * 40,
        parallel="keep",
    )
    for first, second in (("common", "rare"), ("rare", "common")):
        order = order_of(graph, f"(a:A)-[:{first}]-(b:B), (a)-[:{second}]-(c:B)")
        assert order == ((0, 2, 1) if second == "rare" else (0, 1, 2))
