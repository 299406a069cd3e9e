"""Redoes a count from what `explain` prints of it: the terms by trying all maps, then the formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np

import subiso as si
from subiso._native import bit_positions
from subiso.filter.resolve import Resolved

ORDER = " (by degree, then id)"
HEAD = re.compile(
    r"  (t\d+) = (?:1/(\d+) of the )?(maps of|embeddings of|subgraphs|homomorphisms of) (.+)  # ~.*"
)


def count_part(told: object) -> list[str]:
    """The lines on counting."""
    lines = str(told).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("count"))
    return lines[first : lines.index("", first)]


def evaluated(lines: list[str], terms: dict[str, int]) -> Fraction:
    """The formula of the lines on counting, with these values of its terms."""
    (formula,) = [line.removeprefix("  count = ") for line in lines if line.startswith("  count = ")]
    assert set(re.findall(r"[a-z]\w*", formula)) == terms.keys()
    assert re.fullmatch(r"[-+*/() \w]+", formula)
    return Fraction(eval(formula, {name: Fraction(count) for name, count in terms.items()}))


def terms_of(lines: list[str], resolved: Resolved) -> dict[str, int]:
    """The values of the terms, from nothing but what their lines say."""
    found = {}
    for line, after in pairwise(lines):
        head = HEAD.fullmatch(line)
        if head is None:
            continue
        name, share, kind, text = head.groups()
        where = after.removeprefix("    # where ").split("; ") if "# where" in after else []
        pattern = si.Pattern(text)
        count = Maps(pattern, where, resolved, injective=kind != "homomorphisms of").number()
        same = pattern.automorphism_count() if kind == "subgraphs" else int(share or 1)
        assert count % same == 0
        found[name] = count // same
    return found


class Maps:
    """Maps of a pattern into the ranks of a graph, on the conditions that a line tells."""

    def __init__(self, pattern: si.Pattern, where: list[str], resolved: Resolved, *, injective: bool) -> None:
        self.pattern, self.resolved, self.injective = pattern, resolved, injective
        graph, rank = resolved.whole.graph, np.argsort(resolved.whole.vertex_at)
        self.size = graph.num_vertices
        self.arcs = set(zip(*(rank[ends].tolist() for ends in graph.edge_endpoints()), strict=True))
        self.arcs |= set() if graph.directed else {(v, u) for u, v in self.arcs}
        self.place = {name: i for i, name in enumerate(pattern.names)}
        self.less: set[tuple[int, int]] = set()
        self.may_meet: set[tuple[int, int]] = set()
        self.allowed: dict[int, set[int]] = {}
        for said in where:
            self.read(said)

    def read(self, said: str) -> None:
        if said.endswith(ORDER):
            for chain in said.removesuffix(ORDER).split(" and "):
                for lower, upper in pairwise(chain.split(" < ")):
                    self.less |= set(product(self.places(lower), self.places(upper)))
        elif "may coincide" in said:
            parts = said[said.index("(") + 1 : said.index(")")].split(" | ")
            for one, other in permutations(parts, 2):
                self.may_meet |= set(product(self.places(one), self.places(other)))
        else:
            for name, sets in (each.split(" in ") for each in said.split(", ")):
                bits = [self.resolved.filters[int(c[1:])] for c in sets.split(" and ")]
                self.allowed[self.place[name]] = set(bit_positions(np.bitwise_and.reduce(bits)).tolist())

    def places(self, names: str) -> list[int]:
        return [self.place[name] for name in names.split(", ")]

    def number(self) -> int:
        return sum(1 for _ in self.grown(()))

    def grown(self, chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        v = len(chosen)
        if v == self.pattern.num_vertices:
            yield chosen
            return
        for y in self.allowed.get(v, range(self.size)):
            if all(self.fits(u, v, x, y) for u, x in enumerate(chosen)):
                yield from self.grown((*chosen, y))

    def fits(self, u: int, v: int, x: int, y: int) -> bool:
        """Whether vertex u at x and vertex v at y go together."""
        if x == y and self.injective and (u, v) not in self.may_meet:
            return False
        if ((u, v) in self.less and x >= y) or ((v, u) in self.less and y >= x):
            return False
        at = {u: x, v: y}
        for edges, wanted in ((self.pattern.edges, True), (self.pattern.anti_edges, False)):
            for e in edges:
                if {e.source, e.target} != {u, v}:
                    continue
                ends = at[e.source], at[e.target]
                if (ends in self.arcs or (not e.directed and ends[::-1] in self.arcs)) != wanted:
                    return False
        return True
