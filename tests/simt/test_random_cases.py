"""The random queries are worth running: some ask for several labels of one vertex, and the answer depends on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from local_cases import hub_query
from random_cases import labelled_query, random_query

from subiso.engine import reference
from subiso.engine.query import MODES, Query, make_query


def of_all_modes(draw: Callable[[int, str], Query], seeds: range) -> Iterator[Query]:
    return (draw(seed, mode) for seed in seeds for mode in MODES)


DRAWN: dict[str, Callable[[], Iterator[Query]]] = {
    "searches": lambda: of_all_modes(random_query, range(40)),
    "pipeline": lambda: of_all_modes(random_query, range(12)),
    "levels": lambda: of_all_modes(random_query, range(100, 114)),
    "phases": lambda: of_all_modes(random_query, range(300, 312)),
    "partitions": lambda: of_all_modes(random_query, range(500, 510)),
    "candidate graphs": lambda: of_all_modes(random_query, range(5000, 5024)),
    "filters": lambda: of_all_modes(random_query, range(7001, 7020, 2)),
    "stores": lambda: of_all_modes(labelled_query, range(12)),
    "local": lambda: map(hub_query, range(40)),
}
"""The seeds of the tests that are called so."""


def embeddings(query: Query, of_labels: slice) -> int:
    """With a part of what every vertex's labels are asked; symmetric or not, all embeddings."""
    pattern = query.pattern.with_labels([asked[of_labels] for asked in query.pattern.vertex_labels])
    anchor = dict(query.anchors)
    return reference.count(
        make_query(query.graph, pattern, mode=query.mode, unique=False, anchor=anchor)
    ).count


@pytest.mark.parametrize("name", DRAWN)
def test_every_one_of_several_labels_matters(name: str) -> None:
    """There are matches, and more of them without the first of the labels, or the last."""
    missed = set()
    for query in DRAWN[name]():
        if max(map(len, query.pattern.vertex_labels)) > 1 and (found := embeddings(query, slice(None))):
            missed |= {part for part in ("first", "last") if embeddings(query, _WITHOUT[part]) > found}
        if len(missed) == 2:
            return
    pytest.fail(f"no query of these seeds has more matches without one of a vertex's labels: {missed}")


_WITHOUT = {"first": slice(1, None), "last": slice(1)}
