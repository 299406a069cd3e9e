"""Local counts of one plan on a device: schedules `fine` and `stack`, whose kernels also add to columns (tally.cuh)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.machine import Buffer
from subiso.engine.cuda.search import SearchRun
from subiso.engine.cuda.tables import MAX_FACTORS, MAX_SIZES, Lowered, at_most
from subiso.engine.cuda.tune import Wishes
from subiso.engine.cuda.watch import Watch
from subiso.plan.plan import Term
from subiso.plan.tally import TailShare, Tally

MAX_ROLES, MAX_TAIL_SHARES, MAX_SHARE_TERMS, MAX_COLUMNS = 256, 64, 256, 64
NO_POSITION = 255

TALLY = np.dtype(
    [
        *((name, np.uint32) for name in ("num_roles", "early", "num_tails", "unused")),
        ("columns", np.uint64, MAX_COLUMNS),
        ("sure", np.uint32, MAX_SIZES),
        (
            "roles",
            np.dtype(
                [(name, np.uint8) for name in ("later", "earlier", "relation", "column")]
                + [("times", np.int32)]
            ),
            MAX_ROLES,
        ),
        (
            "tails",
            np.dtype(
                [(name, np.uint8) for name in ("size", "column", "from", "relation")]
                + [(name, np.uint16) for name in ("first_term", "end_term")]
            ),
            MAX_TAIL_SHARES,
        ),
        (
            "terms",
            np.dtype(
                [("coefficient", np.int32), ("count", np.uint8), ("factors", np.uint8, MAX_FACTORS)],
                align=True,
            ),
            MAX_SHARE_TERMS,
        ),
    ]
)


@dataclass(frozen=True)
class _Role:
    """A vertex (`earlier` is NO_POSITION) or an edge that gets all matches below it."""

    later: int
    earlier: int
    relation: int
    column: int
    times: int


def lower_tally(tally: Tally, lowered: Lowered) -> NDArray[Any]:
    """The tables of a tally, without the addresses of its columns; UnsupportedError where they are too small.

    A tail of one set that the kernel loops over has a position of its own, and its roles are matched ones.
    """
    roles = [_Role(position, NO_POSITION, 0, column, times) for position, column, times in tally.vertices]
    roles += [_Role(*place) for place in tally.edges]
    shares = list(tally.tail)
    last = lowered.num_levels - 1
    if lowered.tail == "count":
        for share in shares:
            (term,) = share.terms
            assert term == Term(lowered.coefficient, ()), "a linear tail has nothing but its coefficient"
            roles.append(_Role(last, *_origin(share), share.column, 1))
        shares = []
    roles.sort(key=lambda role: role.later)
    at_most("roles of local counts", len(roles), MAX_ROLES)
    at_most("shares of a tail's local counts", len(shares), MAX_TAIL_SHARES)
    at_most("columns of local counts", len(tally.columns), MAX_COLUMNS)
    at_most("terms of a tail's local counts", sum(len(s.terms) for s in shares), MAX_SHARE_TERMS)
    tables = np.zeros((), TALLY)
    tables["num_roles"], tables["num_tails"] = len(roles), len(shares)
    tables["early"] = sum(role.later < last for role in roles)
    for i, role in enumerate(roles):
        tables["roles"][i] = (role.later, role.earlier, role.relation, role.column, role.times)
    number = 0
    for i, share in enumerate(shares):
        tables["tails"][i] = (share.size, share.column, *_origin(share), number, number + len(share.terms))
        for term in share.terms:
            entry = tables["terms"][number]
            entry["coefficient"], entry["count"] = term.coefficient, len(term.factors)
            entry["factors"][: len(term.factors)] = term.factors
            number += 1
    if lowered.tail == "sizes":
        for i, positions in enumerate(tally.sure):
            tables["sure"][i] = sum(1 << p for p in set(positions))
    return tables


def _origin(share: TailShare) -> tuple[int, int]:
    """The position and the relation that an edge is read from."""
    return (share.origin.position, share.origin.relation) if share.origin else (NO_POSITION, 0)


class TallyRun(SearchRun):
    """One plan whose matches are also counted by vertex and by edge."""

    def __init__(self, tally: Tally, *args: Any, **options: Any) -> None:
        self.tally = tally
        self.sums: list[Buffer] = []
        super().__init__(*args, **options)

    def _kernel(self) -> SearchKernel:
        return replace(super()._kernel(), tables=None, tally=True)

    def _args(self, seeds: NDArray[np.uint32], wishes: Wishes) -> NDArray[Any]:
        args = super()._args(seeds, wishes)
        tables = lower_tally(self.tally, self.lowered)
        for i, (_, relation) in enumerate(self.tally.columns):
            layout, csrs = self.resolved.layout, self.resolved.csrs
            places = layout.all_ranks if relation is None else csrs[relation].neighbors
            self.sums.append(self._allocate(8 * len(places)))
            tables["columns"][i] = self.sums[-1].address
        args["tally"] = self._upload(np.frombuffer(tables.tobytes(), np.uint8))
        return args

    def counts(self, watch: Watch) -> tuple[int, list[NDArray[np.uint64]]]:
        """The total, and per column its sums: both before the plan's divisor, the sums as far as 64 bits hold them."""
        for buffer in self.sums:
            self.machine.clear(buffer)
        total = self.total(watch) * self.lowered.coefficient
        return total, [] if watch.stopped_by is not None else [self._column(b) for b in self.sums]

    def _column(self, buffer: Buffer) -> NDArray[np.uint64]:
        found = self.machine.read(buffer, buffer.nbytes).view(np.uint64)
        return found * np.uint64(self.lowered.coefficient % (1 << 64))
