"""bench/gpu/motifs.py, local_counts.py, wheels.py and cliques.py, with the shim in the device's place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from bench.gpu import cliques, local_counts, motifs, wheels
from shim import ShimMachine
from tests.ablation.tiny import make_folder

from subiso.bench.data import DataFolder


class TimedShim(ShimMachine):
    """Says that every run takes two milliseconds."""

    def __init__(self, number: int = 0) -> None:
        super().__init__()

    def milliseconds(self) -> float:
        return 2.0


def run(
    command: Any,
    monkeypatch: pytest.MonkeyPatch,
    *arguments: str,
    graphs: tuple[str, str] = ("--graphs", "tiny"),
) -> int:
    monkeypatch.setattr(command, "TimedMachine", TimedShim)
    monkeypatch.setattr(sys, "argv", ["command", *graphs, "--repeat", "1", *arguments])
    with pytest.raises(SystemExit) as left:
        command.main()
    return int(left.value.code or 0)


def test_motifs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_folder(tmp_path / "data")
    monkeypatch.setattr(motifs, "compile_all", lambda kernels, architecture: None)
    assert run(motifs, monkeypatch, "--data", str(folder)) == 0
    shown = capsys.readouterr().out
    assert "| tiny | 5 | 2.000 | - | - |" in shown and "all by the CPU" in shown

    known = DataFolder(folder).oracle()
    known["tiny"] = {"triangle": {"edges": [[0, 1], [1, 2], [0, 2]], "subgraphs": 1}}
    monkeypatch.setattr(DataFolder, "oracle", lambda self: known)
    assert run(motifs, monkeypatch, "--data", str(folder), "--sizes", "3") == 1
    assert "1 WRONG" in capsys.readouterr().out


def test_local_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_folder(tmp_path / "data")
    assert run(local_counts, monkeypatch, "--data", str(folder), "--patterns", "triangle", "4cycle") == 0
    shown = capsys.readouterr().out
    assert shown.count("| yes |") == 4 and "| tiny | 4cycle | edge | 2.00 |" in shown


def test_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_folder(tmp_path / "data")
    assert run(wheels, monkeypatch, "--data", str(folder), "--steps", "--hoods", "warp_rows=3") == 0
    shown = capsys.readouterr().out
    assert "2.000      2.000 sums" in shown and "rows<true> x 256" in shown and "triangles" in shown
    monkeypatch.setattr(DataFolder, "oracle", lambda self: {"tiny": {"W4": {"subgraphs": 2}}})
    assert run(wheels, monkeypatch, "--data", str(folder), "--timeout", "0") == 1
    assert "WRONG: plans None, oracle 2" in capsys.readouterr().out


def test_cliques(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--data", str(make_folder(tmp_path / "data")), "--local", "warp_limit=0", "block_limit=0")
    cases = ("--cases", "tiny:5,6")
    assert run(cliques, monkeypatch, *asked, "--steps", graphs=cases) == 0
    shown = capsys.readouterr().out
    assert shown.count("2.000        2.000    1.00") == 2 and "cliques beyond 0" in shown
    monkeypatch.setattr(DataFolder, "oracle", lambda self: {"tiny": {"K5": {"subgraphs": -2}}})
    assert run(cliques, monkeypatch, *asked, "--alone", graphs=cases) == 1
    assert "None, expected -2" in capsys.readouterr().out
