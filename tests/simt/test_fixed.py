"""Plans that are compiled in: the text that Python writes for NVRTC, compiled by g++ and run through the shim."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_cases import canonical, expected_rows
from shim import ShimMachine

from subiso.engine.base import Params
from subiso.engine.cuda.compile import KERNELS
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.kernel import NAME, FineKernel
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

NATIVE = Path(__file__).parent / "native"
ORDERS = {"forward": 0, "reverse": 1, "random": 2}
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")

BEFORE = """
#define __global__
#define __launch_bounds__(threads)
#define __grid_constant__
"""
AFTER = """
extern "C" const char* run(const void* bytes, unsigned blocks, unsigned threads, unsigned long shared, int order,
                           unsigned long seed) {
  static std::string error;
  subiso::simt::Launch how{blocks, threads, shared, static_cast<subiso::simt::Order>(order), seed, 2000000};
  const auto& args = *static_cast<const subiso::FineArgs<Store>*>(bytes);
  try {
    subiso::simt::launch(how, [&] { %s(args); });
  } catch (const std::exception& e) {
    error = e.what();
    return error.c_str();
  }
  return nullptr;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("fixed")
    build(NATIVE / "simt.cpp", place / "simt.o", "-c")
    return place


def build(source: Path, target: Path, *more: str) -> None:
    command = [
        "g++",
        "-std=c++20",
        "-O1",
        "-fPIC",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-DSUBISO_SIMT",
        f"-I{NATIVE}",
    ]
    command += [f"-I{KERNELS}", str(source), "-o", str(target), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


@dataclass
class FixedShim(ShimMachine):
    """Compiles kernels whose plan is part of the text; the others are the shim's own."""

    folder: Path = Path()
    loaded: dict[str, Any] = field(default_factory=dict)
    fixed_launches: int = 0

    def launch(self, kernel: FineKernel, blocks: int, shared: int, args: np.ndarray) -> None:
        if kernel.tables is None:
            super().launch(kernel, blocks, shared, args)
            return
        text = kernel.text()
        if text not in self.loaded:
            stem = self.folder / f"kernel{len(list(self.folder.glob('*.cpp')))}"
            source = stem.with_suffix(".cpp")
            source.write_text(f"#include <string>\n{BEFORE}{text}{AFTER % NAME}")
            build(source, stem.with_suffix(".so"), str(self.folder / "simt.o"), "-shared")
            run = ctypes.CDLL(str(stem.with_suffix(".so"))).run
            run.restype = ctypes.c_char_p
            run.argtypes = [
                ctypes.c_char_p,
                *[ctypes.c_uint] * 2,
                ctypes.c_ulong,
                ctypes.c_int,
                ctypes.c_ulong,
            ]
            self.loaded[text] = run
        self.fixed_launches += 1
        error = self.loaded[text](
            args.tobytes(), blocks, kernel.threads, shared, ORDERS[self.order], self.seed
        )
        assert error is None, error.decode()


@pytest.mark.parametrize(
    ("pattern", "mode"),
    [
        (Pattern.clique(4), "monomorphism"),
        (Pattern.house(), "monomorphism"),
        (Pattern("(a:A)--(b), (b)--(c:B), (c)--(a), !(a)--(d), (d)--(c)"), "induced"),
    ],
    ids=["4-clique", "house", "labels"],
)
def test_compiled_plans(pattern: Pattern, mode: str, folder: Path) -> None:
    rng = np.random.default_rng(4)
    labels = [["A"], ["B"], ["A", "B"]]
    graph = Graph.from_edges(
        *rng.integers(0, 16, (2, 60)), num_vertices=16, vertex_labels=[labels[i % 3] for i in range(16)]
    )
    query = make_query(graph, pattern, mode=mode)
    wanted = expected_rows(query)
    assert wanted, "a test with nothing to find"
    loaded: dict[str, Any] = {}
    for order in ORDERS:
        machine = FixedShim(order, seed=1, folder=folder, loaded=loaded)
        engine = CudaEngine(machine, Wishes(blocks=2, warps_per_block=2, tau=0, row_capacity=64))
        assert engine.count(query).count == len(wanted)
        rows = [tuple(r) for batch in engine.stream(query, Params()) for r in batch.tolist()]
        assert canonical(query, rows) == wanted
        assert machine.fixed_launches >= 2
