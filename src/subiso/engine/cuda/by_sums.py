"""Counts of one small pattern from passes over the whole graph (engine/cuda/motifs.py), where that beats a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from subiso.engine.cuda.hood_tune import within
from subiso.engine.cuda.hoods import hood_kernels
from subiso.engine.cuda.layout import WIDE
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.motif_kernel import Pass
from subiso.engine.cuda.motif_seeds import Work, work_of
from subiso.engine.cuda.motif_sums import Counting, hoods_on, in_range, passes_on
from subiso.engine.cuda.motifs import PASSES, MotifRun
from subiso.engine.cuda.watch import Watch
from subiso.engine.query import Query
from subiso.engine.sums import may_come_from_sums as has_sums
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.motif_sums import counts_from_sums, sums_asked
from subiso.storage.layout import RelationCsr
from subiso.storage.simple import simple_lists

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine

_WAYS: dict[frozenset[str], tuple[Pass, ...]] = {
    frozenset({"cliques3"}): ("count",),
    frozenset({"books2"}): ("tally", "books"),
    frozenset({"spokes"}): ("tally", "edges", "common"),
    frozenset({"cycles4"}): ("squares",),
    frozenset({"cycle_triangles", "books2"}): ("tally", "edges", "squares"),
    frozenset({"closed_walks5", "triangle_ends", "tails_up"}): (
        "tally",
        "edges",
        "vertices",
        "after",
        "walks",
    ),
    frozenset({"fans", "clique_edges"}): ("tally", "edges", "after"),
    frozenset({"wheels"}): ("tally", "edges"),
}
"""Sums that are all a pattern needs (diamonds, 4-cycles, houses, 5-cycles, fans, wheels), and the passes for them."""
COUNTED = {"clique_edges": 6, "wheels": 2}
"""Sums that are counted apart: so many times the 4-cliques, or the 4-cycles in neighbourhoods."""
ORDER: tuple[Pass, ...] = ("count", "tally", "books", *PASSES[5][1:])
"""All passes, in an order that they can be made in; no way has both "books" and "edges", which would count twice."""
_MOST_AROUND = 5_000_000
"""Neighbours of a wheel's hub: tasks of one hub are numbered by 32 bits."""
_MOST_ENTRIES = 225_000_000
"""Of lists, whose triangles take 900 MB; diamonds have a plan that does without."""
PER_WORD = 8.0
"""Operations of a plan that take as long as one word of a bitmap of common neighbours."""


class Counted(Protocol):
    """A count of its own."""

    @property
    def search_bytes(self) -> int: ...

    def count(self, watch: Watch) -> int: ...


@dataclass(frozen=True)
class SumsWay:
    """A count from sums, and why."""

    pattern: Pattern
    lists: RelationCsr
    passes: tuple[Pass, ...]
    counted: tuple[str, ...]
    """Sums that are counted apart."""
    copies: int
    """Of every subgraph."""
    why: str


@dataclass(frozen=True)
class SumsReport:
    """What a run did: for tests and ablations."""

    passes: tuple[Pass, ...]
    """Over the graph, each a launch or a few."""
    counted: tuple[str, ...]
    """Sums that were counted apart."""
    launches: int = 0
    """Of the passes."""
    search_bytes: int = 0
    """Device memory beside the graph."""


def passes_of(ways: Sequence[SumsWay]) -> tuple[Pass, ...]:
    """The passes that several patterns of one size need, each once, in an order that they can be made in."""
    wanted = {step for way in ways for step in way.passes}
    return tuple(step for step in ORDER if step in wanted)


class SumsRun:
    """One counting query, or several on patterns of one size, ready to be launched again and again."""

    def __init__(self, ways: Sequence[SumsWay], run: MotifRun, counted: Mapping[str, Counted]) -> None:
        self.ways, self.run, self.counted = ways, run, counted

    @property
    def columns(self) -> int:
        return self.ways[0].pattern.num_vertices

    def count(self, watch: Watch) -> int:
        """The number of matches of the first query; 0 when the watch stopped the run."""
        return self.counts(watch)[0]

    def counts(self, watch: Watch) -> list[int]:
        """The number of matches of every query, from passes that are made once."""
        steps = 1 + len(self.counted)
        sums = self.run.sums(watch.part(0, steps))
        for i, (name, counted) in enumerate(self.counted.items(), 1):
            if watch.expired():
                break
            sums[name] = counted.count(watch.part(i, steps)) * COUNTED[name]
        if watch.expired():
            return [0] * len(self.ways)
        found = counts_from_sums([way.pattern for way in self.ways], sums)
        return [count * way.copies for count, way in zip(found, self.ways, strict=True)]

    def report(self) -> SumsReport:
        used = self.run.search_bytes + sum(counted.search_bytes for counted in self.counted.values())
        return SumsReport(passes_of(self.ways), tuple(self.counted), len(self.run.launches), used)


def may_come_from_sums(query: Query) -> bool:
    """Whether there are passes for the query's pattern, whatever they cost."""
    return query.mode != "induced" and has_sums(query) and sums_asked(query.pattern) in _WAYS


def prepare_sums(engine: CudaEngine, ways: Sequence[SumsWay], graph: Graph) -> SumsRun:
    """Everything up to the launches, for patterns of one size; the kernels of all parts are compiled side by side."""
    lists, apart = ways[0].lists, {name for way in ways for name in way.counted}
    cliques = Counting(engine, graph, Pattern.clique(4)) if "clique_edges" in apart else None
    beside: list[Kernel] = [] if cliques is None else cliques.kernels
    if "wheels" in apart:
        own = within(engine.wishes.hoods, engine.machine.description.shared_per_block)
        beside += hood_kernels(work_of(lists), own, wide=len(lists.neighbors) >= WIDE)
    run = passes_on(engine, graph, lists, ways[0].pattern.num_vertices, passes_of(ways), beside)
    counted: dict[str, Counted] = {} if cliques is None else {"clique_edges": cliques.prepare()}
    if "wheels" in apart:
        counted["wheels"] = hoods_on(engine, run)
    return SumsRun(ways, run, counted)


def sums_way(query: Query, cost: float) -> SumsWay | None:
    """The passes that count the query's pattern in less time than plans of that cost; None where plans are better."""
    if not may_come_from_sums(query):
        return None
    pattern = query.pattern
    asked = sums_asked(pattern)
    lists = simple_lists(query.graph)
    why = _why(asked, work_of(lists), cost)
    too_many = asked == {"books2"} and len(lists.neighbors) > _MOST_ENTRIES
    if why is None or too_many or not in_range(lists):
        return None
    copies = 1 if query.unique else pattern.automorphism_count()
    return SumsWay(pattern, lists, _WAYS[asked], tuple(sorted(asked & COUNTED.keys())), copies, why)


def _why(asked: frozenset[str], work: Work, cost: float) -> str | None:
    if "spokes" in asked:
        words = work.common_words
        return f"{words:,.3g} words of bitmaps of common neighbours" if PER_WORD * words < cost else None
    if "wheels" in asked and work.degrees.max(initial=0) > _MOST_AROUND:
        return None
    if asked <= {"cliques3", "books2"}:
        return "triangles are found at their lowest vertex, all of an edge's at once"
    if asked == {"cycles4"}:
        return "wedges are counted by their ends, which are looked at once"
    return "passes over triangles and wedges, where a search would go through far more"
