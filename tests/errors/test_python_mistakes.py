"""What new users get wrong in Python: each has an error of the right class, these words and this hint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import subiso as si
from subiso.errors import (
    FormatError,
    GraphError,
    PatternError,
    PatternSyntaxError,
    QueryError,
    SubisoError,
    TimeoutReached,
    UnsupportedError,
)

PLAIN = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
PAY = si.Graph.from_edges(
    ["ann", "bob", "ann"],
    ["bob", "cid", "bob"],
    directed=True,
    vertex_labels={"ann": "person", "bob": "firm", "cid": "person"},
    edge_labels=["PAYS", "PAYS", "OWES"],
    edge_columns={"amount": [5, 7, 9]},
)
EDGE = "(a)--(b)"

# name: (the call, the error's class, words of the message, words of the hint)
Mistake = tuple[Callable[[], Any], type[SubisoError], str, str]
MISTAKES: dict[str, Mistake] = {
    "label on a graph without labels": (
        lambda: si.count(PLAIN, "(a:Person)--(b)"),
        QueryError,
        "wants label 'Person' at vertex 'a', but the graph has no vertex labels",
        "vertex_labels=",
    ),
    "edge label on a graph without edge labels": (
        lambda: si.count(PLAIN, "(a)-[:PAYS]-(b)"),
        QueryError,
        "but the graph has no edge labels",
        "edge_labels=",
    ),
    "arrow on an undirected graph": (
        lambda: si.count(PLAIN, "(a)-->(b)"),
        QueryError,
        "(a)-->(b) has a direction, but the graph is undirected",
        "directed=True",
    ),
    "vertex mask of the wrong length": (
        lambda: si.count(PLAIN, si.Pattern(EDGE).where(a=[True, False])),
        QueryError,
        "the mask of vertex 'a' has 2 entries, the graph 4 vertices",
        "one bool per vertex, in the order of graph.ids",
    ),
    "edge mask of the wrong length": (
        lambda: si.count(PAY, si.Pattern("(a)-[e]->(b)").where(e=[True])),
        QueryError,
        "has 1 entries, the graph 3 edges",
        "edge_rows",
    ),
    "mask of indices": (
        lambda: si.Pattern(EDGE).where(a=np.array([0, 2])),
        PatternError,
        "a mask must be one-dimensional and boolean, not int64",
        "compare first",
    ),
    "mask of a vertex that is not there": (
        lambda: si.Pattern(EDGE).where(z=[True]),
        PatternError,
        "no vertex or edge is called 'z'",
        "there are a, b",
    ),
    "disconnected pattern": (
        lambda: si.Pattern("(a)--(b), (c)--(d)"),
        PatternError,
        "the pattern is disconnected: no path from a, b to c, d",
        "join the parts by an edge",
    ),
    "anchored pattern vertex that is not there": (
        lambda: si.count(PLAIN, EDGE, anchor={"c": 0}),
        QueryError,
        "anchor: the pattern has no vertex 'c'",
        "its vertices are a, b",
    ),
    "anchor at a vertex that is not there": (
        lambda: si.count(PLAIN, EDGE, anchor={"a": 9}),
        QueryError,
        "the graph has no vertex 9",
        "the vertices are 0 to 3",
    ),
    "anchor at an id that is not there": (
        lambda: si.count(PAY, "(a)-->(b)", anchor={"a": "zoe"}),
        QueryError,
        "the graph has no vertex 'zoe'",
        "the ids the graph was built with",
    ),
    "anchor as text": (
        lambda: si.count(PLAIN, EDGE, anchor="a=1"),  # type: ignore[arg-type]
        QueryError,
        "anchor is a str",
        'anchor={"a": 17}',
    ),
    "two anchors at one vertex": (
        lambda: si.count(PLAIN, EDGE, anchor={"a": 1, "b": 1}),
        QueryError,
        "'a' and 'b' are both anchored at 1",
        'mode="homomorphism"',
    ),
    "pattern of 65 vertices": (
        lambda: si.Pattern("--".join(f"(v{i})" for i in range(65))),
        PatternSyntaxError,
        "a pattern has at most 64 vertices",
        "",
    ),
    "clique of 65": (lambda: si.Pattern.clique(65), PatternError, "from 1 to 64, not 65", ""),
    "motifs of 9": (lambda: si.motifs(PLAIN, 9), PatternError, "of 1 to 7 vertices, not of 9", ""),
    "unknown format": (
        lambda: si.read("g.txt", format="xml"),
        FormatError,
        "format 'xml' is unknown",
        "known: subiso, edgelist, csv",
    ),
    "suffix without a format": (
        lambda: si.write(PLAIN, "g.docx"),
        FormatError,
        "g.docx: the suffix stands for no format",
        "format= (subiso,",
    ),
    "no such file": (
        lambda: si.read("missing.txt"),
        FormatError,
        "missing.txt: no such file",
        "check the path",
    ),
    "a format that cannot hold the labels": (
        lambda: si.write(PAY, "g.txt"),
        FormatError,
        "cannot hold the graph's vertex labels",
        "lossy=True",
    ),
    "unknown option of a reader": (
        lambda: si.read("g.csv", format="csv", labels="type"),
        FormatError,
        "option 'labels' is unknown to the format csv",
        "label,",
    ),
    "cuda": (
        lambda: si.count(PLAIN, EDGE, device="cuda"),
        UnsupportedError,
        'device="cuda"',
        'device="auto"',
    ),
    "unknown device": (
        lambda: si.count(PLAIN, EDGE, device="gpu"),
        QueryError,
        "unknown device 'gpu'",
        "the devices are auto, cpu, cuda",
    ),
    "unknown mode": (
        lambda: si.count(PLAIN, EDGE, mode="inducd"),
        QueryError,
        "unknown mode 'inducd'; did you mean 'induced'?",
        "the modes are monomorphism",
    ),
    "unique where vertices repeat": (
        lambda: si.count(PLAIN, EDGE, mode="homomorphism", unique=True),
        QueryError,
        "unique=True has no meaning",
        "leave unique= out",
    ),
    "induced homomorphism": (
        lambda: si.count(PLAIN, EDGE, mode="homomorphism", induced=True),
        QueryError,
        "induced=True contradicts",
        'mode="induced"',
    ),
    "no time at all": (
        lambda: si.count(si.generators.complete(300), si.Pattern.cycle(7), timeout=0.01),
        TimeoutReached,
        "the count was not finished within 0.01 s",
        "give it more time",
    ),
    "an edge list as graph": (
        lambda: si.count([(0, 1)], EDGE),  # type: ignore[call-overload]
        QueryError,
        "the first argument is a list, not a subiso.Graph",
        "Graph.from_edges",
    ),
    "an edge list as pattern": (
        lambda: si.count(PLAIN, [(0, 1)]),  # type: ignore[call-overload]
        QueryError,
        "not a subiso.Pattern or its text",
        "Pattern.from_edges",
    ),
    "one dash too few": (
        lambda: si.Pattern("(a)->(b)"),
        PatternSyntaxError,
        "expected '-', found '>'\n  (a)->(b)\n      ^",
        "edges are -->",
    ),
    "variable length": (
        lambda: si.Pattern("(a)-[*1..3]->(b)"),
        UnsupportedError,
        "edges of variable length",
        "write every edge out",
    ),
    "RETURN": (lambda: si.Pattern("MATCH (a)-->(b) RETURN a"), UnsupportedError, "RETURN", "leave it out"),
    "column that is not there": (
        lambda: si.count(PAY, si.Pattern("(a)-[e]->(b)").where("e.amnt > 1")),
        QueryError,
        "no edge column 'amnt'; did you mean 'amount'?",
        "its edge columns are amount",
    ),
    "number compared with text": (
        lambda: si.count(PAY, si.Pattern("(a)-[e]->(b)").where("e.amount > 'x'")),
        QueryError,
        "holds numbers, but is compared with the text 'x'",
        "select the edges with a mask, one bool per edge id: where(e=array)",
    ),
    "an edge compared with another": (
        lambda: si.count(PAY, si.Pattern("(a)-[e]->(b)-[f]->(c)").where("e.amount < f.amount")),
        UnsupportedError,
        "an edge's column can be compared with a constant only",
        "where(name=mask)",
    ),
    "ends of unequal length": (
        lambda: si.Graph.from_edges([0, 1], [1]),
        GraphError,
        "src has 2 rows and dst has 1",
        "both ends",
    ),
    "missing end": (
        lambda: si.Graph.from_edges([0, np.nan], [1, 2]),
        GraphError,
        "src, row 1: the value is missing",
        "drop the rows",
    ),
    "vertex out of range": (
        lambda: si.Graph.from_edges([0, 7], [1, 2], num_vertices=4),
        GraphError,
        "row 1: vertex 7 is outside 0..3",
        "raise num_vertices",
    ),
    "labels for too few vertices": (
        lambda: si.Graph.from_edges([0, 1], [1, 2], vertex_labels=["a"]),
        GraphError,
        "vertex_labels has 1 entries for 3 vertices",
        "None for no label",
    ),
    "duplicates that carry values": (
        lambda: si.Graph.from_edges([0, 0], [1, 1], edge_columns={"w": [1, 2]}),
        GraphError,
        "merging would lose values",
        'parallel="merge"',
    ),
    "column of matches that is not there": (
        lambda: si.match(PLAIN, EDGE, columns=["a", "z"]),
        QueryError,
        "there is no column 'z'",
        "there are a, b",
    ),
    "unknown generator": (
        lambda: si.generators.generate("rmatt"),
        GraphError,
        "no generator is called 'rmatt'",
        "there are rmat,",
    ),
    "zero threads": (lambda: si.count(PLAIN, EDGE, threads=0), QueryError, "threads is 0", ""),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.txt").write_text("1 2\n")
    (tmp_path / "g.csv").write_text("source,target\n1,2\n")
    call, kind, words, hint = MISTAKES[name]
    with pytest.raises(SubisoError) as caught:
        call()
    assert type(caught.value) is kind
    assert words in caught.value.message
    assert hint in (caught.value.hint or "")


def test_a_label_that_nothing_carries_has_no_matches() -> None:
    assert si.count(PAY, "(a:persn)-->(b)") == 0
    assert "C0: 0 candidates" in str(si.explain(PAY, "(a:persn)-->(b)"))


def test_a_timeout_says_what_was_counted() -> None:
    with pytest.raises(TimeoutReached) as caught:
        si.count(si.generators.complete(300), ["(a)--(b)", si.Pattern.cycle(7)], timeout=1)
    assert caught.value.done == [300 * 299 // 2]


@pytest.mark.timeout(20)
def test_a_timeout_ends_a_stream_that_keeps_giving_rows() -> None:
    matches = si.match(si.generators.complete(300), si.Pattern.cycle(5), timeout=0.3)
    for seen, _ in enumerate(matches.arrays()):
        assert seen < 2000, "far more than 0.3 s can give"
    assert matches.stopped_by == "timeout"
