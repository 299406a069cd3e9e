"""Random tiny queries, and their answers by trying every map: no Graph, no Pattern, no search, plain lists.

A Case is drawn by Hypothesis, answered here straight from the words of docs/semantics.md, and turned into a
Graph and a Pattern for the engine under test.
"""

from __future__ import annotations

import itertools
import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from subiso.graph import Graph
from subiso.pattern import Pattern

OPS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
FLIP = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
NAMES = "abcd"


@dataclass(frozen=True)
class Edge:
    """An edge of the data: ends, label (None = without), whether the edge mask lets it pass, a weight."""

    u: int
    v: int
    label: str | None
    passes: bool
    weight: float


@dataclass(frozen=True)
class Want:
    """An edge of the pattern; `bound` is (op, constant) for the weight, `masked` asks for the edge mask."""

    s: int
    t: int
    directed: bool
    labels: frozenset[str] | None
    masked: bool = False
    bound: tuple[str, float] | None = None


@dataclass(frozen=True)
class Case:
    directed: bool
    n: int
    edges: tuple[Edge, ...]
    vertex_labels: tuple[frozenset[str], ...]
    ages: tuple[float, ...]
    k: int
    wants: tuple[Want, ...]
    antis: tuple[Want, ...]
    wanted_labels: tuple[tuple[frozenset[str], ...], ...]
    masks: tuple[tuple[bool, ...] | None, ...]
    comparisons: tuple[
        tuple[int, str, int | float, bool], ...
    ]  # vertex, op, vertex or constant, is it a vertex
    anchors: tuple[tuple[int, int], ...]

    # ---- as the engines see it

    def graph(self) -> Graph:
        return Graph.from_edges(
            [e.u for e in self.edges],
            [e.v for e in self.edges],
            num_vertices=self.n,
            directed=self.directed,
            vertex_labels=[sorted(labels) for labels in self.vertex_labels],
            edge_labels=np.array([e.label for e in self.edges], dtype=object),
            vertex_columns={"age": np.array(self.ages)},
            edge_columns={"weight": np.array([e.weight for e in self.edges], dtype=float)},
            parallel="keep",
            loops="keep",
            keep_rows=True,
        )

    def pattern(self, graph: Graph) -> Pattern:
        items = []
        for i, conjunction in enumerate(self.wanted_labels):
            items.append(f"({NAMES[i]}" + "".join(":" + "|".join(sorted(c)) for c in conjunction) + ")")
        bounds, masks = (
            [],
            {NAMES[i]: np.array(m, dtype=bool) for i, m in enumerate(self.masks) if m is not None},
        )
        passes = np.array([e.passes for e in self.edges], dtype=bool)
        for number, (want, bang) in enumerate([(w, "") for w in self.wants] + [(w, "!") for w in self.antis]):
            name = "" if bang else f"e{number}"  # edges of different names never merge
            label = ":" + "|".join(sorted(want.labels)) if want.labels is not None else ""
            arrow = "->" if want.directed else "-"
            items.append(f"{bang}({NAMES[want.s]})-[{name}{label}]{arrow}({NAMES[want.t]})")
            if want.bound:
                bounds.append(f"{name}.weight {want.bound[0]} {want.bound[1]}")
            if want.masked:
                masks[name] = passes[graph.edge_rows]
        for i, op, other, is_vertex in self.comparisons:
            right = f"{NAMES[int(other)]}.age" if is_vertex else str(other)
            bounds.append(f"{NAMES[i]}.age {op} {right}")
        return Pattern(", ".join(items)).where(*bounds, **masks)

    def anchor(self) -> dict[str, int]:
        return {NAMES[i]: v for i, v in self.anchors}

    # ---- the answer

    def embeddings(self, mode: str) -> list[tuple[int, ...]]:
        return [h for h in itertools.product(range(self.n), repeat=self.k) if self.is_match(h, mode)]

    def is_match(self, h: tuple[int, ...], mode: str) -> bool:
        if mode in ("monomorphism", "induced") and len(set(h)) < self.k:
            return False
        if any(h[i] != v for i, v in self.anchors):
            return False
        for i, v in enumerate(h):
            if any(not (alternatives & self.vertex_labels[v]) for alternatives in self.wanted_labels[i]):
                return False
            mask = self.masks[i]
            if mask is not None and not mask[v]:
                return False
        for i, op, other, is_vertex in self.comparisons:
            if not compare(self.ages[h[i]], op, self.ages[h[int(other)]] if is_vertex else other):
                return False
        if any(self.fitting(w, h) for w in self.antis):
            return False
        fitting = [self.fitting(w, h) for w in self.wants]
        if mode == "edge-isomorphism":
            return any(len(set(choice)) == len(choice) for choice in itertools.product(*fitting))
        return all(fitting) and (mode != "induced" or not self.has_further(h))

    def fitting(self, want: Want, h: tuple[int, ...]) -> list[int]:
        return [row for row, e in enumerate(self.edges) if self.fits(want, e, h[want.s], h[want.t])]

    def fits(self, want: Want, e: Edge, u: int, v: int) -> bool:
        either = not self.directed or not want.directed
        if (e.u, e.v) != (u, v) and not (either and (e.u, e.v) == (v, u)):
            return False
        if want.labels is not None and e.label not in want.labels:
            return False
        if want.masked and not e.passes:
            return False
        return want.bound is None or compare(e.weight, *want.bound)

    def has_further(self, h: tuple[int, ...]) -> bool:
        for i, j in itertools.permutations(range(self.k), 2):
            accounted = any(
                (w.s, w.t) == (i, j) or ((w.t, w.s) == (i, j) and not w.directed) for w in self.wants
            )
            joined = any(
                (e.u, e.v) == (h[i], h[j]) or (not self.directed and (e.v, e.u) == (h[i], h[j]))
                for e in self.edges
            )
            if joined and not accounted:
                return True
        return False

    def subgraphs(self, mode: str) -> set[frozenset[tuple[int, ...]]]:
        """Orbits of the embeddings under the pattern's automorphisms."""
        group = self.automorphisms()
        return {
            frozenset(tuple(h[s[i]] for i in range(self.k)) for s in group) for h in self.embeddings(mode)
        }

    def automorphisms(self) -> list[tuple[int, ...]]:
        identity = self.description(tuple(range(self.k)))
        return [s for s in itertools.permutations(range(self.k)) if self.description(s) == identity]

    def description(self, s: tuple[int, ...]) -> Any:
        """All that is said of the pattern, with vertex i called s[i]."""

        def edge(w: Want) -> Any:
            ends = (s[w.s], s[w.t])
            return (ends if w.directed else tuple(sorted(ends)), w.directed, w.labels, w.masked, w.bound)

        said = {("anchor", s[i], v) for i, v in self.anchors}
        for i, op, other, is_vertex in self.comparisons:
            right = s[int(other)] if is_vertex else other
            said.add(("compare", s[i], op, right, is_vertex))
            if is_vertex:
                said.add(("compare", right, FLIP[op], s[i], True))
        vertices = sorted(
            (s[i], sorted(map(sorted, set(self.wanted_labels[i]))), self.masks[i] or ())
            for i in range(self.k)
        )
        return vertices, {edge(w) for w in self.wants}, {edge(w) for w in self.antis}, said


