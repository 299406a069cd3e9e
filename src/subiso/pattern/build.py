"""From loose parts to a checked pattern: clean labels and names, merge edges, check the whole."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

from subiso.errors import PatternError
from subiso.pattern.check import check_connected, check_contradictions, check_owners
from subiso.pattern.elements import (
    MAX_VERTICES,
    Alternatives,
    Column,
    Comparison,
    Mask,
    PatternEdge,
    clean_alternatives,
    clean_label,
    labels_key,
    plain_edge,
)

Conjunction = tuple[Alternatives, ...]
_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
_NUMBERED = tuple(f"v{i}" for i in range(MAX_VERTICES))


class Parts(NamedTuple):
    """The fields of a pattern, complete and checked."""

    names: tuple[str, ...]
    vertex_labels: tuple[Conjunction, ...]
    edges: tuple[PatternEdge, ...]
    anti_edges: tuple[PatternEdge, ...]
    masks: tuple[Mask | None, ...]
    comparisons: tuple[Comparison, ...]


def default_names(count: int) -> tuple[str, ...]:
    """a, b, c ... as far as the alphabet goes; v0, v1, ... for larger patterns."""
    return _LETTERS[:count] if count <= len(_LETTERS) else _NUMBERED[:count]


def too_many(count: int) -> PatternError:
    return PatternError(f"the pattern has {count} vertices; at most {MAX_VERTICES} are possible")


def clean_conjunction(value: Any) -> Conjunction:
    """None: any; a label; a set: one of them; a list or tuple: all of them (its items may be sets).

    >>> clean_conjunction(["A", {"B"}])
    (frozenset({'A'}), frozenset({'B'}))
    """
    if value is None or (isinstance(value, tuple) and not value):
        return ()
    if isinstance(value, set | frozenset):
        return (clean_alternatives(value),)
    if not isinstance(value, list | tuple):
        return (frozenset((clean_label(value),)),)
    groups = [
        clean_alternatives(item) if isinstance(item, set | frozenset) else frozenset((clean_label(item),))
        for item in value
    ]
    return sorted_conjunction(groups)


def sorted_conjunction(groups: Iterable[Alternatives]) -> Conjunction:
    """Each group once, in one order, so that equal constraints compare equal."""
    unique = dict.fromkeys(groups)
    return tuple(unique) if len(unique) < 2 else tuple(sorted(unique, key=labels_key))


def _edge_alternatives(value: Any) -> Alternatives | None:
    if value is None:
        return None
    if isinstance(value, set | frozenset | list | tuple):
        return clean_alternatives(value)
    return frozenset((clean_label(value),))


class _Numbering:
    """Turns what a caller calls a vertex (index or name) into an index, and knows the largest one."""

    def __init__(self, names: tuple[str, ...] | None) -> None:
        self.by_name = {} if names is None else {name: i for i, name in enumerate(names)}
        self.count = len(self.by_name)

    def index(self, vertex: Any) -> int:
        if isinstance(vertex, str):
            if vertex not in self.by_name:
                raise PatternError(f"unknown vertex {vertex!r}", hint="names=[...] lists them")
            return self.by_name[vertex]
        try:
            number = operator.index(vertex)
        except TypeError:
            raise PatternError(f"a vertex of a pattern is an index or a name, not {vertex!r:.80}") from None
        if number < 0 or isinstance(vertex, bool):
            raise PatternError(f"a vertex of a pattern is an index from 0 on, not {vertex!r}")
        if number >= MAX_VERTICES:
            raise too_many(number + 1)
        if number >= self.count:
            self.count = number + 1
        return number

    def pairs(self, edges: Iterable[Any]) -> list[tuple[int, int]]:
        result = []
        for edge in edges:
            try:
                source, target = edge
            except (TypeError, ValueError):
                raise PatternError(f"an edge is a pair of vertices, not {edge!r:.80}") from None
            if not (type(source) is int and 0 <= source < self.count):
                source = self.index(source)
            if not (type(target) is int and 0 <= target < self.count):
                target = self.index(target)
            result.append((source, target))
        return result


def from_edges(
    edges: Iterable[Any],
    vertex_labels: Any = None,
    edge_labels: Any = None,
    directed: bool = False,
    *,
    anti_edges: Iterable[Any] = (),
    names: Sequence[str] | None = None,
) -> Parts:
    """The parts of Pattern.from_edges."""
    given = None if names is None else _clean_names(names)
    numbering = _Numbering(given)
    pairs = numbering.pairs(_as_list(edges))
    anti_pairs = numbering.pairs(_as_list(anti_edges))
    count = numbering.count
    if not pairs and vertex_labels is not None and given is None:
        count = max(count, len(vertex_labels))
    if given is not None and len(given) < count:
        raise PatternError(f"{len(given)} names for {count} vertices")
    final = given if given is not None else default_names(count)
    labels = _vertex_labels(vertex_labels, count, numbering)
    found = _labelled(pairs, edge_labels, directed, numbering)
    anti = [plain_edge(source, target, directed) for source, target in anti_pairs]
    return finish(final, labels, found, anti)


def _as_list(edges: Iterable[Any]) -> Iterable[Any]:
    # NumPy rows iterate slowly and give NumPy scalars; its own conversion is better.
    return edges.tolist() if hasattr(edges, "tolist") else edges


def _clean_names(names: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise PatternError("names must be one string per vertex", hint=f"names={list(names)!r}")
    result = tuple(names)
    for name in result:
        if not isinstance(name, str) or not name:
            raise PatternError(f"a vertex name is a string that is not empty, not {name!r:.80}")
    if len(set(result)) != len(result):
        twice = next(name for name in result if result.count(name) > 1)
        raise PatternError(f"two vertices are called {twice!r}")
    return result


def _vertex_labels(labels: Any, count: int, numbering: _Numbering) -> tuple[Conjunction, ...]:
    if labels is None:
        return ((),) * count
    if isinstance(labels, Mapping):
        by_index = {numbering.index(vertex): clean_conjunction(value) for vertex, value in labels.items()}
        if numbering.count > count:
            raise PatternError(f"vertex_labels names vertex {numbering.count - 1} of {count}")
        return tuple(by_index.get(v, ()) for v in range(count))
    if isinstance(labels, str):
        raise PatternError("vertex_labels must have one entry per vertex, not be one string")
    values = list(_as_list(labels))
    if len(values) != count:
        raise PatternError(f"{len(values)} vertex labels for {count} vertices", hint="None is any label")
    return tuple(
        (frozenset((value,)),) if type(value) is str else clean_conjunction(value) for value in values
    )


def _labelled(
    pairs: list[tuple[int, int]], labels: Any, directed: bool, numbering: _Numbering
) -> list[PatternEdge]:
    if labels is None:
        return [plain_edge(source, target, directed) for source, target in pairs]
    if isinstance(labels, Mapping):
        by_pair: dict[tuple[int, int], Any] = {}
        for pair, value in labels.items():
            source, target = numbering.pairs([pair])[0]
            known = (source, target) in pairs or directed or (target, source) not in pairs
            by_pair[(source, target) if known else (target, source)] = value
        unknown = [pair for pair in by_pair if pair not in pairs]
        if unknown:
            raise PatternError(f"edge_labels names {unknown[0]}, which is not among the edges")
        values = [by_pair.get(pair) for pair in pairs]
    else:
        if isinstance(labels, str):
            raise PatternError("edge_labels must have one entry per edge, not be one string")
        values = list(_as_list(labels))
        if len(values) != len(pairs):
            raise PatternError(f"{len(values)} edge labels for {len(pairs)} edges", hint="None is any label")
    return [
        make_edge(source, target, directed, _edge_alternatives(value))
        for (source, target), value in zip(pairs, values, strict=True)
    ]


def make_edge(
    source: int,
    target: int,
    directed: bool,
    labels: Alternatives | None = None,
    name: str | None = None,
    *,
    mask: Mask | None = None,
) -> PatternEdge:
    """An edge in its one form: undirected ones with source <= target."""
    if labels is None and name is None and mask is None:
        return plain_edge(source, target, directed)
    if not directed and source > target:
        source, target = target, source
    return PatternEdge(source, target, directed, labels, name, mask)


def finish(
    names: tuple[str, ...],
    vertex_labels: tuple[Conjunction, ...],
    edges: Iterable[PatternEdge],
    anti_edges: Iterable[PatternEdge] = (),
    *,
    masks: tuple[Mask | None, ...] | None = None,
    comparisons: Iterable[Comparison] = (),
) -> Parts:
    """Merge duplicates and check the whole; every way to make a pattern ends here."""
    if not names:
        raise PatternError("the pattern has no vertex")
    if len(names) > MAX_VERTICES:
        raise too_many(len(names))
    merged = merge_edges(edges)
    anti = merge_edges(anti_edges)
    if anti:
        check_contradictions(names, merged, anti)
    check_connected(names, merged, anti)
    unique = tuple(dict.fromkeys(comparisons))
    check_owners(names, merged, unique)
    return Parts(names, vertex_labels, merged, anti, masks or (None,) * len(names), unique)


def merge_edges(edges: Iterable[PatternEdge]) -> tuple[PatternEdge, ...]:
    """Equal edges become one, in order of first appearance; two that are named apart stay two."""
    position: dict[Any, int] = {}
    result: list[PatternEdge] = []
    for edge in edges:
        if edge.labels is None and edge.mask is None:
            # The direction of a loop means nothing.
            directed = edge.directed and edge.source != edge.target
            key: Any = edge.source << 8 | edge.target << 1 | directed
        else:
            directed = edge.directed and edge.source != edge.target
            key = (edge.source, edge.target, directed, edge.labels, edge.mask)
        at = position.get(key)
        if at is None:
            position[key] = len(result)
            result.append(edge)
        elif edge.name is not None:
            if result[at].name is None:
                result[at] = edge
            elif result[at].name != edge.name:
                result.append(edge)
    return tuple(result)


def merge_vertices(parts: Parts, blocks: Sequence[Sequence[int]]) -> Parts:
    """The quotient: one vertex for each block, with the labels, masks, edges and comparisons of its members."""
    place = {v: i for i, block in enumerate(blocks) for v in block}

    def moved(edge: PatternEdge) -> PatternEdge:
        source, target = place[edge.source], place[edge.target]
        return make_edge(source, target, edge.directed, edge.labels, edge.name, mask=edge.mask)

    def owned(column: Any) -> Any:
        if isinstance(column, Column) and isinstance(column.owner, int):
            return Column(place[column.owner], column.column)
        return column

    masks = [[m for v in block if (m := parts.masks[v]) is not None] for block in blocks]
    return finish(
        tuple("_".join(parts.names[v] for v in block) for block in blocks),
        tuple(sorted_conjunction(g for v in block for g in parts.vertex_labels[v]) for block in blocks),
        [moved(e) for e in parts.edges],
        [moved(e) for e in parts.anti_edges],
        masks=tuple(reduce(operator.and_, found) if found else None for found in masks),
        comparisons=[Comparison(owned(c.left), c.op, owned(c.right)) for c in parts.comparisons],
    )
