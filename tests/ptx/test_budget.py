"""Compiles the kernels for real architectures, without a device: no warnings, resources within a reviewed budget."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from subiso.engine.cuda.compile import FLAGS, KERNELS
from subiso.engine.cuda.filter_kernel import STEPS, FilterKernel
from subiso.engine.cuda.hood_kernel import HoodKernel
from subiso.engine.cuda.kernel import NAME, SearchKernel, fixed_tables
from subiso.engine.cuda.levels_kernel import DescentKernel, LevelsKernel
from subiso.engine.cuda.local_kernel import LocalKernel, fixed_local_tables
from subiso.engine.cuda.local_tables import lower_local
from subiso.engine.cuda.lookup import LookUpKernel
from subiso.engine.cuda.lowering import lower_plan
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.motif_kernel import MotifKernel
from subiso.engine.cuda.pipeline_kernel import BuildKernel, JoinKernel
from subiso.engine.cuda.storage import STORES
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.statistics import statistics_of

INDEXED = [name for name in STORES if name != "csr"]
BUDGET = Path(__file__).with_name("budget.json")
"""{architecture: {kernel: {registers, spill_bytes, stack_bytes, shared_bytes}}}; change it knowingly."""
NVCC = shutil.which("nvcc")
pytestmark = pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")


def fixed(pattern: Pattern, *, counting: bool = True) -> SearchKernel:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(*rng.integers(0, 200, (2, 1500)), num_vertices=200)
    problem = resolve(make_query(graph, pattern)).problem
    lowered = lower_plan(make_plan(problem, statistics_of(graph), counting=counting), 100)
    return SearchKernel(tail=lowered.tail, tables=fixed_tables(lowered))


def fixed_local(pattern: Pattern, kernel: LocalKernel) -> LocalKernel:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(*rng.integers(0, 200, (2, 1500)), num_vertices=200)
    resolved = resolve(make_query(graph, pattern))
    lowered = lower_local(
        make_plan(resolved.problem, statistics_of(graph), counting=True), resolved.reverse, 100
    )
    return replace(kernel, tables=fixed_local_tables(lowered), narrow=lowered.narrow)


def local_kernels() -> dict[str, Kernel]:
    near_clique = Pattern.from_edges([(i, j) for j in range(5) for i in range(j) if (i, j) != (3, 4)])
    warp = LocalKernel("team", least_words=1, most_words=2)
    block = LocalKernel("team", block=True, least_words=4, most_words=8)
    return {
        "local 4-clique warp": fixed_local(Pattern.clique(4), warp),
        "local 4-clique block": fixed_local(Pattern.clique(4), block),
        "local 6-clique warp": fixed_local(Pattern.clique(6), replace(warp, most_words=1)),
        "local 6-clique block": fixed_local(Pattern.clique(6), replace(block, least_words=2)),
        "local near-clique block": fixed_local(near_clique, block),
        "local near-clique large": fixed_local(near_clique, LocalKernel("search", slots=2)),
        "local near-clique largest": fixed_local(near_clique, LocalKernel("search", slots=32)),
        "local table block": replace(block, least_words=8),
        "local table large": LocalKernel("search", slots=8),
        "local 6-clique inner": fixed_local(
            Pattern.clique(6), LocalKernel("inner", most_words=8, slots=2, any_size=True)
        ),
        "local 5-clique sets": LocalKernel("cliques", least_words=8, most_words=8),
        "local cliques narrow sets": LocalKernel("cliques", most_words=4, fours=True),
        "local cliques sets": LocalKernel("cliques", least_words=8, most_words=8, fours=True),
        "local cliques wide sets": LocalKernel("cliques", least_words=12, most_words=12, fours=True),
        "local cliques widest sets": LocalKernel("cliques", least_words=16, most_words=16, fours=True),
        "local table inner": LocalKernel("inner", least_words=8, most_words=8, slots=2, any_size=True),
        "local build": LocalKernel("build"),
        "local build wide": LocalKernel("build", wide_offsets=True),
        "local clear": LocalKernel("clear"),
    }


def motif_kernels() -> dict[str, Kernel]:
    return {
        "motif triangles warp": MotifKernel("count"),
        "motif triangles block": MotifKernel("tally", block=True, threads=256),
        "motif triangles tally": MotifKernel("tally"),
        "motif triangles after": MotifKernel("after"),
        "motif triangles wide": MotifKernel("tally", wide_offsets=True),
        "motif books": MotifKernel("books", threads=256),
        "motif edges": MotifKernel("edges", threads=256),
        "motif edges of four": MotifKernel("edges", size=4, threads=256),
        "motif vertices": MotifKernel("vertices", threads=256),
        "motif cut": MotifKernel("cut", threads=256),
        "motif squares warp": MotifKernel("squares", size=4),
        "motif squares block": MotifKernel("squares", block=True, size=4, threads=1024),
        "motif squares triangles": MotifKernel("squares", block=True, threads=1024),
        "motif walks warp": MotifKernel("walks"),
        "motif walks block": MotifKernel("walks", block=True, threads=1024),
        "motif common warp": MotifKernel("common"),
        "motif common block": MotifKernel("common", block=True, threads=256),
        "motif common large": MotifKernel("common", block=True, threads=512),
    }


def hood_kernels() -> dict[str, Kernel]:
    return {
        "hoods rows warp": HoodKernel("rows"),
        "hoods rows block": HoodKernel("rows", block=True),
        "hoods begins": HoodKernel("begins"),
        "hoods fill": HoodKernel("fill"),
        "hoods fill wide": HoodKernel("fill", narrow=False, wide_offsets=True),
        "hoods wedges warp": HoodKernel("wedges"),
        "hoods wedges block": HoodKernel("wedges", block=True, threads=512),
        "hoods wedges windows": HoodKernel("wedges", block=True, narrow=False, threads=1024),
        "hoods unwritten": HoodKernel("unwritten", block=True, threads=1024),
    }


def store_kernels() -> dict[str, Kernel]:
    searches: dict[str, Kernel] = {f"table count {name}": SearchKernel(store=name) for name in INDEXED}
    return {
        **searches,
        "table stack hash_pcsr": SearchKernel(sets=True, store="hash_pcsr"),
        **{f"look up {name}": LookUpKernel(name) for name in STORES},
    }


def levels_kernels() -> dict[str, Kernel]:
    usual = [LevelsKernel(step) for step in ("clear", "seed", "join", "link", "offsets")]
    return {
        "levels seed": LevelsKernel("seed"),
        "levels join total": LevelsKernel("join", "total"),
        "levels join counts": LevelsKernel("join", "counts"),
        "levels join write": LevelsKernel("join", "write"),
        "levels join buffer": LevelsKernel("join", "buffer"),
        "levels join pairs": LevelsKernel("join", "pairs"),
        "levels join pairs wide": LevelsKernel("join", "pairs", wide_offsets=True),
        "levels join pairs edges": LevelsKernel("join", "pairs", edges=True),
        "levels combine": LevelsKernel("combine"),
        "levels sift": LevelsKernel("sift"),
        "levels tally": LevelsKernel("tally"),
        "levels products": LevelsKernel("products"),
        "levels link": LevelsKernel("link"),
        "levels link buffer": LevelsKernel("link", "buffer"),
        "levels link tuples": LevelsKernel("link", "tuples"),
        "levels offsets": LevelsKernel("offsets"),
        "levels places": LevelsKernel("places"),
        "levels tail": LevelsKernel("tail", narrow=False),
        "levels clear": LevelsKernel("clear"),
        "levels join pairs copied": LevelsKernel("join", operands="copied"),
        "levels join buffer copied": LevelsKernel("join", "buffer", operands="copied"),
        "levels join pairs sharing": LevelsKernel("join", operands="shared"),
        "levels join buffer sharing": LevelsKernel("join", "buffer", operands="shared"),
        **{
            f"levels join {output} {operands}": LevelsKernel("join", output, operands=operands)
            for output in ("total", "counts", "write")
            for operands in ("copied", "shared")
        },
        **{f"levels {step} total": LevelsKernel(step, "total") for step in ("seed", "combine", "sift")},
        "levels join total edges": LevelsKernel("join", "total", edges=True),
        "levels tail narrow": LevelsKernel("tail"),
        **{
            f"levels {step} {name}": LevelsKernel(step, store=name)
            for name in INDEXED
            for step in ("combine", "sift", "tail")
        },
        **{f"levels join pairs {name}": LevelsKernel("join", store=name) for name in INDEXED},
        **{f"levels link {name}": LevelsKernel("link", store=name) for name in INDEXED},
        "levels descent": DescentKernel((*usual, LevelsKernel("join", "total"))),
        "levels descent sizes": DescentKernel((*usual, LevelsKernel("tail"))),
    }


def kernels() -> dict[str, Kernel]:
    return {
        "table count": SearchKernel(),
        "table sizes": SearchKernel(tail="sizes"),
        "table rows": SearchKernel(tail="rows"),
        "table count wide": SearchKernel(wide_offsets=True),
        "table count edges": SearchKernel(edges=True),
        "table rows edges": SearchKernel(tail="rows", edges=True),
        "table wedge block": SearchKernel(tail="sizes", team="block", share=False, threads=256),
        "table wedge warp": SearchKernel(tail="sizes", team="warp", share=False, sets=True),
        "table stack": SearchKernel(sets=True),
        "table tally": SearchKernel(tally=True),
        "table tally sizes": SearchKernel(tail="sizes", sets=True, tally=True),
        "fixed triangle": fixed(Pattern.clique(3)),
        "fixed diamond": fixed(Pattern.diamond()),
        "fixed house": fixed(Pattern.house()),
        "fixed 5-clique": fixed(Pattern.clique(5)),
        "fixed 5-cycle rows": fixed(Pattern.cycle(5), counting=False),
        **local_kernels(),
        **motif_kernels(),
        **hood_kernels(),
        **store_kernels(),
        **levels_kernels(),
        **{f"filter {step}": FilterKernel(step) for step in STEPS},
        "pipeline build": BuildKernel(),
        "pipeline count": JoinKernel(),
        "pipeline count weights": JoinKernel(weights=True),
        "pipeline rows": JoinKernel(rows=True),
        "pipeline count edges": JoinKernel(edges=True),
        "pipeline rows edges wide": JoinKernel(rows=True, edges=True, wide_offsets=True),
    }


def resources(report: str) -> dict[str, dict[str, int]]:
    """From ptxas' report: entry -> what it uses."""

    def number(expression: str, text: str) -> int:
        found = re.search(expression, text)
        return int(found[1]) if found else 0

    parts = re.split(r"Compiling entry function '(\w+)'", report)
    return {
        entry: {
            "registers": number(r"Used (\d+) registers", text),
            "spill_bytes": number(r"(\d+) bytes spill stores", text),
            "stack_bytes": number(r"(\d+) bytes stack frame", text),
            "shared_bytes": number(r"(\d+) bytes smem", text),
        }
        for entry, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def build(architecture: str, folder: Path) -> dict[str, dict[str, int]]:
    """All kernels in one translation unit, each in a namespace of its own."""
    lines = (line for kernel in kernels().values() for line in kernel.text().splitlines())
    text = sorted({line for line in lines if line.startswith("#include")})
    for i, kernel in enumerate(kernels().values()):
        body = kernel.text().partition("\n")[2].replace(f"{kernel.name}(", f"{NAME}_{i}(")
        text.append(f"namespace kernel_{i} {{\n{body}\n}}")
    source = folder / "kernels.cu"
    source.write_text("\n".join(text))
    # nvcc asks its host compiler for the first, and needs no telling what lambdas are for.
    flags = [f for f in FLAGS if f not in ("--device-int128", "-default-device")]
    command = [str(NVCC), "-cubin", f"-arch={architecture}", "-Xptxas=-v", "-Werror=all-warnings", *flags]
    command += [f"-I{KERNELS}", str(source), "-o", str(folder / "kernels.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr, done.stderr
    found = resources(done.stderr)
    return {name: found[f"{NAME}_{i}"] for i, name in enumerate(kernels())}


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_within_budget(architecture: str, tmp_path: Path) -> None:
    budget = json.loads(BUDGET.read_text())[architecture]
    over = {
        (name, what): (used[what], budget[name][what])
        for name, used in build(architecture, tmp_path).items()
        for what in used
        if used[what] > budget[name][what]
    }
    assert not over, f"(used, budget) on {architecture}: {over}"


def main() -> None:
    """Writes what is used now as the new budget: python tests/ptx/test_budget.py"""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        found = {architecture: build(architecture, Path(folder)) for architecture in ("sm_80", "sm_90")}
    BUDGET.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
