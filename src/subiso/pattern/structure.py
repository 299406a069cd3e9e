"""A pattern as a coloured structure: vertex colours and coloured pairs, all that symmetry depends on.

Nodes are the pattern's vertices and, after them, one node for each edge that is compared with another edge or
with a vertex (``e1.time < e2.time``): such a comparison relates up to four vertices, and an edge that is a
node turns it back into a relation of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from subiso.pattern.elements import FLIPPED, Column, Comparison, Mask, PatternEdge, labels_key

if TYPE_CHECKING:
    from subiso.pattern.pattern import Pattern

# Kinds of items; every item is (kind, direction, labels, mask, extra), so that items can be sorted.
_EDGE, _ANTI, _COMPARED, _ROLE = range(4)
Item = tuple[int, int, tuple[Any, ...], bytes, tuple[Any, ...]]
_PLAIN_ITEM: Item = (_EDGE, 0, (), b"", ())
_PLAIN_NODE = (0, (), b"", ())


@dataclass(frozen=True, slots=True)
class Structure:
    """`relations[r][u]` holds, as bits, every v for which the pair (u, v) has colour r.

    Each pair's colour determines the colour of the reversed pair, so no transposed copy is needed. Colours
    are ranks of `color_keys` and `relation_keys`, which are the same for isomorphic patterns.
    """

    real: int
    size: int
    colors: tuple[int, ...]
    color_keys: tuple[Any, ...]
    relations: tuple[tuple[int, ...], ...]
    relation_keys: tuple[Any, ...]


def plain_structure(adjacency: tuple[int, ...]) -> Structure:
    """The structure of an undirected graph without labels."""
    count = len(adjacency)
    relations = (adjacency,) if any(adjacency) else ()
    keys = ((_PLAIN_ITEM,),) if relations else ()
    return Structure(count, count, (0,) * count, (_PLAIN_NODE,), relations, keys)


def colored(structure: Structure, extra: Sequence[Any]) -> Structure:
    """The structure with further colours of its vertices, which are comparable values."""
    keys = [structure.color_keys[color] for color in structure.colors]
    both = [(key, (extra[v],) if v < structure.real else ()) for v, key in enumerate(keys)]
    color_keys = tuple(sorted(set(both)))
    rank = {key: i for i, key in enumerate(color_keys)}
    return replace(structure, colors=tuple(rank[key] for key in both), color_keys=color_keys)


def structure_of(pattern: Pattern) -> Structure:
    """Read the pattern into colours."""
    return _Builder(pattern).finish()


class _Builder:
    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.real = pattern.num_vertices
        self.unary: list[list[Item]] = [[] for _ in range(self.real)]
        self.pairs: dict[tuple[int, int], list[Item]] = {}
        self.edge_nodes: dict[str, int] = {}
        self.filters: dict[str, list[tuple[Any, ...]]] = {}
        if pattern.comparisons:
            self.read_comparisons()
        node_items: dict[str, Item] = {}
        for edge in pattern.edges:
            item = self.add_edge(_EDGE, edge)
            if edge.name in self.edge_nodes:
                node_items[edge.name] = item
                self.add_roles(self.edge_nodes[edge.name], edge)
        for edge in pattern.anti_edges:
            self.add_edge(_ANTI, edge)
        self.node_items = node_items

    def finish(self) -> Structure:
        pattern = self.pattern
        nodes: list[Any] = []
        for groups, mask, items in zip(pattern.vertex_labels, pattern.masks, self.unary, strict=False):
            labels = tuple(sorted(map(labels_key, groups))) if groups else ()
            nodes.append((0, labels, _digest(mask), tuple(sorted(items)) if items else ()))
        for name, node in self.edge_nodes.items():
            nodes.append((1, (), b"", (self.node_items[name], *sorted(self.unary[node]))))
        size = len(nodes)
        color_keys = tuple(sorted(set(nodes)))
        rank = {key: i for i, key in enumerate(color_keys)}
        keyed = {pair: tuple(sorted(items)) for pair, items in self.pairs.items()}
        relation_keys = tuple(sorted(set(keyed.values())))
        relations = {key: [0] * size for key in relation_keys}
        for (u, v), key in keyed.items():
            relations[key][u] |= 1 << v
        return Structure(
            self.real,
            size,
            tuple([rank[key] for key in nodes]),
            color_keys,
            tuple(tuple(relations[key]) for key in relation_keys),
            relation_keys,
        )

    def add_edge(self, kind: int, edge: PatternEdge) -> Item:
        u, v = edge.source, edge.target
        extra = tuple(sorted(self.filters[edge.name])) if edge.name in self.filters else ()
        labels, mask = labels_key(edge.labels), _digest(edge.mask)
        item: Item = (kind, 0, labels, mask, extra)
        if u == v:
            self.unary[u].append(item)
        elif edge.directed:
            self.pairs.setdefault((u, v), []).append((kind, 1, labels, mask, extra))
            self.pairs.setdefault((v, u), []).append((kind, 2, labels, mask, extra))
        else:
            self.pairs.setdefault((u, v), []).append(item)
            self.pairs.setdefault((v, u), []).append(item)
        return item

    def add_roles(self, node: int, edge: PatternEdge) -> None:
        ends = ((edge.source, 1), (edge.target, 2)) if edge.directed else ((edge.source, 0), (edge.target, 0))
        for vertex, role in ends:
            self.pairs.setdefault((node, vertex), []).append((_ROLE, 2 * role, (), b"", ()))
            self.pairs.setdefault((vertex, node), []).append((_ROLE, 2 * role + 1, (), b"", ()))

    def read_comparisons(self) -> None:
        normal = dict.fromkeys(_normal(comparison) for comparison in self.pattern.comparisons)
        for left, _, right in normal:
            if isinstance(right, Column) and right.owner != left.owner:
                for side in (left, right):
                    if isinstance(side.owner, str) and side.owner not in self.edge_nodes:
                        self.edge_nodes[side.owner] = self.real + len(self.edge_nodes)
                        self.unary.append([])
        for left, op, right in normal:
            self.add_comparison(left, op, right)

    def add_comparison(self, left: Column, op: str, right: Any) -> None:
        if not isinstance(right, Column) or right.owner == left.owner:
            # The third part has one shape for columns and constants, so that these items sort too.
            value = (2, 0, right.column) if isinstance(right, Column) else _constant_key(right)
            extra = (op, left.column, value)
            if isinstance(left.owner, str):
                self.filters.setdefault(left.owner, []).append(extra)
            else:
                self.unary[left.owner].append((_COMPARED, 0, (), b"", extra))
            return
        u, v = self.node(left), self.node(right)
        there = (op, left.column, right.column)
        back, ahead, behind = (there, 1, 2) if op[0] == "<" else ((op, right.column, left.column), 0, 0)
        self.pairs.setdefault((u, v), []).append((_COMPARED, ahead, (), b"", there))
        self.pairs.setdefault((v, u), []).append((_COMPARED, behind, (), b"", back))

    def node(self, side: Column) -> int:
        return self.edge_nodes[side.owner] if isinstance(side.owner, str) else side.owner


def _normal(comparison: Comparison) -> tuple[Column, str, Any]:
    """One form for `a.x < b.x` and `b.x > a.x`, and for the two ways to write an equality."""
    left, op, right = comparison.left, comparison.op, comparison.right
    if isinstance(right, Column):
        backwards = (str(left.owner), left.column) > (str(right.owner), right.column)
        if op in (">", ">=") or (op in ("==", "!=") and backwards):
            left, op, right = right, FLIPPED[op], left
    return left, op, right


def _constant_key(value: Any) -> tuple[int, Any, str]:
    return (1, 0, value) if isinstance(value, str) else (0, value, "")


def _digest(mask: Mask | None) -> bytes:
    return b"" if mask is None else mask.digest
