"""bench/gpu/transactions.py: what it makes of the profiler's lines, and which queries it takes."""

from __future__ import annotations

import argparse

import pytest
from bench.gpu import transactions

from subiso.engine.query import make_query
from subiso.graph.generators import erdos_renyi, with_labels
from subiso.pattern import Pattern

HEAD = '"ID","Metric Name","Metric Value"'


def measured(launch: int, requests: str, sectors: str) -> list[str]:
    named = ((transactions.REQUESTS, requests), (transactions.SECTORS, sectors))
    return [f'"{launch}","{name}","{value}"' for name, value in named]


def test_launches_belong_to_the_way_that_made_them(capsys: pytest.CaptureFixture[str]) -> None:
    first, *others = transactions.WAYS
    lines = ["==PROF== Connected to process 7"]
    lines += [
        transactions.told(first, 2, 7, [1.0, 2.0, 3.0]),
        transactions.told(first, 1, 5, [4.0, 2.0, 3.0]),
    ]
    lines += [transactions.told(way, 1, 7, [1.0, 2.0, 3.0]) for way in others]
    lines += [HEAD, *measured(0, "1,000", "10"), *measured(1, "1", "10"), *measured(2, "1", "20")]
    for launch in range(3, 3 + len(others)):
        lines += measured(launch, "9", "60")
    found = transactions.parse_output("\n".join(lines))
    assert (found[first].requests, found[first].sectors, found[first].mb) == (1002, 40, (4.0, 2.0, 3.0))
    assert transactions.report("g", found) == len(others), "they have not counted the second query"
    printed = capsys.readouterr().out
    assert "1.50" in printed and f"WRONG {others[0]}: [7] instead of [7, 5]" in printed
    found[first].counts.pop()
    assert transactions.report("g", found) == 0
    del found[others[-1]]
    assert transactions.report("g", found) == 1
    assert transactions.report("g", {}) == len(transactions.WAYS), "nothing was measured"


def test_queries_have_some_matches() -> None:
    graph = with_labels(erdos_renyi(60, 200, seed=1), 3, seed=1)
    options = argparse.Namespace(
        queries=2, sizes=[3, 4], edges="visited", density="any", seed=1, least=1, most=10**7
    )
    assert [q.pattern.num_vertices for q in transactions.suitable(graph, options)] == [3, 3, 4, 4]
    options.most = 0
    assert transactions.suitable(graph, options) == []


def test_what_finds_lists_is_in_the_hosts_memory_too() -> None:
    graph = erdos_renyi(60, 200, seed=1)
    query = make_query(graph, Pattern.path(3))
    plain = transactions.host_bytes(query, "auto")
    assert plain == transactions.host_bytes(query, "csr") > 0
    assert transactions.host_bytes(query, "hash_pcsr") > plain
