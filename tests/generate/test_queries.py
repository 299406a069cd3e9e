"""Queries cut out of graphs: they match where they come from, keep what they should, and are the same again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import subiso as si
from subiso.errors import FormatError, GraphError
from subiso.graph import generators as gen
from subiso.graph.generators import random_labels
from subiso.queries import random_queries, read_queries, write_queries


def test_walks_are_long_and_expansions_are_bushy() -> None:
    """In a graph without short ways back: a walk of eight vertices is mostly a path, an expansion hardly ever."""
    rng = np.random.default_rng(1)
    graph = si.Graph.from_edges(*rng.integers(0, 4000, (2, 40_000)), num_vertices=4000, loops="drop")
    paths = {}
    for method in ("walk", "expand"):
        queries = random_queries(graph, 60, [8], method=method, edges="visited", seed=3)
        paths[method] = sum(max(m.bit_count() for m in query.neighbor_masks) <= 2 for query in queries)
    assert paths["walk"] > 30 and paths["expand"] < 10


def labelled(seed: int = 1, directed: bool = True) -> si.Graph:
    graph = gen.rmat(9, 6, seed=seed, directed=directed)
    return random_labels(random_labels(graph, 5, "zipf", seed=seed), ["x", "y", "z"], on="edges", seed=seed)


def mean_degree(pattern: si.Pattern) -> float:
    return sum(mask.bit_count() for mask in pattern.neighbor_masks) / pattern.num_vertices


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.booleans(),
    st.sampled_from(["walk", "expand"]),
    st.sampled_from(["any", "sparse"]),
    st.sampled_from(["all", "visited"]),
    st.booleans(),
    st.booleans(),
)
def test_every_query_has_a_match(
    seed: int, directed: bool, method: Any, density: Any, edges: Any, on_vertices: bool, on_edges: bool
) -> None:
    rng = np.random.default_rng(seed)
    n = 12
    graph = si.Graph.from_edges(
        *rng.integers(0, n, (2, 40)),
        num_vertices=n,
        directed=directed,
        vertex_labels=[[label for label in "AB" if rng.random() < 0.5] for _ in range(n)],
        edge_labels=np.array([("x", "y", None)[i] for i in rng.integers(0, 3, 40)], dtype=object),
        parallel="keep",
        loops="keep",
    )
    try:
        queries = random_queries(
            graph, 2, [1, 2, 5], method=method, density=density, edges=edges, vertex_labels=on_vertices,
            edge_labels=on_edges, seed=seed,
        )  # fmt: skip
    except GraphError as error:
        assert "no connected pattern of" in str(error)  # a graph in pieces
        return
    assert [query.num_vertices for query in queries] == [1, 1, 2, 2, 5, 5]
    for query in queries:
        assert si.exists(graph, query, engine="reference"), str(query)
        if density == "sparse":
            assert mean_degree(query) < 3
        assert on_vertices or not any(query.vertex_labels)
        assert on_edges or all(edge.labels is None for edge in query.edges)
        assert all(edge.directed == directed for edge in query.edges)


@pytest.mark.parametrize("method", ["walk", "expand"])
def test_dense_queries_are_dense(method: Any) -> None:
    graph = labelled()
    for query in random_queries(graph, 5, [5, 8], method=method, density="dense", seed=2):
        assert mean_degree(query) >= 3
        assert si.exists(graph, query)


def test_all_edges_are_the_induced_subgraph() -> None:
    """With all edges and no labels a query also matches as an induced subgraph."""
    graph = gen.rmat(8, 6, seed=3)
    for query in random_queries(graph, 10, 6, seed=4):
        assert si.exists(graph, query, mode="induced")


def test_the_same_again_and_nothing_else() -> None:
    graph = labelled()
    queries = random_queries(graph, 10, 6, seed=1)
    assert queries == random_queries(graph, 10, 6, seed=1)
    assert queries[:4] == random_queries(graph, 4, 6, seed=1), "a query does not depend on how many are drawn"
    assert queries == random_queries(graph, 10, [4, 6], seed=1)[10:]
    assert (
        queries
        == random_queries(graph, 10, np.array(6), seed=1)
        == random_queries(graph, 10, np.array([6]), seed=1)
    )  # type: ignore[arg-type]
    assert queries != random_queries(graph, 10, 6, seed=2)
    assert len(set(queries)) > 5


def test_seed_labels() -> None:
    graph = labelled()
    for query in random_queries(graph, 10, 4, seed_label=3, seed=1):
        assert query.vertex_labels[0] == (frozenset({3}),)
    for query in random_queries(graph, 10, 4, seed_label="z", seed=1):
        first = [edge for edge in query.edges if {edge.source, edge.target} == {0, 1}]
        assert any(edge.labels == frozenset({"z"}) for edge in first)
    with pytest.raises(GraphError, match="no vertex and no edge has the label 'w'"):
        random_queries(graph, 1, 4, seed_label="w")


def test_no_pattern_begins_with_a_loop() -> None:
    ends = [0, 0, 1, 2], [0, 1, 2, 2]
    graph = si.Graph.from_edges(*ends, edge_labels=["z", "x", "z", "w"], loops="keep")
    for query in random_queries(graph, 20, 2, seed_label="z", seed=1):
        assert query.edges[0].labels == frozenset({"z"})
    with pytest.raises(GraphError, match="only self loops have the label 'w'"):
        random_queries(graph, 1, 2, seed_label="w")


@pytest.mark.parametrize("word", ["random-walk", "random_walk"])
def test_other_words_for_a_method(word: Any) -> None:
    graph = labelled()
    assert random_queries(graph, 3, 5, method=word, seed=1) == random_queries(graph, 3, 5, seed=1)


def test_what_cannot_be_found() -> None:
    pairs = si.Graph.from_edges([0, 2], [1, 3])
    with pytest.raises(GraphError, match="no connected pattern of 3 vertices was found"):
        random_queries(pairs, 1, 3, method="expand")
    with pytest.raises(GraphError, match=r"the densest has 1\.\d+ neighbours per vertex, 3 are wanted"):
        random_queries(gen.path(20), 1, 6, density="dense")
    with pytest.raises(GraphError, match="fewer than 4 vertices is dense"):
        random_queries(pairs, 1, 3, density="dense")
    with pytest.raises(GraphError, match="method must be one of walk, expand, not 'run'"):
        random_queries(pairs, 1, 2, method="run")  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="size is an empty list"):
        random_queries(pairs, size=[])
    with pytest.raises(GraphError, match="size must be a whole number of 1 to 64, not 65"):
        random_queries(pairs, 1, 65)
    with pytest.raises(GraphError, match="a pattern of 1 vertices in a graph of 0"):
        random_queries(si.Graph.from_edges([], []), 1, 1)
    with pytest.raises(GraphError, match="size must be a whole number of 1 to 64, not 'abc'"):
        random_queries(pairs, 1, "abc")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["q.json", "q.patterns"])
def test_files_give_back_the_same(name: str, tmp_path: Path) -> None:
    queries = random_queries(labelled(), 5, [3, 9], seed=1)
    write_queries(queries, tmp_path / name)
    assert read_queries(tmp_path / name) == queries


def test_files_of_patterns_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "mine.patterns"
    file.write_text("# two\n(a)--(b)\n\n(a)-->(b)\n")
    assert read_queries(file) == [si.Pattern("(a)--(b)"), si.Pattern("(a)-->(b)")]
    listed = tmp_path / "mine.json"
    listed.write_text('["(a)--(b)"]')
    assert read_queries(listed) == [si.Pattern("(a)--(b)")]
    listed.write_text('{"patterns": [3]}')
    with pytest.raises(FormatError, match="a JSON file of patterns is a list of texts"):
        read_queries(listed)
    listed.write_text("[")
    with pytest.raises(FormatError, match="cannot read the patterns: "):
        read_queries(listed)
    with pytest.raises(FormatError, match="No such file"):
        read_queries(tmp_path / "none.json")
    file.write_text("\ufeff  # names too\ntriangle\n\n(a)--(\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"mine\.patterns:4"):
        read_queries(file)
    listed.write_text('["K4", "(a)>(b)"]')
    with pytest.raises(FormatError, match="pattern 2: "):
        read_queries(listed)


def test_names_of_files_say_what_they_hold(tmp_path: Path) -> None:
    write_queries(["(a)--(b)"], tmp_path / "q.JSON")
    assert read_queries(tmp_path / "q.JSON") == [si.Pattern("(a)--(b)")]
    with pytest.raises(FormatError, match=r"end in \.json or \.patterns"):
        write_queries(["(a)--(b)"], tmp_path / "q.txt")
    assert not (tmp_path / "q.txt").exists()


def test_random_labels() -> None:
    graph = gen.cycle(300)
    both = random_labels(graph, ["A", "B"], "powerlaw", "both", seed=1)
    assert both.vertex_labels is not None and both.edge_labels is not None
    assert (
        both.vertex_labels.codes.tolist()
        == gen.with_labels(graph, ["A", "B"], "powerlaw", seed=1).vertex_labels.codes.tolist()
    )  # type: ignore[union-attr]
    assert random_labels(graph, 3, on="edges", seed=1).vertex_labels is None
    with pytest.raises(GraphError, match="on must be vertices, edges or both, not 'loops'"):
        random_labels(graph, 3, on="loops")
