"""Counts by a cut of the pattern: the components' counts are multiplied, and what that counts too often subtracted.

For every match of the cut, the product of the components' counts is the number of maps in which vertices of different
components may coincide. Grouped by what coincides these are the matches of the pattern itself and of its quotients
(shrinkage patterns), so the pattern's own count is the product's less those of all quotients.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from subiso.errors import PatternError
from subiso.pattern import Pattern
from subiso.plan.cutplan import Cut
from subiso.plan.problem import Problem
from subiso.plan.quotient import coincidences, quotient

_MOST_QUOTIENTS = 64  # ways to coincide; more are not worth planning
_MOST_SYMMETRY = 5040  # automorphisms that are looked at one by one


@dataclass(frozen=True)
class Shrinkage:
    """`weight` times the embeddings of the problem are to be taken out."""

    problem: Problem
    weight: int


@dataclass(frozen=True)
class Decomposition:
    """Embeddings = factor * (count of the cut's plan) - (the shrinkages)."""

    cut: Cut
    factor: int
    shrinkages: tuple[Shrinkage, ...]


def take_apart(problem: Problem, cut: Cut) -> Decomposition | None:
    """What is to be counted when the problem is solved by the cut; None where that is too much, or not possible."""
    # Each step of the restrictions holds in one of |orbit| automorphic images.
    steps: dict[int, int] = defaultdict(lambda: 1)
    for a, _ in cut.restrictions:
        steps[a] += 1
    factor = math.prod(steps.values())
    if not problem.injective:
        return Decomposition(cut, factor, ())
    # Where symmetry keeps the cut in place the restrictions divide the quotients together just as the pattern.
    symmetric = _keeps(problem, cut)
    source = problem if symmetric else _with_order(problem, cut)
    found: dict[Hashable, Shrinkage] = {}
    try:
        for shrunk in _quotients(source, cut):
            key = kind(shrunk)
            known = found.get(key, Shrinkage(shrunk, 0))
            found[key] = replace(known, weight=known.weight + (1 if symmetric else factor))
            if len(found) > _MOST_QUOTIENTS:
                return None
    except PatternError:  # conditions that only the pattern's own text can weigh against each other
        return None
    return Decomposition(cut, factor, tuple(found.values()))


def _quotients(problem: Problem, cut: Cut) -> Iterator[Problem]:
    for blocks in coincidences(problem, cut.groups):
        shrunk = quotient(problem, blocks)
        if shrunk is not None:
            yield shrunk


def _with_order(problem: Problem, cut: Cut) -> Problem:
    pairs = ((b, a) for a, b in cut.restrictions) if cut.descending else cut.restrictions
    return replace(problem, imposed=tuple(sorted({*problem.imposed, *pairs})))


def _keeps(problem: Problem, cut: Cut) -> bool:
    """True when no automorphism that the restrictions come from moves the cut, or exchanges vertices with different
    candidates."""
    if not cut.restrictions:
        return True
    if problem.pattern.automorphism_count() > _MOST_SYMMETRY:
        return False
    chosen, filters = set(cut.order), problem.filters
    for image in problem.pattern.automorphisms(_MOST_SYMMETRY):
        if {image[v] for v in chosen} != chosen:
            if cut.kept:
                continue
            return False
        if filters and any(filters[image[v]] != filters[v] for v in range(problem.num_vertices)):
            return False
    return True


def kind(problem: Problem) -> Hashable:
    """Equal for problems with equal counts (of all that a formula is made of)."""
    pattern: Pattern = problem.pattern
    if problem.anchored and not problem.apart:
        return pattern  # anchored vertices are told apart by not merging any
    sources = {a for a, _ in problem.imposed} if problem.imposed else set()
    targets = {b for _, b in problem.imposed}
    if len(sources) > 1 and len(targets) > 1:
        return pattern, problem.imposed, problem.filters if problem.apart else ()
    if not problem.apart and not problem.imposed:
        return pattern.canonical_form()
    # With one end in common the order is known from who takes part in it.
    colors = [
        (v in sources, v in targets, problem.filters[v] if problem.apart else ())
        for v in range(problem.num_vertices)
    ]
    return pattern.canonical_form(colors)
