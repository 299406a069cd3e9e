"""A study's outcome: rows, claims that hold or do not, plots; as text, JSON and SVG files."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Claim:
    """What the study should show."""

    text: str
    holds: bool


@dataclass
class Study:
    """A table with its title; every row has the same keys."""

    name: str
    title: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    plots: dict[str, str] = field(default_factory=dict)
    """Name -> SVG."""

    @property
    def wrong(self) -> int:
        """Rows with a wrong count or an error."""
        return sum(any(str(v).startswith(("WRONG", "error")) for v in row.values()) for row in self.rows)

    def claim(self, text: str, holds: bool) -> None:
        self.claims.append(Claim(text, holds))

    def text(self) -> str:
        """The table, then the claims."""
        lines = [self.title, "", *table(self.rows)]
        lines += [f"{'holds' if c.holds else 'DOES NOT HOLD'}: {c.text}" for c in self.claims]
        return "\n".join(lines)

    def write(self, folder: Path, about: dict[str, Any]) -> None:
        """NAME.txt, NAME.json and the plots."""
        folder.mkdir(parents=True, exist_ok=True)
        head = ", ".join(f"{key} {value}" for key, value in about.items())
        (folder / f"{self.name}.txt").write_text(f"{self.text()}\n\n{head}\n")
        claims = [{"text": c.text, "holds": c.holds} for c in self.claims]
        found = {**about, "title": self.title, "rows": self.rows, "claims": claims}
        (folder / f"{self.name}.json").write_text(json.dumps(found, indent=1))
        for name, svg in self.plots.items():
            (folder / f"{name}.svg").write_text(svg)


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Rows as aligned text, names to the left, numbers to the right.

    >>> table([{"graph": "a", "ms": 1.23456}, {"graph": "bcd", "ms": None}])
    ['graph    ms', 'a      1.23', 'bcd       -']
    """
    if not rows:
        return ["(no rows: no graph of this study is in the data folder)"]
    columns = list(rows[0])
    cells = [columns] + [[cell(row.get(c)) for c in columns] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    left = [all(isinstance(row.get(c), str) for row in rows) for c in columns]
    return [
        "  ".join(v.ljust(w) if flush else v.rjust(w) for v, w, flush in zip(line, widths, left, strict=True))
        for line in cells
    ]


def cell(value: Any) -> str:
    """A value as the tables show it.

    >>> cell(1234567), cell(0.0123456), cell(321.987), cell(None), cell("timeout")
    ('1,234,567', '0.0123', '322', '-', 'timeout')
    """
    if value is None:
        return "-"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of those that are there."""
    there = [v for v in values if v is not None]
    return statistics.fmean(there) if there else None


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """The geometric mean of those that are there.

    >>> geometric_mean([1.0, None, 4.0])
    2.0
    """
    there = [math.log(v) for v in values if v]
    return math.exp(statistics.fmean(there)) if there else None
