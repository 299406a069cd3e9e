"""Obvious parsers of every format, sharing no code with the library: what a file means, or Wrong. The fuzz
test's oracle.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

UNKNOWN = ("", "nan", "-nan", "na", "null")


class Wrong(Exception):
    """The file means nothing."""


@dataclass
class Meaning:
    directed: bool
    edges: Counter[tuple[Any, ...]]
    vertices: dict[Any, tuple[Any, ...]] = field(default_factory=dict)


def integer(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]+", text):
        raise Wrong(text)
    value = int(text[-4000:])
    if len(text) > 30 or not -(2**63) <= value < 2**63:
        raise Wrong(text)
    return value


def column(texts: list[str], gaps: bool) -> list[Any]:
    """Numbers of one kind: all true/false, all integers, or all floats; with gaps, None for what is UNKNOWN."""
    if gaps and any(text.lower() in UNKNOWN for text in texts):
        there = [text for text in texts if text.lower() not in UNKNOWN]
        found = iter(column(there, False))
        if any(type(v) is int and abs(v) > 2**53 for v in column(there, False)):
            raise Wrong("no float holds it")
        return [float(next(found)) if text.lower() not in UNKNOWN else None for text in texts]
    truth = [text.lower() in ("true", "false") for text in texts]
    if texts and all(truth):
        return [text.lower() == "true" for text in texts]
    if any(truth):
        raise Wrong("mixed")
    if all(re.fullmatch(r"-?[0-9]+", text) for text in texts):
        values = [int(text[:400]) for text in texts]
        return values if all(-(2**63) <= v < 2**63 for v in values) else [float(v) for v in values]
    try:
        values = [float(text) if "_" not in text else float("nan") for text in texts]
    except ValueError:
        raise Wrong("not numbers") from None
    if not all(math.isfinite(v) for v in values):
        raise Wrong("not finite")
    return values


def lines_of(data: bytes) -> list[str]:
    text = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")  # comments may hold anything
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def fields(line: str) -> list[str]:
    return [part for part in re.split(r"[ \t]+", line) if part]


def edge_table(
    rows: list[list[str]], names: list[str], directed: bool, label: int | None, ids: str, *, gaps: bool = True
) -> Counter[Any]:
    if any(len(row) != len(names) for row in rows):
        raise Wrong("ragged")
    extra = [i for i in range(2, len(names)) if i != label]
    columns = {names[i]: column([row[i] for row in rows], gaps) for i in extra}
    found: Counter[Any] = Counter()
    for number, row in enumerate(rows):
        ends = [integer(text) if ids == "int" else text for text in row[:2]]
        if "" in ends:
            raise Wrong("empty")
        if not directed:
            ends.sort(key=str)
        tag = None if label is None or row[label] == "" else row[label]
        found[(*ends, tag, tuple(sorted((name, values[number]) for name, values in columns.items())))] += 1
    return found


def appearing(edges: Counter[Any]) -> dict[Any, Any]:
    return {end: ((), ()) for edge in edges for end in edge[:2]}


def edgelist(path: Path) -> Meaning:
    directed, told, rows, top = False, {}, [], True
    for line in lines_of(path.read_bytes()):
        parts = fields(line)
        if parts and parts[0][0] not in "#%":
            top = False
            rows.append(parts)
        elif top and re.match(r"\s*#\s*subiso:", line):
            told = json.loads(line.split(":", 1)[1])
            directed = told["directed"]
        elif top and re.match(r"\s*([#%]\s*undirected|%\s*(sym|bip))\b", line, re.IGNORECASE):
            directed = False
        elif top and re.match(r"\s*([#%]\s*directed|%\s*asym)\b", line, re.IGNORECASE):
            directed = True
    if not told and len(rows) > 1 and _is_header(rows[0], rows[1]):
        names, rows = rows[0], rows[1:]
    else:
        names = [f"column{i + 1}" for i in range(len(rows[0]) if rows else 2)]
    if "columns" in told:
        names = ["s", "t", *(["label"] if told.get("label") else []), *told["columns"]]
    ids = told.get("ids") or (
        "int" if not rows or all(re.fullmatch("-?[0-9]+", x) for x in rows[0][:2]) else "text"
    )
    edges = edge_table(rows, names, directed, 2 if told.get("label") else None, ids)
    found = dict.fromkeys(range(told["vertices"]), ((), ())) if "vertices" in told else appearing(edges)
    return Meaning(directed, edges, found)


def edgelist_rows(path: Path) -> list[int]:
    """One per line of data."""
    rows = [fields(line) for line in lines_of(path.read_bytes())]
    rows = [row for row in rows if row and row[0][0] not in "#%"]
    return [1] * (len(rows) - (len(rows) > 1 and _is_header(rows[0], rows[1])))


def _is_header(first: list[str], second: list[str]) -> bool:
    number = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"
    if any(re.fullmatch(number, x) or x.lower() in UNKNOWN for x in first):
        return False
    if {"fromnodeid", "tonodeid"} <= {x.lower() for x in first}:
        return True
    return len(second) >= 2 and all(re.fullmatch("-?[0-9]+", x) for x in second[:2])


def table(path: Path, delimiter: str, ids: str, label: str | None) -> Meaning:
    """CSV with a header of source, target, perhaps a label, and numbers."""
    text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode()
    if any(
        part.strip(" \t").startswith('"') for line in text.split("\n")[1:] for part in line.split(delimiter)
    ):
        found = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        rows = [row for row in found if len(row) > 1 or "".join(row).strip(" \t")]
    else:
        lines = [line for line in lines_of(text.encode()) if line.strip(" \t") or delimiter in line]
        rows = [[part.strip(" \t") for part in line.split(delimiter)] for line in lines]
    if not rows:
        raise Wrong("no header")
    names, rows = rows[0], rows[1:]
    if len(set(names)) < len(names) or any(len(row) != len(names) for row in rows):
        raise Wrong("the header was hit")
    if names[0] == "" and len(names) > 2:  # row numbers
        names, rows = names[1:], [row[1:] for row in rows]
    lower = [name.lower().lstrip("#").strip() for name in names]
    both = "source" in lower and "target" in lower
    order = [lower.index("source"), lower.index("target")] if both else [0, 1]
    order += [i for i in range(len(names)) if i not in order]
    names, rows = [names[i] for i in order], [[row[i] for i in order] for row in rows]
    lower = [name.lower() for name in names]
    edges = edge_table(rows, names, False, lower.index(label) if label in lower[2:] else None, ids)
    return Meaning(False, edges, appearing(edges))


def matrix_market(path: Path) -> Meaning:
    lines = lines_of(path.read_bytes())
    banner = lines[0].lower().split()
    if banner[:3] != ["%%matrixmarket", "matrix", "coordinate"]:
        raise Wrong("banner")
    rows = [fields(line) for line in lines[1:] if line.strip() and not line.lstrip().startswith("%")]
    n, columns, entries = (integer(text) for text in rows[0])
    width = 2 if banner[3] == "pattern" else 3
    rows = rows[1:]
    if n != columns or entries != len(rows) or any(len(row) != width for row in rows):
        raise Wrong("sizes")
    symmetric = banner[4] == "symmetric"
    edges = edge_table(rows, ["s", "t", "weight"][:width], not symmetric, None, "int", gaps=False)
    if any(not 1 <= end <= n for edge in edges for end in edge[:2]):
        raise Wrong("index")
    moved: Counter[Any] = Counter()
    for (u, v, *rest), count in edges.items():
        ends = (u - 1, v - 1) if not symmetric else tuple(sorted((u - 1, v - 1), key=str))
        moved[(*ends, *rest)] += count
    return Meaning(not symmetric, moved, dict.fromkeys(range(n), ((), ())))


def tve(path: Path) -> Meaning:
    vertices: dict[Any, Any] = {}
    edges: Counter[Any] = Counter()
    head: list[str] | None = None
    count = 0
    for line in lines_of(path.read_bytes()):
        parts = fields(line)
        if not parts or parts[0][0] in "#%":
            continue
        if parts[0] == "t":
            if head is not None and parts != ["t", "#", "-1"]:
                raise Wrong("several")
            head = head or parts
        elif head is None:
            raise Wrong("no t line")
        elif parts[0] == "v":
            if len(parts) not in ((3, 4) if head[1] != "#" else (3,)) or integer(parts[1]) in vertices:
                raise Wrong(line)
            vertices[integer(parts[1])] = ((parts[2],), ())
        elif parts[0] == "e":
            if len(parts) not in (3, 4):
                raise Wrong(line)
            count += 1
            ends = sorted((integer(parts[1]), integer(parts[2])), key=str)
            edges[(*ends, parts[3] if len(parts) > 3 else None, ())] += 1
        else:
            raise Wrong(line)
    if head is None or any(end not in vertices for edge in edges for end in edge[:2]):
        raise Wrong("ends")
    if head[1] != "#" and (len(vertices), count) != (integer(head[1]), integer(head[2])):
        raise Wrong("counts")
    if head[1] != "#" and set(vertices) != set(range(len(vertices))):
        raise Wrong("ids")
    return Meaning(False, edges, vertices)


def metis(path: Path) -> Meaning:
    lines = [line for line in lines_of(path.read_bytes()) if not line.lstrip(" \t").startswith("%")]
    while lines and not lines[0].strip():
        lines.pop(0)
    head = lines[0].split()
    n, m = integer(head[0]), integer(head[1])
    flags = head[2].zfill(3) if len(head) > 2 else "000"
    weights = integer(head[3]) if len(head) > 3 else int(flags[1])
    names = (["size"] if flags[0] == "1" else []) + (
        ["weight"] if weights == 1 else [f"weight{i + 1}" for i in range(weights)]
    )
    rows = [[integer(x) for x in fields(line)] for line in lines[1:]]
    if len(rows) < n or any(rows[n:]):
        raise Wrong("lines")
    step = 2 if flags[2] == "1" else 1
    arcs: Counter[Any] = Counter()
    vertices = {}
    for v, row in enumerate(rows[:n]):
        if len(row) < len(names) or (len(row) - len(names)) % step:
            raise Wrong("short")
        vertices[v] = ((), tuple(sorted(zip(names, row, strict=False))))
        rest = row[len(names) :]
        for i in range(0, len(rest), step):
            arcs[(v, rest[i] - 1, tuple((("weight", rest[i + 1]),) if step == 2 else ()))] += 1
    edges: Counter[Any] = Counter()
    for (u, v, weight), count in arcs.items():
        if not 0 <= v < n or u == v or arcs[(v, u, weight)] != count:
            raise Wrong("mirror")
        if u < v:
            edges[(*sorted((u, v), key=str), None, weight)] += count
    if sum(arcs.values()) != 2 * m:
        raise Wrong("m")
    return Meaning(False, edges, vertices)


def graphminer(path: Path) -> Meaning:
    n, entries, wide, offset, label, elabel = map(
        int, (path / "graph.meta.txt").read_text("latin-1").split()[:6]
    )
    codes = {1: "B", 2: "H", 4: "I", 8: "Q"}

    def array(name: str, width: int, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}{codes[width]}", (path / f"graph.{name}.bin").read_bytes())

    offsets, lists = array("vertex", offset, n + 1), array("edge", wide, entries)
    labels = array("vlabel", label, n) if (path / "graph.vlabel.bin").exists() else None
    tags = array("elabel", elabel, entries) if (path / "graph.elabel.bin").exists() else None
    edges: Counter[Any] = Counter()
    for u in range(n):
        for i in range(offsets[u], offsets[u + 1]):
            if u <= lists[i]:
                edges[(*sorted((u, lists[i]), key=str), None if tags is None else str(tags[i]), ())] += 1
    return Meaning(False, edges, {v: (() if labels is None else (str(labels[v]),), ()) for v in range(n)})
