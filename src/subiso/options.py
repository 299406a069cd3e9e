"""The types of the arguments that the functions of api.py take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypedDict

from subiso.engine.anchors import Anchor
from subiso.engine.base import Switches
from subiso.errors import did_you_mean
from subiso.pattern import Pattern

Progress = Callable[[float], None]
PatternLike = Pattern | str
Many = list[PatternLike] | list[Pattern] | list[str] | tuple[PatternLike, ...]


class How(TypedDict, total=False):
    """The options that say how to run; all functions take them."""

    device: str
    engine: str
    schedule: str | None
    threads: int | None
    timeout: float | None
    progress: Progress | None
    switches: Switches | None


class What(How, total=False):
    """The options that say what is looked for."""

    mode: str
    induced: bool
    unique: bool | None


def refuse_unknown(function: str, options: Mapping[str, object], known: type) -> None:
    """Options that a function hands on, checked under its own name: a misspelt one would count something else.

    >>> refuse_unknown("motifs", {"timout": 1}, How)
    Traceback (most recent call last):
    TypeError: motifs() got an unexpected keyword argument 'timout'; did you mean 'timeout'?
    """
    names = known.__annotations__
    for name in options:
        if name not in names:
            meant = did_you_mean(name, names)
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{meant}")


class Estimating(TypedDict, total=False):
    """The options that ask for an estimate."""

    approx: float | None
    confidence: float | None
    seed: int | None


class Counting(What, Estimating, total=False):
    """The options of `count`."""

    per: str | None


class Cliques(How, Estimating, total=False):
    """The options of `cliques`."""


class Existence(TypedDict, total=False):
    """The options of `exists`: uniqueness makes no difference there, its timeout is for the whole call."""

    mode: str
    induced: bool
    device: str
    engine: str
    schedule: str | None
    threads: int | None
    progress: Progress | None
    switches: Switches | None


class Rows(What, total=False):
    """The options of `match`."""

    anchor: Anchor | None
    limit: int | None
    order: str | None
    edges: bool
    columns: Iterable[str] | str | None
    distinct: bool
    sample: int | None
    seed: int
    dense: bool
