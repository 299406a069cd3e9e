"""bench/gpu/transactions.py: what it makes of the profiler's lines, and which queries it takes."""

from __future__ import annotations

import argparse

import pytest
from bench.gpu import transactions

from subiso.engine.query import make_query
from subiso.graph.generators import erdos_renyi, with_labels
from subiso.pattern import Pattern

HEAD = '"ID","Metric Name","Metric Value"'


def said(way: str, launches: int, count: int, host: float) -> str:
    return "\t".join(["READ", "g", way, "0", str(launches), str(count), str(host), "2.0", "3.0"])


def measured(launch: int, requests: str, sectors: str) -> list[str]:
    named = ((transactions.REQUESTS, requests), (transactions.SECTORS, sectors))
    return [f'"{launch}","{name}","{value}"' for name, value in named]


def test_launches_belong_to_the_way_that_made_them(capsys: pytest.CaptureFixture[str]) -> None:
    first, other = transactions.WAYS[:2]
    lines = [
        "==PROF== Connected to process 7",
        said(first, 2, 7, 1.0),
        said(first, 1, 5, 4.0),
        said(other, 1, 7, 1.0),
        HEAD,
    ]
    for launch, (requests, sectors) in enumerate([("1,000", "10"), ("1", "10"), ("1", "20"), ("9", "60")]):
        lines += measured(launch, requests, sectors)
    found, owners = transactions.parse_output("\n".join(lines))
    assert owners == [("g", first)] * 3 + [("g", other)]
    assert (found["g", first].requests, found["g", first].sectors) == (1002, 40)
    assert found["g", first].mb == (4.0, 2.0, 3.0)
    assert transactions.report(found, owners) == 1, "the other way has not counted the second query"
    printed = capsys.readouterr().out
    assert "1.50" in printed and f"WRONG {other}: [7] instead of [7, 5]" in printed
    found["g", first].counts.pop()
    assert transactions.report(found, owners) == 0


def test_queries_have_some_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = with_labels(erdos_renyi(60, 200, seed=1), 3, seed=1)
    options = argparse.Namespace(queries=2, sizes=[3, 4])
    assert [q.pattern.num_vertices for q in transactions.suitable(graph, options)] == [3, 3, 4, 4]
    monkeypatch.setattr(transactions, "_MOST", 0)
    assert transactions.suitable(graph, options) == []


def test_what_finds_lists_is_in_the_hosts_memory_too() -> None:
    graph = erdos_renyi(60, 200, seed=1)
    query = make_query(graph, Pattern.path(3))
    plain = transactions.host_bytes(query, "auto")
    assert plain == transactions.host_bytes(query, "csr") > 0
    assert transactions.host_bytes(query, "hash_pcsr") > plain
