"""What a run found: rows, their ratios to the best peer, and tables as text, Markdown and JSON."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from subiso.bench.suite import Case, Seconds, Suite

SLOW_ROW = 0.05  # seconds: rows in which a peer needs longer are those worth winning
SCALING_BAR = 0.85


@dataclass
class Row:
    """One case's outcome."""

    case: Case
    status: str = "ok"
    """ok, wrong (count), timeout or error."""
    message: str = ""
    count: int | None = None
    ours: float | None = None
    """Seconds, best of the repeats."""
    first: float | None = None
    """Seconds of the first run, with everything that is made once."""
    median: float | None = None
    """Median over the case's queries of each one's best."""
    alone: float | None = None
    """Seconds with one thread."""
    peers: dict[str, Seconds] = field(default_factory=dict)
    paired: bool = False
    """The peers were measured in this session, not recorded earlier."""
    peak: float | None = None
    """Most megabytes resident while counting."""
    graph: float | None = None
    """Megabytes of the graph's arrays."""
    beyond: float | None = None
    """Megabytes of the peak beyond a bare interpreter with NumPy and the graph."""

    def weigh(self, bare: float | None, graph: float) -> None:
        self.graph = graph
        if self.peak is not None and bare is not None:
            self.beyond = self.peak - bare - graph

    def best_peer(self) -> float | None:
        """The seconds of the fastest peer that finished."""
        return min((s for s in self.peers.values() if not isinstance(s, str)), default=None)

    def ratio(self) -> float | None:
        """How many times faster than the best peer."""
        best = self.best_peer()
        return None if best is None or not self.ours else best / self.ours

    def line(self) -> str:
        said = f"{seconds(self.ours)} s" if self.status == "ok" else f"{self.status}: {self.message}"
        return f"{self.case.graph}  {self.case.name}  {said}"


def seconds(value: Seconds | None) -> str:
    """A time with three digits.

    >>> seconds(0.01234), seconds(12.345), seconds(">40"), seconds(None)
    ('0.0123', '12.3', '>40', '-')
    """
    if value is None or isinstance(value, str):
        return value or "-"
    return "0" if value == 0 else f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def geometric_mean(values: Iterable[float]) -> float | None:
    """
    >>> geometric_mean([1.0, 4.0]), geometric_mean([])
    (2.0, None)
    """
    logs = [math.log(value) for value in values]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


