"""Pass: parts as further loops. An engine without parts runs them as the innermost loops of one nest.

The sum over a part's loops, times what the cut's tail says, is the sum of the products: with one part that has loops,
nothing is computed twice but sizes of the cut's sets, and those become sets that are computed once.
"""

from __future__ import annotations

from dataclasses import replace

from subiso.plan.plan import CountTail, Part, Plan, SetExpression, SetRef, SetStep, TailSize, Term


def flatten(plan: Plan) -> Plan | None:
    """A plan without parts that counts the same; None where two parts have loops.

    >>> from subiso.plan.plan import Seed
    >>> loops = Plan(("a",), "monomorphism", True, Seed(0), (), (), CountTail((), (), (Term(2, ()),)))
    >>> flatten(replace(loops, parts=(Part((), (), CountTail((), (), (Term(3, ()),)), power=2),))).tail.terms
    (Term(coefficient=18, factors=()),)
    """
    looping = [part for part in plan.parts for _ in range(part.power) if part.extends]
    if not plan.parts:
        return plan
    if len(looping) > 1 or not isinstance(plan.tail, CountTail):
        return None
    flat, tail = replace(plan, parts=()), plan.tail
    for part in plan.parts:
        if not part.extends:
            for _ in range(part.power):
                tail = _product(tail, part.tail)
    if looping:
        flat, tail = _hoisted(flat, tail, looping[0])
        tail = _product(tail, looping[0].tail)
        flat = replace(flat, extends=flat.extends + looping[0].extends)
    return replace(flat, tail=tail)


def _hoisted(plan: Plan, tail: CountTail, part: Part) -> tuple[Plan, CountTail]:
    """The part's sets beside the plan's, and sizes of the cut's tail as sets, computed before the part's loops."""
    sets = [*plan.sets, *part.sets]
    sizes = []
    for size in tail.sizes:
        if size.table is None and size.expression.operands:
            sets.append(SetStep(len(plan.extends), size.expression))
            sizes.append(replace(size, expression=SetExpression(SetRef(len(sets) - 1))))
        else:
            sizes.append(size)
    return replace(plan, sets=tuple(sets)), replace(tail, sizes=tuple(sizes))


def _product(left: CountTail, right: CountTail) -> CountTail:
    sizes: list[TailSize] = list(left.sizes)
    number = []
    for size in right.sizes:
        if size not in sizes:
            sizes.append(size)
        number.append(sizes.index(size))
    terms: dict[tuple[int, ...], int] = {}
    for a in left.terms:
        for b in right.terms:
            factors = tuple(sorted((*a.factors, *(number[f] for f in b.factors))))
            terms[factors] = terms.get(factors, 0) + a.coefficient * b.coefficient
    return CountTail(
        left.vertices + right.vertices,
        tuple(sizes),
        tuple(Term(c, factors) for factors, c in terms.items() if c),
        left.divisor * right.divisor,
    )
