"""The arguments and options that several commands share, and how they become graphs and patterns."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from subiso.graph import Graph
    from subiso.pattern import Pattern


class Mode(StrEnum):
    """The modes, for typer's help and checks."""

    monomorphism = "monomorphism"
    induced = "induced"
    homomorphism = "homomorphism"
    edge_isomorphism = "edge-isomorphism"


GraphFile = Annotated[str, typer.Argument(metavar="GRAPH", help="The file that holds the graph.")]
PatternText = Annotated[
    str,
    typer.Argument(
        metavar="PATTERN",
        help='Text such as "(a:Person)-->(b), (b)--(c)", a name such as K4, @FILE, or one of several: @FILE.json:3.',
    ),
]
PatternTexts = Annotated[
    list[str],
    typer.Argument(
        metavar="PATTERN",
        help="One or more patterns: text, a name such as K4, @FILE, or several in @FILE.json or @FILE.patterns.",
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option("--input-format", metavar="NAME", help="The graph file's format.  [default: from its name]"),
]
Directed = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected", help="Whether edges have a direction.  [default: what the file says]"
    ),
]
ReadOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--read", metavar="NAME=VALUE", help="An option of the file's reader, such as loops=keep or label=2."
    ),
]
ModeOption = Annotated[Mode, typer.Option("--mode", help="What counts as a match.")]
Induced = Annotated[bool, typer.Option("--induced", help="The same as --mode induced.")]
OnlyInduced = Annotated[bool, typer.Option("--induced", help="Count induced subgraphs.")]
Directions = Annotated[
    bool, typer.Option("--directions", help="Tell directions apart (K = 3, directed graphs).")
]
ByLabels = Annotated[bool, typer.Option("--labels", help="Tell the labels of vertices apart (K = 3 or 4).")]
Unique = Annotated[
    bool | None,
    typer.Option(
        "--unique/--all",
        help="Each subgraph once, or all its embeddings.  [default: --unique where vertices cannot repeat]",
    ),
]
Per = Annotated[
    str | None,
    typer.Option(
        "--per",
        metavar="WHAT",
        help="vertex, edge or role: how many matches each takes part in, one row each.",
    ),
]
Anchors = Annotated[
    list[str] | None,
    typer.Option("--anchor", metavar="VERTEX=ID", help="Fix a pattern vertex; may be given for several."),
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, metavar="N", help="Worker threads.  [default: all cores]")
]
Timeout = Annotated[
    float | None, typer.Option("--timeout", min=0.0, metavar="SECONDS", help="Stop after so many seconds.")
]
Engine = Annotated[str, typer.Option("--engine", metavar="NAME", help="auto, cpu or reference.")]
Device = Annotated[
    str,
    typer.Option(
        "--device", metavar="NAME", help="auto, cpu, cuda, cuda:1, or several: cuda:0,1 or cuda:all."
    ),
]
Schedule = Annotated[
    str | None,
    typer.Option(
        "--schedule",
        metavar="NAME",
        help="On CUDA: fine, stack, wedge, local, levels or pipeline.  [default: auto]",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file; its suffix names the format."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", "-f", metavar="NAME", help="table, csv, json, jsonl, parquet or arrow.  [default: table]"
    ),
]


def load_graph(
    path: str,
    input_format: str | None,
    directed: bool | None,
    settings: list[str] | None = None,
    *,
    tell: bool = True,
) -> Graph:
    """Read the graph and, where `tell` is true, say what reading cleaned up."""
    from subiso.cli.run import report_clean_up
    from subiso.formats import read

    options = load_settings(settings, "--read")
    otherwise = {"format": "--input-format", "directed": "--directed or --undirected", "path": "GRAPH"}
    for name in otherwise.keys() & options.keys():
        raise typer.BadParameter(f"{name}= is said by {otherwise[name]}", param_hint="--read")
    graph = read(path, format=input_format, directed=directed, **options)
    if tell:
        report_clean_up(graph)
    return graph


def load_settings(texts: list[str] | None, where: str) -> dict[str, Any]:
    """`scale=16` into {"scale": 16}: values are numbers, true, false, JSON lists, or text.

    >>> load_settings(["scale=16", "loops=keep", "header=true"], "--read")
    {'scale': 16, 'loops': 'keep', 'header': True}
    """
    settings: dict[str, Any] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint=where)
        settings[name] = load_value(value)
    return settings


