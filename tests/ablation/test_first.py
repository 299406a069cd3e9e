"""bench/gpu/first.py from end to end, with the shim in the device's place."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from bench.gpu import first
from shim import ShimMachine
from tests.ablation.tiny import make_folder


def test_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    before = os.environ.get("SUBISO_CACHE")
    data = ["--data", str(make_folder(tmp_path / "data")), "--graph", "tiny"]
    monkeypatch.setattr(sys, "argv", ["first.py", *data, "--patterns", "triangle", "4cycle"])
    monkeypatch.setattr(first, "CudaMachine", lambda number: ShimMachine())
    with pytest.raises(SystemExit) as left:
        first.main()
    shown = capsys.readouterr().out.splitlines()
    assert not left.value.code
    assert [line.split()[0] for line in shown[-2:]] == ["triangle", "4cycle"]
    assert os.environ.get("SUBISO_CACHE") == before


def test_counts_that_differ_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter(range(100))
    monkeypatch.setattr(
        first, "timed", lambda *args: first.Timed(count=next(counts), seconds=0.0, compile=0.0, hasty=0)
    )
    data = ["--data", str(make_folder(tmp_path / "data")), "--graph", "tiny"]
    monkeypatch.setattr(sys, "argv", ["first.py", *data, "--patterns", "K4", "--no-waits"])
    monkeypatch.setattr(first, "CudaMachine", lambda number: ShimMachine())
    with pytest.raises(SystemExit, match="K4"):
        first.main()
