"""What filters on a device must agree with, and graphs on which they have something to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from subiso.engine.query import Query, make_query
from subiso.filter.candidate_graph import with_candidate_graph
from subiso.filter.narrow import Asked, Narrowed, Narrower, narrow
from subiso.filter.resolve import Resolved, resolve
from subiso.graph import Graph
from subiso.storage.statistics import statistics_of


def assert_same(query: Query, filters: Sequence[str] | None, narrower: Narrower, what: str) -> None:
    """Sizes, fans, overlaps, bitmaps; then the candidate graph: numbering, bitmaps, lists and what is known of them."""
    here, there = resolve(query, filters, narrower=whole_lists), resolve(query, filters, narrower=narrower)
    assert here.narrowed == there.narrowed, what
    assert here.problem == there.problem, what
    _same_bits(here, there, what)
    if here.hopeless or not any(here.problem.filters):
        return
    stats = statistics_of(query.graph)
    here, there = (with_candidate_graph(each, stats, "always") for each in (here, there))
    assert here.problem == there.problem and here.reverse == there.reverse, what
    assert here.candidate_graph is not None and there.candidate_graph is not None
    assert here.candidate_graph.pairs == there.candidate_graph.pairs, what
    assert np.array_equal(here.layout.vertex_at, there.layout.vertex_at), what
    assert np.array_equal(here.layout.all_ranks, there.layout.all_ranks), what
    _same_bits(here, there, what)
    for a, b in zip(here.csrs, there.csrs, strict=True):
        known = [(c.num_entries, c.num_vertices, c.longest, c.longest_above) for c in (a, b)]
        assert known[0] == known[1], what
        for length in (1, 2, 3, 24):
            assert a.first_longer(length) == b.first_longer(length), what
        assert np.array_equal(a.bounds, b.bounds) and np.array_equal(a.neighbors, b.neighbors), what


def whole_lists(asked: Asked) -> Narrowed:
    """The host's filters where they read the same lists as those on a device: none of one label only."""
    return narrow(replace(asked, slices=None))


def _same_bits(here: Resolved, there: Resolved, what: str) -> None:
    for a, b in zip(here.filters, there.filters, strict=True):
        assert np.array_equal(a, b), what


def hub_query(seed: int, *, vertices: int, hubs: int) -> Query:
    """A graph with labels, perhaps directed, in which some vertices have many neighbours; a pattern of six vertices."""
    rng = np.random.default_rng([seed, 11])
    ends = rng.integers(0, vertices, (2, 4 * vertices))
    ends[0, : 2 * vertices] %= hubs
    graph = Graph.from_edges(
        *ends,
        num_vertices=vertices,
        directed=bool(seed % 2),
        vertex_labels=[["A", "B", "C"][: 1 + i] for i in rng.integers(0, 3, vertices)],
        edge_labels=rng.choice(["X", "Y"], ends.shape[1]) if seed % 3 else None,
    )
    arrow = "->" if seed % 2 else "-"
    label = "[:X]" if seed % 3 else ""
    pattern = f"(a:A)-{arrow}(b:B)-{arrow}(c:A), (a)-{label}{arrow}(d:A|C), (d)--(e), (b)--(f:C)"
    return make_query(graph, pattern, unique=False)


def eaten_path(n: int = 60) -> Query:
    """Candidates that refinement drops one by one, until none are left."""
    graph = Graph.from_edges(range(n - 1), range(1, n), directed=True, vertex_labels=["A", "B"] * (n // 2))
    return make_query(graph, "(a:A)-->(b:B)-->(c:A), (c)-->(d:B)-->(a)", unique=False)
