"""Which field of a table is what: header or not, source and target, label, columns. Pure; for edge lists,
CSV, Parquet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from subiso.errors import FormatError, GraphError
from subiso.graph.ends import Ends, ends_are, find_ends, is_row_index, tells_ends

LABEL_NAMES = ("label", "type", "relation", "rel", "edge_label", "edge_type")
ID_NAMES = ("id", "vertex", "node", "vertex_id", "node_id", "nodeid", "name")
VERTEX_LABEL_NAMES = ("label", "type", "labels", "kind", "vertex_label", "node_type")

_INTEGER = re.compile(r"-?[0-9]+")
_COUNT = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
MISSING = ("", "nan", "-nan", "na", "null")  # in any case; scan.hpp and quoted.py know the same
Which = int | str  # a field by position (from 0) or by name


@dataclass(frozen=True)
class Layout:
    """Positions of what is read; `names` has one entry per field."""

    names: tuple[str, ...]
    ends: tuple[int, ...]  # source and target of an edge table, the id of a vertex table
    label: int | None
    columns: Mapping[str, int] = field(default_factory=dict)
    guess: str = ""  # how the ends were chosen, where it is a guess: see Ends
    chosen: frozenset[int] = frozenset()  # the fields that the caller wants as columns or as the label
    left_out: tuple[str, ...] = ()  # row indices, which are no columns unless the caller says so

    @property
    def notes(self) -> tuple[str, ...]:
        """What a graph's report is to say of it."""
        return tuple(
            f"the column {name!r} holds row numbers and was left out; columns= takes it"
            for name in self.left_out
        )


def text_hint(layout: Layout, places: Sequence[int], *, named: bool = True) -> str:
    """What to do with fields of text where numbers are due; fields have names, or else their position.

    >>> layout = Layout(("from", "to", "amount", "type", "city"), (0, 1), None, {"amount": 2, "type": 3, "city": 4})
    >>> text_hint(layout, [3])
    "label='type' makes it the label, columns=['amount', 'city'] leaves it out"
    >>> text_hint(layout, [3, 4])
    "'type', 'city' are text: columns=['amount'] leaves them out, label='type' makes one of them the label"
    """
    before = "vertex_" if len(layout.ends) == 1 else ""

    def said(at: int) -> Which:
        return layout.names[at] if named and layout.names.count(layout.names[at]) == 1 else at

    texts = [said(at) for at in places]
    others = [said(at) for at in layout.columns.values() if at not in places]
    columns = f"{before}columns={others!r} leaves {'them' if len(texts) > 1 else 'it'} out"
    free = [said(at) for at in places if layout.label is None and at not in layout.ends]
    label = f"{before}label={free[0]!r} makes" if free else ""
    if len(texts) == 1:
        hint = f"{label} it the label, {columns}" if label else columns
    else:
        listed = ", ".join(map(repr, texts)) if named else f"fields {', '.join(map(str, texts))} (from 0)"
        hint = f"{listed} are text: {columns}" + (f", {label} one of them the label" if label else "")
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
    """True for what a column of numbers may hold: a number, true or false, or what stands for a missing one.

    >>> is_number("1e3"), is_number("true"), is_number("NA"), is_number(""), is_number("x")
    (True, True, True, True, False)
    """
    word = text.lower()
    return _NUMBER.fullmatch(text) is not None or word in ("true", "false") or word in MISSING


def counts(line: str) -> list[int] | None:
    """The numbers of a header line, or None when something else stands in it (a sign, or more than 18
    digits, too).

    >>> counts(" 3 10 "), counts("3 -1"), counts("3 x")
    ([3, 10], None, None)
    """
    words = re.split(r"[ \t]+", line.strip(" \t"))
    return [int(word) for word in words] if all(_COUNT.fullmatch(word) for word in words) else None


