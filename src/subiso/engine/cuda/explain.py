"""How a query would run on a device, in words: the schedule of every plan, and why."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from subiso.engine import cpu
from subiso.engine.base import Params, Switches
from subiso.engine.cuda import engine_on
from subiso.engine.cuda.by_host import host_formula
from subiso.engine.cuda.by_parts import parted_formula
from subiso.engine.cuda.by_sums import SumsWay, may_come_from_sums, sums_way
from subiso.engine.cuda.by_twigs import by_twigs
from subiso.engine.cuda.choose import (
    Choice,
    bytes_without_room,
    choose_schedule,
    takes_codegrees,
    without_room,
)
from subiso.engine.cuda.device import open_devices, parse_device, why_not
from subiso.engine.cuda.explain_levels import levels_text
from subiso.engine.cuda.explain_sums import passes_lines, sums_cost
from subiso.engine.cuda.filters import told
from subiso.engine.cuda.formula import device_formula
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import DeviceGraph, room_on
from subiso.engine.cuda.pipeline_tables import lower_twigs
from subiso.engine.cuda.storage import choose_storage
from subiso.engine.cuda.tune import FIXED_COST, HASTE_COST, HOST_COST
from subiso.engine.query import Query
from subiso.engine.race import told as told_of_race
from subiso.errors import UnsupportedError
from subiso.filter.clique_graph import searched_in
from subiso.filter.resolve import Resolved, resolve
from subiso.plan.choose import make_plan
from subiso.plan.explain import DeviceNotes, otherwise
from subiso.plan.formula import ONE_PLAN, Formula
from subiso.plan.joins import make_twig_plan
from subiso.plan.plan import Plan
from subiso.plan.sums_text import sums_formula, sums_lines
from subiso.plan.twig_plan import TwigPlan
from subiso.storage.layout import RelationCsr, layout_of
from subiso.storage.statistics import statistics_of

_COMPILING = "short: kernels that are not in the cache yet are compiled in haste, and well after that"
_SOON = "the host first: it should be done before a kernel would be launched"
_HERE = "the host counts: kernels have no such cuts, and would take much longer without"
_SPARED = "but between candidates its tables cost more than they save"
_ROOM = "for graphs without room on the device"
_BY_PLANS = ("fine", "stack", "wedge", "local", "levels")
_BY_SEVERAL = ("fine", "stack", "levels")
"""The schedules that run plans, on one device and on several."""
_EXAMPLE = Description("an H200, as there is no device here", "sm_90", 132)


@dataclass(frozen=True)
class _Asked:
    """A query on a device, and how it should run."""

    query: Query
    resolved: Resolved
    machine: Description
    schedule: str
    alone: bool
    """On one device: several have no tables of codegrees, and make no passes for sums."""

    def formula(self, schedule: str) -> Formula:
        return device_formula(self.resolved, Params(), schedule, room_on(self.machine), alone=self.alone)

    def has_room(self, schedule: str) -> bool:
        """Whether the device holds what a schedule needs of the graph: all of it, with two exceptions."""
        spare = without_room(self.resolved.problem) if self.alone else ()
        return schedule in spare or not bytes_without_room(self.resolved, self.machine)

    def way(self, formula: Formula) -> SumsWay | None:
        """Passes that count it in less time than the formula."""
        return sums_way(self.query, formula.cost) if self.schedule == "auto" and self.alone else None

    def parted(self, formula: Formula) -> Formula | None:
        """A much cheaper formula, whose cuts have several parts."""
        return (
            parted_formula(self.resolved, Params(), formula)
            if self.schedule == "auto" and self.alone
            else None
        )

    def on_host(self, formula: Formula) -> Formula | None:
        """The host's formula, where it takes much less time."""
        return host_formula(self.resolved, Params(), formula.cost) if self.schedule == "auto" else None

    def choice(self, plan: Plan, schedule: str) -> Choice:
        wanted = "stack" if schedule == "auto" and not self.alone else schedule
        return choose_schedule(plan, self.resolved, self.machine, wanted)

    def how(self, plan: Plan, choice: Choice) -> list[str]:
        """What a schedule makes of a plan, where there is more to say than why it was chosen."""
        said = levels_text(plan, self.resolved, self.machine) if choice.schedule == "levels" else ""
        return [said] if said else []


