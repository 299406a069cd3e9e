"""How a query would run on a device, in words: the schedule of every plan, and why."""

from __future__ import annotations

from collections.abc import Callable

from subiso.engine.base import Params
from subiso.engine.cuda import engine_on
from subiso.engine.cuda.by_sums import sums_way
from subiso.engine.cuda.choose import choose_schedule, joins_twigs, takes_codegrees
from subiso.engine.cuda.device import open_devices, parse_device, why_not
from subiso.engine.cuda.filters import told
from subiso.engine.cuda.formula import fitting_formula
from subiso.engine.cuda.machine import Description
from subiso.engine.cuda.memory import DeviceGraph
from subiso.engine.cuda.storage import choose_storage
from subiso.engine.cuda.tune import FIXED_COST, HASTE_COST, HOST_COST
from subiso.engine.query import Query
from subiso.engine.race import told as told_of_race
from subiso.filter.candidate_graph import with_candidate_graph
from subiso.filter.resolve import resolve
from subiso.plan.joins import make_twig_plan
from subiso.storage.layout import RelationCsr, layout_of
from subiso.storage.statistics import statistics_of

_COMPILING = "short: kernels that are not in the cache yet are compiled in haste, and well after that"
_SOON = "the host first: it should be done before a kernel would be launched"
_EXAMPLE = Description("an H200, as there is no device here", "sm_90", 132)


def device_lines(query: Query, device: str = "cuda", schedule: str = "auto") -> list[str]:
    """The lines that `explain` adds for a device.

    >>> from subiso import Graph, Pattern
    >>> from subiso.engine.query import make_query
    >>> paths = make_query(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]), Pattern.path(4))
    >>> for line in device_lines(paths)[1:]:
    ...     print(line.strip())
    storage csr: its offsets (0.0 MB) are small beside the lists (0.0 MB)
    the host first: it should be done before a kernel would be launched
    schedule fine: no candidates come from more than one list; read from tables
    """
    machine = _description(device)
    lines = [f"device    {machine.name}"]
    resolved = resolve(query, narrower=told(machine, _copied(device, query)))
    if resolved.hopeless:
        return [*lines, "  nothing to do: some vertex of the pattern has no candidate"]
    if resolved.narrowed.where:
        lines.append(f"  filters {resolved.narrowed.where}")
    beside = told_of_race(resolved) if schedule == "auto" else ""
    resolved = with_candidate_graph(resolved, statistics_of(query.graph))
    why = joins_twigs(resolved, machine, schedule)
    if why is not None:
        plan = make_twig_plan(resolved.problem, counting=True)
        return [*lines, f"  schedule pipeline: {why}", *(f"    {line}" for line in str(plan).splitlines())]
    storage = choose_storage(resolved)
    lines.append(f"  storage {storage.name}: {storage.why}")
    formula = fitting_formula(resolved, Params(), codegrees=takes_codegrees(schedule, resolved.problem))
    soon = schedule == "auto" and formula.cost <= HOST_COST
    lines += [f"  {_SOON}"] if soon else []
    way = sums_way(query, formula.cost) if schedule == "auto" else None
    if way is not None:
        return [*lines, f"  from sums over the whole graph ({', '.join(way.passes)}): {way.why}"]
    if not soon and formula.cost <= HASTE_COST:
        lines.append(f"  {_COMPILING}")
    lines += [f"  {beside}"] if beside else []
    for term in formula.terms:
        choice = choose_schedule(term.plan, resolved, machine, schedule)
        fixed = term.plan.cost >= FIXED_COST and choice.schedule != "levels"
        how = "compiled in" if fixed else "read from tables"
        times = f"  {term.coefficient:+d} times {term.pattern}, " if len(formula.terms) > 1 else "  "
        lines.append(f"{times}schedule {choice.schedule}: {choice.why}; {how}")
    return lines


def _copied(device: str, query: Query) -> Callable[[RelationCsr], bool]:
    """Which relations are on the device by now."""
    if why_not(*parse_device(device)[:1]) is not None:
        return lambda _: False
    return DeviceGraph(engine_on(device).caches[0], layout_of(query.graph)).has


def _description(device: str) -> Description:
    if why_not(*parse_device(device)[:1]) is not None:
        return _EXAMPLE
    return open_devices(device)[0].description