def compare(left: float, op: str, right: float) -> bool:
    return not (math.isnan(left) or math.isnan(right)) and OPS[op](left, right)


@st.composite
def cases(draw: st.DrawFn, *, plain: bool = False) -> Case:
    """Cases of up to 5 data and 4 pattern vertices; `plain` ones have structure and labels only."""
    directed = draw(st.booleans())
    n, k = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    vertex, label = st.integers(0, n - 1), st.sampled_from(["X", "Y", None])
    number = st.sampled_from([0.0, 1.0, 2.0, float("nan")])
    op = st.sampled_from(sorted(OPS))
    some = st.just(False) if plain else st.integers(0, 3).map(lambda x: x == 0)

    edges = draw(
        st.lists(st.builds(Edge, vertex, vertex, label, st.booleans(), number), min_size=1, max_size=9)
    )
    alternatives = st.frozensets(st.sampled_from("XYZ"), min_size=1, max_size=2)
    bound = st.tuples(op, st.sampled_from([0.5, 1.0]))

    def want(s: int, t: int, anti: bool = False) -> Want:
        points = directed and s != t and draw(st.booleans())
        s, t = (s, t) if points else sorted((s, t))
        return Want(
            s,
            t,
            points,
            draw(st.one_of(st.none(), alternatives)),
            not anti and draw(some),
            draw(bound) if not anti and draw(some) else None,
        )

    wants = [want(*draw(st.permutations([i, draw(st.integers(0, i - 1))]))) for i in range(1, k)]
    end = st.integers(0, k - 1)
    for _ in range(draw(st.integers(0, 2))):
        wants.append(want(draw(end), draw(end)))
    antis = [want(draw(end), draw(end), anti=True) for _ in range(draw(st.integers(0, 1)))]
    comparisons = []
    if draw(some):
        is_vertex = draw(st.booleans())
        comparisons.append(
            (draw(end), draw(op), draw(end) if is_vertex else draw(st.sampled_from([0.5, 1.0])), is_vertex)
        )
    return Case(
        directed=directed,
        n=n,
        edges=tuple(edges),
        vertex_labels=tuple(draw(st.frozensets(st.sampled_from("AB"), max_size=2)) for _ in range(n)),
        ages=tuple(draw(number) for _ in range(n)),
        k=k,
        wants=tuple(dict.fromkeys(wants)),
        antis=tuple(antis),
        wanted_labels=tuple(
            tuple(
                draw(
                    st.lists(
                        st.frozensets(st.sampled_from("ABC"), min_size=1, max_size=2),
                        max_size=1 + (not plain),
                    )
                )
            )
            if draw(st.booleans())
            else ()
            for _ in range(k)
        ),
        masks=tuple(tuple(draw(st.booleans()) for _ in range(n)) if draw(some) else None for _ in range(k)),
        comparisons=tuple(comparisons),
        anchors=((draw(end), draw(vertex)),) if draw(some) else (),
    )
