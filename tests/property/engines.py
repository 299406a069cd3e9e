"""The ways to run the CPU engine that must all agree, and what a run found."""

from __future__ import annotations

import random

import numpy as np

from subiso import _native
from subiso.engine import cpu, reference
from subiso.engine.base import Params, Switches
from subiso.engine.query import Query
from subiso.filter.narrow import FILTERS
from subiso.result.canonical import Canonical


def available_setops() -> list[str]:
    """The set operations that this machine runs."""
    found = []
    for name in ("scalar", "avx2", "avx512"):
        try:
            found.append(_native.setops_name(name))
        except ValueError:
            continue
    return found


SETOPS = available_setops()
PLAIN = Params(
    threads=1,
    switches=Switches(
        order="ri",
        max_tail=0,
        local=False,
        pivots=False,
        orientation="degree",
        prune="never",
        expand="never",
        decompose="never",
        codegrees=False,
        filters=(),
        signature=(64, 2),
        candidate_graph="never",
        labelled="plan",
        failing_sets=False,
        twins=False,
        merge="never",
        sums=False,
        haste=False,
        setops="scalar",
    ),
)
"""The CPU engine with every technique off."""


def random_params(chance: random.Random) -> Params:
    """One way to run the CPU engine."""
    return Params(
        threads=chance.choice([1, 2, 3]),
        batch_rows=chance.choice([1, 2, 3, 7, 64, 65_536]),
        switches=Switches(
            order=chance.choice(["cost", "ri", "gsi", "core"]),
            max_tail=chance.choice([0, 1, 2, 99]),
            local=chance.choice([True, False]),
            pivots=chance.choice([True, True, False]),
            orientation=chance.choice(["auto", "degree", "degeneracy", "degeneracy"]),
            prune=chance.choice(["auto", "never", "sets", "cores", "edges"]),
            sums=chance.choice([True, False, False]),
            expand=chance.choice(["auto", "always", "never"]),
            decompose=chance.choice(["auto", "always", "always", "never"]),
            codegrees=chance.choice([True, True, False]),
            filters=chance.choice(
                [None, (), ("degree",), ("frequency",), ("signature",), ("refine",), FILTERS]
            ),
            signature=chance.choice([(512, 32), (64, 2), (128, 126)]),
            candidate_graph=chance.choice(["auto", "always", "always", "never"]),
            labelled=chance.choice(["auto", "search", "eliminate", "plan", "plan"]),
            failing_sets=chance.choice([True, False]),
            twins=chance.choice([True, False]),
            merge=chance.choice(["auto", "always", "always"]),
            setops=chance.choice([None, *SETOPS]),
        ),
    )


def reference_rows(query: Query) -> list[tuple[int, ...]]:
    return _rows(query, reference.stream(query, Params()))


def cpu_rows(query: Query, params: Params) -> list[tuple[int, ...]]:
    """The CPU engine's matches, sorted, each subgraph as its smallest embedding."""
    return _rows(query, cpu.stream(query, params), params.batch_rows)


def _rows(query: Query, stream: object, batch_rows: int | None = None) -> list[tuple[int, ...]]:
    canonical = Canonical(query)
    rows: list[tuple[int, ...]] = []
    for batch in stream:  # type: ignore[attr-defined]
        assert batch.dtype == np.uint32 and batch.ndim == 2 and len(batch) > 0
        assert batch_rows is None or len(batch) <= batch_rows
        rows.extend(map(tuple, canonical(batch).tolist()))
    assert stream.stopped_by is None  # type: ignore[attr-defined]
    return sorted(rows)
