"""Every kind of bad file has its message: what, which file, which line, and what to do."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subiso.errors import FormatError
from subiso.formats import FORMATS, detect, read, verify, write
from subiso.formats.files import os_errors
from subiso.graph import Graph

MTX = "%%MatrixMarket matrix coordinate "
TEXTS: list[tuple[str, str, dict[str, Any], int | None, str]] = [
    ("g.txt", "1 2\n3 x\n", {}, 2, "field 2: 'x' is not an integer in '3 x'"),
    ("g.txt", "1 2\n\n# c\n3\n", {}, 4, "too few fields: 1"),
    ("g.txt", "1 2\r\n3 4 5\r\n", {}, 2, "too many fields: '5'"),
    ("g.txt", "1 2\n1 9223372036854775808\n", {}, 2, "does not fit into a signed 64-bit integer"),
    ("g.txt", "1 2\n1 1.5\n", {}, 2, "'1.5' is not an integer"),
    ("g.txt", "1 2 0.5\n1 3 inf\n", {}, 2, "'inf' is not a finite number"),
    ("g.txt", "1 2 0.5\n1 3 1e999\n", {}, 2, "'1e999' is not a finite number"),
    ("g.txt", "1 2 0.5\n1 3 big\n", {}, 2, "'big' is not a number"),
    ("g.txt", "1 2 true\n1 3 4\n", {}, None, "mixes true/false with numbers"),
    ("g.txt", "ann bob\ncid d\x07e\n", {}, 2, "not clean UTF-8"),
    ("g.txt", "# Nodes: 3 Edges: 5\n1 2\n2 3\n", {}, 1, "the header says 5 edges, the file has 2"),
    ("g.txt", "# nothing but this\n", {}, None, "the file has no edges"),
    ("g.txt", "", {}, None, "the file is empty"),
    ("g.txt", "1 2\n1 \0 2\n", {}, None, "NUL bytes"),
    ("g.txt", '# subiso: {"directed": 3}\n1 2\n', {}, 1, "note is damaged"),
    ("g.txt", '# subiso: {"directed": false, "vertices": 2}\n1 2\n', {}, None, "vertex 2 is outside 0..1"),
    (
        "g.txt",
        '# subiso: {"directed": false, "vertices": 4000000000}\n1 2\n',
        {},
        None,
        "4000000000 vertices are claimed",
    ),
    ("g.txt", "1 2 7\n1 2 8\n", {}, None, "repeats row 0"),
    ("g.txt", "1 2\n", {"label": 5}, None, "there is no field 5 for label="),
    ("g.txt", "1 2\n", {"colour": 5}, None, "option 'colour' is unknown to the format edgelist"),
    ("g.txt", "1 2\n", {"format": "gexf"}, None, "format 'gexf' is unknown"),
    ("g.txt", "1 2\n", {"ids": "float"}, None, "ids='float' is unknown"),
    ("g.txt", "1 2\n", {"label": 1.5}, None, "option 'label' is 1.5; it must be a whole number or text"),
    ("g.txt", "1 2\n", {"columns": [1.5]}, None, "option 'columns' is [1.5]; it must be "),
    ("g.txt", "1 2\n", {"columns": {"a": None}}, None, "option 'columns' is {'a': None}; it must be "),
    ("g.txt", "1 2\n", {"columns": "name"}, None, "there is no field 'name' for columns="),
    ("g.txt", "1 2\n", {"header": "no"}, None, "option 'header' is 'no'; it must be true or false"),
    ("g.txt", "1 2\n", {"loops": 3}, None, "option 'loops' is 3; it must be drop or keep or error"),
    ("g.csv", "a,b\n1,2\n", {"vertices": 3}, None, "option 'vertices' is 3; it must be text or a path"),
    ("g.csv", "a,b\n1,2\n", {"delimiter": 3}, None, "option 'delimiter' is 3; it must be text"),
    ("g.csv", "source,target\n1,2\n3,\n", {}, 3, "field 2 (target) is empty"),
    ("g.csv", "source,target,note\n1,2,hi\n", {}, 2, "field 3 (note): 'hi' is not a number"),
    ("g.csv", "source,target,x\n1,2,3\n4,5\n", {}, 3, "too few fields: 2"),
    ("g.csv", "source,source\n1,2\n", {}, None, "two fields have the name 'source'"),
    ("g.csv", "source,target,a,a\n1,2,3,4\n", {}, None, "two fields have the name 'a'"),
    ("g.csv", 'source,target\n"ann",bob\n"cid\n', {}, 3, "a quote opens here and never closes"),
    ("g.csv", 'source,target\n"ann",bob\n"cid"x,y\n', {}, 3, "text behind a closing quote"),
    ("g.csv", 'source,target\n"ann",bob\n"cid"\n', {}, 3, "1 fields where 2 are due"),
    ("g.csv", 'source,target\n"1",2\n"x",2\n', {"ids": "int"}, 3, "'x' is not a 64-bit integer"),
    ("g.csv", 'source,target,w\n"a",b,1\n,d,\n', {}, 3, "field 'source' is empty"),
    ("g.csv", 'source,target,w\n"a",b,1\na,d,inf\n', {}, 3, "field 'w': 'inf' is not a finite number"),
    (
        "g.csv",
        "source,target,w\n1,2,9007199254740993\n3,4,\n",
        {},
        None,
        "field 3 (w) has missing values beside integers that no float holds exactly",
    ),
    ("g.csv", "source,target,w\n1,2,true\n3,4,\n5,6,7\n", {}, None, "mixes true/false with numbers"),
    ("g.csv", "source,target\n", {"delimiter": "::"}, None, "the delimiter must be one ASCII character"),
    ("g.csv", "a\n", {}, None, "target is missing"),
    ("g.csv", "\n\n", {}, None, "neither a header nor edges"),
    ("g.mtx", "1 2\n", {}, 1, "not a Matrix Market banner"),
    ("g.mtx", MTX + "complex general\n2 2 0\n", {}, 1, "'complex' is not supported"),
    ("g.mtx", MTX + "real hermitian\n2 2 0\n", {}, 1, "'hermitian' is not supported"),
    ("g.mtx", "%%MatrixMarket matrix array real general\n2 2\n", {}, 1, "'array' is not supported"),
    ("g.mtx", MTX + "pattern general\n2 3 1\n1 2\n", {}, 2, "a matrix of 2 by 3"),
    ("g.mtx", MTX + "pattern general\n2 x 1\n1 2\n", {}, 2, "not the sizes of a matrix"),
    ("g.mtx", MTX + "pattern general\n", {}, None, "the line with the sizes is missing"),
    ("g.mtx", MTX + "pattern general\n% c\n2 2 1\n% c\n1 3\n", {}, 5, "index 3 is outside 1..2"),
    ("g.mtx", MTX + "pattern general\n2 2 1\n0 1\n", {}, 3, "index 0 is outside 1..2"),
    ("g.mtx", MTX + "pattern general\n2 2 3\n1 2\n", {}, 2, "promises 3 entries, the file has 1"),
    (
        "g.mtx",
        MTX + "pattern general\n4000000000 4000000000 1\n1 2\n",
        {},
        None,
        "4000000000 vertices are claimed",
    ),
    ("g.mtx", MTX + "real general\n2 2 1\n1 2 inf\n", {}, 3, "'inf' is not a finite number"),
    ("g.mtx", MTX + "real general\n2 2 1\n1 2 nan\n", {}, 3, "'nan' is not a finite number"),
    ("g.lg", "v 0 1\n", {}, 1, "a t line is due first"),
    ("g.lg", "t 2 1\nv 0 1 1\nv 1 1 1\ne 0 2\n", {"check_counts": False}, 4, "vertex 2 has no v line"),
    ("g.lg", "t 2 1\nv 0 1 1\nv 2 1 1\ne 0 1\n", {}, 3, "vertex 2 is outside 0..1"),
    ("g.lg", "t 3 1\nv 0 1 1\nv 1 1 1\ne 0 1\n", {}, 1, "promises 3 vertices, there are 2"),
    ("g.lg", "t 2 2\nv 0 1 1\nv 1 1 1\ne 0 1\n", {}, 1, "promises 2 edges, there are 1"),
    ("g.lg", "t 2 1\nv 0 1 1\nv 1 1 4\ne 0 1\n", {}, 3, "vertex 1 has degree 1, the file says 4"),
    (
        "g.lg",
        "t 2 1\nv 0 1 1\nv 0 1 1\ne 0 0\n",
        {"check_counts": False},
        None,
        "vertex 0 stands there twice",
    ),
    ("g.lg", "t 2 1\nv 0 1 1\nx 1 1 1\ne 0 1\n", {}, 3, "none of the letters"),
    ("g.lg", "t # 0\nv 0 1\nt # 1\nv 0 2\n", {}, 3, "the file holds 2 graphs"),
    ("g.lg", "t # 0\nv 0 1\n", {"index": 3}, None, "there is no graph 3"),
    ("g.lg", "t # 0\nt # 1\nv 0 1\n", {"index": 0}, 1, "the graph has no vertices"),
    ("g.metis", "x\n", {}, 1, "not the header of a METIS graph"),
    ("g.metis", "2 1 002\n2\n1\n", {}, 1, "not the header of a METIS graph"),
    ("g.metis", "2 1 010 0\n2\n1\n", {}, 1, "disagree"),
    ("g.metis", "3 1\n2\n1\n", {}, 1, "3 vertices but 2 lines"),
    ("g.metis", "2 1\n2\n1\n% c\n1\n", {}, 5, "a line too many"),
    ("g.metis", "2 1\n2\n3\n", {}, 3, "neighbour 3 is outside 1..2"),
    ("g.metis", "2 1\n2\n\n", {}, 2, "1 lists 2, but not the other way round"),
    ("g.metis", "2 2\n2\n1\n", {}, 1, "promises 2 edges, the lists hold 1"),
    ("g.metis", "2 1 1\n2 5\n1 6\n", {}, 2, "has two weights"),
    ("g.metis", "2 1 1\n2 5\n1\n", {}, 3, "do not pair up"),
    ("g.metis", "2 1 10\n1 2\n\n", {}, 3, "1 numbers are due first"),
    ("g.metis", "1 0\n1\n", {}, 2, "lists itself"),
    ("g.metis", "2 1\n2\n1\n", {"directed": True}, None, "METIS graphs are undirected"),
    ("g.parquet", "PAR1 but not really", {}, None, "not a sound Parquet file"),
    ("g.subiso", "short", {}, None, "not a .subiso file"),
    ("g.subiso", "x" * 500, {}, None, "the magic number is wrong"),
    ("g.unknown", "word\n", {}, None, "neither suffix nor content"),
]


HINTS: list[tuple[str, str, str]] = [
    (
        "g.csv",
        "from,to,sum,type\na,b,1,wire\n",
        "label='note' makes it the label, columns=['sum'] leaves it out",
    ),
    (
        "g.csv",
        'from,to,sum,note\n"a",b,1,"x"\n',
        "label='note' makes it the label, columns=['sum'] leaves it out",
    ),
    (
        "g.csv",
        "from,to,sum,type,city\na,b,1,wire,Bern\n",
        "'note', 'city' are text: columns=['sum'] leaves them out, label='note' makes one of them the label",
    ),
    (
        "g.csv",
        'from,to,sum,note,city\n"a",b,1,wire,Bern\n',
        "'note', 'city' are text: columns=['sum'] leaves them out, label='note' makes one of them the label",
    ),
    ("g.txt", "1 2 x y 7\n", "fields 2, 3 (from 0) are text: columns=[4] leaves them out, label=2 makes one"),
    ("g.txt", "1 2 x 7\n", "label=2 makes it the label, columns=[3] leaves it out"),
    ("g.tsv", "# made by hand\n1\t2\n", "pass comments='#' (the first line looks like one)"),
    ("g.csv", "from\n1\n", "pass delimiter= or source=/target="),
]


@pytest.mark.parametrize(("name", "content", "hint"), HINTS)
def test_hint(tmp_path: Path, name: str, content: str, hint: str) -> None:
    (tmp_path / name).write_text(content.replace("type", "note"))
    with pytest.raises(FormatError) as caught:
        read(tmp_path / name)
    assert caught.value.hint is not None and caught.value.hint.startswith(hint)


def test_hint_of_a_vertex_file(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("from,to\na,b\n")
    (tmp_path / "v.csv").write_text("id,age,role,city\na,3,x,y\nb,4,z,y\n")
    with pytest.raises(FormatError) as caught:
        read(tmp_path / "g.csv", vertices=tmp_path / "v.csv")
    assert caught.value.hint is not None
    assert caught.value.hint.startswith(
        "'role', 'city' are text: vertex_columns=['age'] leaves them out, vertex_label='role' makes one of them"
    )


@pytest.mark.parametrize(("name", "content", "options", "line", "message"), TEXTS)
def test_message(
    *, tmp_path: Path, name: str, content: str, options: dict[str, Any], line: int | None, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode())
    with pytest.raises(FormatError) as caught:
        read(path, **options)
    assert message in caught.value.message
    assert caught.value.path == str(path)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        read(tmp_path / "none.txt")
    with pytest.raises(FormatError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(FormatError, match="make the folder first"):
        write(Graph.from_edges([0], [1]), tmp_path / "none" / "g.subiso")
    with pytest.raises(FormatError, match="stands for no format"):
        write(Graph.from_edges([0], [1]), tmp_path / "g.xyz")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("1 2\n")
    path.chmod(0)
    with pytest.raises(FormatError, match="permission denied"):
        read(path)


def test_what_the_system_refuses() -> None:
    for problem, message in (
        (PermissionError(13, "no"), "g.txt: may not read it: permission denied"),
        (OSError(5, "Input/output error"), "g.txt: cannot read it: Input/output error"),
    ):
        with pytest.raises(FormatError, match=message), os_errors("g.txt"):
            raise problem


def test_gzip_errors(tmp_path: Path) -> None:
    path = tmp_path / "g.txt.gz"
    packed = gzip.compress(b"1 2\n2 3\n" * 1000)
    path.write_bytes(packed[:-20])
    with pytest.raises(FormatError, match="ends too early"):
        read(path)
    path.write_bytes(packed[:-6] + b"xxxxxx")
    with pytest.raises(FormatError, match="not a sound gzip stream"):
        read(path)
    path.write_bytes(b"1 2\n")
    with pytest.raises(FormatError, match="but not gzip"):
        read(path)
    path.write_bytes(gzip.compress(b"1 2\n2 x\n"))
    with pytest.raises(FormatError, match=r"g.txt.gz:2: field 2: 'x'"):
        read(path)


def test_parquet_errors(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "g.parquet"
    for columns, message in (
        ({"source": [1, None], "target": [2, 3]}, "column 'source', row 1: the value is missing"),
        ({"source": [1.5, 2.0], "target": [2, 3]}, "column 'source' has type double"),
        ({"source": [1, 2], "target": ["a", "b"]}, "one end has integer ids and the other text"),
        ({"source": [1, 2], "target": [2, 3], "note": ["a", "b"]}, "column 'note' is text"),
        ({"source": [1, 2], "target": [2, 3], "x": [[1], [2]]}, "column 'x' has type list"),
        ({"source": [1, 2]}, "a target is missing"),
        ({"source": pa.array([2**64 - 1], pa.uint64()), "target": [1]}, "fit into signed 64-bit"),
    ):
        parquet.write_table(pa.table(columns), path)
        with pytest.raises(FormatError) as caught:
            read(path)
        assert message in str(caught.value)


def test_vertex_tables(tmp_path: Path) -> None:
    edges, vertices = tmp_path / "e.csv", tmp_path / "v.csv"
    edges.write_text("source,target\n1,2\n")
    for content, message in (
        ("id,label\n1,a\n", "vertex 2 is not in the vertex file"),
        ("id,label\n1,a\n1,b\n2,b\n", "vertex 1 stands there twice"),
        ("id,label\n1,a\nx,b\n", "'x' is not an integer"),
        ("\n", "no vertices"),
    ):
        vertices.write_text(content)
        with pytest.raises(FormatError, match=message):
            read(edges, vertices=vertices)


def test_graphminer_errors(tmp_path: Path) -> None:
    folder = tmp_path / "g"
    graph = Graph.from_edges([0, 1], [1, 2], num_vertices=3, vertex_labels=[1, 2, 1])
    cases = (
        ("meta.txt", b"3 x", "not the meta file"),
        ("meta.txt", b"3 4 3 8 1 2\n2\n", "ids of 3 and 8 bytes"),
        ("meta.txt", b"3 4 4 8 1 2\n1\n", "the maximum degree is 2, the meta file says 1"),
        ("vertex.bin", b"\0" * 24, "24 bytes where 32 are due"),
        ("vertex.bin", struct.pack("<4q", 0, 3, 1, 4), "row pointer 2 is 1"),
        ("edge.bin", struct.pack("<4I", 1, 0, 7, 1), "lists 7, outside 0..2"),
        ("edge.bin", struct.pack("<4I", 1, 0, 2, 0), "not the other way round"),
        ("vlabel.bin", b"\0", "1 bytes where 3 are due"),
    )
    for name, content, message in cases:
        write(graph, folder, format="graphminer")
        (folder / f"graph.{name}").write_bytes(content)
        with pytest.raises(FormatError, match=message):
            read(folder)
    (folder / "graph.edge.bin").unlink()
    write(graph, folder, format="graphminer")
    (folder / "graph.edge.bin").unlink()
    with pytest.raises(FormatError, match="no such file"):
        read(folder)


def test_subiso_errors(tmp_path: Path) -> None:
    path = tmp_path / "g.subiso"
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=4, edge_columns={"w": np.arange(3.0)})
    write(graph, path)
    sound = path.read_bytes()

    def broken(at: int, value: bytes, *, header: bool = False) -> bytes:
        data = bytearray(sound)
        data[at : at + len(value)] = value
        if header:
            data[124:128] = struct.pack("<I", zlib.crc32(bytes(data[:124])))
        return bytes(data)

    for data, message in (
        (sound[:-1], "bytes where the header says"),
        (sound + b"\0", "something was appended"),
        (broken(40, b"\x09"), "header: the checksum is wrong"),
        (broken(8, b"\x02", header=True), "version 2 of the format is unknown"),
        (broken(12, b"\x01", header=True), "does not know"),
        (broken(130, b"x"), "section table: the checksum is wrong"),
        (broken(40, b"\x09", header=True), "edges"),
        (gzip.compress(sound), "cannot be mapped"),
        (b"", "the file is empty"),
    ):
        path.write_bytes(data)
        for check in (True, False):
            with pytest.raises(FormatError, match=message):
                read(path, check=check, format="subiso")
    path.write_bytes(broken(len(sound) - 1, b"\x01"))
    assert read(path, check=False).num_edges == 3  # what opening alone does not see, verify does
    with pytest.raises(FormatError, match=r"section 'edge_rows'.*the checksum is wrong"):
        verify(path)
    path.write_bytes(sound)
    with pytest.raises(FormatError, match="the graph in the file is undirected"):
        read(path, directed=True)


def test_lists_that_lie_are_found_by_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with right checksums over wrong lists: only a malicious or broken writer makes one."""
    from subiso.formats import binary

    path = tmp_path / "g.subiso"
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=4, vertex_labels=["a", "b", "a", "b"])
    honest = binary._arrays
    lies = {
        "out.neighbors": np.array([9, 0, 2, 1, 3, 2], np.uint32),
        "out.offsets": np.array([0, 5, 3, 5, 6]),
        "vlabel.codes": np.array([0, 1, 7, 1], np.uint32),
    }
    for name, lie in lies.items():
        monkeypatch.setattr(binary, "_arrays", lambda g, p, n=name, v=lie: {**honest(g, p), n: v})
        write(graph, path)
        with pytest.raises(FormatError, match="subiso"):
            verify(path)


def test_detection(tmp_path: Path) -> None:
    for name, content, wanted in (
        ("a.txt", b"1 2\n", "edgelist"),
        ("a.txt", b"t 1 0\nv 0 0 0\n", "tve"),
        ("a.graph", b"t # 0\nv 0 1\n", "tve"),
        ("a.graph", b"% c\n2 1\n2\n1\n", "metis"),
        ("a.dat", b"%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", "matrix-market"),
        ("a.dat", b"a,b\n", "csv"),
        ("a", b"3 4\n", "edgelist"),
        ("a.CSV.GZ", gzip.compress(b"1,2\n"), "csv"),
        ("a.tsv", b"1\t2\n", "tsv"),
        ("a.pq", b"PAR1", "parquet"),
    ):
        (tmp_path / name).write_bytes(content)
        assert detect(tmp_path / name) is FORMATS[wanted], name
