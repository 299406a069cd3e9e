"""The problem a plan solves: a pattern resolved against a graph's vocabulary, without the graph itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple

from subiso.pattern import Pattern, PatternEdge
from subiso.pattern.structure import structure_of

Mode = Literal["monomorphism", "induced", "homomorphism", "edge-isomorphism"]


class Link(NamedTuple):
    """Vertices a and b must (or, in `forbidden`, must not) be joined.

    `forward` is the index of the relation read at a's end, `backward` of the same edges read at b's end.
    """

    a: int
    b: int
    forward: int
    backward: int

    def seen_from(self, end: int) -> int:
        """The relation whose list of `end`'s vertex holds the other end."""
        return self.forward if end == self.a else self.backward


@dataclass(frozen=True)
class PairCheck:
    """`key[left_key] of a  op  key[right_key] of b`: a comparison of two vertices' columns."""

    a: int
    op: str
    b: int
    left_key: int
    right_key: int


@dataclass(frozen=True)
class Problem:
    """Everything planning may look at, apart from statistics."""

    pattern: Pattern
    mode: Mode
    unique: bool
    links: tuple[Link, ...]
    forbidden: tuple[Link, ...] = ()
    absent: tuple[PatternEdge, ...] = ()
    """The forbidden links as edges: anti-edges, and in induced mode all that the pattern does not have."""
    pairs: tuple[PairCheck, ...] = ()
    filters: tuple[tuple[int, ...], ...] = ()
    """Per pattern vertex the numbers of its candidate filters (several for one that stands for several); vertices with
    the same candidates share them."""
    anchored: frozenset[int] = frozenset()
    sizes: tuple[float, ...] = ()
    """Candidates per pattern vertex."""
    fans: tuple[tuple[float, float], ...] = ()
    """Per link: mean number of b-candidates joined to an a-candidate, and the other way round."""
    overlaps: tuple[int, ...] = ()
    """Per pattern vertex the bits of the vertices whose candidates overlap its own; () = all do."""
    loops: bool = False
    """The graph has self loops, so a vertex may be its own neighbour."""
    entities: tuple[tuple[int, int, int], ...] = field(default=())
    """Edge-isomorphism: the pattern's edges as (source, target, relation index), but for those whose labels no other
    has."""
    apart: bool = False
    """Symmetry exchanges no vertices with different filters."""
    narrowed: tuple[int, ...] = ()
    """Per relation the filter that all elements of its lists pass, -1 for none; () for none at all."""
    implied: frozenset[tuple[int, int, int]] = frozenset()
    """(vertex, relation, filter): all elements of the relation's lists of the vertex's candidates pass the filter."""
    imposed: tuple[tuple[int, int], ...] = ()
    """Pairs (a, b): only matches are wanted in which a's vertex comes before b's in the graph's total order."""

    @cached_property
    def edges_to_tell_apart(self) -> tuple[tuple[int, int, int], ...]:
        """The entities that may be the same data edge as another one; where none may, edge-isomorphism asks nothing of
        edges."""

        def meets(a: int, b: int) -> bool:
            return a == b or not self.overlaps or bool(self.overlaps[a] >> b & 1)

        found: set[int] = set()
        for (i, (a, b, _)), (j, (c, d, _)) in combinations(enumerate(self.entities), 2):
            if i in found and j in found:
                continue
            if (meets(a, c) and meets(b, d)) or (meets(a, d) and meets(b, c)):
                found |= {i, j}
        return tuple(self.entities[i] for i in sorted(found))

    @cached_property
    def joined_or_compared(self) -> tuple[int, ...]:
        """Per vertex the bits of those whose matches its own depend on; its own bit if it is compared."""
        bits = [0] * self.num_vertices
        for a, b in self.imposed:
            bits[a] |= 1 << b
            bits[b] |= 1 << a
        for link in (*self.links, *self.forbidden):
            bits[link.a] |= 1 << link.b
            bits[link.b] |= 1 << link.a
        for pair in self.pairs:
            bits[pair.a] |= 1 << pair.a
            bits[pair.b] |= 1 << pair.b
        return tuple(bits)

    @cached_property
    def conditions(self) -> tuple[object, ...]:
        """Per vertex all that is asked of it: vertices with the same, of which none is asked of the other, may be
        exchanged, in the pattern and in the graph."""
        structure = structure_of(self.pattern)
        found: list[object] = []
        for v in range(self.num_vertices):
            asked = (
                frozenset((k.a + k.b - v, k.seen_from(k.a + k.b - v)) for k in links if v in (k.a, k.b))
                for links in (self.links, self.forbidden)
            )
            rows = tuple(row[v] for row in structure.relations)
            filters = self.filters[v] if self.filters else ()
            overlaps = self.overlaps[v] if self.overlaps else 0
            found.append((structure.colors[v], rows, *asked, filters, overlaps, self._place(v)))
        return tuple(found)

    @property
    def num_vertices(self) -> int:
        return self.pattern.num_vertices

    @property
    def injective(self) -> bool:
        return self.mode in ("monomorphism", "induced")

    def colors(self) -> tuple[int, ...] | None:
        """Colours that keep apart what symmetry must not exchange: anchored vertices, those with another place in the
        imposed order and, where `apart` says so, those with other filters; None when there are none."""
        if not self.anchored and not self.imposed and not self.apart:
            return None
        kinds: dict[object, int] = {}
        return tuple(kinds.setdefault(self._place(v), len(kinds)) for v in range(self.num_vertices))

    def _place(self, v: int) -> object:
        if v in self.anchored:
            return v
        before = frozenset(a for a, b in self.imposed if b == v)
        after = frozenset(b for a, b in self.imposed if a == v)
        return before, after, self.filters[v] if self.apart else ()

    @cached_property
    def reverse(self) -> dict[int, int]:
        """relation -> the relation of the same edges read from their other end, for those of the links."""
        return {
            r: s
            for link in self.links
            for r, s in ((link.forward, link.backward), (link.backward, link.forward))
        }
