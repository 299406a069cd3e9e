"""Several queries on a CUDA device: those that come from sums over the graph share the passes that make these sums.

Other queries run one by one: a kernel is compiled for one plan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from subiso.engine.base import Outcome, Params, part_of
from subiso.engine.clock import Deadline
from subiso.engine.cuda.by_sums import SumsWay, may_come_from_sums
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query
from subiso.filter.resolve import resolve_for

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine


def count_together(
    engine: CudaEngine, queries: Sequence[Query], params: Params, note: Callable[[int, int], None]
) -> None:
    """Counts queries on one graph within one timeout; `note` gets the number of each and its count."""
    deadline = Deadline(params.timeout)
    teams = [team for team in _teams(engine, queries, params, deadline) if len(team) > 1]
    alone = [i for i in range(len(queries)) if not any(i in team for team in teams)]
    steps = len(teams) + len(alone)

    def step(done: int) -> Params:
        return replace(params, timeout=deadline.left(), progress=part_of(params.progress, done, steps))

    for done, team in enumerate(teams):
        watch = Watch(step(done), time.perf_counter())
        run = engine.prepare_sums(list(team.values()), queries[0].graph)
        for number, count in zip(team, run.counts(watch), strict=True):
            note(number, Outcome(count, watch.stopped_by).in_time())
        engine.last = run.report()
    for done, number in enumerate(alone, len(teams)):
        note(number, engine.count(queries[number], step(done)).in_time())


def _teams(
    engine: CudaEngine, queries: Sequence[Query], params: Params, deadline: Deadline
) -> list[dict[int, SumsWay]]:
    """By the patterns' size: the queries that are counted from sums."""
    found: dict[int, dict[int, SumsWay]] = {}
    for number, query in enumerate(deadline.each(queries)):
        if not may_come_from_sums(query):
            continue
        resolved = resolve_for(query, params)
        way = None if resolved.hopeless else engine.sums_way(query, engine.formula(resolved, params), params)
        if way is not None:
            found.setdefault(query.pattern.num_vertices, {})[number] = way
    return list(found.values())
