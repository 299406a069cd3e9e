"""Queries for tests and benchmarks: patterns cut out of a graph, so that each has a match there; files of patterns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from subiso.errors import FormatError, GraphError, PatternError
from subiso.graph import Graph
from subiso.graph.generators.arguments import joined, seed_of, whole
from subiso.graph.labels import NONE, Label
from subiso.pattern import Pattern
from subiso.pattern.elements import MAX_VERTICES

Method = Literal["walk", "expand"]
Density = Literal["any", "sparse", "dense"]
Edges = Literal["all", "visited"]

_METHODS, _DENSITIES, _EDGES = ("walk", "expand"), ("any", "sparse", "dense"), ("all", "visited")
_ALSO = {"randomwalk": "walk"} | {
    word + "expansion": "expand" for word in ("", "neighbor", "neighbour", "neighborhood", "neighbourhood")
}
"""Other words for what is known."""
_DENSE = 3.0
"""Neighbours per vertex, in the mean, from which on a pattern is dense."""
_ATTEMPTS = 1000
_PATIENCE = 100
"""Steps of a walk per vertex that is wanted; then it begins elsewhere."""


def random_queries(
    graph: Graph,
    count: int = 100,
    size: int | Sequence[int] = 8,
    *,
    method: Method = "walk",
    density: Density = "any",
    edges: Edges = "all",
    seed_label: Label | None = None,
    vertex_labels: bool = True,
    edge_labels: bool = True,
    seed: int = 0,
) -> list[Pattern]:
    """Connected patterns cut out of a graph at random; the same arguments give the same patterns.

    count: how many, of every size
    size: vertices of a pattern, or a list of sizes: size=[4, 8]
    method: walk: the vertices that a random walk meets; expand: again and again a new neighbour of one of those so far
    density: sparse: fewer than 3 neighbours per vertex in the mean; dense: 3 or more; any: as it comes
    edges: all: those that the graph has between the vertices; visited: those that led from one to the next
    seed_label: the first vertex has this label; where no vertex has it, the first edge
    vertex_labels: keep the vertices' labels, all that they have
    edge_labels: keep the edges' labels
    seed: of the random numbers

    Directions are kept. A sparse pattern that would be dense gives up edges, a dense one that is not is drawn again.

    >>> from subiso.graph.generators import rmat, with_labels
    >>> g = with_labels(rmat(8, seed=1), ["Person", "Firm"], seed=1)
    >>> for pattern in random_queries(g, 2, 4, method="expand", edges="visited", seed_label="Firm", seed=1):
    ...     print(pattern)
    (a:Firm)--(b:Person), (b)--(c:Person), (a)--(d:Firm)
    (a:Firm)--(b:Firm), (b)--(c:Person), (c)--(d:Person)
    """
    settings = _Settings(
        one_of("method", method, _METHODS),
        one_of("density", density, _DENSITIES),
        one_of("edges", edges, _EDGES),
        vertex_labels,
        edge_labels,
    )
    given: Any = size  # an array, perhaps, or a text of the command line
    given = given.tolist() if isinstance(given, np.ndarray) else given
    several = isinstance(given, Sequence) and not isinstance(given, str)
    wanted = list(given) if several else [given]
    sizes = [whole("size", each, 1, MAX_VERTICES) for each in wanted]
    if not sizes:
        raise GraphError("size is an empty list: there would be no patterns", hint="size=8, or size=[4, 8]")
    if max(sizes) > graph.num_vertices:
        raise GraphError(f"a pattern of {max(sizes)} vertices in a graph of {graph.num_vertices}")
    whole("count", count, 0)
    if settings.density == "dense" and min(sizes) < 4:
        raise GraphError(
            "no pattern of fewer than 4 vertices is dense", hint='density="any", or larger sizes'
        )
    starts = _starts(graph, seed_label)
    return [
        _draw(graph, k, settings, starts, np.random.default_rng([seed_of(seed), k, number]))
        for k in sizes
        for number in range(count)
    ]


def one_of(name: str, value: str, known: Sequence[str]) -> str:
    """The word that is known and `value` says."""
    word = joined(value)
    word = _ALSO.get(word, word)
    if word not in known:
        raise GraphError(f"{name} must be one of {', '.join(known)}, not {value!r}")
    return word


@dataclass(frozen=True)
class _Settings:
    method: str
    density: str
    edges: str
    vertex_labels: bool
    edge_labels: bool


Pairs = dict[tuple[int, int], None]
"""Pairs of places in the list of chosen vertices, the smaller first; in the order in which they were met."""


@dataclass
class _Region:
    """The vertices chosen so far, and the pairs of them that were visited."""

    vertices: list[int]
    visited: Pairs

    def add(self, v: int, came_from: int) -> None:
        if v not in self.vertices:
            self.vertices.append(v)
        ends = self.vertices.index(came_from), self.vertices.index(v)
        if ends[0] != ends[1]:
            self.visited[min(ends), max(ends)] = None


def _starts(graph: Graph, seed_label: Label | None) -> list[tuple[int, ...]] | np.ndarray[Any, Any]:
    """What a pattern may begin with: vertices, or ends of edges."""
    if seed_label is None:
        return np.arange(graph.num_vertices)[:, None]
    if graph.vertex_labels is not None:
        found = np.flatnonzero(graph.vertex_labels.mask(seed_label))
        if len(found):
            return found[:, None]
    code = None if graph.edge_labels is None else graph.edge_labels.code_of(seed_label)
    if graph.edge_labels is None or code is None:
        raise GraphError(f"no vertex and no edge has the label {seed_label!r}")
    ends = np.stack(graph.edge_endpoints(np.flatnonzero(graph.edge_labels.codes == code)), axis=1)
    apart = ends[:, 0] != ends[:, 1]
    if not apart.any():
        raise GraphError(f"only self loops have the label {seed_label!r}, which are left out of patterns")
    between: np.ndarray[Any, Any] = ends[apart]
    return between


def _draw(graph: Graph, k: int, settings: _Settings, starts: Any, rng: np.random.Generator) -> Pattern:
    grow = _walk if settings.method == "walk" else _expand
    densest = 0.0
    for _ in range(_ATTEMPTS if len(starts) else 0):
        begin = [int(v) for v in starts[rng.integers(len(starts))]]
        region = _Region(begin[:1], {})
        if len(begin) > 1 and k > 1:
            region.add(begin[1], begin[0])
        if not grow(graph, region, k, rng):
            continue
        pairs = _chosen_pairs(graph, region, settings, rng)
        degree = 2 * len(pairs) / k
        if settings.density != "dense" or degree >= _DENSE:
            return _pattern(graph, region.vertices, pairs, settings)
        densest = max(densest, degree)
    if densest:
        raise GraphError(
            f"no dense pattern of {k} vertices was found in {_ATTEMPTS} attempts: the densest has "
            f"{densest:.2f} neighbours per vertex, {_DENSE:g} are wanted",
            hint='density="any", another method, or a smaller size',
        )
    raise GraphError(
        f"no connected pattern of {k} vertices was found in {_ATTEMPTS} attempts",
        hint="the graph's components, or those with the seed label, may be smaller than that",
    )


def _neighbors(graph: Graph, v: int) -> np.ndarray[Any, Any]:
    return np.concatenate([graph.out[v], graph.in_[v]]) if graph.directed else graph.out[v]


def _walk(graph: Graph, region: _Region, k: int, rng: np.random.Generator) -> bool:
    """Walks until k vertices were met; False when that takes too long."""
    at = region.vertices[-1]
    for _ in range(_PATIENCE * k):
        if len(region.vertices) == k:
            return True
        around = _neighbors(graph, at)
        if not len(around):
            return False
        following = int(around[rng.integers(len(around))])
        region.add(following, at)
        at = following
    return len(region.vertices) == k


def _expand(graph: Graph, region: _Region, k: int, rng: np.random.Generator) -> bool:
    """Takes a random new neighbour of a random vertex so far; False when there are no more."""
    while len(region.vertices) < k:
        for v in rng.permutation(region.vertices).tolist():
            around = _neighbors(graph, v)
            fresh = around[~np.isin(around, region.vertices)]
            if len(fresh):
                region.add(int(fresh[rng.integers(len(fresh))]), v)
                break
        else:
            return False
    return True


def _chosen_pairs(graph: Graph, region: _Region, settings: _Settings, rng: np.random.Generator) -> Pairs:
    """The pairs of vertices that the pattern joins."""
    if settings.edges == "visited":
        pairs = dict(region.visited)
    else:
        place = {v: i for i, v in enumerate(region.vertices)}
        pairs = dict.fromkeys(
            sorted(
                (min(i, place[int(u)]), max(i, place[int(u)]))
                for v, i in place.items()
                for u in np.intersect1d(_neighbors(graph, v), region.vertices)
                if u != v
            )
        )
    most = int(np.ceil(_DENSE / 2 * len(region.vertices))) - 1
    if settings.density != "sparse" or len(pairs) <= most:
        return pairs
    kept = _tree(region)
    rest = [pair for pair in pairs if pair not in kept]
    extra = rng.choice(len(rest), most - len(kept), replace=False)
    return dict.fromkeys(sorted([*kept, *(rest[i] for i in extra)]))


def _tree(region: _Region) -> Pairs:
    """Visited pairs that join everything: of each vertex the one that it was met by."""
    met: dict[int, tuple[int, int]] = {}
    for low, high in region.visited:
        met.setdefault(high, (low, high))
    return dict.fromkeys(met.values())


def _pattern(graph: Graph, vertices: list[int], pairs: Pairs, settings: _Settings) -> Pattern:
    """The pattern of some vertices and the pairs of them that it joins, with the labels that are kept."""
    place = {v: i for i, v in enumerate(vertices)}
    found: dict[tuple[int, int, Label | None], None] = {}
    for v, i in place.items():
        begin, end = int(graph.out.offsets[v]), int(graph.out.offsets[v + 1])
        inside = np.flatnonzero(np.isin(graph.out.neighbors[begin:end], vertices))
        for at in (begin + inside).tolist():
            j = place[int(graph.out.neighbors[at])]
            if (min(i, j), max(i, j)) in pairs and (graph.directed or i < j):
                found[i, j, _edge_label(graph, at) if settings.edge_labels else None] = None
    labels = graph.vertex_labels if settings.vertex_labels else None
    edges = sorted(
        found, key=lambda edge: (max(edge[:2]), min(edge[:2]))
    )  # a vertex follows those it hangs on
    return Pattern.from_edges(
        [(i, j) for i, j, _ in edges],
        vertex_labels=[None if labels is None else labels.of(v) or None for v in vertices],
        edge_labels=[label for _, _, label in edges],
        directed=graph.directed,
    )


def _edge_label(graph: Graph, entry: int) -> Label | None:
    if graph.edge_labels is None:
        return None
    code = int(graph.edge_labels.codes[int(graph.out.edge_ids[entry])])
    return None if code == NONE else graph.edge_labels.names[code]


# ---- files ---------------------------------------------------------------------------------------------------------


SEVERAL = (".json", ".patterns")
"""Names of files of patterns end so."""


def holds_several(path: str | Path) -> bool:
    """Whether a file's name says that it is one of patterns, each with a text of its own.

    >>> holds_several("q.json"), holds_several("triangle.txt")
    (True, False)
    """
    return Path(path).suffix.lower() in SEVERAL


def write_queries(patterns: Iterable[Pattern | str], path: str | Path) -> None:
    """Patterns into a file: `.json`, a list of texts; `.patterns`, a text per line.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_queries([Pattern("(a)--(b)"), Pattern("(x:A)-->(y)")], folder + "/q.patterns")
    ...     read_queries(folder + "/q.patterns")
    [Pattern('(a)--(b)'), Pattern('(x:A)-->(y)')]
    """
    texts = [(Pattern(each) if isinstance(each, str) else each).to_text() for each in patterns]
    path = Path(path)
    if not holds_several(path):
        raise FormatError(
            "files of patterns end in " + " or ".join(SEVERAL), path=str(path), hint=f"{path.stem}.patterns"
        )
    if path.suffix.lower() == ".json":
        path.write_text(
            json.dumps({"patterns": texts}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    else:
        path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")


def read_queries(path: str | Path) -> list[Pattern]:
    """The patterns of such a file, texts or names of the catalogue; empty lines and comments (#) are skipped."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise FormatError(f"cannot read the patterns: {reason}", path=str(path)) from error
    if path.suffix.lower() != ".json":
        lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
        return [_parsed(line, path, number) for number, line in lines if line and not line.startswith("#")]
    try:
        found = json.loads(text)
    except ValueError as error:
        raise FormatError(f"cannot read the patterns: {error}", path=str(path)) from error
    texts = found.get("patterns") if isinstance(found, dict) else found
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        raise FormatError(
            "a JSON file of patterns is a list of texts, or an object with such a list as `patterns`",
            path=str(path),
        )
    return [_parsed(each, path, None, f"pattern {i}: ") for i, each in enumerate(texts, 1)]


def _parsed(text: str, path: Path, line: int | None, before: str = "") -> Pattern:
    try:
        return Pattern(text) if "(" in text else Pattern.named(text)
    except PatternError as error:
        raise FormatError(before + error.message, path=str(path), line=line, hint=error.hint) from error
