"""A data folder of tiny graphs, for studies and showcases that run through the shim."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np

from subiso.engine import reference
from subiso.engine.query import make_query
from subiso.graph import Graph
from subiso.pattern import Pattern

K4 = [list(pair) for pair in itertools.combinations(range(4), 2)]
K5 = [list(pair) for pair in itertools.combinations(range(5), 2)]
GMATCH = {
    "P1": [*K4[:2], [1, 2]],
    "P2": K4,
    "P3": K4[:5],
    "P4": [[0, 1], [1, 2], [2, 3], [0, 3]],
    "P8": K5[:-1],
    "P9": K5,
}
QUERY_EDGES = [[0, 1], [1, 2]]


FOLDER_LOADER = """
import numpy as np

def load(path):
    src, dst = np.random.default_rng(0).integers(0, 12, (2, 45))
    keep = np.unique(np.stack([np.minimum(src, dst), np.maximum(src, dst)])[:, src != dst], axis=1)
    return {"n": 12, "src": keep[0], "dst": keep[1], "directed": False, "kind": "undirected"}
"""


def make_folder(place: Path) -> Path:
    """A data folder on disk, with one graph, `tiny`."""
    data = TinyData()
    (place / "queries").mkdir(parents=True)
    (place / "load.py").write_text(FOLDER_LOADER)
    (place / "tiny.npz").write_bytes(b"")
    (place / "oracle.json").write_text(json.dumps(data.oracle()))
    (place / "patterns.json").write_text(json.dumps(data.patterns()))
    (place / "queries" / "labelled.json").write_text(json.dumps(data.labelled_queries()))
    return place


class TinyData:
    """Answers as DataFolder does; every name is the same small graph (rmat, of another seed)."""

    path = None

    def __init__(self, oracle_off_by: int = 0) -> None:
        self.off = oracle_off_by

    def graph(self, name: str) -> Graph:
        rng = np.random.default_rng(name.startswith("rmat"))
        return Graph.from_edges(*rng.integers(0, 12, (2, 45)), num_vertices=12)

    def oracle(self) -> Any:
        graph = self.graph("tiny")
        answers = {
            name: {
                "edges": edges,
                "subgraphs": reference.count(make_query(graph, Pattern.from_edges(edges))).count + self.off,
                "induced": reference.count(make_query(graph, Pattern.from_edges(edges), induced=True)).count,
            }
            for name, edges in list(GMATCH.items())[:4]
        }
        return {"tiny": answers}

    def patterns(self) -> Any:
        return {"gMatch": GMATCH, "STMatch": {"q1": GMATCH["P3"]}}

    def labelled_queries(self) -> Any:
        from subiso.bench.data import load_graph

        name = "email-Enron/labels16"
        graph = load_graph(self, name)  # type: ignore[arg-type]
        walk = [0, int(graph.neighbors(0)[0])]
        walk.append(next(int(v) for v in graph.neighbors(walk[1]) if v not in walk))
        labels = [int(graph.vertex_labels.names[graph.vertex_labels.codes[v]]) for v in walk]  # type: ignore[union-attr]
        pattern = Pattern.from_edges(QUERY_EDGES, vertex_labels=labels)
        known = reference.count(make_query(graph, pattern, unique=False)).count
        return {name: [{"name": "q", "labels": labels, "edges": QUERY_EDGES, "embeddings": known}]}
