"""Filters of one query on a device: launches, rounds until nothing changes, and what they leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.far import FarBits
from subiso.engine.cuda.filter_kernel import REPORT, ROUNDS, FilterKernel, Step
from subiso.engine.cuda.filter_tables import FilterTables
from subiso.engine.cuda.restrict import CandidatesThere, restrict_on_device
from subiso.filter.candidates import Bits
from subiso.filter.narrow import Narrowed, merged, native_narrowed, reading_of


class FilterRun(FilterTables):
    """The candidates of one query."""

    def narrowed(self, where: str, hub_length: int) -> Narrowed:
        """Runs the filters. Lists of a candidate graph that are longer than `hub_length` may get a bit row."""
        self._launch("sift")
        report, fans = self._settle()
        asked, n = self.asked, float(self.graph.layout.num_vertices)
        before, sizes = [n] * len(asked.parts), [n] * len(asked.parts)
        for i, v in enumerate(self.vertices):
            before[v], sizes[v] = float(self.first_sizes[i]), float(report["sizes"][i])
        numbers, rows = self._numbers(report)
        bitmaps = FarBits(self.machine, self.bits, self.words // 2, rows)
        there = CandidatesThere(
            self.machine,
            self.graph,
            bitmaps,
            self.all,
            self.counts,
            int(report["members"]),
            self.wishes,
            hub_length,
        )
        plain = asked.begun.plain_fans
        return Narrowed(
            tuple(before),
            tuple(sizes),
            merged(self._fans(fans, sizes), plain) if "refine" in asked.begun.used else plain,
            self._overlaps(report, sizes),
            asked.begun.used,
            self.complete,
            self._reading(fans, sizes),
            numbers,
            bitmaps,
            self._native(numbers, bitmaps),
            lambda resolved, wanted: restrict_on_device(there, resolved, wanted),
            where,
            here=False,
        )

    def _settle(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Refines to a fixed point, or as long as it may (candidates are sound after any round).

        Gives the report, and the sums for the fans.
        """
        refine, done, most = "refine" in self.asked.begun.used, 0, self.wishes.rounds
        self.complete = True
        self.args["first"] = 1
        while True:
            rounds = min(self.wishes.batch, ROUNDS, most - done) if refine else 1
            for number in range(rounds):
                self.args["round"] = number
                self._launch("round")
                self.args["first"] = 0
            done += rounds
            self.args["round"], self.args["force"] = rounds, not refine or done >= most
            self._launch("measure", extra=1)
            if refine:
                self._launch("fans")
            image = self.machine.snapshot(self.tables, REPORT.itemsize + self.fan_bytes).value()
            report = image[: REPORT.itemsize].view(REPORT)[0]
            if done == rounds:
                self.first_sizes: NDArray[np.uint32] = report["first_sizes"]
            still = report["changed"][rounds].any()
            if not still or self.args["force"]:
                self.complete = not still or not refine
                return report, image[REPORT.itemsize :].view(np.uint64).reshape(-1, 2)
            following = np.zeros((), REPORT)
            following["changed"][0] = report["changed"][rounds]
            self.machine.write(self.tables, following)
            if self.asked.over is not None and self.asked.over():
                most = done  # what is left is measured, no more

    def _launch(self, step: Step, extra: int = 0) -> None:
        pieces = len(self.vertices) + extra
        blocks = min(self.blocks * pieces // len(self.vertices) + 1, self.wishes.blocks or 1 << 30)
        self.machine.launch(FilterKernel(step), blocks, 0, self.args)

    # ---- results ------------------------------------------------------------------------------------------------
    def _numbers(self, report: NDArray[Any]) -> tuple[tuple[tuple[int, ...], ...], list[int]]:
        """Per pattern vertex the number of its bitmap, equal ones once; and where the bitmap of each number stands."""
        numbers: list[tuple[int, ...]] = [()] * len(self.asked.parts)
        rows: list[int] = []
        for i, v in enumerate(self.vertices):
            same = next((j for j in range(i) if not int(report["differs"][i]) >> j & 1), None)
            if same is not None:
                numbers[v] = numbers[self.vertices[same]]
            else:
                numbers[v] = (len(rows),)
                rows.append(i)
        return tuple(numbers), rows

    def _overlaps(self, report: NDArray[Any], sizes: Sequence[float]) -> tuple[int, ...]:
        """Vertices without candidates overlap with everybody."""
        filtered = self.asked.begun.filtered
        place = {v: i for i, v in enumerate(self.vertices)}
        found = [0] * len(filtered)
        for a in range(len(filtered)):
            for b in range(a + 1):
                common = True
                if a == b:
                    common = sizes[a] > 0 or not filtered[a]
                elif filtered[a] and filtered[b]:
                    common = bool(int(report["overlaps"][place[a]]) >> place[b] & 1)
                if common:
                    found[a] |= 1 << b
                    found[b] |= 1 << a
        return tuple(found)

    def _fans(self, sums: NDArray[np.uint64], sizes: Sequence[float]) -> list[float]:
        """As the host's filters give them: per link from both ends, -1 where nothing is known."""
        fans = [-1.0] * (2 * len(self.asked.links))
        for i, v in enumerate(self.vertices):
            for at, (_, _, number) in enumerate(self.asks[i].again, self.first_again[i]):
                if sizes[v]:
                    fans[number] = int(sums[at, 0]) / sizes[v]
        return fans

    def _reading(self, sums: NDArray[np.uint64], sizes: Sequence[float]) -> float:
        """List elements that a candidate graph is made from: those of every link's first end."""
        if "refine" not in self.asked.begun.used:
            return reading_of(self.asked.begun, sizes, self.graph.layout.num_vertices)
        return float(
            sum(
                int(sums[at, 1])
                for mine, first in zip(self.asks, self.first_again, strict=True)
                for at, (_, _, number) in enumerate(mine.again, first)
                if number % 2 == 0
            )
        )

    def _native(self, numbers: Sequence[tuple[int, ...]], bitmaps: FarBits) -> Callable[[], Any]:
        """What the host counts with, made from what is left."""
        asked = self.asked

        def make() -> Any:
            bits: list[Bits | None] = [bitmaps[mine[0]] if mine else None for mine in numbers]
            query, nobody = asked.query, [None] * len(bits)
            return native_narrowed(
                query.graph.num_vertices, query.injective, asked.links, asked.csrs, bits, nobody, ()
            )

        return make
