"""Compiles the kernels for real architectures, without a device: no warnings, resources within a reviewed budget."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from subiso.engine.cuda.compile import FLAGS, KERNELS
from subiso.engine.cuda.kernel import NAME, FineKernel, fixed_tables
from subiso.engine.cuda.tables import lower_plan
from subiso.engine.query import make_query
from subiso.filter.resolve import resolve
from subiso.graph import Graph
from subiso.pattern import Pattern
from subiso.plan.choose import make_plan
from subiso.storage.statistics import statistics_of

BUDGET = Path(__file__).with_name("budget.json")
"""{architecture: {kernel: {registers, spill_bytes, stack_bytes, shared_bytes}}}; change it knowingly."""
NVCC = shutil.which("nvcc")
pytestmark = pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")


def fixed(pattern: Pattern, *, counting: bool = True) -> FineKernel:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(*rng.integers(0, 200, (2, 1500)), num_vertices=200)
    problem = resolve(make_query(graph, pattern)).problem
    lowered = lower_plan(make_plan(problem, statistics_of(graph), counting=counting), 100)
    return FineKernel(tail=lowered.tail, tables=fixed_tables(lowered))


def kernels() -> dict[str, FineKernel]:
    return {
        "table count": FineKernel(),
        "table sizes": FineKernel(tail="sizes"),
        "table rows": FineKernel(tail="rows"),
        "table count wide": FineKernel(wide_offsets=True),
        "table count edges": FineKernel(edges=True),
        "table rows edges": FineKernel(tail="rows", edges=True),
        "table wedge block": FineKernel(tail="sizes", team="block", share=False, threads=256),
        "table wedge warp": FineKernel(tail="sizes", team="warp", share=False, sets=True),
        "table stack": FineKernel(sets=True),
        "fixed triangle": fixed(Pattern.clique(3)),
        "fixed diamond": fixed(Pattern.diamond()),
        "fixed house": fixed(Pattern.house()),
        "fixed 5-clique": fixed(Pattern.clique(5)),
        "fixed 5-cycle rows": fixed(Pattern.cycle(5), counting=False),
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
    text = ['#include "fine.cuh"']
    for i, kernel in enumerate(kernels().values()):
        body = kernel.text().replace('#include "fine.cuh"\n', "").replace(NAME, f"{NAME}_{i}")
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
