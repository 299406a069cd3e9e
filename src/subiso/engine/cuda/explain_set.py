"""How several queries would be counted on a device, in words: which share passes over the graph, which run alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from subiso.engine.cuda.by_sums import SumsWay
from subiso.engine.cuda.explain import description, device_notes, way_of
from subiso.engine.cuda.explain_sums import passes_lines, sums_cost
from subiso.engine.explain_set import counted_by, legend, listed, repeated
from subiso.engine.query import Query
from subiso.plan.explain import DeviceNotes
from subiso.plan.formula_text import is_one_plan, term_lines, term_names
from subiso.plan.sums_text import sums_formula, sums_lines

WHY_APART = (
    "searches are not merged on a device: a kernel searches for one plan, and patterns share passes only"
)


@dataclass(frozen=True, repr=False)
class CudaSetExplanation:
    """Printable; what `count` does on a device."""

    queries: tuple[Query, ...]
    device: str
    """Its name."""
    teams: tuple[dict[int, SumsWay], ...]
    """Queries of one size that share passes."""
    alone: dict[int, DeviceNotes]
    """The others, and how each is counted."""
    same: dict[int, int]
    """Queries with the same count as an earlier one, and which."""

    def __repr__(self) -> str:  # what a notebook shows
        return str(self)

    def __str__(self) -> str:
        together = sum(len(team) for team in self.teams)
        alone = {number: notes for number, notes in self.alone.items() if notes.formula or notes.instead}
        lines = [
            f"set       {len(self.queries)} patterns: {together} share passes over the graph, "
            f"{len(alone)} run alone",
            f"device    {self.device}",
            *legend(self.queries, self._notes()),
        ]
        for team in self.teams:
            lines += ["", *self._team_lines(team)]
        for number, notes in alone.items():
            lines += ["", *_alone_lines(number, notes)]
        lines += ["", f"# {WHY_APART}"] if len(alone) > 1 else []
        return "\n".join(lines)

    def _notes(self) -> dict[int, str]:
        notes = {number: f"the same as p{other}" for number, other in self.same.items()}
        for team in self.teams:
            notes.update(
                (i, f"from sums: {sums_formula(way.pattern, way.copies)}") for i, way in team.items()
            )
        for number, told in self.alone.items():
            if told.instead:
                notes[number] = told.short
            elif told.formula is not None:
                names = term_names(told.formula, f"p{number}")
                notes[number] = counted_by(told.formula, names, f"p{number}")
        return notes

    def _team_lines(self, team: dict[int, SumsWay]) -> list[str]:
        ways, graph = list(team.values()), self.queries[0].graph
        apart = sum(sums_cost([way], graph) for way in ways)
        formulas = [sums_formula(way.pattern, way.copies) for way in ways]
        head = (
            f"together  ~{sums_cost(ways, graph):,.3g} operations; one by one ~{apart:,.3g}: {listed(team)}"
        )
        return [head, *(f"  {line}" for line in (*passes_lines(ways, graph), *sums_lines(formulas)))]


def _alone_lines(number: int, notes: DeviceNotes) -> list[str]:
    if notes.instead:
        heading, *lines = notes.instead
        return [f"alone     p{number}: {heading}", *(f"  {line}" for line in lines)]
    formula = notes.formula
    assert formula is not None
    lines = [f"alone     p{number}: ~{formula.cost:,.3g} operations", f"  {notes.others}"]
    if is_one_plan(formula):
        return [*lines, f"  {notes.schedules[0]}"]
    names = term_names(formula, f"p{number}")
    for name, term, schedule in zip(names, formula.terms, notes.schedules, strict=True):
        lines += [f"  {line}" for line in (*term_lines(name, term), f"  # {schedule}")]
    return lines


def explain_set_on(
    queries: Sequence[Query], device: str = "cuda", schedule: str = "auto"
) -> CudaSetExplanation:
    """How a device would count the queries, all on one graph; needs none to say it."""
    same = repeated(queries)
    distinct = [i for i in range(len(queries)) if i not in same]
    ways: dict[int, dict[int, SumsWay]] = {}
    for i in distinct:
        way = way_of(queries[i], device, schedule)
        if way is not None:
            ways.setdefault(queries[i].pattern.num_vertices, {})[i] = way
    teams = tuple(team for team in ways.values() if len(team) > 1)
    alone = [i for i in distinct if not any(i in team for team in teams)]
    notes = {i: device_notes(queries[i], device, schedule) for i in alone}
    return CudaSetExplanation(tuple(queries), description(device).name, teams, notes, same)