def device_notes(query: Query, device: str = "cuda", schedule: str = "auto") -> DeviceNotes:
    """What `explain` says of a device.

    >>> from subiso import Graph, Pattern
    >>> from subiso.engine.query import make_query
    >>> paths = make_query(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]), Pattern.path(4))
    >>> notes = device_notes(paths)
    >>> for line in (*notes.lines[1:], *notes.schedules, notes.others):
    ...     print(line.strip())
    storage csr: its offsets (0.0 MB) are small beside the lists (0.0 MB)
    the host first: it should be done before a kernel would be launched
    schedule fine: no candidates come from more than one list; read from tables
    or by schedule levels (the same plans); schedule pipeline (2 twigs, ~... rows); the host (~... operations) (auto...
    """
    machine = description(device)
    lines = [f"device    {machine.name}"]
    resolved = resolve(query, narrower=told(machine, _copied(device, query)))
    if resolved.hopeless:
        lines.append("  nothing to do: some vertex of the pattern has no candidate")
        return DeviceNotes(tuple(lines), own=True)
    if resolved.narrowed.where:
        lines.append(f"  filters {resolved.narrowed.where}")
    beside = told_of_race(resolved) if schedule == "auto" else ""
    resolved = searched_in(resolved, statistics_of(query.graph), Switches(), device=True)
    why = by_twigs(_is_one(device), machine, schedule, resolved)
    if why is not None:
        counted = _joined(make_twig_plan(resolved.problem, counting=True), why)
        try:
            listed = _joined(make_twig_plan(resolved.problem), why)
        except UnsupportedError as error:  # more vertices are matched where they are not counted only
            listed = (f"not by schedule pipeline: {error.message}",)
        short = "joined from twigs"
        return DeviceNotes(tuple(lines), instead=counted, short=short, listed=listed, own=True)
    storage = choose_storage(resolved)
    lines.append(f"  storage {storage.name}: {storage.why}")
    asked = _Asked(query, resolved, machine, schedule, _is_one(device))
    return _by_kernels(asked, lines, beside)


def way_of(query: Query, device: str = "cuda", schedule: str = "auto") -> SumsWay | None:
    """The passes that a query is counted by on a device; None where plans count it."""
    if not may_come_from_sums(query):
        return None
    resolved = resolve(query)
    asked = _Asked(query, resolved, description(device), schedule, _is_one(device))
    return None if resolved.hopeless else asked.way(asked.formula(schedule))


def _joined(plan: TwigPlan, why: str) -> tuple[str, ...]:
    """A join that is not refused, in words."""
    lower_twigs(plan)
    return (f"schedule pipeline: {why}", *str(plan).splitlines())


def _by_kernels(asked: _Asked, lines: list[str], beside: str) -> DeviceNotes:
    """The notes on passes, or on the plans of a formula."""
    formula = asked.formula(asked.schedule)
    soon = asked.schedule == "auto" and formula.cost <= HOST_COST
    lines += [f"  {_SOON}"] if soon else []
    notes = _listing(asked)
    way = asked.way(formula)
    if way is not None:
        instead, short = (
            tuple(_sums(asked, way, formula)),
            f"from sums: {sums_formula(way.pattern, way.copies)}",
        )
        return replace(notes, lines=tuple(lines), formula=formula, instead=instead, short=short)
    if not soon and formula.cost <= HASTE_COST:
        lines.append(f"  {_COMPILING}")
    formula = asked.parted(formula) or formula
    lines += [f"  {beside}"] if beside else []
    on_host = None if beside else asked.on_host(formula)
    if on_host is not None:
        kernels = f"or by kernels (~{formula.cost:,.3g} operations, {formula.technique})"
        lines.append(f"  {_HERE}")
        return replace(notes, lines=tuple(lines), formula=on_host, others=kernels)
    choices = [asked.choice(term.plan, asked.schedule) for term in formula.terms]
    schedules = tuple(
        "; ".join(
            [
                f"schedule {choice.schedule}: {choice.why}",
                *asked.how(term.plan, choice),
                _compiled(term.plan, choice),
            ]
        )
        for term, choice in zip(formula.terms, choices, strict=True)
    )
    others = _others(asked, formula, {choice.schedule for choice in choices})
    return replace(notes, lines=tuple(lines), formula=formula, schedules=schedules, others=others)


