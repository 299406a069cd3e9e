"""What `subiso.explain` prints of several patterns: which are counted in one search, and what that should save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from subiso.engine import cpu
from subiso.engine.base import Params
from subiso.engine.candidates import first_tries
from subiso.engine.query import Query
from subiso.engine.several import families_of
from subiso.engine.together import Team, plan_teams
from subiso.filter.resolve import resolve
from subiso.plan.merge import Group, Together
from subiso.plan.plan import Plan
from subiso.plan.trie_text import trie_text


@dataclass(frozen=True)
class SetExplanation:
    """Printable; `teams` are what `count` runs on the CPU for the queries that need plans."""

    queries: tuple[Query, ...]
    teams: tuple[Team, ...]
    alone: tuple[tuple[int, float], ...]
    """Queries that share nothing, and the cost of each."""
    sums: tuple[int, ...]
    """Queries that come from sums over the graph, together with others of their size."""
    first: tuple[int, ...]
    """Queries that are counted without plans where that takes few steps; the rest is for those that need more."""

    @property
    def cost(self) -> float:
        return sum(team.together.cost for team in self.teams) + sum(cost for _, cost in self.alone)

    @property
    def apart(self) -> float:
        return sum(team.apart for team in self.teams) + sum(cost for _, cost in self.alone)

    def __str__(self) -> str:
        searches = len(self.alone) + sum(len(team.together.groups) for team in self.teams)
        lines = [
            f"set       {len(self.queries)} patterns in {searches} searches",
            f"count     ~{self.cost:,.3g} operations; one by one ~{self.apart:,.3g}",
        ]
        if self.sums:
            lines.append(f"sums      {len(self.sums)} of them come from sums over the whole graph, together")
        if self.first:
            lines.append(
                f"first     {len(self.first)} of them are tried between their candidates, without plans"
            )
        for number, cost in self.alone:
            lines += ["", f"alone     ~{cost:,.3g} operations: {self.queries[number].pattern}"]
        for team in self.teams:
            names = self._names(team.together, team.numbers)
            for group in team.together.groups:
                lines += ["", *self._group_lines(group, names)]
        return "\n".join(lines)

    def _names(self, together: Together, numbers: Sequence[int]) -> dict[Plan, str]:
        """The plans' names: p2 for that of the pattern at place 2; p2.0, p2.1, ... where its count is a sum."""
        names: dict[Plan, str] = {}
        for number, formula in zip(numbers, together.formulas, strict=True):
            for i, term in enumerate(formula.terms):
                names.setdefault(term.plan, f"p{number}" + (f".{i}" if len(formula.terms) > 1 else ""))
        return names

    def _group_lines(self, group: Group, names: dict[Plan, str]) -> list[str]:
        called = [names[plan] for plan in group.plans]
        patterns = {name: int(name[1:].partition(".")[0]) for name in called}
        whose = [f"  {name}  {self.queries[number].pattern}" for name, number in patterns.items()]
        if len(called) == 1:
            return [f"alone     ~{group.cost:,.3g} operations", *whose]
        head = f"together  ~{group.cost:,.3g} operations; one by one ~{group.apart:,.3g}"
        return [head, *whose, *("  " + line for line in trie_text(group, called))]


def explain_set(queries: Sequence[Query], params: Params = Params()) -> SetExplanation:  # noqa: B008 (frozen)
    """How the CPU engine would count the queries, all on one graph."""
    families = families_of(list(queries), params)
    sums = tuple(i for i, query in enumerate(queries) if id(query) in families)
    resolved = {i: resolve(query) for i, query in enumerate(queries) if i not in sums}
    resolved = {i: r for i, r in resolved.items() if not r.hopeless}
    first = tuple(i for i, r in resolved.items() if first_tries(r))
    teams, alone = plan_teams(queries, resolved, params) if resolved else ([], [])
    costs = tuple((i, cpu.formula_for(resolved[i], params).cost) for i in alone)
    return SetExplanation(tuple(queries), tuple(teams), costs, sums, first)
