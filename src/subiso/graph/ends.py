"""Which two columns of a table hold the ends of edges: as said, else by name, else the first two. For files and
DataFrames alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from subiso.errors import GraphError

REMEDY = "source= and target= name other columns"
# (a, b) is left out: such columns hold anything.
PAIRS = (
    *(
        (source, target)
        for source in ("source", "src")
        for target in ("target", "dst", "dest", "destination")
    ),
    ("from", "to"),
    ("fromnodeid", "tonodeid"),
    ("origin", "destination"),
    ("payer", "payee"),
    ("sender", "receiver"),
    ("sender", "recipient"),
    ("debtor", "creditor"),
    ("head", "tail"),
    ("subject", "object"),
    ("parent", "child"),
    ("follower", "followee"),
    ("caller", "callee"),
    ("citing", "cited"),
    ("node1", "node2"),
    ("u", "v"),
)
# As often the times at which something begins and ends: counts only where there is no other pair, and as a guess.
TIMES = (("start", "end"),)


class Ends(NamedTuple):
    """The positions of both ends; `guess` says how they were chosen, where neither the caller nor names are sure."""

    source: int
    target: int
    guess: str = ""


def find_ends(names: Sequence[Any], source: int | None = None, target: int | None = None) -> Ends:
    """The ends among at least two columns with these names; `source` and `target` are positions that the caller chose.

    >>> find_ends(["tx", "Payer_ID", "Payee_ID", "amount"]), find_ends(["name", "knows"])
    (Ends(source=1, target=2, guess=''), Ends(source=0, target=1, guess=''))
    >>> find_ends(["tx", "who", "whom"]).guess, find_ends(["id", "start", "end"])
    ('the first two', Ends(source=1, target=2, guess='by their names'))
    >>> find_ends(["payer", "payee", "from", "to"])
    Traceback (most recent call last):
    subiso.errors.GraphError: several columns have names of ends of edges: 'payer', 'payee', 'from', 'to'
      hint: say which: source='payer', target='payee', for instance
    """
    if source is not None and target is not None:
        if source == target:
            raise GraphError(f"source and target are both the column {names[source]!r}", hint=REMEDY)
        return Ends(source, target)
    words = [_word(name) for name in names]
    sure, unsure = _places(words, PAIRS), _places(words, TIMES)
    if source is not None or target is not None:
        sure = [pair for pair in (*sure, *unsure) if pair[0] == source or pair[1] == target]
        if len(sure) != 1:
            raise GraphError("source= and target= go together", hint="name both, or neither")
    if len(sure) > 1:
        there = [names[at] for at in sorted({at for pair in sure for at in pair})]
        first, second = (names[at] for at in min(sure))
        raise GraphError(
            f"several columns have names of ends of edges: {', '.join(map(repr, there))}",
            hint=f"say which: source={first!r}, target={second!r}, for instance",
        )
    if sure:
        return Ends(*sure[0])
    if len(unsure) == 1:
        return Ends(*unsure[0], "by their names")
    return Ends(0, 1, "the first two" if len(names) > 2 else "")


def tells_ends(names: Sequence[str]) -> bool:
    """Whether a first line of text can only be a header: (u, v) and (node1, node2) may as well be the first edge.

    >>> tells_ends(["Payer", "Payee"]), tells_ends(["node1", "node2"]), tells_ends(["u", "v"])
    (True, False, False)
    """
    words = [_word(name) for name in names]
    return bool(
        _places([word if len(word) > 1 and word.isalpha() else "" for word in words], (*PAIRS, *TIMES))
    )


def guess_note(names: Sequence[Any], ends: Ends, kinds: Sequence[str]) -> tuple[str, ...]:
    """What to say where the ends are a guess and another column could be one as well.

    `kinds` has a letter per column: i whole numbers, s text, ? not looked at; all others cannot be ids.

    >>> guess_note(["tx", "who", "whom"], Ends(0, 1, "the first two"), "iii")
    ("the ends of edges are the columns 'tx' and 'who', the first two; source= and target= name others",)
    >>> guess_note(["name", "knows", "since"], Ends(0, 1, "the first two"), "ssi")
    ()
    """
    rivals = {"s", "?"} | {kinds[ends.source], kinds[ends.target]}  # beside names, a number is no vertex
    others = {kind for at, kind in enumerate(kinds) if at not in ends[:2]}
    if not ends.guess or not rivals & others:
        return ()
    return (ends_are(names, ends),)


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


def _places(words: list[str], pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Where both names of a pair are, for every way to choose them."""
    at = {word: [i for i, other in enumerate(words) if other == word] for word in words}
    return [(i, j) for source, target in pairs for i in at.get(source, ()) for j in at.get(target, ())]