def _listing(asked: _Asked) -> DeviceNotes:
    """How kernels list, as notes on nothing else: the schedule of the plan, or why they cannot."""
    plan = make_plan(asked.resolved.problem, statistics_of(asked.query.graph), counting=False)
    try:
        lower_plan(plan, asked.resolved.longest)
    except UnsupportedError as error:  # a count may have fewer loops
        return DeviceNotes(listed=(f"not by kernels: {error.message}",), own=True)
    chosen = asked.choice(plan, asked.schedule)
    how = [f"schedule {chosen.schedule}: {chosen.why}", *asked.how(plan, chosen)]
    return DeviceNotes(listing="; ".join(how), own=True)


def _compiled(plan: Plan, choice: Choice) -> str:
    fixed = plan.cost >= FIXED_COST and choice.schedule != "levels"
    return "compiled in" if fixed else "read from tables"


def _sums(asked: _Asked, way: SumsWay, formula: Formula) -> list[str]:
    """A count from sums: a heading, what plans would cost, the formula and its sums, the passes."""
    graph = asked.query.graph
    schedules = dict.fromkeys(asked.choice(term.plan, asked.schedule).schedule for term in formula.terms)
    plans = f"otherwise {formula.technique} ~{formula.cost:,.3g} operations ({', '.join(schedules)})"
    sums = sums_formula(way.pattern, way.copies)
    more = otherwise(formula).removeprefix("; otherwise")
    return [
        f"~{sums_cost([way], graph):,.3g} operations, from sums over the whole graph: {way.why}",
        plans + (f",{more}" if more else "") + f"; or by {_host(asked)}",
        f"count = {sums}",
        *sums_lines([sums]),
        *passes_lines([way], graph),
    ]


def _others(asked: _Asked, taken: Formula, chosen: set[str]) -> str:
    """The schedules that could run it too, with what they have to do by the planner's estimate, and the host."""
    costs: dict[str, list[str]] = {}
    for name in _BY_PLANS if asked.alone else _BY_SEVERAL:
        if name in chosen or not asked.has_room(name):
            continue
        with contextlib.suppress(UnsupportedError):
            formula = asked.formula(name)
            if any(asked.choice(term.plan, name).schedule == name for term in formula.terms):
                cost = "the same plans" if formula == taken else f"~{formula.cost:,.3g} operations"
                spared = name == "wedge" and not takes_codegrees("auto", asked.resolved.problem)
                costs.setdefault(cost + (f", {_SPARED}" if spared else ""), []).append(name)
    ways = [f"schedule {' or '.join(names)} ({cost})" for cost, names in costs.items()]
    twigs = _twigs(asked)
    spare = [
        name
        for name in without_room(asked.resolved.problem)
        if asked.alone and name not in chosen and (twigs or name != "pipeline")
    ]
    why = f" (auto takes {' and '.join(spare)} {_ROOM})" if asked.schedule == "auto" and spare else ""
    return "or by " + "; ".join([*ways, *twigs, _host(asked)]) + why


def _twigs(asked: _Asked) -> list[str]:
    """Schedule `pipeline`, where a run of it would not be refused."""
    if not asked.alone or not asked.has_room("pipeline"):
        return []
    plan = make_twig_plan(asked.resolved.problem, counting=True)
    with contextlib.suppress(UnsupportedError):
        lower_twigs(plan)
        number = len(plan.scans)
        return [f"schedule pipeline ({number} twig{'s' * (number > 1)}, ~{plan.cost:,.3g} rows)"]
    return []


def _host(asked: _Asked) -> str:
    formula = cpu.formula_for(asked.resolved, Params())
    by = f", {formula.technique}" if formula.technique != ONE_PLAN else ""
    return f"the host (~{formula.cost:,.3g} operations{by})"


def _is_one(device: str) -> bool:
    return len(parse_device(device)) == 1 or (
        device == "cuda:all" and why_not() is None and len(open_devices(device)) == 1
    )


def _copied(device: str, query: Query) -> Callable[[RelationCsr], bool]:
    """Which relations are on the device by now."""
    if why_not(*parse_device(device)[:1]) is not None:
        return lambda _: False
    return DeviceGraph(engine_on(device).caches[0], layout_of(query.graph)).has


def description(device: str) -> Description:
    """The first of the devices, or an example where there is none."""
    if why_not(*parse_device(device)[:1]) is not None:
        return _EXAMPLE
    return open_devices(device)[0].description
