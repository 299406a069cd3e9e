"""The shared folder of real graphs and known counts, for tests; where it is absent, they are skipped.

It lies beside the repository: <repository>/../shared/data. Graphs are read once per test process.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from subiso.bench.data import DataFolder
from subiso.graph import Graph

ROOT = Path(__file__).resolve().parents[1]
FOLDER = DataFolder(ROOT.parent / "shared" / "data")


@cache
def load_graph(name: str) -> Graph:
    """A graph by its name in oracle.json: a file of the folder, `karate` or `rmat<scale>`."""
    if name == "karate":
        networkx = pytest.importorskip("networkx", reason="karate is Zachary's club as NetworkX has it")
        src, dst = zip(*networkx.karate_club_graph().edges(), strict=True)
        return Graph.from_edges(src, dst, num_vertices=34)
    return _folder().graph(name)


@cache
def oracle() -> dict[str, dict[str, dict[str, Any]]]:
    """{graph: {pattern: {edges, subgraphs, induced, automorphisms, agreed_by}}}"""
    found: dict[str, dict[str, dict[str, Any]]] = _folder().oracle()
    return found


@cache
def patterns() -> dict[str, dict[str, Any]]:
    """{collection: {name: edges}}"""
    found: dict[str, dict[str, Any]] = _folder().patterns()
    return found


@cache
def labelled_queries() -> dict[str, list[dict[str, Any]]]:
    """{graph: [{name, labels, edges, embeddings}]}"""
    found: dict[str, list[dict[str, Any]]] = _folder().labelled_queries()
    return found


def _folder() -> DataFolder:
    if not FOLDER.present:
        pytest.skip("the shared folder of real graphs is not beside the repository")
    return FOLDER