@dataclass
class Report:
    """A finished run of a suite."""

    suite: Suite
    rows: list[Row]
    threads: int | None
    repeat: int
    machine: Mapping[str, str]
    probe: float | None = None
    """Speed of as many processes as threads at memory-bound work, relative to one."""
    startup: Mapping[str, float] = field(default_factory=dict)
    listing: str = ""
    """What matching in batches needed."""
    bare: float | None = None
    date: str = field(default_factory=lambda: datetime.date.today().isoformat())

    @property
    def failed(self) -> list[Row]:
        """Rows without the right answer: wrong, timed out or broken."""
        return [row for row in self.rows if row.status != "ok"]

    def compared(self, tag: str | None = None) -> list[Row]:
        """Rows with a ratio to a peer; once some peers were measured in this session, only those."""
        paired = any(row.paired for row in self.rows)
        chosen = [row for row in self.rows if row.ratio() is not None and (row.paired or not paired)]
        return [row for row in chosen if tag is None or tag in row.case.tags]

    def mean_ratio(self, tag: str | None = None) -> float | None:
        """Geometric mean of best peer / ours."""
        return geometric_mean(row.ratio() or 1 for row in self.compared(tag))

    def scaling(self) -> float | None:
        """Geometric mean of the speed-up over one thread."""
        return geometric_mean(row.alone / row.ours for row in self.rows if row.alone and row.ours)

    def header(self) -> list[str]:
        return [
            "graph",
            "case",
            "count",
            "ours",
            "first",
            *self.suite.peers,
            "best peer / ours",
            "peak MB",
            "beyond",
        ]

    def table(self) -> list[list[str]]:
        """The rows as text; seconds unless said otherwise."""
        lines = []
        for row in self.rows:
            ratio = row.ratio()
            peers = [seconds(row.peers.get(peer)) for peer in self.suite.peers]
            if not row.paired and any(other.paired for other in self.rows):
                peers = [f"({peer})" if peer != "-" else peer for peer in peers]
            lines.append(
                [
                    row.case.graph,
                    row.case.name,
                    "-" if row.count is None else f"{row.count:,}",
                    seconds(row.ours) if row.status == "ok" else row.status.upper(),
                    seconds(row.first),
                    *peers,
                    "-" if ratio is None else f"{ratio:.2f}",
                    _whole(row.peak),
                    _whole(row.beyond),
                ]
            )
        return lines

    def summary(self) -> list[str]:
        """What the table comes to, one sentence a line."""
        lines = [f"{row.case.graph} {row.case.name}: {row.status}: {row.message}" for row in self.failed]
        lines += self._speed() + self._scaling()
        if self.listing:
            lines.append(self.listing)
        if self.startup:
            times = ", ".join(f"{what} {1000 * value:.0f} ms" for what, value in self.startup.items())
            lines.append(f"Start: {times}.")
        if self.bare is not None:
            lines.append(
                f"Memory: `beyond` is the peak while counting less {self.bare:.0f} MB, a bare interpreter"
                " with NumPy, and less the graph's arrays; it includes oriented copies and the runner itself."
            )
        return lines

    def _speed(self) -> list[str]:
        lines = []
        for tag, what in ((None, ""), ("bar", " of the bar")):
            mean, rows = self.mean_ratio(tag), len(self.compared(tag))
            if mean is not None:
                lines.append(
                    f"Best peer / ours, geometric mean of the {rows} rows{what} a peer finished: {mean:.2f}."
                )
        if lines:
            slower = [
                f"{row.case.graph} {row.case.name} ({row.ratio():.2f})"
                for row in self.compared()
                if (row.ratio() or 1) < 1 and (row.best_peer() or 0) > SLOW_ROW
            ]
            lines.append(f"Slower than a best peer that needs over 50 ms: {', '.join(slower) or 'none'}.")
        return lines

    def _scaling(self) -> list[str]:
        ours = self.scaling()
        if ours is None or not self.probe:
            return []
        return [
            f"One to {self.threads or 2} threads: {ours:.2f} times faster; a memory-bound probe in as many"
            f" processes: {self.probe:.2f}. That is {ours / self.probe:.0%} of it;"
            f" the bar is {SCALING_BAR:.0%}."
        ]

    def text(self) -> str:
        """The table for a terminal."""
        rows = [self.header(), *self.table()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = [
            "  ".join(
                cell.ljust(w) if i < 2 else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        return "\n".join([self.suite.title, "", *(line.rstrip() for line in lines), "", *self.summary()])

    def markdown(self) -> str:
        """The table for the record."""
        peers = "measured in the same session" if any(row.paired for row in self.rows) else "recorded earlier"
        machine = ", ".join(f"{what}: {value}" for what, value in self.machine.items())
        lines = [
            f"# {self.suite.title} ({self.date})",
            "",
            self.suite.about.strip(),
            "",
            f"Machine: {machine}.",
            f"Threads: {self.threads or 'all'}; seconds, best of {self.repeat}. Peers: {peers}.",
            "",
            _markdown_row(self.header()),
            _markdown_row(["---"] * 2 + ["---:"] * (len(self.header()) - 2)),
            *map(_markdown_row, self.table()),
            "",
            *(f"- {line}" for line in self.summary()),
            "",
        ]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for other programs."""
        return {
            "suite": self.suite.name,
            "date": self.date,
            "machine": dict(self.machine),
            "threads": self.threads,
            "repeat": self.repeat,
            "probe_scaling": self.probe,
            "scaling": self.scaling(),
            "startup_s": dict(self.startup),
            "bare_interpreter_mb": self.bare,
            "geometric_mean": {"all": self.mean_ratio(), "bar": self.mean_ratio("bar")},
            "rows": [_row_dict(row) for row in self.rows],
        }

    def save(self, folder: Path) -> list[Path]:
        """Writes Markdown and JSON under the date; an earlier run of the same day is not overwritten."""
        folder.mkdir(parents=True, exist_ok=True)
        stem, number = f"{self.date}-{self.suite.name}", 1
        while (folder / f"{stem}.json").exists():
            number += 1
            stem = f"{self.date}-{self.suite.name}-{number}"
        paths = [folder / f"{stem}.md", folder / f"{stem}.json"]
        paths[0].write_text(self.markdown())
        paths[1].write_text(json.dumps(self.as_dict(), indent=1) + "\n")
        return paths


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row_dict(row: Row) -> dict[str, Any]:
    return {
        "graph": row.case.graph,
        "case": row.case.name,
        "tags": sorted(row.case.tags),
        "status": row.status,
        "message": row.message,
        "count": row.count,
        "queries": len(row.case.queries),
        "ours_s": row.ours,
        "first_s": row.first,
        "median_query_s": row.median,
        "one_thread_s": row.alone,
        "peers_s": row.peers,
        "peers_paired": row.paired,
        "best_peer_over_ours": row.ratio(),
        "peak_mb": row.peak,
        "graph_mb": row.graph,
        "beyond_mb": row.beyond,
    }
