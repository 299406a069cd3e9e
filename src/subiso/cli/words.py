"""What the library says, in the words of the command line: `directed=True` is `--directed` there."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Collection
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subiso.errors import SubisoError

_LABELS = "give labels: --read vertices=FILE (CSV, Parquet), or a format that has them"

# What the library's hints say, and what a person at a shell would type; the first that fits comes first.
_SENTENCES = (
    (
        r"write -- for -->, use Pattern\.to_undirected\(\), or build the graph with directed=True",
        "pass --directed, if the file leaves it open, or write -- for -->",
    ),
    (r"build (?:the graph|it) with vertex_labels=", _LABELS),
    (r"build the graph with edge_labels=", "name the field that holds them: --read label=FIELD"),
    (r"build the graph with vertex_columns=\{.*\}", "give columns: --read vertices=FILE (CSV, Parquet)"),
    (r"build the graph with edge_columns=\{.*\}", "use a file that has this column"),
    (r"build (?:the graph|it) with directed=True", "pass --directed"),
    (r"leave directed= out", "leave --directed or --undirected out"),
    (r"pass format= \(", "pass --to NAME ("),
    (r"format=:?", "--input-format"),
    (r"anchor a vertex of the pattern, or add a mask", "anchor a vertex of the pattern: --anchor a=ID"),
    (r", or (?:pass a mask|select the (?:vertices|edges) with a mask, .*: where\(.*\))$", ""),
    (r"build it with (?=loops)", ""),
    (r"count\(g, \[p, q, \.\.\.\], per=\"(\w+)\"\)", r"subiso count GRAPH PATTERN... --per \1"),
    (r"count\(g, \[p, q, \.\.\.\]\)", "subiso count GRAPH PATTERN..."),
    (r"motifs\(g, (\d)\)", r"subiso motifs GRAPH \1"),
    (r"\b(match|exists)\(\)", r"subiso \1"),
)
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_VALUE = rf"(?:(?P<quoted>{_QUOTED})|(?P<plain>\w[\w.]*|\[(?:[^][]|\[[^][]*\])*\]|\{{.*?\}}))?"
# What is quoted and no argument's value: names of columns, of vertices, of files.
_VERBATIM = re.compile(rf"(?<![\w=\[{{])({_QUOTED})(?!\w)")
# Arguments that are options of the same name, and those that are said without a value.
_OPTIONS = re.compile(
    r"\b(?P<name>device|engine|schedule|mode|per|approx|confidence|seed|threads|timeout|limit|sample)="
    + _VALUE
)
_FLAGS = re.compile(r"\b(?P<name>directed|lossy|induced|unique|directions|labels|keep_mutual)=(True|False)?")
_SAID_OTHERWISE = {("directed", "False"): "--undirected", ("unique", "False"): "--all"}
_ANCHOR = re.compile(r"\banchor\['(.*?)'\]")
# Options of the readers, which `--read NAME=VALUE` hands over.
_READER_OPTIONS = re.compile(
    r"\b(?P<name>ids|label|columns|comments|delimiter|header|source|target|index|check_counts|loops|parallel|"
    r"vertices|vertex_label|vertex_columns|label_separator)=" + _VALUE
)
# Arguments of `subiso generate`, which are typed as they are called.
_ARGUMENTS = re.compile(r"\b(?P<name>density|distribution|k|p|sizes?)=" + _VALUE)
# What only Python has: functions, masks, classes.
_PYTHON = re.compile(r"\b(?:Graph|Pattern)\.\w|\w\.?\w+\((?:\w+=|\)|\.\.\.)|\bnames=\[")


def shell_hint(hint: str, takes: Collection[str] = ("lossy",)) -> str:
    """The hint with options as they are written on the command line; what cannot be done there is said to be Python.

    `takes` are the command's own options: few of those that write a graph may leave something of it out.

    >>> shell_hint("pass ids='text' if ids are not all integers")
    'pass --read ids=text if ids are not all integers'
    >>> shell_hint('free some of its memory, or use device="cpu"')
    'free some of its memory, or use --device cpu'
    >>> shell_hint("lossy=True leaves them out; .subiso holds everything")
    '--lossy leaves them out; .subiso holds everything'
    >>> shell_hint("lossy=True leaves them out; .subiso holds everything", takes=())
    '.subiso holds everything'
    >>> shell_hint('density="any", or size=[4, 8]')
    "density=any, or size='[4, 8]'"
    >>> shell_hint("say which: source='Sender ID', target='seed=5', for instance")
    "say which: --read source='Sender ID', --read target=seed=5, for instance"
    """
    if "lossy" not in takes:
        hint = re.sub("lossy=True[^;]*; ", "", hint)
    said: list[str] = []

    def settled(text: str) -> str:
        """What is not looked at again; a place for it."""
        said.append(text)
        return f"\0{len(said) - 1}\0"

    # What is quoted comes first, whatever it holds: a column may well be called `seed=5`.
    for names, option in ((_READER_OPTIONS, "--read "), (_ARGUMENTS, "")):
        hint = names.sub(lambda f: settled(option + _typed(f)) if f[0][-1] in "'\"]" else f[0], hint)  # noqa: B023
    hint = _VERBATIM.sub(lambda f: settled(f[0]), hint)
    for written, typed in _SENTENCES:
        if found := re.search(written, hint):
            hint = hint[: found.start()] + settled(found.expand(typed)) + hint[found.end() :]
    before = "in Python: " if _PYTHON.search(hint) else ""
    hint = _READER_OPTIONS.sub(lambda f: settled("--read " + _typed(f)), hint)
    hint = hint if before else _ARGUMENTS.sub(_typed, _options(hint))
    return before + re.sub("\0(\\d+)\0", lambda place: said[int(place[1])], hint)


def shell_message(error: SubisoError) -> str:
    """An error's message with options as they are written on the command line.

    Messages about files begin with a path, those about a pattern's text show it: these stay as they are.

    >>> from subiso.errors import QueryError
    >>> shell_message(QueryError('unique=True has no meaning in mode="homomorphism"'))
    '--unique has no meaning in --mode homomorphism'
    """
    from subiso.errors import DeviceMemoryError, QueryError, UnsupportedError

    if "\n" in error.message or not isinstance(error, QueryError | UnsupportedError | DeviceMemoryError):
        return error.message
    parts = _VERBATIM.split(error.message)  # every other one is quoted
    parts[::2] = [_options(part).replace("columns=", "--columns") for part in parts[::2]]
    return "".join(parts)


def _options(text: str) -> str:
    text = _ANCHOR.sub(r"--anchor \1", text)
    text = _FLAGS.sub(lambda f: _SAID_OTHERWISE.get((f[1], f[2]), "--" + f[1].replace("_", "-")), text)

    def typed(found: re.Match[str]) -> str:
        value = _value(found)
        return f"--{found['name']} {quote(value)}" if value else f"--{found['name']}"

    return _OPTIONS.sub(typed, text)


def _typed(found: re.Match[str]) -> str:
    """NAME=VALUE as one word of a shell, which `--read` takes for that value.

    >>> for text in ("label='Sender ID'", "label='5'", "columns=['a', 'b']", "columns=[...]", "ids="):
    ...     print(_typed(_READER_OPTIONS.search(text)))
    label='Sender ID'
    label='"5"'
    columns='["a", "b"]'
    columns=[...]
    ids=...
    """
    from subiso.cli.options import load_value

    name, value = found["name"], _value(found)
    if value is None or "..." in value:  # whoever types it fills that in
        return f"{name}={value or '...'}"
    if found["quoted"] and load_value(value) != value:
        value = json.dumps(value)
    return f"{name}={quote(value)}"


def _value(found: re.Match[str]) -> str | None:
    """What stands behind the equals sign, without Python's quotes; lists as JSON."""
    written: str | None = found["quoted"] or found["plain"]
    if written is None or written[0] not in "'\"[{":
        return written
    try:
        value = literal_eval(written)
        return value if isinstance(value, str) else json.dumps(value)
    except (ValueError, SyntaxError, TypeError):  # [...], for instance
        return written
