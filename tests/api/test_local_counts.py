"""Local counts as users ask for them: known values, other libraries, identities, sizes, and what is refused."""

from __future__ import annotations

import itertools
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.data import load_graph, oracle

import subiso as si
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.errors import CountOverflowError, QueryError, UnsupportedError
from subiso.result.local import count_per

SMALL_WORLD = si.generators.watts_strogatz(300, 8, 0.2, seed=1)


def star(leaves: int) -> si.Graph:
    return si.Graph.from_edges(np.zeros(leaves, int), np.arange(1, leaves + 1))


def test_triangles_and_clustering_of_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    graph = SMALL_WORLD.to_networkx()
    triangles = si.count(SMALL_WORLD, si.Pattern.clique(3), per="vertex")
    expected = networkx.triangles(graph)
    assert triangles.tolist() == [expected[v] for v in range(300)]
    wedges = si.count(SMALL_WORLD, "(a)--(b)--(c)", per="role")["b"]
    clustering = networkx.clustering(graph)
    assert np.allclose(triangles / wedges, [clustering[v] for v in range(300)])


@pytest.mark.parametrize("k", [3, 4, 5, 6, 8])
def test_cliques_by_pivots_and_by_listing(k: int) -> None:
    """The two ways to count cliques share no code below the neighbourhood's bit rows."""
    rng = np.random.default_rng(k)
    u, v = np.triu_indices(40, 1)
    kept = rng.random(len(u)) < 0.7
    graph = si.Graph.from_edges(u[kept], v[kept], num_vertices=40)
    found = [si.cliques(graph, k, per=per) for per in ("vertex", "edge")]
    assert found[0].sum() == k * si.cliques(graph, k)
    assert found[1].sum() == math.comb(k, 2) * si.cliques(graph, k)
    query, listed = make_query(graph, si.Pattern.clique(k)), Params(switches=Switches(pivots=False))
    for per, counts in zip(("vertex", "edge"), found, strict=True):
        again = count_per(query, per, cpu, listed).counts
        assert isinstance(again, np.ndarray) and again.tolist() == counts.tolist()


def test_cliques_of_a_complete_graph() -> None:
    graph = si.Graph.from_edges(*np.triu_indices(90, 1))
    assert si.cliques(graph, 12) == math.comb(90, 12)
    assert set(si.cliques(graph, 12, per="vertex").tolist()) == {math.comb(89, 11)}
    assert set(si.cliques(graph, 9, per="edge").tolist()) == {math.comb(88, 7)}


@pytest.mark.parametrize("induced", [False, True])
@pytest.mark.parametrize("per", ["vertex", "edge"])
def test_motifs(per: str, induced: bool) -> None:
    for k in (3, 4):
        local_counts = si.motifs(SMALL_WORLD, k, induced=induced, per=per)  # type: ignore[call-overload]
        for pattern, count in si.motifs(SMALL_WORLD, k, induced=induced).items():
            assert local_counts[pattern].sum() == count * (k if per == "vertex" else len(pattern.edges))
            direct = si.count(SMALL_WORLD, pattern, induced=induced, per=per)  # type: ignore[call-overload]
            assert local_counts[pattern].tolist() == direct.tolist()


def small_random_graph() -> si.Graph:
    rng = np.random.default_rng(7)
    u, v = np.triu_indices(12, 1)
    kept = rng.random(len(u)) < 0.45
    return si.Graph.from_edges(u[kept], v[kept], num_vertices=12)


@pytest.mark.parametrize("induced", [False, True])
@pytest.mark.parametrize("per", ["vertex", "edge"])
def test_motifs_of_five_vertices(per: str, induced: bool) -> None:
    """Every match has five vertices, and as many edges as its pattern: so often the sum of all has each."""
    graph = small_random_graph()
    found = si.motifs(graph, 5, induced=induced, per=per)  # type: ignore[call-overload]
    total = si.motifs(graph, 5, induced=induced)
    assert list(found) == list(total) and len(total) == 21
    for pattern, count in total.items():
        assert len(found[pattern]) == (graph.num_vertices if per == "vertex" else graph.num_edges)
        assert found[pattern].sum() == count * (5 if per == "vertex" else len(pattern.edges)), pattern
    if induced:  # every connected set of five vertices is of one kind
        sets = connected_sets(graph, 5)
        assert sum(total.values()) == len(sets) > 0
    if induced and per == "vertex":
        assert sum(found.values()).tolist() == [sum(v in chosen for chosen in sets) for v in range(12)]


def connected_sets(graph: si.Graph, k: int) -> list[frozenset[int]]:
    """By growing them one neighbour at a time."""
    ends = list(zip(*(side.tolist() for side in graph.edge_endpoints()), strict=True))
    found = {frozenset([v]) for v in range(graph.num_vertices)}
    for _ in range(k - 1):
        found = {s | {u, v} for s in found for u, v in ends if (u in s) != (v in s)}
    return sorted(found, key=sorted)


