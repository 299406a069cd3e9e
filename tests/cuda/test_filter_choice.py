"""Where filters run: the rule, what it says, and that a graph comes to the device once its absence has cost enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import subiso as si
from subiso.engine.cuda import filter_tune
from subiso.engine.cuda.filter_tune import Chosen, FilterWishes, FilterWork, choose_place, fetching
from subiso.engine.cuda.filters import place_of
from subiso.engine.cuda.machine import Description
from subiso.engine.query import make_query
from subiso.errors import UnsupportedError
from subiso.filter.narrow import Asked, Narrowed, narrow
from subiso.filter.resolve import resolve
from subiso.storage.layout import RelationCsr

H200 = Description("H200", "sm_90", multiprocessors=132, memory=140 << 30)
SOME = [RelationCsr(np.array([0, 1, 2]), np.zeros(2, np.uint32))]
LITTLE, MUCH = FilterWork(100.0, 1e4, 1e4), FilterWork(1e5, 1e8, 1e7)


def place(work: FilterWork, wanted: str = "auto", **options: float) -> Chosen:
    return choose_place(work, SOME, H200, wanted, **options)  # type: ignore[arg-type]


def test_by_work() -> None:
    assert not place(LITTLE).on_device
    assert place(MUCH).on_device
    assert "1e+08 list elements" in place(MUCH).why
    assert str(place(LITTLE)).startswith("on the host: 1e+04 list elements")


def test_a_little_gain_is_not_worth_a_way_there() -> None:
    slight = FilterWork(100.0, 1.2e5, 1.2e5)
    assert slight.on_host > slight.on_device and not place(slight).on_device
    assert place(slight).why.endswith("; it has them at hand for less than 2 ms")
    assert "at hand" not in place(LITTLE).why


def test_what_is_asked_for() -> None:
    assert place(LITTLE, "device") == Chosen(True, "asked for")
    assert place(MUCH, "host") == Chosen(False, "asked for")
    with pytest.raises(UnsupportedError, match="cannot run on 'gpu'"):
        place(MUCH, "gpu")


def test_copying_the_graph_counts_until_it_would_have_paid() -> None:
    gain = MUCH.on_host - MUCH.on_device
    assert place(MUCH, once=0.9 * gain).on_device
    assert "once graph and kernels are" in place(MUCH, once=2.5 * gain).why
    assert not place(MUCH, once=2.5 * gain, lost=gain).on_device
    assert place(MUCH, once=2.5 * gain, lost=2 * gain).on_device
    assert not place(LITTLE, lost=1e9).on_device
    assert fetching(1e9, loaded=False) > fetching(1e9, loaded=True) > fetching(1e6, loaded=True)


def test_what_the_device_cannot_hold_stays_on_the_host() -> None:
    small = replace(H200, memory=30)
    assert choose_place(MUCH, SOME, small, "device") == Chosen(False, "the graph has no room on the device")

    class Wide(RelationCsr):
        num_entries = 1 << 32  # type: ignore[assignment]

    assert "2**32" in choose_place(MUCH, [Wide(SOME[0].bounds, SOME[0].neighbors)], H200, "device").why


def test_loss_is_noted_only_while_the_graph_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 5000)
    graph = si.Graph.from_edges(*rng.integers(0, 5000, (2, 50_000)), num_vertices=5000, vertex_labels=labels)
    asked: list[Asked] = []

    def listen(one: Asked) -> Narrowed:
        asked.append(one)
        return narrow(one)

    resolve(make_query(graph, "(a:0)--(b:1)--(c:2)--(a)"), narrower=listen)
    monkeypatch.setattr(filter_tune, "_DEVICE_START", 0.0)
    _, lost = place_of(asked[0], H200, FilterWishes(), lambda _: False)
    assert lost > 0
    assert place_of(asked[0], H200, FilterWishes(), lambda _: True)[1] == lost
    assert place_of(asked[0], H200, FilterWishes(), lambda _: True, loaded=True)[1] == 0


def test_explain_says_where() -> None:
    graph = si.Graph.from_edges([0, 1, 2], [1, 2, 0], vertex_labels=["A", "B", "A"])
    said = str(si.explain(graph, "(a:A)--(b:B)", device="cuda"))
    assert "filters on the host: " in said
    assert "filters on" not in str(si.explain(graph, "(a)--(b)", device="cuda"))


def test_explain_says_who_is_first() -> None:
    """The host, for a short plan; how cliques in large neighbourhoods are counted."""
    small = si.explain(si.Graph.from_edges([0, 1, 2], [1, 2, 0]), "(a)--(b)--(c)--(a)", device="cuda")
    assert "the host first" in str(small)
    n = 300
    large = si.Graph.from_edges(*np.triu_indices(n, 1))
    said = str(si.explain(large, si.Pattern.clique(6), device="cuda"))
    assert "set by set" in said and "the host first" not in said
