"""What the library keeps of earlier queries is forgotten here, so that a repeated query is timed as a new one."""

from __future__ import annotations

from subiso.engine.cuda import lowering
from subiso.plan import alike, formula, tail


def forget_plans() -> None:
    """Plans are kept by their problem, so that only the first of several runs would plan.

    >>> from subiso.engine.query import make_query
    >>> from subiso.engine import cpu
    >>> from subiso.graph import Graph
    >>> count = lambda: cpu.count(make_query(Graph.from_edges([0, 1, 2], [1, 2, 3]), "(a)--(b)--(c), !(a)--(c)"))
    >>> count().count, count().count
    (2, 2)
    >>> formula._make_once.cache_info().currsize > 0
    True
    >>> forget_plans()
    >>> formula._make_once.cache_info().currsize
    0
    """
    for kept in (formula._make_once, alike._choices_once, tail._distinct_terms, lowering._lowered):
        kept.cache_clear()