def looks_like_header(first: list[str], second: Sequence[str] | None, *, vertices: bool = False) -> bool:
    """True when the first line names the fields: it has the usual names, or is text over numbers. A first field
    without a name is a row index, if rows are numbered from 0 or 1.

    >>> looks_like_header(["src", "dst"], ["ann", "bob"]), looks_like_header(["FromId", "ToId"], ["1", "2"])
    (True, True)
    >>> looks_like_header(["who", "whom", "age"], ["ann", "bob", "31"])
    True
    >>> looks_like_header(["", "who", "whom"], ["0", "ann", "bob"])
    True
    >>> looks_like_header(["ann", "bob"], ["bob", "eve"]), looks_like_header(["1", "2"], ["3", "4"])
    (False, False)
    >>> looks_like_header(["ann", "bob", "nan"], ["bob", "eve", "3"])
    False
    """
    if first[:1] == ["id"] if vertices else first[:2] == ["source", "target"]:  # as our writers begin
        return True
    if any(_NUMBER.fullmatch(_plain(name)) for name in first):
        return False
    usual = any(_plain(name) in ID_NAMES for name in first[: 1 + (not first[0])])
    if usual if vertices else tells_ends(first):
        return True
    ends = 1 if vertices else 2
    index = not first[0] and len(first) > ends and second is not None and second[:1] in (["0"], ["1"])
    if second is None or len(second) < ends or any(map(is_number, first[index:])):
        return False
    return (
        index
        or all(is_integer(text) for text in second[:ends])
        or any(_NUMBER.fullmatch(text) for text in second[ends:])
    )


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
    first = None if source is None else _resolve(error, known, source, "source")
    second = None if target is None else _resolve(error, known, target, "target")
    place, chosen = _choices(error, known, label, columns)
    wanted = frozenset([*(chosen or {}).values(), *([] if place is None else [place])])
    try:
        ends = find_ends(known, first, second, wanted)
    except GraphError as problem:
        raise error(problem.message, hint=problem.hint) from None
    found = _finish(error, known, ends[:2], place, LABEL_NAMES if names else (), chosen)
    return replace(found, guess=ends.guess if names else "", chosen=wanted)


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
    first = next((at for at, name in enumerate(known) if not is_row_index(name)), 0)
    ident = next((lower.index(name) for name in ID_NAMES if name in lower), first)
    if label is None and names is None and width > 1:
        label = 1
    place, chosen = _choices(error, known, label, columns)
    return _finish(error, known, (ident,), place, VERTEX_LABEL_NAMES if names else (), chosen)


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


def _choices(
    error: Callable[..., FormatError],
    names: tuple[str, ...],
    label: Which | None,
    columns: Which | Sequence[Which] | Mapping[str, Which] | None,
) -> tuple[int | None, dict[str, int] | None]:
    """Where the label and the columns are that the caller chose; None for those that were not."""
    place = None if label is None else _resolve(error, names, label, "label")
    if columns is None:
        return place, None
    if isinstance(columns, Mapping):
        return place, {name: _resolve(error, names, which, "columns") for name, which in columns.items()}
    several = [columns] if isinstance(columns, str | int) else columns  # one may stand by itself
    places = [_resolve(error, names, which, "columns") for which in several]
    return place, {names[i]: i for i in places}


def _finish(
    error: Callable[..., FormatError],
    names: tuple[str, ...],
    ends: tuple[int, ...],
    label: int | None,
    usual: Sequence[str],
    columns: dict[str, int] | None,
) -> Layout:
    """The layout once the ends are known: the label by its name, all other fields as columns."""
    if label is not None and label in ends:
        raise error(
            f"the label cannot be the same field as an id: {names[label]!r}",
            hint="name another one" if len(ends) == 1 else "name another one, or the ends: source=, target=",
        )
    if label is None:
        lower = [name.lower() for name in names]
        places = (lower.index(name) for name in usual if name in lower)
        label = next((place for place in places if place not in ends), None)
    left_out: tuple[str, ...] = ()
    if columns is None:
        rest = {name: i for i, name in enumerate(names) if i not in ends and i != label}
        left_out = tuple(filter(is_row_index, rest))
        columns = {name: i for name, i in rest.items() if name not in left_out}
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise error(f"two fields have the name {twice!r}", hint="choose by position: columns={'name': 2}")
    return Layout(names, ends, label, columns, left_out=left_out)
