"""The two commands from end to end, with the shim in the device's place; kernels compiled by several processes."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import pytest
from bench.ablation import rehearse, run
from bench.gpu import showcases
from shim import ShimMachine
from tests.ablation.tiny import make_folder

import subiso as si
from subiso.engine.base import Params
from subiso.engine.cuda import device
from subiso.engine.cuda.engine import CudaEngine
from subiso.engine.cuda.filter_kernel import STEPS
from subiso.engine.cuda.kernel import SearchKernel
from subiso.engine.cuda.machine import Kernel
from subiso.engine.cuda.tune import Wishes
from subiso.engine.query import make_query

FAKE_NVRTC = """
import os

class NVRTCError(Exception):
    pass

def getVersion():
    return 12, 9

def createProgram(text, name, headers, includes):
    return [text]

def compileProgram(program, options):
    if "kSizes" in program[0]:
        raise NVRTCError("bad")

def getCUBIN(program):
    return f"{os.getpid()} {program[0]}".encode()

def getProgramLog(program):
    return "a log"

def destroyProgram(program):
    program.clear()
"""


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    machine = ShimMachine()
    monkeypatch.setattr(device, "open_devices", lambda name: (machine,))
    monkeypatch.setattr(run, "compile_all", lambda kernels, architecture: None)
    return ["--data", str(make_folder(tmp_path / "data")), "--out", str(tmp_path / "out")]


def test_ablation(
    commands: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["run.py", *commands, "--only", "split", "memory", "--graphs", "tiny", "--repeat", "0"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert run.main() == 0
    shown = capsys.readouterr().out
    assert "kernels ready" in shown and "holds: all under 1 GB" in shown
    rows = json.loads((tmp_path / "out" / "split.json").read_text())["rows"]
    assert all(row["search MB"] > 0 for row in rows)
    assert all(row["stack KB per block"] is None for row in rows)  # sums and schedule `local` have no stack


def test_showcases(commands: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["showcases.py", *commands, "--only", "hub", "labelled", "--graphs", "tiny"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert (
        showcases.main() == 0
    )  # no R-MAT generator in the folder, no queries of this graph: nothing to show
    assert "no rows" in (tmp_path / "out" / "showcase-hub.txt").read_text()


def test_a_study_that_fails_does_not_end_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.ablation.test_studies import setting

    def broken(_: object) -> None:
        raise RuntimeError("the device is gone")

    assert run.run_all(setting("tiny"), [broken, *run.STUDIES["memory"]], tmp_path, 600) == 1  # type: ignore[list-item]
    assert "error: RuntimeError: the device is gone" in (tmp_path / "failed-0.txt").read_text()
    assert (tmp_path / "memory.txt").exists()


def test_kernels_are_compiled_by_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "cupy"
    (fake / "cuda").mkdir(parents=True)
    (fake / "__init__.py").write_text("from cupy import cuda")
    (fake / "cuda" / "__init__.py").write_text("from cupy.cuda import nvrtc")
    (fake / "cuda" / "nvrtc.py").write_text(FAKE_NVRTC)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path / "cache"))
    kernels = [SearchKernel(), SearchKernel(batch=1), SearchKernel(tail="sizes")]
    rehearse.compile_all(kernels, "sm_90")
    found = [path.read_text() for path in (tmp_path / "cache").glob("*/kernel.cubin")]
    assert len(found) == 2  # the third does not compile, which is for the study to say
    assert all("search_all" in text for text in found)


def test_kernels_of_counts_are_found_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be planned for the device is left to the run that says so."""
    compiled: list[Kernel] = []
    monkeypatch.setattr(rehearse, "compile_all", lambda kernels, architecture: compiled.extend(kernels))
    engine = CudaEngine(ShimMachine("forward"), Wishes(fixed=False))
    graph = si.Graph.from_edges(*zip(*itertools.combinations(range(6), 2), strict=True))
    queries = [si.Pattern.cycle(4), si.Pattern.path(40), si.Pattern.clique(5)]
    cases = [(make_query(graph, pattern), Params()) for pattern in queries]
    assert rehearse.compile_counts([engine], cases) == len(compiled) > 1 + len(STEPS)
