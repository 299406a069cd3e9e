"""Kernels compiled by a process of its own, with a compiler that takes its time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from subiso.engine.cuda import later
from subiso.engine.cuda.compile import Source, cached
from subiso.engine.cuda.later import order

TOOLCHAIN = """
import time
from subiso.engine.cuda.compile import CompileError, Toolchain

def compile_text(text, options):
    if text == "bad":
        raise CompileError("it is bad")
    time.sleep(float(text))
    return b"binary of " + text.encode()

def make():
    return Toolchain("slow 1", compile_text)
"""
PARENT = """
import os, sys
sys.path[:0] = {path!r}
from subiso.engine.cuda.compile import Source
from subiso.engine.cuda.later import order
assert order([Source("k", "1.5", "sm_90")], "slow_toolchain:make")
{ending}
"""
QUICK = Source("k", "0", "sm_90")
WAIT = 60.0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "slow_toolchain.py").write_text(TOOLCHAIN)
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(later, "_running", [])
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    monkeypatch.setenv("SUBISO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def wait_for(source: Source) -> bytes:
    begun = time.monotonic()
    while (found := cached(source, "slow 1")) is None:
        assert time.monotonic() - begun < WAIT, "nothing was compiled"
        time.sleep(0.05)
    return found.read_bytes()


def test_it_compiles_all_that_can_be(place: Path) -> None:
    bad, other = Source("k", "bad", "sm_90"), Source("k", "0.5", "sm_80")
    assert order([bad, QUICK, other], "slow_toolchain:make")
    assert wait_for(QUICK) == b"binary of 0"
    assert not order([QUICK], "slow_toolchain:make")  # one at a time
    assert later._running[-1].wait(WAIT) == 0
    assert wait_for(other) == b"binary of 0.5"
    assert cached(bad, "slow 1") is None
    assert len(list(place.iterdir())) == 2


@pytest.mark.parametrize("ending", ["", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_parent_that_ends_does_not_wait_and_what_it_ordered_still_comes(place: Path, ending: str) -> None:
    source = Source("k", "1.5", "sm_90")
    script = PARENT.format(path=sys.path, ending=ending)
    done = subprocess.run(
        [sys.executable, "-Wall", "-c", script], capture_output=True, text=True, check=False
    )
    assert cached(source, "slow 1") is None, "the parent waited"
    assert done.stderr == "" and done.returncode == (-9 if "kill" in ending else 0)
    assert wait_for(source) == b"binary of 1.5"


def test_a_cache_that_is_gone_stays_gone(place: Path) -> None:
    assert order([Source("k", "0.5", "sm_90")], "slow_toolchain:make")
    place.rmdir()
    assert later._running[-1].wait(WAIT) == 0
    assert not place.exists()


def test_no_other_program_is_started_twice(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for executable in ("", None, "/usr/bin/blender"):
        monkeypatch.setattr(sys, "executable", executable)
        assert not order([QUICK], "slow_toolchain:make")
