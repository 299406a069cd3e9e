"""Says a formula in words: how its terms make up the count, and what each of them counts, so that it can be redone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from subiso.plan.formula import Formula, Term
from subiso.plan.restrictions import closure


def formula_text(formula: Formula, names: Sequence[str] = ()) -> str:
    """The count as an expression of its terms, which are t0, t1, ... or have the given names.

    >>> from subiso.pattern import Pattern
    >>> from subiso.plan.plan import EmitTail, Plan, Seed
    >>> from subiso.plan.problem import Problem
    >>> problem = Problem(Pattern.path(2), "monomorphism", True, ())
    >>> plan = Plan(("a", "b"), "monomorphism", True, Seed(0), (), (), EmitTail())
    >>> formula_text(Formula((Term(1, problem, plan), Term(-2, problem, plan)), divisor=3))
    '(t0 - 2*t1) / 3'
    """
    names = names or [f"t{i}" for i in range(len(formula.terms))]
    text = linear_text([(name, term.coefficient) for name, term in zip(names, formula.terms, strict=True)])
    if formula.divisor == 1:
        return text
    return f"({text}) / {formula.divisor}" if len(formula.terms) > 1 else f"{text} / {formula.divisor}"


def linear_text(parts: Iterable[tuple[str, int | Fraction]]) -> str:
    """A sum of names with coefficients.

    >>> linear_text([("paths", 1), ("ends", Fraction(-2, 3)), ("books", -4)])
    'paths - 2*ends / 3 - 4*books'
    """
    text = ""
    for name, coefficient in parts:
        size = abs(Fraction(coefficient))
        value = name if size.numerator == 1 else f"{size.numerator}*{name}"
        value += f" / {size.denominator}" if size.denominator != 1 else ""
        minus = coefficient < 0
        text += f" {'-' if minus else '+'} {value}" if text else f"{'-' if minus else ''}{value}"
    return text


def term_lines(name: str, term: Term) -> list[str]:
    """What a term's plan counts, and on which conditions."""
    conditions = _conditions(term)
    head = f"{name} = {_kind(term)} {term.pattern}  # ~{term.plan.cost:,.3g} operations"
    return [head, f"  # where {conditions}"] if conditions else [head]


def is_one_plan(formula: Formula) -> bool:
    """Whether the count is what its one plan counts."""
    return len(formula.terms) == 1 and formula.terms[0].coefficient == formula.divisor == 1


def term_names(formula: Formula, name: str) -> list[str]:
    """Names for the terms of a count that has this name."""
    return [name] if is_one_plan(formula) else [f"{name}.{i}" for i in range(len(formula.terms))]


def _kind(term: Term) -> str:
    problem = term.problem
    if not problem.injective:
        return "homomorphisms of" if problem.mode == "homomorphism" else "matches of"
    if term.cut is not None:
        return "maps of" if len(term.cut.groups) > 1 else "embeddings of"
    if not problem.unique:
        return "embeddings of"
    colors = problem.colors()
    if colors is None:
        return "induced subgraphs" if problem.mode == "induced" else "subgraphs"
    same = problem.pattern.automorphism_count(extra_colors=colors)
    return f"1/{same} of the embeddings of" if same > 1 else "embeddings of"


def _conditions(term: Term) -> str:
    """What is asked of a term's matches beside its pattern, and what is not asked; nothing where all is as usual."""
    problem, names = term.problem, term.pattern.names
    order = problem.imposed if term.cut is None else term.plan.restrictions
    said = [f"{order_text(order, names)} (by degree, then id)"] if order else []
    if problem.injective and term.cut is not None and len(term.cut.groups) > 1:
        parts = " | ".join(", ".join(names[v] for v in group) for group in term.cut.groups)
        said.append(f"vertices of different parts ({parts}) may coincide, others not")
    if any(problem.filters):
        sets = [" and ".join(f"C{f}" for f in numbers) for numbers in problem.filters]
        said.append(
            ", ".join(f"{name} in {chosen}" for name, chosen in zip(names, sets, strict=True) if chosen)
        )
    return "; ".join(said)


def order_text(restrictions: Iterable[tuple[int, int]], names: Sequence[str]) -> str:
    """Pairs (a, b), "a's vertex comes before b's", less those that follow from others.

    >>> order_text([(0, 1), (0, 2), (1, 2)], "abc"), order_text([(1, 0), (2, 0), (1, 3), (2, 3)], "abcd")
    ('a < b < c', 'b, c < a, d')
    """
    pairs = set(restrictions)
    before = closure(len(names), pairs)
    pairs = {(a, b) for a, b in pairs if not any(a in before[u] for u in before[b])}
    above: dict[frozenset[int], list[int]] = {}  # those that come after the same ones
    for v in sorted({b for _, b in pairs}):
        above.setdefault(frozenset(a for a, b in pairs if b == v), []).append(v)
    steps = [[sorted(lower), upper] for lower, upper in above.items()]
    chains: list[list[list[int]]] = []
    while steps:
        chain = steps.pop(0)
        while (after := next((s for s in steps if s[0] == chain[-1]), None)) is not None:
            steps.remove(after)
            chain = [*chain, after[1]]
        while (ahead := next((s for s in steps if s[1] == chain[0]), None)) is not None:
            steps.remove(ahead)
            chain = [ahead[0], *chain]
        chains.append(chain)
    return " and ".join(" < ".join(", ".join(names[v] for v in group) for group in chain) for chain in chains)
