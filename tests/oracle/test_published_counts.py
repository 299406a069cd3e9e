"""Counts of all 29 connected patterns of 3 to 5 vertices on real graphs, through the public functions.

The numbers come from closed formulas and up to ten independent tools (shared/BENCH.md, "Oracle files").
"""

from __future__ import annotations

import pytest
from tests.data import load_graph, oracle

import subiso as si
from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.query import make_query
from subiso.pattern import Pattern

SMALL = (
    "karate",
    "citeseer",
    "cora",
    "hprd",
    "yeast",
    "ca-GrQc",
    "ca-CondMat",
    "lastfm-asia",
    "email-Eu-core",
    "usroads",
    "p2p-Gnutella31",
)
LARGE = ("wiki-Vote", "email-Enron", "dblp-2010")
PATTERNS = (
    *("triangle", "c3_0102", "3star", "4path", "4cycle", "tailed_triangle", "diamond", "K4"),
    *("4star", "5path", "5cycle", "house", "gem", "W4", "K5_minus_edge", "K5"),
    *("c5_01020314", "c5_0102030412", "c5_0102031214", "c5_0102031234", "c5_0102031424", "c5_010203041213"),
    *("c5_010203041234", "c5_010203121324", "c5_010203142434", "c5_01020304121314", "c5_01020304121323"),
    *("c5_01020312132434", "c5_0102030412131423"),
)
# Five seconds to a minute each on two cores.
SLOW = {(graph, pattern) for graph in LARGE for pattern in ("5cycle", "c5_0102031234")}


def cases(graphs: tuple[str, ...]) -> list[object]:
    return [
        pytest.param(g, p, marks=[pytest.mark.slow] if (g, p) in SLOW else [])
        for g in graphs
        for p in PATTERNS
    ]


def check(graph: str, pattern: str, *, induced: bool) -> None:
    """From sums where there are some, which is what users get, and by plans."""
    answer = oracle()[graph][pattern]
    data, edges, known = load_graph(graph), answer["edges"], answer["induced" if induced else "subgraphs"]
    assert si.count(data, Pattern.from_edges(edges), induced=induced) == known
    query = make_query(data, Pattern.from_edges(edges), mode="induced" if induced else "monomorphism")
    assert cpu.count(query, Params(switches=Switches(sums=False))).count == known


@pytest.mark.parametrize(("graph", "pattern"), cases(SMALL + LARGE))
def test_subgraphs(graph: str, pattern: str) -> None:
    check(graph, pattern, induced=False)


@pytest.mark.parametrize(("graph", "pattern"), cases(SMALL))
def test_induced(graph: str, pattern: str) -> None:
    check(graph, pattern, induced=True)


@pytest.mark.slow
@pytest.mark.parametrize(("graph", "pattern"), cases(LARGE))
def test_induced_on_larger_graphs(graph: str, pattern: str) -> None:
    check(graph, pattern, induced=True)


@pytest.mark.parametrize("graph", SMALL)
def test_no_pattern_is_left_out(graph: str) -> None:
    assert sorted(oracle()[graph]) == sorted(PATTERNS)


@pytest.mark.parametrize("induced", [False, True])
@pytest.mark.parametrize("graph", ["karate", "citeseer", "yeast", "ca-GrQc", "email-Eu-core"])
def test_motifs(graph: str, induced: bool) -> None:
    """All patterns of one size in one call."""
    expected: dict[object, int] = {
        Pattern.from_edges(answer["edges"]).canonical_form(): answer["induced" if induced else "subgraphs"]
        for answer in oracle()[graph].values()
    }
    found = {
        pattern.canonical_form(): count
        for k in (3, 4, 5)
        for pattern, count in si.motifs(load_graph(graph), k, induced=induced).items()
    }
    assert found == expected


@pytest.mark.parametrize("pattern", ["triangle", "4cycle", "diamond", "K4", "house"])
@pytest.mark.parametrize("graph", ["karate", "citeseer", "cora"])
def test_listing_finds_as_many(graph: str, pattern: str) -> None:
    answer = oracle()[graph][pattern]
    rows = si.match(load_graph(graph), Pattern.from_edges(answer["edges"]), order="sorted").to_numpy()
    assert len(rows) == answer["subgraphs"]
    assert len({tuple(row) for row in rows.tolist()}) == len(rows)
