"""count, exists, motifs, cliques, explain: their arguments, lists of patterns and anchors, timeouts."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import networkx as nx
import numpy as np
import pytest

import subiso as si
from subiso.engine import reference
from subiso.engine.base import Outcome, Params
from subiso.engine.choose import choose_engine
from subiso.errors import (
    FormatError,
    PatternSyntaxError,
    QueryError,
    SubisoError,
    TimeoutReached,
    UnsupportedError,
)

TRIANGLE = "(a)--(b), (b)--(c), (c)--(a)"


@pytest.fixture
def graph() -> si.Graph:
    """A triangle 0 1 2 with a tail 0-3."""
    return si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])


@pytest.fixture
def dense() -> si.Graph:
    """Too many cliques for the reference to finish."""
    u, v = np.triu_indices(45, 1)
    return si.Graph.from_edges(u, v, num_vertices=45)


def test_count(graph: si.Graph) -> None:
    assert si.count(graph, TRIANGLE) == 1
    assert si.count(graph, si.Pattern(TRIANGLE), unique=False) == 6
    assert si.count(graph, "(a)--(b), (b)--(c)", induced=True) == 2
    assert si.count(graph, "(a)--(b), (b)--(c)", mode="homomorphism") == 18
    assert type(si.count(graph, TRIANGLE)) is int


def test_count_of_several(graph: si.Graph) -> None:
    assert si.count(graph, [TRIANGLE, "(a)--(b)"]) == [1, 4]
    assert si.count(graph, (TRIANGLE,)) == [1]
    assert si.count(graph, []) == []


def test_count_of_many_anchors(graph: si.Graph) -> None:
    assert si.count(graph, "(a)--(b)", anchor={"a": [0, 3, 0]}) == [3, 1, 3]
    assert si.count(graph, "(a)--(b)", anchor={"a": np.array([0, 3])}) == [3, 1]
    assert si.count(graph, "(a)--(b)", anchor={"a": []}) == []
    assert si.count(graph, [TRIANGLE, "(a)--(b)"], anchor={"a": [0, 3]}) == [[1, 0], [3, 1]]
    assert si.count(graph, "(a)--(b)", anchor={"a": [0, 1], "b": 3}) == [1, 0]
    assert si.count(graph, "(a)--(b)", anchor={"a": [0, 1], "b": [3, 2]}) == [1, 1]
    with pytest.raises(QueryError, match="differ in length: 'a' has 2, 'b' has 1"):
        si.count(graph, "(a)--(b)", anchor={"a": [0, 1], "b": [3]})


def test_counts_beyond_64_bits(graph: si.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "count", lambda query, params: Outcome(2**80 + 1))
    assert si.count(graph, TRIANGLE, engine="reference") == 2**80 + 1


def test_exists(graph: si.Graph) -> None:
    assert si.exists(graph, TRIANGLE) is True
    assert si.exists(graph, [TRIANGLE, si.Pattern.clique(4)]) == [True, False]
    assert si.exists(graph, "(a)--(b)", anchor={"a": 3, "b": 0})
    assert not si.exists(graph, "(a)--(b)", anchor={"a": 3, "b": 1})
    assert si.exists(graph, TRIANGLE, mode="homomorphism", threads=1)
    assert si.exists(graph, TRIANGLE, anchor={"a": [3, 2]})


def test_exists_stops_at_the_first(dense: si.Graph) -> None:
    assert si.exists(dense, si.Pattern.clique(20), engine="reference", timeout=20)


def test_exists_needs_no_second_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """The only match stands at the first seed; the engine must not be asked to go on and look for another."""
    given: list[Params] = []
    stream = reference.stream
    monkeypatch.setattr(reference, "stream", lambda q, p: given.append(p) or stream(q, p))
    assert si.exists(si.Graph.from_edges([0], [1]), "(a)--(b)", engine="reference")
    assert [p.batch_rows for p in given] == [1]


def test_motifs(graph: si.Graph) -> None:
    counts = si.motifs(graph, 3)
    assert counts[si.Pattern.clique(3)] == 1
    assert counts[si.Pattern("(x)--(y)--(z)--(x)")] == 1  # other names, another order
    assert counts[si.Pattern.path(3)] == 5
    assert si.motifs(graph, 3, induced=True)[si.Pattern.path(3)] == 2
    with pytest.raises(KeyError):
        counts[si.Pattern.clique(4)]
    table = str(si.motifs(graph, 4, induced=True)).splitlines()
    assert table[0].split() == ["motif", "count", "pattern"] and len(table) == 1 + 6
    assert any(line.startswith("tailed_triangle") and line.split()[1] == "1" for line in table)


def test_induced_motifs_split_the_connected_sets() -> None:
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 12, (2, 25))
    graph = si.Graph.from_edges(u, v, num_vertices=12)
    data = nx.Graph(zip(*graph.edge_endpoints(), strict=True))
    connected = sum(nx.is_connected(data.subgraph(s)) for s in itertools.combinations(data.nodes, 4))
    assert sum(si.motifs(graph, 4, induced=True).values()) == connected


def test_motifs_of_a_directed_graph_ignore_direction(graph: si.Graph) -> None:
    turned = si.Graph.from_edges([1, 1, 2, 3, 1], [0, 2, 0, 0, 0], directed=True)
    assert list(si.motifs(turned, 3).values()) == list(si.motifs(graph, 3).values())


def test_cliques(graph: si.Graph, dense: si.Graph) -> None:
    assert [si.cliques(graph, k) for k in (1, 2, 3, 4)] == [4, 4, 1, 0]
    assert si.cliques(dense, 3, engine="reference") == math.comb(45, 3)
    estimate = si.cliques(dense, 5, approx=0.1, confidence=0.9, seed=1)
    assert isinstance(estimate, si.Estimate) and estimate.low <= math.comb(45, 5) <= estimate.high


def test_timeout_of_a_count_is_an_error_with_what_was_found(dense: si.Graph) -> None:
    with pytest.raises(TimeoutReached) as caught:
        si.count(dense, si.Pattern.clique(7), engine="reference", timeout=0.3)
    assert caught.value.count > 0 and caught.value.done == []
    assert "not finished within 0.3 s" in str(caught.value) and "hint:" in str(caught.value)
    assert isinstance(caught.value, TimeoutError)


def test_timeout_is_for_the_whole_call(dense: si.Graph) -> None:
    with pytest.raises(TimeoutReached) as caught:
        si.count(dense, ["(a)--(b)", si.Pattern.clique(7), "(a)"], engine="reference", timeout=0.5)
    assert caught.value.done == [990]


def test_timeout_of_exists(dense: si.Graph) -> None:
    with pytest.raises(TimeoutReached, match=r"no match was found within 0\.2 s"):
        si.exists(dense, si.Pattern.clique(46), engine="reference", timeout=0.2)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"device": "gpu"}, QueryError, "unknown device 'gpu'"),
        ({"engine": "fast"}, QueryError, "unknown engine 'fast'"),
        ({"device": "cuda"}, UnsupportedError, 'device="cuda" cannot be used'),
        ({"schedule": "fine"}, UnsupportedError, "schedule='fine'"),
        ({"threads": 0}, QueryError, "threads is 0"),
        ({"threads": 1.5}, QueryError, "threads is 1.5"),
        ({"threads": True}, QueryError, "threads is True"),
        ({"timeout": -1}, QueryError, "timeout is -1"),
        ({"timeout": float("nan")}, QueryError, "timeout is nan"),
        ({"timeout": "1"}, QueryError, "timeout is '1'"),
        ({"progress": 3}, QueryError, "progress must be a function"),
    ],
)
def test_how_to_run_is_checked(graph: si.Graph, options: dict[str, Any], error: type, message: str) -> None:
    for call in (si.count, si.match, si.exists):
        with pytest.raises(error, match=message.replace("(", r"\(")):
            call(graph, TRIANGLE, **options)


def test_endless_timeout(graph: si.Graph) -> None:
    assert si.count(graph, TRIANGLE, timeout=math.inf) == 1


def test_choice_of_engine() -> None:
    assert choose_engine("reference") is reference
    assert choose_engine("auto", "cpu").__name__.startswith("subiso.engine.")  # type: ignore[attr-defined]


def test_progress_runs_over_all_parts(graph: si.Graph) -> None:
    seen: list[float] = []
    si.count(graph, [TRIANGLE, "(a)--(b)"], engine="reference", progress=seen.append)
    assert seen == [0.5, 1.0]


def test_params_reach_the_engine(graph: si.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Params] = []

    def fake(query: object, params: Params) -> Outcome:
        given.append(params)
        return Outcome(1)

    monkeypatch.setattr(reference, "count", fake)
    si.count(graph, TRIANGLE, engine="reference", threads=3, timeout=9)
    assert given[0].threads == 3 and given[0].timeout is not None and 8 < given[0].timeout <= 9


@pytest.mark.parametrize(
    "error",
    [
        QueryError("what", hint="how"),
        PatternSyntaxError("what", text="(a", position=1),
        FormatError("what", path="file", line=3),
        TimeoutReached("what", count=7, done=[1]),
    ],
)
def test_errors_can_be_pickled(error: SubisoError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error) and vars(copy) == vars(error)


def test_explain(graph: si.Graph) -> None:
    pytest.importorskip("subiso.plan.explain", reason="the planner is not here yet")
    assert "a" in str(si.explain(graph, TRIANGLE))
    with pytest.raises(QueryError, match="no vertex 'z'"):
        si.explain(graph, TRIANGLE, anchor={"z": 1})


def test_tables_show_themselves() -> None:
    """In a notebook or at the prompt, where nobody calls print."""
    g = si.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])
    table = si.significance(g, 3, samples=2)
    assert repr(table) == str(table) and "triangle" in repr(table)
    plan = si.explain(g, si.Pattern.clique(3))
    assert repr(plan) == str(plan) and repr(plan).startswith("pattern ")


def test_motifs_by_name() -> None:
    g = si.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], vertex_labels=["A", "B", "A", "B"])
    counts = si.motifs(g, 3)
    assert counts["triangle"] == counts[si.Pattern.clique(3)] == 1
    with pytest.raises(KeyError):
        counts["square"]
    labelled = si.motifs(g, 3, labels=True)
    assert labelled["triangle"] == 1
    with pytest.raises(KeyError):  # several have this name
        labelled["wedge"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: si.motifs(g, 4, mode="induced"), r"motifs\(\) got an unexpected keyword argument 'mode'$"),
        (lambda g: si.motifs(g, 3, timout=1), r"motifs\(\) .* 'timout'; did you mean 'timeout'\?"),
        (lambda g: si.motifs(g, 3, labels=True, unique=False), r"motifs\(\) .* 'unique'"),
        (lambda g: si.motifs(g, 3, per="vertex", anchor={"a": 0}), r"motifs\(\) .* 'anchor'"),
        (lambda g: si.exists(g, "(a)--(b)", limit=3), r"exists\(\) .* 'limit'"),
        (lambda g: si.cliques(g, 3, mode="homomorphism"), r"cliques\(\) .* 'mode'"),
    ],
)
def test_options_that_a_function_does_not_have(call: Any, message: str) -> None:
    """None is dropped in silence, as it would be where a shortcut does not look at it."""
    graph = si.Graph.from_edges([0, 1, 2], [1, 2, 0], vertex_labels=["x", "y", "y"])
    with pytest.raises(TypeError, match=message):
        call(graph)
