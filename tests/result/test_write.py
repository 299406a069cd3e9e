"""Files of matches: every format reads back, a failure leaves nothing behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import subiso as si
from subiso.errors import FormatError

GRAPH = si.Graph.from_edges(["x", 'a "quoted", one', "é"], ["y", "x", "y"])
OPTIONS: dict[str, Any] = {"engine": "reference", "order": "sorted", "unique": False}
READERS = {
    "rows.parquet": pyarrow.parquet.read_table,
    "rows.csv": pyarrow.csv.read_csv,
    "rows.json": lambda p: pa.Table.from_pylist(json.loads(p.read_text())),
    "rows.jsonl": lambda p: pa.Table.from_pylist([json.loads(line) for line in p.read_text().splitlines()]),
    "rows.arrow": lambda p: pa.ipc.open_file(p).read_all(),
}


@pytest.mark.parametrize("name", READERS)
def test_round_trip(name: str, tmp_path: Path) -> None:
    m = si.match(GRAPH, "(a)--(b)", **OPTIONS)
    assert m.write(tmp_path / name) == 6
    assert READERS[name](tmp_path / name).to_pylist() == list(m)
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", READERS)
def test_no_rows(name: str, tmp_path: Path) -> None:
    assert si.match(GRAPH, si.Pattern.clique(4), **OPTIONS).write(tmp_path / name) == 0
    if name == "rows.json":
        assert json.loads((tmp_path / name).read_text()) == []
    elif name != "rows.jsonl":
        assert READERS[name](tmp_path / name).num_rows == 0


def test_format_beside_the_suffix(tmp_path: Path) -> None:
    si.match(GRAPH, "(a)--(b)", **OPTIONS).write(tmp_path / "rows.txt", format="csv")
    assert (tmp_path / "rows.txt").read_text().startswith("a,b\n")


def test_unknown_formats(tmp_path: Path) -> None:
    m = si.match(GRAPH, "(a)--(b)", **OPTIONS)
    with pytest.raises(FormatError, match=r"the suffix '\.xls' names no format"):
        m.write(tmp_path / "rows.xls")
    with pytest.raises(FormatError, match="unknown format 'xml'"):
        m.write(tmp_path / "rows.csv", format="xml")


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot write: No such file or directory"):
        si.match(GRAPH, "(a)--(b)", **OPTIONS).write(tmp_path / "nowhere" / "rows.csv")


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("old")
    m = si.match(GRAPH, "(a)--(b)", **OPTIONS)

    def broken() -> Any:
        yield next(si.match(GRAPH, "(a)--(b)", **OPTIONS).batches())
        raise KeyboardInterrupt

    monkeypatch.setattr(m, "batches", broken)
    with pytest.raises(KeyboardInterrupt):
        m.write(path)
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["rows.csv"]
