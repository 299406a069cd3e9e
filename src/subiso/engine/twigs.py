"""Twigs on the CPU: candidates narrowed twig by twig, relations measured, and listed in batches (native/twigs)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso import _native
from subiso.filter.resolve import Resolved
from subiso.plan.joins import TWIG_ROWS
from subiso.plan.twig_plan import Hanging, PairTest, TwigScan
from subiso.plan.twigs import Twig, decompose, split_large
from subiso.storage.layout import pack_bits

_MOST_WEIGHT = 1 << 63
_KINDS = {"absent": 0, "above": 1, "below": 2, "distinct": 3, "compare": 4}
COMPARISONS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}


@dataclass(frozen=True)
class Measured:
    """Twigs, the rows that their relations have at most, and the candidates that are left at every pattern vertex."""

    twigs: tuple[Twig, ...]
    rows: tuple[float, ...]
    sizes: tuple[float, ...]

    @property
    def hopeless(self) -> bool:
        """Some twig has no match."""
        return 0.0 in self.rows or 0.0 in self.sizes


@dataclass(frozen=True, eq=False)
class Weight:
    """A factor of every match: the ways to go on below the vertex at one position of it."""

    at: int
    """The pattern vertex."""
    hanging: tuple[Hanging, ...]
    """What it stands for."""
    values: NDArray[np.uint64]
    """By data vertex (its rank)."""
    most: int
    bits: NDArray[np.uint64] | None = None
    """The candidates of a vertex that must differ from others: those of them that are among these are taken off."""

    def times(self, other: Weight) -> Weight:
        """Both as one; neither takes anything off. (Their product may be too large: then `most` says so.)"""
        values, most = self.values * other.values, self.most * other.most
        return Weight(self.at, (*self.hanging, *other.hanging), values, most)


class TwigMatcher:
    """One query's twigs: owns the bitmaps of candidates, which narrowing shrinks."""

    def __init__(self, resolved: Resolved, threads: int | None = None) -> None:
        self.resolved = resolved
        self.threads = threads or 0
        self.num_vertices = len(resolved.layout.all_ranks)
        self.arrays = [(csr.bounds, csr.neighbors) for csr in resolved.csrs]
        self.bits = [self._candidates(v) for v in range(resolved.problem.num_vertices)]

    def _candidates(self, vertex: int) -> NDArray[np.uint64]:
        problem, resolved = self.resolved.problem, self.resolved
        numbers = problem.filters[vertex] if problem.filters else ()
        if not numbers:
            return pack_bits(np.ones(self.num_vertices, dtype=bool))
        bits: NDArray[np.uint64] = np.bitwise_and.reduce([resolved.filters[f] for f in numbers])
        return bits.copy()

    def weigh(self, hanging: Sequence[Hanging], over: Callable[[], bool] = lambda: False) -> list[Weight]:
        """The weights of vertices that something hangs from; what cannot be weighed, and all after it, is left alone.

        Products of weights stay below 2**63, so that they can be multiplied. `over` is asked before every look at the
        graph whether it is the last.
        """
        plain: dict[int, Weight] = {}
        for h in hanging:
            if over():
                break
            values, most = self._weigh(h, plain.get(h.vertex))
            if h.without:
                grown = {**plain, ~h.vertex: Weight(h.at, (h,), values, most, self.bits[h.vertex].copy())}
            else:
                grown = {v: w for v, w in plain.items() if v != h.vertex}
                below = plain[h.vertex].hanging if h.vertex in plain else ()
                earlier = plain.get(h.at)
                grown[h.at] = Weight(h.at, (*below, h), values, most)
                if earlier is not None:
                    grown[h.at] = earlier.times(grown[h.at])
            if math.prod(w.most for w in grown.values()) >= _MOST_WEIGHT:
                break
            plain = grown
        return list(plain.values())

    def _weigh(self, h: Hanging, below: Weight | None) -> tuple[NDArray[np.uint64], int]:
        values, most = _native.weigh_twig(
            self.num_vertices,
            self.arrays,
            [self.bits[h.at], self.bits[h.vertex]],
            list(h.relations),
            self._tests(h.tests, {h.at: 0, h.vertex: 1}),
            list(self.resolved.keys),
            None if below is None else below.values,
            self.threads,
        )
        return values, most

    def measure(
        self,
        *,
        prune: bool = True,
        most_rows: float = TWIG_ROWS,
        leave_out: Collection[int] = (),
        over: Callable[[], bool] = lambda: False,
    ) -> Measured | None:
        """The twigs of a pattern without some of its vertices, none with more rows than `most_rows` unless it is a
        single link; None where `over`, which is asked before every look at the graph, says that there is no time.

        With `prune` what one twig leaves of a vertex's candidates binds the others: there, and on the way back.
        """
        twigs = list(decompose(self.resolved.problem, leave_out))
        prune = prune and (any(self.resolved.problem.filters) or bool(leave_out))
        if prune:
            for twig in (*twigs, *reversed(twigs)):
                if over():
                    return None
                self._narrow(twig)
        found = split_large(twigs, lambda twig: self._narrow(twig, in_place=False), most_rows, over)
        if found is None:
            return None
        sizes = tuple(float(len(_native.bit_positions(bits))) for bits in self.bits)
        return Measured(tuple(t for t, _ in found), tuple(rows for _, rows in found), sizes)

    def _narrow(self, twig: Twig, *, in_place: bool = True) -> tuple[float, list[float]]:
        """Its rows, and per leaf the roots with their candidates for it."""
        rows, entries, _ = _native.narrow_twig(
            self.num_vertices,
            self.arrays,
            [self.bits[v] for v in twig.vertices],
            [list(leaf.relations) for leaf in twig.leaves],
            in_place,
            self.threads,
        )
        return rows, entries

    @staticmethod
    def _tests(tests: Iterable[PairTest], place: Mapping[int, int]) -> list[tuple[int, ...]]:
        """As native code takes them; `place` has the slot of every vertex."""
        return [
            (_KINDS[t.what], place[t.vertex], place[t.other], t.first, t.second, COMPARISONS.get(t.op, 0))
            for t in tests
        ]

    def scan(self, scan: TwigScan) -> RowSource:
        """Lists the rows of a relation."""
        slots = (scan.root, *(leaf.vertex for leaf in scan.leaves))
        place = {v: slot for slot, v in enumerate(slots)}
        kept = [self.bits[v] for v in slots], self.resolved
        native = _native.make_twig_scan(
            kept,
            self.num_vertices,
            self.arrays,
            kept[0],
            [list(leaf.relations) for leaf in scan.leaves],
            self._tests(scan.tests, place),
            list(self.resolved.keys),
            int(min(scan.rows, 1e12)),
            self.threads,
        )
        return RowSource(native, [scan.columns.index(v) for v in slots], scan.rows)


class RowSource:
    """The rows of one relation, a batch per call; nothing is kept between the calls but the place."""

    def __init__(self, native: Any, column_of_slot: Sequence[int], most_rows: float) -> None:
        self.native = native
        self.most_rows = most_rows
        self.column_of_slot = column_of_slot

    def columns(self, out: NDArray[np.uint32], stride: int, most: int) -> int:
        """Writes up to `most` rows column by column, `stride` apart; how many they were (0: there are no more)."""
        return int(self.native.next(out, most, 1, [stride * c for c in self.column_of_slot]))

    def records(self, out: NDArray[np.uint32], most: int) -> int:
        """Writes up to `most` rows as records: one word left free, then the columns."""
        width = 1 + len(self.column_of_slot)
        return int(self.native.next(out, most, width, [1 + c for c in self.column_of_slot]))

    def stop(self) -> None:
        """Ends a call that is running in another thread, and all later ones."""
        self.native.stop()

    def progress(self) -> float:
        """The fraction of the roots that were taken up."""
        return float(self.native.progress())
