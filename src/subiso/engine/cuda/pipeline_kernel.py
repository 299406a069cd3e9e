"""The kernels of schedule `pipeline` as values: what is compiled in, and the lines of text that say so."""

from __future__ import annotations

from dataclasses import dataclass

from subiso.engine.cuda.machine import entry_lines

BUILD_THREADS = 256


@dataclass(frozen=True)
class BuildKernel:
    """Links the records of a relation into the chains of a hash table (kernels/join_table.cuh)."""

    name: str = "subiso_build_table"
    threads: int = BUILD_THREADS
    args_type: str = "subiso::BuildArgs"
    quick: bool = False
    slow: bool = False

    def text(self) -> str:
        """The translation unit.

        >>> print(BuildKernel().text())
        #include "join_table.cuh"
        extern "C" __global__ void __launch_bounds__(256)
        subiso_build_table(const __grid_constant__ subiso::BuildArgs args) {
          subiso::build_table(args);
        }
        """
        return "\n".join(['#include "join_table.cuh"', *entry_lines(self, "subiso::build_table(args);")])


@dataclass(frozen=True)
class JoinKernel:
    """Sends the probe's rows through the hash tables (kernels/pipeline.cuh)."""

    rows: bool = False
    """Rows leave; else they are counted."""
    edges: bool = False
    """Edge-isomorphism."""
    weights: bool = False
    """Matches count the product of their weights."""
    wide_offsets: bool = False
    """Relations of 2**32 entries or more."""
    threads: int = 128
    name: str = "subiso_pipeline"
    quick: bool = False
    """One kernel serves all plans, so it is compiled well."""
    slow: bool = False

    @property
    def args_type(self) -> str:
        return "subiso::JoinArgs<Store>"

    def text(self) -> str:
        """The translation unit.

        >>> print(JoinKernel().text())
        #include "pipeline.cuh"
        using Store = subiso::CsrStore<subiso::u32>;
        extern "C" __global__ void __launch_bounds__(128)
        subiso_pipeline(const __grid_constant__ subiso::JoinArgs<Store> args) {
          subiso::PipelinedJoin<subiso::JoinConfig<false, false, false>, Store>(args).run();
        }
        """
        settings = ", ".join(str(on).lower() for on in (self.rows, self.edges, self.weights))
        config = f"subiso::JoinConfig<{settings}>"
        lines = [
            '#include "pipeline.cuh"',
            f"using Store = subiso::CsrStore<subiso::{'i64' if self.wide_offsets else 'u32'}>;",
            *entry_lines(self, f"subiso::PipelinedJoin<{config}, Store>(args).run();"),
        ]
        return "\n".join(lines)
