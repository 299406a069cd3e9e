"""What `subiso.explain` prints: the question, the candidates, the plans for counting and for listing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from subiso.engine.base import Params
from subiso.engine.candidates import first_tries
from subiso.engine.cpu import formula_for
from subiso.engine.query import Query
from subiso.engine.sums import SumsWay, sums_way
from subiso.filter.clique_graph import searched_in
from subiso.filter.resolve import Resolved, resolve_for
from subiso.pattern.write import arrow, bracket_name
from subiso.plan.choose import make_plan
from subiso.plan.estimate import with_estimates
from subiso.plan.formula import ONE_PLAN, Formula
from subiso.plan.formula_text import formula_text, is_one_plan, order_text, term_lines
from subiso.plan.local import LEAST_CLIQUE
from subiso.plan.plan import Plan
from subiso.plan.problem import Problem
from subiso.plan.sums_text import sums_formula, sums_lines
from subiso.storage.statistics import Statistics, statistics_of

_LISTS_PER_LINE = 4


@dataclass(frozen=True)
class DeviceNotes:
    """What a device adds to an explanation, and what it does in another way than the CPU."""

    lines: tuple[str, ...] = ()
    """On where it would run."""
    formula: Formula | None = None
    """How plans count there; None = as on the CPU."""
    schedules: tuple[str, ...] = ()
    """Of the formula's plans, and why."""
    listing: str = ""
    """The schedule of the plan that lists."""
    instead: tuple[str, ...] = ()
    """How it is counted where that is not by the formula: a heading, and lines."""
    short: str = ""
    """The same in a few words."""
    listed: tuple[str, ...] = ()
    """How it is listed where that is not by the plan: a heading, and lines."""
    others: str = ""
    """What else would do, and its cost."""
    own: bool = False
    """The device counts in its own ways, not in the CPU's."""


@dataclass(frozen=True, repr=False)
class Explanation:
    """Printable; `formula` and `listing` are what `count` and `match` run, unless the count needs no plans."""

    resolved: Resolved
    stats: Statistics
    formula: Formula
    listing: Plan
    device: DeviceNotes = DeviceNotes()
    """On where it would run."""
    first: str = ""
    """What is tried before the plans."""
    sums: SumsWay | None = None
    """How the CPU counts without plans, from sums."""

    @property
    def problem(self) -> Problem:
        return self.resolved.problem

    @property
    def counting(self) -> Plan:
        """The formula's first plan; the only one, unless the count is a sum of several."""
        return self.formula.terms[0].plan

    def __repr__(self) -> str:  # what a notebook shows
        return str(self)

    def __str__(self) -> str:
        p = self.problem
        lines = [
            f"pattern   {p.pattern}",
            f"mode      {p.mode}, {_how_often(p)}",
            f"graph     {self.stats.num_vertices:,} vertices, mean degree {self.stats.mean_degree:.3g} "
            f"({self.stats.edge_degree:.3g} at the end of an edge), {self.stats.closure:.1%} of wedges closed",
        ]
        lines += self._filter_lines()
        if self.resolved.hopeless:
            lines += ["", "count     0: some vertex of the pattern has no candidate", "", "match     nothing"]
            return "\n".join([*lines, *(["", *self.device.lines] if self.device.lines else [])])
        lines += ["", *self._counted(), "", *self._listed()]
        if self.device.lines:
            lines += ["", *self.device.lines]
        return "\n".join(lines)

    def _counted(self) -> list[str]:
        """The section on counting."""
        if self.device.instead:
            heading, *lines = self.device.instead
            return [f"count     {heading}", *(f"  {line}" for line in lines)]
        if self.sums is not None:
            return self._summed(self.sums)
        lines = [f"count     ~{self.formula.cost:,.3g} operations"]
        lines += [f"  {self.first}"] if self.first else []
        return lines + self._count_lines()

    def _listed(self) -> list[str]:
        """The section on listing."""
        if self.device.listed:
            heading, *lines = self.device.listed
            return [f"match     {heading}", *(f"  {line}" for line in lines)]
        schedule = [f"  {self.device.listing}"] if self.device.listing else []
        heading = f"match     ~{self.listing.cost:,.3g} operations"
        return [heading, *schedule, *self._order_lines(self.listing), _indented(self.listing)]

    def _summed(self, way: SumsWay) -> list[str]:
        """The section on counting from sums."""
        p, formula = self.problem, self.formula
        copies = 1 if p.unique else p.pattern.automorphism_count()
        count = sums_formula(p.pattern, copies, induced=p.mode == "induced")
        more = otherwise(formula).removeprefix("; otherwise")
        return [
            f"count     ~{way.cost:,.3g} operations, from sums over the whole graph: {way.why}",
            f"  otherwise {formula.technique} ~{formula.cost:,.3g} operations" + (f",{more}" if more else ""),
            f"  count = {count}",
            *(f"  {line}" for line in sums_lines([count])),
        ]

    def _filter_lines(self) -> list[str]:
        """Candidates before and after the filters, and what becomes of them."""
        p, narrowed = self.problem, self.resolved.narrowed
        lines = []
        for vertex, numbers in enumerate(p.filters):
            for number in numbers:
                before, after = narrowed.before[vertex], p.sizes[vertex]
                fewer = f", {before:,.0f} before the filters" if before != after else ""
                lines.append(
                    f"filter    {p.pattern.names[vertex]} in C{number}: "
                    f"{after:,.0f} candidate{'s' * (after != 1)}{fewer}"
                )
        if narrowed.used:
            stopped = "" if narrowed.complete else " (stopped before its fixed point)"
            lines.append(f"filters   {', '.join(narrowed.used)}{stopped}")
        if self.resolved.candidate_graph is not None and any(p.filters):
            lines.append(f"between   candidate graph {self.resolved.candidate_graph}")
        cliques = self.resolved.cliques
        return lines + self._list_lines() + ([] if cliques is None else cliques.lines())

    def _list_lines(self) -> list[str]:
        """What the neighbour lists of the plans are, where there is more than one kind."""
        p, lists = self.problem, dict[int, str]()
        edges = [e for e in p.pattern.edges if e.source != e.target]
        for edge, link in zip((*edges, *p.absent), (*p.links, *p.forbidden), strict=True):
            source, target = (bracket_name(p.pattern.names[v]) for v in (edge.source, edge.target))
            for number, owner, other in ((link.forward, source, target), (link.backward, target, source)):
                meaning = f"N{number or ''}({owner}) = {{{other}: ({source}){arrow(edge)}({target})}}"
                lists.setdefault(number, meaning)
        said = [lists[number] for number in sorted(lists)] if len(lists) > 1 else []
        rows = [", ".join(said[i : i + _LISTS_PER_LINE]) for i in range(0, len(said), _LISTS_PER_LINE)]
        return [("          " if i else "lists     ") + row for i, row in enumerate(rows)]

    def _pivot_lines(self) -> list[str]:
        """Whether the CPU counts a plain clique by pivoting, and why."""
        if self.resolved.cliques is None or self.device.own:
            return []
        local = self.counting.local
        if local is not None and local.cliques:
            return ["  by pivoting: whole families of cliques are one binomial coefficient"]
        loops = self.problem.loops
        why = "the graph has self loops" if loops else f"pivots are for {LEAST_CLIQUE} vertices and more"
        return [f"  by loops, the last vertex by the size of a set: {why}"]

    def _order_lines(self, plan: Plan) -> list[str]:
        """The order that keeps a plan from finding a subgraph more than once."""
        if not plan.restrictions:
            return []
        cliques = self.resolved.cliques
        by = "degree, then id" if cliques is None else cliques.ways.order
        return [f"  # where {order_text(plan.restrictions, plan.names)} (by {by})"]

    def _count_lines(self) -> list[str]:
        formula = self.formula
        lines = []
        if formula.technique != ONE_PLAN or formula.alternatives:
            lines.append(f"  by {formula.technique}" + otherwise(formula))
        lines += [f"  {self.device.others}"] if self.device.others else []
        schedules = self.device.schedules or ("",) * len(formula.terms)
        if is_one_plan(formula):
            lines += [f"  {schedules[0]}"] if schedules[0] else []
            lines += self._pivot_lines()
            return [*lines, *self._order_lines(self.counting), _indented(self.counting)]
        lines.append(f"  count = {formula_text(formula)}")
        for i, (term, schedule) in enumerate(zip(formula.terms, schedules, strict=True)):
            lines += [f"  {line}" for line in term_lines(f"t{i}", term)]
            lines += [f"    # {schedule}"] if schedule else []
            lines.append(_indented(term.plan, 2))
        return lines


