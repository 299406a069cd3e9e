"""More than 10,000 damaged files of every format: each is an error, or means what an obvious parser says it
means.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subiso.errors import FormatError
from subiso.formats import read, text, write
from subiso.graph import Graph

from . import naive
from .compare import edges_of, vertices_of

KEEP: dict[str, Any] = {"parallel": "keep", "loops": "keep"}
TOKENS = [
    *(
        b"-1",
        b"0",
        b"1",
        b"99",
        b"9223372036854775807",
        b"9223372036854775808",
        b"1e400",
        b"nan",
        b"inf",
        b"x",
        b"",
    ),
    *(
        b"1.5",
        b"4294967295",
        b"-",
        b"+3",
        b"0x10",
        b"\xff\xfe",
        b"\0",
        b'"',
        b'""',
        b"1,2",
        b"t",
        b"e",
        b"v",
        b"#",
    ),
    *(b"%", b"99999999999999999999999999", b"true", b"\xc3\xa9", b" ", b"\t", b"\r", b"\n", b"\r\n"),
]


def mutate(rng: random.Random, data: bytes) -> bytes:
    """One to three accidents: flipped, lost, doubled or foreign bytes, tokens and lines."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(ACCIDENTS)(rng, data)
    return data


def _flip(rng: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    i = rng.randrange(len(data))
    return data[:i] + bytes([data[i] ^ (1 << rng.randrange(8))]) + data[i + 1 :]


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _lose(rng: random.Random, data: bytes) -> bytes:
    i = rng.randrange(len(data) + 1)
    return data[:i] + data[i + rng.randrange(1, 9) :]


def _insert(rng: random.Random, data: bytes) -> bytes:
    i = rng.randrange(len(data) + 1)
    return data[:i] + rng.choice(TOKENS) + data[i:]


def _replace_token(rng: random.Random, data: bytes) -> bytes:
    words = data.split(b" ") if b" " in data else data.split(b"\t")
    words[rng.randrange(len(words))] = rng.choice(TOKENS)
    return (b" " if b" " in data else b"\t").join(words)


def _lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(j, lines[i])
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines.insert(i, rng.choice((b"", b"# note", b"% note", b"  \t ", b"1", b"1 2 3 4 5")))
    return b"\n".join(lines)


def _endings(rng: random.Random, data: bytes) -> bytes:
    return rng.choice(
        (data.replace(b"\n", b"\r\n"), data.rstrip(b"\n"), b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r"))
    )


def _garbage(rng: random.Random, data: bytes) -> bytes:
    return (
        rng.randbytes(rng.randrange(1, 200))
        if rng.random() < 0.2
        else data + rng.randbytes(rng.randrange(1, 20))
    )


ACCIDENTS: list[Callable[[random.Random, bytes], bytes]] = [
    *(_flip, _flip, _cut, _lose, _insert, _insert, _replace_token, _replace_token),
    *(_lines, _lines, _endings, _garbage),
]


@pytest.fixture(autouse=True)
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of tiny files need not reach the disk."""
    monkeypatch.setattr("os.fsync", lambda _: None)


def make_graph(rng: random.Random, **extra: Any) -> Graph:
    n = rng.randrange(3, 9)
    m = rng.randrange(2, 14)
    ends = [[rng.randrange(n) for _ in range(m)] for _ in range(2)]
    return Graph.from_edges(
        *ends, num_vertices=n, parallel="merge", **{k: v(rng, n, m) for k, v in extra.items()}
    )


def ints(rng: random.Random, n: int, m: int) -> list[int]:
    return [rng.randrange(4) for _ in range(n)]


def edge_ints(rng: random.Random, n: int, m: int) -> list[int]:
    return [rng.randrange(4) for _ in range(m)]


def weights(rng: random.Random, n: int, m: int) -> dict[str, Any]:
    return {"weight": np.array([rng.choice((1, 2.5, -3)) for _ in range(m)])}


def int_weights(rng: random.Random, n: int, m: int) -> dict[str, Any]:
    return {"weight": np.array([rng.randrange(9) for _ in range(m)])}


def plain_edges(rng: random.Random) -> bytes:
    width = rng.choice((2, 2, 3))
    rows = [" ".join(str(rng.randrange(20)) for _ in range(width)) for _ in range(rng.randrange(1, 12))]
    top = rng.choice(
        (
            "",
            "# Directed graph\n",
            "# Undirected graph\n",
            "% asym\n",
            "FromNodeId ToNodeId x\n"[: 19 + 2 * width],
        )
    )
    return (top + "\n".join(rows) + "\n").encode()


@dataclass(frozen=True)
class Case:
    """A format under test: seeds, the obvious parser, the options of read and write, and how many files."""

    file: str
    format: str
    make: Callable[[random.Random], Graph | bytes]
    oracle: Callable[[Path], Any]
    count: int
    options: dict[str, Any] = field(default_factory=lambda: KEEP)
    writing: dict[str, Any] = field(default_factory=dict)


def rich(rng: random.Random) -> Graph:
    return make_graph(rng, edge_labels=edge_ints, edge_columns=weights)


def quoted(rng: random.Random) -> bytes:
    words = ['"a,b"', '"say ""hi"""', "plain", '"two\nlines"', '"x"', "y z"]
    rows = [f"{rng.choice(words)},{rng.choice(words)},{rng.randrange(9)}" for _ in range(rng.randrange(1, 9))]
    return ("source,target,n\n" + "\n".join(rows) + "\n").encode()


def any_weights(rng: random.Random) -> Graph:
    return make_graph(rng, edge_columns=rng.choice((weights, int_weights)))


LOSSY = {"lossy": True}
INTS = {**KEEP, "ids": "int", "header": True}
WORDS = {**KEEP, "ids": "text", "header": True}
CASES = {
    "plain edge list": Case("g.txt", "edgelist", plain_edges, naive.edgelist, 1500),
    "edge list": Case("g.txt", "edgelist", rich, naive.edgelist, 1500),
    "csv": Case("g.csv", "csv", rich, lambda p: naive.table(p, ",", "int", "label"), 1500, INTS, LOSSY),
    "quoted csv": Case("g.csv", "csv", quoted, lambda p: naive.table(p, ",", "text", None), 1000, WORDS),
    "tsv": Case("g.tsv", "tsv", make_graph, lambda p: naive.table(p, "\t", "text", None), 1000, WORDS, LOSSY),
    "matrix market": Case("g.mtx", "mtx", any_weights, naive.matrix_market, 1500),
    "rapidmatch": Case(
        "g.lg", "tve", lambda r: make_graph(r, vertex_labels=ints, edge_labels=edge_ints), naive.tve, 1500
    ),
    "gspan": Case(
        "g.gspan",
        "tve",
        lambda r: make_graph(r, vertex_labels=ints),
        naive.tve,
        1000,
        KEEP,
        {"dialect": "gspan"},
    ),
    "metis": Case(
        "g.metis", "metis", lambda r: make_graph(r, edge_columns=int_weights), naive.metis, 1000, {}
    ),
    "bare metis": Case("g.metis", "metis", make_graph, naive.metis, 1000, {}),
}


def check(path: Path, format_: str, oracle: Callable[[Path], Any], options: dict[str, Any]) -> bool:
    """True when the file was read; then it must mean what the oracle says."""
    try:
        graph = read(path, format=format_, **options)
    except FormatError as error:
        assert str(path.name) in str(error) or "graph." in str(error), (
            f"the error does not name the file: {error}"
        )
        return False
    meaning = oracle(path)
    assert graph.directed == meaning.directed
    assert edges_of(graph) == meaning.edges
    assert vertices_of(graph) == meaning.vertices
    return True


@pytest.mark.parametrize("case", CASES)
def test_text_formats(tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    it = CASES[case]
    rng = random.Random(case)
    path = tmp_path / it.file
    monkeypatch.setattr(text, "LEAST_CHUNK", 16)  # so that tiny files are cut among threads too
    monkeypatch.setattr(text, "threads", lambda: rng.choice((1, 2, 3)))
    passed = 0
    for i in range(it.count):
        seed = it.make(rng)
        if isinstance(seed, Graph):
            write(seed, path, **it.writing)
            seed = path.read_bytes()
        data = mutate(rng, seed)
        path.write_bytes(data)
        try:
            passed += check(path, it.format, it.oracle, it.options)
        except Exception as error:
            pytest.fail(f"file {i} of {case}: {error!r}\n{data!r}")
    assert it.count // 50 < passed < it.count, f"{passed} of {it.count} damaged files were read"


def test_what_was_dropped_is_counted(tmp_path: Path) -> None:
    rng = random.Random(7)
    path = tmp_path / "g.txt"
    for i in range(800):
        data = mutate(rng, plain_edges(rng).replace(b"# Directed graph\n", b""))
        path.write_bytes(data)
        try:
            graph = read(path, format="edgelist", columns=())
        except FormatError:
            continue
        rows = sum(naive.edgelist_rows(path))
        assert graph.num_edges + graph.report.loops_dropped + graph.report.duplicates_merged == rows, (
            i,
            data,
        )


def test_subiso_is_never_read_when_damaged(tmp_path: Path) -> None:
    rng = random.Random(1)
    path = tmp_path / "g.subiso"
    for i in range(1500):
        directed = rng.random() < 0.5
        extra = {"vertex_labels": ints, "edge_labels": edge_ints, "edge_columns": weights}
        some = {key: value for key, value in extra.items() if rng.random() < 0.6}
        graph = make_graph(rng, **some, directed=lambda *_, d=directed: d)
        write(graph, path)
        sound = path.read_bytes()
        data = mutate(rng, sound)
        if data == sound:
            continue
        path.write_bytes(data)
        with pytest.raises(FormatError, match="subiso"):
            read(path, format="subiso")
            pytest.fail(f"damaged file {i} was read")


@pytest.mark.parametrize("name", ["g.parquet", "g.txt.gz"])
def test_packed_files(tmp_path: Path, name: str) -> None:
    rng = random.Random(name)
    path = tmp_path / name
    for i in range(500):
        graph = make_graph(rng, edge_columns=weights)
        write(graph, path)
        sound = path.read_bytes()
        path.write_bytes(mutate(rng, sound))
        try:
            found = read(path, format="parquet" if name == "g.parquet" else "edgelist", **KEEP)
        except FormatError as error:
            assert name in str(error)
            continue
        assert edges_of(found) == edges_of(graph), f"file {i}: {path.read_bytes()!r}"


def test_graphminer(tmp_path: Path) -> None:
    rng = random.Random(2)
    folder = tmp_path / "g"
    read_at_all = 0
    for i in range(800):
        graph = make_graph(rng, vertex_labels=ints, edge_labels=edge_ints)
        write(graph, folder, format="graphminer")
        victim = rng.choice(sorted(folder.iterdir()))
        data = mutate(rng, victim.read_bytes())
        victim.write_bytes(data)
        try:
            read_at_all += check(folder, "graphminer", naive.graphminer, KEEP)
        except Exception as error:
            pytest.fail(f"file {i}, {victim.name}: {error!r}\n{data!r}")
        shutil.rmtree(folder)
    assert read_at_all > 0


def test_detection_never_crashes(tmp_path: Path) -> None:
    rng = random.Random(3)
    for i in range(1000):
        path = (
            tmp_path
            / f"g{rng.choice(('', '.txt', '.graph', '.csv', '.gz', '.subiso', '.parquet', '.mtx', '.lg'))}"
        )
        path.write_bytes(
            mutate(
                rng, rng.choice((b"t 2 1\nv 0 0 1\nv 1 0 1\ne 0 1\n", b"2 1\n2\n1\n", b"a,b\n1,2\n", b"PAR1"))
            )
        )
        try:
            read(path)
        except FormatError as error:
            assert path.name in str(error), i
        path.unlink()
