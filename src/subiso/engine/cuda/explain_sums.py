"""Counts from sums over the whole graph in words: the formula, its sums, the passes that make them and their work."""

from __future__ import annotations

from collections.abc import Sequence

from subiso.engine.base import Params
from subiso.engine.cuda.by_sums import PER_WORD, SumsWay, passes_of
from subiso.engine.cuda.formula import fitting_formula
from subiso.engine.cuda.motif_kernel import Pass
from subiso.engine.cuda.motif_seeds import work_of
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern

_PASSES: dict[Pass, str] = {
    "count": "triangles",
    "tally": "triangles of every edge",
    "books": "pairs of triangles at edges",
    "edges": "edges with their triangles",
    "vertices": "vertices",
    "after": "triangles once more, with those of their edges",
    "squares": "wedges below their highest vertex",
    "walks": "wedges below their highest vertex, and the edges between their ends",
    "common": "pairs with common neighbours, on bit rows",
}
_COUNTED = {
    "clique_edges": "6 times the 4-cliques, which are counted as any pattern is",
    "wheels": "2 times the 4-cycles in neighbourhoods, by wedges",
}


def passes_lines(ways: Sequence[SumsWay], graph: Graph) -> list[str]:
    """The passes that count these patterns, each made once, and what each has to look at; what is counted apart."""
    passes = [
        f"pass {step}: {_PASSES[step]}, ~{cost:,.3g} operations" for step, cost in pass_costs(ways).items()
    ]
    apart = apart_costs(ways, graph)
    return passes + [
        f"apart {name}: {_COUNTED[name]}, ~{cost:,.3g} operations" for name, cost in apart.items()
    ]


def sums_cost(ways: Sequence[SumsWay], graph: Graph) -> float:
    """Of the passes of patterns of one size together, and of what is counted apart from them."""
    return sum(pass_costs(ways).values()) + sum(apart_costs(ways, graph).values())


def pass_costs(ways: Sequence[SumsWay]) -> dict[Pass, float]:
    """Elements of lists that every pass looks at; words of bit rows weigh more."""
    lists = ways[0].lists
    work = work_of(lists)
    triangles, entries = float(work.triangles.sum()), float(len(lists.neighbors))
    each: dict[Pass, float] = {
        "count": triangles,
        "tally": triangles,
        "books": entries,
        "edges": entries,
        "vertices": float(len(work.degrees)),
        "after": triangles,
        "squares": float(work.cycles.sum()),
        "walks": float(work.cycles.sum()),
        "common": PER_WORD * work.common_words,
    }
    return {step: each[step] for step in passes_of(ways)}


def apart_costs(ways: Sequence[SumsWay], graph: Graph) -> dict[str, float]:
    """The same for sums that are counted apart."""
    found = {}
    for name in sorted({name for way in ways for name in way.counted}):
        if name == "wheels":
            found[name] = float(work_of(ways[0].lists).inside.sum())
        else:
            resolved = resolve(make_query(graph, Pattern.clique(4)))
            found[name] = fitting_formula(resolved, Params(), codegrees=True).cost
    return found
