"""Motifs: the counts of all connected patterns of k vertices, a dict that prints as a table."""

from __future__ import annotations

from typing import TypeVar

from subiso.pattern import Pattern

Count = TypeVar("Count")
"""An int, or an array of counts per vertex or edge."""


class Motifs(dict[Pattern, Count]):
    """{pattern: count}, in the order of the patterns' number of edges; `print` shows a table.

    >>> import subiso as si
    >>> g = si.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3])
    >>> counts = si.motifs(g, 3)
    >>> counts[si.Pattern.clique(3)]
    1
    """

    def __missing__(self, pattern: Pattern) -> Count:
        """Find the pattern under other vertex names or another order, so that m[Pattern.clique(3)] works."""
        if isinstance(pattern, Pattern):
            for own, count in self.items():
                if own.num_vertices == pattern.num_vertices and own.is_isomorphic(pattern):
                    return count
        raise KeyError(pattern)

    def rows(self) -> list[tuple[str, str, Count]]:
        """(name, pattern text, count) for each pattern."""
        return [(p.usual_name or "", str(p), count) for p, count in self.items()]

    def __str__(self) -> str:
        rows = [("motif", "count", "pattern"), *((name, f"{n:,}", text) for name, text, n in self.rows())]
        first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
        return "\n".join(f"{a:<{first}}  {b:>{second}}  {c}" for a, b, c in rows)
