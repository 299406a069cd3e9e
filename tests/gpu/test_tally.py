"""Local counts on a real device: the shim's random queries, and real graphs against the CPU."""

from __future__ import annotations

from typing import Any

import pytest
from random_cases import describe, random_query
from tests import data

import subiso as si
from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.device import open_device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import MODES
from subiso.result.local import LocalAnswer, count_per


def numbers(answer: LocalAnswer) -> Any:
    assert answer.counts is not None
    if isinstance(answer.counts, dict):
        return answer.count, {name: counts.tolist() for name, counts in answer.counts.items()}
    return answer.count, answer.counts.tolist()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("mode", MODES)
def test_random_queries(mode: str, seed: int) -> None:
    query = random_query(seed, mode)
    params = Params(switches=Switches(max_tail=(99, 99, 1, 0)[seed % 4]))
    engine: Any = CudaEngine(open_device(), schedule=("fine", "auto")[seed % 2])
    for per in ["role"] if not query.injective else ["vertex", "edge", "role"]:
        wanted = numbers(count_per(query, per, reference, Params()))  # type: ignore[arg-type]
        assert numbers(count_per(query, per, engine, params)) == wanted, (per, describe(query, seed))


@pytest.mark.parametrize("per", ["vertex", "edge"])
@pytest.mark.parametrize("name", ["wiki-Vote", "email-Enron"])
def test_motifs_and_cliques_of_real_graphs(name: str, per: Any) -> None:
    graph = data.load_graph(name)
    for size in (3, 4):
        for induced in (False, True) if size == 3 or per == "vertex" else (False,):
            found = si.motifs(graph, size, per=per, induced=induced, device="cuda")
            wanted = si.motifs(graph, size, per=per, induced=induced, device="cpu")
            assert {p: c.tolist() for p, c in found.items()} == {p: c.tolist() for p, c in wanted.items()}
    for k in (5, 6):
        found = si.cliques(graph, k, per=per, device="cuda")
        assert found.tolist() == si.cliques(graph, k, per=per, device="cpu").tolist()
