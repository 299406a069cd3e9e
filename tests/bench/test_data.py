"""The shared graphs as tests see them: sizes as published, labels and columns where there are any."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.data import FOLDER, labelled_queries, load_graph, oracle, patterns

from subiso.bench.data import DataFolder
from subiso.errors import SubisoError


def test_every_graph_has_the_size_its_readme_says() -> None:
    load_graph("cora")  # skips where the folder is absent
    assert FOLDER.path is not None
    table = re.findall(
        r"^\| ([\w.-]+) \| (\d+) \| (\d+) \|", (FOLDER.path / "README.md").read_text(), re.MULTILINE
    )
    assert len(table) > 30
    for name, n, m in table:
        graph = FOLDER.graph(name)
        assert (graph.num_vertices, graph.num_edges) == (int(n), int(m)), name
        assert not graph.report, name


def test_labels_columns_and_direction() -> None:
    assert len(load_graph("yeast").vertex_labels.names) == 71  # type: ignore[union-attr]
    assert len(load_graph("FB13").edge_labels.names) == 13  # type: ignore[union-attr]
    otc = load_graph("bitcoin-otc")
    assert otc.directed and sorted(otc.edge_columns) == ["time", "weight"]


def test_graphs_are_read_once() -> None:
    assert load_graph("cora") is load_graph("cora")


def test_karate_needs_no_folder() -> None:
    graph = load_graph("karate")
    assert (graph.num_vertices, graph.num_edges) == (34, 78)


def test_generated_graphs_are_those_of_the_benchmarks() -> None:
    graph = load_graph("rmat10")
    assert graph.num_vertices == 1024 and 9000 < graph.num_edges < 12_000


def test_the_json_files() -> None:
    assert oracle()["karate"]["triangle"]["subgraphs"] == 45
    assert len(patterns()["STMatch"]) == 24
    assert len(labelled_queries()["hprd"]) == 170


def test_an_absent_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SubisoError, match="cora is not here: the folder of real graphs is missing"):
        DataFolder(tmp_path).graph("cora")
