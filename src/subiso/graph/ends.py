"""Which two columns of a table hold the ends of edges: as said, else by name, else the first two. For files and
DataFrames alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import combinations
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from subiso.errors import GraphError

REMEDY = "source= and target= name other columns"
SAMPLE = 100  # values of a column by which one tells whether they may be ids
_SOURCES, _TARGETS = ("source", "src"), ("target", "dst", "dest", "destination")
# (a, b) is left out: such columns hold anything.
PAIRS = (
    *((source, target) for source in _SOURCES for target in _TARGETS),
    ("from", "to"),
    ("fromnodeid", "tonodeid"),
    ("origin", "destination"),
    ("payer", "payee"),
    ("sender", "receiver"),
    ("sender", "recipient"),
    ("debtor", "creditor"),
    # The first is the source: the head in knowledge graphs, the tail in graph theory.
    ("head", "tail"),
    ("tail", "head"),
    ("subject", "object"),
    ("parent", "child"),
    ("follower", "followee"),
    ("caller", "callee"),
    ("citing", "cited"),
    ("node1", "node2"),
    ("u", "v"),
)
# These count only where there is none of those.
MIXED = (*((source, "to") for source in _SOURCES), *(("from", target) for target in _TARGETS))
# As often the times at which something begins and ends: only where there is no other pair, and as a guess.
TIMES = (("start", "end"),)
ROW_INDEX = "Unnamed: 0"  # as pandas calls a first column without a name
_ROW_INDEX = re.compile(r"Unnamed: 0(\.\d+)?|__index_level_\d+__")
_WHOLE = re.compile(r"-?\d+")
_DECIMAL_OR_TIME = re.compile(
    r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|\d{1,4}([-/.])\d{1,2}\3\d{1,4}([T ].*)?|\d{1,2}:\d\d.*",
    re.IGNORECASE,
)
_NO_IDS = (Real, np.bool_, Decimal, date, time, timedelta, list, dict, np.ndarray)


class Ends(NamedTuple):
    """The positions of both ends; `guess` says how they were chosen, where neither the caller nor names are sure."""

    source: int
    target: int
    guess: str = ""


def find_ends(
    names: Sequence[Any], source: int | None = None, target: int | None = None, chosen: Collection[int] = ()
) -> Ends:
    """The ends among at least two columns with these names; `source` and `target` are positions that the caller
    chose, `chosen` those of columns that are wanted for something else: no ends, unless nothing else can be.

    >>> find_ends(["tx", "Payer_ID", "Payee_ID", "amount"]), find_ends(["name", "knows"])
    (Ends(source=1, target=2, guess=''), Ends(source=0, target=1, guess=''))
    >>> find_ends(["tx", "who", "whom"]).guess, find_ends(["id", "start", "end"])
    ('the first two', Ends(source=1, target=2, guess='by their names'))
    >>> find_ends(["tx", "who", "whom"], chosen=[0])
    Ends(source=1, target=2, guess='')
    >>> find_ends(["payer", "payee", "from", "to"])
    Traceback (most recent call last):
    subiso.errors.GraphError: several columns have names of ends of edges: 'payer', 'payee', 'from', 'to'
      hint: say which: source='payer', target='payee', for instance
    """
    if source is not None and target is not None:
        if source == target:
            raise GraphError(f"source and target are both the column {names[source]!r}", hint=REMEDY)
        return Ends(source, target)
    if source is not None or target is not None:
        known = _places(names, (*PAIRS, *MIXED, *TIMES))
        sure = [pair for pair in known if pair[0] == source or pair[1] == target]
        if len(sure) != 1:
            raise GraphError("source= and target= go together", hint="name both, or neither")
        return Ends(*sure[0])
    if list(names[:2]) == ["source", "target"]:  # as our writers call them
        return Ends(0, 1)
    free = [at for at in range(len(names)) if at not in chosen and not is_row_index(names[at])]
    for pairs in (PAIRS, MIXED):
        sure = _places(names, pairs, free) or _places(names, pairs)
        if len(sure) > 1:
            raise _several(names, sure)
        if sure:
            return Ends(*sure[0])
    unsure = _places(names, TIMES, free)
    if len(unsure) == 1:
        return Ends(*unsure[0], "by their names" if len(free) > 2 else "")
    first, second = (free if len(free) > 1 else range(2))[:2]
    how = "the first two" if (first, second) == (0, 1) else "the first two of the others"
    return Ends(first, second, how if len(free) != 2 else "")


def _several(names: Sequence[Any], pairs: list[tuple[int, int]]) -> GraphError:
    there = [names[at] for at in sorted({at for pair in pairs for at in pair})]
    first, second = (names[at] for at in min(pairs))
    return GraphError(
        f"several columns have names of ends of edges: {', '.join(map(repr, there))}",
        hint=f"say which: source={first!r}, target={second!r}, for instance",
    )


def is_row_index(name: Any) -> bool:
    """Whether a column by this name is the row index that pandas (and R) write beside the data.

    >>> is_row_index("Unnamed: 0"), is_row_index("__index_level_0__"), is_row_index("index")
    (True, True, False)
    """
    return _ROW_INDEX.fullmatch(str(name)) is not None


def tells_ends(names: Sequence[str]) -> bool:
    """Whether a first line of text can only be a header: (u, v) and (node1, node2) may as well be the first edge.

    >>> tells_ends(["Payer", "Payee"]), tells_ends(["node1", "node2"]), tells_ends(["u", "v"])
    (True, False, False)
    """
    said = [name for name in names if re.fullmatch(r"[a-z]{2,}", _word(name))]
    return bool(_places(said, (*PAIRS, *MIXED, *TIMES)))


def kind_of(values: Iterable[Any]) -> str:
    """What values may be as ids: i whole numbers, s text (or anything else that has a name), - none.

    >>> kind_of([1, 2.0, None]), kind_of(["7", "8"]), kind_of(["ann", "7"]), kind_of([0.5, 2])
    ('i', 'i', 's', '-')
    >>> kind_of(["12.50", "3"]), kind_of(["2020-01-31"]), kind_of(["12:30"]), kind_of([True]), kind_of([None])
    ('-', '-', '-', '-', '-')
    """
    known = [each for each in values if each is not None and not (isinstance(each, float) and np.isnan(each))]
    if not known:
        return "-"
    if all(isinstance(each, str) for each in known):
        if all(map(_WHOLE.fullmatch, known)):
            return "i"
        return "-" if all(map(_DECIMAL_OR_TIME.fullmatch, known)) else "s"
    if all(type(each) is not bool and isinstance(each, Real) and each % 1 == 0 for each in known):
        return "i"
    return "-" if any(isinstance(each, _NO_IDS) for each in known) else "s"


def guess_note(
    names: Sequence[Any], ends: Ends, kinds: Sequence[str], chosen: Collection[int] = ()
) -> tuple[str, ...]:
    """What to say where the ends are a guess, unless they are the only two columns of one kind (see `kind_of`) that
    nobody chose for something else.

    >>> guess_note(["tx", "who", "whom"], Ends(0, 1, "the first two"), "iii")
    ("the ends of edges are the columns 'tx' and 'who', the first two; source= and target= name others",)
    >>> guess_note(["name", "knows", "since"], Ends(0, 1, "the first two"), "ssi")
    ()
    """
    if not ends.guess:
        return ()
    free = [at for at in range(len(names)) if at not in chosen and not is_row_index(names[at])]
    alike = [[at for at in free if kinds[at] == kind] for kind in "is"]
    likely = [pair for places in alike for pair in combinations(places, 2)]
    return () if likely == [tuple(sorted(ends[:2]))] else (ends_are(names, ends),)


def ends_are(names: Sequence[Any], ends: Ends) -> str:
    """Which columns were taken, why, and what to do if the ends are others.

    >>> ends_are(["payer", "payee"], Ends(0, 1))
    "the ends of edges are the columns 'payer' and 'payee'; source= and target= name others"
    """
    why = f", {ends.guess}" if ends.guess else ""
    what = f"the columns {names[ends.source]!r} and {names[ends.target]!r}{why}"
    return f"the ends of edges are {what}; source= and target= name others"


def _word(name: Any) -> str:
    """A name without case, separators, and an "id" or "node" at its end.

    >>> [_word(name) for name in ("#FromNodeId", "sender_id", "Node 1", "id")]
    ['from', 'sender', 'node1', 'id']
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(name)).lower()
    words = [word for word in re.split(r"[\W_]+", spaced) if word]
    while len(words) > 1 and words[-1] in ("id", "node"):
        words.pop()
    return "".join(words)


def _places(
    names: Sequence[Any], pairs: Sequence[tuple[str, str]], among: Sequence[int] | None = None
) -> list[tuple[int, int]]:
    """Where both names of a pair are, for every way to choose them; pairs that are known either way round go by the
    order of the columns.
    """
    at: dict[str, list[int]] = {}
    for i in range(len(names)) if among is None else among:
        at.setdefault(_word(names[i]), []).append(i)
    return [
        (i, j)
        for source, target in pairs
        for i in at.get(source, ())
        for j in at.get(target, ())
        if i < j or (target, source) not in pairs
    ]
