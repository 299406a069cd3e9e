"""Queries that are joined from twigs instead of being searched plan by plan: schedule `pipeline`, up to the launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from subiso.engine.base import Params
from subiso.engine.cuda.choose import joins_twigs
from subiso.engine.cuda.machine import Description, Machine
from subiso.engine.cuda.memory import Cache, DeviceGraph
from subiso.engine.cuda.pipeline import PipelineRun
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.engine.twigs import TwigMatcher, Weight
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved
from subiso.plan.hanging import hanging
from subiso.plan.joins import join_twigs
from subiso.plan.twig_plan import TwigPlan


@dataclass(frozen=True, eq=False)
class TwigQuery:
    """A query with its relations measured and their joins planned; nothing is on a device yet."""

    matcher: TwigMatcher
    plan: TwigPlan
    weights: Sequence[Weight]
    listing: bool
    batch_rows: int

    def run(self, machine: Machine, cache: Cache, wishes: Wishes) -> PipelineRun:
        """Everything up to the first relation."""
        return PipelineRun(
            machine,
            DeviceGraph(cache, self.matcher.resolved.layout),
            self.matcher,
            self.plan,
            weights=self.weights,
            listing=self.listing,
            batch_rows=self.batch_rows,
            wishes=wishes,
        )


class Nothing:
    """Stands for a run where some twig has no match."""

    def count(self, watch: Watch) -> int:
        return 0

    def report(self) -> None:
        return None


def by_twigs(one: bool, machine: Description, schedule: str, resolved: Resolved) -> str | None:
    """Why a query is joined from twigs, on one device or several; None where it is not, UnsupportedError where that was
    asked for and cannot be."""
    if one:
        return joins_twigs(resolved, machine, schedule)
    if schedule == "pipeline":
        raise UnsupportedError(
            'schedule="pipeline" runs on one device', hint='use device="cuda", or another schedule'
        )
    return None


def plan_twigs(
    resolved: Resolved, params: Params, wishes: Wishes, over: Callable[[], bool], *, listing: bool
) -> TwigQuery | None:
    """Narrows candidates, measures relations and plans their joins; None where some twig has no match, or time is
    over."""
    own = wishes.pipeline
    matcher = TwigMatcher(resolved, params.threads)
    weights = [] if listing or not own.weigh else matcher.weigh(hanging(resolved.problem), over)
    counted = tuple(h for weight in weights for h in weight.hanging)
    leave_out = {h.vertex for h in counted}
    found = matcher.measure(prune=own.prune, most_rows=own.twig_rows, leave_out=leave_out, over=over)
    if found is None or found.hopeless:
        return None
    plan = join_twigs(
        resolved.problem, found.twigs, found.rows, found.sizes, by_size=own.leaf_order, hanging=counted
    )
    return TwigQuery(matcher, plan, weights, listing, params.batch_rows)