def load_value(text: str) -> Any:
    """What a value is: a number, true, false, a JSON list, or text.

    >>> load_value("16"), load_value("true"), load_value("keep"), load_value('"16"')
    (16, True, 'keep', '16')
    """
    try:
        return json.loads({"True": "true", "False": "false", "None": "null"}.get(text, text))
    except ValueError:
        return text


def load_patterns(texts: list[str]) -> list[tuple[str, Pattern]]:
    """Patterns from their texts, names or files, each with a name of its own for what is said of it; a file of several
    (.json, .patterns) stands for all of them."""
    loaded: list[tuple[str, Pattern]] = []
    for text in texts:
        several = _from_file_of_several(text)
        loaded += [(text, load_pattern(text))] if several is None else [(str(p), p) for p in several]
    names = [name for name, _ in loaded]
    return [
        (name if names.count(name) == 1 else f"{name} #{names[:i].count(name) + 1}", pattern)
        for i, (name, pattern) in enumerate(loaded)
    ]


def _from_file_of_several(text: str) -> list[Pattern] | None:
    """The patterns of a file of patterns, or the one that @FILE:3 picks; None where the text names no such file."""
    from subiso.errors import FormatError
    from subiso.queries import holds_several, read_queries

    named = re.fullmatch(r"@(.+?)(?::(\d{1,9}))?", text)
    if named is None or not holds_several(named[1]):
        return None
    path, number = named.groups()
    found = read_queries(path)
    if not found:
        raise FormatError("the file holds no pattern", path=path)
    if number is None:
        return found
    if not 1 <= int(number) <= len(found):
        raise FormatError(f"there is no pattern {number}", path=path, hint=f"there are 1 to {len(found)}")
    return [found[int(number) - 1]]


def load_pattern(text: str) -> Pattern:
    """A pattern from its text, ours or DotMotif's, from @FILE, or by name from the catalogue."""
    from subiso.errors import FormatError
    from subiso.pattern import Pattern

    several = _from_file_of_several(text)
    if several is not None:
        if len(several) > 1:
            raise FormatError(
                f"the file holds {len(several)} patterns, one is wanted here",
                path=text[1:],
                hint="pick one: @FILE:1 is the first; subiso count takes them all",
            )
        return several[0]
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not a text file"
            numbered = re.search(r":\d+$", text) is not None
            hint = "@FILE:3 picks a pattern of a .json or .patterns file" if numbered else None
            raise FormatError(f"cannot read the pattern: {reason}", path=text[1:], hint=hint) from error
        return Pattern.from_dotmotif(text) if _DOTMOTIF.match(text) else Pattern(text)
    if _DOTMOTIF.match(text):
        return Pattern.from_dotmotif(text)
    return Pattern(text) if "(" in text or not text.strip() else _named_pattern(text)


# Comments aside, a name and an arrow to another, or a macro: no pattern of ours begins so.
_DOTMOTIF = re.compile(r"\s*(?:#[^\n]*\n\s*)*\w+\s*(?:[-~!][>|+]|\([\w\s,]*\)\s*\{)")


def _named_pattern(name: str) -> Pattern:
    from subiso.errors import PatternError, did_you_mean
    from subiso.pattern import Pattern

    try:
        return Pattern.named(name)
    except PatternError as error:
        known = Pattern.catalogue()
        raise PatternError(
            error.message + did_you_mean(name, known),
            hint=f'write it as text, "(a)--(b), (b)--(c)", or use a name: {", ".join(known)}',
        ) from error


def load_anchors(graph: Graph, pattern: Pattern, texts: list[str] | None) -> dict[str | int, Any] | None:
    """`a=17` into {"a": 17}: the id is a number or a text, whichever the graph's ids are."""
    from subiso.engine.query import pattern_vertex
    from subiso.errors import QueryError

    anchors: dict[str | int, Any] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise QueryError(f"--anchor {text}: expected VERTEX=ID", hint="for example --anchor a=17")
        vertex = pattern_vertex(pattern, name.strip(), "--anchor")
        if vertex in anchors:
            raise QueryError(f"--anchor {text}: {name.strip()!r} is anchored twice")
        anchors[vertex] = _id(graph, value.strip())
    return anchors or None


def _id(graph: Graph, text: str) -> Any:
    if graph.ids is None or graph.ids.dtype.kind in "iu":
        try:
            return int(text)
        except ValueError:
            return text
    if text in set(graph.ids.tolist()):
        return text
    try:  # ids of mixed kinds
        return int(text)
    except ValueError:
        return text
