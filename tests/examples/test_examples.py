"""Every example runs, and prints what it should."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import subiso

FOLDER = Path(__file__).parents[2] / "examples"
LINES = {
    "payment_rings.py": [
        "60,000 payments between 5,000 accounts",
        "12 of 12 hidden rings found",
        "     5                5,698",
    ],
    "motif_table.py": ["clique4                10,521            0", "global clustering coefficient 0.478"],
    "directed_triads.py": ["feed-forward        1,747", "lateral inhibition: 7,312 circuits"],
    "feed_forward_loops.py": [
        "158 are feed-forward and 11 feedback loops",
        "158, by chance 36.9 ± 6.4, z = 19",
    ],
    "masks_from_pandas.py": ["triangles 4", "in order of age 4", "ann bob cid"],
    "files_and_streams.py": [
        "['dropped 1 self loop', 'merged 1 duplicate edge']",
        "48,278 edges, undirected) equal",
        "200,000 rows, stopped by limit",
        "200000 ['a', 'b', 'c', 'd']",
    ],
    "local_counts.py": [
        "14,495 triangles, mean clustering coefficient 0.487",
        "4-truss: 8,896 of 10,000 edges",
        "the same as NetworkX's",
    ],
    "against_networkx.py": ["house       1562 embeddings", "induced paths of four: the same 1362 rows"],
}
NEEDS = {
    "masks_from_pandas.py": "pandas",
    "against_networkx.py": "networkx",
    "local_counts.py": "networkx",
}


def test_every_example_is_listed() -> None:
    names = {path.name for path in FOLDER.glob("*.py")}
    assert names == set(LINES)
    told = (FOLDER / "README.md").read_text()
    assert [name for name in names if name not in told] == []


@pytest.mark.parametrize("name", sorted(LINES))
def test_example(name: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    home = str(Path(subiso.__file__).parents[1])  # a checkout's src, or site-packages
    result = subprocess.run(
        [sys.executable, str(FOLDER / name)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": home, "TMPDIR": str(tmp_path)},
    )
    assert result.returncode == 0, result.stderr
    assert [line for line in LINES[name] if line not in result.stdout] == [], result.stdout
