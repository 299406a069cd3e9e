"""Prints a plan as the nested loops a person would write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from subiso.plan.plan import (
    CountTail,
    Ends,
    Extend,
    Neighbors,
    Part,
    Plan,
    SetExpression,
    SetRef,
    Source,
    Term,
)


def plan_text(plan: Plan) -> str:
    """The loops, sets and tail of a plan, one line each."""
    return "\n".join(Writer(plan).lines())


class Writer:
    """Writes the loops of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = [plan.names[v] for v in plan.order]

    def lines(self) -> list[str]:
        plan = self.plan
        lines = [self.seed_line()]
        lines += self.sets_at(0)
        for depth, extend in enumerate(plan.extends, 1):
            lines.append(self.indent(depth) + self.loop(depth, extend))
            lines += self.sets_at(depth)
        indent = self.indent(len(plan.order))
        if isinstance(plan.tail, CountTail):
            products = []
            for i, part in enumerate(plan.parts):
                lines += self.part(f"m{i}", part)
                products.append(f"m{i}" + (f"^{part.power}" if part.power > 1 else ""))
            lines += [indent + line for line in self.count_tail(plan.tail, "total", products)]
            if plan.tail.divisor != 1:
                lines.append(f"total / {plan.tail.divisor}")
        else:
            lines.append(indent + "emit")
        return lines

    def part(self, name: str, part: Part) -> list[str]:
        """The loops of a part, inside those of the plan."""
        outer = len(self.plan.order)
        self.names[outer:] = [self.plan.names[e.vertex] for e in part.extends]
        number = len(self.plan.sets)
        lines = [f"{self.indent(outer)}{name} = 0"]
        for depth, extend in enumerate(part.extends, outer):
            lines.append(self.indent(depth) + self.loop(depth, extend))
            lines += [
                f"{self.indent(depth + 1)}S{number + i} = {self.expression(step.expression)}"
                for i, step in enumerate(part.sets)
                if step.depth == depth
            ]
        inner = self.indent(outer + len(part.extends))
        lines += [inner + line for line in self.count_tail(part.tail, name)]
        del self.names[outer:]
        return lines

    def seed_line(self) -> str:
        seeds = " & ".join(f"C{f}" for f in self.plan.seed.filter) or "V"
        return f"for {self.names[0]} in {seeds}:{self.seed_note()}"

    def seed_note(self) -> str:
        notes = [_about(self.plan.seed.estimate)] if self.plan.seed.estimate else []
        notes += ["on bit rows of its neighbourhood"] if self.plan.local else []
        notes += ["by pivots instead of loops"] if self.plan.local and self.plan.local.cliques else []
        return f"  # {', '.join(notes)}" if notes else ""

    @staticmethod
    def indent(depth: int) -> str:
        return "  " * depth

    def sets_at(self, depth: int) -> list[str]:
        indent = self.indent(depth + 1)
        sets = [
            f"{indent}S{i} = {self.expression(step.expression)}"
            for i, step in enumerate(self.plan.sets)
            if step.depth == depth
        ]
        return sets + [
            f"{indent}D{i} = codegrees: for v in {self.expression(step.base)}, for w in "
            f"N{step.relation or ''}(v){self.bounded(step.lower, step.upper)}: D{i}[w] += 1"
            for i, step in enumerate(self.plan.codegrees)
            if step.depth == depth
        ]

    def loop(self, depth: int, extend: Extend) -> str:
        text = f"for {self.names[depth]} in {self.expression(extend.candidates)}"
        if extend.distinct:
            text += f", not {self.listed(extend.distinct)}"
        for c in extend.checks:
            text += f", column {c.left_key} {c.op} column {c.right_key} of {self.names[c.position]}"
        if any(max(c.source, c.target) == depth for c in self.plan.edge_checks):
            text += ", its edges distinct"
        notes = [_about(extend.estimate)] if extend.estimate else []
        notes += [f"if there are {extend.least}"] if extend.least > 1 else []
        return text + ":" + (f"  # {', '.join(notes)}" if notes else "")

    def count_tail(self, tail: CountTail, total: str, products: Sequence[str] = ()) -> list[str]:
        lines = []
        for i, size in enumerate(tail.sizes):
            without = f" without {self.listed(size.distinct)}" if size.distinct else ""
            less = f" - {size.surely}" if size.surely else ""
            table = f"  # in D{size.table}" if size.table is not None else ""
            lines.append(f"n{i} = |{self.expression(size.expression)}{without}|{less}{table}")
        counted = ", ".join(self.plan.names[v] for v in tail.vertices)
        value = _sum(tail.terms)
        if products:
            factors = [f"({value})" if len(tail.terms) > 1 else value] if value != "1" else []
            value = " * ".join([*factors, *products])
        return [*lines, f"{total} += {value}" + (f"  # {counted}" if counted else "")]

    def expression(self, e: SetExpression) -> str:
        text = self.source(e.source)
        for o in e.operands:
            text += f" {'-' if o.negative else '&'} {self.source(o.list)}"
        return _filtered(text + self.bounded(e.lower, e.upper), e.filter)

    def bounded(self, lower: tuple[int, ...], upper: tuple[int, ...]) -> str:
        above = f" above {self.listed(lower)}" if lower else ""
        return above + (f" below {self.listed(upper)}" if upper else "")

    def source(self, source: Source) -> str:
        if isinstance(source, Neighbors):
            return f"N{source.relation or ''}({self.names[source.position]})"
        if isinstance(source, SetRef):
            return f"S{source.index}"
        return f"D{source.table}" if isinstance(source, Ends) else "V"

    def listed(self, positions: Iterable[int]) -> str:
        return ", ".join(self.names[p] for p in positions)


def _about(estimate: float) -> str:
    return f"~{estimate:,.0f}" if estimate >= 100 else f"~{estimate:.2g}"


def _filtered(text: str, filters: tuple[int, ...]) -> str:
    return text + "".join(f" in C{f}" for f in filters)


def _sum(terms: tuple[Term, ...]) -> str:
    text = ""
    for term in terms:
        size = abs(term.coefficient)
        powers = [
            "*".join([f"n{f}"] * times) if times < 3 else f"n{f}^{times}"
            for f, times in Counter(term.factors).items()
        ]
        product = "*".join(([str(size)] if size != 1 or not term.factors else []) + powers)
        sign = "-" if term.coefficient < 0 else "+"
        text += f" {sign} {product}" if text else f"{'-' if sign == '-' else ''}{product}"
    return text or "0"
