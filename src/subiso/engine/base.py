"""The face every engine shows: a Query and Params in, an Outcome or a Stream out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_type_hints

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.engine.kinds import fits, said, words
from subiso.errors import Cancelled, QueryError, SubisoError, TimeoutReached, did_you_mean

if TYPE_CHECKING:
    from subiso.engine.query import Query

DEVICE_COST = 1e10
"""Operations, as the planner estimates them, from which on a device is worth its start and the copy of the graph."""
StoppedBy = Literal["limit", "timeout", "cancelled"]
Rows = NDArray[np.uint32]
"""Matches as dense vertex ids: shape (rows, pattern vertices), columns in the pattern's vertex order."""


@dataclass(frozen=True)
class Switches:
    """Techniques that can be chosen or turned off, to measure and to test them; answers never depend on them.

    >>> import subiso as si
    >>> graph = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> si.count(graph, si.Pattern.clique(3), switches=si.Switches(sums=False, order="ri"))
    1
    """

    order: Literal["cost", "ri", "gsi", "core"] = "cost"
    """The pass that picks the matching order."""
    max_tail: int = 99
    """How many vertices at most are counted from set sizes (1: no inclusion-exclusion, 0: none)."""
    expand: Literal["auto", "always", "never"] = "auto"
    """Count patterns with absent edges by inclusion and exclusion."""
    decompose: Literal["auto", "always", "never"] = "auto"
    """Count patterns by their components around a cut."""
    codegrees: bool = True
    """Let plans for cuts reach vertices over tables of codegrees."""
    local: bool = True
    """Search neighbourhoods as bit rows where a plan allows it."""
    pivots: bool = True
    """Count cliques there without listing them: on the CPU by pivoting, on a device set by set."""
    orientation: Literal["auto", "degree", "degeneracy"] = "auto"
    """The order in which the vertices of a clique are found: by degree, as all patterns, or by core number."""
    prune: Literal["auto", "never", "sets", "cores", "edges"] = "auto"
    """What is dropped where cliques are looked for: sets that are too small for the vertices to come; besides, all
    vertices of a low core number; besides, all edges in few triangles."""
    sums: bool = True
    """Count plain patterns of 3 to 5 vertices from sums over the whole graph where that is quicker."""
    haste: bool = True
    """Let short queries run kernels that were compiled in haste, until others are there (CUDA)."""
    filters: tuple[str, ...] | None = None
    """The filters that narrow candidates: "degree", "frequency", "signature", "refine"; None = as fits."""
    signature: tuple[int, int] = (512, 32)
    """N and K of GSI's signatures: the bits of a vertex, and how many of them are for its labels."""
    candidate_graph: Literal["auto", "always", "never"] = "auto"
    """Let plans run on the adjacency between candidates instead of the graph's."""
    labelled: Literal["auto", "search", "eliminate", "plan"] = "auto"
    """How the CPU counts where every pattern vertex has candidates: by backtracking or by elimination on the
    candidate graph (where that is possible), or by plans only. Backtracking lists matches, too."""
    failing_sets: bool = True
    """Backtracking skips siblings that must fail for the same reason."""
    twins: bool = True
    """Candidates with the same neighbours are one, and count as often."""
    merge: Literal["auto", "always", "never"] = "auto"
    """Let the plans of several counts share their first levels: where that saves work, wherever possible, never."""
    setops: Literal["scalar", "avx2", "avx512"] | None = None
    """Set operations; None = the fastest that the machine runs."""

    def __post_init__(self) -> None:
        for name, kind in _kinds().items():
            value = getattr(self, name)
            if not fits(value, kind):
                raise QueryError(
                    f"Switches: {name} is {value!r}{did_you_mean(str(value), words(kind))}",
                    hint=f"it may be {said(kind)}",
                )
        if self.setops is not None and not _runs(self.setops):
            there = ", ".join(name for name in words(_kinds()["setops"]) if _runs(name))
            raise QueryError(
                f"Switches: this machine does not run setops={self.setops!r}", hint=f"it runs {there}"
            )

    @property
    def of_plans(self) -> dict[str, Any]:
        """Those that `make_plan` takes."""
        return {
            "order": self.order,
            "max_tail": self.max_tail,
            "local": self.local,
            "pivots": self.pivots,
            "least": self.prune != "never",
        }


def _runs(setops: str) -> bool:
    try:
        _native.setops_name(setops)
    except ValueError:
        return False
    return True


@cache
def _kinds() -> dict[str, Any]:
    """What the switches may be: words, on or off, numbers, tuples of these."""
    return get_type_hints(Switches)


@dataclass(frozen=True)
class Params:
    """How to run a query; never what it means.

    >>> Params(threads=2).batch_rows
    65536
    """

    threads: int | None = None
    """Worker threads; None = all cores. One more may look beside a plan that takes long, half of them beside a device
    (engine/race.py)."""
    timeout: float | None = None
    """Seconds after which the engine stops; None = never."""
    progress: Callable[[float], None] | None = None
    """Gets the fraction of the seeds done, about every 100 ms, in the calling thread."""
    batch_rows: int = 65_536
    """Rows of a stream's batches (the last one may be shorter)."""
    enough: int | None = None
    """Rows of a stream after which nobody asks for more; it may give more, or end there."""
    poll: Callable[[], bool] | None = None
    """Asked about every 100 ms in the calling thread; True cancels, and counts of several raise Cancelled."""
    switches: Switches = Switches()
    """Which techniques to use."""
    known: dict[Hashable, int] | None = field(default=None, compare=False)
    """What terms of formulas on the same graph came to, by key: looked up, and added to."""


@dataclass(frozen=True)
class Outcome:
    """What a counting run found, and what stopped it before its end, if anything.

    >>> Outcome(7).complete, Outcome(7, stopped_by="timeout").complete
    (True, False)
    """

    count: int
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """True when the count is the whole answer."""
        return self.stopped_by is None

    def in_time(self) -> int:
        """The count, for those who count several; an error where something stopped it, which they put in words.

        >>> Outcome(7).in_time()
        7
        """
        if self.stopped_by is not None:
            raise stopped(self.stopped_by, self.count)
        return self.count


def stopped(by: StoppedBy, count: int = 0) -> SubisoError:
    """What to raise where something was stopped that cannot say so; `count` had been counted.

    >>> stopped("cancelled", 7)
    Cancelled('the count was cancelled (7 so far)')
    """
    if by == "cancelled":
        return Cancelled(f"the count was cancelled ({count} so far)")
    return TimeoutReached("", count=count)


class Stream(Protocol):
    """An iterator over batches of matches. `stopped_by` is valid once it is exhausted or closed."""

    stopped_by: StoppedBy | None

    def __iter__(self) -> Iterator[Rows]: ...

    def __next__(self) -> Rows: ...

    def close(self) -> None:
        """Stop the workers and join their threads; may be called again."""


def part_of(progress: Callable[[float], None] | None, i: float, n: float) -> Callable[[float], None] | None:
    """The progress function for step i of n equal ones.

    >>> part_of(print, 1, 2)(0.5)
    0.75
    """
    if progress is None or n == 1:
        return progress
    return lambda done: progress((i + done) / n)


class Engine(Protocol):
    """What a module under `engine/` offers; `reference` and `cpu` are such modules."""

    def count(self, query: Query, params: Params) -> Outcome: ...

    def stream(self, query: Query, params: Params) -> Stream: ...
