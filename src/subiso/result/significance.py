"""Significance: counts beside those of random graphs, with z-scores and p-values; prints as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from subiso.pattern import Pattern


@dataclass(frozen=True)
class Score:
    """One pattern's count beside its counts in the random graphs.

    >>> score = Score(Pattern.clique(3), "triangle", 9, (3, 5, 4))
    >>> score.mean, score.std, score.z, score.p
    (4.0, 1.0, 5.0, 0.5)
    """

    pattern: Pattern
    name: str
    count: int
    random: tuple[int, ...] = field(repr=False)
    """The counts in the random graphs."""

    @property
    def mean(self) -> float:
        return sum(self.random) / len(self.random)

    @property
    def std(self) -> float:
        """The standard deviation of the random counts (of a sample: divided by one less than its size)."""
        n = len(self.random)
        # In whole numbers, so that large counts that differ little lose nothing.
        return math.sqrt((n * sum(x * x for x in self.random) - sum(self.random) ** 2) / (n * (n - 1)))

    @property
    def z(self) -> float:
        """(count - mean) / std; 0 or infinite where the random counts are all the same."""
        n = len(self.random)
        off = n * self.count - sum(self.random)
        if self.std > 0:
            return off / n / self.std
        return math.copysign(math.inf, off) if off else 0.0

    @property
    def p(self) -> float:
        """Two-sided: twice the smaller share of random graphs that lie as far up or down, this graph among them."""
        up = sum(x >= self.count for x in self.random)
        down = sum(x <= self.count for x in self.random)
        return min(1.0, 2 * (1 + min(up, down)) / (1 + len(self.random)))


class Significance(Sequence[Score]):
    """The scores of several patterns; `print` shows a table, `rows` gives it as dicts."""

    def __init__(self, scores: Sequence[Score]) -> None:
        self._scores = tuple(scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __getitem__(self, at: Any) -> Any:
        """A score by number, by pattern (under whatever vertex names), or by name."""
        if isinstance(at, Pattern):
            found = [s for s in self._scores if s.pattern == at or s.pattern.is_isomorphic(at)]
        elif isinstance(at, str):
            found = [s for s in self._scores if s.name == at]
        else:
            return self._scores[at]
        if not found:
            raise KeyError(at)
        return found[0]

    def __iter__(self) -> Iterator[Score]:
        return iter(self._scores)

    def rows(self) -> list[dict[str, Any]]:
        """One dict per pattern: motif, count, mean, std, z, p, pattern."""
        return [
            {
                "motif": s.name,
                "count": s.count,
                "mean": s.mean,
                "std": s.std,
                "z": s.z,
                "p": s.p,
                "pattern": str(s.pattern),
            }
            for s in self._scores
        ]

    def __repr__(self) -> str:  # what a notebook shows
        return str(self)

    def __str__(self) -> str:
        head = ("motif", "count", "mean", "std", "z", "p", "pattern")
        lines: list[tuple[str, ...]] = [head]
        for s in self._scores:
            numbers = f"{s.count:,}", f"{s.mean:,.1f}", f"{s.std:,.1f}", f"{s.z:+.2f}", f"{s.p:.3g}"
            lines.append((s.name, *numbers, str(s.pattern)))
        widths = [max(len(line[i]) for line in lines) for i in range(1, len(head) - 1)]
        first = max(len(line[0]) for line in lines)
        middle = [
            "  ".join(cell.rjust(width) for cell, width in zip(line[1:-1], widths, strict=True))
            for line in lines
        ]
        return "\n".join(
            f"{line[0]:<{first}}  {text}  {line[-1]}" for line, text in zip(lines, middle, strict=True)
        )
