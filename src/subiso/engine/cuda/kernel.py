"""A kernel of schedule `fine` as a value: what is compiled in, and the ten lines of text that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from subiso.engine.cuda.machine import entry_lines
from subiso.engine.cuda.storage import STORES
from subiso.engine.cuda.tables import Lowered, TailKind, initializer

NAME = "subiso_search"
"""The entry's name in every module."""
MAX_FIXED_LEVELS = 12
"""Larger plans run from tables: their code would grow with every level."""


@dataclass(frozen=True)
class SearchKernel:
    """One instance of the template in kernels/search.cuh."""

    tail: TailKind = "count"
    edges: bool = False
    """Edge-isomorphism."""
    wide_offsets: bool = False
    """Relations of 2**32 entries or more."""
    tables: str | None = None
    """The plan as C++ text, compiled in; None = it is read from memory."""
    threads: int = 128
    measure: bool = False
    """Count steps and tasks, for the idle rate."""
    batch: int = 32
    """Partial matches whose candidates a warp deals out together; 1 is the naive way."""
    share: bool = True
    """Busy warps hand work to idle ones."""
    period: int = 8
    """Steps between two looks at who is idle."""
    least: int = 32
    """Tasks of the current level that are worth handing over."""
    sets: bool = False
    """Schedule `stack`: keep sets."""
    stop_level: int = 32
    """Deeper levels are not handed over."""
    detect_level: int = 32
    """Deeper down nobody looks at who is idle."""
    team: Literal["none", "warp", "block"] = "none"
    """Schedule `wedge`: who shares a table of codegrees."""
    narrow: bool = False
    """The tail's polynomial stays within 64 bits."""
    store: str = "csr"
    """The storage that neighbour lists are read through."""
    tally: bool = False
    """Local counts."""
    quick: bool = False
    """Measured: twice as slow, and hardly sooner there."""
    slow: bool = True

    @property
    def name(self) -> str:
        return NAME

    @property
    def args_type(self) -> str:
        return "subiso::SearchArgs<Store>"

    def text(self) -> str:
        """The translation unit.

        >>> print(SearchKernel().text())
        #include "search.cuh"
        using namespace subiso;
        using Store = CsrStore<u32>;
        using Plan = TablePlan;
        using Compiled = Config<Tail::kCount, false, false, 32, true, 8, 32, false, 32, 32, Team::kNone, false>;
        extern "C" __global__ void __launch_bounds__(128)
        subiso_search(const __grid_constant__ subiso::SearchArgs<Store> args) {
          search_all<Plan, Store, Compiled>(args, Plan{args.tables});
        }
        """
        lines = [
            '#include "search.cuh"',
            *store_lines(self.store, wide=self.wide_offsets),
        ]
        if self.tables is None:
            lines.append("using Plan = TablePlan;")
        else:
            lines.append(f"struct Source {{ static constexpr Tables tables = {self.tables}; }};")
            lines.append("using Plan = FixedPlan<Source>;")
        settings = (
            *(self.edges, self.measure, self.batch, self.share, self.period, self.least),
            *(self.sets, self.stop_level, self.detect_level),
        )
        config = [
            f"Tail::k{self.tail.capitalize()}",
            *(str(setting).lower() for setting in settings),
            f"Team::k{self.team.capitalize()}",
            str(self.narrow).lower(),
            *(["true"] if self.tally else []),
        ]
        plan = "Plan{}" if self.tables is not None else "Plan{args.tables}"
        # Left alone, the compiler spills registers of a tally to have more warps.
        bounds = f"{self.threads}, {max(1, 512 // self.threads)}" if self.tally else ""
        lines += [
            f"using Compiled = Config<{', '.join(config)}>;",
            *entry_lines(self, f"search_all<Plan, Store, Compiled>(args, {plan});", bounds),
        ]
        return "\n".join(lines)


def store_lines(store: str, *, wide: bool = False) -> list[str]:
    """The lines that name a kernel's store.

    >>> store_lines("hash_pcsr")
    ['#include "stores.cuh"', 'using namespace subiso;', 'using Store = HashStore;']
    """
    if store == "csr":
        return ["using namespace subiso;", f"using Store = CsrStore<{'i64' if wide else 'u32'}>;"]
    return ['#include "stores.cuh"', "using namespace subiso;", f"using Store = {STORES[store]};"]


def fixed_tables(lowered: Lowered) -> str | None:
    """The tables to compile in; None where the plan is better read from memory."""
    if lowered.edges or lowered.num_levels > MAX_FIXED_LEVELS:
        return None
    return initializer(lowered.tables)
