"""The suites themselves: they load, and their counts are those of the oracle or of their formula."""

from __future__ import annotations

import math
import tomllib

import pytest
from tests.data import oracle

from subiso.bench.suite import load_suite, parse_edges, suites
from subiso.errors import FormatError, SubisoError


@pytest.mark.parametrize("name", suites())
def test_every_suite_loads(name: str) -> None:
    suite = load_suite(name)
    assert suite.title
    for case in suite.cases:
        assert case.queries
        assert set(case.peers) <= set(suite.peers)


def test_the_four_suites_are_there() -> None:
    assert {"self_contained", "small_cpu", "labelled_cpu", "motifs_cpu"} <= set(suites())


def test_closed_forms() -> None:
    raw = tomllib.loads(suites()["self_contained"].read_text())
    for case in raw["case"]:
        expected = eval(case["formula"], {"comb": math.comb})
        assert case["count"] == expected, (case["graph"], case["pattern"])


def test_small_cpu_expects_what_the_oracle_says() -> None:
    known = oracle()
    bar = ["triangle", "4cycle", "diamond", "tailed_triangle", "K4", "K5"]
    suite = load_suite("small_cpu")
    assert len(suite.cases) == 14 * 3
    for case in suite.cases:
        entry = known[case.graph]["K5_minus_edge" if case.name == "K5-e" else case.name]
        (query,) = case.queries
        assert [list(edge) for edge in query.edges] == entry["edges"]
        assert query.count == entry["subgraphs"]
        assert ("bar" in case.tags) == (case.name in bar)


def test_labelled_cpu_holds_every_query_with_a_known_count() -> None:
    oracle()  # skips where the data are absent
    suite = load_suite("labelled_cpu")
    found = {(case.graph, query.name) for case in suite.cases for query in case.queries}
    assert len(found) == sum(len(case.queries) for case in suite.cases) == 170 + 30 + 5 + 24
    (first,) = [case for case in suite.cases if case.name.startswith("query_dense_16")]
    assert first.unique is False
    assert first.peers["RapidMatch"] == pytest.approx(0.029)  # 100 of 200 queries


def test_motifs_cpu_holds_29_patterns() -> None:
    oracle()
    for case in load_suite("motifs_cpu").cases:
        assert len(case.queries) >= 29


def test_selection() -> None:
    suite = load_suite("self_contained")
    assert [case.name for case in suite.select(["K300"], ["K*", "4*"], []).cases] == ["4cycle", "K4"]
    with pytest.raises(SubisoError, match="no case of self_contained was chosen"):
        suite.select(["K301"], [], [])


def test_bad_edges() -> None:
    for text in ("", "0-1 1>2", "a-b", "0--1"):
        with pytest.raises(SubisoError, match="cannot read the edges"):
            parse_edges(text)


def test_bad_suites(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SubisoError, match=r"there is no suite 'nothing'\n.* in a checkout's bench/cases"):
        load_suite("nothing")
    file = tmp_path / "bad.toml"
    file.write_text("title = ")
    with pytest.raises(FormatError, match=r"bad\.toml"):
        load_suite(file)
    file.write_text('title = "x"\n[graphs]\n[[case]]\ngraph = "g"\npattern = "p"\ncount = 1\n')
    with pytest.raises(FormatError, match="'p' is missing, or named but not defined"):
        load_suite(file)
