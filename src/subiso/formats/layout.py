"""Which field of a table is what: header or not, source and target, label, columns. Pure; for edge lists,
CSV, Parquet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from subiso.errors import FormatError, GraphError
from subiso.graph.ends import Ends, ends_are, find_ends, tells_ends

LABEL_NAMES = ("label", "type", "relation", "rel", "edge_label", "edge_type")
ID_NAMES = ("id", "vertex", "node", "vertex_id", "node_id", "nodeid", "name")
VERTEX_LABEL_NAMES = ("label", "type", "labels", "kind", "vertex_label", "node_type")

_INTEGER = re.compile(r"-?[0-9]+")
_COUNT = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
Which = int | str  # a field by position (from 0) or by name


@dataclass(frozen=True)
class Layout:
    """Positions of what is read; `names` has one entry per field."""

    names: tuple[str, ...]
    ends: tuple[int, ...]  # source and target of an edge table, the id of a vertex table
    label: int | None
    columns: Mapping[str, int] = field(default_factory=dict)
    guess: str = ""  # how the ends were chosen, where it is a guess: see Ends
    asked: bool = False  # whether the caller chose the columns


def text_hint(layout: Layout, places: Sequence[int], *, named: bool = True) -> str:
    """What to do with fields of text where numbers are due; fields have names, or else their position.

    >>> layout = Layout(("from", "to", "amount", "type", "city"), (0, 1), None, {"amount": 2, "type": 3, "city": 4})
    >>> text_hint(layout, [3])
    "label='type' makes it the label, columns=['amount', 'city'] leaves it out"
    >>> text_hint(layout, [3, 4])
    "'type', 'city' are text: columns=['amount'] leaves them out, label='type' makes one of them the label"
    """
    before = "vertex_" if len(layout.ends) == 1 else ""
    texts: list[Which] = [layout.names[at] if named else at for at in places]
    others = [name if named else at for name, at in layout.columns.items() if at not in places]
    label, columns = f"{before}label={texts[0]!r} makes", f"{before}columns={others!r} leaves"
    if len(texts) == 1:
        hint = f"{label} it the label, {columns} it out"
    else:
        said = ", ".join(map(repr, texts)) if named else f"fields {', '.join(map(str, texts))} (from 0)"
        hint = f"{said} are text: {columns} them out, {label} one of them the label"
    return f"{ends_hint(layout)}; {hint}" if layout.guess else hint


def ends_hint(layout: Layout) -> str:
    """Which columns were taken for the ends, and what to do if these are others; nothing for a table of vertices."""
    if len(layout.ends) == 1:
        return ""
    return ends_are(layout.names, Ends(layout.ends[0], layout.ends[1], layout.guess))


def is_integer(text: str) -> bool:
    """True for a plain decimal integer.

    >>> is_integer("-12"), is_integer("1.0"), is_integer("")
    (True, False, False)
    """
    return _INTEGER.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """True for what a column of numbers may hold: a number, true or false, nothing or nan.

    >>> is_number("1e3"), is_number("true"), is_number(""), is_number("x")
    (True, True, True, False)
    """
    return _NUMBER.fullmatch(text) is not None or text.lower() in ("true", "false", "nan", "")


def counts(line: str) -> list[int] | None:
    """The numbers of a header line, or None when something else stands in it (a sign, or more than 18
    digits, too).

    >>> counts(" 3 10 "), counts("3 -1"), counts("3 x")
    ([3, 10], None, None)
    """
    words = re.split(r"[ \t]+", line.strip(" \t"))
    return [int(word) for word in words] if all(_COUNT.fullmatch(word) for word in words) else None


def looks_like_header(first: Sequence[str], second: Sequence[str] | None, *, vertices: bool = False) -> bool:
    """True when the first line names the fields: it has the usual names, or is text over numbers.

    >>> looks_like_header(["src", "dst"], ["ann", "bob"]), looks_like_header(["FromId", "ToId"], ["1", "2"])
    (True, True)
    >>> looks_like_header(["who", "whom", "age"], ["ann", "bob", "31"])
    True
    >>> looks_like_header(["ann", "bob"], ["bob", "eve"]), looks_like_header(["1", "2"], ["3", "4"])
    (False, False)
    """
    if any(_NUMBER.fullmatch(_plain(name)) for name in first):
        return False
    if _plain(first[0]) in ID_NAMES if vertices else tells_ends(first):
        return True
    ends = 1 if vertices else 2
    if second is None or len(second) < ends:
        return False
    return all(is_integer(text) for text in second[:ends]) or any(_NUMBER.fullmatch(t) for t in second[ends:])


def _plain(name: str) -> str:
    return name.lower().lstrip("#").strip()


def edge_layout(
    error: Callable[..., FormatError],
    names: Sequence[str] | None,
    width: int,
    *,
    source: Which | None,
    target: Which | None,
    label: Which | None,
    columns: Which | Sequence[Which] | Mapping[str, Which] | None,
) -> Layout:
    """Resolves the options of an edge table; `names` is None where the file has no header."""
    known = _names(names, width)
    if width < 2:
        comment = known[0][:1] if known[0][:1] in ("#", "%") else ""
        raise error(
            f"a target is missing: there is only {width} field",
            hint=f"pass comments={comment!r} (the first line looks like one)"
            if comment
            else "pass delimiter= or source=/target=",
        )
    said = [
        None if which is None else _resolve(error, known, which, what)
        for which, what in ((source, "source"), (target, "target"))
    ]
    try:
        ends = find_ends(known, *said)
    except GraphError as problem:
        raise error(problem.message, hint=problem.hint) from None
    guess = ends.guess if names else ""
    usual = LABEL_NAMES if names else ()
    return _finish(error, known, ends[:2], label=label, usual=usual, columns=columns, guess=guess)


def vertex_layout(
    error: Callable[..., FormatError],
    names: Sequence[str] | None,
    width: int,
    *,
    label: Which | None,
    columns: Which | Sequence[Which] | Mapping[str, Which] | None,
) -> Layout:
    """The same for a vertex table: id, label, columns; without a header a second field is the label."""
    known = _names(names, width)
    lower = [_plain(name) for name in known]
    ident = next((lower.index(name) for name in ID_NAMES if name in lower), 0)
    if label is None and names is None and width > 1:
        label = 1
    return _finish(
        error, known, (ident,), label=label, usual=VERTEX_LABEL_NAMES if names else (), columns=columns
    )


def _names(names: Sequence[str] | None, width: int) -> tuple[str, ...]:
    return tuple(f"column{i + 1}" for i in range(width)) if names is None else tuple(names)


def _resolve(error: Callable[..., FormatError], names: tuple[str, ...], which: Which, what: str) -> int:
    if isinstance(which, str):
        if which not in names:
            raise error(f"there is no field {which!r} for {what}=", hint=f"the fields are {', '.join(names)}")
        return names.index(which)
    if not 0 <= which < len(names):
        raise error(f"there is no field {which} for {what}=", hint=f"there are {len(names)}, counted from 0")
    return which


def _finish(
    error: Callable[..., FormatError],
    names: tuple[str, ...],
    ends: tuple[int, ...],
    *,
    label: Which | None,
    usual: Sequence[str],
    columns: Which | Sequence[Which] | Mapping[str, Which] | None,
    guess: str = "",
) -> Layout:
    place: int | None = None
    if label is not None:
        place = _resolve(error, names, label, "label")
    else:
        lower = [name.lower() for name in names]
        place = next(
            (lower.index(name) for name in usual if name in lower and lower.index(name) not in ends), None
        )
    if isinstance(columns, Mapping):
        chosen = {name: _resolve(error, names, which, "columns") for name, which in columns.items()}
    elif columns is not None:
        several = [columns] if isinstance(columns, str | int) else columns  # one may stand by itself
        places = [_resolve(error, names, which, "columns") for which in several]
        chosen = {names[i]: i for i in places}
    else:
        chosen = {name: i for i, name in enumerate(names) if i not in ends and i != place}
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise error(f"two fields have the name {twice!r}", hint="choose by position: columns={'name': 2}")
    if place is not None and place in ends:
        raise error(f"the label cannot be the same field as an id: {names[place]!r}")
    return Layout(names, ends, place, chosen, guess, asked=columns is not None)
