"""Which schedule runs a plan, and why: `schedule="auto"` asks here, and `explain` prints the answer. Pure."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace

from subiso.engine.cuda.local_large import by_sets
from subiso.engine.cuda.local_tables import LoweredLocal, lower_local
from subiso.engine.cuda.local_tune import LocalWishes
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import room_on
from subiso.engine.cuda.pipeline_tables import lower_twigs
from subiso.engine.cuda.sets import KeptSets, choose_sets
from subiso.engine.cuda.tables import Wedges, first_lists
from subiso.engine.cuda.tune import most_set_words
from subiso.errors import UnsupportedError
from subiso.filter.resolve import Resolved
from subiso.plan.joins import make_twig_plan
from subiso.plan.plan import CountTail, Plan
from subiso.plan.problem import Problem


@dataclass(frozen=True)
class Choice:
    """A schedule, what it keeps, and the reason in words."""

    schedule: str
    why: str
    sets: KeptSets = field(default_factory=KeptSets)
    wedges: Wedges | None = None
    local: LoweredLocal | None = None


def choose_schedule(
    plan: Plan, resolved: Resolved, machine: Description, wanted: str = "auto", set_words: int | None = None
) -> Choice:
    """The schedule for a plan without parts: the wanted one where it fits, for "auto" the one that reads least."""
    if plan.parts:
        return Choice("stack", "counts every part at every vertex or edge of the cut, and multiplies")
    choice = _choose(plan, resolved, machine, wanted, set_words)
    if wanted in ("auto", choice.schedule):
        return choice
    return replace(choice, why=f"{wanted} does not fit this plan; {choice.why}")


def _choose(
    plan: Plan, resolved: Resolved, machine: Description, wanted: str, set_words: int | None
) -> Choice:
    if wanted in ("fine", "levels"):
        return Choice(wanted, "asked for")
    if plan.edge_checks:
        return Choice("fine", "data edges are told apart, which needs whole matches")
    beyond = bytes_without_room(resolved, machine)
    if wanted == "auto" and beyond and max(csr.nbytes for csr in resolved.csrs) <= room_on(machine):
        return Choice("levels", f"{_no_room(beyond)}, so one edge label at a time is there")
    kept = choose_sets(plan, resolved.longest_list, set_words or most_set_words(machine))
    if plan.local is not None and wanted in ("auto", "local"):
        local = _local_tables(plan, resolved)
        if local is not None:
            why = "searches the first vertex's neighbourhood on bit rows"
            if by_sets(local, LocalWishes()):
                why += ", and counts cliques in large ones set by set"
            return Choice("local", why, kept, local=local)
    if takes_codegrees(wanted, resolved.problem):
        wedges = codegrees_worth_it(plan, kept, resolved)
        if wedges is not None:
            return Choice(
                "wedge", "looks common neighbours with the first vertex up in a table", kept, wedges
            )
    if kept.numbers:
        names = ", ".join(f"S{number}" for number in kept.numbers)
        return Choice("stack", f"keeps {names}, read more than once or further down", kept)
    if not plan.sets:
        return Choice("fine", "no candidates come from more than one list")
    too_large = choose_sets(plan, resolved.longest_list, 1 << 62).numbers
    return Choice("fine", "its sets may be too large to keep" if too_large else "every set is read only once")


def takes_codegrees(wanted: str, problem: Problem) -> bool:
    """Whether plans may have tables of codegrees: where every vertex has candidates, they cost more than they save."""
    return wanted == "wedge" or (wanted == "auto" and not (problem.filters and all(problem.filters)))


def joins_twigs(resolved: Resolved, machine: Description, wanted: str = "auto") -> str | None:
    """Why schedule `pipeline` runs a query; None where another one does, plan by plan.

    As long as nothing must be absent it has no need of the graph on the device, so "auto" takes it for graphs that
    have no room there.
    """
    if wanted != "auto":
        return "asked for" if wanted == "pipeline" else None
    nbytes = bytes_without_room(resolved, machine)
    if not nbytes or "pipeline" not in without_room(resolved.problem):
        return None
    with contextlib.suppress(UnsupportedError):
        # Counts, too, must fit with all vertices: only a run knows whether what hangs can be weighed.
        lower_twigs(make_twig_plan(resolved.problem))
        return f"{_no_room(nbytes)}; twigs are matched on the CPU"
    return None


def without_room(problem: Problem) -> tuple[str, ...]:
    """The schedules that "auto" has, on one device, for a graph that there is no room for."""
    if problem.edges_to_tell_apart:
        return ()  # kernels that tell them apart look at the whole graph
    return ("levels",) if problem.forbidden else ("levels", "pipeline")


def bytes_without_room(resolved: Resolved, machine: Description) -> int:
    """What a query's relations take, where that is more than the device has room for; 0 where it is not."""
    nbytes = sum(csr.nbytes for csr in set(resolved.csrs))
    return nbytes if nbytes > room_on(machine) else 0


def _no_room(nbytes: int) -> str:
    return f"the graph takes {nbytes:,} bytes, which the device has no room for"


def codegrees_worth_it(plan: Plan, kept: KeptSets, resolved: Resolved) -> Wedges | None:
    """The table of codegrees that a counting plan should have: its own, or one that is read below level 1."""
    if not isinstance(plan.tail, CountTail):
        return None
    lowered = lower_plan(plan, 0, kept.numbers, resolved.reverse)
    wedges = lowered.wedges
    if wedges is None or wedges.from_ends:
        return wedges
    positions = lowered.tables["levels"]["table"]
    return wedges if positions.max() > 2 and first_lists(lowered) else None


def _local_tables(plan: Plan, resolved: Resolved) -> LoweredLocal | None:
    """None where the plan is too much for them."""
    with contextlib.suppress(UnsupportedError):
        return lower_local(plan, resolved.reverse, resolved.longest)
    return None
