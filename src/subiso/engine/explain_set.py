"""What `subiso.explain` prints of several patterns: which are counted in one search, and what that should save."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.candidates import tried_first
from subiso.engine.query import Query
from subiso.engine.several import families_of, key_of
from subiso.engine.sums import sums_cost, sums_way
from subiso.engine.together import Team, plan_teams
from subiso.filter.resolve import Resolved, resolve_for
from subiso.plan.formula import ONE_PLAN, Formula, Term
from subiso.plan.formula_text import formula_text, is_one_plan, term_lines, term_names
from subiso.plan.merge import Group
from subiso.plan.plan import Plan
from subiso.plan.sums_text import sums_formula, sums_lines
from subiso.plan.trie_text import trie_text

NO_CANDIDATES = "0, as some vertex of the pattern has no candidate"


@dataclass(frozen=True)
class Family:
    """Queries of one size that come from sums over the graph."""

    numbers: tuple[int, ...]
    cost: float
    apart: float
    """What their plans would cost."""


@dataclass(frozen=True, repr=False)
class SetExplanation:
    """Printable; `teams` are what `count` runs on the CPU for the queries that need plans."""

    queries: tuple[Query, ...]
    teams: tuple[Team, ...]
    alone: tuple[tuple[int, Formula], ...]
    """Queries that share nothing, and how each is counted."""
    families: tuple[Family, ...]
    first: tuple[int, ...]
    """Queries that are counted without plans where that takes few steps; the rest is for those that need more."""
    same: tuple[tuple[int, int], ...] = ()
    """Queries with the same count as an earlier one, and which."""
    elsewhere: tuple[int, ...] = ()
    """Queries that a CUDA device counts, each alone."""

    @property
    def cost(self) -> float:
        plans = sum(team.together.cost for team in self.teams) + sum(way.cost for _, way in self.alone)
        return plans + sum(family.cost for family in self.families)

    @property
    def apart(self) -> float:
        plans = sum(team.apart for team in self.teams) + sum(way.cost for _, way in self.alone)
        return plans + sum(family.apart for family in self.families)

    def __repr__(self) -> str:  # what a notebook shows
        return str(self)

    def __str__(self) -> str:
        searches = len(self.alone) + sum(len(team.together.groups) for team in self.teams)
        summed = sum(len(family.numbers) for family in self.families)
        from_sums = f", {summed} from sums over the whole graph" if summed else ""
        lines = [
            f"set       {len(self.queries)} patterns in {searches} searches{from_sums}",
            f"count     ~{self.cost:,.3g} operations; one by one ~{self.apart:,.3g}",
        ]
        if self.first:
            lines.append(f"first     between their candidates, without plans: {listed(self.first)}")
        lines += legend(self.queries, self._notes())
        for family in self.families:
            lines += ["", *self._family_lines(family)]
        for number, formula in self.alone:
            lines += ["", f"alone     ~{formula.cost:,.3g} operations: p{number}"]
            named = zip(term_names(formula, f"p{number}"), formula.terms, strict=True)
            if not is_one_plan(formula):
                lines += [f"  {line}" for name, term in named for line in term_lines(name, term)]
        for team in self.teams:
            names, terms = _names(team), [term for way in team.together.formulas for term in way.terms]
            for group in team.together.groups:
                lines += ["", *_group_lines(group, names, {term.plan: term for term in terms})]
        return "\n".join(lines)

    def _notes(self) -> dict[int, str]:
        """How every query is counted, in a few words."""
        notes = {number: f"the same as p{other}" for number, other in self.same}
        notes.update((number, "alone, on the first CUDA device") for number in self.elsewhere)
        for family in self.families:
            notes.update((i, f"from sums: {_from_sums(self.queries[i])}") for i in family.numbers)
        for number, formula in self.alone:
            notes[number] = counted_by(formula, term_names(formula, f"p{number}"), f"p{number}")
        for team in self.teams:
            names = _names(team)
            for number, formula in zip(team.numbers, team.together.formulas, strict=True):
                called = [names[term.plan] for term in formula.terms]
                notes[number] = counted_by(formula, called, f"p{number}")
        return notes

    def _family_lines(self, family: Family) -> list[str]:
        formulas = [_from_sums(self.queries[i]) for i in family.numbers]
        return [
            f"sums      ~{family.cost:,.3g} operations; by plans ~{family.apart:,.3g}: {listed(family.numbers)}"
            + (", all from the same passes over the graph" if len(family.numbers) > 1 else ""),
            *(f"  {line}" for line in sums_lines(formulas)),
        ]


def _from_sums(query: Query) -> str:
    copies = 1 if query.unique else query.pattern.automorphism_count()
    return sums_formula(query.pattern, copies, induced=query.mode == "induced")


def _names(team: Team) -> dict[Plan, str]:
    """The names of a team's plans: p2 for that of the query at place 2; p2.0, p2.1, ... where its count is a sum."""
    names: dict[Plan, str] = {}
    for number, formula in zip(team.numbers, team.together.formulas, strict=True):
        for name, term in zip(term_names(formula, f"p{number}"), formula.terms, strict=True):
            names.setdefault(term.plan, name)
    return names


