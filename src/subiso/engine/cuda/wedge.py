"""Schedule `wedge` on the host's side: seed by seed, with a table of the seed's codegrees (kernels/codegrees.cuh).

Seeds with few wedges are a warp's work, with a hash table in shared memory; the others a block's, with a table of all
vertices in device memory. A seed with much below it is dealt to several blocks, each with a part of its rows. Seeds
that would look up little, compared with their wedges (few neighbours, a hub among them), are searched without a table.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.layout import CODEGREES
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.machine import Kernel, Machine
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.pool import NO_ORIGIN
from subiso.engine.cuda.search import Report, SearchRun
from subiso.engine.cuda.sets import KeptSets
from subiso.engine.cuda.tables import ALL, BELOW, Wedges, first_lists
from subiso.engine.cuda.tune import TEAM_ARENA_BYTES, LaunchConfig, Needs, Wishes, tune_team
from subiso.engine.cuda.watch import Watch
from subiso.filter.resolve import Resolved
from subiso.plan.plan import Plan
from subiso.storage.layout import RelationCsr

_MOST_PARTS = 64
_LONG = 64
"""Elements of a list that an intersection looks at, about, before it is known to be small."""
_FEW_WORDS = 2048
_ROUNDS = 4
"""Units that a block should find; larger ones are split."""


def wedge_counts(base: RelationCsr, ends: RelationCsr, bound: int) -> NDArray[np.int64]:
    """Per seed, no fewer wedges than it has."""
    known = _WEDGES.setdefault(base, WeakKeyDictionary()).setdefault(ends, {})
    if bound not in known:
        sums = np.concatenate([[0], np.cumsum(ends.lengths[base.neighbors])])
        known[bound] = np.diff(sums[base.bounds[::2]]) if bound == ALL else _half(sums, base, bound)
    return known[bound]


_Known = WeakKeyDictionary[RelationCsr, dict[int, NDArray[np.int64]]]
_WEDGES: WeakKeyDictionary[RelationCsr, _Known] = WeakKeyDictionary()


def _half(sums: NDArray[np.int64], base: RelationCsr, bound: int) -> NDArray[np.int64]:
    first, middle, last = sums[base.bounds[:-1:2]], sums[base.bounds[1::2]], sums[base.bounds[2::2]]
    return middle - first if bound == BELOW else last - middle


def deal_seeds(seeds: NDArray[np.uint32], work: NDArray[np.int64], blocks: int) -> NDArray[np.uint32]:
    """Units (seed, part | parts << 16), seeds of high degree first; a seed with much work in several parts.

    >>> deal_seeds(np.array([3, 5], np.uint32), np.zeros(6, np.int64), blocks=1).tolist()
    [[5, 65536], [3, 65536]]
    >>> deal_seeds(np.array([3, 5], np.uint32), np.array([0, 0, 0, 10, 0, 90]), blocks=1).tolist()
    [[5, 262144], [5, 262145], [5, 262146], [5, 262147], [3, 65536]]
    """
    order = seeds[::-1]
    target = max(1.0, float(work[order].sum()) / (_ROUNDS * blocks))
    parts = np.clip(np.ceil(work[order] / target), 1, _MOST_PARTS).astype(np.uint32)
    first = np.cumsum(parts) - parts
    number = np.arange(int(parts.sum()), dtype=np.uint32) - np.repeat(first, parts).astype(np.uint32)
    return np.stack([np.repeat(order, parts), number | np.repeat(parts, parts) << 16], axis=1).astype(
        np.uint32
    )


class TeamRun(SearchRun):
    """The seeds of one kind of team."""

    def __init__(
        self, team: Literal["warp", "block"], *args: Any, work: NDArray[np.int64], **options: Any
    ) -> None:
        self.team: Literal["warp", "block"] = team
        self.work = work
        super().__init__(*args, look_up=True, **options)

    def _first_edges(self, seeds: NDArray[np.uint32]) -> None:
        return None

    def _kernel(self) -> SearchKernel:
        threads = 32 * (self.wishes.warps_per_block or (4 if self.team == "warp" else 8))
        return replace(super()._kernel(), team=self.team, share=False, threads=threads)

    @property
    def _usual_registers(self) -> int:
        return 64 if self.lowered.num_sets else 80

    def _tune(self, needs: Needs) -> LaunchConfig:
        wishes = self.wishes
        if self.expected is not None and self.kernel.tables is None:  # other teams would need another kernel
            wishes = replace(wishes, warps_per_block=self.expected.warps_per_block)
        num_vertices = len(self.resolved.layout.all_ranks)
        return tune_team(self.machine.description, needs, wishes, self.team, num_vertices, wishes.slots)

    def _fill_pool(self, args: NDArray[Any], seeds: NDArray[np.uint32]) -> None:
        wedges = self.lowered.wedges
        assert wedges is not None
        deep = self.lowered.num_levels > 2 and self.team == "block"
        # Where little is below a seed, its parts would mostly repeat the same table.
        units = deal_seeds(seeds, self.work if deep else np.zeros_like(self.work), self.config.blocks)
        self.units = len(units)
        entry = np.zeros((), CODEGREES)
        entry["units"], entry["num_units"] = self._upload(units), len(units)
        if self.team == "block":
            words = len(self.resolved.layout.all_ranks)
            entry["stride"] = words
            for name in ("counts", "ends"):
                table = self._allocate(4 * words * self.config.blocks)
                self.machine.clear(table)
                entry[name] = table.address
        entry["slots"] = self.wishes.slots
        entry["base_relation"], entry["end_relation"] = wedges.base_relation, wedges.end_relation
        entry["base"], entry["end"], entry["from_ends"] = wedges.base, wedges.end, wedges.from_ends
        entry["row_origin"] = NO_ORIGIN
        if not wedges.from_ends:
            rows = first_lists(self.lowered)[0]
            entry["row_relation"], entry["row"], entry["row_origin"] = rows.relation, rows.bound, rows.origin
        args["codegrees"] = entry


class WedgeRun:
    """One counting query on one machine, ready to be launched again and again."""

    def __init__(
        self,
        machine: Machine,
        graph: DeviceGraph,
        resolved: Resolved,
        plan: Plan,
        seeds: NDArray[np.uint32],
        wedges: Wedges,
        *,
        sets: KeptSets = KeptSets(),  # noqa: B008 (frozen)
        wishes: Wishes = Wishes(),  # noqa: B008 (frozen)
        later: bool = False,
    ) -> None:
        self.machine = machine
        wishes = replace(wishes, arena_bytes=min(wishes.arena_bytes, TEAM_ARENA_BYTES))
        base, ends = resolved.csrs[wedges.base_relation], resolved.csrs[wedges.end_relation]
        work = wedge_counts(base, ends, wedges.base)
        seeds = seeds[(work if wedges.from_ends else base.lengths)[seeds] > 0]
        plain = np.zeros(len(seeds), np.bool_)
        if not wedges.from_ends:
            rows = first_lists(lower_plan(plan, 0, sets.numbers))[0]
            csr = resolved.csrs[rows.relation]
            looks = wedge_counts(csr, csr, rows.bound)[seeds]
            plain = looks * (2 + np.minimum(base.lengths[seeds], _LONG)) < 2 * (work[seeds] + looks)
        small = work[seeds] <= wishes.slots // 2
        teams: list[tuple[Literal["warp", "block"], NDArray[np.uint32]]] = [
            ("block", seeds[~small & ~plain]),
            ("warp", seeds[small & ~plain]),
        ]
        # Small seeds have small sets, but room would be kept for the largest there are.
        few = sets if sets.words <= _FEW_WORDS else KeptSets()
        self.runs: list[SearchRun] = [
            TeamRun(
                team,
                machine,
                graph,
                resolved,
                plan,
                mine,
                sets=sets if team == "block" else few,
                wishes=wishes,
                work=work,
                later=True,
            )
            for team, mine in teams
            if len(mine)
        ]
        if plain.any():
            mine = seeds[plain]
            self.runs.append(
                SearchRun(
                    machine, graph, resolved, plan, mine, sets=few, wishes=wishes, some=True, later=True
                )
            )
        if not later:
            machine.load(self.kernels)
            self.prepare()

    @property
    def kernels(self) -> list[Kernel]:
        """What is going to be launched, as far as that can be known before anything is compiled."""
        return [kernel for run in self.runs for kernel in run.kernels]

    def prepare(self) -> None:
        """Everything between knowing the kernels and launching them."""
        for run in self.runs:
            run.prepare()

    @property
    def columns(self) -> int:
        return self.runs[0].columns if self.runs else 0

    def count(self, watch: Watch) -> int:
        """The number of matches; a part of it when the watch stopped the run."""
        for run in self.runs:
            run.begin()
        try:
            parts = [watch.part(i, len(self.runs)) for i in range(len(self.runs))]
            totals = [r.finish(p) * r.lowered.coefficient for p, r in zip(parts, self.runs, strict=True)]
        except BaseException:
            for run in self.runs:
                run.abandon()
            raise
        return sum(totals) // self.runs[0].lowered.divisor if self.runs else 0

    def report(self) -> Report | None:
        """What the larger teams did."""
        if not self.runs:
            return None
        report = self.runs[0].report()
        return replace(report, search_bytes=sum(run.search_bytes for run in self.runs))
