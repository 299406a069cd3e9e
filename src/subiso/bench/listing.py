"""Memory while matches stream in batches: bounded, however many rows there are."""

from __future__ import annotations

from subiso.bench.memory import peak, reset_peak, resident


def listing_memory() -> str:
    """One line: rows streamed from a generated graph (checked against the count) and the peak beside the start."""
    from subiso.api import count, match
    from subiso.graph.generators import rmat
    from subiso.pattern import Pattern

    graph, pattern = rmat(14, seed=1), Pattern.named("triangle")
    expected = count(graph, pattern)
    reset_peak()
    before = resident()
    rows = sum(batch.num_rows for batch in match(graph, pattern).batches())
    most = peak()
    if rows != expected:
        raise AssertionError(f"match listed {rows:,} triangles, count found {expected:,}")
    if before is None or most is None:
        return f"Matching: {rows:,} rows in batches."
    more = most - before
    return f"Matching: {rows:,} rows in batches took {more:.0f} MB beyond the {before:.0f} MB before, PyArrow too."
