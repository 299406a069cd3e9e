"""The folder of real graphs and known counts that tests and benchmarks share, beside the repository."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from subiso.errors import SubisoError
from subiso.graph.graph import Graph


def with_labels(graph: Graph, labels: int) -> Graph:
    """The same graph with uniformly random vertex labels 0..labels-1.

    >>> with_labels(Graph.from_edges([0, 1], [1, 2]), 10).vertex_labels is None
    False
    """
    drawn = np.random.default_rng(labels).integers(0, labels, graph.num_vertices)
    src, dst = graph.edge_endpoints()
    return Graph.from_edges(
        src, dst, num_vertices=graph.num_vertices, directed=graph.directed, vertex_labels=drawn
    )


def load_graph(data: DataFolder, name: str) -> Graph:
    """A graph of the folder; `email-Enron/labels16`: with 16 labels, drawn by a generator that is seeded with 16."""
    base, _, labels = name.partition("/labels")
    if labels and not labels.isdecimal():
        raise SubisoError(f"{name!r} says no number of labels", hint=f"write {base}/labels16")
    graph = data.graph(base)
    return with_labels(graph, int(labels)) if labels else graph


class DataFolder:
    """Real graphs (`graph(name)`), known counts (`oracle`), named patterns and labelled queries.

    >>> DataFolder(None).present
    False
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path

    @property
    def present(self) -> bool:
        return self.path is not None and (self.path / "load.py").is_file()

    def graph(self, name: str) -> Graph:
        """A graph of the folder; `rmat20` and the like are generated as its benchmarks' rmat.py does."""
        self._need(name)
        generated = re.fullmatch(r"rmat(\d+)", name)
        if generated:
            n, src, dst = self._module("rmat").rmat(int(generated[1]))
            return Graph.from_edges(src, dst, num_vertices=n)
        file = self._need(name) / f"{name}.npz"
        if not file.is_file():
            raise SubisoError(f"{file.parent} has no graph {name!r}", hint=f"{file.name} is missing there")
        raw = self._load(str(file))
        columns = {key: raw[key] for key in ("time", "weight") if key in raw}
        return Graph.from_edges(
            raw["src"],
            raw["dst"],
            num_vertices=raw["n"],
            directed=raw["directed"],
            vertex_labels=raw.get("vlabel"),
            edge_labels=raw.get("elabel"),
            edge_columns=columns or None,
            parallel="keep" if columns else None,
            loops="keep" if raw["directed"] else "error",
        )

    def oracle(self) -> Any:
        """{graph: {pattern: {edges, subgraphs, induced, automorphisms, agreed_by}}}"""
        return self._json("oracle.json")

    def patterns(self) -> Any:
        """{collection: {name: edges}}"""
        return self._json("patterns.json")

    def labelled_queries(self) -> Any:
        """{graph: [{name, labels, edges, embeddings}]}"""
        return self._json("queries/labelled.json")

    def _need(self, name: str) -> Path:
        if self.path is None or not (self.path / "load.py").is_file():
            raise SubisoError(
                f"{name} is not here: the folder of real graphs is missing",
                hint="pass its place as --data, or run the self_contained suite",
            )
        return self.path

    def _json(self, name: str) -> Any:
        file = self._need(name) / name
        if not file.is_file():
            raise SubisoError(f"{file.parent} has no {name}", hint="another folder of graphs may: --data")
        return json.loads(file.read_text())

    @cached_property
    def _load(self) -> Callable[[str], dict[str, Any]]:
        load: Callable[[str], dict[str, Any]] = self._module("load").load
        return load

    def _module(self, name: str) -> Any:
        place = self._need(name) / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"shared_data_{name}", place)
        if spec is None or spec.loader is None:
            raise SubisoError(f"{name}.py of the data folder cannot be loaded")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
