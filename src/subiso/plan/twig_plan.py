"""A TwigPlan: relations of twigs and the order they are joined in. Frozen, hashable, printable, like Plan.

A twig is a root and some of its neighbours in the pattern; its relation has a row for every way to match them, a column
per vertex. Twigs cover every link of the pattern, so the join of their relations, with what no twig says checked beside
it, is the answer. The vertices of the probe and then those that each join adds are the plan's *positions*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

VERSION = 1


class Leaf(NamedTuple):
    """A leaf stands in all these lists of its root's vertex."""

    vertex: int
    relations: tuple[int, ...]


class PairTest(NamedTuple):
    """What the vertex matched with `vertex` is asked, given that of `other`.

    "absent": it is not in the other's list of relation `first`; "above", "below": its place in the graph's total order;
    "distinct": another vertex; "compare": its key `first`  `op`  key `second` of the other.
    """

    what: Literal["absent", "above", "below", "distinct", "compare"]
    vertex: int
    other: int
    first: int = 0
    second: int = 0
    op: str = ""


@dataclass(frozen=True)
class Hanging:
    """A vertex that is counted, not matched: the ways to match it and all below it are a weight of its neighbour."""

    vertex: int
    at: int
    """Its one neighbour among those that are left."""
    relations: tuple[int, ...]
    """It stands in all these lists of the neighbour's vertex."""
    tests: tuple[PairTest, ...] = ()
    """Of it against the neighbour."""
    without: tuple[int, ...] = ()
    """Matched vertices that it differs from: those that are in its lists are taken off, match by match."""


@dataclass(frozen=True)
class TwigScan:
    """Matches a root and its leaves; `columns` are the pattern vertices in the order that rows have them."""

    root: int
    leaves: tuple[Leaf, ...]
    columns: tuple[int, ...]
    tests: tuple[PairTest, ...] = ()
    """Among the twig's own vertices; `other` comes before `vertex` in (root, *leaves)."""
    rows: float = 0.0


@dataclass(frozen=True)
class HashJoin:
    """A row so far meets the rows of `build` with the same vertices at `keys`, and gets those at `fresh` from them."""

    build: TwigScan
    keys: tuple[int, ...]
    fresh: tuple[int, ...]
    tests: tuple[PairTest, ...] = ()
    """Of fresh vertices against those of earlier relations."""
    rows: float = 0.0
    """Rows that come out, as far as that can be told beforehand."""


@dataclass(frozen=True)
class TwigPlan:
    """The probe's rows go through all joins, one after the other and each to its end: nothing is kept in between."""

    names: tuple[str, ...]
    mode: str
    unique: bool
    probe: TwigScan
    joins: tuple[HashJoin, ...] = ()
    restrictions: tuple[tuple[int, int], ...] = ()
    """Pairs of pattern vertices (a, b): a's vertex comes before b's in the graph's total order."""
    entities: tuple[tuple[int, int, int], ...] = ()
    """Edge-isomorphism: the pattern's edges as (source, target, relation)."""
    hanging: tuple[Hanging, ...] = ()
    """Counting only: vertices that no twig has, outermost first."""
    cost: float = 0.0
    """Rows that are looked at, in all relations and joins."""
    version: int = VERSION

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The pattern vertices by position."""
        return (*self.probe.columns, *(v for join in self.joins for v in join.fresh))

    @property
    def scans(self) -> tuple[TwigScan, ...]:
        """The probe, then what is built."""
        return (self.probe, *(join.build for join in self.joins))

    def __str__(self) -> str:
        lines = [self._weight(h) for h in self.hanging]
        lines += [f"probe {self._scan(self.probe)}  # ~{self.probe.rows:,.3g} rows"]
        for join in self.joins:
            keys = ", ".join(self.names[v] for v in join.keys)
            tests = self._tests(join.tests)
            sizes = f"# ~{join.build.rows:,.3g} rows in the table, ~{join.rows:,.3g} after the join"
            lines.append(f"join  {self._scan(join.build)} on {keys}{tests}  {sizes}")
        return "\n".join([*lines, "count the product of the weights" if self.hanging else "emit"])

    def _weight(self, h: Hanging) -> str:
        apart = ", not " + ", ".join(self.names[v] for v in h.without) if h.without else ""
        lists = " and ".join(f"N{r or ''}({self.names[h.at]})" for r in h.relations)
        return f"weigh {self.names[h.at]} by {self.names[h.vertex]} in {lists}{self._tests(h.tests)}{apart}"

    def _scan(self, scan: TwigScan) -> str:
        leaves = ", ".join(
            self.names[leaf.vertex] + "".join(f" in N{r or ''}" for r in leaf.relations)
            for leaf in scan.leaves
        )
        return f"{self.names[scan.root]}({leaves}){self._tests(scan.tests)}"

    def _tests(self, tests: tuple[PairTest, ...]) -> str:
        texts = [
            _TEXTS[t.what].format(x=self.names[t.vertex], m=self.names[t.other], t=t, n=f"N{t.first or ''}")
            for t in tests
        ]
        return " if " + ", ".join(texts) if texts else ""


_TEXTS = {
    "absent": "{x} not in {n}({m})",
    "above": "{x} > {m}",
    "below": "{x} < {m}",
    "distinct": "{x} != {m}",
    "compare": "column {t.first} of {x} {t.op} column {t.second} of {m}",
}
