"""The kernels of four-cycles in neighbourhoods as values: what is compiled in, and the lines of text that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from subiso.engine.cuda.machine import entry_lines

Step = Literal["rows", "begins", "fill", "wedges", "unwritten"]
_HEADERS = {
    "rows": "rows",
    "begins": "build",
    "fill": "build",
    "wedges": "wedges",
    "unwritten": "wedges",
}
_REGISTERS = {"rows": 48, "begins": 40, "fill": 48, "wedges": 40, "unwritten": 64}
"""Per thread, at most."""


@dataclass(frozen=True)
class HoodKernel:
    """One instance of the templates in kernels/hoods_*.cuh."""

    step: Step
    block: bool = False
    """Teams are blocks, not warps."""
    narrow: bool = True
    """Places in a neighbourhood take 16 bits."""
    wide_offsets: bool = False
    """Lists of 2**32 entries or more."""
    threads: int = 256
    quick: bool = False
    slow: bool = False

    @property
    def name(self) -> str:
        return f"subiso_hoods_{self.step}"

    @property
    def args_type(self) -> str:
        return "subiso::hoods::Args<Store>"

    @property
    def call(self) -> str:
        """The function, with its template arguments."""
        block, item = str(self.block).lower(), f"subiso::{'u16' if self.narrow else 'u32'}"
        arguments = {"rows": f"<{block}>", "fill": f"<{item}>", "wedges": f"<{block}, {item}>"}
        return f"{self.step}{arguments.get(self.step, '')}"

    @property
    def resident(self) -> int:
        """Blocks that a multiprocessor should be able to hold."""
        return max(1, 65_536 // (_REGISTERS[self.step] * self.threads))

    def text(self) -> str:
        """The translation unit.

        >>> print(HoodKernel("wedges", block=True, threads=512).text())
        #include "hoods_wedges.cuh"
        using Store = subiso::CsrStore<subiso::u32>;
        extern "C" __global__ void __launch_bounds__(512, 3)
        subiso_hoods_wedges(const __grid_constant__ subiso::hoods::Args<Store> args) {
          subiso::hoods::wedges<true, subiso::u16>(args);
        }
        """
        return "\n".join(
            [
                f'#include "hoods_{_HEADERS[self.step]}.cuh"',
                f"using Store = subiso::CsrStore<subiso::{'i64' if self.wide_offsets else 'u32'}>;",
                *entry_lines(self, f"subiso::hoods::{self.call}(args);", f"{self.threads}, {self.resident}"),
            ]
        )
