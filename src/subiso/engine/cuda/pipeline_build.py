"""Relations as chained hash tables on the device: listed on the CPU, copied in pieces, linked there in parallel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.machine import Buffer, Machine
from subiso.engine.cuda.pipeline_feed import Feeder
from subiso.engine.cuda.pipeline_kernel import BUILD_THREADS, BuildKernel
from subiso.engine.cuda.pipeline_tables import BUILD_ARGS, HASH_TABLE
from subiso.engine.cuda.pipeline_tune import chains_for
from subiso.engine.cuda.watch import Watch
from subiso.engine.twigs import RowSource, TwigMatcher
from subiso.plan.twig_plan import HashJoin

_PIECE_BYTES = 16 << 20
_BLOCKS_PER_MULTIPROCESSOR = 8


class JoinTable:
    """One relation; in parts where it has more rows than the table takes."""

    def __init__(
        self, matcher: TwigMatcher, join: HashJoin, most_rows: int, pool: Buffer, heads: Buffer
    ) -> None:
        self.matcher, self.join, self.most_rows = matcher, join, most_rows
        self.pool, self.heads = pool, heads
        self.width = 1 + len(join.build.columns)
        self.rows = 0
        """Of all parts so far; of the whole relation once `whole` is set."""
        self.parts = 0
        self.whole = False
        """All of it is in the table."""

    @staticmethod
    def nbytes(join: HashJoin, most_rows: int) -> tuple[int, int]:
        """Of pool and heads."""
        return 4 * most_rows * (1 + len(join.build.columns)), 4 * chains_for(most_rows)

    def build(self, machine: Machine, feeder: Feeder, watch: Watch) -> Iterator[NDArray[Any]]:
        """Builds one part after the other; each is an element of HASH_TABLE, valid until the next one is asked for."""
        source = self.matcher.scan(self.join.build)
        self.rows = self.parts = 0
        while True:
            rows = self._fill(machine, source, feeder, watch)
            self.rows += rows
            if rows == 0 or watch.expired():
                return
            self.parts += 1
            # A full table may hold all there is: no relation has more rows than its twig was measured to have.
            ended = rows < self.most_rows or self.rows >= self.join.build.rows
            self.whole = ended and self.parts == 1
            yield self._link(machine, rows)
            if ended:
                return

    def _fill(self, machine: Machine, source: RowSource, feeder: Feeder, watch: Watch) -> int:
        piece = max(1, min(self.most_rows, _PIECE_BYTES // (4 * self.width)))
        stage = np.empty(piece * self.width, np.uint32)
        rows = 0
        while rows < self.most_rows:
            wanted = min(piece, self.most_rows - rows)
            found = feeder.wait(watch, feeder.start(source, partial(source.records, stage, wanted)))
            if found:
                machine.write(self.pool, stage[: found * self.width], 4 * self.width * rows)
            rows += found
            if found < wanted:
                break
        return rows

    def _link(self, machine: Machine, rows: int) -> NDArray[Any]:
        table = np.zeros((), HASH_TABLE)
        table["heads"], table["pool"] = self.heads.address, self.pool.address
        table["mask"], table["stride"] = chains_for(rows) - 1, self.width
        args = np.zeros((), BUILD_ARGS)
        args["table"], args["num_rows"], args["first_key"] = table, rows, 1 + len(self.join.fresh)
        machine.clear(self.heads)
        most = _BLOCKS_PER_MULTIPROCESSOR * machine.description.multiprocessors
        machine.launch(BuildKernel(), max(1, min(-(-rows // BUILD_THREADS), most)), 0, args)
        return table
