"""The functions users call: count, match, exists, cliques and explain. Those on all motifs are in census.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from subiso.engine.anchors import Anchor, anchor_rows, anchored_queries
from subiso.engine.base import Switches
from subiso.engine.choose import choose_engine, choose_estimator, explain_device, explain_several, make_params
from subiso.engine.clock import Deadline
from subiso.engine.estimate import Estimate, make_accuracy
from subiso.engine.query import make_query
from subiso.engine.several import count_several
from subiso.errors import QueryError, TimeoutReached, UnsupportedError
from subiso.graph import Graph
from subiso.options import (
    Cliques,
    Counting,
    Existence,
    How,
    Many,
    PatternLike,
    Progress,
    Rows,
    What,
    refuse_unknown,
)
from subiso.pattern import Pattern

if TYPE_CHECKING:  # `result` is loaded by those who want rows
    from subiso.result.matches import Matches
    from subiso.result.roles import Roles


@overload
def count(
    graph: Graph, pattern: PatternLike, *, anchor: None = None, per: None = None, **options: Unpack[What]
) -> int: ...
@overload
def count(
    graph: Graph,
    pattern: PatternLike,
    *,
    anchor: None = None,
    per: Literal["vertex", "edge"],
    **options: Unpack[What],
) -> NDArray[np.int64]: ...
@overload
def count(
    graph: Graph, pattern: PatternLike, *, anchor: None = None, per: Literal["role"], **options: Unpack[What]
) -> Roles: ...
@overload
def count(
    graph: Graph,
    pattern: PatternLike,
    *,
    approx: float,
    confidence: float | None = None,
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
    per: str | None = None,
    approx: float | None = None,
    confidence: float | None = None,
    seed: int | None = None,
    device: str = "auto",
    engine: str = "auto",
    schedule: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
    switches: Switches | None = None,
) -> Any:
    """Count the matches of a pattern: an exact int, or on request an Estimate.

    Should the sums that it takes, of embeddings as a rule, pass 2**127, that is an error (CountOverflowError).
    A list of patterns gives a list of counts; the patterns share what they have in common. Lists of anchors,
    `anchor={"a": [1, 2, 3]}`, give one count per row.
    When `timeout` (seconds, for the whole call) runs out, TimeoutReached is raised, with what was counted.

    - `per="vertex"`: an int64 array instead, in the order of the graph's vertices: how many matches contain each.
    - `per="edge"`: the same by edge id: how many matches use each.
    - `per="role"`: a dict of such arrays, `Roles`: how many matches have each vertex at `a`, at `b`, ...;
      pattern vertices that are the same by symmetry are one role.
    - `approx=0.01`: an Estimate instead: within 1%, with the given `confidence` (0.95), or exact where that is
      cheaper. The same `seed` gives the same one; the i-th of several has the seed `seed + i`. A timeout then ends
      it with the error reached by then.
    - `switches=Switches(...)`: which techniques may be used, to compare them; the count is the same.

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> si.count(g, "(a)--(b), (b)--(c), (c)--(a)")
    1
    >>> si.count(g, ["(a)--(b)", "(a)--(b), (b)--(c)"], unique=False)
    [8, 10]
    >>> si.count(g, "(a)--(b)", anchor={"a": [0, 3]})
    [3, 1]
    >>> si.count(g, "(a)--(b), (b)--(c), (c)--(a)", per="vertex").tolist()
    [1, 1, 1, 0]
    >>> print(si.count(g, "(a)--(b)--(c)", approx=0.01, seed=1))
    5 (exact)
    """
    params = make_params(threads, timeout, progress, switches)
    options: dict[str, Any] = {"mode": mode, "induced": induced, "unique": unique}
    patterns, rows = _patterns(pattern), anchor_rows(anchor)
    anchors = [anchor] if rows is None else rows
    queries = [make_query(graph, p, anchor=a, **options) for p in patterns for a in anchors]
    counts: list[Any]
    if approx is not None:
        if per is not None:
            raise QueryError("per= and approx= at once", hint="local counts are exact: leave approx= out")
        accuracy = make_accuracy(approx, confidence, seed)
        on_host = "cpu" if device == "auto" else device
        counts = choose_estimator(engine, on_host, schedule).estimate_all(queries, params, accuracy)
    elif seed is not None or confidence is not None:
        given = f"seed={seed}: seed=" if seed is not None else f"confidence={confidence}: confidence="
        raise QueryError(f"{given} is for estimates", hint="say approx=0.01, or leave it out")
    elif per is not None:
        from subiso.result.local import count_all_per

        counts = count_all_per(queries, per, choose_engine(engine, device, schedule, counting=True), params)
    else:
        shared = engine == "auto" and device in ("auto", "cpu")  # an engine that is named does all by itself
        chosen = choose_engine(engine, device, schedule, counting=True)
        counts = count_several(queries, chosen, params, sums=shared)
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
    switches: Switches | None = None,
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

    module = choose_engine(engine, device, schedule)
    params = make_params(threads, timeout, progress, switches)
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
    refuse_unknown("exists", options, Existence)
    found = []
    deadline = Deadline(make_params(timeout=timeout).timeout)
    for p in _patterns(pattern):
        # A limit of no rows is exceeded by the first match, and nothing else stops there.
        with match(graph, p, anchor=anchor, limit=0, timeout=deadline.left(), **options) as matches:
            matches.collect()
        if matches.stopped_by == "timeout":
            raise TimeoutReached(f"no match was found within {timeout:g} s; there may be one")
        found.append(matches.stopped_by == "limit")
    return found if _is_many(pattern) else found[0]


@overload
def cliques(graph: Graph, k: int, *, per: None = None, **options: Unpack[How]) -> int: ...
@overload
def cliques(graph: Graph, k: int, *, per: None = None, **options: Unpack[Cliques]) -> Any: ...
@overload
def cliques(
    graph: Graph, k: int, *, per: Literal["vertex", "edge"], **options: Unpack[How]
) -> NDArray[np.int64]: ...


def cliques(graph: Graph, k: int, *, per: Any = None, **options: Unpack[Cliques]) -> Any:
    """Count the cliques of k vertices; `approx`, `timeout` and so on as in `count`. To list: match Pattern.clique(k).

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> si.cliques(g, 3), si.cliques(g, 3, per="edge").tolist()
    (1, [1, 1, 0, 1])
    """
    refuse_unknown("cliques", options, Cliques)
    return count(graph, Pattern.clique(k), anchor=None, per=per, **options)


def explain(
    graph: Graph,
    pattern: PatternLike | Many,
    *,
    mode: str = "monomorphism",
    induced: bool = False,
    unique: bool | None = None,
    anchor: Anchor | None = None,
    device: str = "auto",
    schedule: str | None = None,
    switches: Switches | None = None,
) -> Any:
    """How `count` and `match` would go about it: loops, restrictions, estimated sizes. Print it.

    Where a count is a sum it is given as a formula, with what each of its terms counts and what other ways would cost.
    With `device="cuda"` also which schedule would run each plan there or which passes make the sums, and why. Of a list
    of patterns it tells how they are counted together: which share loops of one search on the CPU or passes over the
    graph on a device, and what that is estimated to save. `switches` are told with `device="cpu"`.

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> print(si.explain(g, "(a)--(b), (b)--(c)", device="cpu"))
    pattern   (a)--(b), (b)--(c)
    mode      monomorphism, each subgraph once (2 automorphisms)
    ...
    """
    options: dict[str, Any] = {"mode": mode, "induced": induced, "unique": unique, "anchor": anchor}
    params = make_params(switches=switches)
    if switches is not None and device != "cpu":
        raise UnsupportedError(f"explain with switches and device={device!r}", hint='say device="cpu"')
    if isinstance(pattern, list | tuple):
        return explain_several([make_query(graph, p, **options) for p in pattern], params, device, schedule)
    from subiso.plan.explain import explain as explain_query

    query = make_query(graph, pattern, **options)
    return explain_query(query, explain_device(query, device, schedule), params)


def _is_many(pattern: object) -> bool:
    return isinstance(pattern, list | tuple)


def _patterns(pattern: PatternLike | Many) -> list[PatternLike]:
    return list(pattern) if isinstance(pattern, list | tuple) else [pattern]
