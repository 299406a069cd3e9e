"""The kernels of schedule `levels` as values: what is compiled in, and the lines of text that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from subiso.engine.cuda.kernel import store_lines
from subiso.engine.cuda.machine import entry_lines

Step = Literal[
    "clear",
    "seed",
    "join",
    "combine",
    "sift",
    "offsets",
    "places",
    "tally",
    "products",
    "link",
    "tail",
]
Output = Literal["total", "counts", "write", "buffer", "pairs", "tuples"]
Operands = Literal["read", "copied", "shared"]
_HEADERS = {
    "seed": "levels_join",
    "join": "levels_join",
    "combine": "levels_combine",
    "sift": "levels_combine",
    "tally": "levels_group",
    "products": "levels_group",
    "link": "levels_link",
    "tail": "levels_tail",
}
_JOINING_WARPS = 40
"""Of a multiprocessor that a join should leave registers for: with more the compiler spills."""
_SHARING_WARPS = 32
WRITING = ("seed", "join", "combine", "sift")
"""Steps that find results."""
READING = ("join", "combine", "sift", "link", "tail")
"""Steps that read the graph: whatever the store is, the others are the same."""


@dataclass(frozen=True)
class LevelsKernel:
    """One instance of the templates in kernels/levels*.cuh."""

    step: Step
    output: Output = "pairs"
    """What becomes of results; of step "link", where they stand: pairs, a buffer or tuples."""
    edges: bool = False
    """Edge-isomorphism."""
    narrow: bool = True
    """A tail's polynomial fits into 64 bits."""
    wide_offsets: bool = False
    """Relations of 2**32 entries or more."""
    threads: int = 256
    store: str = "csr"
    """What neighbour lists are read through (storage.py)."""
    operands: Operands = "read"
    """Of a join: where lists are that candidates are looked up in."""
    quick: bool = True
    slow: bool = False

    @property
    def name(self) -> str:
        return f"subiso_levels_{self.step}"

    @property
    def args_type(self) -> str:
        return "subiso::LevelsArgs<Store>"

    def text(self) -> str:
        """The translation unit.

        >>> print(LevelsKernel("join").text())
        #include "levels_join.cuh"
        using namespace subiso;
        using Store = CsrStore<u32>;
        extern "C" __global__ void __launch_bounds__(256, 5)
        subiso_levels_join(const __grid_constant__ subiso::LevelsArgs<Store> args) {
          subiso::levels_join<Store, subiso::Output::kPairs, false, subiso::Operands::kRead>(args);
        }
        """
        return "\n".join(
            [
                f'#include "{self.header}"',
                *store_lines(self.store, wide=self.wide_offsets),
                *entry_lines(self, self.call, self._bounds()),
            ]
        )

    @property
    def header(self) -> str:
        return ("levels_share" if self.sharing else _HEADERS.get(self.step, "levels")) + ".cuh"

    @property
    def sharing(self) -> bool:
        """The warps of a block share lists."""
        return self.operands == "shared"

    @property
    def call(self) -> str:
        """The statement that does the step."""
        function = f"levels_{self.step}_sharing" if self.sharing else f"levels_{self.step}"
        return f"subiso::{function}<{', '.join(['Store', *self._settings()])}>(args);"

    def _bounds(self) -> str:
        warps = _SHARING_WARPS if self.sharing else _JOINING_WARPS
        blocks = max(1, 32 * warps // self.threads)
        return f"{self.threads}, {blocks}" if self.step == "join" and not self.edges else str(self.threads)

    def _settings(self) -> list[str]:
        if self.step in WRITING:
            edges = [str(self.edges).lower()] if self.step in ("seed", "join") else []
            named = self.step == "join" and not self.sharing
            operands = [f"subiso::Operands::k{self.operands.capitalize()}"] if named else []
            return [f"subiso::Output::k{self.output.capitalize()}", *edges, *operands]
        if self.step == "link":
            return [f"subiso::Found::k{self.output.capitalize()}"]
        return [str(self.narrow).lower()] if self.step == "tail" else []


@dataclass(frozen=True)
class DescentKernel:
    """All steps of a descent in one kernel (kernels/levels_descend.cuh); a step's kind is its number among them."""

    steps: tuple[LevelsKernel, ...]
    store: str = "csr"
    wide_offsets: bool = False
    threads: int = 256
    name: str = "subiso_levels_descend"
    cooperative: bool = True
    quick: bool = True
    slow: bool = True

    @property
    def args_type(self) -> str:
        return "subiso::DescentArgs<Store>"

    def text(self) -> str:
        """The translation unit.

        >>> print(DescentKernel((LevelsKernel("clear"), LevelsKernel("offsets"))).text())
        #include "levels.cuh"
        #include "levels_descend.cuh"
        using namespace subiso;
        using Store = CsrStore<u32>;
        extern "C" __global__ void __launch_bounds__(256, 2)
        subiso_levels_descend(const __grid_constant__ subiso::DescentArgs<Store> all) {
          subiso::run_steps(all, [](u64 kind, const subiso::LevelsArgs<Store>& args) {
            if (kind == 0) subiso::levels_clear<Store>(args);
            if (kind == 1) subiso::levels_offsets<Store>(args);
          });
        }
        """
        headers = sorted({step.header for step in self.steps} | {"levels_descend.cuh"})
        return "\n".join(
            [
                *(f'#include "{header}"' for header in headers),
                *store_lines(self.store, wide=self.wide_offsets),
                f'extern "C" __global__ void __launch_bounds__({self.threads}, 2)',
                f"{self.name}(const __grid_constant__ {self.args_type} all) {{",
                "  subiso::run_steps(all, [](u64 kind, const subiso::LevelsArgs<Store>& args) {",
                *(f"    if (kind == {number}) {step.call}" for number, step in enumerate(self.steps)),
                "  });",
                "}",
            ]
        )
