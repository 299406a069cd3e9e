"""The kernels of schedule `local` as values: what is compiled in, and the lines of text that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from subiso.engine.cuda.local_tables import LoweredLocal
from subiso.engine.cuda.tables import initializer

MAX_FIXED_LEVELS = 12
"""Larger plans run from tables: their code would grow with every level."""

_FEW_SLOTS = 8
"""Words of a row per lane up to which a search of it is compiled in no time."""

_LONG = ("team", "inner", "cliques")
"""Steps that take long to compile."""
_HEADERS = {"inner": "local_inner.cuh", "cliques": "local_cliques.cuh"}

Step = Literal["team", "clear", "build", "search", "inner", "cliques"]


@dataclass(frozen=True)
class LocalKernel:
    """One instance of the templates in kernels/local.cuh."""

    step: Step
    block: bool = False
    """Teams are blocks, not warps."""
    least_words: int = 1
    most_words: int = 1
    """Of a row: powers of two."""
    slots: int = 1
    """Words that a lane holds of a row that is spread over a warp."""
    matrix: int = 0
    """In step "inner": whose row of the second vertex holds all later ones."""
    any_size: bool = False
    """In step "inner": there may be second vertices with more neighbours than there is room for."""
    fours: bool = False
    """In step "cliques": four vertices or more are looked for among the neighbours of a second vertex."""
    narrow: bool = True
    """A tail's polynomial fits into 64 bits."""
    wide_offsets: bool = False
    """Relations of 2**32 entries or more."""
    tables: str | None = None
    """The plan as C++ text, compiled in; None = it is read from memory."""
    threads: int = 128

    @property
    def name(self) -> str:
        return f"subiso_local_{self.step}"

    @property
    def args_type(self) -> str:
        return "subiso::LocalArgs<Store>"

    @property
    def tail(self) -> str:
        return "bits"

    @property
    def quick(self) -> bool:
        return self.tables is None and self.step != "cliques"

    @property
    def slow(self) -> bool:
        return self.tables is not None or self.step in _LONG or self.slots > _FEW_SLOTS

    def text(self) -> str:
        """The translation unit.

        >>> print(LocalKernel("team", most_words=2).text())
        #include "local.cuh"
        using Store = subiso::CsrStore<subiso::u32>;
        using Plan = subiso::LocalTable;
        extern "C" __global__ void __launch_bounds__(128)
        subiso_local_team(const __grid_constant__ subiso::LocalArgs<Store> args) {
          subiso::local_team<Plan, Store, subiso::TeamConfig<false, 1, 2, true>>(args, Plan{args.tables});
        }
        """
        lines = [
            f'#include "{_HEADERS.get(self.step, "local.cuh")}"',
            f"using Store = subiso::CsrStore<subiso::{'i64' if self.wide_offsets else 'u32'}>;",
        ]
        if self.tables is None:
            lines.append("using Plan = subiso::LocalTable;")
        else:
            lines.append(f"struct Source {{ static constexpr subiso::LocalTables tables = {self.tables}; }};")
            lines.append("using Plan = subiso::LocalFixed<Source>;")
        lines += [
            f'extern "C" __global__ void __launch_bounds__({self.threads})',
            f"{self.name}(const __grid_constant__ subiso::LocalArgs<Store> args) {{",
            f"  {self._call()};",
            "}",
        ]
        return "\n".join(lines)

    def _call(self) -> str:
        plan = "Plan{}" if self.tables is not None else "Plan{args.tables}"
        narrow = str(self.narrow).lower()
        if self.step == "team":
            numbers = f"{str(self.block).lower()}, {self.least_words}, {self.most_words}, {narrow}"
            return f"subiso::local_team<Plan, Store, subiso::TeamConfig<{numbers}>>(args, {plan})"
        if self.step == "search":
            return f"subiso::local_search<Plan, Store, {self.slots}, {narrow}>(args, {plan})"
        if self.step == "inner":
            numbers = f"{self.least_words}, {self.most_words}, {self.slots}, {self.matrix}"
            config = f"subiso::InnerConfig<{numbers}, {str(self.any_size).lower()}, {narrow}>"
            return f"subiso::local_inner<Plan, Store, {config}>(args, {plan})"
        if self.step == "cliques":
            numbers = f"{self.least_words}, {self.most_words}, {str(self.fours).lower()}"
            return f"subiso::local_cliques<Plan, Store, subiso::CliqueConfig<{numbers}>>(args, {plan})"
        if self.step == "build":
            return f"subiso::local_build<Plan, Store>(args, {plan})"
        return "subiso::local_clear<Store>(args)"


def fixed_local_tables(lowered: LoweredLocal) -> str | None:
    """The tables to compile in; None where the plan is better read from memory."""
    return None if lowered.num_levels > MAX_FIXED_LEVELS else initializer(lowered.tables)
