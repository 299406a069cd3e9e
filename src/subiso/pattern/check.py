"""What a pattern must satisfy as a whole: connected, free of contradictions, every name known."""

from __future__ import annotations

from collections.abc import Iterable

from subiso.errors import PatternError
from subiso.pattern.elements import Column, Comparison, PatternEdge


def neighbor_masks(count: int, edges: Iterable[PatternEdge]) -> list[int]:
    """Neighbours of each vertex as bits, whatever the direction; loops left out."""
    masks = [0] * count
    for edge in edges:
        source, target = edge.source, edge.target
        if source != target:
            masks[source] |= 1 << target
            masks[target] |= 1 << source
    return masks


def reachable(masks: list[int], start: int) -> int:
    """Everything that can be reached from the vertices in `start`, as bits."""
    reached = frontier = start
    while frontier:
        low = frontier & -frontier
        frontier ^= low
        new = masks[low.bit_length() - 1] & ~reached
        reached |= new
        frontier |= new
    return reached


def check_connected(
    names: tuple[str, ...], edges: tuple[PatternEdge, ...], anti: tuple[PatternEdge, ...]
) -> None:
    adjacency = neighbor_masks(len(names), edges)
    everyone = (1 << len(names)) - 1
    reached = reachable(adjacency, 1)
    if reached == everyone:
        return
    first = ", ".join(name for i, name in enumerate(names) if reached >> i & 1)
    rest = [name for i, name in enumerate(names) if not reached >> i & 1]
    lonely = {v for edge in anti for v in (edge.source, edge.target) if not adjacency[v]}
    hint = "join the parts by an edge, or match them one by one"
    if lonely and len(names) > 1:
        hint = f"{names[min(lonely)]} stands only in a negated edge; a vertex needs an edge that is there"
    raise PatternError(f"the pattern is disconnected: no path from {first} to {', '.join(rest)}", hint=hint)


def check_contradictions(
    names: tuple[str, ...], edges: tuple[PatternEdge, ...], anti_edges: tuple[PatternEdge, ...]
) -> None:
    by_pair: dict[tuple[int, int], list[PatternEdge]] = {}
    for anti in anti_edges:
        pair = (min(anti.source, anti.target), max(anti.source, anti.target))
        by_pair.setdefault(pair, []).append(anti)
    for edge in edges:
        pair = (min(edge.source, edge.target), max(edge.source, edge.target))
        for anti in by_pair.get(pair, ()):
            if _forbids(anti, edge):
                raise PatternError(
                    f"the edge between {names[edge.source]} and {names[edge.target]} is required and negated",
                    hint="drop one of the two",
                )


def _forbids(anti: PatternEdge, edge: PatternEdge) -> bool:
    if anti.labels is not None and (edge.labels is None or not edge.labels <= anti.labels):
        return False
    if not anti.directed or edge.source == edge.target:
        return True
    return edge.directed and edge.source == anti.source


def check_owners(
    names: tuple[str, ...], edges: tuple[PatternEdge, ...], comparisons: tuple[Comparison, ...]
) -> None:
    if not comparisons and all(edge.name is None for edge in edges):
        return
    edge_names: set[str] = set()
    seen = set(names)
    for edge in edges:
        name = edge.name
        if name is None:
            continue
        if not isinstance(name, str) or not name:
            raise PatternError(f"an edge name is a string that is not empty, not {name!r:.80}")
        if name in seen:
            raise PatternError(f"the name {name!r} is used twice", hint="vertices and edges too must differ")
        seen.add(name)
        edge_names.add(name)
    for comparison in comparisons:
        for side in (comparison.left, comparison.right):
            if isinstance(side, Column):
                vertex = isinstance(side.owner, int) and 0 <= side.owner < len(names)
                if not vertex and side.owner not in edge_names:
                    raise PatternError(f"{side.owner!r} is neither a vertex nor a named edge of the pattern")
                if not isinstance(side.column, str) or not side.column:
                    raise PatternError(f"a column name is a string, not empty: {side.column!r:.80}")
