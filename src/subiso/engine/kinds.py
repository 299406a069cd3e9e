"""Whether values are of the kinds that type annotations declare, and what these kinds are in words: for settings whose
mistakes nothing else would tell."""

from __future__ import annotations

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np


def fits(value: object, kind: Any) -> bool:
    """Whether a value is of a kind, as type checkers would say; no number is negative.

    >>> fits((64, 2), tuple[int, int]), fits((64.0, 2), tuple[int, int]), fits("a", Literal["b"] | None)
    (True, False, False)
    """
    inner = get_args(kind)
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in inner
    if get_origin(kind) is UnionType or get_origin(kind) is Union:
        return any(fits(value, each) for each in inner)
    if get_origin(kind) is tuple:
        if not isinstance(value, tuple):
            return False
        each = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        return len(value) == len(each) and all(map(fits, value, each))
    if kind is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 0
    return isinstance(value, kind)


def words(kind: Any) -> tuple[str, ...]:
    """The words that a kind has."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(word for each in get_args(kind) for word in words(each))


def said(kind: Any) -> str:
    """What is of a kind, for people.

    >>> said(Literal["a", "b"] | None), said(tuple[str, ...]), said(int)
    ("'a', 'b', None", 'a tuple (a text, ...)', 'a whole number from 0')
    """
    plain = {
        bool: "True, False",
        int: "a whole number from 0",
        str: "a text",
        type(None): "None",
        Ellipsis: "...",
    }
    if kind in plain:
        return plain[kind]
    inner = get_args(kind)
    each = ", ".join(map(repr, inner) if get_origin(kind) is Literal else map(said, inner))
    return f"a tuple ({each})" if get_origin(kind) is tuple else each