@pytest.mark.parametrize("induced", [False, True])
def test_motifs_of_five_vertices_by_trying_all_sets(induced: bool) -> None:
    """Sets of five vertices, and the patterns laid on each in every way."""
    graph = small_random_graph()
    number = {
        frozenset(ends): i
        for i, ends in enumerate(zip(*(side.tolist() for side in graph.edge_endpoints()), strict=True))
    }
    by_vertex = si.motifs(graph, 5, induced=induced, per="vertex")
    by_edge = si.motifs(graph, 5, induced=induced, per="edge")
    for pattern in by_vertex:
        pairs = [(e.source, e.target) for e in pattern.edges]
        vertices, edges = np.zeros(graph.num_vertices, int), np.zeros(graph.num_edges, int)
        for chosen in itertools.combinations(range(graph.num_vertices), 5):
            inside = sum(frozenset(pair) in number for pair in itertools.combinations(chosen, 2))
            if inside < len(pairs) or (induced and inside > len(pairs)):
                continue
            images = {frozenset(frozenset((row[a], row[b])) for a, b in pairs) for row in turns(chosen)}
            for image in images:
                if all(pair in number for pair in image):
                    vertices[list(chosen)] += 1
                    edges[[number[pair] for pair in image]] += 1
        assert by_vertex[pattern].tolist() == vertices.tolist(), pattern
        assert by_edge[pattern].tolist() == edges.tolist(), pattern


