"""Whether patterns are more frequent than by chance: counts beside those of random graphs of the same degrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import TYPE_CHECKING

from subiso.api import count
from subiso.census import motifs
from subiso.engine.aside import begin_aside
from subiso.engine.choose import make_params
from subiso.engine.clock import Deadline
from subiso.engine.query import as_pattern, check_graph
from subiso.engine.waiting import threads_of
from subiso.errors import QueryError, TimeoutReached, UnsupportedError
from subiso.graph import Graph
from subiso.graph.generators import rewire
from subiso.options import Many, PatternLike, Progress
from subiso.pattern import Pattern

if TYPE_CHECKING:
    from subiso.result.significance import Significance

Counter = Callable[[Graph, int | None, float | None], dict[Pattern, int]]
"""A graph, threads, seconds -> counts."""


def significance(
    graph: Graph,
    patterns: int | PatternLike | Many,
    *,
    samples: int = 100,
    seed: int = 0,
    swaps: float = 10,
    induced: bool = False,
    directions: bool = False,
    labels: bool = False,
    keep_mutual: bool = False,
    threads: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
) -> Significance:
    """Count patterns here and in random graphs with the same degrees: count, mean, std, z-score and p-value of each.

    `patterns` is one pattern, several, or a number k for all motifs of k vertices; `induced`, `directions` and
    `labels` are as for `motifs`, and of labelled motifs those that occur in the graph are compared. The random
    graphs are `rewire(graph, swaps, seed=seed, keep_mutual=keep_mutual, sample=i)` for i = 1..samples; labels stay
    with their vertices. One seed gives one answer, with any number of threads.

    >>> import subiso as si
    >>> g = si.generators.watts_strogatz(200, 6, 0.1, seed=1)
    >>> table = si.significance(g, 3, samples=20, induced=True)
    >>> table["triangle"].count, table["triangle"].z > 10, table["triangle"].p
    (469, True, 0.09523809523809523)
    """
    from subiso.result.significance import Score, Significance

    check_graph(graph)
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise QueryError(f"samples is {samples!r}; it must be a whole number from 2")
    params = make_params(threads, timeout, progress)
    counter = _counter(patterns, induced=induced, directions=directions, labels=labels)
    deadline = Deadline(params.timeout)
    observed = counter(graph, threads, params.timeout)

    def sample(i: int) -> dict[Pattern, int]:
        drawn = rewire(graph, swaps, seed=seed, keep_mutual=keep_mutual, sample=i + 1)
        left = deadline.left()
        if left == 0:  # many small samples would each be done before they look at the time
            raise TimeoutReached("")
        return counter(drawn, 1, left)

    drawn = _all_of(sample, samples, threads_of(params), progress)
    names = _names(observed)
    return Significance(
        [Score(p, names[p], n, tuple(counts.get(p, 0) for counts in drawn)) for p, n in observed.items()]
    )


def _counter(patterns: int | PatternLike | Many, *, induced: bool, directions: bool, labels: bool) -> Counter:
    if isinstance(patterns, int) and not isinstance(patterns, bool):
        k = patterns
        return lambda graph, threads, timeout: motifs(
            graph,
            k,
            induced=induced,
            directions=directions,
            labels=labels,
            threads=threads,
            timeout=timeout,
        )
    if directions or labels:
        raise QueryError(
            f"{'directions' if directions else 'labels'}=True goes with a number of vertices",
            hint="write arrows and labels into the patterns: (a:Person)-->(b)",
        )
    given = patterns if isinstance(patterns, list | tuple) else [patterns]
    wanted = [as_pattern(p) for p in given]
    _check_edges(wanted)

    def counts(graph: Graph, threads: int | None, timeout: float | None) -> dict[Pattern, int]:
        found = count(graph, wanted, induced=induced, threads=threads, timeout=timeout)
        return dict(zip(wanted, found, strict=True))

    return counts


def _check_edges(patterns: Sequence[Pattern]) -> None:
    for pattern in patterns:
        edges = (*pattern.edges, *pattern.anti_edges)
        if any(edge.labels is not None or edge.mask is not None for edge in edges) or any(
            isinstance(comparison.left.owner, str) for comparison in pattern.comparisons
        ):
            raise UnsupportedError(
                f"the significance of {pattern}: random graphs have no edge labels or columns",
                hint="leave them out of the pattern, or keep only the edges that fit when building the graph",
            )


def _all_of(
    sample: Callable[[int], dict[Pattern, int]], samples: int, threads: int, progress: Progress | None
) -> list[dict[Pattern, int]]:
    """sample(0), sample(1), ... in so many threads at a time; every one depends on its number alone."""
    futures: list[Future[dict[Pattern, int]]] = []
    running: set[Future[dict[Pattern, int]]] = set()
    try:
        while running or len(futures) < samples:
            while len(running) < threads and len(futures) < samples:
                futures.append(begin_aside(partial(sample, len(futures))))
                running.add(futures[-1])
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for done, future in enumerate(ended, len(futures) - len(running) - len(ended) + 1):
                future.result()
                if progress is not None:
                    progress(done / samples)
    except BaseException as error:  # Ctrl-C as well: the rest is not begun
        wait(running)
        if isinstance(error, TimeoutReached):
            finished = sum(future.exception() is None for future in futures)
            raise TimeoutReached(
                f"only {finished} of {samples} random graphs were counted in the time"
            ) from None
        raise
    return [future.result() for future in futures]


def _names(counts: dict[Pattern, int]) -> dict[Pattern, str]:
    from subiso.result.motifs import Motifs

    rows = counts.rows() if isinstance(counts, Motifs) else [(p.usual_name or "", "", 0) for p in counts]
    return {pattern: row[0] for pattern, row in zip(counts, rows, strict=True)}
