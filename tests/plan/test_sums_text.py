"""Counts from sums can be redone by hand: every sum as its line says, then the formula that is printed."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import comb

import networkx as nx
import pytest

from subiso.engine import reference
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import connected_patterns
from subiso.plan.motif_sums import SIZES, sums_asked
from subiso.plan.sums_text import MEANINGS, sums_formula, sums_lines
from subiso.storage.layout import layout_of


class ByHand:
    """The sums of a small graph, each from its description."""

    def __init__(self, seed: int) -> None:
        data = nx.gnp_random_graph(9, 0.6, seed=seed)
        self.graph = Graph.from_edges(*zip(*data.edges, strict=True), num_vertices=9)
        place = layout_of(self.graph).vertex_at.tolist()
        self.g = nx.relabel_nodes(data, {v: i for i, v in enumerate(place)})  # vertices in the total order
        self.n = {v: set(self.g[v]) for v in self.g}
        self.edges = [tuple(sorted(e)) for e in self.g.edges]
        self.ends = [*self.edges, *((v, u) for u, v in self.edges)]
        self.pairs = list(combinations(range(9), 2))
        self.d = dict(self.g.degree)
        self.cliques = {k: self._cliques(k) for k in (3, 4, 5)}
        self.cycles = self._cycles()
        self.corners = [
            corner for clique in self.cliques[3] for corner in permutations(clique) if corner[1] < corner[2]
        ]

    def _cliques(self, k: int) -> list[tuple[int, ...]]:
        return [c for c in combinations(range(9), k) if all(v in self.n[u] for u, v in combinations(c, 2))]

    def _cycles(self) -> list[tuple[int, ...]]:
        loops = [c for c in permutations(range(9), 4) if c[0] == min(c) and c[1] < c[3]]
        return [c for c in loops if all(v in self.n[u] for u, v in pairwise((*c, c[0])))]

    def t(self, *corners: int) -> int:
        return sum(set(corners) <= set(clique) for clique in self.cliques[3])

    def k(self, *corners: int) -> int:
        return sum(set(corners) <= set(clique) for clique in self.cliques[4])

    def c(self, *vertices: int) -> int:
        return len(set.intersection(*(self.n[v] for v in vertices)))

    def closed_walks5(self) -> int:
        total = 0
        for u in range(9):
            p = {v: sum(a < u and v in self.n[a] for a in self.n[u]) for v in range(u)}
            total += sum(p[v] * p[w] for v, w in self.edges if v < u and w < u)
            total -= sum(p[v] * sum(w < u for w in self.n[v]) for v in self.n[u] if v < u)
        return total

    def values(self) -> dict[str, int]:
        d, t, k, c, edges, ends, n = self.d, self.t, self.k, self.c, self.edges, self.ends, self.n
        met = [(u, v, h) for u, v in self.pairs for h in n[u] & n[v]]
        return {
            **{f"stars{i}": sum(comb(d[v], i) for v in n) for i in (2, 3, 4)},
            "paths": sum((d[u] - 1) * (d[v] - 1) for u, v in edges),
            "spiders": sum(comb(d[u] - 1, 2) * (d[v] - 1) for u, v in ends),
            "long_paths": sum((d[u] - 1) * (d[w] - 1) for v in n for u, w in combinations(n[v], 2)),
            "triangle_ends": sum(t(v) for v in n),
            "triangle_degrees": sum(t(v) * d[v] for v in n),
            "triangle_pairs": sum(t(v) * comb(d[v] - 2, 2) for v in n if d[v] > 1),
            "triangle_meetings": sum(comb(t(v), 2) for v in n),
            "books2": sum(comb(t(*e), 2) for e in edges),
            "books3": sum(comb(t(*e), 3) for e in edges),
            "bulls": sum(t(u, v) * (d[u] - 2) * (d[v] - 2) for u, v in edges),
            "tails": sum((t(u) - t(u, v)) * (d[v] - 1) for u, v in ends),
            "darts": sum(comb(t(u, v), 2) * (d[u] + d[v] - 6) for u, v in edges),
            "cycles4": len(self.cycles),
            "cycle_triangles": sum(t(*e) for cycle in self.cycles for e in pairwise((*cycle, cycle[0]))),
            "closed_walks5": self.closed_walks5(),
            "tails_up": sum(w > max(corner) for corner in self.corners for w in n[corner[0]]),
            "square_degrees": sum(comb(c(u, v), 2) * (d[u] + d[v] - 4) for u, v in self.pairs),
            "common3": sum(comb(c(u, v), 3) for u, v in self.pairs),
            "fans": sum((t(u, v) - 1) * (t(u, w) - 1) for u, v, w in self.corners),
            "kites": sum((d[u] - 2) * (t(v, w) - 1) for u, v, w in self.corners),
            "wheels": sum(comb(c(u, v, h), 2) for u, v, h in met),
            "spokes": sum((c(u, v) - 2) * c(u, v, h) for u, v, h in met),
            "clique_edges": sum(k(*e) for e in edges),
            "clique_degrees": sum(k(u, v) * (d[u] + d[v] - 6) for u, v in edges),
            "clique_books": sum(k(*e) * (t(*e) - 2) for e in edges),
            "clique_pairs": sum(3 * comb(k(*corners), 2) for corners in self.cliques[3]),
            **{f"cliques{i}": len(self.cliques[i]) for i in (3, 4, 5)},
        }


@pytest.mark.parametrize("seed", range(2))
def test_every_formula_gives_its_count(seed: int) -> None:
    by_hand = ByHand(seed)
    values = by_hand.values()
    assert values.keys() == MEANINGS.keys()
    for size in SIZES:
        for pattern in connected_patterns(size):
            for induced in (False, True):
                formula = sums_formula(pattern, copies=2, induced=induced)
                assert re.fullmatch(r"[-+*/ \w]+", formula)
                found = eval(formula, {name: Fraction(value) for name, value in values.items()})
                query = make_query(by_hand.graph, pattern, induced=induced)
                assert found == 2 * reference.count(query).count, pattern


def test_every_sum_of_a_formula_is_told() -> None:
    for size in SIZES:
        for pattern in connected_patterns(size):
            lines = sums_lines([sums_formula(pattern)])
            sums = [line for line in lines if not line.startswith("# ")]
            assert {line.split(" = ")[0] for line in sums} == sums_asked(pattern)
            letters = {letter for line in sums for letter in re.findall(r"\b([dtkc])(?:_|\b)", line)}
            assert letters == set(re.findall(r"\b(.): ", lines[-1] if lines[-1].startswith("# ") else ""))
            used = set(re.findall(r"[a-z]\w*", sums_formula(pattern)))
            assert used == sums_asked(pattern)
