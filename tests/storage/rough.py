"""Graphs as users have them, for Hypothesis: some directed, with loops and parallel edges, or without."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from subiso.graph import Graph


def rough_graph(draw: st.DrawFn, n: int, pairs: Sequence[tuple[int, int]]) -> Graph:
    """A graph with these edges, one way or another."""
    return Graph.from_edges(
        [u for u, _ in pairs],
        [v for _, v in pairs],
        num_vertices=n,
        directed=draw(st.booleans()),
        loops=draw(st.sampled_from(["keep", "drop"])),
        parallel=draw(st.sampled_from(["keep", "merge"])),
    )


@st.composite
def rough_graphs(draw: st.DrawFn) -> Graph:
    """Of up to 14 vertices and 50 edges."""
    n = draw(st.integers(1, 14))
    vertex = st.integers(0, n - 1)
    return rough_graph(draw, n, draw(st.lists(st.tuples(vertex, vertex), max_size=50)))
