"""The command as a real process: lazy imports, pipes, Ctrl-C, the progress bar on a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import subiso as si

COMMAND = [sys.executable, "-c", "from subiso.cli.main import main; main()"]


@pytest.fixture
def clique(tmp_path: Path) -> str:
    """A graph on which the reference is busy for minutes."""
    u, v = np.triu_indices(60, 1)
    si.write(si.Graph.from_edges(u, v, num_vertices=60), tmp_path / "k60.subiso")
    return str(tmp_path / "k60.subiso")


def test_help_loads_no_engine() -> None:
    code = (
        "import sys\nfrom subiso.cli.main import main\nsys.argv = ['subiso', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([m for m in ('numpy', 'pyarrow', 'subiso.graph', 'subiso.api') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]" and "Commands:" in out


def test_ctrl_c(clique: str) -> None:
    # What takes long to import comes first, so that the signal meets the search on a busy machine, too.
    code = (
        "import subiso.api, subiso.engine.reference, subiso.formats; print('ready', flush=True); "
        + COMMAND[-1]
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "count", clique, "K8", "--engine", "reference"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A job in the background ignores the signal, and so would what it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (no threads here)
    )
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - start < 5  # a second and a generous allowance for a busy machine
    assert process.returncode == 130 and out == b"" and err == b"interrupted\n"


def test_a_closed_pipe_is_no_error(clique: str) -> None:
    line = f"{subprocess.list2cmdline(COMMAND)} match {clique} triangle --engine reference -f csv | head -2"
    result = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert len(result.stdout.splitlines()) == 2 and result.stderr == ""


def test_bad_input_gives_no_traceback(tmp_path: Path) -> None:
    result = subprocess.run([*COMMAND, "info", str(tmp_path)], capture_output=True, text=True, check=False)
    assert result.returncode == 1 and "Traceback" not in result.stderr and result.stderr.startswith("error: ")


def test_progress_on_a_terminal_only(clique: str) -> None:
    arguments = [*COMMAND, "count", clique, "K6", "--engine", "reference", "--timeout", "2.5"]
    plain = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert plain.returncode == 3 and "counting" not in plain.stderr
    parent, child = pty.openpty()
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=child)
    os.close(child)
    shown = b""
    while True:
        try:
            some = os.read(parent, 4096)
        except OSError:  # the other end has closed
            break
        if not some:
            break
        shown += some
    os.close(parent)
    assert process.wait() == 3 and b"counting" in shown and b"%" in shown
