"""The functions users call: count, match, exists, motifs, cliques and explain."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from subiso.engine.anchors import Anchor, anchor_rows, anchored_queries
from subiso.engine.base import Engine, Params, part_of
from subiso.engine.choose import choose_engine, choose_estimator, make_params
from subiso.engine.estimate import Estimate, make_accuracy
from subiso.engine.query import Query, make_query
from subiso.errors import QueryError, TimeoutReached
from subiso.graph import Graph
from subiso.pattern import Pattern, connected_patterns
from subiso.plan.motifs import induced_from_subgraphs

if TYPE_CHECKING:  # `result` is loaded by those who want rows
    from subiso.result.matches import Matches
    from subiso.result.motifs import Motifs

Progress = Callable[[float], None]
PatternLike = Pattern | str
Many = list[PatternLike] | list[Pattern] | list[str] | tuple[PatternLike, ...]


class How(TypedDict, total=False):
    """The options that say how to run; all functions take them."""

    device: str
    engine: str
    schedule: str | None
    threads: int | None
    timeout: float | None
    progress: Progress | None


class What(How, total=False):
    """The options that say what is looked for."""

    mode: str
    induced: bool
    unique: bool | None


class Counting(What, total=False):
    """The options of `count`."""

    approx: float | None
    confidence: float
    seed: int | None


class Existence(TypedDict, total=False):
    """The options of `exists`: uniqueness makes no difference there, its timeout is for the whole call."""

    mode: str
    induced: bool
    device: str
    engine: str
    schedule: str | None
    threads: int | None
    progress: Progress | None


class Rows(What, total=False):
    """The options of `match`."""

    anchor: Anchor | None
    limit: int | None
    order: str | None
    edges: bool
    columns: Iterable[str] | str | None
    distinct: bool
    sample: int | None
    seed: int
    dense: bool


@overload
def count(graph: Graph, pattern: PatternLike, *, anchor: None = None, **options: Unpack[What]) -> int: ...
@overload
def count(
    graph: Graph,
    pattern: PatternLike,
    *,
    approx: float,
    confidence: float = 0.95,
    seed: int | None = None,
    **options: Unpack[What],
) -> Estimate: ...
@overload
def count(
    graph: Graph, pattern: PatternLike, *, anchor: Anchor | None, **options: Unpack[Counting]
) -> Any: ...
@overload
def count(
    graph: Graph, pattern: Many, *, anchor: Anchor | None = None, **options: Unpack[Counting]
) -> list[Any]: ...


def count(
    graph: Graph,
    pattern: PatternLike | Many,
    *,
    mode: str = "monomorphism",
    induced: bool = False,
    unique: bool | None = None,
    anchor: Anchor | None = None,
    approx: float | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    device: str = "auto",
    engine: str = "auto",
    schedule: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
) -> int | Estimate | list[Any]:
    """Count the matches of a pattern: an exact int, of whatever size, or on request an Estimate.

    A list of patterns gives a list of counts; lists of anchors, `anchor={"a": [1, 2, 3]}`, one count per row.
    When `timeout` (seconds, for the whole call) runs out, TimeoutReached is raised, with what was counted.

    `approx=0.01` asks for an Estimate instead: within 1%, with the given confidence, or exact where that is
    cheaper. The same `seed` gives the same one. A timeout then ends it with the error reached by then.

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> si.count(g, "(a)--(b), (b)--(c), (c)--(a)")
    1
    >>> si.count(g, ["(a)--(b)", "(a)--(b), (b)--(c)"], unique=False)
    [8, 10]
    >>> si.count(g, "(a)--(b)", anchor={"a": [0, 3]})
    [3, 1]
    >>> print(si.count(g, "(a)--(b)--(c)", approx=0.01, seed=1))
    5 (exact)
    """
    params = make_params(threads, timeout, progress)
    options: dict[str, Any] = {"mode": mode, "induced": induced, "unique": unique}
    patterns, rows = _patterns(pattern), anchor_rows(anchor)
    anchors = [anchor] if rows is None else rows
    queries = [make_query(graph, p, anchor=a, **options) for p in patterns for a in anchors]
    counts: list[Any]
    if approx is not None:
        accuracy = make_accuracy(approx, confidence, seed)
        counts = choose_estimator(engine, device, schedule).estimate_all(queries, params, accuracy)
    elif seed is not None:
        raise QueryError(f"seed={seed}: seed= is for estimates", hint="say approx=0.01, or leave it out")
    else:
        counts = _count_all(queries, choose_engine(engine, device, schedule), params)
    if rows is None:
        return counts if _is_many(pattern) else counts[0]
    by_pattern = [counts[i * len(rows) : (i + 1) * len(rows)] for i in range(len(patterns))]
    return by_pattern if _is_many(pattern) else by_pattern[0]


@overload
def match(graph: Graph, pattern: PatternLike, **options: Unpack[Rows]) -> Matches: ...
@overload
def match(graph: Graph, pattern: Many, **options: Unpack[Rows]) -> list[Matches]: ...


def match(
    graph: Graph,
    pattern: PatternLike | Many,
    *,
    mode: str = "monomorphism",
    induced: bool = False,
    unique: bool | None = None,
    anchor: Anchor | None = None,
    limit: int | None = None,
    order: str | None = None,
    edges: bool = False,
    columns: Iterable[str] | str | None = None,
    distinct: bool = False,
    sample: int | None = None,
    seed: int = 0,
    dense: bool = False,
    device: str = "auto",
    engine: str = "auto",
    schedule: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
) -> Matches | list[Matches]:
    """Find the matches of a pattern, streamed as rows or Arrow batches (see Matches). A list gives a list.

    - `limit`: at most so many rows; `order="sorted"`: ascending (with a limit: the smallest ones).
    - `edges=True`: a column of edge ids per pattern edge. `columns`: only these; `distinct=True`: equal rows
      once, over all embeddings unless `unique` is given, so that no vertex is missed for standing elsewhere.
    - `sample=k, seed=s`: a uniform random sample of k rows, the same for the same seed.
    - `anchor={"a": [1, 2, 3]}`: the matches of all these anchors; column `a` says of which.
    - `dense=True`: vertex numbers 0..n-1 instead of the graph's ids.

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> si.match(g, "(a)--(b), (b)--(c), (c)--(a)").to_numpy().tolist()
    [[0, 1, 2]]
    >>> si.match(g, "(a)--(b), (b)--(c)", columns=["b"], distinct=True, order="sorted").to_numpy().tolist()
    [[0], [1], [2]]
    """
    from subiso.result.matches import Matches
    from subiso.result.request import Request

    module, params = choose_engine(engine, device, schedule), make_params(threads, timeout, progress)
    chosen = (columns,) if isinstance(columns, str) else None if columns is None else tuple(columns)
    request = Request(limit, order, edges, chosen, distinct, sample, seed, dense)
    if unique is None and distinct and chosen is not None:
        unique = False
    options: dict[str, Any] = {"mode": mode, "induced": induced, "unique": unique}
    results = []
    for p in _patterns(pattern):
        if anchor is None:
            queries = [make_query(graph, p, **options)]
        else:
            queries = anchored_queries(graph, Pattern(p) if isinstance(p, str) else p, anchor, **options)
        results.append(Matches(queries, module, params, request))
    return results if _is_many(pattern) else results[0]


def exists(
    graph: Graph,
    pattern: PatternLike | Many,
    *,
    anchor: Anchor | None = None,
    timeout: float | None = None,
    **options: Unpack[Existence],
) -> Any:
    """True when the pattern has a match; stops at the first. A list of patterns gives a list.

    When `timeout` runs out before a match is found, TimeoutReached is raised: the answer is not known.

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> si.exists(g, ["(a)--(b), (b)--(c), (c)--(a)", si.Pattern.clique(4)])
    [True, False]
    """
    found = []
    deadline = _Deadline(make_params(timeout=timeout).timeout)
    for p in _patterns(pattern):
        # A limit of no rows is exceeded by the first match, and nothing else stops there.
        with match(graph, p, anchor=anchor, limit=0, timeout=deadline.left(), **options) as matches:
            matches.collect()
        if matches.stopped_by == "timeout":
            raise TimeoutReached(f"no match was found within {timeout:g} s; there may be one")
        found.append(matches.stopped_by == "limit")
    return found if _is_many(pattern) else found[0]


def motifs(graph: Graph, k: int, *, induced: bool = False, **options: Unpack[How]) -> Motifs:
    """Count every connected pattern of k vertices: {Pattern: int}, printable as a table.

    Counts are of subgraphs; `induced=True` counts vertex sets by the graph they induce: each connected set of
    k vertices is in exactly one count. Labels are ignored, and so are directions: in a directed graph
    an edge in either direction joins two vertices. The other options are those of `count`.

    >>> import subiso as si
    >>> print(si.motifs(si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), 3, induced=True))
    motif     count  pattern
    wedge         2  (a)--(b), (b)--(c)
    triangle      1  (a)--(b), (b)--(c), (a)--(c)
    """
    from subiso.result.motifs import Motifs

    patterns = connected_patterns(k)
    counts = count(graph, patterns, **options)
    if induced:
        counts = induced_from_subgraphs(patterns, counts)
    return Motifs(zip(patterns, counts, strict=True))


def cliques(graph: Graph, k: int, **options: Unpack[How]) -> int:
    """Count the cliques of k vertices; options as in `count`. To list them, match Pattern.clique(k).

    >>> import subiso as si
    >>> si.cliques(si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), 3)
    1
    """
    return count(graph, Pattern.clique(k), **options)


def explain(
    graph: Graph,
    pattern: PatternLike,
    *,
    mode: str = "monomorphism",
    induced: bool = False,
    unique: bool | None = None,
    anchor: Anchor | None = None,
) -> Any:
    """How `count` and `match` would go about it: loops, restrictions, estimated sizes. Print it."""
    from subiso.plan.explain import explain as explain_query

    return explain_query(make_query(graph, pattern, mode=mode, induced=induced, unique=unique, anchor=anchor))


class _Deadline:
    """A timeout shared by the steps of one call."""

    def __init__(self, timeout: float | None) -> None:
        self._end = None if timeout is None else time.monotonic() + timeout

    def left(self) -> float | None:
        return None if self._end is None else max(0.0, self._end - time.monotonic())


def _count_all(queries: list[Query], engine: Engine, params: Params) -> list[int]:
    counts: list[int] = []
    deadline = _Deadline(params.timeout)
    for i, query in enumerate(queries):
        step = replace(params, timeout=deadline.left(), progress=part_of(params.progress, i, len(queries)))
        outcome = engine.count(query, step)
        if outcome.stopped_by == "timeout":
            raise TimeoutReached(
                f"the count was not finished within {params.timeout:g} s ({outcome.count} so far)",
                count=outcome.count,
                done=counts,
            )
        counts.append(outcome.count)
    return counts


def _is_many(pattern: object) -> bool:
    return isinstance(pattern, list | tuple)


def _patterns(pattern: PatternLike | Many) -> list[PatternLike]:
    return list(pattern) if isinstance(pattern, list | tuple) else [pattern]
