"""What is planted is there: rings of payments, cliques."""

from __future__ import annotations

import numpy as np

from subiso.graph import generators as gen


def test_every_ring_is_a_cycle_in_time_with_shrinking_sums() -> None:
    graph = gen.transactions(2000, 20_000, rings=40, smallest=3, largest=5, seed=3)
    src, dst = graph.edge_endpoints()
    ring, time, amount = (graph.edge_columns[name] for name in ("ring", "time", "amount"))
    sizes = set()
    for number in range(40):
        rows = np.flatnonzero(ring == number)
        rows = rows[np.argsort(time[rows])]
        sizes.add(len(rows))
        assert (src[rows] == np.roll(dst[rows], 1)).all()  # each payer was paid just before
        assert len(set(src[rows].tolist())) == len(rows)
        assert (graph.vertex_columns["ring"][src[rows]] == number).all()
        gaps, shrink = np.diff(time[rows]), amount[rows][1:] / amount[rows][:-1]
        assert (gaps >= 3600).all() and (gaps < 6 * 3600).all()
        assert (shrink > 0.969).all() and (shrink < 0.991).all()
    assert sizes == {3, 4, 5}
    assert int((graph.vertex_columns["ring"] >= 0).sum()) == int((ring >= 0).sum())  # none is in two


def test_payments_have_the_sizes_asked_for() -> None:
    graph = gen.transactions(300, 5000, rings=0, days=30, seed=1)
    src, dst = graph.edge_endpoints()
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (300, 5000, True)
    assert (src != dst).all()
    assert graph.edge_columns["time"].min() >= 0 and graph.edge_columns["time"].max() < 30 * 86_400
    assert graph.edge_columns["amount"].min() >= 5.0
    assert (graph.edge_columns["ring"] == -1).all()
    degrees = np.sort(graph.degree())
    assert degrees[-30:].sum() > 5 * degrees[:30].sum()  # unequal activity


def test_account_kinds_come_in_their_shares() -> None:
    labels = gen.transactions(20_000, 100, rings=1, seed=1).vertex_labels
    share = {name: (np.asarray(labels.codes) == code).mean() for code, name in enumerate(labels.names)}
    assert abs(share["person"] - 0.80) < 0.02
    assert abs(share["business"] - 0.15) < 0.02
    assert abs(share["exchange"] - 0.05) < 0.02


def test_only_rings() -> None:
    graph = gen.transactions(3, 3, rings=1, smallest=3, largest=3)
    assert graph.num_edges == 3
    assert graph.degree().tolist() == [1, 1, 1]


def test_planted_cliques_are_cliques() -> None:
    graph = gen.planted_cliques(300, 1000, size=7, copies=5, seed=2)
    number = graph.vertex_columns["clique"]
    for copy in range(5):
        members = np.flatnonzero(number == copy)
        assert len(members) == 7
        for v in members:
            assert set(members.tolist()) - {v} <= set(graph.neighbors(int(v)).tolist())