def _group_lines(group: Group, names: dict[Plan, str], terms: dict[Plan, Term]) -> list[str]:
    called = [names[plan] for plan in group.plans]
    whose = [
        f"  {line}"
        for plan, name in zip(group.plans, called, strict=True)
        if "." in name
        for line in term_lines(name, terms[plan])
    ]
    if len(called) == 1:
        return [f"alone     ~{group.cost:,.3g} operations: {called[0]}", *whose]
    head = f"together  ~{group.cost:,.3g} operations; one by one ~{group.apart:,.3g}: {', '.join(called)}"
    return [head, *whose, *("  " + line for line in trie_text(group, called))]


def legend(queries: Sequence[Query], notes: dict[int, str]) -> list[str]:
    """A line per query: its name, its pattern, and how it is counted."""
    return [
        f"{f'p{i}':<9} {query.pattern}  # {notes.get(i, NO_CANDIDATES)}" for i, query in enumerate(queries)
    ]


def counted_by(formula: Formula, names: Sequence[str], own: str) -> str:
    """A formula in a few words, with the names of its terms."""
    by = formula.technique if formula.technique == ONE_PLAN else f"by {formula.technique}"
    return by if is_one_plan(formula) and names[0] == own else f"{by}: {formula_text(formula, names)}"


def listed(numbers: Iterable[int]) -> str:
    """The names of queries.

    >>> listed([0, 2])
    'p0, p2'
    """
    return ", ".join(f"p{number}" for number in numbers)


def repeated(queries: Sequence[Query]) -> dict[int, int]:
    """Queries whose count is that of an earlier one, by number, and which that is."""
    first: dict[object, int] = {}
    places = [first.setdefault(key_of(query), i) for i, query in enumerate(queries)]
    return {i: place for i, place in enumerate(places) if place != i}


def explain_set(
    queries: Sequence[Query],
    params: Params = Params(),  # noqa: B008 (frozen)
    on_device: Callable[[Query], bool] | None = None,
) -> SetExplanation:
    """How the CPU engine would count the queries, all on one graph, but for those that go to a device."""
    same = repeated(queries)
    distinct = [i for i in range(len(queries)) if i not in same]
    in_family = families_of(list(queries), params)
    resolved = {i: resolve_for(queries[i], params) for i in distinct}
    resolved = {i: r for i, r in resolved.items() if not r.hopeless}
    members = [i for i in distinct if id(queries[i]) in in_family]
    rest = {i: r for i, r in resolved.items() if i not in members}
    elsewhere = tuple(i for i in rest if on_device is not None and on_device(queries[i]))
    rest = {i: r for i, r in rest.items() if i not in elsewhere}
    summed = [i for i, r in rest.items() if _alone_from_sums(queries[i], r, params)]
    rest = {i: r for i, r in rest.items() if i not in summed}
    first = tuple(i for i, r in rest.items() if _tried_first(r, params))
    teams, alone = plan_teams(queries, rest, params) if rest else ([], [])
    return SetExplanation(
        tuple(queries),
        tuple(teams),
        tuple((i, cpu.formula_for(resolved[i], params)) for i in alone),
        tuple(_families(queries, members, summed, resolved, params)),
        first,
        tuple(same.items()),
        elsewhere,
    )


def _tried_first(resolved: Resolved, params: Params) -> bool:
    return tried_first(resolved, params.switches.labelled, lambda: cpu.formula_for(resolved, params).cost)


def _alone_from_sums(query: Query, resolved: Resolved, params: Params) -> bool:
    way = sums_way(query, params)
    return way is not None and (way.sure or way.cost < cpu.formula_for(resolved, params).cost)


def _families(
    queries: Sequence[Query],
    members: Sequence[int],
    single: Sequence[int],
    resolved: dict[int, Resolved],
    params: Params,
) -> Iterable[Family]:
    """By the size of their patterns, and those that are alone with their sums."""
    sizes = sorted({queries[i].pattern.num_vertices for i in members})
    groups = [tuple(i for i in members if queries[i].pattern.num_vertices == size) for size in sizes]
    for group in (*groups, *((i,) for i in single)):
        apart = sum(cpu.formula_for(resolved[i], params).cost for i in group if i in resolved)
        ways = [sums_way(queries[i], params) for i in group]
        names = {name for way in ways if way is not None for name in way.names}
        yield Family(group, sums_cost(queries[0].graph, sorted(names)), apart)
