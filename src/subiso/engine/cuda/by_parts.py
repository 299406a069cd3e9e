"""Cuts with several parts on a device: each part is counted for every vertex or edge of the cut, as a local count is
(engine/cuda/tally.py), and these counts are multiplied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from subiso.engine.base import Params
from subiso.engine.cuda.choose import takes_codegrees
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.search import Report
from subiso.engine.cuda.watch import Watch
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved
from subiso.plan.flatten import flatten
from subiso.plan.formula import Formula, make_formula
from subiso.plan.plan import CountTail, Neighbors, Plan, Term
from subiso.plan.tally import Tally
from subiso.storage.statistics import statistics_of

if TYPE_CHECKING:
    from subiso.engine.cuda.engine import CudaEngine

LEAST_COST = 1e9
"""Operations from which on such a cut is worth looking for, ..."""
GAIN = 2.0
"""... and how many times as many the other way must take."""
_ONE = CountTail((), (), (Term(1, ()),))


class TooLarge(Exception):
    """Some count may not fit into the 64 bits that local counts have."""


@dataclass(frozen=True)
class Factor:
    """Counts something for every match of the cut."""

    plan: Plan
    power: int


def parted_formula(resolved: Resolved, params: Params, other: Formula) -> Formula | None:
    """A formula with cuts in several parts that is much cheaper than the other; None where there is none."""
    switches = params.switches
    if other.cost < LEAST_COST or switches.decompose == "never":
        return None
    stats = statistics_of(resolved.layout.graph)
    options = {**switches.of_plans, "expand": switches.expand, "decompose": switches.decompose}
    tables_too = switches.codegrees and takes_codegrees("auto", resolved.problem)
    for tables in (True, False) if tables_too else (False,):
        found = make_formula(resolved.problem, stats, codegrees=tables, wide_cuts=False, **options)
        terms = [replace(term, plan=flatten(term.plan) or term.plan) for term in found.terms]
        if found.cost * GAIN <= other.cost and all(_fits(term.plan, resolved) for term in terms):
            beside = tuple(dict.fromkeys([*found.alternatives, (other.technique, other.cost)]))
            return replace(found, terms=tuple(terms), alternatives=beside)
    return None


def factors_of(plan: Plan) -> list[Factor] | None:
    """What a plan with parts multiplies; None where its cut is neither a vertex nor an edge.

    The cut's own tail and parts without loops are one factor, every part with loops is another.
    """
    if plan.codegrees or plan.edge_checks or not isinstance(plan.tail, CountTail) or len(plan.extends) > 1:
        return None
    if plan.extends and not isinstance(plan.extends[0].candidates.source, Neighbors):
        return None
    rest = flatten(replace(plan, parts=tuple(part for part in plan.parts if not part.extends)))
    parts = [
        (flatten(replace(plan, tail=_ONE, parts=(replace(part, power=1),))), part.power)
        for part in plan.parts
        if part.extends
    ]
    return [Factor(each, power) for each, power in [(rest, 1), *parts] if each is not None]


class PartsRun:
    """A plan with parts, everything up to the launches."""

    def __init__(self, engine: CudaEngine, plan: Plan, resolved: Resolved) -> None:
        factors = factors_of(plan)
        assert factors is not None
        self.runs = [
            (engine.prepare_tally(factor.plan, resolved, _at_cut(factor.plan, plan)), factor.power)
            for factor in factors
        ]

    def count(self, watch: Watch) -> int:
        """The plan's count; 0 when the watch stopped it. TooLarge where 64 bits may be too few for a part."""
        columns, divisor = [], 1
        for number, (run, power) in enumerate(self.runs):
            total, found = run.counts(watch.part(number, len(self.runs)))
            if watch.expired():
                return 0
            if total >= 1 << 63:
                raise TooLarge
            columns += found * power
            divisor *= run.lowered.divisor**power
        return sum_of_products(columns) // divisor

    def report(self) -> Report:
        """What the last part did, and the memory of all."""
        used = sum(run.search_bytes for run, _ in self.runs)
        return replace(self.runs[-1][0].report(), search_bytes=used)


def sum_of_products(columns: Sequence[NDArray[np.uint64]]) -> int:
    """The sum over all places of the product of the columns there, exactly.

    >>> sum_of_products([np.array([2, 0, 2**40], np.uint64), np.array([3, 5, 2**40], np.uint64)]) == 6 + 2**80
    True
    """
    there = np.flatnonzero(np.logical_and.reduce([column != 0 for column in columns]))
    chosen = [column[there] for column in columns]
    bits = sum(math.log2(int(column.max(initial=1))) for column in chosen)
    if bits > 62:
        return sum(map(math.prod, zip(*(column.tolist() for column in chosen), strict=True)))
    products = np.multiply.reduce(chosen)
    return (int((products >> np.uint64(32)).sum()) << 32) + int((products & np.uint64(0xFFFFFFFF)).sum())


def _fits(plan: Plan, resolved: Resolved) -> bool:
    """Whether the kernels' tables can hold it, or all that it multiplies."""
    factors = factors_of(plan) if plan.parts else [Factor(plan, 1)]
    try:
        for factor in factors or ():
            reverse = resolved.reverse if factor.plan.codegrees else None
            lower_plan(factor.plan, resolved.longest, reverse=reverse)
    except UnsupportedError:
        return False
    return factors is not None


def _at_cut(flat: Plan, plan: Plan) -> Tally:
    """One column: by the cut's vertex, or by the entry of its edge."""
    assert isinstance(flat.tail, CountTail)
    sure = tuple(size.sure for size in flat.tail.sizes)
    if not plan.extends:
        return Tally(((0, None),), ((0, 0, 1),), (), (), sure)
    source = plan.extends[0].candidates.source
    assert isinstance(source, Neighbors)
    return Tally(((0, source.relation),), (), ((1, 0, source.relation, 0, 1),), (), sure)