@cache
def turns(chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(itertools.permutations(chosen))


@pytest.mark.parametrize("name", ["email-Eu-core", "ca-GrQc"])
def test_sums_are_the_published_counts(name: str) -> None:
    graph = load_graph(name)
    for pattern, known in oracle()[name].items():
        p = si.Pattern.from_edges(known["edges"])
        if p.num_vertices > 4:
            continue
        for mode in ("subgraphs", "induced"):
            counts = [si.count(graph, p, per=per, induced=mode == "induced") for per in ("vertex", "edge")]  # type: ignore[call-overload]
            assert counts[0].sum() == known[mode] * p.num_vertices, pattern
            assert counts[1].sum() == known[mode] * len(p.edges), pattern


def test_ids_directions_and_parallel_edges() -> None:
    graph = si.Graph.from_edges(
        ["ann", "ann", "bob", "cid"],
        ["bob", "bob", "cid", "ann"],
        directed=True,
        parallel="keep",
        edge_labels=["OWES", "PAYS", "PAYS", "PAYS"],
    )
    ring = "(a)-[:PAYS]->(b)-[:PAYS]->(c)-[:PAYS]->(a)"
    assert si.count(graph, ring, per="edge").tolist() == [0, 1, 1, 1]  # in the order of the graph's edges
    path = "(a)-->(b)-->(c)"
    assert si.count(graph, path, per="edge").tolist() == [
        2,
        0,
        2,
        2,
    ]  # of parallel edges the first stands for both
    roles = si.count(graph, path, per="role")
    assert list(graph.ids) == ["ann", "bob", "cid"]
    assert {name: counts.tolist() for name, counts in roles.items()} == {
        "a": [1, 1, 1],
        "b": [1, 1, 1],
        "c": [1, 1, 1],
    }


def test_roles() -> None:
    claw = star(4)
    roles = si.count(claw, "(a)--(b), (a)--(c)", per="role")
    assert roles.names == [("a",), ("b", "c")]
    assert roles["a"].tolist() == [6, 0, 0, 0, 0] and roles["c"].tolist() == [0, 3, 3, 3, 3]
    assert roles.to_numpy().shape == (5, 2) and roles.to_numpy(["c"]).tolist() == [[0], [3], [3], [3], [3]]
    each = si.count(claw, "(a)--(b), (a)--(c)", per="role", unique=False)
    assert each.names == [("a",), ("b",), ("c",)] and each["a"].tolist() == [12, 0, 0, 0, 0]
    assert each["b"].tolist() == each["c"].tolist() == [0, 3, 3, 3, 3]
    with pytest.raises(KeyError):
        roles["z"]
    maps = si.count(claw, "(a)--(b), (a)--(c)", per="role", mode="homomorphism")
    assert maps["a"].tolist() == [16, 1, 1, 1, 1]


def test_lists_of_patterns_and_anchors() -> None:
    one, two = si.count(SMALL_WORLD, ["(a)--(b)", si.Pattern.clique(3)], per="vertex")
    assert one.sum() == 2 * SMALL_WORLD.num_edges and two.sum() == 3 * si.cliques(SMALL_WORLD, 3)
    at = si.count(SMALL_WORLD, "(a)--(b)", per="vertex", anchor={"a": [0, 5]})
    assert [counts[v] for counts, v in zip(at, (0, 5), strict=True)] == [counts.sum() // 2 for counts in at]


def test_counts_beyond_64_bits() -> None:
    """The total needs more, the counts do not: they are exact. When they do, that is an error."""
    pattern = si.Pattern.star(7)
    graph = star(3000)  # 3000 choose 7 is 4.3e20
    with pytest.raises(CountOverflowError, match="per vertex"):
        si.count(graph, pattern, per="vertex")
    complete = si.Graph.from_edges(*np.triu_indices(400, 1))
    with pytest.raises(CountOverflowError, match="128-bit"):
        si.cliques(complete, 40, per="vertex")
    with pytest.raises(CountOverflowError, match="128-bit"):
        si.cliques(complete, 40)
    hubs = si.Graph.from_edges(np.repeat(np.arange(40), 1000), np.tile(np.arange(40, 1040), 40))
    counts = si.count(hubs, si.Pattern.star(6), per="vertex")  # 1.4e15 each, and embeddings 720 times as many
    assert counts[0] == math.comb(1000, 6) + 1000 * math.comb(39, 5)
    assert counts[1039] == math.comb(40, 6) + 40 * math.comb(999, 5)


@pytest.mark.parametrize("leaves", [19, 20, 21, 25])
def test_many_leaves_of_one_kind(leaves: int) -> None:
    graph, pattern = star(22), si.Pattern.star(leaves)
    wanted = [math.comb(22, leaves)] + 22 * [math.comb(21, leaves - 1)]
    assert si.count(graph, pattern, per="vertex").tolist() == wanted
    assert si.count(graph, pattern, per="edge").tolist() == wanted[1:]


def test_nothing_to_count() -> None:
    assert si.count(SMALL_WORLD, "(a)", per="edge").tolist() == [0] * SMALL_WORLD.num_edges
    assert si.count(SMALL_WORLD, "(a)", per="vertex").tolist() == [1] * 300
    empty = si.Graph.from_edges([], [], num_vertices=3)
    assert si.count(empty, si.Pattern.clique(3), per="vertex").tolist() == [0, 0, 0]
    assert si.count(empty, si.Pattern.clique(3), per="edge").tolist() == []


def test_self_loops() -> None:
    graph = si.Graph.from_edges([0, 0, 1], [0, 1, 1], loops="keep")
    assert si.count(graph, "(a)--(a), (a)--(b)", per="edge").tolist() == [1, 2, 1]


def test_mistakes() -> None:
    with pytest.raises(QueryError, match="unknown per='corner'"):
        si.count(SMALL_WORLD, "(a)--(b)", per="corner")  # type: ignore[call-overload]
    with pytest.raises(QueryError, match="several times"):
        si.count(SMALL_WORLD, "(a)--(b)", per="vertex", mode="homomorphism")
    with pytest.raises(QueryError, match="unknown per='role'"):
        si.motifs(SMALL_WORLD, 3, per="role")  # type: ignore[call-overload]
    with pytest.raises(UnsupportedError, match="with directions or labels"):
        si.motifs(SMALL_WORLD, 3, per="vertex", labels=True)  # type: ignore[call-overload]
    with pytest.raises(QueryError, match="per= and approx= at once"):
        si.count(SMALL_WORLD, "(a)--(b)", per="vertex", approx=0.1)  # type: ignore[call-overload]


def test_motifs_of_arrays_print() -> None:
    lines = str(si.motifs(SMALL_WORLD, 3, per="vertex")).splitlines()
    assert [line.split()[1] for line in lines] == ["count", *[f"[{SMALL_WORLD.num_vertices}]"] * 2]


def test_several_patterns_within_one_timeout() -> None:
    graph = si.Graph.from_edges(*np.triu_indices(300, 1))
    with pytest.raises(si.TimeoutReached) as caught:
        si.count(graph, [si.Pattern.path(2), si.Pattern.path(7)], per="vertex", timeout=0.5)
    assert [counts.tolist() for counts in caught.value.done] == [[299] * 300]


def test_a_timeout_says_so() -> None:
    graph = si.Graph.from_edges(*np.triu_indices(300, 1))
    with pytest.raises(si.TimeoutReached):
        si.count(graph, si.Pattern.path(7), per="vertex", timeout=0.2)


def test_shell(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from subiso.cli.main import app

    (tmp_path / "g.txt").write_text("0 1\n1 2\n2 0\n0 3\n")
    found = CliRunner().invoke(
        app, ["count", str(tmp_path / "g.txt"), "triangle", "--per", "vertex", "-f", "csv"]
    )
    assert found.stdout == "vertex,count\n0,1\n1,1\n2,1\n3,0\n"
    out = tmp_path / "roles.parquet"
    CliRunner().invoke(app, ["count", str(tmp_path / "g.txt"), "wedge", "--per", "role", "-o", str(out)])
    table = pytest.importorskip("pyarrow.parquet").read_table(out)
    assert table.to_pydict() == {"vertex": [0, 1, 2, 3], "a c": [2, 3, 3, 2], "b": [3, 1, 1, 0]}
