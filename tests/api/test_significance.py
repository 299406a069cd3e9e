"""significance: scores against random graphs, reproducible, and right about graphs that are random themselves."""

from __future__ import annotations

import math
import statistics

import pytest

import subiso as si
from subiso.errors import QueryError, TimeoutReached, UnsupportedError
from subiso.graph import generators as gen
from subiso.result.significance import Score

TRIANGLE = "(a)--(b), (b)--(c), (c)--(a)"


def test_the_random_graphs_are_those_of_rewire() -> None:
    graph = gen.watts_strogatz(100, 6, 0.2, seed=1)
    score = si.significance(graph, TRIANGLE, samples=8, seed=5)[0]
    counts = [si.count(si.rewire(graph, seed=5, sample=i), TRIANGLE) for i in range(1, 9)]
    assert score.random == tuple(counts) and score.count == si.count(graph, TRIANGLE)
    assert score.mean == statistics.mean(counts)
    assert math.isclose(score.std, statistics.stdev(counts))
    assert math.isclose(score.z, (score.count - score.mean) / score.std)


def test_a_random_graph_is_not_significant() -> None:
    """z-scores of graphs that are samples themselves have mean 0 and deviation 1."""
    base = gen.erdos_renyi(60, m=300, seed=1)
    scores = [
        si.significance(si.rewire(base, seed=99, sample=i), 4, samples=30, seed=i)["cycle4"].z
        for i in range(30)
    ]
    assert abs(statistics.mean(scores)) < 0.7 and 0.6 < statistics.stdev(scores) < 1.5


def test_planted_cliques_are_significant() -> None:
    graph = gen.planted_partition(12, 6, 1.0, 0.02, seed=3)
    table = si.significance(graph, 4, samples=30, induced=True)
    assert table["clique4"].z > 10 and table["clique4"].p == 2 / 31
    assert table[si.Pattern.clique(4)] is table["clique4"]


def test_threads_and_order_make_no_difference() -> None:
    graph = gen.rmat(8, 6, seed=1, directed=True)
    one, four = (si.significance(graph, 3, directions=True, samples=9, threads=t) for t in (1, 4))
    assert str(one) == str(four) and [s.random for s in one] == [s.random for s in four]
    assert str(one) != str(si.significance(graph, 3, directions=True, samples=9, seed=1))


def test_mutual_arcs() -> None:
    """What the random graphs preserve cannot be significant."""
    graph = gen.erdos_renyi(60, m=900, seed=1, directed=True)
    both = "(a)-->(b), (b)-->(a)"
    free, kept = (si.significance(graph, both, samples=10, keep_mutual=keep)[0] for keep in (False, True))
    assert free.std > 0 and kept.std == 0 and kept.z == 0 and kept.p == 1


def test_labels_stay_with_their_vertices() -> None:
    graph = gen.with_labels(gen.erdos_renyi(50, m=200, seed=2), ["x", "y"], seed=2)
    table = si.significance(graph, ["(a:x)--(b:x)", "(a:x)--(b)"], samples=10)
    # the arcs that leave x are fixed by degrees: those inside count twice
    inside, all_ = (si.count(graph, p) for p in ("(a:x)--(b:x)", "(a:x)--(b)"))
    assert table[0].count == inside and table[1].count == all_
    assert table[0].std > 0


def test_labelled_motifs() -> None:
    graph = gen.with_labels(gen.erdos_renyi(40, m=120, seed=2), ["x", "y"], seed=2)
    table = si.significance(graph, 3, labels=True, samples=5)
    triangles = si.Pattern("(a:x)--(b:x), (b)--(c:y), (c)--(a)")
    assert table[triangles].count == si.count(graph, triangles)
    drawn = [si.count(si.rewire(graph, sample=i), triangles) for i in range(1, 6)]
    assert table[triangles].random == tuple(drawn)


def test_scores() -> None:
    same = Score(si.Pattern.clique(3), "triangle", 5, (4, 4, 4))
    assert same.z == math.inf and same.p == 0.5 and same.std == 0
    assert Score(si.Pattern.clique(3), "triangle", 3, (4, 4)).z == -math.inf
    assert Score(si.Pattern.clique(3), "triangle", 4, (4, 4)).z == 0
    large = 10**30
    precise = Score(si.Pattern.clique(3), "triangle", large + 3, (large, large + 2))
    assert precise.std == math.sqrt(2) and math.isclose(precise.z, math.sqrt(2))


def test_table_and_progress() -> None:
    seen: list[float] = []
    table = si.significance(gen.cycle(12), [TRIANGLE, si.Pattern.path(3)], samples=4, progress=seen.append)
    assert seen == [0.25, 0.5, 0.75, 1.0]
    lines = str(table).splitlines()
    assert lines[0].split() == ["motif", "count", "mean", "std", "z", "p", "pattern"]
    assert lines[1].startswith("triangle") and len(lines) == 3 == 1 + len(table)
    assert table.rows()[1]["count"] == 12 and next(iter(table.rows()[0])) == "motif"
    with pytest.raises(KeyError):
        table["cycle5"]


def test_mistakes() -> None:
    graph = si.Graph.from_edges([0, 1], [1, 2], edge_labels=["x", "y"])
    for samples in (1, 0, 2.5, True):
        with pytest.raises(QueryError, match="samples is"):
            si.significance(graph, 3, samples=samples)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="random graphs have no edge labels"):
        si.significance(graph, "(a)-[:x]-(b)")
    for option in ("directions", "labels"):
        with pytest.raises(QueryError, match=f"{option}=True goes with a number"):
            si.significance(graph, "(a)--(b)", **{option: True})
    with pytest.raises(QueryError, match="the pattern is a float"):
        si.significance(graph, 3.5)  # type: ignore[arg-type]


def test_timeout() -> None:
    with pytest.raises(TimeoutReached):
        si.significance(gen.rmat(12, 8), 5, timeout=0)
    with pytest.raises(TimeoutReached, match="of 8000 random graphs were counted"):
        si.significance(gen.cycle(50), 3, samples=8000, timeout=0.3)
