"""Motifs and Triads: the counts of whole families of patterns, dicts that print as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from subiso.pattern import Pattern

Count = TypeVar("Count")
"""An int, or an array of counts per vertex or edge."""


class Motifs(dict[Pattern, Count]):
    """{pattern: count}, in the order of the patterns' number of edges; `print` shows a table.

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> counts = si.motifs(g, 3)
    >>> counts[si.Pattern.clique(3)], counts["triangle"]
    (1, 1)
    """

    def __init__(
        self, counts: Iterable[tuple[Pattern, Count]] = (), names: Mapping[Pattern, str] | None = None
    ) -> None:
        super().__init__(counts)
        self._names = dict(names or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self.items()), self._names)

    def __missing__(self, wanted: Pattern | str) -> Count:
        """Find the pattern under other vertex names or another order, so that m[Pattern.clique(3)] works; or by a name
        that only one pattern has."""
        if isinstance(wanted, Pattern):
            for own, count in self.items():
                if own.num_vertices == wanted.num_vertices and own.is_isomorphic(wanted):
                    return count
        named = [count for name, _, count in self.rows() if name == wanted]
        if len(named) == 1:
            return named[0]
        raise KeyError(wanted)

    def __getitem__(self, wanted: Pattern | str) -> Count:
        return super().__getitem__(wanted)  # type: ignore[index]

    def rows(self) -> list[tuple[str, str, Count]]:
        """(name, pattern text, count) for each pattern."""
        return [(self._names.get(p) or p.usual_name or "", str(p), count) for p, count in self.items()]

    def __str__(self) -> str:
        return _table(("motif", "count", "pattern"), [(a, _shown(n), b) for a, b, n in self.rows()])


class Triads(dict[str, int]):
    """{name: how many vertex triples}: the census of a directed graph; `print` shows a table.

    >>> import subiso as si
    >>> census = si.triads(si.Graph.from_edges([0, 1, 2], [1, 2, 0], num_vertices=4, directed=True))
    >>> census["030C"], sum(census.values())
    (1, 4)
    """

    def __init__(self, counts: Mapping[str, int], arcs: Mapping[str, str]) -> None:
        super().__init__(counts)
        self._arcs = dict(arcs)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self._arcs)

    def rows(self) -> list[tuple[str, str, int]]:
        """(name, arcs such as "a>b b>c", count) for each kind."""
        return [(name, self._arcs[name], count) for name, count in self.items()]

    def __str__(self) -> str:
        return _table(("triad", "count", "arcs"), [(a, f"{n:,}", b) for a, b, n in self.rows()])


def _shown(count: Any) -> str:
    """The count, or how many there are in an array."""
    return f"{count:,}" if isinstance(count, int) else f"[{len(count):,}]"


def _table(head: tuple[str, str, str], rows: Sequence[tuple[str, str, str]]) -> str:
    lines = [head, *rows]
    first, second = (max(len(line[i]) for line in lines) for i in (0, 1))
    return "\n".join(f"{a:<{first}}  {b:>{second}}  {c}".rstrip() for a, b, c in lines)
