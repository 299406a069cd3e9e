"""What is wrong with a benchmark's command line or folder is told in one line, before any device is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LOAD = """
import numpy as np

def load(path):
    raw = np.load(path)
    return {"src": raw["src"], "dst": raw["dst"], "n": int(raw["n"]), "directed": False}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one graph, wiki-Vote by name only."""
    place = tmp_path_factory.mktemp("data")
    (place / "load.py").write_text(LOAD)
    (place / "patterns.json").write_text('{"gMatch": {"P1": [[0, 1]]}, "STMatch": {"q1": [[0, 1]]}}')
    (place / "oracle.json").write_text('{"wiki-Vote": {"triangle": {"edges": [[0, 1], [1, 2], [2, 0]]}}}')
    np.savez(place / "wiki-Vote.npz", src=[0, 1, 2], dst=[1, 2, 0], n=3)
    return place


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return subprocess.run(
        [sys.executable, str(ROOT / "bench" / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": places},
        cwd=ROOT,
    )


def told(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on stderr."""
    assert done.returncode == 2 and done.stdout == "", done
    (line,) = done.stderr.splitlines()
    return line


SCRIPTS: list[tuple[str, list[str]]] = [
    ("approx.py", []),
    ("first_rows.py", ["--out", "nowhere"]),
    ("storage.py", []),
    ("sweeps.py", ["--out", "nowhere"]),
    ("techniques.py", ["--out", "nowhere"]),
    ("gpu/cliques.py", []),
    ("gpu/filters.py", []),
    ("gpu/first.py", []),
    ("gpu/joins.py", []),
    ("gpu/labelled.py", []),
    ("gpu/local_counts.py", []),
    ("gpu/motifs.py", []),
    ("gpu/run.py", []),
    ("gpu/showcases.py", ["--out", "nowhere"]),
    ("gpu/transactions.py", []),
    ("gpu/wheels.py", []),
    ("ablation/run.py", ["--out", "nowhere"]),
]


@pytest.mark.parametrize(("script", "arguments"), SCRIPTS, ids=[name for name, _ in SCRIPTS])
def test_a_folder_that_is_not_there(script: str, arguments: list[str]) -> None:
    line = told(run(script, "--data", "no/such/folder", *arguments))
    assert "no/such/folder" in line or "the folder of real graphs is missing" in line
    assert "--data" in line


@pytest.mark.parametrize(
    ("script", "arguments", "words"),
    [
        ("sweeps.py", ["--graphs", "wiki-Voet", "--out", "nowhere"], "has no wiki-Voet (it has wiki-Vote)"),
        ("sweeps.py", ["--schedules", "fien", "--out", "nowhere"], "did you mean 'fine'?"),
        ("gpu/run.py", ["--graphs", "wiki-Vote", "nothing"], "has no nothing"),
        ("gpu/run.py", ["--graphs", "wiki-Vote", "--patterns", "diamnd"], "did you mean 'diamond'?"),
        ("gpu/cliques.py", ["--cases", "nothing:5"], "has no nothing"),
        ("gpu/joins.py", [], "has none of FB13"),
        ("gpu/labelled.py", [], "has no "),
        ("gpu/first.py", ["--graph", "wiki-Vote/labelsX"], "says no number of labels"),
        ("gpu/showcases.py", ["--patterns", "P2", "--out", "nowhere"], "no pattern is called 'P2'"),
        ("ablation/run.py", ["--graphs", "nothing", "--out", "nowhere"], "has no nothing"),
        ("approx.py", ["--graph", "wiki-Vote", "--pattern", "tringle"], "did you mean 'triangle'?"),
    ],
)
def test_a_name_that_nobody_knows(script: str, arguments: list[str], words: str, folder: Path) -> None:
    assert words in told(run(script, "--data", folder, *arguments))


def test_a_sweep_that_measured_nothing_fails(folder: Path, tmp_path: Path) -> None:
    done = run("sweeps.py", "--data", folder, "--out", tmp_path, "--only", "skew", "--queries", 0)
    assert done.returncode == 1 and "nothing was measured" in done.stderr
