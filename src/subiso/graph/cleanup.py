"""What building a Graph dropped, merged or guessed, so that nothing of it happens in silence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CleanUp:
    """The report of `Graph.from_edges`; false when the graph holds every row as it was given.

    >>> report = CleanUp(loops_dropped=1, duplicates_merged=20_000, notes=("skipped 2 comment lines",))
    >>> print("\\n".join(report.lines()))
    dropped 1 self loop
    merged 20,000 duplicate edges
    skipped 2 comment lines
    >>> bool(report), bool(CleanUp())
    (True, False)
    """

    loops_dropped: int = 0
    """Rows whose two ends are the same vertex, left out (`loops="drop"`)."""
    duplicates_merged: int = 0
    """Rows that repeat an earlier row's ends and label, left out (`parallel="merge"`)."""
    notes: tuple[str, ...] = ()
    """What a reader of files or tables has to add: ends of edges that it had to guess."""

    def __bool__(self) -> bool:
        return bool(self.loops_dropped or self.duplicates_merged or self.notes)

    def lines(self) -> list[str]:
        """One line of text per kind of clean-up; empty when there was none."""
        found = []
        if self.loops_dropped:
            found.append(f"dropped {self.loops_dropped:,} self loop{'s' * (self.loops_dropped != 1)}")
        if self.duplicates_merged:
            found.append(
                f"merged {self.duplicates_merged:,} duplicate edge{'s' * (self.duplicates_merged != 1)}"
            )
        return [*found, *self.notes]
