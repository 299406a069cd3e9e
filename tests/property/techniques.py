"""Every technique of `Switches` switched on alone, all of them together, and small queries to run them on."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from tests.property.engines import PLAIN, SETOPS

from subiso.engine import reference
from subiso.engine.base import Params, Switches
from subiso.engine.query import Query, make_query
from subiso.filter.narrow import FILTERS
from subiso.graph import Graph
from subiso.pattern import Pattern, connected_patterns

KINDS = ("undirected", "directed", "labelled", "anti-edges")
MODES = ("monomorphism", "induced")


@dataclass(frozen=True)
class Technique:
    """One value of one switch; `needs` are those without which it has nothing to do."""

    switch: str
    value: Any
    needs: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        value = "+".join(map(str, self.value)) if isinstance(self.value, tuple) else self.value
        return f"{self.switch}={value}"

    @property
    def without(self) -> Params:
        return replace(PLAIN, switches=replace(PLAIN.switches, **self.needs))

    @property
    def params(self) -> Params:
        return replace(PLAIN, switches=replace(PLAIN.switches, **self.needs, **{self.switch: self.value}))


_VALUES: dict[str, tuple[Any, ...]] = {
    "order": ("cost", "gsi", "core"),
    "max_tail": (1, 2, 99),
    "expand": ("always", "auto"),
    "decompose": ("always", "auto"),
    "codegrees": (True,),
    "local": (True,),
    "pivots": (True,),
    "orientation": ("degeneracy", "auto"),
    "prune": ("sets", "cores", "edges", "auto"),
    "sums": (True,),
    "haste": (True,),
    "filters": (*((name,) for name in FILTERS), None),
    "signature": ((512, 32), (1024, 64)),
    "candidate_graph": ("always", "auto"),
    "labelled": ("search", "eliminate", "auto"),
    "failing_sets": (True,),
    "twins": (True,),
    "merge": ("always", "auto"),
    "setops": (*(name for name in SETOPS if name != "scalar"), None),
}
"""What each switch can be other than off."""
_NEEDS: dict[str, dict[str, Any]] = {
    "codegrees": {"decompose": "always", "max_tail": 99},
    "pivots": {"local": True, "max_tail": 99},
    "signature": {"filters": ("signature",)},
    "failing_sets": {"labelled": "search"},
    "twins": {"labelled": "search"},
}
ALONE = [Technique(switch, v, _NEEDS.get(switch, {})) for switch, values in _VALUES.items() for v in values]
TOGETHER = {
    "as fits": Params(threads=1),
    "all": Params(
        threads=2,
        switches=Switches(
            expand="always", decompose="always", candidate_graph="always", filters=FILTERS, merge="always"
        ),
    ),
    "all in plans": Params(
        threads=2,
        switches=Switches(
            expand="always", decompose="always", candidate_graph="always", labelled="plan", merge="always"
        ),
    ),
}
EACH: dict[str, Params] = {**{t.name: t.params for t in ALONE}, **TOGETHER}
"""By name: the ways to run that are compared."""


@dataclass(frozen=True)
class Family:
    """Queries on one graph, and their counts by the reference engine."""

    queries: tuple[Query, ...]
    counts: tuple[int, ...]


@cache
def family(kind: str, mode: str, seed: int, vertices: int = 11, patterns: int = 5) -> Family:
    """Random patterns of 3 to 5 vertices on one random graph; the same for the same arguments."""
    chance = random.Random(f"{kind} {mode} {seed}")
    pairs = [(u, v) for u in range(vertices) for v in range(vertices) if u < v and chance.random() < 0.5]
    pairs = [pair if chance.random() < 0.5 else pair[::-1] for pair in pairs]
    labels = [chance.choice("AAB") for _ in range(vertices)] if kind == "labelled" else None
    src, dst = zip(*pairs, strict=True)
    graph = Graph.from_edges(
        src, dst, num_vertices=vertices, directed=kind == "directed", vertex_labels=labels
    )
    queries = []
    for i in range(patterns):
        text = _decorated(chance.choice(connected_patterns(3 + min(i, 2))), kind, chance)
        queries.append(make_query(graph, text, mode=mode, unique=chance.random() < 0.8))
    return Family(tuple(queries), tuple(reference.count(query).count for query in queries))


def _decorated(shape: Pattern, kind: str, chance: random.Random) -> Pattern:
    """The shape with what the kind asks for: a label on every vertex, arrows, or a few edges that must be absent."""
    k = shape.num_vertices
    pairs = [(edge.source, edge.target) for edge in shape.edges]
    arrows = ["-->", "<--", "--"] if kind == "directed" else ["--"]
    names = [f"({'abcde'[v]}{':' + chance.choice('AAB') if kind == 'labelled' else ''})" for v in range(k)]
    items = [*names, *(f"({'abcde'[u]}){chance.choice(arrows)}({'abcde'[v]})" for u, v in pairs)]
    if kind == "anti-edges":
        joined = {frozenset(pair) for pair in pairs}
        apart = [(u, v) for u in range(k) for v in range(u) if frozenset((u, v)) not in joined]
        absent = chance.sample(apart, min(len(apart), chance.randint(1, 2)))
        items += [f"!({'abcde'[u]})--({'abcde'[v]})" for u, v in absent]
    return Pattern(", ".join(items))
