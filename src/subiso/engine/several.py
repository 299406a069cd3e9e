"""Counts of several queries on one graph, sharing what they have in common.

Isomorphic patterns are counted once, and so are the equal terms of formulas (`Params.known`). Plain patterns of 3 to 5
vertices come from the sums of native/motifs together, where that is estimated to be less work than their plans. On the
CPU the plans of the others share their first levels (engine/together.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from itertools import takewhile
from typing import TypeVar

from subiso.engine import cpu
from subiso.engine.base import Engine, Params, part_of
from subiso.engine.clock import NEVER, Deadline, unfinished
from subiso.engine.motifs import count_motifs
from subiso.engine.query import Query
from subiso.engine.sums import is_sure, sums_way
from subiso.engine.together import MOST, count_together
from subiso.errors import CountOverflowError, TimeoutReached
from subiso.filter.resolve import resolve_for
from subiso.pattern.canonical import EASY_TO_COMPARE
from subiso.plan.motif_sums import SIZES

Answer = TypeVar("Answer")


def count_several(queries: list[Query], engine: Engine, params: Params, *, sums: bool = False) -> list[int]:
    """The counts, in order. `sums` allows the sums over the graph; the CPU engine takes them in any case.

    >>> from subiso.engine import reference
    >>> from subiso.engine.query import make_query
    >>> from subiso.graph import Graph
    >>> g = Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> count_several([make_query(g, "(a)--(b)"), make_query(g, "(y)--(x)")], reference, Params())
    [4, 4]
    """
    if len(queries) < 2:
        return in_turn(queries, params, lambda query, step: engine.count(query, step).in_time())
    deadline = Deadline(params.timeout)  # choosing what runs together takes its time, too
    found: dict[Hashable, int] = {}
    families: dict[int, list[Query]] = {}
    teams: dict[Hashable, list[Query]] = {}

    def count_one(query: Query, step: Params) -> int:
        key = key_of(query)
        if key in found:
            pass
        elif id(query) in families:
            found.update(_count_family(families[id(query)], step))
        elif key in teams:
            team = teams[key]
            together = getattr(engine, "count_together", count_together)  # a device has a way of its own
            together(team, step, lambda i, count: found.update({key_of(team[i]): count}))
        else:
            found[key] = engine.count(query, step).in_time()
        return found[key]

    try:
        if sums or engine.count is cpu.count:
            families.update(families_of(queries, params, deadline))
        teams.update(_teams([q for q in queries if id(q) not in families], engine, params, deadline))
        in_turn(_quickest_first(queries, engine, params), replace(params, known={}), count_one, deadline)
        return [found[key_of(query)] for query in queries]
    except (TimeoutReached, CountOverflowError) as error:
        known = ((i, found.get(key_of(query))) for i, query in enumerate(queries))
        finished = {i: count for i, count in known if count is not None}
        error.finished = finished
        if isinstance(error, TimeoutReached):
            error.done = [finished[i] for i in takewhile(finished.__contains__, range(len(queries)))]
        raise


def _quickest_first(queries: list[Query], engine: Engine, params: Params) -> list[Query]:
    """Those that come from sums before those that are searched for, so that a timeout leaves as many as can be."""
    from subiso.engine import auto

    if engine not in (cpu, auto):
        return queries
    return sorted(queries, key=lambda query: not is_sure(sums_way(query, params)))


def _teams(
    queries: list[Query], engine: Engine, params: Params, deadline: Deadline
) -> dict[Hashable, list[Query]]:
    """By key: the queries whose plans may run together, one of each key; those with the same anchors."""
    from subiso.engine import auto, cuda

    if params.switches.merge == "never" or not (engine in (cpu, auto) or hasattr(engine, "count_together")):
        return {}
    if engine in (cpu, auto) and params.switches.merge != "always":  # sums are quicker than any search
        queries = [q for q in queries if not is_sure(sums_way(q, params))]
    if engine is auto and params.threads is None and cuda.why_not() is None:
        queries = [q for q in deadline.each(queries) if not auto.on_device(q, params)[0]]
    kinds = {key_of(q): q for q in queries}
    teams: dict[Hashable, list[list[Query]]] = {}
    for query in kinds.values():
        same = teams.setdefault(tuple(sorted(query.anchors.values())), [[]])
        if len(same[-1]) == MOST:
            same.append([])
        same[-1].append(query)
    return {key_of(q): team for same in teams.values() for team in same if len(team) > 1 for q in team}


def in_turn(
    queries: list[Query],
    params: Params,
    answer: Callable[[Query, Params], Answer],
    deadline: Deadline | None = None,
) -> list[Answer]:
    """The answers to several queries, one after the other, within one timeout and as one progress.

    The timeout may have begun before, and end at the `deadline`.
    """
    answers: list[Answer] = []
    deadline = deadline or Deadline(params.timeout)
    for i, query in enumerate(queries):
        step = params
        if len(queries) > 1:
            step = replace(
                params, timeout=deadline.left(), progress=part_of(params.progress, i, len(queries))
            )
        try:
            answers.append(answer(query, step))
        except TimeoutReached as error:
            assert params.timeout is not None
            raise unfinished(params.timeout, error.count, answers) from None
    return answers


def key_of(query: Query) -> Hashable:
    """Equal for queries with equal counts."""
    pattern = query.pattern
    if query.anchors:
        return pattern, query.mode, query.unique, tuple(sorted(query.anchors.items()))
    small = pattern.num_vertices <= EASY_TO_COMPARE
    return pattern.canonical_form() if small else pattern, query.mode, query.unique


def families_of(queries: list[Query], params: Params, deadline: Deadline = NEVER) -> dict[int, list[Query]]:
    """By the identity of a query: all of its size that come from sums together.

    Those that need common neighbours come in where the pass over these is less work than their plans.
    """
    families: dict[int, list[Query]] = {}
    for size in SIZES:
        ways = {key_of(q): (q, sums_way(q, params)) for q in queries if q.pattern.num_vertices == size}
        sure = {key for key, (_, way) in ways.items() if is_sure(way)}
        dear = {key: (q, way) for key, (q, way) in ways.items() if way is not None and key not in sure}
        limit = min((way.cost for _, way in dear.values()), default=0.0)
        if dear and _plans_cost_more(deadline.each([q for q, _ in dear.values()]), params, limit):
            sure |= dear.keys()
        if len(sure) > 1:
            members = [q for q in queries if key_of(q) in sure]
            families.update((id(q), members) for q in members)
    return families


def _plans_cost_more(queries: Iterable[Query], params: Params, limit: float) -> bool:
    """Whether the plans together cost more than the limit."""
    cost = 0.0
    for query in queries:
        resolved = resolve_for(query, params)
        if not resolved.hopeless:
            cost += cpu.formula_for(resolved, params).cost
        if cost > limit:
            return True
    return False


def _count_family(family: list[Query], params: Params) -> dict[Hashable, int]:
    """The counts of all queries of a family, by key."""
    ways = {key_of(q): sums_way(q, params) for q in family}
    patterns = {p.canonical_form(): p for way in ways.values() if way is not None for p, _ in way.terms}
    counts = count_motifs(family[0].graph, list(patterns.values()), params)
    number = dict(zip(patterns, counts, strict=True))
    return {
        key: sum(factor * number[p.canonical_form()] for p, factor in way.terms)
        for key, way in ways.items()
        if way is not None
    }
