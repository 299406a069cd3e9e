"""From pattern edges to relations: which data edges fit (label, mask, comparisons) and in which direction."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from subiso.engine.compare import compare_constant
from subiso.engine.query import Query
from subiso.pattern import Column, PatternEdge
from subiso.plan.problem import Link
from subiso.storage.relation import EdgeFit, Relation

_OUT, _ANY = Relation("out"), Relation("any")


class RelationTable:
    """Numbers the relations that a query uses."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.relations: list[Relation] = []
        self._number: dict[Relation, int] = {}
        self._fits: dict[PatternEdge, EdgeFit | None] = {}
        self._pairs: dict[Relation, tuple[int, int]] = {}

    def number(self, relation: Relation) -> int:
        """The relation's index; an undirected graph has one direction only."""
        if not self.query.graph.directed and relation.direction != "out":
            relation = Relation("out", relation.fit)
        found = self._number.get(relation)
        if found is None:
            found = self._number[relation] = len(self.relations)
            self.relations.append(relation)
        return found

    def reverse(self) -> list[int]:
        """The number of each relation's reverse; reverses that nothing used so far are added."""
        for relation in list(self.relations):
            self.number(relation.reversed())
        return [self.number(relation.reversed()) for relation in self.relations]

    def pair(self, relation: Relation) -> tuple[int, int]:
        """The numbers of a relation and of its reverse."""
        pair = self._pairs.get(relation)
        if pair is None:
            pair = self._pairs[relation] = self.number(relation), self.number(relation.reversed())
        return pair

    def links_of(self, edges: Iterable[PatternEdge]) -> list[Link]:
        """The links of pattern edges; one call for all, as there may be many and a query takes microseconds."""
        links: list[Link] = []
        plain: dict[bool, tuple[int, int]] = {}  # directed or not: the numbers where nothing else is asked
        for edge in edges:
            if edge.labels is None and edge.mask is None and edge.name is None:
                pair = plain.get(edge.directed)
                if pair is None:
                    pair = plain[edge.directed] = self.pair(self.of_edge(edge))
            else:
                pair = self.pair(self.of_edge(edge))
            links.append(Link(edge.source, edge.target, pair[0], pair[1]))
        return links

    def of_edge(self, edge: PatternEdge) -> Relation:
        """The relation of a pattern edge, read at its source."""
        fit = self.fit(edge)
        return (
            (_OUT if edge.directed else _ANY)
            if fit is None
            else Relation("out" if edge.directed else "any", fit)
        )

    def fit(self, edge: PatternEdge) -> EdgeFit | None:
        """The data edges that may stand for the pattern edge; None = all."""
        if edge.labels is None and edge.mask is None and edge.name is None:
            return None
        if edge not in self._fits:
            self._fits[edge] = self._make_fit(edge)
        return self._fits[edge]

    def _make_fit(self, edge: PatternEdge) -> EdgeFit | None:
        graph = self.query.graph
        comparisons = [c for c in self.query.pattern.comparisons if edge.name and c.left.owner == edge.name]
        if edge.labels is None and edge.mask is None and not comparisons:
            return None
        codes = self._codes(edge)

        def labelled() -> NDArray[np.bool_]:
            if graph.edge_labels is None or codes is None:
                return np.ones(graph.num_edges, dtype=bool)
            return np.isin(graph.edge_labels.codes, list(codes))

        if codes is not None and edge.mask is None and not comparisons:  # the key says it all
            return EdgeFit(tuple(sorted(codes)), lambda: labelled().view(np.uint8))
        fits = labelled()
        if edge.mask is not None:
            fits &= edge.mask.array
        for c in comparisons:
            assert not isinstance(c.right, Column | str), "refused earlier"
            fits &= compare_constant(graph.edge_columns[c.left.column], c.op, c.right)
        return EdgeFit(blake2b(np.packbits(fits).data, digest_size=16).digest(), fits.view(np.uint8))

    def _codes(self, edge: PatternEdge) -> frozenset[int] | None:
        """Of the labels that fit; None = all."""
        if edge.labels is None:
            return None
        labels = self.query.graph.edge_labels
        assert labels is not None, "edge labels on a graph without them are refused earlier"
        return frozenset(code for name in edge.labels if (code := labels.code_of(name)) is not None)

    def entities(self) -> tuple[tuple[int, int, int], ...]:
        """Pattern edges that may be the same data edge as another one, by their labels: source, target, relation."""
        edges = [(edge, self._codes(edge)) for edge in self.query.pattern.edges]

        def alike(edge: PatternEdge, codes: frozenset[int] | None) -> bool:
            return any(o is not edge and (c is None or codes is None or c & codes) for o, c in edges)

        return tuple((e.source, e.target, self.number(self.of_edge(e))) for e, c in edges if alike(e, c))


def induced_edges(query: Query) -> list[PatternEdge]:
    """In induced mode: the edges that must not be there between the pattern's vertices, by direction."""
    joined = set()
    for edge in query.pattern.edges:
        joined.add((edge.source, edge.target))
        if not edge.directed:
            joined.add((edge.target, edge.source))
    edges = []
    for a in range(query.pattern.num_vertices):
        for b in range(a + 1, query.pattern.num_vertices):
            ahead, back = (a, b) not in joined, (b, a) not in joined
            if ahead and back:
                edges.append(PatternEdge(a, b, directed=False))
            elif query.graph.directed and ahead:
                edges.append(PatternEdge(a, b, directed=True))
            elif query.graph.directed and back:
                edges.append(PatternEdge(b, a, directed=True))
    return edges
