"""Seeded random queries for engines that list and count: small graphs, every kind of condition, a seed that replays."""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.query import Query, make_query
from subiso.errors import PatternError
from subiso.graph import Graph
from subiso.pattern import Pattern

FINE = Params(switches=Switches(local=False))
"""Schedule `fine` even where another one could count."""
_OPS = ("<", "<=", ">", ">=", "==", "!=")
_LABELS = ("A", "B", "A|B", "A:B", "A|C:B")
"""Of a pattern's vertex: one, one of two, both, one of two and another."""

FEW_AT_A_TIME = Params(batch_rows=20)


@dataclass(frozen=True)
class Draw:
    """Random choices by one seed."""

    rng: np.random.Generator

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def below(self, n: int) -> int:
        return int(self.rng.integers(n))

    def one_of(self, items: str | tuple[str, ...]) -> str:
        return items[self.below(len(items))]


def random_graph(d: Draw) -> Graph:
    """4 to 24 vertices, some of them hubs; labels, columns, loops and parallel edges as the dice fall."""
    n = 4 + d.below(21)
    m = n + d.below(3 * n)
    skew = d.rng.random(n) ** 3 if d.chance(0.5) else np.ones(n)
    src, dst = d.rng.choice(n, (2, m), p=skew / skew.sum())
    labels: list[list[str]] | None = [[label for label in "ABC" if d.chance(0.6)] for _ in range(n)]
    edge_labels = np.array([d.one_of("XYZ") for _ in range(m)], dtype=object)
    return Graph.from_edges(
        src,
        dst,
        num_vertices=n,
        directed=d.chance(0.5),
        vertex_labels=labels,
        edge_labels=edge_labels if d.chance(0.5) else None,
        vertex_columns={"age": d.rng.integers(0, 5, n), "size": np.where(d.rng.random(n) < 0.2, np.nan, 1.5)},
        parallel="keep" if d.chance(0.3) else "merge",
        loops="keep" if d.chance(0.3) else "drop",
    )


def random_pattern(d: Draw, graph: Graph, rich: bool) -> Pattern:
    """2 to 6 vertices, connected; `rich` ones carry every kind of condition."""
    k = 2 + d.below(5 if not rich else 4)
    names = string.ascii_lowercase[:k]
    pairs = [(i, d.below(i)) for i in range(1, k)]
    pairs += [tuple(sorted(d.rng.choice(k, 2, replace=False).tolist())) for _ in range(d.below(k + 1))]
    parts = []
    for a, b in dict.fromkeys(tuple(sorted(pair)) for pair in pairs):
        parts.append(_edge(d, graph, names[a], names[b], rich))
    if rich and d.chance(0.4):
        a, b = d.rng.choice(k, 2, replace=False)
        parts.append("!" + _edge(d, graph, names[a], names[b], False))
    if rich and d.chance(0.15) and graph.has_loops:
        parts.append(f"({names[0]})--({names[0]})")
    if rich:
        parts += [f"({name}:{d.one_of(_LABELS)})" for name in names if d.chance(0.25)]
    pattern = Pattern(", ".join(parts))
    if rich and d.chance(0.3):
        pattern = pattern.where(**{names[d.below(k)]: d.rng.random(graph.num_vertices) < 0.7})
    if rich and d.chance(0.4):
        a, b = d.rng.choice(k, 2, replace=False)
        right = f"{names[b]}.{d.one_of(('age', 'size'))}" if d.chance(0.7) else "2"
        pattern = pattern.where(f"{names[a]}.age {d.one_of(_OPS)} {right}")
    return pattern


def _edge(d: Draw, graph: Graph, a: str, b: str, rich: bool) -> str:
    label = f"[:{d.one_of(('X', 'Y', 'X|Z'))}]" if rich and graph.edge_labels and d.chance(0.4) else ""
    return f"({a})-{label}-{'>' if graph.directed and d.chance(0.6) else ''}({b})"


def random_query(seed: int, mode: str, *, rich: bool = True) -> Query:
    """A query that the reference can answer; the same for the same seed."""
    d = Draw(np.random.default_rng([seed, *mode.encode()]))
    while True:
        graph = random_graph(d)
        try:
            pattern = random_pattern(d, graph, rich)
        except PatternError:  # an edge and its opposite
            continue
        anchor = {0: d.below(graph.num_vertices)} if rich and d.chance(0.15) else None
        unique = mode in ("monomorphism", "induced") and d.chance(0.7)
        return make_query(graph, pattern, mode=mode, unique=unique, anchor=anchor)


def expected_rows(query: Query) -> list[tuple[int, ...]]:
    """The reference's rows, as orbits have them."""
    return canonical(query, [tuple(r) for batch in reference.stream(query) for r in batch.tolist()])


def canonical(query: Query, rows: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Sorted; where each subgraph is listed once, the smallest row of its orbit stands for it."""
    if not query.unique:
        return sorted(rows)
    group = [p for p in query.pattern.automorphisms() if all(p[a] == a for a in query.anchors)]
    return sorted(min(tuple(row[i] for i in p) for p in group) for row in rows)


def describe(query: Query, seed: int) -> str:
    """What a failing test prints."""
    g = query.graph
    ends = list(zip(*(side.tolist() for side in g.edge_endpoints()), strict=True))
    return (
        f"seed {seed}: {query.pattern} mode={query.mode} unique={query.unique} anchors={dict(query.anchors)} "
        f"directed={g.directed} n={g.num_vertices} edges={ends}"
    )


def labelled_query(seed: int, mode: str) -> Query:
    """A directed graph with many edge labels, rare ones among them, and a pattern whose edges nearly all carry one.

    A few of its vertices have labels as well, so that some stores may read only a part of a list.
    """
    d = Draw(np.random.default_rng([seed, 7, *mode.encode()]))
    n = 4 + d.below(20)
    m = 2 * n + d.below(4 * n)
    skew = d.rng.random(n) ** 3 if d.chance(0.5) else np.ones(n)
    src, dst = d.rng.choice(n, (2, m), p=skew / skew.sum())
    labels = np.array([d.one_of("XXXYYZW") for _ in range(m)], dtype=object)
    loops = "keep" if d.chance(0.3) else "drop"
    k = 3 + d.below(3)
    pairs = [(i, d.below(i)) for i in range(1, k)]
    pairs += [tuple(sorted(d.rng.choice(k, 2, replace=False).tolist())[::-1]) for _ in range(d.below(3))]
    names = string.ascii_lowercase
    parts = []
    for a, b in dict.fromkeys(pairs):
        source, target = (a, b) if d.chance(0.5) else (b, a)
        label = f"[:{d.one_of(('X', 'X', 'Y', 'Z', 'X|Y', 'W|Q'))}]" if d.chance(0.9) else ""
        parts.append(f"({names[source]})-{label}-{'>' if d.chance(0.8) else ''}({names[target]})")
    parts += [f"({name}:{d.one_of(_LABELS)})" for name in names[:k] if d.chance(0.15)]
    graph = Graph.from_edges(
        src,
        dst,
        num_vertices=n,
        directed=True,
        vertex_labels=[[label for label in "ABC" if d.chance(0.7)] for _ in range(n)],
        edge_labels=labels,
        parallel="keep",
        loops=loops,
    )
    return make_query(graph, Pattern(", ".join(parts)), mode=mode)


def rows_of(engine: CudaEngine, query: Query, params: Params = FEW_AT_A_TIME) -> list[tuple[int, ...]]:
    """All rows that an engine lists, in its order."""
    return [tuple(r) for batch in engine.stream(query, params) for r in batch.tolist()]
