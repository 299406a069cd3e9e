"""Random queries for the engines: graphs, patterns and options as plain values that print as code to paste."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from subiso.engine.query import INJECTIVE_MODES, Query, make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

NAMES = "abcdefgh"
OPS = ("<", "<=", ">", ">=", "==", "!=")
FEATURES = (
    "plain",
    "vertex labels",
    "several vertex labels",
    "edge labels",
    "directed",
    "anti-edges",
    "vertex masks",
    "edge masks",
    "vertex comparisons",
    "edge comparisons",
    "anchors",
    "loops",
    "parallel edges",
)


@dataclass(frozen=True)
class Instance:
    """A query by values. Masks of edges are by input row, masks of vertices by vertex."""

    src: list[int]
    dst: list[int]
    graph: dict[str, Any]
    """The other arguments of Graph.from_edges."""
    pattern: str
    where: list[str] = field(default_factory=list)
    vertex_masks: dict[str, list[bool]] = field(default_factory=dict)
    edge_mask: list[bool] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """Of make_query: mode, unique, anchor."""

    def query(self, graph: Graph | None = None, **changes: Any) -> Query:
        """The query; on a graph that another instance with the same one has made, if it is given."""
        if graph is None:
            graph = Graph.from_edges(self.src, self.dst, keep_rows=True, **self.graph)
        masks: dict[str, Any] = {name: np.array(mask) for name, mask in self.vertex_masks.items()}
        pattern = Pattern(self.pattern)
        if self.edge_mask is not None and pattern.edges:
            masks["edge"] = np.array(self.edge_mask, dtype=bool)[graph.edge_rows]
        return make_query(graph, pattern.where(*self.where, **masks), **{**self.options, **changes})

    def code(self) -> str:
        """What to paste to see it again."""
        return (
            f"from math import nan\nfrom tests.property.instances import Instance\nquery = {self!r}.query()"
        )

    def renumbered(self, turn: list[int]) -> Instance:
        """The same with vertex v called turn[v]."""
        back = sorted(range(len(turn)), key=turn.__getitem__)
        graph = dict(self.graph)
        if graph.get("vertex_labels") is not None:
            graph["vertex_labels"] = [graph["vertex_labels"][v] for v in back]
        graph["vertex_columns"] = {k: [c[v] for v in back] for k, c in graph["vertex_columns"].items()}
        anchor = {name: turn[v] for name, v in self.options.get("anchor", {}).items()}
        return replace(
            self,
            src=[turn[v] for v in self.src],
            dst=[turn[v] for v in self.dst],
            graph=graph,
            vertex_masks={name: [mask[v] for v in back] for name, mask in self.vertex_masks.items()},
            options={**self.options, "anchor": anchor},
        )


@st.composite
def instances(
    draw: st.DrawFn,
    *,
    mode: str,
    feature: str = "plain",
    max_vertices: int = 9,
    min_pattern: int = 1,
    max_pattern: int = 5,
) -> Instance:
    """Instances that have `feature` and, by chance, any others."""
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    wanted = {f for f in FEATURES if f == feature or chance.random() < 0.2}
    n = draw(st.integers(1, max_vertices))
    k = draw(st.integers(min_pattern, max_pattern))
    vertex = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(vertex, vertex), max_size=4 * n))
    drawn = Instance([u for u, _ in pairs], [v for _, v in pairs], _graph(chance, wanted, n, len(pairs)), "")
    return _ask(drawn, chance, wanted, n, k, mode)


@st.composite
def teams(draw: st.DrawFn, *, mode: str, feature: str, most: int = 6) -> list[Instance]:
    """Several instances on one graph: some have nothing in common, some are others with one more vertex."""
    first = draw(instances(mode=mode, feature=feature, min_pattern=3, max_pattern=4))
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    n, found = first.graph["num_vertices"], [first]
    missing = set() if first.graph["directed"] else {"directed"}
    missing |= {"vertex labels", "several vertex labels"} if first.graph["vertex_labels"] is None else set()
    missing |= {"edge labels"} if first.graph["edge_labels"] is None else set()
    wanted = {f for f in FEATURES if f == feature or chance.random() < 0.2} - missing
    for _ in range(draw(st.integers(1, most - 1))):
        if chance.random() < 0.4:
            found.append(_ask(first, chance, wanted, n, chance.randint(2, 4), mode))
        else:
            old = chance.choice(found)
            more = f"({chance.choice([c for c in NAMES if f'({c}' in old.pattern])})--({chance.choice('gh')})"
            found.append(replace(old, pattern=f"{old.pattern}, {more}"))
    return found


def dense_instance(seed: int, mode: str, feature: str, n: int, density: float, k: int) -> Instance:
    """A larger instance from a seed, with lists long enough for vectors, bitmaps and bit rows."""
    chance = random.Random(seed)
    wanted = {f for f in FEATURES if f == feature or chance.random() < 0.1}
    pairs = [(u, v) for u in range(n) for v in range(n) if u < v and chance.random() < density]
    pairs = [p if chance.random() < 0.5 else p[::-1] for p in pairs] or [(0, 0)]
    chance.shuffle(pairs)
    made = Instance([u for u, _ in pairs], [v for _, v in pairs], _graph(chance, wanted, n, len(pairs)), "")
    return _ask(made, chance, wanted, n, k, mode)


def _graph(chance: random.Random, wanted: set[str], n: int, m: int) -> dict[str, Any]:
    numbers = [0.0, 1.0, 2.0, float("nan")]
    labels: Any = None
    if "several vertex labels" in wanted:
        labels = [chance.sample("ABC", chance.randint(0, 3)) for _ in range(n)]
    elif "vertex labels" in wanted:
        labels = [chance.choice(["A", "B", None]) for _ in range(n)]
    return {
        "num_vertices": n,
        "directed": "directed" in wanted,
        "vertex_labels": labels,
        "edge_labels": [chance.choice(["X", "Y", None]) for _ in range(m)]
        if "edge labels" in wanted
        else None,
        "vertex_columns": {
            "age": [chance.choice(numbers) for _ in range(n)],
            "rank": [chance.randint(0, 3) for _ in range(n)],
        },
        "edge_columns": {"weight": [chance.choice(numbers) for _ in range(m)]},
        "loops": "keep" if "loops" in wanted else "drop",
        "parallel": "keep" if "parallel edges" in wanted else "merge",
    }


def _ask(made: Instance, chance: random.Random, wanted: set[str], n: int, k: int, mode: str) -> Instance:
    pattern, positive = _pattern(chance, wanted, k)
    options: dict[str, Any] = {"mode": mode}
    if mode in INJECTIVE_MODES:
        options["unique"] = chance.random() < 0.7
    if "anchors" in wanted:
        chosen = chance.sample(range(k), min(k, chance.choice([1, 1, 2])))
        spots = chance.sample(range(n), len(chosen)) if len(chosen) <= n else [0] * len(chosen)
        options["anchor"] = dict(zip([NAMES[i] for i in chosen], spots, strict=True))
        if mode in INJECTIVE_MODES and len(set(spots)) < len(spots):
            options["anchor"] = {NAMES[chosen[0]]: spots[0]}
    masks = {}
    if "vertex masks" in wanted:
        shared = [chance.random() < 0.7 for _ in range(n)]
        for i in chance.sample(range(k), chance.randint(1, k)):
            masks[NAMES[i]] = shared if chance.random() < 0.5 else [chance.random() < 0.7 for _ in range(n)]
    edge_mask = None
    if "edge masks" in wanted:
        edge_mask = [chance.random() < 0.8 for _ in made.src]
    return replace(
        made,
        pattern=pattern,
        where=_comparisons(chance, wanted, k, positive),
        vertex_masks=masks,
        edge_mask=edge_mask,
        options=options,
    )


def _pattern(chance: random.Random, wanted: set[str], k: int) -> tuple[str, int]:
    """The text of a connected pattern, and how many edges it has (they are named e0, e1, ...)."""
    directed = "directed" in wanted
    pairs = [tuple(chance.sample([i, chance.randrange(i)], 2)) for i in range(1, k)]
    for _ in range(chance.choice([0, 0, 1, 2, k])):
        pairs.append((chance.randrange(k), chance.randrange(k)))
    if "loops" not in wanted or chance.random() < 0.5:
        pairs = [(a, b) for a, b in pairs if a != b]
    if "parallel edges" not in wanted:
        pairs = list({tuple(sorted(p)): p for p in pairs}.values())
    items = [f"({NAMES[i]}{_vertex_label(chance, wanted)})" for i in range(k)]
    items += [_edge(chance, wanted, a, b, f"e{i}", directed) for i, (a, b) in enumerate(pairs)]
    joined = {frozenset(p) for p in pairs}
    if "anti-edges" in wanted:
        for _ in range(chance.randint(1, 2)):
            a, b = chance.randrange(k), chance.randrange(k)
            if frozenset((a, b)) not in joined or "edge labels" in wanted:
                items.append(
                    "!" + _edge(chance, wanted, a, b, "", directed, forbid=frozenset((a, b)) in joined)
                )
    return ", ".join(items), len(pairs)


def _vertex_label(chance: random.Random, wanted: set[str]) -> str:
    if not wanted & {"vertex labels", "several vertex labels"} or chance.random() < 0.4:
        return ""
    text = ":" + "|".join(chance.sample("ABC", chance.choice([1, 1, 2])))
    if "several vertex labels" in wanted and chance.random() < 0.3:
        text += ":" + "|".join(chance.sample("ABC", 2))
    return text


def _edge(
    chance: random.Random, wanted: set[str], a: int, b: int, name: str, directed: bool, forbid: bool = False
) -> str:
    label = ""
    if "edge labels" in wanted and (forbid or chance.random() < 0.6):
        # An anti-edge beside an edge has a label of its own: "Z" stands nowhere, so it contradicts nothing.
        label = ":Z" if forbid else ":" + "|".join(chance.sample("XY", chance.choice([1, 1, 2])))
    body = f"-[{name}{label}]-"
    arrow = chance.choice(["-", ">", "<"]) if directed else "-"
    if arrow == ">":
        body += ">"
    elif arrow == "<":
        body = "<" + body
    return f"({NAMES[a]}){body}({NAMES[b]})"


def _comparisons(chance: random.Random, wanted: set[str], k: int, num_edges: int) -> list[str]:
    found = []
    if "vertex comparisons" in wanted:
        for _ in range(chance.randint(1, 2)):
            left = f"{NAMES[chance.randrange(k)]}.{chance.choice(['age', 'rank'])}"
            right = f"{NAMES[chance.randrange(k)]}.{chance.choice(['age', 'rank'])}"
            if chance.random() < 0.3:
                right = chance.choice(["0", "1", "1.5"])
            found.append(f"{left} {chance.choice(OPS)} {right}")
    if "edge comparisons" in wanted and num_edges:
        found.append(
            f"e{chance.randrange(num_edges)}.weight {chance.choice(OPS)} {chance.choice(['0.5', '1'])}"
        )
    return found
