"""Fills the ignored folder carry/ with what bench/gpu, bench/ablation and an in-place build need on another machine.

python bench/gpu/pack.py ../shared/data carry
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path

LABELLED = ("hprd", "yeast")
"""Graphs of the labelled queries."""
EDGE_LABELLED = ("FB13", "WN18RR", "NELL-995", "codex-m", "ICEWS14")
"""Those of bench/storage.py and bench/gpu/joins.py."""


def main(data: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    graphs = json.loads((Path(__file__).parent / "peers.json").read_text())
    names = ["load.py", "rmat.py", "oracle.json", "patterns.json", "queries/labelled.json"]
    for name in [*names, *(f"{graph}.npz" for graph in (*graphs, *LABELLED, *EDGE_LABELLED))]:
        if (data / name).is_file():
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(data / name, folder / name)
    spec = importlib.util.find_spec("nanobind")
    if spec is not None and spec.submodule_search_locations:
        shutil.copytree(spec.submodule_search_locations[0], folder / "nanobind", dirs_exist_ok=True)
    print(sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 1e6, "MB in", folder)


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (Path(sys.argv[1]) / "load.py").is_file():
        sys.exit("usage: python bench/gpu/pack.py DATA FOLDER, where DATA has load.py and the graphs")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
