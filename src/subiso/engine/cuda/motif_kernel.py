"""The kernels of motif sums as values: what is compiled in, and the lines of text that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from subiso.engine.cuda.machine import entry_lines

Pass = Literal["count", "tally", "after", "books", "edges", "vertices", "cut", "squares", "walks", "common"]
_HEADERS = {
    "count": "triangles",
    "tally": "triangles",
    "after": "triangles",
    "books": "edges",
    "edges": "edges",
    "vertices": "edges",
    "cut": "squares",
    "squares": "squares",
    "walks": "walks",
    "common": "common",
}
_REGISTERS = {
    "count": 48,
    "tally": 40,
    "after": 64,
    "books": 40,
    "edges": 64,
    "vertices": 80,
    "cut": 32,
    "squares": 56,
    "walks": 64,
    "common": 96,
}
"""Per thread, at most: left alone, the compiler spills some to have more warps."""


@dataclass(frozen=True)
class MotifKernel:
    """One pass over the graph (kernels/motifs_*.cuh)."""

    step: Pass
    block: bool = False
    """Teams are blocks, not warps."""
    size: int = 5
    """Of the motifs, for passes that do more for larger ones."""
    wide_offsets: bool = False
    """Lists of 2**32 entries or more."""
    threads: int = 128
    quick: bool = False

    @property
    def name(self) -> str:
        return f"subiso_motif_{self.step}"

    @property
    def args_type(self) -> str:
        return "subiso::motif::Args<Store>"

    @property
    def slow(self) -> bool:
        return self.step == "common"

    @property
    def call(self) -> str:
        """The function, with its template arguments."""
        block = str(self.block).lower()
        if _HEADERS[self.step] == "triangles":
            return f"triangles<subiso::motif::Step::k{self.step.capitalize()}, {block}>"
        if self.step in ("books", "cut"):
            return self.step
        if self.step == "squares":
            return f"squares<{block}, {str(self.size == 5).lower()}>"
        if _HEADERS[self.step] == "edges":
            return f"{self.step}<{self.size}>"
        return f"{self.step}<{block}>"

    @property
    def resident(self) -> int:
        """Blocks that a multiprocessor should be able to hold."""
        return max(1, 65_536 // (_REGISTERS[self.step] * self.threads))

    def text(self) -> str:
        """The translation unit.

        >>> print(MotifKernel("tally", block=True, threads=256).text())
        #include "motifs_triangles.cuh"
        using Store = subiso::CsrStore<subiso::u32>;
        extern "C" __global__ void __launch_bounds__(256, 6)
        subiso_motif_tally(const __grid_constant__ subiso::motif::Args<Store> args) {
          subiso::motif::triangles<subiso::motif::Step::kTally, true>(args);
        }
        """
        return "\n".join(
            [
                f'#include "motifs_{_HEADERS[self.step]}.cuh"',
                f"using Store = subiso::CsrStore<subiso::{'i64' if self.wide_offsets else 'u32'}>;",
                *entry_lines(self, f"subiso::motif::{self.call}(args);", f"{self.threads}, {self.resident}"),
            ]
        )