def _how_often(problem: Problem) -> str:
    if not problem.unique:
        repeated = {
            "homomorphism": "vertices may repeat",
            "edge-isomorphism": "vertices may repeat, data edges not",
        }
        return f"every map, {repeated[problem.mode]}" if problem.mode in repeated else "every embedding"
    same = problem.pattern.automorphism_count(extra_colors=problem.colors())
    return f"each subgraph once ({same} automorphism{'s' * (same > 1)})"


def explain(
    query: Query,
    device: DeviceNotes = DeviceNotes(),
    params: Params = Params(),  # noqa: B008 (frozen)
) -> Explanation:
    """How the query would be run: by the CPU engine, but for what a device does in another way."""
    switches = params.switches
    resolved, stats = resolve_for(query, params), statistics_of(query.graph)
    whole = resolved
    tried = not (whole.hopeless or device.own)
    first = first_tries(whole, switches.labelled, lambda: formula_for(whole, params).cost) if tried else ""
    resolved = searched_in(whole, stats, switches, device=device.own)
    problem = resolved.problem
    formula = device.formula or formula_for(resolved, params)
    sums = None if device.own else sums_way(query, params)
    return Explanation(
        resolved,
        stats,
        _estimated(formula, problem, stats),
        with_estimates(make_plan(problem, stats, counting=False, **switches.of_plans), problem, stats),
        device,
        first,
        sums if sums is not None and (sums.sure or sums.cost < formula.cost) else None,
    )


def _estimated(formula: Formula, problem: Problem, stats: Statistics) -> Formula:
    """Sizes are noted where the plan is for the problem itself; the terms of a sum are for denser patterns."""
    term = formula.terms[0]
    if len(formula.terms) > 1 or term.cut is not None:
        return formula
    return replace(formula, terms=(replace(term, plan=with_estimates(term.plan, problem, stats)),))


def otherwise(formula: Formula) -> str:
    """What else was looked at, each way once, cheapest first."""
    costs = dict(sorted(formula.alternatives, key=lambda way: -way[1]))
    if not costs:
        return ""
    ways = sorted(costs.items(), key=lambda way: way[1])
    return "; otherwise " + ", ".join(f"{name} ~{cost:,.3g}" for name, cost in ways)


def _indented(plan: Plan, depth: int = 1) -> str:
    return "\n".join("  " * depth + line for line in str(plan).splitlines())
