"""Counts of one small pattern from passes over the whole graph (engine/cuda/motifs.py), where that beats a search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subiso.engine.cuda.local import LocalReport
from subiso.engine.cuda.motif_kernel import Pass
from subiso.engine.cuda.motif_seeds import Work, work_of
from subiso.engine.cuda.motifs import MotifRun
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query
from subiso.pattern import Pattern
from subiso.pattern.generate import is_plain
from subiso.plan.motif_sums import counts_from_sums, sums_asked
from subiso.storage.layout import RelationCsr
from subiso.storage.simple import simple_lists

_PASSES: dict[str, tuple[Pass, ...]] = {
    "cliques3": ("count",),
    "books2": ("tally", "edges"),
    "spokes": ("tally", "edges", "common"),
}
"""Sums that may be all a pattern needs, and the passes that make them."""
_FEW_ABOVE = 256
"""Neighbours of higher degree that a warp has room for, in a pass over triangles."""
_HUBS = 1000
"""Neighbours of the vertex at an edge's end, in the mean, from which on searches for triangles are uneven."""
_PER_WORD = 8.0
"""Operations of a plan that take as long as one word of a bitmap of common neighbours."""


@dataclass(frozen=True)
class SumsWay:
    """A count from sums, and why."""

    pattern: Pattern
    lists: RelationCsr
    passes: tuple[Pass, ...]
    copies: int
    """Of every subgraph."""
    why: str


class SumsRun:
    """One counting query, ready to be launched again and again; the face of the other runs."""

    def __init__(self, way: SumsWay, run: MotifRun) -> None:
        self.way, self.run = way, run

    @property
    def columns(self) -> int:
        return self.way.pattern.num_vertices

    def count(self, watch: Watch) -> int:
        """The number of matches; 0 when the watch stopped the run."""
        sums = self.run.sums(watch)
        return 0 if watch.expired() else counts_from_sums([self.way.pattern], sums)[0] * self.way.copies

    def report(self) -> LocalReport:
        return LocalReport(None, self.way.passes, (), len(self.run.launches), self.run.search_bytes)


def sums_way(query: Query, cost: float) -> SumsWay | None:
    """The passes that count the query's pattern in less time than plans of that cost; None where plans are better."""
    pattern = query.pattern
    if not query.injective or query.mode == "induced" or query.anchors or not is_plain(pattern):
        return None
    asked = sums_asked(pattern)
    if len(asked) != 1 or not asked <= _PASSES.keys():
        return None
    (name,) = asked
    lists = simple_lists(query.graph)
    why = _why(name, work_of(lists), cost)
    if why is None:
        return None
    copies = 1 if query.unique else pattern.automorphism_count()
    return SumsWay(pattern, lists, _PASSES[name], copies, why)


def _why(name: str, work: Work, cost: float) -> str | None:
    if name == "spokes":
        words = float((work.common * work.words).sum())
        return f"{words:,.3g} words of bitmaps of common neighbours" if _PER_WORD * words < cost else None
    degrees = work.degrees.astype(np.float64)
    few = work.above.max(initial=0) <= _FEW_ABOVE
    if few and (name != "cliques3" or (degrees**2).sum() >= _HUBS * degrees.sum()):
        return "vertices have few neighbours of higher degree"
    return None
