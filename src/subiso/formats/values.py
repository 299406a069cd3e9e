"""Whether an option's value is of the kind that a reader or writer takes, by its annotation; and the kind in words."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal, get_args, get_origin

_WORDS = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    os.PathLike: "a path",
    Sequence: "a list",
    Mapping: "a map from names to fields",
}


def fits(value: object, kind: Any) -> bool:
    """Whether a value is of the kind that an annotation says.

    >>> fits(2, int | str | None), fits(1.5, int | str | None), fits(True, int), fits([1, "b"], Sequence[int | str])
    (True, False, False, True)
    """
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:  # which of them there are is for the reader to say
        return isinstance(value, type(inside[0]))
    if origin is Mapping:
        return isinstance(value, Mapping) and all(fits(each, inside[1]) for each in value.values())
    if origin is Sequence:
        return (
            isinstance(value, Collection)
            and not isinstance(value, Mapping)
            and all(fits(each, inside[0]) for each in value)
        )
    if inside and origin is not os.PathLike:
        return any(fits(value, each) for each in inside)
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    return isinstance(value, origin or kind)


def described(kind: Any) -> str:
    """The kind in words.

    >>> described(int | str | None), described(bool | None)
    ('a whole number or text', 'true or false')
    """
    kinds = (
        get_args(kind) if get_origin(kind) not in (Sequence, Mapping, Literal, os.PathLike, None) else (kind,)
    )
    words = [_word(each) for each in kinds if each is not type(None)]
    return " or ".join(words)


def _word(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(get_args(kind))
    return _WORDS.get(get_origin(kind) or kind, str(kind))
