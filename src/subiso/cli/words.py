"""Hints of the library in the words of the command line: `directed=True` is `--directed` there."""

from __future__ import annotations

import re

_LABELS = "give labels: --read vertices=FILE (CSV, Parquet), or a format that has them"

# What the library's hints say, and what a person at a shell would type; the first that fits comes first.
_SENTENCES = (
    (
        r"write -- for -->, use Pattern\.to_undirected\(\), or build the graph with directed=True",
        "pass --directed, or write -- for -->",
    ),
    (r"build the graph with vertex_labels=", _LABELS),
    (r"build the graph with edge_labels=", "name the field that holds them: --read label=FIELD"),
    (r"build the graph with vertex_columns=\{.*\}", "give columns: --read vertices=FILE (CSV, Parquet)"),
    (r"build the graph with edge_columns=\{.*\}", "use a file that has this column"),
    (r"leave directed= out", "leave --directed or --undirected out"),
    (r"directed=True", "--directed"),
    (r"lossy=True", "--lossy"),
    (r"pass format= \(", "pass --to NAME ("),
    (r"format=:?", "--input-format"),
    (r'device="auto" or "cpu"', "--device auto or --device cpu"),
    (r'mode="([\w-]+)"', r"--mode \1"),
)
# Options of the readers, which `--read NAME=VALUE` hands over.
_OPTIONS = re.compile(
    r"\b(ids|label|columns|comments|delimiter|header|source|target|index|check_counts|loops|parallel|vertices)="
    r"(?:(['\"])(.*?)\2|(\w[\w.]*))?"
)


def shell_hint(hint: str) -> str:
    """The hint with options as they are written on the command line.

    >>> shell_hint("pass ids='text' if ids are not all integers")
    'pass --read ids=text if ids are not all integers'
    >>> shell_hint("lossy=True leaves them out; .subiso holds everything")
    '--lossy leaves them out; .subiso holds everything'
    """
    said = []
    # Sentences are taken out first, so that what replaces them is not replaced again.
    for written, typed in _SENTENCES:
        found = re.search(written, hint)
        if found:
            said.append(found.expand(typed))
            hint = f"{hint[: found.start()]}\0{len(said) - 1}\0{hint[found.end() :]}"
    hint = _OPTIONS.sub(_read_option, hint)
    return re.sub("\0(\\d+)\0", lambda place: said[int(place[1])], hint)


def _read_option(found: re.Match[str]) -> str:
    name, quoted, plain = found[1], found[3], found[4]
    return f"--read {name}={quoted if quoted is not None else plain or '...'}"
