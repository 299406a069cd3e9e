"""What a suite holds, and its reading from TOML: graphs, patterns, cases with expected counts.

title = "Small patterns"             threads = 2              unique = true       data = "../../shared/data"
peers = ["GraphPi", "Peregrine"]     the columns of the table

[patterns]                           [graphs]
triangle = "0-1 0-2 1-2"             k100 = { generator = "complete", n = 100 }
ring3 = "0>1 1>2 2>0"                votes = { shared = "wiki-Vote" }

[[case]]                             one pattern, counted once
graph = "k100"
pattern = "triangle"
count = 161700
peers = { GraphPi = 0.5, Peregrine = ">40" }        ">40": stopped after so many seconds
tags = ["bar"]

[[queries]]                          a set of labelled queries of the shared data, timed as one case
graph = "hprd"
from = "hprd"
select = "dense_16_*"
peers = { RapidMatch = 0.058 }
peer_queries = 200                   the peer's figure is for so many queries and scaled to ours

[[motifs]]                           all connected patterns of these sizes, checked against the shared oracle
graph = "votes"
sizes = [3, 4, 5]
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from subiso.bench.data import DataFolder
from subiso.errors import FormatError, SubisoError

Seconds = float | str  # a peer's figure; ">40" when it was stopped


@dataclass(frozen=True)
class Query:
    """One pattern and the count it must have."""

    name: str
    edges: tuple[tuple[int, int], ...]
    count: int
    directed: bool = False
    labels: tuple[int | str, ...] | None = None


@dataclass(frozen=True)
class Case:
    """One row of the table: one or several queries on a graph, timed together."""

    graph: str
    name: str
    queries: tuple[Query, ...]
    peers: Mapping[str, Seconds] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    unique: bool = True
    motif_sizes: tuple[int, ...] = ()
    """Not empty: the queries are answered by one call of `motifs` per size instead of `count`."""


@dataclass(frozen=True)
class Suite:
    """A named list of cases and the graphs they need."""

    name: str
    title: str
    cases: tuple[Case, ...]
    graphs: Mapping[str, Mapping[str, Any]]
    peers: tuple[str, ...] = ()
    threads: int | None = None
    data: DataFolder = field(default_factory=DataFolder)
    about: str = ""

    def select(self, graphs: Sequence[str], cases: Sequence[str], tags: Sequence[str]) -> Suite:
        """The cases whose graph, name and tags were asked for; nothing asked for is everything."""
        kept = [
            case
            for case in self.cases
            if (not graphs or case.graph in graphs)
            and (not cases or any(fnmatchcase(case.name, wanted) for wanted in cases))
            and (not tags or case.tags & set(tags))
        ]
        if not kept:
            raise SubisoError(f"no case of {self.name} was chosen", hint=f"it has {_names(self)}")
        return Suite(**{**vars(self), "cases": tuple(kept)})


def _names(suite: Suite) -> str:
    return ", ".join(dict.fromkeys(f"{case.graph}: {case.name}" for case in suite.cases))


def parse_edges(text: str) -> tuple[tuple[tuple[int, int], ...], bool]:
    """Edges from text, and whether they are directed.

    >>> parse_edges("0-1 1-2"), parse_edges("0>1")
    ((((0, 1), (1, 2)), False), (((0, 1),), True))
    """
    found = [re.fullmatch(r"(\d+)([->])(\d+)", word) for word in text.split()]
    kinds = {match[2] for match in found if match}
    if None in found or len(kinds) != 1:
        raise SubisoError(
            f"cannot read the edges {text!r}", hint='write "0-1 1-2", or "0>1 1>2" when directed'
        )
    return tuple((int(match[1]), int(match[3])) for match in found if match), kinds == {">"}


def suites() -> dict[str, Path]:
    """Every suite to be found, by name: those of the package, and of the repository this runs in."""
    here = Path(__file__).parent
    folders = [here / "suites", here.parents[2] / "bench" / "cases", Path.cwd() / "bench" / "cases"]
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.toml"))}


def load_suite(name: str | Path, data: Path | None = None) -> Suite:
    """A suite by name or by file; `data` replaces the folder of real graphs that it names.

    >>> load_suite("self_contained").select(["K300"], ["triangle"], []).cases[0].queries[0].count
    4455100
    """
    path = suites().get(str(name), Path(name))
    try:
        text = path.read_text()
        raw = tomllib.loads(text)
    except OSError:
        raise SubisoError(
            f"there is no suite {str(name)!r}",
            hint=f"there are {', '.join(suites())}; those on real graphs are in a checkout's bench/cases, run there",
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(str(error), path=str(path)) from None
    if data is None and "data" in raw:
        data = path.parent / raw["data"]
    try:
        return _suite(path.stem, raw, DataFolder(data))
    except KeyError as error:
        raise FormatError(f"{error} is missing, or named but not defined", path=str(path)) from None


def _suite(name: str, raw: dict[str, Any], data: DataFolder) -> Suite:
    patterns = {key: parse_edges(text) for key, text in raw.get("patterns", {}).items()}
    unique = raw.get("unique", True)
    cases = [_plain_case(entry, patterns, unique) for entry in raw.get("case", ())]
    if data.present:
        cases += [_query_case(entry, data, unique) for entry in raw.get("queries", ())]
        cases += [_motif_case(entry, data) for entry in raw.get("motifs", ())]
    graphs = raw["graphs"]
    for case in cases:
        graphs[case.graph]  # a KeyError names the graph that is not defined
    return Suite(
        name=name,
        title=raw["title"],
        cases=tuple(cases),
        graphs=graphs,
        peers=tuple(raw.get("peers", ())),
        threads=raw.get("threads"),
        data=data,
        about=raw.get("about", ""),
    )


def _plain_case(entry: dict[str, Any], patterns: dict[str, Any], unique: bool) -> Case:
    edges, directed = patterns[entry["pattern"]]
    query = Query(entry["pattern"], edges, entry["count"], directed)
    return Case(
        graph=entry["graph"],
        name=entry["pattern"],
        queries=(query,),
        peers=entry.get("peers", {}),
        tags=frozenset(entry.get("tags", ())),
        unique=unique,
    )


def _query_case(entry: dict[str, Any], data: DataFolder, unique: bool) -> Case:
    found = [
        q
        for q in data.labelled_queries()[entry["from"]]
        if fnmatchcase(q["name"], entry["select"]) and q["embeddings"] is not None
    ]
    queries = tuple(
        Query(q["name"], tuple((u, v) for u, v in q["edges"]), q["embeddings"], labels=tuple(q["labels"]))
        for q in found
    )
    share = len(queries) / entry.get("peer_queries", len(queries) or 1)
    peers = {peer: seconds * share for peer, seconds in entry.get("peers", {}).items()}
    name = f"{entry['select']} ({len(queries)})"
    tags = frozenset(entry.get("tags", ()))
    return Case(entry["graph"], name, queries, peers, tags, unique)


def _motif_case(entry: dict[str, Any], data: DataFolder) -> Case:
    sizes = tuple(entry["sizes"])
    queries = tuple(
        Query(name, tuple((u, v) for u, v in known["edges"]), known["subgraphs"])
        for name, known in data.oracle()[entry["graph"]].items()
        if max(map(max, known["edges"])) + 1 in sizes
    )
    name = f"motifs {'+'.join(map(str, sizes))}"
    return Case(
        entry["graph"],
        name,
        queries,
        entry.get("peers", {}),
        frozenset(entry.get("tags", ())),
        motif_sizes=sizes,
    )
